"""The view of `weigh validate samples`: samples of a large test set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weigh.report.grid import Column, Grid, number_columns
from weigh.report.parts import Part, Pictures, summary
from weigh.report.phrases import BY, EXACT, metric_name, named
from weigh.report.view import Used, View, remark_sentences, signature, view_of
from weigh.result import checked, encode
from weigh.types import grouped
from weigh.validate.samples import (
    Bracket,
    PairAtSize,
    SampledMetric,
    SamplesResult,
    ShownSample,
    Spread,
    TruePair,
)
from weigh.wording import NO_NUMBER, fixed, listed, percent, plural

# More pairs than this are shown in as many groups as _GROUPS.
_LONGEST_LIST = 20
_GROUPS = 10
_DESIGNS = {
    "drawn": "drawn with replacement",
    "broad": "spread over the whole",
    "block": "consecutive",
}


@dataclass(frozen=True)
class SamplesByMetric:
    """What a study says by one of its metrics, which has a number from 1.

    `scores` are those of the whole test set, `pairs` hold the true differences.
    """

    result: SamplesResult
    metric: SampledMetric
    number: int
    name: str
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], TruePair]
    spread: Sequence[Spread]
    conclusions: Sequence[PairAtSize]
    brackets: Sequence[Bracket]
    broad_conclusions: Sequence[PairAtSize]
    broad_brackets: Sequence[Bracket]

    @classmethod
    def of(cls, result: SamplesResult, number: int) -> SamplesByMetric:
        """What a study says by the metric of a number."""
        metric = result.metrics[number - 1]
        key = metric.metric
        return cls(
            result,
            metric,
            number,
            metric_name(key, result.signatures.items()),
            {row.system: row.score for row in result.scores if row.metric == key},
            {(row.a, row.b): row for row in result.pairs if row.metric == key},
            [row for row in result.spread if row.metric == key],
            [row for row in result.conclusions if row.metric == key],
            [row for row in result.brackets if row.metric == key],
            [row for row in result.broad_conclusions if row.metric == key],
            [row for row in result.broad_brackets if row.metric == key],
        )

    def fixed(self, value: float, *, sign: bool = False) -> str:
        """A score or a difference as it is shown."""
        return fixed(value, self.metric.decimals, sign=sign)

    def series(self, design: str) -> list[ShownSample]:
        """The single samples of a design."""
        about = (self.metric.metric, design)
        return [row for row in self.result.series if (row.metric, row.design) == about]


@view_of(SamplesResult)
def samples(result: SamplesResult) -> View:
    """Show how samples scatter and how right their conclusions are."""
    plan = result.plan
    a, b = result.shown
    by_metric = [SamplesByMetric.of(result, at) for at, _ in enumerate(result.metrics, 1)]
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
        subtitle=f"{plural(len(result.systems), 'system')}; {plan.samples:,} samples of each size, "
        f"{plan.trials:,} trials; pictures of single samples show {a} and {b}",
        parts=[
            *summary(
                [_held(study) for study in by_metric],
                [
                    "The truth is the score of this test set: a pair that differs by less than two "
                    "standard errors, marked ~ in the tables, may have the opposite order on "
                    "other texts."
                ],
            ),
            *[part for study in by_metric for part in _samples_parts(study)],
        ],
        methods=f"For every size ({sizes} {result.unit}s), {plan.samples:,} samples were drawn "
        f"with replacement from {plural(result.units, result.unit)}, whose scores are the truth, "
        f"and bootstrapped with {plan.trials:,} trials each; disjoint blocks and broad samples "
        f"were also examined (Koehn 2004) {BY}",
        signatures=[*named([*result.signatures.items()]), ("samples", signature(parts))],
        records=encode(result.conclusions),
        used=Used(
            list(result.signatures),
            ["paired-bootstrap"],
            works=["samples of a test set", EXACT],
        ),
    )


def _samples_parts(study: SamplesByMetric) -> Iterator[Part]:
    from weigh.report import validate_pictures as pictures

    scores, conclusions = f"{study.name}: scores of samples", f"{study.name}: conclusions"
    yield _spread_grid(study).titled(scores, _about_spread(study), section=scores, paper=True)
    yield Pictures(lambda: pictures.sample_plots(study))
    yield _conclusions_grid(study, study.conclusions).titled(
        conclusions, _about_conclusions(study), section=conclusions, paper=True
    )
    yield Pictures(lambda: pictures.conclusion_plots(study))
    if study.broad_conclusions:
        yield _conclusions_grid(study, study.broad_conclusions).titled(
            f"{study.name}: conclusions of disjoint broad samples",
            [_about_broad(study)],
            paper=True,
        )
    yield _brackets_grid(study, study.brackets).titled(
        f"{study.name}: accuracy by level",
        [
            "Conclusions on all pairs in all samples drawn with replacement, by the share of "
            "trials in which one system is better: how many of them are right, and how many on "
            "pairs that differ by at least two standard errors."
        ],
        paper=True,
    )
    if study.broad_brackets:
        yield _brackets_grid(study, study.broad_brackets).titled(
            f"{study.name}: accuracy by level, disjoint broad samples",
            ["The same of disjoint broad samples (Koehn 2004, table 4)."],
            paper=True,
        )


def _about_broad(study: SamplesByMetric) -> str:
    """How many disjoint samples there are, and what they have in common."""
    numbers = {row.size: row.samples for row in study.broad_conclusions}
    counts = listed([f"{count:,} of {size:,}" for size, count in numbers.items()])
    return (
        f"The same of samples of every k-th {study.result.unit}, which do not overlap (Koehn "
        f"2004, table 3): {counts}. There are few of them, and together they make up the test "
        "set that counts as the truth, so they contradict it less than other samples would."
    )


def _spread_grid(study: SamplesByMetric) -> Grid:
    """How samples scatter: Koehn (2004), figures 2 to 4 and 6, in numbers."""
    return Grid(
        [
            Column("Samples", lambda row: _DESIGNS[row.design]),
            Column("Size", lambda row: row.size, kind="count"),
            Column("Number", lambda row: row.samples, kind="count"),
            Column("SD of scores", lambda row: study.fixed(row.sd_score), kind="number"),
            Column("SD of differences", lambda row: study.fixed(row.sd_difference), kind="number"),
            Column(
                "Truth inside", lambda row: _percentage(row.covering, row.intervals), kind="number"
            ),
        ],
        [*grouped(study.spread, lambda row: row.design).values()],
    )


def _about_spread(study: SamplesByMetric) -> list[str]:
    result, plan = study.result, study.result.plan
    return [
        f"{plural(len(result.systems), 'system')}, {plural(result.units, result.unit)} in all, "
        "whose scores are the truth. SD: standard deviation over samples, mean over systems or "
        f"pairs. Truth inside: share of {percent(plan.level)} bootstrap intervals of a system's "
        f"score, {plan.trials:,} trials each, that hold it.",
        *remark_sentences(result.remarks),
    ]


def _conclusions_grid(study: SamplesByMetric, conclusions: Sequence[PairAtSize]) -> Grid:
    """How often a conclusion is drawn and is right: Koehn (2004), table 3."""
    sizes, pairs = study.result.plan.sizes, study.pairs
    counts = {(row.a, row.b, row.size): row for row in conclusions}
    order = sorted(
        dict.fromkeys((row.a, row.b) for row in conclusions),
        key=lambda pair: abs(pairs[pair].advantage),
    )
    is_listed = len(order) <= _LONGEST_LIST
    groups = [[pair] for pair in order]
    if not is_listed:
        ends = [len(order) * n // _GROUPS for n in range(_GROUPS + 1)]
        groups = [order[start:stop] for start, stop in pairwise(ends)]
    columns = [*map(Column, ("A", "B") if is_listed else ("Pairs",)), *number_columns("Difference")]
    for size in sizes:
        columns += number_columns(f"{size:,}: right")
        columns.append(Column("wrong", kind="number", attached=True))
    rows = []
    for group in groups:
        true_pairs = [pairs[pair] for pair in group]
        texts = _one_pair(true_pairs[0], study) if is_listed else _several(true_pairs, study)
        for size in sizes:
            counted = [counts[a, b, size] for a, b in group]
            samples = sum(row.samples for row in counted)
            for count in (sum(row.right for row in counted), sum(row.wrong for row in counted)):
                texts.append(fixed(100 * count / samples, 1))
        rows.append(texts)
    return Grid(columns, [rows])


def _one_pair(pair: TruePair, study: SamplesByMetric) -> list[str]:
    """What a row of one pair is about, the better system first."""
    names = [pair.a, pair.b] if pair.advantage >= 0 else [pair.b, pair.a]
    return [*names, f"{'' if pair.clear else '~ '}{study.fixed(abs(pair.advantage))}"]


def _several(pairs: Sequence[TruePair], study: SamplesByMetric) -> list[str]:
    """What a row of several pairs is about."""
    unclear = sum(not pair.clear for pair in pairs)
    first, last = (study.fixed(abs(pair.advantage)) for pair in (pairs[0], pairs[-1]))
    return [f"{len(pairs)}" + f" (~ {unclear})" * (unclear > 0), f"{first} to {last}"]


def _about_conclusions(study: SamplesByMetric) -> list[str]:
    plan, pairs = study.result.plan, study.pairs.values()
    notes = [
        f"Per cent of {plan.samples:,} samples, drawn with replacement, of each size in which the "
        f"bootstrap is at least {percent(plan.level)} sure which of two systems is better, and is "
        "right or wrong; in all others no conclusion is drawn."
    ]
    unclear = sum(not pair.clear for pair in pairs)
    if unclear:
        notes.append(
            f"~ {plural(unclear, 'pair')} with a difference of less than two standard errors of "
            "the whole test set: other texts may reverse their order."
        )
    tied = sum(pair.advantage == 0 for pair in pairs)
    if tied:
        notes.append(f"{plural(tied, 'pair')} with equal scores left out.")
    return notes


def _brackets_grid(study: SamplesByMetric, brackets: Sequence[Bracket]) -> Grid:
    """How often conclusions of a level are right: Koehn (2004), table 4."""
    sizes = study.result.plan.sizes
    columns = [Column("Level")]
    for size in sizes:
        columns += number_columns(f"{size:,}: right")
        columns += [Column(title, kind="number", attached=True) for title in ("of", "clear pairs")]
    by_size = {(row.low, row.size): row for row in brackets}
    rows = []
    for low, high in dict.fromkeys((row.low, row.high) for row in brackets):
        texts = [f"{100 * low:.0f} to {100 * high:.0f}%"]
        for size in sizes:
            row = by_size[low, size]
            texts += [_percentage(row.right, row.conclusions), f"{row.conclusions:,}"]
            texts.append(_percentage(row.clear_right, row.clear_conclusions))
        rows.append(texts)
    return Grid(columns, [rows])


def _percentage(count: int, total: int) -> str:
    return f"{100 * (count / total):.1f}%" if total else NO_NUMBER


def _held(study: SamplesByMetric) -> str:
    """How often intervals hold the truth, and how often conclusions are right."""
    result, plan = study.result, study.result.plan
    shares: list[str] = []
    drawn = {row.size: row for row in study.spread if row.design == "drawn"}
    for size in plan.sizes:
        spread = drawn[size]
        checked(spread.intervals > 0, f"no intervals of samples of {size:,}")
        share = spread.covering / spread.intervals
        conclusions = [row for row in study.conclusions if row.size == size]
        samples = sum(row.samples for row in conclusions)
        text = f"with {size:,} {result.unit}s {fixed(100 * share, 1)}%"
        if samples:
            right = sum(row.right for row in conclusions)
            wrong = sum(row.wrong for row in conclusions)
            text += (
                f" (conclusions on pairs: {fixed(100 * right / samples, 1)}% right, "
                f"{fixed(100 * wrong / samples, 1)}% wrong, the rest none)"
            )
        shares.append(text)
    return (
        f"{study.name}: the share of {percent(plan.level)} intervals that hold the score of the "
        f"whole is {'; '.join(shares)}."
    )
