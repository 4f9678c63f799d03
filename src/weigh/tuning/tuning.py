"""Tuning on fixed lists: an optimizer, several runs of it, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError
from weigh.read.stream import quoted
from weigh.tuning.mert import Climb, MertPlan, best_climb, mert
from weigh.tuning.problem import Problem
from weigh.tuning.weights import Normalisation, WeightSpace, aligned

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals

Optimizer = Literal["mert", "pro", "mira"]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of one run; scores are the metric's, evaluated at the weights from scratch."""

    seed: int
    start_score: float
    score: float
    weights: Reals
    climbs: tuple[Climb, ...] = ()


@dataclass(frozen=True, slots=True)
class Tuner:
    """How weights are found: an optimizer with its plan and how its result is normalised.

    Unless that is said, the absolute weights sum to 1, so that results stand on one scale; weights
    that are fixed or bounded stay as they are, since scaling would move what is held.
    """

    optimizer: Optimizer = "mert"
    plan: MertPlan = field(default_factory=MertPlan)
    normalisation: Normalisation | None = None

    def tune(
        self,
        problem: Problem,
        space: WeightSpace,
        *,
        seed: int,
        further: tuple[Reals, ...] = (),
        threads: int = 0,
        progress: Progress | None = None,
    ) -> Tuned:
        """Return weights that score no worse than the start, and their score."""
        climbs: tuple[Climb, ...] = ()
        if self.optimizer == "mert":
            plan = replace(self.plan, seed=seed)
            climbs = tuple(
                mert(problem, space, plan, further=further, threads=threads, progress=progress)
            )
            weights = best_climb(climbs, problem, space, plan).weights
        elif self.optimizer == "pro":
            from weigh.tuning.pro import pro

            weights = pro(problem, space, seed)
        else:
            from weigh.tuning.mira import mira

            weights = mira(problem, space, seed)
        start_score = problem.score(space.start)
        score = problem.score(weights)
        if problem.sign * score < problem.sign * start_score:
            weights, score = space.start, start_score
        climbs = tuple(
            replace(climb, weights=self.normalised(problem, space, climb.weights))
            for climb in climbs
        )
        return Tuned(seed, start_score, score, self.normalised(problem, space, weights), climbs)

    def normalised(self, problem: Problem, space: WeightSpace, weights: Reals) -> Reals:
        """Return weights on the scale of results, or as they are if their score would change.

        It does where rounding breaks a tie another way.
        """
        normalisation = self.normalisation or Normalisation("none" if space.holds else "l1")
        scaled = normalisation(weights, space.names)
        return scaled if problem.score(scaled) == problem.score(weights) else weights


@dataclass(frozen=True, slots=True)
class Spread:
    """How much runs that differ by their seed alone differ in score (Clark et al. 2011)."""

    mean: float
    deviation: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> Spread:
        """Describe scores; one has no deviation."""
        deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
        return cls(float(np.mean(scores)), deviation, min(scores), max(scores))


def average(runs: Sequence[Tuned], space: WeightSpace) -> Reals:
    """Return the mean of the runs' weights, each of length 1 first unless some are held."""
    normalise = Normalisation("none" if space.holds else "l2")
    mean = np.mean([normalise(run.weights, space.names) for run in runs], axis=0)
    return mean if mean.any() else runs[0].weights


def transferred(weights: Mapping[str, float], problem: Problem) -> Reals:
    """Return weights for another list of the same features."""
    nbest = problem.nbest
    unknown = next((name for name in nbest.names if name not in weights), None)
    if unknown is not None:
        raise InputError(
            f"the held-out list has the feature {quoted(unknown)}, which was not tuned; give a "
            "list with the features of the one tuned on"
        )
    return aligned(nbest.names, nbest.sparse.names, weights, "the held-out list")
