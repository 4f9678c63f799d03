"""HITs: sheets of about a hundred items, most of them outputs, some of them controls of the judge.

What is on them depends on the kind: single texts in blocks of ten (`blocks`), or screens with the
segments of a document or with all versions of a segment (`screened`). Damaged texts among them
show whether a judge looks (`damage`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weigh.errors import UsageError, did_you_mean
from weigh.human.plan import KINDS, SCALED, SCALES, Unit, scale_asked
from weigh.types import Kind, System, TestSet

_WITH_SOURCE = ("esa", "mqm")
BLOCKS = 10
"""The number of blocks in a HIT of single texts."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of outputs and controls in blocks of even and odd number."""

    outputs: int
    controls: tuple[tuple[Kind, ...], tuple[Kind, ...]]

    @property
    def outputs_per_hit(self) -> int:
        """The number of outputs in a HIT, controls not counted."""
        return BLOCKS * self.outputs

    @property
    def items_per_hit(self) -> int:
        """The number of items in a HIT."""
        even, odd = self.controls
        return self.outputs_per_hit + BLOCKS // 2 * (len(even) + len(odd))


LAYOUTS = {
    "crowd-alone": Layout(7, (("bad", "reference", "repeat"),) * 2),
    "appraise": Layout(8, (("bad", "reference"), ("bad", "repeat"))),
}
WITHOUT_REFERENCES = ("pair", "contrastive")
"""Kinds without references as controls: nobody chooses between an output and a reference."""
_NO_REFERENCES = Layout(8, (("bad", "repeat"),) * 2)


@dataclass(frozen=True, slots=True)
class Item:
    """One text to be judged; `number` is its place in the HIT, from 1.

    A control carries the system and segment of the item that it was made from, whose number is
    `of`. `reference` and `source` are None where the judge is not to see them. Items with the same
    `screen` are shown together. `damage` tells which characters of a bad item are not those of the
    text that it was made from.
    """

    number: int
    kind: Kind
    system: str
    segment: str
    text: str
    reference: str | None = None
    of: int | None = None
    source: str | None = None
    document: str | None = None
    screen: int | None = None
    damage: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PairItem:
    """Two texts, of which the better is to be chosen.

    Of a `bad` one, a side is a damaged version of the other, and `better` is the other; a `repeat`
    has the sides exchanged. `of` is the number of the item that these were made from.
    """

    number: int
    kind: Kind
    segment: str
    left: str
    right: str
    left_system: str
    right_system: str
    source: str | None = None
    reference: str | None = None
    document: str | None = None
    of: int | None = None
    better: Literal["left", "right"] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A sheet that one person judges in one go: `items`, or `pairs` where kind is `pair`."""

    name: str
    scale: str
    items: tuple[Item, ...]
    kind: str = "da"
    pairs: tuple[PairItem, ...] = ()

    @property
    def entries(self) -> tuple[Item, ...] | tuple[PairItem, ...]:
        """The judged items or pairs."""
        return self.pairs or self.items


def layout_named(name: str, *, references: bool = True) -> Layout:
    """A preset by its name; without references, outputs and repeats replace them."""
    if name not in LAYOUTS:
        raise UsageError(f"unknown preset {name!r}; {did_you_mean(name, LAYOUTS)}")
    return LAYOUTS[name] if references else _NO_REFERENCES


def name_of(kind: str, scale: str) -> str:
    """Name of the HITs of a kind and a scale, and of their files.

    >>> name_of("da", "adequacy"), name_of("esa", "esa"), name_of("contrastive", "fluency")
    ('adequacy', 'esa', 'contrastive-fluency')
    """
    return f"{kind}-{scale}" if kind == "contrastive" else "pair" if kind == "pair" else scale


def check_shown(kind: str, *, references: bool, sources: bool) -> None:
    """Refuse to make HITs without the texts that a kind shows, or makes controls of."""
    if kind in _WITH_SOURCE and not sources:
        raise UsageError(f"{kind}: judges need the source to mark errors; add it with --src FILE")
    if not references and not sources and kind != "pair":
        raise UsageError("HITs need a reference, also for controls; add one with --ref FILE")


def usual_size(kind: str, preset: str, systems: int) -> tuple[int, int]:
    """Number of outputs (or pairs) and of items on a HIT of single texts.

    Screens with all versions of a segment hold as many outputs as fit, a damaged version for
    every eight, and whole screens again.

    >>> usual_size("da", "crowd-alone", 4), usual_size("contrastive", "appraise", 4)
    ((70, 100), (80, 98))
    """
    layout = layout_named(preset, references=kind not in WITHOUT_REFERENCES)
    if kind != "contrastive":
        return layout.outputs_per_hit, layout.items_per_hit
    screens = max(1, layout.outputs_per_hit // systems)
    outputs = screens * systems
    quota = control_quota(layout, outputs)
    again = quota // systems if screens > 1 else 0
    return outputs, outputs + quota + again * systems


def control_quota(layout: Layout, outputs: int) -> int:
    """Number of controls of a kind for a number of outputs: ten for a whole HIT."""
    return max(1, round(outputs * BLOCKS / layout.outputs_per_hit))


def make_hits(
    test_set: TestSet,
    systems: Sequence[System],
    count: int,
    *,
    kind: str = "da",
    preset: str = "crowd-alone",
    scale: str = "adequacy",
    unit: Unit = "words",
    seed: int = 12345,
    split: int | None = None,
    source_based: bool = False,
) -> list[Hit]:
    """Make HITs; with the same seed, more HITs begin with the same ones.

    With `split`, the segments of a document stay together and in order, in pieces of at most so
    many. What is shown beside an output is its source where the test set has sources, else the
    first reference; nothing where fluency is asked. Direct assessment shows sources only where it
    is `source_based`.
    """
    from weigh.human import blocks, screened
    from weigh.human.material import Material

    if kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r}; {did_you_mean(kind, KINDS)}")
    if kind in SCALED and scale not in SCALES:
        raise UsageError(f"unknown scale {scale!r}; {did_you_mean(scale, SCALES)}")
    material = Material(
        test_set,
        systems,
        kind=kind,
        scale=scale_asked(kind, scale),
        preset=preset,
        unit=unit,
        seed=seed,
        split=split,
        source_based=source_based,
    )
    if split is None and kind != "contrastive":
        return blocks.hits(material, count)
    return screened.hits(material, count)
