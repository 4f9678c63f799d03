"""Registry of tests: their functions, and their descriptions in plans, methods and citations.

A test consists of a function and an entry here; no other place lists it. Functions are imported
only when they are needed, so that parsing a command line does not import NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Procedure:
    """A test and its descriptions.

    Its kind is `pairs` (tests each pair), `blocks` (all systems, with segments as blocks), `runs`
    (runs as a sample), `bets` (anytime-valid) or `flawed` (another tool's test).

    `phrase` and `source` describe the test in a paper. `question` and `answer` explain in plain
    words what it asks and what p is. They may use {unit}, {draws} (the number of draws), {swaps},
    {wide} (the differences that count), {loser} and {both}. `flaw` is the defect of another tool's
    test.

    `function` computes the test. Its parameters depend on the kind, and on whether its `trials`
    draw units (`bootstrap`) or swap the outputs of two systems (`swaps`):

        pairs by bootstrap: sample, pairs, bootstrap scores; observed
        pairs by swaps:     see `weigh.stats.randomization:randomization`
        blocks:             scores of segments × systems; returns a p-value for every pair
        flawed:             the observed difference, and those of trials; returns a p-value

    If `around_zero`, trials simulate the null hypothesis and p counts those that reach the observed
    difference. Otherwise they vary around the observed difference and p counts those that reach
    zero. A test is `doubled` if its two-sided p is twice the smaller tail.
    """

    name: str
    kind: Literal["pairs", "blocks", "runs", "bets", "flawed"]
    title: str
    phrase: str = ""
    source: str = ""
    question: str = ""
    answer: str = ""
    citations: tuple[str, ...] = ()
    function: str = ""
    trials: Literal["bootstrap", "swaps"] = "bootstrap"
    around_zero: bool = True
    doubled: bool = False
    flaw: str = ""


_CENTRES_SIZES = (
    "the mean is subtracted from |d*|, which cuts off one tail (Graham et al. 2014, §2)"
)
_ALL = (
    Procedure(
        "randomization",
        "pairs",
        "Randomization test",
        "approximate randomization",
        "Riezler & Maxwell 2005",
        "does it matter which of the two systems an output comes from?",
        "the share of {swaps} that give a difference {wide}.",
        ("noreen-1989-computer", "riezler-maxwell-2005-pitfalls"),
        "weigh.stats.randomization:randomization",
        trials="swaps",
    ),
    Procedure(
        "bootstrap",
        "pairs",
        "Bootstrap test",
        "the bootstrap shifted to the null hypothesis",
        "Graham et al. 2014",
        "is the difference larger than the choice of {unit}s can explain?",
        "the probability of a difference {wide} if the systems were equal on average, from "
        "{draws} of as many {unit}s.",
        ("graham-etal-2014-randomized",),
        "weigh.stats.significance:bootstrap",
    ),
    Procedure(
        "paired-bootstrap",
        "pairs",
        "Paired bootstrap test",
        "the paired bootstrap",
        "Koehn 2004",
        "would other {unit}s reverse the result?",
        "the share of {draws} of as many {unit}s in which {loser} is not ahead{both}.",
        ("koehn-2004-statistical",),
        "weigh.stats.significance:paired_bootstrap",
        around_zero=False,
        doubled=True,
    ),
    Procedure(
        "tukey",
        "blocks",
        "Tukey's test",
        "Tukey's test",
        "segments as blocks",
        "is the difference in means larger than chance can explain among this many equal systems?",
        "the probability of such a difference, for all pairs together.",
        ("tukey-1953-problem",),
        "weigh.stats.significance:tukey",
    ),
    Procedure(
        "scheffe",
        "blocks",
        "Scheffé's test",
        "Scheffé's test",
        "segments as blocks",
        "is the difference in means larger than chance can explain among groups of equal systems?",
        "the probability of such a difference, for all pairs together.",
        ("scheffe-1953-method",),
        "weigh.stats.significance:scheffe",
    ),
    Procedure(
        "runs-t",
        "runs",
        "Student's t test (runs as a random sample)",
        "a t test with the variances over runs and over test units",
        "degrees of freedom of Satterthwaite 1946",
        "would the difference hold for new training runs and other {unit}s?",
        "the probability of a difference {wide} if the systems were equal on average, from a t "
        "test with the variance of scores over runs and over {unit}s.",
        ("satterthwaite-1946-approximate",),
    ),
    Procedure(
        "anytime",
        "bets",
        "Anytime-valid test",
        "an anytime-valid betting test",
        "Waudby-Smith & Ramdas 2024",
        "would bets on one system, {unit} by {unit}, win more than chance can explain?",
        "1 divided by what a stake of 1 has grown to; if the systems are equal, it rarely grows.",
        ("waudby-smith-ramdas-2024-estimating", "vovk-wang-2021-evalues"),
    ),
    Procedure(
        "sacrebleu-bs",
        "flawed",
        "sacreBLEU's paired bootstrap",
        citations=("koehn-2004-statistical", "post-2018-call"),
        function="weigh.stats.significance:sacrebleu_bootstrap_p",
        flaw=_CENTRES_SIZES,
    ),
    Procedure(
        "moses-bs",
        "flawed",
        "Moses' bootstrap",
        citations=("koehn-2004-statistical", "koehn-etal-2007-moses"),
        function="weigh.stats.significance:moses_bootstrap_p",
        flaw=_CENTRES_SIZES,
    ),
    Procedure(
        "multeval",
        "flawed",
        "MultEval's randomization",
        citations=("clark-etal-2011-better",),
        function="weigh.stats.significance:multeval_p",
        trials="swaps",
        flaw="a coin is tossed for every run, here three identical ones",
    ),
)
PROCEDURES = {procedure.name: procedure for procedure in _ALL}


def _names_of_kind(kind: str) -> tuple[str, ...]:
    return tuple(procedure.name for procedure in _ALL if procedure.kind == kind)


TESTS = _names_of_kind("pairs")
BLOCK_TESTS = _names_of_kind("blocks")
"""Tests of all systems together, for means of segment scores."""
FLAWED_TESTS = _names_of_kind("flawed")
"""Other tools' tests, which all reject true null hypotheses too often."""
[RUNS_TEST] = _names_of_kind("runs")
"""Student's t test with runs as a random sample."""
[ANYTIME] = _names_of_kind("bets")
"""The test for results that are inspected while items come in."""
ALTERNATIVES = ("two-sided", "better", "worse")
ADJUSTMENTS = ("holm", "bonferroni", "sidak", "bh", "none")
CLOSED = "closed"
"""The adjustment of anytime-valid tests."""
INTERVALS = ("halving", "percentile", "bca", "t")


def function_of(test: str) -> Callable[..., Any]:
    """The function that computes a test."""
    module, _, name = PROCEDURES[test].function.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def any_use_trials(tests: Iterable[str], trials: Literal["bootstrap", "swaps"]) -> bool:
    """Whether any of the tests uses trials of this kind."""
    return any(PROCEDURES[test].trials == trials for test in tests)
