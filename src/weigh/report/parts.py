"""The parts that a view is made of: what is shown of a result, in order, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Segments
    from weigh.human.errors import Mark
    from weigh.report.pictures.picture import Picture

Level = Literal["brief", "normal", "page"]
"""Where a part is shown: also in brief, everywhere, or on pages only."""
Tone = Literal["neutral", "pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What every part has.

    A page begins a new `section` at a part that names one, and hides a part under the label
    `folded` until a reader opens it; neighbours with the same label are hidden together.
    """

    level: Level = "normal"
    section: str = ""
    folded: str = ""


@dataclass(frozen=True, slots=True)
class Verdict(Part):
    """The conclusions in words, the most important first.

    A gate gives them a tone, and lines before them that say whether it passed and why.
    """

    lines: Sequence[str]
    tone: Tone = "neutral"
    gate: Sequence[str] = ()
    level: Level = field(default="brief", kw_only=True)

    @property
    def all_lines(self) -> list[str]:
        """What the gate says, then the conclusions."""
        return [*self.gate, *self.lines]


@dataclass(frozen=True, slots=True)
class Note(Part):
    """Sentences; a `caution` is what a reader must know before believing the rest.

    A note without sentences is not shown.
    """

    lines: Sequence[str]
    title: str = ""
    caution: bool = False


@dataclass(frozen=True, slots=True)
class Pictures(Part):
    """Pictures, drawn when they are needed; many that are alike are `small`."""

    draw: Callable[[], Sequence[Picture]]
    title: str = ""
    small: bool = False
    level: Level = field(default="page", kw_only=True)


@dataclass(frozen=True, slots=True)
class BrowsedMetric:
    """A metric as a reader of segments chooses it; shares are shown in percent."""

    metric: str
    title: str
    decimals: int
    higher_is_better: bool
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class Browser(Part):
    """Segments to look through, with the outputs and scores of systems.

    `systems` stand best first; `pair` are the places, among them, of the two shown first. `total`
    is the number of segments in the test set; of a large one only some are here. `marks` are
    errors that people marked, by system those of every segment.
    """

    segments: Segments
    systems: Sequence[str]
    metrics: Sequence[BrowsedMetric]
    pair: tuple[int, int]
    total: int
    unit: str = "segment"
    marks: Mapping[str, Sequence[Sequence[Mark]]] = field(default_factory=dict)
    level: Level = field(default="page", kw_only=True)

    @property
    def all_marks(self) -> list[Mark]:
        """The marks of all systems and segments."""
        return [mark for rows in self.marks.values() for marks in rows for mark in marks]


def draw_later(function: str, *data: Any, **options: Any) -> Callable[[], Sequence[Picture]]:
    """Call a function of this package, such as `tune.plots`, when the pictures are drawn.

    Its module is imported only then, since most formats show no pictures.
    """

    def draw() -> Sequence[Picture]:
        module, _, name = function.partition(".")
        return [*getattr(import_module(f"weigh.report.{module}"), name)(*data, **options)]

    return draw


def summary(
    findings: Sequence[str], cautions: Sequence[str] = (), *, level: Level = "page"
) -> list[Part]:
    """The head of a page: conclusions, and what to be careful about."""
    verdict = [Verdict(findings, level=level)] if findings else []
    return [*verdict, Note(cautions, "Cautions", caution=True, level="page")]
