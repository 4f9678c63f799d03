"""Blind pairs and what people said of them, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.errors import InputError
from weigh.report import document, pieces, table, tsv
from weigh.report.decoding import decode
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_steps import left_out
from weigh.report.number import NO_NUMBER, fixed, plural, probability
from weigh.report.pieces import Piece
from weigh.validate.preference import Key

if TYPE_CHECKING:
    from weigh.read.answers import Omission
    from weigh.validate.preference_votes import Votes

_KEY = "validate preference key"


def key_document(key: Key) -> str:
    """Return the file that tells which side of each pair is whose choice."""
    return document.render(_KEY, asdict(key)) + "\n"


def restored_key(text: str, name: str) -> Key:
    """Return a key from its file; `name` is the file's, for errors."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("command") != _KEY:
        raise InputError(
            f"{name}: not a key of blind pairs; give the file that 'weigh validate preference' "
            "has written with --key"
        )
    return decode(Key, found, name)


@dataclass(frozen=True, slots=True)
class PairsReport:
    """What `weigh validate preference` says of pairs before they are judged.

    `pairs` is how many there are. `by_model` tells whether the model's scores were known, for ties.
    """

    key: Key
    pairs: int
    references: int
    by_model: bool = True


@dataclass(frozen=True, slots=True)
class VotesReport:
    """What `weigh validate preference` says of people's answers on so many segments."""

    votes: Sequence[Votes]
    segments: int
    omissions: Sequence[Omission] = ()


def _made_pieces(report: PairsReport) -> Iterator[Piece]:
    key = report.key
    rows = [
        ("Segments with candidates", key.segments),
        ("Not scored by both metrics", key.unscored),
        ("Both metrics choose the same text", key.same),
        ("Pairs to judge", report.pairs),
        ("Judgments", report.pairs * key.judges),
        *((f"Ties for the best by {name}", count) for name, count in key.broken_ties.items()),
    ]
    grid = Grid(
        [Column(f"{key.a} against {key.b}"), Column("Number", kind="number")],
        [[[Cell(name), Cell(f"{count:,}")] for name, count in rows]],
    )
    shown = "is shown" if key.reference_shown else "is not shown"
    ties = "the higher model score, then to the first candidate"
    if not report.by_model:
        ties = "the first candidate of the list"
    yield Piece(
        "Pairs",
        grid,
        [
            f"Each pair is for {plural(key.judges, 'judge')}; the reference {shown}. Ties go to "
            f"{ties}."
        ],
    )


def _pieces(report: VotesReport) -> Iterator[Piece]:
    for votes in report.votes:
        yield from _vote_pieces(votes)
    if report.omissions:
        yield Piece("Left out", None, left_out(report.omissions))


def _vote_pieces(votes: Votes) -> Iterator[Piece]:
    key = votes.key
    shown = "reference shown" if key.reference_shown else "reference not shown"
    total = sum(votes.judgments)
    rows = [
        [Cell(name), Cell(f"{count:,}"), Cell(_percent(count, total))]
        for name, count in zip(
            (f"{key.a}'s choice", f"{key.b}'s choice", "neither"), votes.judgments, strict=True
        )
    ]
    answered = total - votes.judgments[2]
    yield Piece(
        f"Judgments, {shown}",
        Grid(
            [Column("Preferred"), Column("Judgments", kind="number"), Column("%", kind="number")],
            [rows, [[Cell("total"), Cell(f"{total:,}"), Cell(_percent(total, total))]]],
        ),
        [
            f"{plural(votes.judges, 'judge')}; Krippendorff's alpha "
            f"{fixed(votes.alpha, 3)}. Of {plural(answered, 'preference')}, {votes.lefts:,} are "
            "for what stood on the left.",
            *_gaps(votes),
        ],
    )
    sentences = sum(votes.margins.values())
    ahead_a, ahead_b = votes.ahead
    yield Piece(
        f"Sentences, {shown}",
        Grid(
            [Column("Aggregate"), Column("Sentences", kind="number"), Column("%", kind="number")],
            [
                [
                    [
                        Cell(_margin(margin, key)),
                        Cell(f"{count:,}"),
                        Cell(_percent(count, sentences)),
                    ]
                    for margin, count in votes.margins.items()
                ],
                [[Cell("total"), Cell(f"{sentences:,}"), Cell(_percent(sentences, sentences))]],
            ],
        ),
        [
            f"{key.a} +1: one more judgment for its choice than for {key.b}'s. Sign test of "
            f"sentences, {ahead_a:,} : {ahead_b:,}, exact and two-sided: "
            f"p = {probability(votes.p_value)}. Judgments of one sentence are not independent and "
            "so are not tested themselves."
        ],
    )


def _gaps(votes: Votes) -> list[str]:
    said = []
    if votes.unanswered:
        said.append(f"{plural(votes.unanswered, 'pair')} without any answer.")
    if votes.incomplete:
        said.append(
            f"{plural(votes.incomplete, 'pair')} with fewer than "
            f"{plural(votes.key.judges, 'answer')}."
        )
    return said


def _margin(margin: int, key: Key) -> str:
    return "±0" if not margin else f"{key.a if margin > 0 else key.b} +{abs(margin)}"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}" if total else NO_NUMBER


def _signatures(keys: Sequence[Key]) -> list[tuple[str, str]]:
    found = dict(pair for key in keys for pair in key.signatures.items())
    parts = [f"seed:{key.seed}|version:weigh-{__version__}" for key in keys]
    return [*found.items(), *(("pairs", part) for part in dict.fromkeys(parts))]


def pairs_as_table(report: PairsReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_made_pieces(report), _signatures([report.key]), screen)


def pairs_as_tsv(report: PairsReport) -> str:
    """Return one row of counts."""
    fields = _pairs_fields(report)
    texts = [Cell(str(value)) for value in fields.values()]
    return tsv.render(Grid([Column(name) for name in fields], [[texts]]))


def _pairs_fields(report: PairsReport) -> dict[str, Any]:
    key = report.key
    return {
        "a": key.a,
        "b": key.b,
        "segments": key.segments,
        "unscored": key.unscored,
        "same": key.same,
        "pairs": report.pairs,
        "judges": key.judges,
        "reference_shown": key.reference_shown,
        "seed": key.seed,
    }


def pairs_as_json(report: PairsReport) -> str:
    """Return the counts for programs; which side is whose stands in the key alone."""
    key = report.key
    return document.render(
        "validate preference",
        {
            "test_set": document.Extent(key.segments, report.references).fields,
            **_pairs_fields(report),
            "ties": key.broken_ties,
            "ties_by_model": report.by_model,
            "signatures": key.signatures,
        },
    )


PAIRS_FORMATS: dict[str, Callable[[PairsReport], str]] = {
    "json": pairs_as_json,
    "tsv": pairs_as_tsv,
    "markdown": lambda report: pieces.as_markdown(_made_pieces(report), _signatures([report.key])),
    "latex": lambda report: pieces.as_latex(_made_pieces(report)),
}


def as_table(report: VotesReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _all_signatures(report), screen)


def as_markdown(report: VotesReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _all_signatures(report))


def as_latex(report: VotesReport) -> str:
    """Return a table for each of them."""
    return pieces.as_latex(_pieces(report))


def _all_signatures(report: VotesReport) -> list[tuple[str, str]]:
    return _signatures([votes.key for votes in report.votes])


def _fields(votes: Votes) -> dict[str, Any]:
    preferred_a, preferred_b, neither = votes.judgments
    ahead_a, ahead_b = votes.ahead
    return {
        "a": votes.key.a,
        "b": votes.key.b,
        "reference_shown": votes.key.reference_shown,
        "judges": votes.judges,
        "judgments_a": preferred_a,
        "judgments_b": preferred_b,
        "judgments_neither": neither,
        "sentences_a": ahead_a,
        "sentences_b": ahead_b,
        "sentences_even": sum(votes.margins.values()) - ahead_a - ahead_b,
        "p_value": votes.p_value,
        "left": votes.lefts,
        "alpha": document.number(votes.alpha),
        "unanswered": votes.unanswered,
        "incomplete": votes.incomplete,
    }


def as_tsv(report: VotesReport) -> str:
    """Return one row for each key, with all digits."""
    records = [_fields(votes) for votes in report.votes]
    rows = [
        [Cell("" if value is None else str(value)) for value in record.values()]
        for record in records
    ]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: VotesReport) -> str:
    """Return the document that programs read."""
    return document.render(
        "validate preference",
        {
            "test_set": document.Extent(report.segments, 0).fields,
            "preferences": [
                {
                    **_fields(votes),
                    "judges_per_pair": votes.key.judges,
                    "seed": votes.key.seed,
                    "signatures": votes.key.signatures,
                    "margins": [[margin, count] for margin, count in votes.margins.items()],
                }
                for votes in report.votes
            ],
            "omissions": [each.fields for each in report.omissions],
            "signatures": dict(_all_signatures(report)),
        },
    )


FORMATS: dict[str, Callable[[VotesReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
