"""Compared systems as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from weigh.report import document, github, markdown, superscripts, table, tsv
from weigh.report.compared import CompareReport
from weigh.report.grid import Cell, Column, Grid
from weigh.report.methods import (
    correction,
    has_runs,
    is_powerless,
    meaning,
    methods,
    signatures_of_tests,
    title_of,
)
from weigh.report.number import fixed, percent, plural, share
from weigh.report.pairs import (
    detectable,
    further_grid,
    list_grid,
    matrix_grid,
    readings_grid,
    shows_detectable,
)
from weigh.report.scores import (
    OVERALL,
    metric_fields,
    score_fields,
    signature_lines,
    systems_grid,
)
from weigh.report.text import visible
from weigh.stats.procedures import FLAWED_TESTS

if TYPE_CHECKING:
    from weigh.comparing.plan import Plan
    from weigh.types import Comparison, Ranking

# More pairs than this are a triangle, fewer a list.
_LONGEST_LIST = 10
# From so large a share of identical outputs on it is worth a word.
_NOTABLE = 0.2
# How the signature of scores begins that were given, and not computed from texts.
_GIVEN_SCORES = {"mean:segments", "ratio:sums"}
_MOST_NAMED = 6


# One piece of the report: a heading, a grid and the sentences under it.
_Piece = tuple[str, Grid | None, list[str]]


def pieces(report: CompareReport) -> Iterator[_Piece]:
    """Yield everything but the signatures in the order of reading."""
    grid = systems_grid(
        report.scores, report.ranks, report.lines(report.first_test), mark_best=False
    )
    yield "", grid, under_scores(report)
    for test, pairs in report.tests.items():
        heading = title_of(pairs[0], report.result.plan)
        corrected = [] if test in FLAWED_TESTS else [correction(pairs[0], report.result.plan)]
        if _is_list(report, pairs):
            power = said_of_power(report, pairs)
            grid = list_grid(report, pairs)
            said = " ".join([meaning(pairs, report.result), *corrected])
            yield heading, grid, [said, power]
            yield from by_reading(pairs, report)
            continue
        for group in _grouped(pairs):
            grid = matrix_grid(report, group)
            yield (
                _about(report, group[0], heading),
                grid,
                [
                    _KEY,
                    " ".join([meaning(group, report.result), *corrected]),
                    READINGS * any(one.readings for one in group),
                    *_under_matrix(report, group),
                ],
            )
    if _is_list(report, next(iter(report.tests.values()))):
        yield from further(report)
    for text in (identical_outputs(report), _gate(report)):
        if text:
            yield "", None, text
    yield "", None, [f"Methods: {methods(report.result, list(report.titles.values()))}"]


DETECTABLE = (
    "No evidence of a difference is not evidence of none: a true difference of the size under "
    "Detectable would have been found 4 times in 5, tested two-sided and by itself."
)
READINGS = (
    "Readings score the same counts in several ways, which differ in what the unknown counts for. "
    "A difference has to show in each: p is the largest of theirs, and 1 where they disagree on "
    "which system is better. That they agree is no proof, since the unknown is no random choice."
)
_NOTHING_KNOWN = "nothing is known of that"
UNKNOWN = f"A dash says that {_NOTHING_KNOWN}."
POWERLESS = "So few units or trials can show no difference at all, however large it is."
_KEY = (
    "> the row's system is better than the column's; a number is the adjusted p of a pair "
    "without evidence."
)


def by_reading(pairs: Sequence[Comparison], report: CompareReport) -> Iterator[_Piece]:
    """Yield what the readings of metrics say one by one, where metrics have several."""
    read = [one for one in pairs if one.readings]
    if read:
        yield "Readings", readings_grid(report, read), [READINGS]


def further(report: CompareReport) -> Iterator[_Piece]:
    """Yield the answers to --margin and --detect, which no test has a part in."""
    first = next(iter(report.tests.values()))
    plan = report.result.plan
    asked = [one for one in first if one.margin is not None or one.metric in plan.detect]
    if not asked:
        return
    sentences = []
    if any(one.margin is not None for one in asked):
        level, alpha = percent(1 - 2 * plan.alpha), share(plan.alpha)
        sentences.append(
            f"Better by: the difference, turned so that + is better for the first system. "
            f"Equivalent: its {level} interval lies inside the margin on both sides; not worse: "
            f"its lower end does. Either is a test at α = {alpha}."
            + " Where a metric has several readings, the interval spans those of all."
            * any(one.readings for one in asked)
        )
        sentences += margin_reasons(report, asked)
    sized = [one for one in asked if one.metric in plan.detect]
    if sized:
        sentences.append(
            f"{report.result.unit.capitalize()}s needed: as many would show a true difference of "
            "the size under To find 4 times in 5."
        )
    without = [one for one in sized if one.units_needed is None]
    whys = [_NOTHING_KNOWN] * any(one.detectable is None for one in without)
    whys += [_more_runs(report)] * any(one.detectable is not None for one in without)
    if whys:
        sentences.append(f"A dash says that {', or that '.join(whys)}.")
    yield "Margins and sizes", further_grid(report, asked), sentences


def _more_runs(report: CompareReport) -> str:
    return f"no number of {report.result.unit}s is enough, for runs vary too much; use more runs"


def margin_reasons(report: CompareReport, pairs: Sequence[Comparison]) -> list[str]:
    """Return what margins rest upon where it is not the bootstrap, or why they are left open."""
    pairs_by_reason: dict[str, list[str]] = {}
    for one in pairs:
        if one.margin_reason is not None:
            where = f", {one.slice}" if one.slice is not None else ""
            name = f"{one.a} and {one.b} by {report.titles[one.metric]}{where}"
            pairs_by_reason.setdefault(one.margin_reason, []).append(name)
    count = sum(one.margin is not None for one in pairs)
    told = [
        f"{'Every pair' if len(names) == count > 1 else some(names)}: {reason}."
        for reason, names in pairs_by_reason.items()
    ]
    more = len(told) - _MOST_NAMED
    return [*told[:_MOST_NAMED], *([f"And {more:,} more like these."] if more > 0 else [])]


def said_of_power(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """Return what the pairs without evidence mean: what a list of them shows, or that it cannot."""
    if is_powerless(pairs[0], report.result):
        return POWERLESS
    if not shows_detectable(report, pairs):
        return ""
    unknown = any(detectable(report, one) is None for one in pairs if not one.significant)
    return f"{DETECTABLE} {UNKNOWN}" if unknown else DETECTABLE


def _is_list(report: CompareReport, pairs: Sequence[Comparison]) -> bool:
    """Return whether pairs are listed; more would not be read but as a triangle."""
    return report.result.plan.baseline is not None or len(_grouped(pairs)[0]) <= _LONGEST_LIST


def _grouped(pairs: Sequence[Comparison]) -> list[list[Comparison]]:
    groups: dict[tuple[str, str | None], list[Comparison]] = {}
    for one in pairs:
        groups.setdefault((one.metric, one.slice), []).append(one)
    return list(groups.values())


def _about(report: CompareReport, one: Comparison, heading: str) -> str:
    where = f", {OVERALL if one.slice is None else one.slice}" if report.sliced else ""
    return f"{report.titles[one.metric]}{where}: {heading}"


def under_scores(report: CompareReport) -> list[str]:
    """Return how intervals and ranks are to be read."""
    sentences = [f"{report.scores.intervals}."]
    if report.ranks is not None:
        sentences.append(report.about_ranks(report.first_test))
    return sentences


def _under_matrix(report: CompareReport, group: Sequence[Comparison]) -> list[str]:
    """Return what a triangle has no room for."""
    metric = group[0].metric
    decimals, title = report.decimals(metric), report.titles[metric]
    sentences = []
    if is_powerless(group[0], report.result):
        sentences.append(POWERLESS)
    elif shows_detectable(report, group):
        open_pairs = [
            one.detectable for one in group if not one.significant and one.detectable is not None
        ]
        low, high = (fixed(end(open_pairs), decimals) for end in (min, max))
        size = low if low == high else f"{low} to {high}"
        sentences.append(
            "No evidence of a difference is not evidence of none: in these pairs a true "
            f"difference of {size} {title} would have been found 4 times in 5, tested two-sided "
            "and by itself."
        )
    if group[0].margin is not None:
        close = [f"{one.a} and {one.b}" for one in group if one.equivalent]
        level = percent(1 - 2 * report.result.plan.alpha)
        sentences.append(
            f"Equivalent within {group[0].margin:g} {title} (the {level} interval of the "
            f"difference lies inside): {some(close) or 'no pair'}."
        )
        sentences += margin_reasons(report, group)
    needed = [one.units_needed for one in group if one.units_needed is not None]
    wanted = report.result.plan.detect.get(metric)
    never = [one for one in group if one.units_needed is None and one.detectable is not None]
    if never and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} between "
            f"{plural(len(never), 'pair')}, {_more_runs(report)}."
        )
    if needed and wanted is not None:
        sentences.append(
            f"To find a true difference of {wanted:g} {title} 4 times in 5, {min(needed):,} to "
            f"{max(needed):,} {report.result.unit}s are needed, depending on the pair."
        )
    return sentences


def some(texts: Sequence[str]) -> str:
    """Return the first few of a list, and how many more there are."""
    if len(texts) <= _MOST_NAMED:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_MOST_NAMED])}; and {len(texts) - _MOST_NAMED:,} more"


def identical_outputs(report: CompareReport) -> list[str]:
    """Return which pairs are the same in many segments, or nothing where none is."""
    scored = {
        entry.metric
        for entry in report.result.scores
        if not _GIVEN_SCORES.isdisjoint(entry.signature.split("|"))
    }
    groups: dict[str, dict[frozenset[str], tuple[Comparison, float]]] = {}
    for one in report.result.comparisons:
        if one.identical is not None and one.identical >= _NOTABLE:
            several = f"{report.titles[one.metric]} " * (len(report.titles) > 1)
            what = f"{several}scores" if one.metric in scored else "outputs"
            shares = groups.setdefault(what, {})
            shares.setdefault(frozenset((one.a, one.b)), (one, one.identical))
    sentences = []
    for what, shares in groups.items():
        ordered = sorted(shares.values(), key=lambda pair: -pair[1])
        texts = [f"{one.a} and {one.b} {percent(round(part, 2))}" for one, part in ordered]
        sentences.append(f"Share of segments with identical {what}: {some(texts)}.")
    return sentences


def _gate(report: CompareReport) -> list[str]:
    gate = report.result.gate
    return (
        [] if gate is None else [f"Gate: {gate.verdict}", *(f"  {each}" for each in gate.reasons)]
    )


def summary(report: CompareReport) -> str:
    """Return how much was compared."""
    systems = plural(len({entry.system for entry in report.result.scores}), "system")
    return f"{systems}, {report.size}"


def as_table(report: CompareReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text: scores, pairs, what they mean, and signatures."""
    limit = max(60, min(100, screen.columns or 100))

    def wrapped(text: str) -> str:
        indent = text[: len(text) - len(text.lstrip())]
        return textwrap.fill(
            visible(text), limit, subsequent_indent=indent or "", break_on_hyphens=False
        )

    parts = [wrapped(summary(report))]
    for heading, grid, sentences in pieces(report):
        lines = [screen.bold(visible(heading))] if heading else []
        if grid is not None:
            lines.append(table.render(grid, screen))
        under = [wrapped(sentence) for sentence in sentences if sentence]
        lines += [screen.dim(text) for text in under] if grid is not None else under
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, signature_lines(report.signatures, screen)])


def as_markdown(report: CompareReport) -> str:
    """Return pipe tables with headings, sentences and the list of signatures."""
    parts = [markdown.escape(summary(report))]
    for heading, grid, sentences in pieces(report):
        if heading:
            parts.append(f"### {markdown.escape(heading)}")
        if grid is not None:
            parts.append(markdown.render(grid))
        bullet = "- " if grid is None and len(sentences) > 1 else ""
        said = [bullet + markdown.escape(text.strip()) for text in sentences if text]
        if said:
            parts.append("\n".join(said))
    parts.append(
        "\n".join(
            f"- {markdown.escape(title)}: {markdown.code(signature)}"
            for title, signature in report.signatures
        )
    )
    return "\n\n".join(parts)


def as_github(report: CompareReport) -> str:
    """Return a summary for a step of GitHub's Actions; the gate stands first and not again."""
    rest = CompareReport(replace(report.result, gate=None), report.digits)
    return github.compared(report, summary(report), pieces(rest))


def as_latex(report: CompareReport) -> str:
    """Return a table per test, with who beats whom in superscripts."""
    return superscripts.as_latex(report)


def as_tsv(report: CompareReport) -> str:
    """Return one row per comparison, with all digits."""
    records = [_record(one) for one in report.result.comparisons]
    names = [
        name
        for name in {name: None for record in records for name in record}
        if name in _REQUIRED or any(record.get(name) for record in records)
    ]
    rows = [[Cell(record.get(name, "")) for name in names] for record in records]
    return tsv.render(Grid([Column(name) for name in names], [rows]))


_REQUIRED = ("metric", "a", "b", "test", "p_value", "p_adjusted", "significant")


def _record(comparison: Comparison) -> dict[str, str]:
    record: dict[str, str] = {}
    for name, value in _fields(comparison).items():
        if name == "readings":
            for one in value or ():
                record[f"difference_{one['reading']}"] = _digits(one["difference"])
                record[f"p_value_{one['reading']}"] = _digits(one["p_value"])
        elif name in ("interval", "margin_interval"):
            start = "" if name == "interval" else "margin_"
            low, high = value or (None, None)
            record |= {f"{start}low": _digits(low), f"{start}high": _digits(high)}
        else:
            record[name] = _digits(value)
    return record


def _digits(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value if isinstance(value, str) else repr(value)


def as_json(report: CompareReport) -> str:
    """Return the document that programs read."""
    result = report.result
    sliced = any(entry.slice is not None for entry in result.scores)
    parts: dict[str, Any] = {
        "test_set": document.Extent(result.segments, result.references, result.documents).fields,
        "metrics": metric_fields(report.scores),
        "plan": _plan_fields(result.plan),
        "unit": result.unit,
        "units": result.units,
        **({"runs": dict(result.runs)} if has_runs(result) else {}),
        "scores": [score_fields(entry, sliced) for entry in result.scores],
        "comparisons": [_applicable(_fields(one), sliced) for one in result.comparisons],
        "rankings": [_ranking_fields(ranking, sliced) for ranking in result.rankings],
        "warnings": list(result.warnings),
    }
    assert report.scores.intervals is not None
    parts["intervals"] = report.scores.intervals.fields()
    if result.gate is not None:
        parts["gate"] = {"verdict": result.gate.verdict, "reasons": list(result.gate.reasons)}
    parts["tests"] = [
        {"test": test, "signature": signature} for test, signature in signatures_of_tests(result)
    ]
    parts["methods"] = methods(result, list(report.titles.values()))
    if result.evidence is not None:
        parts["details"] = asdict(result.evidence)
    return document.render("compare", parts)


def _plan_fields(plan: Plan) -> dict[str, Any]:
    """Return all choices, so that the result can be understood and shown again."""
    return {one.name: getattr(plan, one.name) for one in fields(plan) if one.name != "keep_null"}


# What stands only where it applies; the contract promises all else.
_OPTIONAL = (
    "identical",
    "slice",
    "margin",
    "margin_interval",
    "margin_verdict",
    "margin_reason",
    "equivalent",
    "non_inferior",
    "units_needed",
    "exact",
    "contradicts",
    "flawed",
    "readings",
    "readings_agree",
)


def _applicable(fields: dict[str, Any], sliced: bool) -> dict[str, Any]:
    wanted = {"slice": sliced, "margin_interval": fields["margin"] is not None}
    return {
        name: value
        for name, value in fields.items()
        if name not in _OPTIONAL or wanted.get(name, value is not None)
    }


def _fields(one: Comparison) -> dict[str, Any]:
    number = document.number

    def ends(interval: tuple[float, float] | None) -> list[float | None] | None:
        return None if interval is None else [number(end) for end in interval]

    return {
        "metric": one.metric,
        "a": one.a,
        "b": one.b,
        "score_a": number(one.score_a),
        "score_b": number(one.score_b),
        "difference": number(one.difference),
        "interval": ends(one.interval),
        "level": one.level,
        "test": one.test,
        "alternative": one.alternative,
        "trials": one.trials,
        "count": one.count,
        "p_value": number(one.p_value),
        "p_stderr": number(one.p_stderr),
        "p_adjusted": number(one.p_adjusted),
        "adjust": one.adjust,
        "family_size": one.family_size,
        "significant": one.significant,
        "detectable": None if one.detectable is None else number(one.detectable),
        "seed": one.seed,
        "slice": one.slice,
        "identical": None if one.identical is None else number(one.identical),
        "margin": one.margin,
        "margin_interval": ends(one.margin_interval),
        "margin_verdict": one.margin_verdict,
        "margin_reason": one.margin_reason,
        "equivalent": one.equivalent,
        "non_inferior": one.non_inferior,
        "units_needed": one.units_needed,
        "exact": True if one.exact else None,
        "contradicts": True if one.contradicts else None,
        "flawed": True if one.test in FLAWED_TESTS else None,
        "readings": [
            {
                "reading": each.reading,
                "score_a": number(each.score_a),
                "score_b": number(each.score_b),
                "difference": number(each.difference),
                "p_value": number(each.p_value),
            }
            for each in one.readings
        ]
        or None,
        "readings_agree": one.readings_agree,
    }


def _ranking_fields(ranking: Ranking, sliced: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"metric": ranking.metric, "test": ranking.test}
    if sliced:
        fields["slice"] = ranking.slice
    fields["clusters"] = [list(cluster) for cluster in ranking.clusters]
    fields["ranks"] = {name: list(ends) for name, ends in ranking.ranks.items()}
    return fields | ({"uncorrected": True} if ranking.uncorrected else {})


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[CompareReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "github": as_github,
    "latex": as_latex,
}
