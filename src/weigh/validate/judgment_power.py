"""The number of judgments that a difference needs, simulated from a pilot campaign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from weigh.engine.executors import accepts_executor
from weigh.errors import InputError, did_you_mean
from weigh.human.draws import ArrayDraws
from weigh.human.judgments import Answers, extent_of, left_out, with_scores
from weigh.human.quality import controlled
from weigh.human.scores import Sample, standardise
from weigh.result import NO_TEST_SET, warns
from weigh.types import Judgment
from weigh.validate.plan import PowerPlan
from weigh.validate.power import PilotMetric, PowerPiece, PowerResult, Simulations, Sought

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.engine.threads import Progress
    from weigh.types import Scores

TEST = "rank-sum"
_DECIMALS = 3
# Scores of error span annotation are compared as they are, as the WMT does.
_RAW_SCALE = "esa"


@dataclass(frozen=True, slots=True)
class Pilot:
    """Single scores of two systems by people; `remarks` say what was left out."""

    names: tuple[str, str]
    what: str
    first: Scores
    second: Scores
    remarks: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """The difference of the means."""
        return float(self.first.mean() - self.second.mean())

    @property
    def superiority(self) -> float:
        """The chance that a score of the first system is higher than one of the second, ties half.

        It is the rank-sum statistic divided by the number of pairs of scores.
        """
        ordered = np.sort(self.second)
        below = np.searchsorted(ordered, self.first, side="left")
        at_most = np.searchsorted(ordered, self.first, side="right")
        return float((below + at_most).sum() / (2 * self.first.size * self.second.size))


def pilot_of(judgments: Sequence[Judgment], names: Sequence[str]) -> Pilot:
    """Return the scores of two systems, standardised for each judge."""
    if len(set(names)) != 2:
        raise InputError(f"{len(set(names))} systems named; name the two that are compared")
    about = sorted({(judgment.pair, judgment.scale) for judgment in judgments})
    if len(about) > 1:
        several = "; ".join(", ".join(filter(None, names)) for names in about)
        raise InputError(f"judgments of several kinds ({several}); give judgments of one kind")
    raw = bool(about) and about[0][1] == _RAW_SCALE
    kept = standardise(judgments)
    sample = Sample(
        ((judgment, judgment.value) for judgment in judgments)
        if raw
        else zip(kept.judgments, kept.z, strict=True)
    )
    for name in names:
        if name not in sample.systems:
            raise InputError(f"no judgments of {name!r}; {did_you_mean(name, sample.systems)}")
    first, second = names
    what = f"{about[0][1]} ({'raw' if raw else 'z'})"
    values = [np.array(sorted(sample.judgments(name))) for name in (first, second)]
    return Pilot((first, second), what, values[0], values[1], () if raw else kept.remarks)


@warns
@accepts_executor
def judgment_power(
    answers: Answers,
    systems: Sequence[str],
    plan: PowerPlan | None = None,
    *,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
    progress: Progress | None = None,
) -> PowerResult:
    """Simulate campaigns like one whose judgments of two systems are at hand."""
    plan = plan or PowerPlan()
    counted = with_scores(controlled(with_scores(answers), plan.quality))
    pilot = pilot_of(counted.judgments, systems)
    return replace(
        power_of_pilot(pilot, plan, threads=threads, progress=progress),
        test_set=extent_of(counted),
        remarks=(*left_out(counted), *counted.remarks, *pilot.remarks),
    )


def power_of_pilot(
    pilot: Pilot,
    plan: PowerPlan,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> PowerResult:
    """Simulate campaigns whose true difference is known, and count how often it is found.

    1. So many judgments of each system are drawn with replacement from the pilot.
    2. For a share w of the pilot's difference, each is drawn from the other system's with the
       chance (1 − w)/2: the true difference is w times the pilot's.
    3. The share of campaigns with a two-sided rank-sum p ≤ α is the power.
    4. Judgments needed for each system: n = (z_{1−α/2} + z_power)² / (6 (P − ½)²), where P is the
       chance that a score of one system is higher than one of the other (Noether 1987); a
       simulation with that number checks it.
    """
    metric = PilotMetric(pilot.what, _DECIMALS, pilot.difference)
    sought = [
        Sought(
            0,
            strength * pilot.difference,
            strength,
            False,
            noether(0.5 + strength * (pilot.superiority - 0.5), plan.alpha, plan.power),
            alone=True,
        )
        for strength in plan.strengths
        if strength > 0 and pilot.superiority != 0.5
    ]
    study = Simulations(plan, [TEST], [metric], sought, lambda _, w: w * pilot.difference)
    powers, needs = study.run(_found_in_piece, (pilot, plan), 1, threads, progress)
    return PowerResult(
        NO_TEST_SET,
        pilot.names,
        "judgment",
        min(len(pilot.first), len(pilot.second)),
        (metric,),
        plan,
        {},
        powers,
        needs,
        pilot.remarks,
    )


def _found_in_piece(shared: tuple[Pilot, PowerPlan], piece: PowerPiece) -> list[list[int]]:
    """The number of simulated campaigns of a piece in which the difference is significant."""
    pilot, plan = shared
    draws = ArrayDraws(plan.seed, piece.number)
    return [[rejections(pilot, piece.cell.strength, piece.cell.size, plan, draws)]]


def noether(superiority: float, alpha: float, power: float) -> int:
    """The number of judgments per system (Noether 1987, equation for equal samples)."""
    normal = NormalDist()
    distance = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return max(2, math.ceil(distance**2 / (6 * (superiority - 0.5) ** 2) * (1 - 1e-12)))


def rejections(pilot: Pilot, strength: float, size: int, plan: PowerPlan, draws: ArrayDraws) -> int:
    """Number of simulated campaigns of a size in which a difference is found."""
    from scipy.stats import mannwhitneyu

    count = plan.simulations * size
    drawn = []
    for scores, other in ((pilot.first, pilot.second), (pilot.second, pilot.first)):
        exchanged = draws.chances((1 - strength) / 2, count)
        values = np.where(
            exchanged,
            other[draws.below(other.size, count)],
            scores[draws.below(scores.size, count)],
        )
        drawn.append(values.reshape(plan.simulations, size))
    varied = np.ptp(np.concatenate(drawn, axis=1), axis=1) > 0
    if not varied.any():  # nothing to rank
        return 0
    test = mannwhitneyu(
        drawn[0][varied], drawn[1][varied], alternative="two-sided", method="asymptotic", axis=1
    )
    return int(np.count_nonzero(test.pvalue <= plan.alpha))
