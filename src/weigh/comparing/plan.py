"""The choices of a comparison or a scoring run, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real

from weigh.errors import UsageError, did_you_mean
from weigh.options import LEAST_SHARE, check_plan_options, count, option, share
from weigh.stats.procedures import (
    ADJUSTMENTS,
    ALTERNATIVES,
    ANYTIME,
    BLOCK_TESTS,
    INTERVALS,
    RUNS_TEST,
    TESTS,
)
from weigh.wording import listed

# Compared by identity, to distinguish the default from the same test requested by name:
# --runs-as-sample replaces the default by `runs-t`, but rejects a requested test.
DEFAULT_TESTS: tuple[str, ...] = ("randomization",)
# Default number of bootstrap trials.
BOOTSTRAP_TRIALS = 10_000
_MOST_TRIALS = 1_000_000_000
# Margins and differences must lie between this number and its inverse, to keep numbers in range.
_LEAST_DIFFERENCE = 1e-12


@dataclass(frozen=True, slots=True)
class Plan:
    """All options of a comparison, named as on the command line.

    `margin` and `detect` map metrics to differences: the largest difference that does not matter,
    and one that should be detected. With `runs_as_sample` the only test is `runs-t`, and with
    `anytime` it is `anytime`.
    """

    tests: tuple[str, ...] = option(
        DEFAULT_TESTS,
        f"{listed(TESTS, 'or')}; for metrics that average item scores also "
        f"{listed(BLOCK_TESTS, 'or')}; separate several with commas or repeat it",
        flag="test",
        choices=(*TESTS, *BLOCK_TESTS),
    )
    alternative: str = option(
        "two-sided",
        "two-sided, better or worse: whether A differs from B, is better, or is worse",
        metavar="WHICH",
        advanced=True,
        choices=ALTERNATIVES,
    )
    trials: int | None = count(
        None,
        "number of random trials",
        shown="exact if possible, else as many as the conclusions need; 10,000 for bootstraps",
    )
    alpha: float = share(0.05, "significance level")
    adjust: str = option(
        "holm",
        "adjustment for multiple comparisons: holm, bonferroni, sidak, bh or none",
        metavar="METHOD",
        choices=ADJUSTMENTS,
    )
    baseline: str | None = option(
        None,
        "compare every system with this one (default: compare all pairs)",
        metavar="NAME",
    )
    interval: str = option(
        "halving",
        "halving (agrees with the randomization test), percentile or bca (bootstrap), or t (means)",
        metavar="KIND",
        advanced=True,
        choices=INTERVALS,
    )
    level: float = share(0.95, "confidence level of intervals", advanced=True)
    margin: Mapping[str, float] = option(
        {},
        "test equivalence and non-inferiority: D is the largest difference that does not matter "
        "to you; repeat for more metrics",
        metavar="METRIC=D",
    )
    detect: Mapping[str, float] = option(
        {},
        "report how many items are needed to detect a true difference of D with about 80%% power",
        metavar="METRIC=D",
        advanced=True,
    )
    gate: bool = option(
        False,
        "exit with 3 if a system is significantly worse than the baseline (with --margin: by more "
        "than the margin), and with 4 if the data cannot decide",
    )
    strict: bool = option(
        False,
        "test margins by a method that is valid for any number of items; needs scores with known "
        "bounds, and more items than the default method",
        advanced=True,
    )
    anytime: bool = option(
        False,
        "test by betting: results stay valid however often you look while items come in; needs "
        "scores with known bounds, and more items than a fixed-size test",
    )
    runs_as_sample: bool = option(
        False,
        "treat runs as a random sample: would the result hold for new training runs? Needs two or "
        "more runs of each system, preferably three",
    )
    seed: int = 12345

    def __post_init__(self) -> None:
        if not isinstance(self.tests, tuple | list) or not all(
            isinstance(test, str) for test in self.tests
        ):
            raise UsageError(f"tests {self.tests!r}; give a tuple of names")
        if not isinstance(self.baseline, str | None):
            raise UsageError(f"baseline {self.baseline!r}; give the name of a system")
        if not self.tests:
            raise UsageError(f"no test; {did_you_mean('', TESTS)}")
        if self.runs_as_sample:
            self._take_only(RUNS_TEST, "--runs-as-sample")
            object.__setattr__(self, "interval", RUNS_TEST)
        elif self.anytime:
            self._take_only(ANYTIME, "--anytime")
        else:
            for test, flag in ((RUNS_TEST, "--runs-as-sample"), (ANYTIME, "--anytime")):
                if test in self.tests:
                    raise UsageError(f"the test {test} is selected by {flag}; leave out --test")
            for test in self.tests:
                _check("test", test, (*TESTS, *BLOCK_TESTS))
        _check("alternative", self.alternative, ALTERNATIVES)
        _check("adjustment", self.adjust, ADJUSTMENTS)
        if self.anytime and self.adjust != "holm":
            raise UsageError(f"--anytime uses its own adjustment; leave out --adjust {self.adjust}")
        if self.anytime and self.detect:
            raise UsageError(
                "--detect is for tests of a fixed size; leave out --detect or --anytime"
            )
        _check("interval", self.interval, (RUNS_TEST,) if self.runs_as_sample else INTERVALS)
        if len(set(self.tests)) < len(self.tests):
            raise UsageError("a test is given twice; give it once")
        if self.trials is not None:
            _take_whole_numbers(self, "trials")
        _take_whole_numbers(self, "seed")
        _check_draws(self)
        for name, level in (("alpha", self.alpha), ("level", self.level)):
            if not isinstance(level, Real) or not LEAST_SHARE <= level < 1:
                raise UsageError(
                    f"{name} {level!r}; give a number between 0 and 1, at least {LEAST_SHARE}"
                )
        per_metric = {"margin": self.margin, "detect": self.detect}
        for name, size in per_metric.items():
            if not isinstance(size, Mapping) or not all(
                isinstance(value, Real) for value in size.values()
            ):
                raise UsageError(f'{name} {size!r}; give numbers by metric, such as {{"bleu": 1}}')
            for metric, value in size.items():
                if not _LEAST_DIFFERENCE <= value <= 1 / _LEAST_DIFFERENCE:
                    raise UsageError(
                        f"{name} {metric}={value:g}: give a positive number, from "
                        f"{_LEAST_DIFFERENCE:g} to {1 / _LEAST_DIFFERENCE:g}"
                    )
        if self.margin and self.alpha >= 0.5:
            raise UsageError(
                f"alpha {self.alpha} is too large for a margin; give a number below .5"
            )
        if self.gate and self.baseline is None:
            raise UsageError("--gate needs a baseline; name it with --baseline")
        if self.strict and not self.margin:
            raise UsageError("--strict needs a margin; add --margin METRIC=D")
        if self.strict and self.runs_as_sample:
            raise UsageError(
                "--strict treats runs as fixed; leave out --strict or --runs-as-sample"
            )
        if self.gate and not set(self.tests) & {*TESTS, RUNS_TEST, ANYTIME}:
            raise UsageError(f"a gate needs one of these tests: {', '.join(TESTS)}; add --test")
        if self.alternative != "two-sided":
            for test in self.tests:
                if test not in (*TESTS, RUNS_TEST):
                    raise UsageError(f"{test} is two-sided; leave out --alternative, or {test}")

    def _take_only(self, test: str, flag: str) -> None:
        """Use only this test; raise UsageError if another test or interval was requested."""
        others = [name for name in self.tests if name != test and self.tests is not DEFAULT_TESTS]
        if others:
            raise UsageError(f"{flag} uses its own test; leave out --test {', '.join(others)}")
        if self.interval not in ("halving", test):
            raise UsageError(f"{flag} uses its own intervals; leave out --interval {self.interval}")
        if self.runs_as_sample and self.anytime:
            raise UsageError("--runs-as-sample and --anytime cannot be combined; leave out one")
        object.__setattr__(self, "tests", (test,))


def _check(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{what} {value!r} is unknown; {did_you_mean(str(value), choices)}")


def _take_whole_numbers(plan: Plan | ScorePlan, *names: str) -> None:
    """Convert whole numbers of any type, such as NumPy's, to int; reject other values."""
    for name in names:
        number = getattr(plan, name)
        if not isinstance(number, Integral):
            raise UsageError(f"{name} {number!r}; give a whole number")
        object.__setattr__(plan, name, int(number))


def _check_draws(plan: Plan | ScorePlan) -> None:
    """Reject numbers of trials and seeds that random draws cannot use."""
    if plan.trials is not None and not 1 <= plan.trials <= _MOST_TRIALS:
        raise UsageError(f"trials {plan.trials}; give at least 1 and at most {_MOST_TRIALS:,}")
    if not 0 <= plan.seed < 2**64:
        raise UsageError(f"seed {plan.seed}; give a whole number from 0 to 2^64 - 1")


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """All options of scoring, named as on the command line."""

    interval: str | None = option(
        None,
        "halving (agrees with compare's randomization test), percentile or bca (bootstrap), or t "
        "(means)",
        metavar="KIND",
        choices=INTERVALS,
        shown="Wilson for pass/fail scores, none for others",
    )
    level: float = share(0.95, "confidence level of intervals")
    trials: int = count(BOOTSTRAP_TRIALS, "number of bootstrap samples", advanced=True)
    segments: bool = option(False, "show the score of every segment as well")
    details: bool = option(False, "show the parts of each score: precisions, lengths, edits")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
        if self.interval is not None:
            _take_whole_numbers(self, "trials", "seed")
            _check_draws(self)
