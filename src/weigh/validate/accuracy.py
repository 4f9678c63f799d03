"""How often automatic tests conclude what people conclude (Graham et al. 2014, tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.measure import Measured, views
from weigh.errors import InputError
from weigh.metrics.registry import key_of
from weigh.stats.procedures import TESTS
from weigh.stats.proportion import Proportion
from weigh.stats.sample import Sample
from weigh.validate.battery import Battery
from weigh.validate.checks import check_names, check_shares, check_trials
from weigh.validate.gold import Gold
from weigh.validate.outcomes import Contrast, contrast, mcnemar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.engine.threads import Progress
    from weigh.types import Scores
    from weigh.validate.gold import Verdicts

ALPHAS = (0.05, 0.01, 0.001)


@dataclass(frozen=True, slots=True)
class AccuracyPlan:
    """How tests are held against people: `human_alpha` is people's level in the second table."""

    tests: tuple[str, ...] = TESTS
    alphas: tuple[float, ...] = ALPHAS
    human_alpha: float = 0.05
    trials: int = 10_000
    level: float = 0.95
    seed: int = 12345

    def __post_init__(self) -> None:
        check_names("test", self.tests, TESTS)
        check_shares("alpha", self.alphas)
        check_shares("human alpha", [self.human_alpha])
        check_shares("level", [self.level])
        check_trials(self.trials, self.alphas, two_sided=False)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What one test by one metric and people conclude of the same pairs, each at their level.

    The rule has three ways: a is better, b is better, or no evidence of a difference.
    """

    metric: str
    test: str
    alpha: float
    human_alpha: float
    automatic: Verdicts
    human: Verdicts

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether both conclude the same, pair by pair."""
        return np.asarray(self.automatic == self.human)

    @property
    def accuracy(self) -> Proportion:
        """The share of pairs of which both conclude the same."""
        return Proportion(int(self.right.sum()), len(self.right))

    @property
    def found(self) -> int:
        """The number of pairs between which the test finds a difference."""
        return int(np.count_nonzero(self.automatic))

    @property
    def found_by_people(self) -> int:
        """The number of pairs between which people find a difference."""
        return int(np.count_nonzero(self.human))

    @property
    def found_alone(self) -> int:
        """The number of pairs between which the test finds a difference and people do not."""
        return int(np.count_nonzero((self.automatic != 0) & (self.human == 0)))

    @property
    def found_by_people_alone(self) -> int:
        """The number of pairs between which people find a difference and the test does not."""
        return int(np.count_nonzero((self.automatic == 0) & (self.human != 0)))

    @property
    def mcnemar(self) -> float:
        """The exact p-value that both find equally many: of pairs between which one alone does."""
        return mcnemar(self.found_alone, self.found_by_people_alone)

    @property
    def wrong_direction(self) -> int:
        """The number of pairs of which test and people conclude opposite things."""
        return int(np.count_nonzero(self.automatic * self.human < 0))


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether metrics differ in accuracy by one test, or tests by one metric (`given`)."""

    between: str
    given: str
    alpha: float
    human_alpha: float
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class OneSided:
    """One-sided p-values of every pair by one metric and test."""

    metric: str
    test: str
    better: Scores
    worse: Scores

    def verdicts(self, alpha: float) -> Verdicts:
        """Return the conclusions at a level."""
        return (self.better <= alpha).astype(np.int8) - (self.worse <= alpha).astype(np.int8)


@dataclass(frozen=True, slots=True)
class AccuracyTable:
    """The agreements with people, and whether metrics or tests differ in them."""

    agreements: tuple[Agreement, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class AccuracyResult:
    """A table with people at the tests' level, one with people at a fixed level, and their parts.

    `unjudged` and `missing` name systems that only the test set, or only people, know of.
    """

    plan: AccuracyPlan
    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    p_values: tuple[OneSided, ...]
    same_level: AccuracyTable
    fixed_level: AccuracyTable
    signatures: tuple[tuple[str, str], ...]
    unjudged: tuple[str, ...]
    missing: tuple[str, ...]


def accuracy(
    measured: Measured,
    gold: Gold,
    plan: AccuracyPlan | None = None,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> AccuracyResult:
    """Hold the conclusions of tests against those of people.

    1. For every pair of systems that both know, one-sided p-values in both directions, not
       corrected, by every metric and test.
    2. At each level, the test and people conclude one of three things of a pair.
    3. People's level is the test's own, and in the second table `human_alpha`.
    """
    plan = plan or AccuracyPlan()
    judged = {one.system for one in gold.ranking(plan.human_alpha).scores}
    names = tuple(name for name in measured.names if name in judged)
    missing = tuple(sorted(judged - set(names)))
    if len(names) < 2:
        raise InputError(
            f"of the systems that people judged ({', '.join(sorted(judged))}), {len(names)} "
            f"are given ({', '.join(measured.names)}); name systems as people's file does, by "
            "NAME=FILE"
        )
    samples = [_of(names, sample) for sample in views(measured)[0].samples]
    pairs = tuple(combinations(range(len(names)), 2))
    battery = Battery(samples, pairs, plan.trials, plan.seed)
    tests = battery.run(plan.tests, threads=threads, progress=progress)
    p_values = tuple(
        OneSided(
            key_of(sample.metric),
            test,
            tests[test][s].p_values["better"],
            tests[test][s].p_values["worse"],
        )
        for s, sample in enumerate(samples)
        for test in plan.tests
    )
    levels = {*plan.alphas, plan.human_alpha}
    human = {alpha: gold.verdicts(names, pairs, alpha) for alpha in levels}

    same_level, fixed_level = tables(p_values, human, plan)
    return AccuracyResult(
        plan,
        names,
        pairs,
        p_values,
        same_level,
        fixed_level,
        tuple((key_of(one.metric), one.metric.signature(measured.references)) for one in samples),
        tuple(name for name in measured.names if name not in judged),
        missing,
    )


def tables(
    p_values: Sequence[OneSided], human: Mapping[float, Verdicts], plan: AccuracyPlan
) -> tuple[AccuracyTable, AccuracyTable]:
    """Return both tables, with people at the tests' level and at their own.

    `human` holds what people conclude at each of these levels.
    """

    def table(human_alpha: Callable[[float], float]) -> AccuracyTable:
        agreements = tuple(
            Agreement(
                one.metric,
                one.test,
                alpha,
                human_alpha(alpha),
                one.verdicts(alpha),
                human[human_alpha(alpha)],
            )
            for one in p_values
            for alpha in plan.alphas
        )
        return AccuracyTable(agreements, tuple(_differences(agreements, plan)))

    return table(lambda alpha: alpha), table(lambda _: plan.human_alpha)


def _of(names: Sequence[str], sample: Sample) -> Sample:
    """Return the sample of some of its systems."""
    places = [sample.names.index(name) for name in names]
    return Sample(sample.metric, tuple(names), tuple(sample.rows[place] for place in places))


def _differences(agreements: Sequence[Agreement], plan: AccuracyPlan) -> list[Difference]:
    metrics = list(dict.fromkeys(one.metric for one in agreements))
    found = []
    for between, names, givens in (
        ("metrics", metrics, plan.tests),
        ("tests", list(plan.tests), metrics),
    ):
        for given in givens if len(names) > 1 else ():
            for alpha in plan.alphas:
                group = [
                    one
                    for one in agreements
                    if one.alpha == alpha
                    and given == (one.test if between == "metrics" else one.metric)
                ]
                right = np.array([one.right for one in group])
                found.append(
                    Difference(between, given, alpha, group[0].human_alpha, contrast(names, right))
                )
    return found
