"""The result of `weigh.compare`: tested pairs, rankings, the gate, and evidence for a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from weigh.comparing.plan import Plan
from weigh.comparing.score_result import (
    IntervalMethod,
    MetricShown,
    SystemScore,
    check_scores,
)
from weigh.errors import did_you_mean
from weigh.metrics.registry import expansion_of
from weigh.result import Extent, Result, checked, sometimes, unsaved
from weigh.stats.equivalence import Verdict
from weigh.stats.power import TOO_FEW_DIFFER
from weigh.stats.procedures import ADJUSTMENTS, ALTERNATIVES, BLOCK_TESTS, CLOSED, RUNS_TEST
from weigh.wording import p_value

if TYPE_CHECKING:
    from weigh.comparing.outcomes import TestOutcome

_ADJUSTMENTS = (*ADJUSTMENTS, *BLOCK_TESTS, CLOSED)
BY_HALVING = "bounds from halving"
BY_RUNS = "bounds without one more failure"
WITHOUT_FAILURE = (BY_HALVING, BY_RUNS)
"""Starts of `margin_reason` for bounds that do not include one more total failure."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Histogram of the differences of one pair over the random trials of one test.

    Positive differences mean that a is better. Bin i extends from `start + i·width` to
    `start + (i + 1)·width`. The first and last bin also count the few trials beyond the ends. The
    actual difference may lie far outside.
    """

    metric: str
    test: str
    a: str
    b: str
    start: float
    width: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One pair by one metric over disjoint samples of the test set (Koehn 2004, figures 4, 7, 8).

    Of k samples, sample i consists of the segments i, i + k, i + 2k, … Positive `differences` mean
    that a is better. `intervals` are bootstrap intervals at the level of the report; a sample finds
    a winner if its interval excludes zero.
    """

    metric: str
    a: str
    b: str
    differences: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]

    @property
    def winners(self) -> list[str | None]:
        """The winner in each sample, or None."""
        return [self.a if low > 0 else self.b if high < 0 else None for low, high in self.intervals]


@dataclass(frozen=True, slots=True)
class Segments:
    """Single segments: texts, and scores by metric and system.

    `numbers` are positions in the test set, from 1. If there are too many segments, only those on
    which the systems differ most are kept. Without texts, `references` and `outputs` are empty.
    With several runs, texts are those of the first run, and scores are means over runs.
    """

    numbers: Sequence[int]
    scores: Mapping[str, Mapping[str, Sequence[float]]]
    references: Sequence[Sequence[str]] = ()
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sources: Sequence[str] | None = None
    ids: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Details that an HTML page shows beside the tests, for the whole test set.

    `histograms` show the trials of tests, and `sweeps` the results on samples of `sample_size`
    units. `segments` are the scores and texts of single segments. `lengths` are each system's
    output lengths relative to the references, in words or characters (`length_unit`); empty without
    texts.
    """

    histograms: tuple[Histogram, ...]
    sweeps: tuple[Sweep, ...]
    sample_size: int
    lengths: Mapping[str, float]
    length_unit: Literal["word", "character"]
    segments: Segments


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The result of one test of one pair of systems by one metric.

    `difference` is score_a − score_b, whatever the metric's direction. `count` is the number of
    trials at least as extreme as the difference. `exact` means that p was computed from all
    possible swaps. `p_value` is None if the scores do not show how much they vary. `contradicts`
    means that the test and the scores point in different directions, so neither system is called
    better.

    `detectable` is the true difference that this test set would detect with about 80% power; if it
    is unknown, `detectable_reason` says why. `identical` is the share of segments on which both
    systems have the same outputs, or the same scores. `wins`, `ties` and `losses` count segments
    from a's point of view, with runs averaged; they are None for means of slices, and if single
    segments have no score.

    `margin_interval` is oriented: positive means that a is better. `margin_upper_end` is the upper
    bound of the actual units alone, which makes a gate fail. `margin_reason` states the rule behind
    a verdict if it is not the usual one, or what an inconclusive verdict needs.
    """

    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    interval: tuple[float, float] | None
    level: float
    test: str
    alternative: str
    trials: int
    count: int
    p_value: float | None
    p_stderr: float
    p_adjusted: float | None
    adjust: str
    family_size: int
    significant: bool
    detectable: float | None
    seed: int
    identical: float | None = sometimes()
    slice: str | None = sometimes()
    margin: float | None = sometimes()
    margin_interval: tuple[float, float] | None = sometimes()
    margin_verdict: Literal["pass", "fail", "inconclusive"] | None = sometimes()
    margin_upper_end: float | None = sometimes()
    margin_reason: str | None = sometimes()
    equivalent: bool | None = None
    non_inferior: bool | None = None
    units_needed: int | None = sometimes()
    exact: bool = False
    detectable_reason: str | None = None
    contradicts: bool = sometimes(False)
    interval_contradicts: bool = sometimes(False)
    within_error: bool = sometimes(False)
    inconclusive: str | None = sometimes()
    wins: int | None = sometimes()
    ties: int | None = sometimes()
    losses: int | None = sometimes()

    def __repr__(self) -> str:
        where = "" if self.slice is None else f" in {self.slice!r}"
        ends = "" if self.interval is None else " [{:+.4g}, {:+.4g}]".format(*self.interval)
        return (
            f"<Comparison {self.a!r} and {self.b!r} by {self.metric!r}{where}: difference "
            f"{self.difference:+.6g}{ends}, {p_value(self.p_adjusted)} ({self.test}), "
            f"{'significant' if self.significant else 'no evidence of a difference'}>"
        )

    @property
    def decided(self) -> bool:
        """Whether one system wins: the test is significant, and the scores agree."""
        return self.significant and not self.contradicts

    def winner(self, *, higher_is_better: bool) -> str | None:
        """The winning system; None if the pair is undecided."""
        if not self.decided:
            return None
        return self.a if self.favours_a(higher_is_better=higher_is_better) else self.b

    def beats(self, *, higher_is_better: bool) -> tuple[str, str] | None:
        """The winner and the loser; None if the pair is undecided."""
        winner = self.winner(higher_is_better=higher_is_better)
        if winner is None:
            return None
        return (self.a, self.b) if winner == self.a else (self.b, self.a)

    @property
    def verdict(
        self,
    ) -> Literal["decided", "undecided", "contradictory", "inconclusive", "untested"]:
        """The conclusion of the test.

        A contradictory pair is significant, but its scores point the other way. An inconclusive
        pair has too few items for the test. An untested pair has no p-value.
        """
        if self.p_value is None:
            return "untested"
        if self.significant:
            return "contradictory" if self.contradicts else "decided"
        return "undecided" if self.inconclusive is None else "inconclusive"

    @property
    def margin_conclusion(self) -> Literal["equivalent", "not worse", "worse", "undecided"] | None:
        """The conclusion about the margin; None without one."""
        if self.margin is None:
            return None
        if self.equivalent:
            return "equivalent"
        if self.non_inferior:
            return "not worse"
        return "worse" if self.margin_verdict == "fail" else "undecided"

    @property
    def differs_too_rarely(self) -> bool:
        """Whether too few units differ for a detectable difference to be known."""
        return self.detectable_reason == TOO_FEW_DIFFER

    @property
    def excludes_zero(self) -> bool:
        """Whether the unadjusted test rejects at the level of the interval."""
        return self.p_value is not None and self.p_value <= 1 - self.level

    def favours_a(self, *, higher_is_better: bool) -> bool:
        """Whether a small p-value favours a: a scores better, or the test is one-sided for a."""
        if self.alternative == "two-sided":
            return (self.difference > 0) == higher_is_better
        return self.alternative == "better"


def label_disagreements(comparisons: Iterable[Comparison]) -> list[list[Comparison]]:
    """Groups of comparisons of one pair whose metrics use the same labels but disagree.

    `rypt` expands into such metrics. They disagree if one finds a system better, while another
    finds no difference or the opposite one.
    """
    groups: dict[tuple[str | None, ...], list[Comparison]] = {}
    for pair in comparisons:
        labels = expansion_of(pair.metric)
        if labels is not None:
            groups.setdefault((labels, pair.test, pair.slice, pair.a, pair.b), []).append(pair)
    return [
        group
        for group in groups.values()
        if len({(pair.decided, pair.decided and pair.difference > 0) for pair in group}) > 1
    ]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems in clusters, best first: each system beats all systems in later clusters.

    `ranks` are each system's range of ranks (`weigh.stats.ranking`). Unless `uncorrected`, all
    ranges hold simultaneously with the confidence of the tests.
    """

    metric: str
    test: str
    clusters: tuple[tuple[str, ...], ...]
    ranks: Mapping[str, tuple[int, int]]
    slice: str | None = sometimes()
    uncorrected: bool = sometimes(False)


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether systems may replace the baseline: the verdict, and a reason per system and metric."""

    verdict: Verdict
    reasons: tuple[str, ...]

    @property
    def decisive(self) -> tuple[str, ...]:
        """The reasons that led to the verdict, such as the failures of a gate that fails."""
        mark = f": {self.verdict} ("
        return tuple(text.replace(mark, " (") for text in self.reasons if mark in text)


@dataclass(frozen=True, slots=True)
class TestSignature:
    """All settings needed to repeat a test, in sacreBLEU's signature format."""

    __test__ = False  # not a test class, whatever its name suggests to pytest

    test: str
    signature: str


@dataclass(frozen=True, slots=True)
class CompareResult(Result):
    """Scores with intervals, tested pairs, rankings, and warnings.

    `unit` is the word for what was resampled (segment, item or document), and `units` their number.
    `runs` is the number of runs of each system. `extras` are system means of further numbers, such
    as cost. `sets` are the names of separate test sets: each is a slice, and the whole is their
    average. `methods` is a description of the methods for a paper. `details` are the evidence for
    an HTML page, if requested.
    """

    command: ClassVar[str] = "compare"

    test_set: Extent
    metrics: tuple[MetricShown, ...]
    plan: Plan
    unit: str
    units: int
    scores: tuple[SystemScore, ...]
    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    warnings: tuple[str, ...]
    runs: Mapping[str, int] = field(default_factory=dict)
    extras: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sets: tuple[str, ...] = ()
    intervals: IntervalMethod | None = sometimes()
    gate: Gate | None = sometimes()
    tests: tuple[TestSignature, ...] = ()
    methods: str = ""
    details: Evidence | None = sometimes()
    library: str | None = unsaved(None)

    def __post_init__(self) -> None:
        check_scores(self.scores, self.metrics)
        checked(bool(self.comparisons), "no comparisons")
        scored = {(score.metric, score.system) for score in self.scores}
        _check_pairs(self.comparisons, scored, self.plan)
        for ranking in self.rankings:
            _check_ranking(ranking, scored)
        systems = {system for _, system in scored}
        checked(
            not self.runs or (set(self.runs) == systems and min(self.runs.values()) >= 1),
            "the numbers of runs do not match the systems",
        )
        if self.details is not None:
            _check_details(self.details, scored, self.comparisons)

    def __getitem__(self, pair: tuple[str, str]) -> Comparison:
        """The comparison of two systems by the first metric and test, on all segments.

        If they were compared only in the other order, that comparison is returned.
        """
        systems = list(dict.fromkeys(score.system for score in self.scores))
        if not isinstance(pair, tuple) or len(pair) != 2:
            first, second, *_ = systems
            raise KeyError(f"{pair!r} is not a pair of systems; write [{first!r}, {second!r}]")
        for a, b in (pair, pair[::-1]):
            for comparison in self.comparisons:
                if (comparison.a, comparison.b, comparison.slice) == (a, b, None):
                    return comparison
        unknown = next((name for name in pair if name not in systems), None)
        if unknown is not None:
            raise KeyError(f"no system {unknown!r}; {did_you_mean(unknown, systems)}")
        raise KeyError(f"{pair[0]!r} and {pair[1]!r} were not compared")

    def outcomes(self) -> list[TestOutcome]:
        """The conclusions of each test by each metric: wins, and undecided pairs."""
        from weigh.comparing.outcomes import outcomes

        return outcomes(self)

    def within_page(self) -> CompareResult:
        """The result without segments, which an HTML page stores separately and compressed."""
        if self.details is None:
            return self
        return replace(self, details=replace(self.details, segments=Segments((), {})))


def _check_pairs(
    comparisons: Sequence[Comparison], scored: set[tuple[str, str]], plan: Plan
) -> None:
    """Reject comparisons that no plan could produce."""
    for what, values, allowed in (
        ("test", {pair.test for pair in comparisons}, plan.tests),
        ("alternative", {pair.alternative for pair in comparisons}, ALTERNATIVES),
        ("adjust", {pair.adjust for pair in comparisons}, _ADJUSTMENTS),
    ):
        for value in sorted(values - {*allowed}):
            checked(False, f"{what} {value!r} in a comparison; {did_you_mean(value, allowed)}")
    compared = {(pair.metric, system) for pair in comparisons for system in (pair.a, pair.b)}
    for metric, system in sorted(compared - scored):
        checked(False, f"a comparison with {system!r} by {metric!r}, which has no score")
    for pair in comparisons:
        if pair.p_value is pair.p_adjusted is None and pair.test == RUNS_TEST:
            continue  # the scores show no variance
        for what, p in (("p_value", pair.p_value), ("p_adjusted", pair.p_adjusted)):
            if p is None or not 0 <= p <= 1:
                names = f"{pair.a!r} and {pair.b!r} by {pair.metric!r}"
                checked(False, f"{what} {p} of {names} is not from 0 to 1")


def _check_ranking(ranking: Ranking, scored: set[tuple[str, str]]) -> None:
    ranked = [system for cluster in ranking.clusters for system in cluster]
    for system in ranked:
        checked(
            (ranking.metric, system) in scored,
            f"a ranking with {system!r} by {ranking.metric!r}, which has no score",
        )
    checked(
        sorted(ranked) == sorted(ranking.ranks)
        and all(1 <= low <= high <= len(ranked) for low, high in ranking.ranks.values()),
        f"the ranks by {ranking.metric!r} do not match the clusters",
    )


def _check_details(
    details: Evidence, scored: set[tuple[str, str]], comparisons: Sequence[Comparison]
) -> None:
    """Reject evidence that does not belong to the comparisons, or has unequal lengths."""
    tested = {
        (comparison.metric, comparison.test, comparison.a, comparison.b)
        for comparison in comparisons
        if comparison.slice is None
    }
    pairs = {(metric, a, b) for metric, _, a, b in tested}
    segments = details.segments
    columns: list[Sequence[object]] = [*segments.references, *segments.outputs.values()]
    columns += [by_run for scores in segments.scores.values() for by_run in scores.values()]
    columns += [column for column in (segments.sources, segments.ids) if column is not None]
    systems = {system for _, system in scored}
    numbers = [
        *details.lengths.values(),
        *(
            value
            for histogram in details.histograms
            for value in (histogram.start, histogram.width)
        ),
        *(value for sweep in details.sweeps for value in sweep.differences),
        *(end for sweep in details.sweeps for interval in sweep.intervals for end in interval),
    ]
    checked(
        all(
            (histogram.metric, histogram.test, histogram.a, histogram.b) in tested
            for histogram in details.histograms
        )
        and all((sweep.metric, sweep.a, sweep.b) in pairs for sweep in details.sweeps)
        and all(len(sweep.differences) == len(sweep.intervals) for sweep in details.sweeps)
        and all(
            (m, system) in scored
            for m, by_system in segments.scores.items()
            for system in by_system
        )
        and {*segments.outputs, *details.lengths} <= systems
        and all(len(column) == len(segments.numbers) for column in columns)
        and all(map(math.isfinite, numbers)),
        "the details do not match the comparisons",
    )
