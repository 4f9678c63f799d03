"""The view of `weigh validate samples`: samples of a large test set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from weigh.report.grid import Column, Grid, table
from weigh.report.parts import Part, Pictures, draw_later, summary
from weigh.report.phrases import BY, EXACT, metric_name, sentences, signatures_by_name
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.validate.samples_result import (
    Bracket,
    PairAtSize,
    PairsAtSizes,
    SamplesByMetric,
    SamplesResult,
)
from weigh.wording import fixed, listed, percent, percentage, plural

# More pairs than this are shown in _GROUPS groups.
_LONGEST_LIST = 20
_GROUPS = 10
_DESIGNS = {
    "drawn": "drawn with replacement",
    "broad": "spread over the whole",
    "block": "consecutive",
}


@view_of(SamplesResult)
def samples(result: SamplesResult) -> View:
    """Show how the scores of samples vary and how often their conclusions are right."""
    plan = result.plan
    a, b = result.shown
    studies = {name_metric(study, result): study for study in result.by_metric()}
    sizes = listed([f"{size:,}" for size in plan.sizes])
    parts = {
        "unit": result.unit,
        "sizes": "+".join(map(str, plan.sizes)),
        "samples": plan.samples,
        "trials": plan.trials,
        "level": f"{plan.level:g}",
        "seed": plan.seed,
    }
    return View(
        title=f"Samples of {plural(result.units, result.unit)}",
        subtitle=f"{plural(len(result.systems), 'system')}; {plural(plan.samples, 'sample')} of "
        f"each size, {plural(plan.trials, 'trial')}; pictures of single samples show {a} and {b}",
        parts=[
            *summary([_coverage(name, study, result) for name, study in studies.items()]),
            *(
                part
                for name, study in studies.items()
                for part in _samples_parts(name, study, result)
            ),
        ],
        methods=f"For every size ({sizes} {result.unit}s), {plural(plan.samples, 'sample')} "
        f"{'was' if plan.samples == 1 else 'were'} drawn with replacement from "
        f"{plural(result.units, result.unit)}, whose scores are the truth, and bootstrapped with "
        f"{plural(plan.trials, 'trial')} each; disjoint blocks and broad samples were also "
        f"examined (Koehn 2004) {BY}",
        signatures=[*signatures_by_name(result.signatures), ("samples", signature(parts))],
        records=encode(result.conclusions),
        used=Used(
            list(result.signatures),
            ["paired-bootstrap"],
            works=["samples of a test set", EXACT],
        ),
    )


def name_metric(study: SamplesByMetric, result: SamplesResult) -> str:
    """A metric's name, or its specification if two metrics share the name."""
    return metric_name(study.metric.metric, result.signatures)


def _samples_parts(name: str, study: SamplesByMetric, result: SamplesResult) -> Iterator[Part]:
    scores, conclusions = f"{name}: scores of samples", f"{name}: conclusions"
    yield Grid(
        [
            Column("Samples", lambda row: _DESIGNS[row.design]),
            Column("Size", "size", "count"),
            Column("Number", "samples", "count"),
            Column("SD of scores", "sd_score", "score", decimals=study.metric.decimals),
            Column("SD of differences", "sd_difference", "score", decimals=study.metric.decimals),
            Column("Truth inside", "coverage", "percent", decimals=1),
        ],
        [*grouped(study.spread, lambda row: row.design).values()],
        scores,
        _about_spread(result),
        section=scores,
        paper=True,
    )
    yield Pictures(draw_later("validate_pictures.sample_plots", study, result))
    yield _conclusions_grid(study, study.conclusions, result).with_title(
        conclusions, _about_conclusions(study, result), section=conclusions, paper=True
    )
    yield Pictures(draw_later("validate_pictures.conclusion_plots", study, result))
    if study.broad_conclusions:
        yield _conclusions_grid(study, study.broad_conclusions, result).with_title(
            f"{name}: conclusions of disjoint broad samples",
            [_about_broad(study, result)],
            paper=True,
        )
    yield _brackets_grid(study.brackets, result).with_title(
        f"{name}: accuracy by level",
        [
            "All pairs in all samples drawn with replacement, by the share of trials in which one "
            "system is better: how often this conclusion is right, for all pairs and for pairs "
            "that differ by at least two standard errors (clear pairs)."
        ],
        paper=True,
    )
    if study.broad_brackets:
        yield _brackets_grid(study.broad_brackets, result).with_title(
            f"{name}: accuracy by level, disjoint broad samples",
            ["The same for disjoint broad samples (Koehn 2004, table 4)."],
            paper=True,
        )


def _about_spread(result: SamplesResult) -> list[str]:
    """Notes on the scores of samples (the data of figures 2 to 4 and 6 in Koehn 2004)."""
    plan = result.plan
    return [
        f"{plural(len(result.systems), 'system')}, {plural(result.units, result.unit)} in all, "
        "whose scores are the truth. SD: standard deviation over samples, mean over systems or "
        f"pairs. Truth inside: share of {percent(plan.level)} bootstrap intervals of a system's "
        f"score, {plural(plan.trials, 'trial')} each, that contain it.",
        *sentences(result.remarks),
    ]


def _about_broad(study: SamplesByMetric, result: SamplesResult) -> str:
    """A note on the number of disjoint samples and their limits."""
    numbers = {row.size: row.samples for row in study.broad_conclusions}
    counts = listed([f"{count:,} of {size:,}" for size, count in numbers.items()])
    return (
        f"The same for samples of every k-th {result.unit}, which do not overlap (Koehn "
        f"2004, table 3): {counts}. They are few, and together they form the test set whose scores "
        "count as the truth, so they contradict it less than other samples would."
    )


def _conclusions_grid(
    study: SamplesByMetric, conclusions: Sequence[PairAtSize], result: SamplesResult
) -> Grid:
    """How often conclusions are drawn and are right, as in table 3 of Koehn (2004)."""
    decimals = study.metric.decimals

    def difference(row: PairsAtSizes) -> str:
        mark = "~ " if row.unclear and len(row.pairs) == 1 else ""
        ends = [fixed(pair.size, decimals) for pair in (row.pairs[0], row.pairs[-1])]
        return mark + (ends[0] if len(row.pairs) == 1 else " to ".join(ends))

    def count(row: PairsAtSizes) -> str:
        unclear = f" (~ {row.unclear:,})" if row.unclear else ""
        return f"{len(row.pairs):,}{unclear}"

    if len(study.pairs) - study.tied <= _LONGEST_LIST:
        rows = study.at_sizes(conclusions, _LONGEST_LIST)
        columns = [
            Column("A", lambda row: row.pairs[0].ordered[0]),
            Column("B", lambda row: row.pairs[0].ordered[1]),
        ]
    else:
        rows = study.at_sizes(conclusions, _GROUPS)
        columns = [Column("Pairs", count)]
    columns.append(Column("Difference", difference, "number"))
    for size in result.plan.sizes:
        columns += [
            Column(f"{size:,}: right", _at(size, "right"), "percent", decimals=1),
            Column("wrong", _at(size, "wrong"), "percent", decimals=1, attached=True),
        ]
    return table(rows, columns)


def _at(size: int, name: str) -> Callable[[PairsAtSizes], float]:
    return lambda row: getattr(row, name)[size]


def _about_conclusions(study: SamplesByMetric, result: SamplesResult) -> list[str]:
    plan = result.plan
    notes = [
        f"Of {plural(plan.samples, 'sample')} of each size, drawn with replacement: the share in "
        f"which the bootstrap is at least {percent(plan.level)} sure which of two systems is "
        "better, and is right or wrong; in all others no conclusion is drawn."
    ]
    if study.unclear:
        notes.append(
            f"~ {plural(study.unclear, 'pair')} with a difference of less than two standard errors "
            "of the whole test set: other texts may reverse their order."
        )
    if study.tied:
        notes.append(f"{plural(study.tied, 'pair')} with equal scores left out.")
    return notes


def _brackets_grid(brackets: Sequence[Bracket], result: SamplesResult) -> Grid:
    """How often conclusions of each level are right, as in table 4 of Koehn (2004)."""

    def level(rows: Mapping[int, Bracket]) -> str:
        row = rows[result.plan.sizes[0]]
        return f"{100 * row.low:.0f} to {100 * row.high:.0f}%"

    def of(size: int, name: str) -> Callable[[Mapping[int, Bracket]], object]:
        return lambda rows: getattr(rows[size], name)

    columns = [Column("Level", level)]
    for size in result.plan.sizes:
        columns += [
            Column(f"{size:,}: right", of(size, "accuracy"), "percent", decimals=1),
            Column("of", of(size, "conclusions"), "count", attached=True),
            Column("clear pairs", of(size, "clear_accuracy"), "percent", decimals=1, attached=True),
        ]
    levels = grouped(brackets, lambda row: (row.low, row.high)).values()
    return table(({row.size: row for row in rows} for rows in levels), columns)


def _coverage(name: str, study: SamplesByMetric, result: SamplesResult) -> str:
    """A sentence on how often intervals contain the truth and conclusions are right."""
    shares = []
    all_pairs = study.at_sizes(study.conclusions, 1)
    for size in result.plan.sizes:
        text = f"with {plural(size, result.unit)} {percentage(study.coverage(size))}"
        for row in all_pairs:
            text += (
                f" (conclusions on pairs: {percentage(row.right[size])} right, "
                f"{percentage(row.wrong[size])} wrong, the rest none)"
            )
        shares.append(text)
    return (
        f"{name}: the share of {percent(result.plan.level)} intervals that contain the score of "
        f"the whole test set is {'; '.join(shares)}."
    )
