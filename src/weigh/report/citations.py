"""BibTeX references for the metrics, tests, corrections and intervals that a result used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.errors import InputError, WeighError
from weigh.metrics.registry import metric_names, parse_metric, summands
from weigh.report.grid import visible
from weigh.report.view import Used
from weigh.stats.procedures import ANYTIME, BLOCK_TESTS, PROCEDURES, RUNS_TEST

if TYPE_CHECKING:
    from weigh.comparing.plan import Plan

# Keys of references.bib by what they are cited for. Metrics and tests carry their own keys.
# Signatures of sacreBLEU's metrics follow Post 2018.
_SIGNATURES = "post-2018-call"
TESTS: Mapping[str, tuple[str, ...]] = {
    name: procedure.citations for name, procedure in PROCEDURES.items()
}
ADJUSTMENTS: Mapping[str, tuple[str, ...]] = {
    "holm": ("holm-1979-simple",),
    "bonferroni": ("dunn-1961-multiple",),
    "sidak": ("sidak-1967-rectangular",),
    "bh": ("benjamini-hochberg-1995-controlling",),
    "closed": ("vovk-wang-2021-evalues",),
    "none": (),
}
INTERVALS: Mapping[str, tuple[str, ...]] = {
    "halving": ("hartigan-1969-using", "wilson-1927-probable"),
    "wilson": ("wilson-1927-probable",),
    "percentile": ("efron-tibshirani-1993-introduction",),
    "bca": ("efron-1987-better", "efron-tibshirani-1993-introduction"),
    "t": ("student-1908-probable",),
    RUNS_TEST: (
        "efron-tibshirani-1993-introduction",
        "satterthwaite-1946-approximate",
        "student-1908-probable",
    ),
}
# Other methods, by the names that views use for them.
WORKS: Mapping[str, tuple[str, ...]] = {
    "direct assessment": ("graham-etal-2013-continuous",),
    "error span annotation": ("kocmi-etal-2024-error",),
    "MQM": ("freitag-etal-2021-experts",),
    "adequacy before fluency": ("graham-etal-2014-randomized",),
    "quality control by crowd-alone": ("graham-etal-2017-crowd", "student-1908-probable"),
    "quality control by appraise": ("federmann-2018-appraise", "mann-whitney-1947-test"),
    "rank-sum test": ("wilcoxon-1945-individual", "mann-whitney-1947-test"),
    "signed-rank test": ("wilcoxon-1945-individual",),
    "randomization of segments": ("noreen-1989-computer", "riezler-maxwell-2005-pitfalls"),
    "intervals for other judges": ("cameron-etal-2011-robust",),
    "number of judgments": ("lehmann-1975-nonparametrics",),
    "number of paired judgments": ("noether-1987-sample",),
    "Bradley–Terry strengths": (
        "bradley-terry-1952-rank",
        "davidson-1970-extending",
        "davidson-beaver-1977-extending",
    ),
    "prediction-powered": ("angelopoulos-etal-2023-ppi", "mackinnon-white-1985-some"),
    "expected wins": ("koehn-2012-simulating", "bojar-etal-2013-findings"),
    "Krippendorff's alpha": ("krippendorff-2011-computing",),
    "Cohen's kappa": ("cohen-1960-coefficient",),
    "weighted kappa": ("cohen-1968-weighted",),
    "Fleiss' kappa": ("fleiss-1971-measuring",),
    "rank correlation": ("kendall-1938-new", "spearman-1904-proof"),
    "Williams' test": ("williams-1959-regression", "graham-baldwin-2014-testing"),
    "pairwise accuracy": ("kocmi-etal-2021-ship",),
    "soft pairwise accuracy": ("thompson-etal-2024-improving",),
    "tie calibration": ("deutsch-etal-2023-ties",),
    "differences of metrics": ("kocmi-etal-2024-navigating",),
    "sensitivity": ("riezler-maxwell-2005-pitfalls",),
    "accuracy of tests": ("graham-etal-2014-randomized",),
    "exact binomial intervals": ("clopper-pearson-1934-use",),
    "Cochran's Q and McNemar's test": ("cochran-1950-comparison", "mcnemar-1947-note"),
    "samples of a test set": ("koehn-2004-statistical",),
    "errors of type I": ("riezler-maxwell-2005-pitfalls",),
    "minimum error rate training": ("och-2003-minimum",),
    "PRO": ("hopkins-may-2011-tuning",),
    "batch MIRA": ("cherry-foster-2012-batch",),
    "several runs of tuning": ("clark-etal-2011-better",),
    "log-linear reranking": (
        "riezler-maxwell-2005-pitfalls",
        "riezler-vasserman-2004-incremental",
        "perkins-etal-2003-grafting",
    ),
    "RYPT": ("zaidan-callison-burch-2009-feasibility",),
    "choices of two metrics": ("zaidan-callison-burch-2009-feasibility",),
    "inference of labels": ("pearl-1988-probabilistic", "dempster-etal-1977-maximum"),
}
_PASS_AT = re.compile(r"\bpass@\d+$")
_MARGINS = ("schuirmann-1987-comparison",)
_DRAWS = "salmon-etal-2011-parallel"
_WILSON = "wilson-1927-probable"
_WITHOUT_DRAWS = (*BLOCK_TESTS, "t", "wilson", ANYTIME)


def combine(methods: Sequence[Used]) -> Used:
    """The methods of several results, for one bibliography."""
    return Used(
        [name for used in methods for name in used.metrics],
        [name for used in methods for name in used.tests],
        [name for used in methods for name in used.adjustments],
        [name for used in methods for name in used.intervals],
        any(used.margins for used in methods),
        [name for used in methods for name in used.works],
        any(used.draws for used in methods),
    )


def used_by_plan(metrics: Sequence[str], plan: Plan) -> Used:
    """The methods of a comparison by this plan; metrics are named as on the command line."""
    return Used(
        metrics,
        plan.tests,
        (plan.adjust,),
        (plan.interval,),
        bool(plan.margin),
    )


def bibtex(methods: Used) -> str:
    """The BibTeX entries sorted by key, each below a comment on what it is cited for."""
    purposes: dict[str, list[str]] = {}
    for key, purpose in _purposes(methods):
        if purpose not in purposes.setdefault(key, []):
            purposes[key].append(purpose)
    entries = _entries()
    parts = [f"% {', '.join(purposes[key])}\n{entries[key]}" for key in sorted(purposes)]
    parts += [
        f"% {_plain(metric)}: not a built-in metric; cite its authors"
        for metric in _summands(methods)
        if not citations_of(metric)
    ]
    return "\n\n".join(parts) or "% no papers to cite"


def _purposes(methods: Used) -> Iterator[tuple[str, str]]:
    for metric in _summands(methods):
        name = metric.partition(":")[0]
        for key in citations_of(metric):
            yield key, f"signature of {name}" if key == _SIGNATURES else _plain(name)
    for test in methods.tests:
        yield from ((key, f"{test} test") for key in _keys(TESTS, "test", test))
    for method in methods.adjustments:
        keys = _keys(ADJUSTMENTS, "correction", method)
        yield from ((key, f"adjustment by {method}") for key in keys)
    for kind in methods.intervals:
        keys = _keys(INTERVALS, "interval", kind)
        yield from (
            (key, "intervals of shares" if key == _WILSON else f"{kind} intervals") for key in keys
        )
    for work in methods.works:
        yield from ((key, work) for key in WORKS[work])
    if methods.margins:
        yield from ((key, "margins") for key in _MARGINS)
    if methods.draws or any(
        name not in _WITHOUT_DRAWS for name in (*methods.tests, *methods.intervals)
    ):
        yield _DRAWS, "random draws by Philox"


def citations_of(metric: str) -> tuple[str, ...]:
    """The keys for a metric; none if the metric is not built in.

    If its options are invalid here, as those of a later version may be, its name alone decides.
    """
    if _PASS_AT.search(metric):
        return ("chen-etal-2021-evaluating",)
    name = metric.partition(":")[0]
    for specification in (metric, name) if name in metric_names() else ():
        with suppress(WeighError):
            return parse_metric(specification).citations
    return ()


def _summands(methods: Used) -> list[str]:
    """The metrics; combinations are replaced by the metrics that they add up."""
    return [name for metric in methods.metrics for name in summands(metric)]


def _keys(keys: Mapping[str, tuple[str, ...]], kind: str, name: str) -> tuple[str, ...]:
    if name not in keys:  # the file may come from a later version
        raise InputError(f"{kind} {name!r} is unknown to weigh {__version__}; use a newer version")
    return keys[name]


def _plain(name: str) -> str:
    """Make a name safe in a comment: BibTeX would read @ as the start of an entry."""
    return visible(name).replace("@", "(at)").encode("ascii", "backslashreplace").decode("ascii")


def _entries() -> dict[str, str]:
    text = files("weigh.report").joinpath("references.bib").read_text(encoding="ascii")
    entries = text.rstrip("\n").split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}
