"""How judgments of people are collected and used: all choices, and what the command says of them.

Nothing is computed here, so that reading a command's arguments loads no arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from weigh.errors import UsageError, plural
from weigh.options import check_plan_options, count, option, share
from weigh.stats.procedures import ADJUSTMENTS

SCALES = ("adequacy", "fluency")
COMBINED = "adequacy, then fluency"
"""The ranking in which fluency decides pairs that adequacy leaves open."""
PREFERENCE = "preference"
"""The scale of choices between two outputs."""
KINDS = ("da", "esa", "mqm", "pair", "contrastive")
"""What judges are given: a text to score; to score and mark errors in; to mark typed errors in; two
texts to choose from; or all systems' versions of a segment to score."""
SCALED = ("da", "contrastive")
"""Kinds with a choice of scales; the others have a fixed one."""
_SCALE_OF = {"esa": "esa", "mqm": "mqm", "pair": PREFERENCE}
Unit = Literal["words", "characters"]
Quality = Literal["none", "crowd-alone", "appraise"]
Population = Literal["test-set", "like-these"]
"""The population of estimates with a metric's help: all scored segments, or others like them."""
POPULATIONS = ("test-set", "like-these")
EXPORTS = {
    "jsonl": (".jsonl",),
    "mturk": (".mturk.csv", ".mturk.html"),
    "pearmut": (".pearmut.json",),
}
"""File name endings by purpose."""
PairTest = Literal["rank-sum", "signed-rank", "randomization"]
PAIR_TESTS = ("rank-sum", "signed-rank", "randomization")
PAIRED = PAIR_TESTS[1:]
"""The tests that take the segments of two systems as pairs."""
LEAST_SHARED = 0.8
"""From this share of shared segments on, a paired test is used."""
TRIALS = 10_000
"""The default number of trials of a randomization test of segments."""
USUAL_DIFFERENCE = 0.2
DESIGN_EFFECT = 2.7
"""The variance of differences by document over that by segment, in the WMT's ESA of 2024."""
AS_PRESET = "as the preset says"


@dataclass(frozen=True, slots=True)
class Control:
    """A judge stays if bad items score lower with p ≤ `alpha`, and if no task was too quick.

    `least_seconds` are those of a task of 100 items; a smaller piece needs as many less.
    """

    test: Literal["paired-t", "mann-whitney", "sign"]
    alpha: float
    least_seconds: float | None = None


CONTROLS = {
    # Graham et al. (2015, 2017): against the genuine item that each bad one was made from.
    "crowd-alone": Control("paired-t", 0.05),
    # The WMT's campaigns with Appraise: against all outputs.
    "appraise": Control("mann-whitney", 0.01, 600.0),
}
QUALITIES = ("none", *CONTROLS)
DEFAULT_CONTROL: Quality = "crowd-alone"
"""The default quality control of rankings with control items."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The seconds per judgment of a kind, and their source; "" if assumed."""

    seconds: float
    source: str = ""


PACES = {
    # A HIT of 100 items took 1,606 s in the median.
    "da": Pace(16.0, "Graham et al. 2017"),
    # From one answer to the next, pauses of ten minutes left out: the median judge's mean.
    "esa": Pace(33.0, "the WMT's campaign of 2024, English-Czech"),
    "mqm": Pace(60.0),
    "pair": Pace(20.0),
    "contrastive": Pace(12.0),
}
USUAL_SPLIT = 10
"""The default maximum number of segments in a piece of a document."""


def scale_asked(kind: str, scale: str) -> str:
    """The scale of the answers; only two kinds offer a choice."""
    return _SCALE_OF.get(kind, scale)


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """The aim of a campaign, the cost of work, and the layout of its HITs.

    `difference` is in standard deviations of a judge's scores, `hours` are those of all scales,
    and `hits` fixes the number of HITs for each scale. `kept` is the share of judgments that
    quality control leaves. Where all pairs are tested together (`holm`), the first of m has to
    pass α/m, which is planned for. The defaults of seconds and share are those of a published
    run (Graham et al. 2017, run A): a HIT of 100 items took 1,606 s in the median, and 7,700 of
    10,500 judgments were kept; the seconds of other kinds are in `PACES`. `correlation` is that of
    a judge's scores of two systems' versions of a segment: in the WMT's campaign of 2024 for
    English-Czech it was .26. `ties` is the share of choices for neither: in the WMT's rankings of
    2012, .13 and .19. `split` says that the segments of a document stay together, in pieces of at
    most so many, and the number of judgments is multiplied by the `design_effect`; `source_based`
    that direct assessment shows the source and not the reference.
    """

    systems: int = 2
    difference: float | None = option(
        None,
        "difference to detect, in standard deviations of a judge's scores",
        flag="detect",
        metavar="D",
        least=1e-4,
        below=float("inf"),
        shown=".2, unless --hours or --hits is given",
    )
    hours: float | None = option(
        None, "total hours of work in the budget", metavar="N", above=0, most=1e9
    )
    hits: int | None = count(None, "number of HITs per scale")
    rate: float | None = option(
        None,
        "cost of an hour of work, for an estimate of the total",
        metavar="MONEY",
        above=0,
        most=1e9,
    )
    alpha: float = share(0.05, "significance level")
    power: float = share(0.8, "probability of detecting the difference")
    adjust: str = option(
        "holm",
        "adjustment for the number of pairs: holm or none",
        choices=("holm", "none"),
        metavar="METHOD",
        advanced=True,
    )
    seconds: float | None = option(
        None,
        "seconds per judgment",
        metavar="N",
        advanced=True,
        least=0.01,
        most=1e6,
        shown=", ".join(f"{kind} {pace.seconds:g}" for kind, pace in PACES.items()),
    )
    kept: float = option(
        0.73,
        "share of judgments that pass quality control",
        metavar="SHARE",
        advanced=True,
        least=0.01,
        most=1,
    )
    correlation: float = option(
        0.25,
        "correlation of a judge's scores of two systems on the same segment, where a judge sees "
        "several systems",
        metavar="R",
        advanced=True,
        least=0,
        below=1,
    )
    ties: float = option(
        0.15, "share of ties in pairs", metavar="SHARE", least=0, below=1, advanced=True
    )
    kind: str = option(
        "da",
        "da: score each text; esa: score it and mark minor and major errors; mqm: mark errors by "
        "type; pair: choose the better of two texts; contrastive: score all systems' versions of "
        "a segment on one screen",
        choices=KINDS,
        metavar="NAME",
    )
    preset: str | None = option(
        None,
        "items of a HIT. crowd-alone: 70 outputs, 10 bad items, 10 references, 10 repeats; "
        "appraise: 80, 10, 5 and 5",
        choices=CONTROLS,
        metavar="NAME",
        shown="crowd-alone for da, else appraise",
    )
    split: int | None = count(
        None,
        "show the segments of a document together and in order, at most N at a time",
        most=50,
        advanced=True,
        shown=f"{USUAL_SPLIT} with --documents",
    )
    design_effect: float | None = option(
        None,
        "factor by which the number of judgments grows because segments of a document are "
        "not independent",
        metavar="N",
        advanced=True,
        least=1,
        most=1000,
        shown=f"{DESIGN_EFFECT:g} with --documents, else 1",
    )
    scales: tuple[str, ...] = option(
        ("adequacy",),
        "adequacy (beside the reference or source) or fluency (the text alone); repeat for both",
        flag="scale",
        choices=SCALES,
        metavar="NAME",
    )
    unit: str = option(
        "auto",
        "unit of the damage in bad items: words, characters, or auto, by the script of the "
        "references",
        choices=("auto", "words", "characters"),
        metavar="NAME",
        advanced=True,
    )
    pair: str = option("xx-yy", "language pair, recorded in the files", metavar="NAME")
    seed: int = 12345
    source_based: bool = False

    def __post_init__(self) -> None:
        if self.systems < 2:
            raise UsageError(f"{plural(self.systems, 'system')}; a comparison needs at least two")
        check_plan_options(self)
        if self.kind not in SCALED and self.scales != ("adequacy",):
            raise UsageError(
                f"scale {self.scales[0]} with kind {self.kind}: --scale applies to da and "
                "contrastive only; leave it out"
            )

    @property
    def scales_asked(self) -> tuple[str, ...]:
        """The scales that answers are on."""
        return tuple(scale_asked(self.kind, scale) for scale in self.scales)

    @property
    def controls(self) -> str:
        """The preset that is followed, as asked for or as is usual for the kind."""
        return self.preset or ("crowd-alone" if self.kind == "da" else "appraise")

    @property
    def seconds_each(self) -> float:
        """Seconds per judgment: as given, or the default of the kind."""
        return self.seconds or PACES[self.kind].seconds

    @property
    def clustering(self) -> float:
        """The design effect: as given, or the default for documents."""
        return self.design_effect or (1.0 if self.split is None else DESIGN_EFFECT)

    @property
    def is_paired(self) -> bool:
        """Whether every judge sees several systems' versions of a segment."""
        return self.kind != "da"

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2


@dataclass(frozen=True, slots=True)
class RankPlan:
    """How judgments become a ranking.

    `by` is `z` for standard scores, `raw` for scores as they are, None for raw scores of error
    span annotation, as the WMT ranks them, and standard scores of all else. `test` is None where
    each pair of systems has the test that fits it (`weigh.human.paired.fitting_test`). `boundary`
    says where clusters end (see `weigh.human.conclusions.ordered`). `model` is for preferences:
    None for `bradley-terry` where files tell which system was shown first, and else
    `expected-wins`. `population` is what estimates with a metric's help are about
    (`weigh.human.powered`). `preset` is the published method that the plan follows, or `weigh`.
    """

    by: Literal["z", "raw"] | None = option(
        None,
        "z (standardised per judge) or raw",
        choices=("z", "raw"),
        metavar="SCORE",
        shown="raw for ESA and MQM, else z",
    )
    test: PairTest | None = option(
        None,
        "rank-sum (all segments), or signed-rank or randomization (segments on which both systems "
        "were judged, paired)",
        choices=PAIR_TESTS,
        metavar="NAME",
        shown="randomization of documents if they are known; else signed-rank if two systems share "
        "at least 80%% of their segments, otherwise rank-sum; rank-sum in the published presets",
    )
    unit: Literal["segment", "judgment"] = option(
        "segment",
        "unit of the rank-sum test: segment (mean of its judgments) or judgment",
        choices=("segment", "judgment"),
        advanced=True,
        shown=AS_PRESET,
    )
    alternative: Literal["two-sided", "better"] = option(
        "two-sided",
        "two-sided, or better: one-sided, in both directions of every pair",
        choices=("two-sided", "better"),
        metavar="WHICH",
        advanced=True,
        shown=AS_PRESET,
    )
    adjust: str = option(
        "holm",
        "adjustment for the number of pairs: holm, bonferroni, sidak, bh or none",
        choices=ADJUSTMENTS,
        metavar="METHOD",
        shown=AS_PRESET,
    )
    alpha: float = share(0.05, "significance level")
    unranked: tuple[str, ...] = option(
        (),
        "system to show but not to test or rank, such as a reference; repeatable",
        metavar="NAME",
    )
    boundary: Literal["all", "last"] = option(
        "all",
        "where a cluster ends: all (every system above beats every system below) or last (the "
        "lowest system above beats every system below)",
        choices=("all", "last"),
        metavar="RULE",
        advanced=True,
        shown=AS_PRESET,
    )
    level: float = share(0.95, "confidence level of intervals")
    model: Literal["expected-wins", "bradley-terry"] | None = option(
        None,
        "ranking of preferences: expected-wins (with sign tests) or bradley-terry (strengths with "
        "ties and intervals)",
        choices=("expected-wins", "bradley-terry"),
        metavar="NAME",
        shown="bradley-terry if the files record which system was shown first, else expected-wins",
    )
    least_per_system: int = count(500, "warn about systems with fewer judgments", advanced=True)
    least_per_segment: int = count(
        1,
        "warn about systems with fewer judgments per segment; scores of single segments need "
        "about 15",
        advanced=True,
    )
    trials: int | None = count(
        None,
        "number of random trials",
        shown=f"{TRIALS:,} for segments; for documents exact, or as many as the conclusions need",
        advanced=True,
    )
    population: Population | None = option(
        None,
        "what --with estimates: test-set (the mean score if people had judged all segments that "
        "the metric scored) or like-these (the mean score on new segments or documents like these)",
        choices=POPULATIONS,
        metavar="NAME",
        shown="test-set",
        advanced=True,
    )
    seed: int = 12345
    preset: str = "weigh"

    def is_by_document(self, documents: Collection[str]) -> bool:
        """Whether tests and intervals treat documents as the independent units."""
        return bool(
            documents
            and self.preset == "weigh"
            and self.unit == "segment"
            and self.test in (None, "randomization")
        )

    def __post_init__(self) -> None:
        check_plan_options(self)
        if self.unit == "judgment" and self.test in PAIRED:
            raise UsageError(
                f"test {self.test} pairs segments, but unit is judgment; take unit segment, or "
                "the test rank-sum"
            )


PRESETS = {
    "weigh": RankPlan(),
    # The WMT's direct assessment as published in 2021.
    "wmt21": RankPlan(
        test="rank-sum", alternative="better", adjust="none", boundary="last", preset="wmt21"
    ),
    # Graham et al. (2014): single judgments, one-sided, uncorrected.
    "graham2014": RankPlan(
        test="rank-sum",
        unit="judgment",
        alternative="better",
        adjust="none",
        preset="graham2014",
    ),
}


@dataclass(frozen=True, slots=True)
class AgreementPlan:
    """Options of agreement; kappas divide the scale between `bounds` into `categories`."""

    categories: int | None = count(
        None,
        "divide the scale into N equal categories and report kappas for these too; preferences "
        "are categories already",
        least=2,
    )
    weights: str = option(
        "none",
        "weights of disagreements in Cohen's kappa: none (all equal), or linear or quadratic in "
        "the distance of the categories",
        choices=("none", "linear", "quadratic"),
        metavar="KIND",
    )
    bounds: tuple[float, float] = (0.0, 100.0)

    def __post_init__(self) -> None:
        check_plan_options(self)


@dataclass(frozen=True, slots=True)
class MetricsPlan:
    """Options of comparing metrics with people; α and correction apply to sensitivity.

    `delta` asks what differences of metrics mean to people: those that it names, by metric, and, if
    it is empty too, those that mean a certain agreement.
    """

    trials: int = count(10_000, "number of random trials per test")
    alpha: float = share(0.05, "significance level of the metrics' tests")
    adjust: str = option(
        "holm",
        "adjustment of the metrics' tests for the number of pairs: holm, bonferroni, sidak, bh or "
        "none",
        choices=ADJUSTMENTS,
        metavar="METHOD",
    )
    level: float = share(0.95, "confidence level of intervals")
    delta: Mapping[str, float] | None = None
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
        check_deltas(self.delta or {})


def check_deltas(delta: Mapping[str, float]) -> None:
    """Refuse differences that nothing can be said of."""
    for metric, size in delta.items():
        if not 0 < size < float("inf"):
            raise UsageError(f"--delta {metric}={size:g}: give a difference above 0")
