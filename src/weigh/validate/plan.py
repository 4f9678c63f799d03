"""Options of the studies of significance tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import UsageError
from weigh.human.plan import QUALITIES
from weigh.options import check_plan_options, count, flag_of, option, options_of, share
from weigh.stats.procedures import ADJUSTMENTS, FLAWED_TESTS, PROCEDURES, TESTS
from weigh.types import grouped
from weigh.wording import listed

SIDES = ("two-sided", "doubled", "better", "worse")

_TESTS = f"{listed(TESTS, 'or')}; separate several with commas or repeat it"
_LEVELS = "significance level; separate several with commas or repeat it"
_TRIALS = "number of random trials per test"
_SHARES = "confidence level of the reported rates"
_QUALITY = "first drop the judges that fail this quality control: crowd-alone, appraise or none"


@dataclass(frozen=True, slots=True)
class Type1Plan:
    """Options of the study of equal systems; `size` is the number of units drawn, or None."""

    tests: tuple[str, ...] = option(TESTS, _TESTS, flag="test", choices=TESTS)
    compat: tuple[str, ...] = option(
        FLAWED_TESTS,
        "other tools' tests to include, which reject too often; or none",
        metavar="TEST",
        choices=(*FLAWED_TESTS, "none"),
    )
    alphas: tuple[float, ...] = share((0.1, 0.05, 0.01), _LEVELS, flag="alpha")
    nulls: int = count(
        2000,
        "number of pairs of equal systems; a pair gets two of the given outputs for every segment, "
        "in random order",
    )
    size: int | None = count(
        None,
        "number of segments (or documents) of each pair, drawn without replacement",
        shown="all",
    )
    trials: int = count(1000, _TRIALS)
    level: float = share(0.95, _SHARES, advanced=True)
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.compat == ("none",):
            object.__setattr__(self, "compat", ())
        _check(self, may_be_empty=["compat"])
        if "none" in self.compat:
            raise UsageError("compat: 'none' beside other tests; give it alone, or leave it out")
        _check_trials(self.trials, self.alphas, both_tails=True)

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """Every test with each of its alternatives, and the flawed formulas."""
        sound = [(test, side) for test in self.tests for side in SIDES]
        return (*sound, *((test, "two-sided") for test in self.compat))

    @property
    def flaws(self) -> dict[str, list[str]]:
        """The flaw of each kind of unsound formula, with the tests that have it."""
        return grouped(self.compat, lambda test: PROCEDURES[test].flaw)


@dataclass(frozen=True, slots=True)
class AccuracyPlan:
    """Options of comparing tests with people.

    `unit` is what the rank-sum test of their judgments compares; `quality` names the control that
    their judges go through. The `alternative`, and how p-values of all pairs are adjusted, are
    those of the tests and of people alike.
    """

    tests: tuple[str, ...] = option(TESTS, _TESTS, flag="test", choices=TESTS)
    alphas: tuple[float, ...] = share((0.05, 0.01, 0.001), _LEVELS, flag="alpha")
    human_alpha: float = share(
        0.05, "level of human judgments in the second table; the first table uses each test's level"
    )
    alternative: str = option(
        "better",
        "alternative for tests and people alike: better (one-sided in both directions, as in the "
        "paper) or two-sided",
        choices=("better", "two-sided"),
        metavar="WHICH",
    )
    adjust: str = option(
        "none",
        "adjustment for multiple comparisons, for tests and people alike: none (as in the paper), "
        "holm, bonferroni, sidak or bh",
        choices=ADJUSTMENTS,
        metavar="METHOD",
    )
    trials: int = count(10_000, _TRIALS)
    level: float = share(0.95, "confidence level of the intervals of accuracy", advanced=True)
    quality: str = option("none", _QUALITY, metavar="NAME", choices=QUALITIES)
    unit: str = option(
        "judgment",
        "unit of the rank-sum test of judgments: judgment or segment (mean of its judgments)",
        choices=("judgment", "segment"),
        advanced=True,
    )
    seed: int = 12345

    def __post_init__(self) -> None:
        _check(self)
        _check_trials(self.trials, self.alphas, both_tails=self.alternative == "two-sided")


@dataclass(frozen=True, slots=True)
class SamplesPlan:
    """Sizes of samples, how many are drawn of each, and the bootstrap within each."""

    sizes: tuple[int, ...] = count(
        (100, 300, 600),
        "sample sizes, in segments or documents; separate several with commas",
        least=2,
    )
    samples: int = count(300, "number of samples of each size, drawn with replacement")
    trials: int = count(1000, "number of bootstrap trials within each sample")
    level: float = share(0.95, "confidence level of intervals and conclusions")
    seed: int = 12345

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Sizes of simulated data sets and true differences, as shares of the pilot's.

    `power` is the chance of a find that is wanted; `detect` names a difference for a metric.
    `quality` is for pilots that are judgments.
    """

    tests: tuple[str, ...] = option(("randomization",), _TESTS, flag="test", choices=TESTS)
    alpha: float = share(0.05, "significance level")
    sizes: tuple[int, ...] = count(
        (100, 300, 1000, 3000),
        "sizes of simulated data sets, in segments, documents, or judgments per system; separate "
        "several with commas",
        least=2,
    )
    strengths: tuple[float, ...] = option(
        (0.0, 0.25, 0.5, 0.75, 1.0),
        "true differences, as shares of the difference in the given data",
        metavar="SHARE",
        least=0,
        most=1,
    )
    simulations: int = count(400, "number of simulated data sets per size and difference")
    trials: int = count(1000, _TRIALS)
    power: float = share(0.8, "desired probability of detecting a difference")
    detect: Mapping[str, float] = option(
        {},
        "report how many segments are needed to detect a true difference of D; repeatable",
        metavar="METRIC=D",
    )
    level: float = share(0.95, _SHARES, advanced=True)
    quality: str = option("none", _QUALITY, metavar="NAME", choices=QUALITIES)
    seed: int = 12345

    def __post_init__(self) -> None:
        _check(self)
        _check_trials(self.trials, [self.alpha], both_tails=True)
        for metric, value in self.detect.items():
            if not 0 < value < float("inf"):
                raise UsageError(f"detect {metric}={value:g}; give a positive number")


@dataclass(frozen=True, slots=True)
class PreferencePlan:
    """Options of comparing the choices of two metrics."""

    judges: int = count(3, "judges per pair")
    show_reference: bool = option(False, "also show the first reference to the judges")
    seed: int = 12345

    def __post_init__(self) -> None:
        _check(self)


def _check(plan: Any, *, may_be_empty: Collection[str] = ()) -> None:
    """Raise UsageError if a choice is impossible, or if of several one is missing or repeated."""
    check_plan_options(plan)
    for chosen in options_of(plan):
        values = getattr(plan, chosen.name)
        if not isinstance(values, tuple):
            continue
        if not values and chosen.name not in may_be_empty:
            raise UsageError(f"{flag_of(chosen)}: no value; give at least one")
        for value in values:
            if values.count(value) > 1:
                raise UsageError(f"{flag_of(chosen)} {value} is given twice; give it once")


def _check_trials(trials: int, alphas: Sequence[float], *, both_tails: bool) -> None:
    """Raise UsageError if no p-value can be as small as the smallest level."""
    from weigh.stats.multiplicity import trials_needed

    least = trials_needed(1, min(alphas), both_tails=both_tails)
    if trials < least:
        raise UsageError(
            f"{trials:,} trials: no p-value can be {min(alphas):g} or less; "
            f"use at least {least:,} trials"
        )
