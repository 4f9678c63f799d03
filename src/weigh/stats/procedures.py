"""Every test by name, with what plans, methods sentences, citations and tables say of it.

A test is a function and an entry here, and nothing else names it. Nothing is computed here, so
that reading a command's arguments loads no arrays; a function is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Procedure:
    """A test: of pairs, of all systems in blocks of segments, of runs, by bets, or another tool's.

    `phrase` and `source` are for a paper, `question` and `answer` for everybody: what is asked,
    and what p is. They may name {unit}, {draws} (how many there were), {swaps}, {wide} (which
    differences count), {loser} and {both}. `flaw` is what is wrong with another tool's test.

    `function` computes it. What it is given depends on the kind, and on whether its `trials` are
    those of the bootstrap, which draw units, or swap the outputs of two systems:

        pairs by bootstrap: sample, pairs, bootstrap scores; observed
        pairs by swaps:     as `weigh.stats.randomization:randomization`
        blocks:             scores of segments × systems; it returns a p-value for every pair
        flawed:             the observed difference, and those of trials; it returns a p-value

    Trials lie around zero if they are `around_zero`, as the null hypothesis has it, and p counts
    those that reach the difference; else they lie around the difference, and p counts those that
    reach zero. A test is `doubled` if its two-sided p is twice the smaller tail.
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


_CENTRES_SIZES = "|d*| is centred by its mean, so that one tail is lost (Graham et al. 2014, §2)"
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
        "is the difference larger than the choice of {unit}s explains?",
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
        "is the difference in means larger than chance explains among this many equal systems?",
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
        "is the difference in means larger than chance explains among groups of equal systems?",
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
        "would bets on one system, {unit} by {unit}, win more than chance explains?",
        "1 divided by the capital won from a stake of 1, which rarely grows if the systems are "
        "equal.",
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
"""For means of segment scores, of all systems together."""
FLAWED_TESTS = _names_of_kind("flawed")
"""Other tools' tests, all known to reject too often."""
[RUNS_TEST] = _names_of_kind("runs")
"""Student's t with runs as a sample."""
[ANYTIME] = _names_of_kind("bets")
"""For looking at results while they come in."""
ALTERNATIVES = ("two-sided", "better", "worse")
ADJUSTMENTS = ("holm", "bonferroni", "sidak", "bh", "none")
CLOSED = "closed"
"""How anytime-valid tests are adjusted."""
INTERVALS = ("halving", "percentile", "bca", "t")


def function_of(test: str) -> Callable[..., Any]:
    """The function that computes a test."""
    module, _, name = PROCEDURES[test].function.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def any_by(tests: Iterable[str], trials: Literal["bootstrap", "swaps"]) -> bool:
    """Whether one of the tests has trials of this kind."""
    return any(PROCEDURES[test].trials == trials for test in tests)
