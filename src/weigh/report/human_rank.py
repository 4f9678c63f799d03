"""What is said of rankings by people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_quality import verdict_fields
from weigh.report.human_steps import step_fields, steps_piece
from weigh.report.number import fixed, intervals, percent, plural, probability, share
from weigh.report.pieces import Piece
from weigh.report.presentation import Presentation, signature
from weigh.report.ranks import RANGE, confidence, rank_text, rank_title, why_uncorrected
from weigh.stats.multiplicity import FAMILYWISE

if TYPE_CHECKING:
    from weigh.human.conclusions import Conclusion
    from weigh.human.quality import Verdict
    from weigh.human.rank import HumanRanking, HumanResult
    from weigh.human.steps import Step
    from weigh.read.answers import Omission

# A pair of systems, and the ranking that it is part of.
Pair = tuple["HumanRanking", "Conclusion"]

# More pairs than this are a matrix, fewer a list.
_LONGEST_LIST = 10
_UNITS = {"segment": "segments' means", "judgment": "single judgments"}
_TITLES = {"z": "z", "raw": "Score", "expected wins": "Expected wins"}
_BOUNDARIES = {
    "all": "A line separates clusters: every system above it beats every one below.",
    "last": "A line stands below a system that beats every one below it; those above are not "
    "asked (preset wmt21).",
}


@dataclass(frozen=True, slots=True)
class RankReport:
    """All that `weigh human rank` says; `quality` names the control that judges went through.

    `verdicts` tell what was found of each judge; without a control, how he or she worked.
    """

    result: HumanResult
    quality: str = "none"
    steps: Sequence[Step] = ()
    omissions: Sequence[Omission] = ()
    remarks: Sequence[str] = ()
    verdicts: Sequence[Verdict] = ()
    test_set: Extent = NO_TEST_SET


def _pieces(report: RankReport) -> Iterator[Piece]:
    for ranking in report.result.rankings:
        grid = scores_grid(ranking, report)
        if not ranking.conclusions:
            yield Piece(_heading(ranking), grid)
            continue
        lines = [_BOUNDARIES[report.result.plan.boundary]] * (len(ranking.order.clusters) > 1)
        said = [*how_ordered(ranking), *lines, about_ranks(ranking, report)]
        yield Piece(_heading(ranking), grid, said)
        yield _pairs_piece(ranking, report)
    yield steps_piece(report.steps, report.omissions)


def about(ranking: HumanRanking) -> str:
    """Return what was judged: the language pair, if it has a name, and the scale."""
    return ", ".join(filter(None, (ranking.pair, ranking.scale)))


def _heading(ranking: HumanRanking) -> str:
    return f"{about(ranking)}: {plural(len(ranking.scores), 'system')}"


def how_ordered(ranking: HumanRanking) -> list[str]:
    """Return what the order of the systems follows, where it is not that of the scores shown."""
    return [ORDER] * ranking.combined


ORDER = (
    "Adequacy and fluency together: first stand the systems that beat most others, less those that "
    "beat them; between ties the score of adequacy decides."
)


def about_ranks(ranking: HumanRanking, report: RankReport) -> str:
    """Return how ranks are to be read, and how sure they are."""
    plan, why_not = report.result.plan, ""
    if ranking.combined:
        why_not = f"adequacy and fluency are tested at α = {share(plan.alpha)} each"
    elif ranking.uncorrected:
        why_not = why_uncorrected(plan.adjust)
        if plan.adjust in FAMILYWISE:
            why_not = "the tests are one-sided"
    return f"Rank: {RANGE}. {confidence(plan.alpha, why_not)}"


def records_of_wins(ranking: HumanRanking) -> dict[str, tuple[int, int]]:
    """Return for every system how many others it beats, and how many beat it."""
    ends = ranking.order.ranges
    return {name: (len(ends) - high, low - 1) for name, (low, high) in ends.items()}


def decimals_of(ranking: HumanRanking) -> int:
    """Return with how many decimals its scores are shown."""
    return 2 if ranking.by == "raw" else 3


def scores_grid(ranking: HumanRanking, report: RankReport) -> Grid:
    """Return the systems in a block for every cluster."""
    decimals = decimals_of(ranking)
    ranks = {name: rank_text(ends) for name, ends in ranking.order.ranges.items()}
    won = records_of_wins(ranking)
    rows: dict[str, list[Cell]] = {}
    records = [_score_fields(ranking, name) for name in ranking.order.ranges]
    ends = intervals(
        [record.get("interval") for record in records], decimals, sign=ranking.by == "z"
    )
    for record, interval in zip(records, ends, strict=True):
        system = record["system"]
        texts = [ranks[system], system, *map(str, won[system] if ranking.combined else ())]
        texts.append(fixed(record["score"], decimals))
        if ranking.by == "expected wins":
            texts += [f"{record[key]:,}" for key in ("wins", "losses", "ties")]
        else:
            texts += [interval] + [fixed(record["raw"], 1)] * (ranking.by == "z")
            texts += [f"{record[key]:,}" for key in ("judgments", "segments")]
        rows[system] = [Cell(text) for text in texts]
    columns = [Column(rank_title(ranking.uncorrected)), Column("System")]
    if ranking.combined:
        columns += [Column(title, kind="number") for title in ("Beats", "Beaten by")]
    adequacy = {"z": "Adequacy z"}.get(ranking.by, "Adequacy")
    columns.append(Column(adequacy if ranking.combined else _TITLES[ranking.by], "higher"))
    if ranking.by == "expected wins":
        titles = ["Wins", "Losses", "Ties"]
    else:
        level = f"{percent(report.result.plan.level)} interval"
        columns.append(Column(level, kind="number", attached=True))
        titles = ["Raw"] * (ranking.by == "z") + ["Judgments", "Segments"]
    columns += [Column(title, kind="number") for title in titles]
    blocks = [[rows[name] for name in cluster] for cluster in ranking.order.clusters]
    return Grid(columns, blocks, lined=True)


def how_tested(ranking: HumanRanking, report: RankReport) -> list[str]:
    """Return how the pairs of a ranking were tested."""
    plan = report.result.plan
    first = ranking.conclusions[0]
    if first.test == "sign":
        test = "Sign test of the preferences that are not ties"
    else:
        test = f"Rank-sum test of {_UNITS[plan.unit]}"
    side = "two-sided" if plan.alternative == "two-sided" else "one-sided, both directions tried"
    corrected = "not corrected for the number of pairs"
    if first.adjust != "none":
        corrected = f"adjusted by {first.adjust} for {plural(first.family_size, 'test')}"
    sentences = [f"{test}, {side}; p-values are {corrected}; α = {share(plan.alpha)}."]
    if ranking.scale != first.scale or any(one.scale != first.scale for one in ranking.conclusions):
        sentences.append("Where adequacy shows no difference, fluency decides, with its p-value.")
    return sentences


def _pairs_piece(ranking: HumanRanking, report: RankReport) -> Piece:
    sentences = how_tested(ranking, report)
    if len(ranking.conclusions) <= _LONGEST_LIST:
        grid = list_grid([(ranking, one) for one in ranking.conclusions], report)
        return Piece("", grid, sentences)
    adjusted = "" if ranking.conclusions[0].adjust == "none" else "adjusted "
    key = (
        f"> the row's system is better than the column's; a number is the {adjusted}p of a pair "
        "without evidence of a difference."
    )
    return Piece("", _matrix_grid(ranking), [key, *sentences])


def list_grid(pairs: Sequence[Pair], report: RankReport) -> Grid:
    """Return one row per pair, with what it is a pair of where there are several rankings."""
    several = len({id(ranking) for ranking, _ in pairs}) > 1
    scales = any(one.scale != ranking.scale for ranking, one in pairs)
    columns = [*[Column("Judged")] * several, Column("A"), Column("B"), *[Column("By")] * scales]
    columns += [Column(title, kind="number") for title in ("Difference", "p", "Adjusted")]
    columns.append(Column("Conclusion", kind="remark"))
    rows = []
    for ranking, one in pairs:
        texts = [*[about(ranking)] * several, one.a, one.b, *[one.scale] * scales]
        texts.append(fixed(one.difference, decimals_of(ranking), sign=True))
        texts += [probability(one.p_value), probability(one.p_adjusted)]
        texts.append(_said(one, report.result.plan.alpha))
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def _said(one: Conclusion, alpha: float) -> str:
    if one.winner is not None:
        return f"{one.winner} is better"
    if one.p_adjusted <= alpha:
        return "none: test and scores disagree"
    if one.alternative == "two-sided":
        return "no evidence of a difference"
    return f"no evidence that {one.a} is better"


def _matrix_grid(ranking: HumanRanking) -> Grid:
    """Return ranked systems against each other: the heat map of Graham et al. (2014) in signs."""
    names = list(ranking.order.ranges)
    found = {(one.a, one.b): one for one in ranking.conclusions}
    one_sided = ranking.conclusions[0].alternative != "two-sided"
    columns = range(0 if one_sided else 1, len(names))
    marks = [
        [
            "" if i == j or (j < i and not one_sided) else _mark(found[row, names[j]])
            for j in columns
        ]
        for i, row in enumerate(names)
    ]
    # As wide as any, so that the columns of a triangle stand at equal distances.
    wide = max(len(mark) for row in marks for mark in row)
    titles = [Column("#"), Column("System")]
    titles += [Column(f"{j + 1:>{wide}}", kind="number") for j in columns]
    last = len(str(len(names)))
    rows = {
        row: [Cell(f"{i + 1:>{last}}"), Cell(row), *map(Cell, marks[i])]
        for i, row in enumerate(names)
    }
    blocks = [[rows[name] for name in cluster] for cluster in ranking.order.clusters]
    return Grid(titles, blocks, lined=True)


def _mark(one: Conclusion) -> str:
    if one.winner is None:
        return probability(one.p_adjusted, 3)
    return ">" if one.winner == one.a else "<"


def signatures(report: RankReport) -> list[tuple[str, str]]:
    """Return every ranking with all that must be known to make it again."""
    return [(about(ranking), _signature(ranking, report)) for ranking in report.result.rankings]


def _signature(ranking: HumanRanking, report: RankReport) -> str:
    plan = report.result.plan
    parts: dict[str, object] = {"quality": report.quality, "by": ranking.by.replace(" ", "-")}
    if ranking.conclusions:
        first = ranking.conclusions[0]
        parts["test"] = first.test
        if first.test != "sign":
            parts["unit"] = plan.unit
        parts |= {"alt": plan.alternative, "adjust": first.adjust, "family": first.family_size}
        parts |= {"alpha": share(plan.alpha), "boundary": plan.boundary}
    return signature(parts)


def _score_fields(ranking: HumanRanking, system: str) -> dict[str, Any]:
    from weigh.human.scores import HumanScore

    one = next(each for each in ranking.scores if each.system == system)
    cluster = next(at for at, names in enumerate(ranking.order.clusters, 1) if system in names)
    fields: dict[str, Any] = {
        "pair": ranking.pair,
        "scale": ranking.scale,
        "system": system,
        "by": ranking.by,
        "score": one.score,
    }
    if isinstance(one, HumanScore):
        fields |= {"interval": one.interval, "raw": one.raw}
        fields |= {"judgments": one.judgments, "segments": one.segments}
    else:
        fields |= {"wins": one.wins, "losses": one.losses, "ties": one.ties}
    return fields | {"rank": ranking.order.ranges[system], "cluster": cluster}


def _records(report: RankReport) -> list[dict[str, Any]]:
    return [
        _score_fields(ranking, name)
        for ranking in report.result.rankings
        for name in ranking.order.ranges
    ]


def _document(report: RankReport) -> dict[str, Any]:
    rankings = report.result.rankings
    return {
        "test_set": report.test_set.fields,
        "quality": report.quality,
        "plan": asdict(report.result.plan),
        **step_fields(report.steps, report.omissions),
        "judges": [verdict_fields(one) for one in report.verdicts],
        "scores": _records(report),
        "comparisons": [
            _comparison_fields(ranking, one) for ranking in rankings for one in ranking.conclusions
        ],
        "rankings": [
            {
                "pair": ranking.pair,
                "scale": ranking.scale,
                "signature": _signature(ranking, report),
                "clusters": [list(cluster) for cluster in ranking.order.clusters],
                "uncorrected": ranking.uncorrected,
            }
            for ranking in rankings
        ],
        "remarks": list(report.remarks),
    }


def _comparison_fields(ranking: HumanRanking, one: Conclusion) -> dict[str, Any]:
    return {
        "pair": ranking.pair,
        "scale": ranking.scale,
        "decided_by": one.scale,
        "a": one.a,
        "b": one.b,
        "score_a": one.score_a,
        "score_b": one.score_b,
        "difference": one.difference,
        "test": one.test,
        "alternative": one.alternative,
        "count_a": one.count_a,
        "count_b": one.count_b,
        "p_value": one.p_value,
        "ahead": one.ahead,
        "p_adjusted": one.p_adjusted,
        "adjust": one.adjust,
        "family_size": one.family_size,
        "significant": one.significant,
        "winner": one.winner,
    }


SHOWN = Presentation("human rank", _pieces, signatures, _records, _document)
