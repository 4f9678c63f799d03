"""How often automatic tests conclude what people conclude (Graham et al. 2014, tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from weigh.comparing.measure import Measured, views
from weigh.errors import InputError
from weigh.human.judgments import Answers, Step
from weigh.metrics.registry import key_of
from weigh.read.answers import Omission
from weigh.result import Extent, Result, checked, unsaved
from weigh.stats.proportion import Proportion
from weigh.stats.sample import Sample
from weigh.validate.battery import Battery
from weigh.validate.gold import gold_of
from weigh.validate.outcomes import ChiSquare, PairOfMethods, contrast, mcnemar
from weigh.validate.plan import AccuracyPlan

if TYPE_CHECKING:
    from weigh.engine.threads import Progress


@dataclass(frozen=True, slots=True)
class OneSided:
    """One-sided p-values of a pair of systems by one metric and test."""

    metric: str
    test: str
    a: str
    b: str
    better: float
    worse: float

    def verdict(self, alpha: float) -> int:
        """Return the conclusion at a level."""
        return int(self.better <= alpha) - int(self.worse <= alpha)


@dataclass(frozen=True, slots=True)
class HumanConclusion:
    """What people conclude of a pair of systems at a level: 1 for a, −1 for b, 0 for neither."""

    a: str
    b: str
    alpha: float
    conclusion: Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What one test by one metric and people conclude of the same pairs, each at their level.

    The rule has three ways: a is better, b is better, or no evidence of a difference.
    `significant` pairs are those between which the test finds a difference, `human_significant`
    those between which people do; in the `wrong_direction` both find opposite ones. `automatic`
    and `human` are the conclusions, pair by pair: 1 for a, −1 for b, 0 for neither.
    """

    metric: str
    test: str
    alpha: float
    human_alpha: float
    pairs: int
    agree: int
    accuracy: float
    interval: tuple[float, float]
    significant: int
    human_significant: int
    wrong_direction: int
    automatic: tuple[int, ...] = unsaved()
    human: tuple[int, ...] = unsaved()

    @property
    def right(self) -> tuple[bool, ...]:
        """Whether both conclude the same, pair by pair."""
        return tuple(a == h for a, h in zip(self.automatic, self.human, strict=True))

    @property
    def found_alone(self) -> int:
        """The number of pairs between which the test finds a difference and people do not."""
        return sum(a != 0 == h for a, h in zip(self.automatic, self.human, strict=True))

    @property
    def found_by_people_alone(self) -> int:
        """The number of pairs between which people find a difference and the test does not."""
        return sum(a == 0 != h for a, h in zip(self.automatic, self.human, strict=True))

    @property
    def mcnemar(self) -> float:
        """The exact p-value that both find equally many: of pairs between which one alone does."""
        return mcnemar(self.found_alone, self.found_by_people_alone)


def agreement(
    metric: str,
    test: str,
    alpha: float,
    human_alpha: float,
    automatic: tuple[int, ...],
    human: tuple[int, ...],
    level: float,
) -> Agreement:
    """Count how often a test and people conclude the same."""
    agree = Proportion(
        sum(a == h for a, h in zip(automatic, human, strict=True)),
        len(automatic),
    )
    return Agreement(
        metric,
        test,
        alpha,
        human_alpha,
        agree.total,
        agree.count,
        agree.share,
        agree.interval(level),
        sum(a != 0 for a in automatic),
        sum(h != 0 for h in human),
        sum(a * h < 0 for a, h in zip(automatic, human, strict=True)),
        automatic,
        human,
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether metrics differ in accuracy by one test, or tests by one metric (`by`)."""

    between: str
    by: str
    alpha: float
    human_alpha: float
    chi_square: ChiSquare
    cochran: ChiSquare
    pairs: tuple[PairOfMethods, ...]


@dataclass(frozen=True, slots=True)
class AccuracyResult(Result):
    """Tests held against people, at the tests' level and with people at a fixed one.

    The tables follow from the p-values and from what people conclude. That of the fixed level is
    empty where it would say the same as the other. `not_judged` and `not_given` name systems that
    only the test set, or only people, know of.
    """

    command: ClassVar[str] = "validate accuracy"

    test_set: Extent
    systems: tuple[str, ...]
    not_judged: tuple[str, ...]
    not_given: tuple[str, ...]
    plan: AccuracyPlan
    signatures: Mapping[str, str]
    same_level: tuple[Agreement, ...] = field(init=False)
    same_level_differences: tuple[Difference, ...] = field(init=False)
    fixed_level: tuple[Agreement, ...] = field(init=False)
    fixed_level_differences: tuple[Difference, ...] = field(init=False)
    human_conclusions: tuple[HumanConclusion, ...]
    p_values: tuple[OneSided, ...]
    remarks: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    omissions: tuple[Omission, ...] = ()

    def __post_init__(self) -> None:
        plan = self.plan
        checked(len(self.pairs) > 0, "no two systems to compare")
        checked(len(self.p_values) > 0, "no p_values")
        same = self._agreements({alpha: alpha for alpha in plan.alphas})
        fixed: tuple[Agreement, ...] = ()
        if plan.alphas != (plan.human_alpha,):
            fixed = self._agreements(dict.fromkeys(plan.alphas, plan.human_alpha))
        for name, agreements in (("same_level", same), ("fixed_level", fixed)):
            object.__setattr__(self, name, agreements)
            differences = tuple(_differences(agreements, plan))
            object.__setattr__(self, f"{name}_differences", differences)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All pairs of systems that both the test set and people know."""
        return tuple(combinations(self.systems, 2))

    def _agreements(self, levels: Mapping[float, float]) -> tuple[Agreement, ...]:
        """Return what all tests and people conclude, people at a level for each of the tests'."""
        tested: dict[tuple[str, str], dict[tuple[str, str], OneSided]] = {}
        for one in self.p_values:
            tested.setdefault((one.metric, one.test), {})[one.a, one.b] = one
        concluded: dict[float, dict[tuple[str, str], int]] = {}
        for each in self.human_conclusions:
            concluded.setdefault(each.alpha, {})[each.a, each.b] = each.conclusion
        pairs = self.pairs
        for human_alpha in levels.values():
            known = concluded.get(human_alpha, {})
            checked(known.keys() >= {*pairs}, f"human_conclusions at {human_alpha:g} lack pairs")
        agreements = []
        for (metric, test), p_values in tested.items():
            checked(p_values.keys() >= {*pairs}, f"p_values by {metric} and {test} lack pairs")
            for alpha, human_alpha in levels.items():
                automatic = tuple(p_values[pair].verdict(alpha) for pair in pairs)
                human = tuple(concluded[human_alpha][pair] for pair in pairs)
                agreements.append(
                    agreement(metric, test, alpha, human_alpha, automatic, human, self.plan.level)
                )
        return tuple(agreements)


def accuracy(
    measured: Measured,
    answers: Answers,
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
    gold = gold_of(answers, plan.quality, plan.unit)
    judged = {one.system for one in gold.ranking(plan.human_alpha).scores}
    names = tuple(name for name in measured.names if name in judged)
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
    p_values = [
        OneSided(key_of(sample.metric), test, names[a], names[b], float(better), float(worse))
        for s, sample in enumerate(samples)
        for test in plan.tests
        for (a, b), better, worse in zip(
            pairs,
            tests[test][s].p_values["better"],
            tests[test][s].p_values["worse"],
            strict=True,
        )
    ]
    concluded = [
        HumanConclusion(a, b, alpha, verdict)
        for alpha in dict.fromkeys([*plan.alphas, plan.human_alpha])
        for (a, b), verdict in gold.verdicts(names, alpha).items()
    ]
    return AccuracyResult(
        measured.test_set,
        names,
        tuple(name for name in measured.names if name not in judged),
        tuple(sorted(judged - set(names))),
        plan,
        {key_of(one.metric): one.metric.signature(measured.references) for one in samples},
        tuple(concluded),
        tuple(p_values),
        (*measured.remarks, *gold.read_remarks, *gold.remarks(plan.human_alpha)),
        gold.steps(plan.human_alpha),
        gold.omissions,
    )


def _of(names: Sequence[str], sample: Sample) -> Sample:
    """Return the sample of some of its systems."""
    places = [sample.names.index(name) for name in names]
    return Sample(sample.metric, tuple(names), tuple(sample.rows[place] for place in places))


def _differences(agreements: Sequence[Agreement], plan: AccuracyPlan) -> list[Difference]:
    metrics = list(dict.fromkeys(one.metric for one in agreements))
    tests = list(dict.fromkeys(one.test for one in agreements))
    differences = []
    for between, names, others in (("metrics", metrics, tests), ("tests", tests, metrics)):
        for by in others if len(names) > 1 else ():
            for alpha in plan.alphas:
                group = [
                    one
                    for one in agreements
                    if one.alpha == alpha
                    and by == (one.test if between == "metrics" else one.metric)
                ]
                found = contrast(names, np.array([one.right for one in group]))
                differences.append(
                    Difference(
                        between,
                        by,
                        alpha,
                        group[0].human_alpha,
                        found.chi_square,
                        found.cochran,
                        found.pairs,
                    )
                )
    return differences
