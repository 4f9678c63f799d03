"""What is shown of studies of tests: `weigh validate`."""

from __future__ import annotations

from collections.abc import Sequence

from weigh import __version__
from weigh.report.grid import Cell, Column, Grid
from weigh.report.metric_names import metric_name, named
from weigh.report.number import fixed, intervals, listed, percent, plural, share
from weigh.report.view import Part, Used, View, remarked, signature, view_of
from weigh.result import encode
from weigh.validate.type1 import Rejections, Type1Result

_EXACT = "exact binomial intervals"
_BY = f"(weigh {__version__})."
_FLAWS = {
    "sacrebleu-bs": "sacrebleu-bs and moses-bs centre |d*| by its mean, so that one tail is lost "
    "(Graham et al. 2014, §2)",
    "moses-bs": "",
    "multeval": "multeval tosses a coin for every run, here three identical ones",
}


@view_of(Type1Result)
def type1(result: Type1Result) -> View:
    """Show how often each test rejects a true null hypothesis."""
    from weigh.report.pictures import validation as pictures

    plan = result.plan
    metrics = list(dict.fromkeys(one.metric for one in result.rejections))
    names = {metric: metric_name(metric, result.signatures.items()) for metric in metrics}
    parts = {
        "nulls": plan.nulls,
        "unit": result.unit,
        "size": result.size,
        "trials": plan.trials,
        "seed": plan.seed,
    }
    return View(
        title=f"{listed([*names.values()])} of systems that do not differ",
        subtitle=f"{plural(plan.nulls, 'pair')} of equal systems, "
        f"{plural(result.size, result.unit)}, {plan.trials:,} trials",
        findings=[_rejected(metric, names, result) for metric in metrics],
        parts=[
            Part(
                "Rejections of a true null hypothesis",
                _rejections_grid(result, names),
                _about_rejections(result),
                pictures=lambda: pictures.type1_pictures(result, names),
                section="Rejections",
            )
        ],
        methods=f"{plural(plan.nulls, 'pair')} of systems that are equal by construction were "
        f"tested by {listed([*plan.tests, *plan.compat])} with {plan.trials:,} trials each "
        "(Riezler & Maxwell 2005); intervals of shares are exact (Clopper & Pearson 1934) "
        f"{_BY}",
        signatures=[*named([*result.signatures.items()]), ("type1", signature(parts))],
        records=encode(result.rejections),
        used=Used(
            list(result.signatures),
            list(dict.fromkeys(one.test for one in result.rejections)),
            works=["errors of type I", _EXACT],
            draws=True,
        ),
    )


def _about_rejections(result: Type1Result) -> list[str]:
    plan = result.plan
    made = (
        "by exchanging the outputs of "
        f"{' and '.join(result.systems)}, {result.unit} by {result.unit}, by fair coins"
        if result.outputs == 2 and len(result.systems) == 2
        else f"by drawing two of {result.outputs} outputs for each {result.unit}"
    )
    said = [
        f"Shares of {plural(plan.nulls, 'pair')} of equal systems with p at most α, with "
        f"{percent(plan.level)} intervals (Clopper & Pearson); the pairs were made {made}, from "
        f"{plural(result.size, result.unit)}, {plan.trials:,} trials, a new seed each. "
        "Doubled: twice the smaller one-sided p-value.",
        "Too often, too seldom: where the interval would still exclude α if it were as wide as "
        f"{plural(len(result.rejections), 'share')} together need for {percent(plan.level)} "
        f"(Bonferroni); so a table of exact tests has even one such remark in at most "
        f"{percent(1 - plan.level)} of cases.",
    ]
    flaws = [_FLAWS[test] for test in plan.compat if _FLAWS[test]]
    if flaws:
        said.append(f"Flawed formulas of other tools: {'; '.join(flaws)}.")
    return said + remarked(result.remarks)


def _rejections_grid(result: Type1Result, names: dict[str, str]) -> Grid:
    plan = result.plan
    columns = [Column("Metric"), Column("Test"), Column("Alternative")]
    for alpha in plan.alphas:
        columns.append(Column(f"α = {share(alpha)}", kind="number"))
        columns.append(Column(f"{percent(plan.level)} interval", kind="number", attached=True))
    columns.append(Column("Remark", kind="remark"))
    cells = {(one.metric, one.test, one.alternative, one.alpha): one for one in result.rejections}
    blocks = []
    for metric, name in names.items():
        kinds = [[cells[metric, *kind, alpha] for alpha in plan.alphas] for kind in plan.kinds]
        ends = [
            intervals([kind[at].interval for kind in kinds], 3) for at in range(len(plan.alphas))
        ]
        rows = []
        for number, kind in enumerate(kinds):
            texts = [name, kind[0].test, kind[0].alternative]
            for at, one in enumerate(kind):
                texts += [f"{one.share:.3f}", ends[at][number]]
            rows.append([Cell(text) for text in (*texts, _remark(kind))])
        blocks.append(rows)
    return Grid(columns, blocks)


def _remark(kind: Sequence[Rejections]) -> str:
    """Return at which levels a test rejects too often, or too seldom, to be chance."""
    levels: dict[str, list[str]] = {}
    for one in kind:
        if one.verdict is not None:
            levels.setdefault(one.verdict, []).append(share(one.alpha))
    return "; ".join(f"{verdict} at {', '.join(alphas)}" for verdict, alphas in levels.items())


def _rejected(metric: str, names: dict[str, str], result: Type1Result) -> str:
    """Return which tests reject too often, at any level, and how often the flawed ones do."""
    plan = result.plan
    own = [one for one in result.rejections if one.metric == metric]
    sound = [one for one in own if one.test in plan.tests]
    often = [one for one in sound if one.verdict == "too often"]
    said = [
        f"{names[metric]}: of {plural(len(sound), 'rejection rate')} of sound tests, "
        f"{len(often) or 'none'} {'is' if len(often) < 2 else 'are'} above the level by more than "
        f"chance (exact intervals, {percent(plan.level)} for all "
        f"{plural(len(result.rejections), 'share')} of the study together)"
    ]
    if often:
        told = [f"{one.test} ({one.alternative}, α = {share(one.alpha)})" for one in often]
        said[0] += f": {', '.join(told)}"
    alpha = plan.alphas[-1] if 0.05 not in plan.alphas else 0.05
    flawed = [one for one in own if one.test in plan.compat and one.alpha == alpha]
    if flawed:
        rates = [f"{one.test} {fixed(100 * one.share, 1)}%" for one in flawed]
        said.append(f"At α = {share(alpha)} the flawed formulas reject: {', '.join(rates)}")
    return f"{'. '.join(said)}."
