"""HITs: sheets of a hundred items, most of them outputs, some of them controls of the judge.

A HIT has ten blocks of ten items. The controls of block i are made from items of block i ± 5, no
two from the same, so a control stands 41 to 59 places from its original; the items of a block are
shuffled (Graham et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.controls import DAMAGES, Unit, is_damageable
from weigh.human.draws import Draws
from weigh.types import Kind, System, TestSet

SCALES = ("adequacy", "fluency")
_BLOCKS = 10


@dataclass(frozen=True, slots=True)
class Preset:
    """How many outputs stand in a block, and which controls, in blocks of even and odd number."""

    outputs: int
    controls: tuple[tuple[Kind, ...], tuple[Kind, ...]]

    @property
    def outputs_per_hit(self) -> int:
        """The number of outputs in a HIT, controls not counted."""
        return _BLOCKS * self.outputs

    @property
    def items_per_hit(self) -> int:
        """The number of items in a HIT."""
        even, odd = self.controls
        return self.outputs_per_hit + _BLOCKS // 2 * (len(even) + len(odd))


PRESETS = {
    "crowd-alone": Preset(7, (("bad", "reference", "repeat"),) * 2),
    "appraise": Preset(8, (("bad", "reference"), ("bad", "repeat"))),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One text to be judged; `number` is its place in the HIT, from 1.

    A control carries the system and segment of the item that it was made from, whose number is
    `of`. `reference` is None where the judge is not to see it.
    """

    number: int
    kind: Kind
    system: str
    segment: str
    text: str
    reference: str | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A sheet of items that one person judges in one go."""

    name: str
    scale: str
    items: tuple[Item, ...]


def preset_named(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        raise UsageError(f"unknown preset {name!r}; {did_you_mean(name, PRESETS)}")
    return PRESETS[name]


def make_hits(
    test_set: TestSet,
    systems: Sequence[System],
    count: int,
    *,
    preset: str = "crowd-alone",
    scale: str = "adequacy",
    unit: Unit = "words",
    seed: int = 12345,
) -> list[Hit]:
    """Make so many HITs; with the same seed, more HITs begin with the same ones.

    1. Shuffle the segments and the systems. A pass goes through all segments and gives them the
       systems in turn, one further in each pass: after as many passes as there are systems,
       every output was taken once, and then it starts anew.
    2. A HIT takes the next outputs, shuffled; no segment comes twice if there are enough.
    3. Its blocks get their controls, and each is shuffled.

    Adequacy shows the first reference beside the output, fluency shows the output alone.
    """
    layout = preset_named(preset)
    if scale not in SCALES:
        raise UsageError(f"unknown scale {scale!r}; {did_you_mean(scale, SCALES)}")
    maker = _Maker(test_set, systems, layout, preset, scale, unit, seed)
    return [maker.hit(number) for number in range(count)]


class _Maker:
    """Makes the HITs of one scale."""

    def __init__(
        self,
        test_set: TestSet,
        systems: Sequence[System],
        layout: Preset,
        preset: str,
        scale: str,
        unit: Unit,
        seed: int,
    ) -> None:
        if not test_set.references:
            raise UsageError("HITs need a reference, for controls too; add one with --ref FILE")
        self._references = test_set.references[0]
        self._ids = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
        self._number = {key: number for number, key in enumerate(self._ids)}
        self._layout = layout
        self._damage = DAMAGES[preset]
        self._scale = scale
        self._unit = unit
        self._seed = seed
        outputs = len(test_set) * len(systems)
        if outputs < layout.outputs_per_hit:
            raise InputError(
                f"{len(systems):,} systems with {len(test_set):,} segments: {outputs:,} outputs, "
                f"but a HIT needs {layout.outputs_per_hit}; give more segments or systems"
            )
        # Scales differ in their streams: who judges both should not meet the same sheets.
        self._first_stream = SCALES.index(scale) << 32
        draws = Draws(seed, self._first_stream)
        self._segments = draws.shuffled(range(len(test_set)))
        self._systems = draws.shuffled(systems)

    def hit(self, number: int) -> Hit:
        draws = Draws(self._seed, self._first_stream + 1 + number)
        size = self._layout.outputs_per_hit
        outputs = draws.shuffled([self._output(number * size + at) for at in range(size)])
        width = self._layout.outputs
        blocks = [outputs[block * width : (block + 1) * width] for block in range(_BLOCKS)]
        # Items are told apart by (block, position) until shuffling has given them numbers.
        placed: list[tuple[tuple[int, int] | None, tuple[int, int] | None, Item]] = []
        for block, items in enumerate(blocks):
            far = (block + _BLOCKS // 2) % _BLOCKS
            entries = [
                *(((block, at), None, item) for at, item in enumerate(items)),
                *(
                    (None, (far, at), control)
                    for at, control in self._controls(block, blocks[far], draws)
                ),
            ]
            placed += draws.shuffled(entries)
        numbers = {key: place for place, (key, _, _) in enumerate(placed, 1) if key is not None}
        return Hit(
            f"{self._scale}-{number + 1:04d}",
            self._scale,
            tuple(
                replace(item, number=place, of=None if origin is None else numbers[origin])
                for place, (_, origin, item) in enumerate(placed, 1)
            ),
        )

    def _output(self, at: int) -> Item:
        """Return the output that stands at a place of the endless sequence of passes."""
        turn, place = divmod(at, len(self._segments))
        segment = self._segments[place]
        system = self._systems[(place + turn) % len(self._systems)]
        return Item(
            0,
            "system",
            system.name,
            self._ids[segment],
            system.outputs.texts[segment],
            self._references[segment] if self._scale == "adequacy" else None,
        )

    def _controls(
        self, block: int, originals: Sequence[Item], draws: Draws
    ) -> list[tuple[int, Item]]:
        """Return the controls that a block gets, each with the position of its original."""
        order = draws.shuffled(range(len(originals)))
        made = []
        for kind in self._layout.controls[block % 2]:
            if kind == "bad":
                at = next((at for at in order if is_damageable(originals[at].text)), None)
                if at is None:
                    raise InputError(
                        f"{originals[0].system}: segment {originals[0].segment} and all others of "
                        "a block are empty, but one has to be damaged; leave out empty outputs"
                    )
            else:
                at = order[0]
            order.remove(at)
            made.append((at, self._control(kind, originals[at], draws)))
        return made

    def _control(self, kind: Kind, original: Item, draws: Draws) -> Item:
        segment = self._number[original.segment]
        if kind == "reference":
            return replace(original, kind=kind, text=self._references[segment])
        if kind == "bad":
            text = self._damage(original.text, self._references, segment, self._unit, draws)
            return replace(original, kind=kind, text=text)
        return replace(original, kind=kind)
