"""What a comparison of systems says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weigh.comparing.evidence import Evidence
from weigh.comparing.plan import Plan
from weigh.metrics.scoring import SystemScore
from weigh.stats.equivalence import Verdict
from weigh.types import Comparison, Ranking


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether systems may replace the baseline: the verdict, and a reason for each part of it."""

    verdict: Verdict
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """Scores with intervals, tested pairs, rankings, and what to be careful about.

    `unit` is what was resampled, `segment` or `document`, and `units` how many there are; `runs`
    is the number of runs of each system.
    `evidence` is what a page shows beside the conclusions, if it was asked for.
    """

    plan: Plan
    scores: tuple[SystemScore, ...]
    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    warnings: tuple[str, ...]
    segments: int
    references: int
    documents: int | None
    unit: str
    units: int
    gate: Gate | None = None
    evidence: Evidence | None = None
    runs: Mapping[str, int] = field(default_factory=dict)
