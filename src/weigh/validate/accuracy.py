"""Agreement of significance tests with people's conclusions (Graham et al. 2014, tables 1, 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from weigh.comparing.dataset import Dataset
from weigh.comparing.scopes import scopes
from weigh.engine.executors import accepts_executor
from weigh.errors import InputError
from weigh.human.judgments import Answers, Step, judged_names
from weigh.human.plan import PRESETS
from weigh.human.quality import controlled
from weigh.human.rank import Rankings, rankings_of
from weigh.metrics.registry import key_of
from weigh.read.answers import Omission
from weigh.result import Extent, Result, checked, sometimes, unsaved, warns
from weigh.stats.intervals import Proportion
from weigh.stats.multiplicity import FAMILYWISE, adjust, too_few_trials, trials_needed
from weigh.stats.sample import Sample
from weigh.types import grouped
from weigh.validate.battery import Battery
from weigh.validate.outcomes import (
    ChiSquare,
    PairOfMethods,
    chi_square,
    cochran,
    mcnemar,
    pairs_of_methods,
)
from weigh.validate.plan import AccuracyPlan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.engine.threads import Progress
    from weigh.human.rank_result import HumanRanking

# As in Graham et al. (2014), §4: one-sided, both directions tried, not corrected.
PLAN = PRESETS["graham2014"]
NOTABLE = 0.05
"""Methods differ notably up to this p-value, adjusted by Holm's method."""


class Gold:
    """Answers of people about one language pair, from which conclusions at any level come.

    The plan says what quality control they go through, and how they are tested.
    """

    def __init__(self, answers: Answers, plan: AccuracyPlan) -> None:
        choices: Any = {name: getattr(plan, name) for name in ("unit", "alternative", "adjust")}
        self.answers = controlled(answers, plan.quality)
        self._plan = replace(PLAN, **choices)
        self._results: dict[float, Rankings] = {}

    def result(self, alpha: float) -> Rankings:
        """Return all rankings at a level, with the steps and remarks."""
        if alpha not in self._results:
            self._results[alpha] = rankings_of(self.answers, replace(self._plan, alpha=alpha))
        return self._results[alpha]

    def ranking(self, alpha: float) -> HumanRanking:
        """Return the ranking at a level: of adequacy with fluency where both were judged."""
        result = self.result(alpha)
        result.check_pair()
        combined = [ranking for ranking in result.rankings if ranking.combined]
        chosen = combined or result.rankings
        if len(chosen) > 1:
            scales = ", ".join(ranking.scale for ranking in chosen)
            raise InputError(f"judgments on several scales ({scales}); give judgments on one")
        return chosen[0]

    def verdicts(
        self, names: Sequence[str], alpha: float
    ) -> dict[tuple[str, str], Literal[-1, 0, 1]]:
        """People's conclusions on all pairs of named systems: 1 (first better), −1 or 0."""
        winners = {
            frozenset((comparison.a, comparison.b)): comparison.winner
            for comparison in self.ranking(alpha).comparisons
            if comparison.winner is not None
        }
        verdicts: dict[tuple[str, str], Literal[-1, 0, 1]] = {}
        for a, b in combinations(names, 2):
            winner = winners.get(frozenset((a, b)))
            verdicts[a, b] = 0 if winner is None else 1 if winner == a else -1
        return verdicts


@dataclass(frozen=True, slots=True)
class PairPValues:
    """Both one-sided p-values of a pair of systems by one metric and test.

    The two-sided one is there where it is asked for.
    """

    metric: str
    test: str
    a: str
    b: str
    better: float
    worse: float
    two_sided: float | None = sometimes()


def verdicts(family: Sequence[PairPValues], method: str, alpha: float) -> list[int]:
    """Return the conclusions of all pairs by one metric and test: 1 for a, −1 for b, 0 for none.

    Two-sided p-values are adjusted together; without them, those of both directions are.
    """
    two_sided = [pair.two_sided for pair in family if pair.two_sided is not None]
    if len(two_sided) == len(family):
        rejected = adjust(two_sided, method) <= alpha
        return [
            int(is_rejected) * (1 if pair.better <= pair.worse else -1)
            for pair, is_rejected in zip(family, rejected.tolist(), strict=True)
        ]
    both = adjust([p for pair in family for p in (pair.better, pair.worse)], method) <= alpha
    return [int(better) - int(worse) for better, worse in both.reshape(-1, 2).tolist()]


@dataclass(frozen=True, slots=True)
class HumanConclusion:
    """People's conclusion on a pair of systems at a level: 1 for a, −1 for b, 0 for neither."""

    a: str
    b: str
    alpha: float
    conclusion: Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Conclusions of one test by one metric, and of people, on the same pairs.

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

    @classmethod
    def of(
        cls,
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
        return cls(
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


class AlikeTests(NamedTuple):
    """Tests by one metric with the same conclusions on every pair, and the agreement of each."""

    tests: tuple[str, ...]
    agreement: Agreement


class AgreementRange(NamedTuple):
    """The tests that agree with people on most pairs, and on fewest if all do not agree equally.

    `opposite` is the largest number of pairs on which a test and people prefer different systems.
    """

    most: tuple[AlikeTests, ...]
    least: tuple[AlikeTests, ...]
    opposite: int


class StrongerTest(NamedTuple):
    """A test that finds significantly more differences than people, by McNemar's exact test.

    The p-value is adjusted for `family` tests by Holm's method.
    """

    agreement: Agreement
    p_adjusted: float
    family: int


class Contrast(NamedTuple):
    """Differences with the same numbers; `by` names the tests or metrics that have them."""

    by: tuple[str, ...]
    difference: Difference


class NotablePair(NamedTuple):
    """Two methods that differ notably on the same pairs of systems."""

    contrast: Contrast
    pair: PairOfMethods
    p_adjusted: float


class NotablePairs(NamedTuple):
    """The notable pairs of `family` pairs of methods, which were adjusted for together."""

    pairs: tuple[NotablePair, ...]
    family: int


def group_alike_tests(agreements: Iterable[Agreement], alpha: float) -> tuple[AlikeTests, ...]:
    """Group the tests at a level by their metric and their conclusions."""
    groups = grouped(
        (row for row in agreements if row.alpha == alpha), lambda row: (row.metric, row.automatic)
    )
    return tuple(AlikeTests(tuple(row.test for row in rows), rows[0]) for rows in groups.values())


def contrasts_of(differences: Iterable[Difference]) -> tuple[Contrast, ...]:
    """Group differences with the same numbers."""
    key = attrgetter("between", "alpha", "chi_square", "cochran", "pairs")
    groups = grouped(differences, key).values()
    return tuple(Contrast(tuple(row.by for row in rows), rows[0]) for rows in groups)


def notable_pairs(contrasts: Sequence[Contrast]) -> NotablePairs:
    """Find the pairs of methods that differ notably, by McNemar's exact test and Holm's method."""
    pairs = [(contrast, pair) for contrast in contrasts for pair in contrast.difference.pairs]
    adjusted = adjust([pair.mcnemar_p for _, pair in pairs], "holm").tolist()
    notable = [
        NotablePair(contrast, pair, p)
        for (contrast, pair), p in zip(pairs, adjusted, strict=True)
        if p <= NOTABLE
    ]
    return NotablePairs(tuple(notable), len(pairs))


@dataclass(frozen=True, slots=True)
class AccuracyResult(Result):
    """Agreement of tests with people, at the tests' level and with people at a fixed one.

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
    p_values: tuple[PairPValues, ...]
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

    def agreement_range(self, alpha: float) -> AgreementRange:
        """The tests that agree most and least often with people, both at the level `alpha`."""
        groups = group_alike_tests(self.same_level, alpha)
        counts = [group.agreement.agree for group in groups]

        def agreeing(count: int) -> tuple[AlikeTests, ...]:
            return tuple(group for group in groups if group.agreement.agree == count)

        return AgreementRange(
            agreeing(max(counts)),
            agreeing(min(counts)) if min(counts) < max(counts) else (),
            max(group.agreement.wrong_direction for group in groups),
        )

    @property
    def stronger_test(self) -> StrongerTest | None:
        """The test at the first level that most clearly finds more differences than people."""
        family = [row for row in self.same_level if row.alpha == self.plan.alphas[0]]
        adjusted = adjust([row.mcnemar for row in family], "holm").tolist()
        stronger = [
            StrongerTest(row, p, len(family))
            for row, p in zip(family, adjusted, strict=True)
            if row.significant > row.human_significant and p <= NOTABLE
        ]
        return min(stronger, key=attrgetter("p_adjusted"), default=None)

    def _agreements(self, levels: Mapping[float, float]) -> tuple[Agreement, ...]:
        """Conclusions of all tests and of people, with a level of people for each test level."""
        tested: dict[tuple[str, str], dict[tuple[str, str], PairPValues]] = {}
        for pair in self.p_values:
            tested.setdefault((pair.metric, pair.test), {})[pair.a, pair.b] = pair
        concluded: dict[float, dict[tuple[str, str], int]] = {}
        for human in self.human_conclusions:
            concluded.setdefault(human.alpha, {})[human.a, human.b] = human.conclusion
        pairs = self.pairs
        for human_alpha in levels.values():
            concluded_pairs = concluded.get(human_alpha, {})
            checked(
                concluded_pairs.keys() >= {*pairs},
                f"human_conclusions at {human_alpha:g} lack pairs",
            )
        agreements = []
        for (metric, test), p_values in tested.items():
            checked(p_values.keys() >= {*pairs}, f"p_values by {metric} and {test} lack pairs")
            family = [p_values[pair] for pair in pairs]
            for alpha, human_alpha in levels.items():
                automatic = tuple(verdicts(family, self.plan.adjust, alpha))
                by_people = tuple(concluded[human_alpha][pair] for pair in pairs)
                conclusions = (alpha, human_alpha, automatic, by_people)
                agreements.append(Agreement.of(metric, test, *conclusions, self.plan.level))
        return tuple(agreements)


@warns
@accepts_executor
def accuracy(
    dataset: Dataset,
    answers: Answers,
    plan: AccuracyPlan | None = None,
    *,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
    progress: Progress | None = None,
) -> AccuracyResult:
    """Compare the conclusions of tests with those of people.

    1. For every pair of systems that both know, one-sided p-values in both directions by every
       metric and test, or two-sided ones; adjusted as the plan says, by default not.
    2. At each level, the test and people conclude one of three things of a pair.
    3. People's level is the test's own, and in the second table `human_alpha`.
    """
    plan = plan or AccuracyPlan()
    two_sided = plan.alternative == "two-sided"
    gold = Gold(answers, plan)
    ranked = gold.result(plan.human_alpha)
    judged = {score.system for score in gold.ranking(plan.human_alpha).scores}
    dataset = dataset.renamed(judged_names(dataset.names, judged))
    names = tuple(name for name in dataset.names if name in judged)
    if len(names) < 2:
        raise InputError(
            f"people judged {', '.join(sorted(judged))}, but the systems given are "
            f"{', '.join(dataset.names)}: only {len(names)} in common; use the names in the "
            "judgments, with NAME=FILE"
        )
    samples = [_of(names, sample) for sample in scopes(dataset)[0].samples]
    pairs = tuple(combinations(range(len(names)), 2))
    battery = Battery(samples, pairs, plan.trials, plan.seed)
    tests = battery.run(plan.tests, threads=threads, progress=progress)
    p_values = [
        PairPValues(
            key_of(sample.metric),
            test,
            names[a],
            names[b],
            float(p_values["better"][at]),
            float(p_values["worse"][at]),
            float(p_values["two-sided"][at]) if two_sided else None,
        )
        for s, sample in enumerate(samples)
        for test in plan.tests
        for p_values in [tests[test][s].p_values]
        for at, (a, b) in enumerate(pairs)
    ]
    concluded = [
        HumanConclusion(a, b, alpha, verdict)
        for alpha in dict.fromkeys([*plan.alphas, plan.human_alpha])
        for (a, b), verdict in gold.verdicts(names, alpha).items()
    ]
    return AccuracyResult(
        dataset.test_set,
        names,
        tuple(name for name in dataset.names if name not in judged),
        tuple(sorted(judged - set(names))),
        plan,
        dataset.signatures,
        tuple(concluded),
        tuple(p_values),
        (*dataset.remarks, *gold.answers.remarks, *ranked.remarks, *_too_few(plan, len(pairs))),
        ranked.steps,
        gold.answers.omissions,
    )


def _too_few(plan: AccuracyPlan, pairs: int) -> list[str]:
    """Remark on levels that too few trials cannot reach."""
    both_tails = plan.alternative == "two-sided"
    family = pairs if both_tails else 2 * pairs
    level = min(plan.alphas)
    if plan.adjust not in FAMILYWISE or not too_few_trials(
        family, plan.trials, level, both_tails=both_tails
    ):
        return []
    needed = trials_needed(family, level, both_tails=both_tails)
    return [
        f"{plan.adjust}: with {family:,} tests and {plan.trials:,} trials no pair can be "
        f"significant at {level:g}; use at least {needed:,} trials"
    ]


def _of(names: Sequence[str], sample: Sample) -> Sample:
    """The sample restricted to some systems."""
    places = [sample.names.index(name) for name in names]
    return Sample(sample.metric, tuple(names), tuple(sample.rows[place] for place in places))


def _differences(agreements: Sequence[Agreement], plan: AccuracyPlan) -> list[Difference]:
    metrics = list(dict.fromkeys(agreement.metric for agreement in agreements))
    tests = list(dict.fromkeys(agreement.test for agreement in agreements))
    differences = []
    for between, names, others in (("metrics", metrics, tests), ("tests", tests, metrics)):
        for by in others if len(names) > 1 else ():
            for alpha in plan.alphas:
                group = [
                    agreement
                    for agreement in agreements
                    if agreement.alpha == alpha
                    and by == (agreement.test if between == "metrics" else agreement.metric)
                ]
                outcomes = np.array([agreement.right for agreement in group])
                differences.append(
                    Difference(
                        between,
                        by,
                        alpha,
                        group[0].human_alpha,
                        chi_square(outcomes),
                        cochran(outcomes),
                        pairs_of_methods(names, outcomes),
                    )
                )
    return differences
