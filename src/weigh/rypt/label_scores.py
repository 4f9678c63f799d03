"""Scores of systems by labels, in three ways, and how many of their nodes are labelled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import plural
from weigh.metrics.statistics import statistics, supplied
from weigh.read.text import shown
from weigh.result import Extent, Result, checked, derived, warns
from weigh.rypt.metric import WAYS, Rypt
from weigh.rypt.percolation import COLUMNS

if TYPE_CHECKING:
    from weigh.types import Rows, System, TestSet


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One system's nodes by label; what follows from them is in per cent.

    `direct` nodes were labelled YES or NO themselves, and `reach` would be YES if all these were;
    `unparsed` sentences have no nodes.
    """

    system: str
    run: str | None
    yes: int
    no: int
    not_sure: int
    unlabelled: int
    direct: int
    reach: int
    unparsed: int

    def __post_init__(self) -> None:
        counts = (self.yes, self.no, self.not_sure, self.unlabelled, self.unparsed)
        checked(min(counts) >= 0, f"a count below 0 of {self.system!r}")
        fits = 0 <= self.direct <= self.reach <= self.nodes
        checked(fits, f"more nodes of {self.system!r} labelled than there are")

    @classmethod
    def of(cls, system: System, metric: Rypt) -> LabelScore:
        """Take the counts that a system carries."""
        carried = system.outputs.extra[metric.column]
        yes, no, not_sure, unlabelled, direct, reach = (
            sum(row[at] for row in carried) for at in range(len(COLUMNS))
        )
        unparsed = sum(not any(row[: metric.width]) for row in carried)
        return cls(system.name, system.run, yes, no, not_sure, unlabelled, direct, reach, unparsed)

    @property
    def name(self) -> str:
        """The system's name, with that of its run."""
        return self.system if self.run is None else f"{self.system}@{self.run}"

    @property
    def is_labelled(self) -> bool:
        """Whether any node is YES or NO."""
        return bool(self.yes + self.no)

    @property
    @derived
    def nodes(self) -> int:
        """The number of all nodes."""
        return self.yes + self.no + self.not_sure + self.unlabelled

    @property
    @derived
    def strict(self) -> float:
        """The score with open nodes as NO."""
        return self.score("strict")

    @property
    @derived
    def half(self) -> float:
        """The score with open nodes as half a YES."""
        return self.score("half")

    @property
    @derived
    def labelled(self) -> float:
        """The score of nodes that are YES or NO; NaN without any."""
        return self.score("labelled") if self.yes + self.no else math.nan

    def score(self, way: str) -> float:
        """Return the score in one of the WAYS."""
        counts = np.array([self.yes, self.no, self.not_sure, self.unlabelled])
        return float(Rypt(unlabelled=way).score(counts))

    @property
    @derived
    def coverage_before(self) -> float:
        """The share of nodes that people have said YES or NO of themselves."""
        return self._share(self.direct)

    @property
    @derived
    def coverage(self) -> float:
        """The share of nodes that are YES or NO after percolation."""
        return self._share(self.yes + self.no)

    @property
    @derived
    def limit(self) -> float:
        """The strict score, were all labels YES."""
        return self._share(self.reach)

    def _share(self, count: int) -> float:
        return 100 * count / self.nodes if self.nodes else 0.0


@dataclass(frozen=True, slots=True)
class LabelScoreResult(Result):
    """Scores of systems by labels; `uneven` is why no system is marked as the best."""

    command: ClassVar[str] = "rypt score"

    test_set: Extent
    signature: str
    scores: tuple[LabelScore, ...]
    uneven: str | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(bool(self.scores), "no scores")

    def leaders(self) -> dict[tuple[str, ...], dict[str, float]]:
        """The best systems, each with the ways by which they lead and their score.

        There are none where fewer than two systems are labelled, or labels are uneven.
        """
        labelled = [score for score in self.scores if score.is_labelled]
        if len(labelled) < 2 or self.uneven is not None:
            return {}
        leaders: dict[tuple[str, ...], dict[str, float]] = {}
        for way in WAYS:
            best = max(getattr(score, way) for score in labelled)
            names = tuple(score.name for score in labelled if getattr(score, way) == best)
            leaders.setdefault(names, {})[way] = best
        return leaders


@warns
def score_outputs(systems: Sequence[System], test_set: TestSet, metric: Rypt) -> LabelScoreResult:
    """Score systems by labels in all three ways, and tell how many labels count."""
    systems, test_set, _ = supplied(systems, test_set, [metric])
    rows = statistics(systems, test_set, metric)
    uneven = metric.uneven(
        [system.name for system in systems], [matrix.sum(axis=0) for matrix in rows]
    )
    warnings = [*_remarks(systems, rows, metric), *_scattered(test_set, metric)]
    if uneven is not None:
        warnings.append(f"no system is marked as the best, because {uneven}; label more")
    return LabelScoreResult(
        Extent(len(test_set), 0),
        metric.signature(0),
        tuple(LabelScore.of(system, metric) for system in systems),
        uneven,
        tuple(warnings),
    )


def _remarks(systems: Sequence[System], rows: Sequence[Rows], metric: Rypt) -> list[str]:
    """Remarks on systems that the table does not show."""
    remarks = [
        remark
        for system, matrix in zip(systems, rows, strict=True)
        for remark in metric.remarks(system.name, matrix, system.outputs)[1:]
    ]
    return [*dict.fromkeys(remarks)] + [
        f"RYPT of {shown(system.name)}: no node is labelled YES or NO, so 'labelled' "
        "has no score; label some of the output"
        for system, matrix in zip(systems, rows, strict=True)
        if not matrix[:, :2].any()
    ]


def _scattered(test_set: TestSet, metric: Rypt) -> list[str]:
    """Number of subtrees of dependency parses that are not nodes."""
    count = metric.trees(test_set).scattered
    if not count:
        return []
    are, their = ("is no node", "its") if count == 1 else ("are no nodes", "their")
    return [
        f"{shown(metric.parses)}: {plural(count, 'dependency subtree')} {are}, as {their} words do "
        "not stand together"
    ]
