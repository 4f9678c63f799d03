"""The parts of a view: the content of a report, in reading order and independent of the format."""

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
"""Where a part is shown: even in brief output, in all usual output, or only on pages."""
Tone = Literal["neutral", "pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What all parts have in common.

    A part with a `section` starts that section of a page. A `folded` part is hidden under this
    label until a reader opens it; neighbours with the same label are folded together.
    """

    level: Level = "normal"
    section: str = ""
    folded: str = ""


@dataclass(frozen=True, slots=True)
class Verdict(Part):
    """The conclusions in words, the most important first.

    With a gate, `tone` is its outcome, and the `gate` lines before the conclusions say whether it
    passed and why.
    """

    lines: Sequence[str]
    tone: Tone = "neutral"
    gate: Sequence[str] = ()
    level: Level = field(default="brief", kw_only=True)

    @property
    def all_lines(self) -> list[str]:
        """The lines of the gate, then the conclusions."""
        return [*self.gate, *self.lines]


@dataclass(frozen=True, slots=True)
class Note(Part):
    """Sentences; a `caution` is one that a reader must know before trusting the result.

    A note without sentences is not shown.
    """

    lines: Sequence[str]
    title: str = ""
    caution: bool = False


@dataclass(frozen=True, slots=True)
class Pictures(Part):
    """Pictures, drawn when they are needed; a series of similar ones is `small`."""

    draw: Callable[[], Sequence[Picture]]
    title: str = ""
    small: bool = False
    level: Level = field(default="page", kw_only=True)


@dataclass(frozen=True, slots=True)
class BrowsedMetric:
    """A metric that readers of the segment browser can choose; shares are shown in percent."""

    metric: str
    title: str
    decimals: int
    higher_is_better: bool
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class Browser(Part):
    """A segment browser: outputs and scores of systems, segment by segment.

    `systems` are listed best first, and `pair` holds the positions of the two compared initially.
    `total` is the number of segments in the test set; of a large test set, only some are included.
    `marks` are the errors that people marked: for every system, those of each segment.
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
    """Defer a call of a function of this package, such as `compare_pictures.heat_maps`.

    Its module is imported only when the pictures are drawn, since most formats show none.
    """

    def draw() -> Sequence[Picture]:
        module, _, name = function.partition(".")
        return [*getattr(import_module(f"weigh.report.{module}"), name)(*data, **options)]

    return draw


def summary(
    findings: Sequence[str], cautions: Sequence[str] = (), *, level: Level = "page"
) -> list[Part]:
    """The head of a page: conclusions and cautions."""
    verdict = [Verdict(findings, level=level)] if findings else []
    return [*verdict, Note(cautions, "Cautions", caution=True, level="page")]
