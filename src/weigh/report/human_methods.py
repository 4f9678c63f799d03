"""How a ranking by people was made, in words for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh import __version__
from weigh.comparing.methods import ADJUSTMENTS
from weigh.report.number import listed, percent, share

if TYPE_CHECKING:
    from weigh.report.human_rank import RankReport

_SCORES = {
    "z": "the mean over segments of the mean of its judgments, standardised for each judge "
    "(Graham et al. 2014)",
    "raw": "the mean over segments of the mean of its judgments",
    "expected wins": "its expected wins (Koehn 2012)",
}
_TESTS = {
    "segment": "the Wilcoxon rank-sum test of segments' means",
    "judgment": "the Wilcoxon rank-sum test of single judgments",
}


def methods(report: RankReport) -> str:
    """Return some sentences for a paper."""
    plan, rankings = report.result.plan, report.result.rankings
    scales: dict[str, list[str]] = {}
    for ranking in rankings:
        scales.setdefault(ranking.by, []).append(ranking.scale)
    said = f"A system's score is {_SCORES[max(scales)]}"
    if len(scales) > 1:
        said += f" ({listed(sorted({*scales['raw']}))}: not standardised)"
    if "expected wins" not in scales:
        said += f", with {percent(plan.level)} Student's t intervals over segments"
    sentences = [said]
    if report.quality != "none":
        sentences.insert(
            0,
            "Judges who did not tell damaged texts from genuine ones were dropped "
            f"(quality control {report.quality})",
        )
    conclusions = [one for ranking in rankings for one in ranking.conclusions]
    if conclusions:
        first = conclusions[0]
        test = "the sign test of preferences" if first.test == "sign" else _TESTS[plan.unit]
        side = "two-sided" if plan.alternative == "two-sided" else "one-sided in both directions"
        corrected = (
            f"p-values were adjusted by {ADJUSTMENTS[plan.adjust]}"
            if plan.adjust in ADJUSTMENTS
            else "p-values were not corrected for the number of pairs"
        )
        sentences.append(
            f"All pairs were tested by {test}, {side}, at α = {share(plan.alpha)}; {corrected}"
        )
        if any(one.scale != ranking.scale for ranking in rankings for one in ranking.conclusions):
            sentences.append(
                "Where adequacy shows no difference, fluency decides (Graham et al. 2014); systems "
                "are ordered by those that they beat less those that beat them"
            )
    return f"{'. '.join(sentences)} (weigh {__version__})."
