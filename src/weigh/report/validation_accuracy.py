"""What is said of tests held against people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_steps import step_fields, steps_piece
from weigh.report.metric_names import metric_name, named
from weigh.report.number import fixed, intervals, percent, plural, probability, share
from weigh.report.pieces import Piece, remarked
from weigh.report.presentation import Presentation, signature
from weigh.stats.multiplicity import adjust
from weigh.stats.printed import p_value

if TYPE_CHECKING:
    from weigh.human.judgments import Step
    from weigh.read.answers import Omission
    from weigh.validate.accuracy import AccuracyResult, AccuracyTable, Agreement, Difference

# Up to this p-value, corrected, a difference between methods is told.
_NOTABLE = 0.05


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """All that `weigh validate accuracy` says; `remarks` are on the data."""

    result: AccuracyResult
    steps: Sequence[Step] = ()
    omissions: Sequence[Omission] = ()
    remarks: Sequence[str] = ()
    test_set: Extent = NO_TEST_SET

    def name(self, method: str) -> str:
        """Return what a metric is called; a test is called as it is."""
        return metric_name(method, self.result.signatures)

    @property
    def tables(self) -> dict[str, AccuracyTable]:
        """The tables by people's level; the second only where it says something else."""
        result = self.result
        made = {"same": result.same_level}
        if result.plan.alphas != (result.plan.human_alpha,):
            made["fixed"] = result.fixed_level
        return made


def _pieces(report: AccuracyReport) -> Iterator[Piece]:
    for name in report.tables:
        yield from table_pieces(name, report)
    yield from answer_pieces(report)


def heading(name: str, report: AccuracyReport) -> str:
    """Return what one of the tables is called."""
    if name == "same":
        return "Accuracy, tests and people at the same level"
    return f"Accuracy, people always at {share(report.result.plan.human_alpha)}"


def table_pieces(name: str, report: AccuracyReport) -> Iterator[Piece]:
    """Return one of the tables, and whether methods differ in it."""
    result, part = report.result, report.tables[name]
    about = (
        f"{plural(len(result.pairs), 'pair')} of {plural(len(result.names), 'system')}. Agree: the "
        "test and people conclude the same of three things (A is better, B is better, no evidence "
        "of a difference), one-sided, both directions tried, not corrected. Found: pairs with a "
        "significant difference. Opposite: each finds the other system better. Tests by one metric "
        "that conclude the same of every pair share a row."
    )
    sentences = [about, *cautions(report), *remarked(report.remarks)] if name == "same" else []
    yield Piece(heading(name, report), _grid(part, report), sentences)
    if part.differences:
        yield Piece("", _differences_grid(part, report), _notable(part, report))


def answer_pieces(report: AccuracyReport) -> Iterator[Piece]:
    """Return who was left out, and what became of people's answers."""
    result = report.result
    if result.unjudged:
        yield Piece(sentences=[f"Not judged by people, left out: {', '.join(result.unjudged)}."])
    if result.missing:
        yield Piece(
            sentences=[f"Judged by people but not given, left out: {', '.join(result.missing)}."]
        )
    yield steps_piece(report.steps, report.omissions)


def _grid(part: AccuracyTable, report: AccuracyReport) -> Grid:
    """Return a block for every level: Graham et al. (2014), tables 1 and 2."""
    plan = report.result.plan
    columns = [Column("α"), Column("Metric"), Column("Test")]
    columns += [Column("Agree", kind="number"), Column("Accuracy", "higher")]
    columns.append(Column(f"{percent(plan.level)} interval", kind="number", attached=True))
    columns += [Column(title, kind="number") for title in ("Found", "By people", "Opposite")]
    blocks = []
    for alpha in plan.alphas:
        groups = alike([one for one in part.agreements if one.alpha == alpha])
        ends = intervals([percentages(group[0], plan.level) for group in groups], 1)
        best = max(group[0].accuracy.count for group in groups)
        rows = []
        for group, interval in zip(groups, ends, strict=True):
            one, agree = group[0], group[0].accuracy
            tests = together([each.test for each in group], plan.tests)
            texts = [share(alpha), report.name(one.metric), tests, f"{agree.count}/{agree.total}"]
            cells = [Cell(text) for text in texts]
            cells.append(Cell(fixed(100 * agree.share, 1), best=agree.count == best))
            texts = [interval, str(one.found), str(one.found_by_people), str(one.wrong_direction)]
            rows.append([*cells, *map(Cell, texts)])
        blocks.append(rows)
    return Grid(columns, blocks)


def alike(agreements: Sequence[Agreement]) -> list[list[Agreement]]:
    """Return agreements in groups: tests by one metric that conclude the same of every pair."""
    groups: dict[tuple[str, bytes], list[Agreement]] = {}
    for one in agreements:
        groups.setdefault((one.metric, one.automatic.tobytes()), []).append(one)
    return list(groups.values())


def together(names: Sequence[str], all_names: Sequence[str]) -> str:
    """Return names as one: all of them, if there are several, are called so."""
    return "all" if len(names) == len(all_names) > 1 else ", ".join(names)


def percentages(one: Agreement, level: float) -> tuple[float, float]:
    """Return the exact interval of an accuracy in per cent."""
    low, high = one.accuracy.interval(level)
    return 100 * low, 100 * high


def cautions(report: AccuracyReport) -> list[str]:
    """Return what the accuracies do not say."""
    plan, part = report.result.plan, report.result.same_level
    said = [
        f"Intervals are exact (Clopper & Pearson), {percent(plan.level)}, pairs treated as "
        "independent, which pairs of the same systems are not. With three possible conclusions "
        "50% is not chance."
    ]
    first = [one for one in part.agreements if one.alpha == plan.alphas[0]]
    p_values = adjust([one.mcnemar for one in first], "holm")
    stronger = [
        (p, one)
        for p, one in zip(p_values.tolist(), first, strict=True)
        if one.found > one.found_by_people and p <= _NOTABLE
    ]
    if stronger:
        p, one = min(stronger, key=lambda entry: entry[0])
        said.append(
            f"At {share(one.alpha)} people find {one.found_by_people} of "
            f"{len(report.result.pairs)} differences and {one.test} by {report.name(one.metric)} "
            f"{one.found}: {one.found_alone} that people do not find against "
            f"{one.found_by_people_alone} that they alone find (McNemar's exact test, "
            f"{p_value(p)}, adjusted by Holm's method for {plural(len(first), 'test')}). With so "
            "many answers people's tests are the weaker ones, and part of the disagreement is "
            "theirs."
        )
    return said


def _differences_grid(part: AccuracyTable, report: AccuracyReport) -> Grid:
    """Return the tests between methods that do not conclude the same of every pair."""
    columns = [Column("Between"), Column("By"), Column("α")]
    columns += [
        Column(title, kind="number") for title in ("χ²", "df", "p of χ²", "Q", "p of Cochran's Q")
    ]
    rows = []
    for group in _same_contrasts(part.differences):
        one = group[0]
        chi, q = one.contrast.chi_square, one.contrast.cochran
        all_of = {each.given for each in part.differences if each.between == one.between}
        by = together([report.name(each.given) for each in group], list(all_of))
        texts = [one.between, by, share(one.alpha), fixed(chi.statistic, 2), str(chi.df)]
        texts += [probability(chi.p_value), fixed(q.statistic, 2), probability(q.p_value)]
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _same_contrasts(differences: Sequence[Difference]) -> list[list[Difference]]:
    groups: dict[tuple[object, ...], list[Difference]] = {}
    for one in differences:
        groups.setdefault((one.between, one.alpha, one.contrast), []).append(one)
    return list(groups.values())


def _notable(part: AccuracyTable, report: AccuracyReport) -> list[str]:
    """Return a sentence on methods that differ, the same cases considered."""
    pairs = [
        (group, pair)
        for group in _same_contrasts(part.differences)
        for pair in group[0].contrast.pairs
    ]
    found = []
    adjusted = adjust([pair.mcnemar for _, pair in pairs], "holm").tolist()
    for (group, pair), p in zip(pairs, adjusted, strict=True):
        if p <= _NOTABLE:
            given = ", ".join(report.name(each.given) for each in group)
            found.append(
                f"{report.name(pair.a)} {pair.only_a}:{pair.only_b} {report.name(pair.b)} "
                f"(by {given}, α {share(group[0].alpha)}, p {probability(p)})"
            )
    corrected = f"adjusted by Holm's method for {plural(len(pairs), 'comparison')}"
    said = [
        "χ² takes the accuracies for independent ones, as Graham et al. (2014) do; Cochran's Q "
        "knows that the same pairs are judged."
    ]
    if found:
        said.append(
            "McNemar's exact test, pairs of which only one is right, p at most "
            f"{share(_NOTABLE)}, {corrected}: {'; '.join(found)}."
        )
    else:
        said.append(f"McNemar's exact test, {corrected}, is above {share(_NOTABLE)} for every two.")
    return said


def _signatures(report: AccuracyReport) -> list[tuple[str, str]]:
    plan = report.result.plan
    parts = {
        "test": "+".join(plan.tests),
        "alt": "one-sided",
        "trials": plan.trials,
        "adjust": "none",
        "seed": plan.seed,
    }
    return [*named(report.result.signatures), ("tests", signature(parts))]


def _fields(one: Agreement, report: AccuracyReport) -> dict[str, Any]:
    agree = one.accuracy
    return {
        "metric": one.metric,
        "test": one.test,
        "alpha": one.alpha,
        "human_alpha": one.human_alpha,
        "pairs": agree.total,
        "agree": agree.count,
        "accuracy": agree.share,
        "interval": agree.interval(report.result.plan.level),
        "significant": one.found,
        "human_significant": one.found_by_people,
        "wrong_direction": one.wrong_direction,
    }


def _records(report: AccuracyReport) -> list[dict[str, Any]]:
    return [
        {"human": name, **_fields(one, report)}
        for name, part in report.tables.items()
        for one in part.agreements
    ]


def _difference_fields(one: Difference) -> dict[str, Any]:
    found = one.contrast
    return {
        "between": one.between,
        "by": one.given,
        "alpha": one.alpha,
        "human_alpha": one.human_alpha,
        "chi_square": found.chi_square._asdict(),
        "cochran": found.cochran._asdict(),
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "only_a": pair.only_a,
                "only_b": pair.only_b,
                "chi_square_p": pair.chi_square.p_value,
                "mcnemar_p": pair.mcnemar,
            }
            for pair in found.pairs
        ],
    }


def _document(report: AccuracyReport) -> dict[str, Any]:
    result = report.result
    people = {one.human_alpha: one.human for one in result.same_level.agreements}
    people |= {one.human_alpha: one.human for one in result.fixed_level.agreements}
    named = [(result.names[a], result.names[b]) for a, b in result.pairs]
    parts: dict[str, Any] = {
        "test_set": report.test_set.fields,
        "systems": list(result.names),
        "not_judged": list(result.unjudged),
        "not_given": list(result.missing),
        "plan": asdict(result.plan),
        "signatures": dict(result.signatures),
    }
    for name, part in report.tables.items():
        parts[f"{name}_level"] = [_fields(one, report) for one in part.agreements]
        parts[f"{name}_level_differences"] = [_difference_fields(one) for one in part.differences]
    parts["human_conclusions"] = [
        {"a": a, "b": b, "alpha": alpha, "conclusion": int(verdicts[at])}
        for alpha, verdicts in people.items()
        for at, (a, b) in enumerate(named)
    ]
    parts["p_values"] = [
        {
            "metric": one.metric,
            "test": one.test,
            "a": a,
            "b": b,
            "better": float(one.better[at]),
            "worse": float(one.worse[at]),
        }
        for one in result.p_values
        for at, (a, b) in enumerate(named)
    ]
    parts["remarks"] = list(report.remarks)
    return parts | step_fields(report.steps, report.omissions)


SHOWN = Presentation("validate accuracy", _pieces, _signatures, _records, _document)
