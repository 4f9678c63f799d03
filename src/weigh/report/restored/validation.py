"""Studies of tests from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from weigh.errors import InputError
from weigh.human.judgments import Step
from weigh.read.answers import Omission
from weigh.report import (
    validation_accuracy,
    validation_power,
    validation_samples,
)
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.page import accuracy_page, power_page, samples_page
from weigh.report.pictures import (
    accuracy_pictures,
    power_pictures,
    samples_pictures,
)
from weigh.report.restored.saved import Saved, presented
from weigh.report.validation_accuracy import AccuracyReport
from weigh.report.validation_power import PowerReport
from weigh.report.validation_samples import SamplesReport
from weigh.stats.proportion import Proportion
from weigh.validate.accuracy import AccuracyPlan, AccuracyResult, OneSided, tables
from weigh.validate.power import Need, Power, PowerPlan, PowerResult
from weigh.validate.samples import (
    Bracket,
    Draw,
    PairAtSize,
    SamplesPlan,
    SamplesResult,
    Shown,
    Spread,
    Truth,
)


def _proportion(count: int, total: int) -> Proportion:
    if not 0 <= count <= total:
        raise InputError(f"{count:,} of {total:,} in a result; give a file that weigh has written")
    return Proportion(count, total)


@dataclass(frozen=True, slots=True)
class _Verdict:
    a: str
    b: str
    alpha: float
    conclusion: Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class _PValue:
    metric: str
    test: str
    a: str
    b: str
    better: float
    worse: float


@dataclass(frozen=True, slots=True)
class _Accuracy:
    """A document of `weigh validate accuracy`."""

    test_set: Extent
    systems: tuple[str, ...]
    not_judged: tuple[str, ...]
    not_given: tuple[str, ...]
    plan: AccuracyPlan
    signatures: Mapping[str, str]
    human_conclusions: tuple[_Verdict, ...]
    p_values: tuple[_PValue, ...]
    steps: tuple[Step, ...]
    omissions: tuple[Omission, ...]
    remarks: tuple[str, ...]


def restore_accuracy(document: Mapping[str, Any], name: str) -> Saved[AccuracyReport]:
    """Return what `weigh validate accuracy` has written; what follows from it is found again."""
    given = decode(_Accuracy, document, name)
    pairs = tuple(combinations(range(len(given.systems)), 2))
    named = [(given.systems[a], given.systems[b]) for a, b in pairs]
    verdicts = {(one.a, one.b, one.alpha): one.conclusion for one in given.human_conclusions}
    human = {
        alpha: np.array([verdicts[a, b, alpha] for a, b in named], dtype=np.int8)
        for alpha in {*given.plan.alphas, given.plan.human_alpha}
    }
    found = {(one.metric, one.test, one.a, one.b): one for one in given.p_values}
    p_values = tuple(
        OneSided(
            metric,
            test,
            np.array([found[metric, test, a, b].better for a, b in named]),
            np.array([found[metric, test, a, b].worse for a, b in named]),
        )
        for metric, test in dict.fromkeys((one.metric, one.test) for one in given.p_values)
    )
    same_level, fixed_level = tables(p_values, human, given.plan)
    result = AccuracyResult(
        given.plan,
        given.systems,
        pairs,
        p_values,
        same_level,
        fixed_level,
        tuple(given.signatures.items()),
        given.not_judged,
        given.not_given,
    )
    report = AccuracyReport(
        result,
        given.steps,
        given.omissions,
        given.remarks,
        given.test_set,
    )
    return presented(report, validation_accuracy.SHOWN, accuracy_page, accuracy_pictures)


@dataclass(frozen=True, slots=True)
class _Metric:
    metric: str
    decimals: int
    lower_is_better: bool = False
    observed: float = float("nan")


@dataclass(frozen=True, slots=True)
class _Score:
    metric: str
    system: str
    score: float


@dataclass(frozen=True, slots=True)
class _Pair:
    metric: str
    a: str
    b: str
    advantage: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class _Spread:
    metric: str
    design: str
    size: int
    samples: int
    sd_score: float
    sd_difference: float
    intervals: int
    covering: int


@dataclass(frozen=True, slots=True)
class _Concluded:
    metric: str
    a: str
    b: str
    size: int
    samples: int
    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class _Bracket:
    metric: str
    size: int
    low: float
    high: float
    conclusions: int
    right: int
    clear_conclusions: int
    clear_right: int


@dataclass(frozen=True, slots=True)
class _Sample:
    metric: str
    design: str
    size: int
    sample: int
    scores: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    better: float
    worse: float


@dataclass(frozen=True, slots=True)
class _Sampled:
    """A document of `weigh validate samples`."""

    test_set: Extent
    systems: tuple[str, ...]
    unit: str
    units: int
    plan: SamplesPlan
    metrics: tuple[_Metric, ...]
    signatures: Mapping[str, str]
    scores: tuple[_Score, ...]
    pairs: tuple[_Pair, ...]
    spread: tuple[_Spread, ...]
    conclusions: tuple[_Concluded, ...]
    brackets: tuple[_Bracket, ...]
    shown: tuple[str, str]
    series: tuple[_Sample, ...]
    remarks: tuple[str, ...]


def restore_samples(document: Mapping[str, Any], name: str) -> Saved[SamplesReport]:
    """Return what `weigh validate samples` has written."""
    given = decode(_Sampled, document, name)
    pairs = tuple(combinations(range(len(given.systems)), 2))
    named = [(given.systems[a], given.systems[b]) for a, b in pairs]
    result = SamplesResult(
        given.plan,
        given.systems,
        pairs,
        given.unit,
        given.units,
        given.shown,
        tuple(_truth(one, given, named) for one in given.metrics),
        tuple(
            Spread(
                one.metric,
                one.design,
                one.size,
                one.samples,
                one.sd_score,
                one.sd_difference,
                _proportion(one.covering, one.intervals),
            )
            for one in given.spread
        ),
        tuple(
            PairAtSize(
                one.metric, named.index((one.a, one.b)), one.size, one.right, one.wrong, one.samples
            )
            for one in given.conclusions
        ),
        tuple(
            Bracket(
                one.metric,
                one.size,
                one.low,
                one.high,
                _proportion(one.right, one.conclusions),
                _proportion(one.clear_right, one.clear_conclusions),
            )
            for one in given.brackets
        ),
        tuple(
            Shown(
                one.metric,
                Draw(one.design, one.size, one.sample - 1),
                one.scores,
                one.intervals,
                one.better,
                one.worse,
            )
            for one in given.series
        ),
        tuple(given.signatures.items()),
    )
    report = SamplesReport(result, _decimals(given.metrics), given.remarks, given.test_set)
    return presented(report, validation_samples.SHOWN, samples_page, samples_pictures)


def _truth(metric: _Metric, given: _Sampled, named: list[tuple[str, str]]) -> Truth:
    scores = {one.system: one.score for one in given.scores if one.metric == metric.metric}
    pairs = {(one.a, one.b): one for one in given.pairs if one.metric == metric.metric}
    return Truth(
        metric.metric,
        not metric.lower_is_better,
        np.array([scores[system] for system in given.systems]),
        np.array([pairs[pair].advantage for pair in named]),
        np.array([pairs[pair].standard_error for pair in named]),
    )


def _decimals(metrics: tuple[_Metric, ...]) -> dict[str, int]:
    return {one.metric: min(max(one.decimals, 0), 12) for one in metrics}


@dataclass(frozen=True, slots=True)
class _Found:
    metric: str
    test: str
    difference: float
    size: int
    found: int
    simulations: int

    @property
    def read(self) -> Power:
        found = _proportion(self.found, self.simulations)
        return Power(self.metric, self.test, self.difference, self.size, found)


@dataclass(frozen=True, slots=True)
class _Need:
    metric: str
    difference: float
    stated: bool
    size: int
    checks: tuple[_Found, ...]


@dataclass(frozen=True, slots=True)
class _Powerful:
    """A document of `weigh validate power`."""

    test_set: Extent
    systems: tuple[str, str]
    unit: str
    pilot: int
    metrics: tuple[_Metric, ...]
    plan: PowerPlan
    signatures: Mapping[str, str]
    powers: tuple[_Found, ...]
    needs: tuple[_Need, ...]
    remarks: tuple[str, ...]


def restore_power(document: Mapping[str, Any], name: str) -> Saved[PowerReport]:
    """Return what `weigh validate power` has written."""
    given = decode(_Powerful, document, name)
    needs = [
        Need(
            one.metric,
            one.difference,
            one.size,
            one.stated,
            tuple(each.read for each in one.checks),
        )
        for one in given.needs
    ]
    result = PowerResult(
        given.plan,
        given.systems,
        given.unit,
        given.pilot,
        {one.metric: one.observed for one in given.metrics},
        tuple(one.read for one in given.powers),
        tuple(needs),
        tuple(given.signatures.items()),
    )
    return presented(
        PowerReport(result, _decimals(given.metrics), given.remarks, given.test_set),
        validation_power.SHOWN,
        power_page,
        power_pictures,
    )


RESTORERS = {
    "validate accuracy": restore_accuracy,
    "validate samples": restore_samples,
    "validate power": restore_power,
}
