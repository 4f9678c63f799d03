"""What is shown of blind pairs and of people's choices: `weigh validate preference`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weigh import __version__
from weigh.report.citations import METRICS
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human import left_out
from weigh.report.view import Part, Used, View, remarked, signature, view_of
from weigh.result import encode
from weigh.validate.preference import PairsResult, PreferenceResult, Votes
from weigh.wording import NO_NUMBER, fixed, listed, plural, probability

# Columns of TSV; documents hold more.
_PAIRS = ("a", "b", "segments", "unscored", "same", "pairs", "judges", "reference_shown", "seed")
_NOT_IN_RECORDS = ("judges_per_pair", "seed", "signatures", "margins")


@view_of(PairsResult)
def pairs(result: PairsResult) -> View:
    """Show how many pairs there are to judge."""
    rows = [
        ("Segments with candidates", result.segments),
        ("Not scored by both metrics", result.unscored),
        ("Both metrics choose the same text", result.same),
        ("Pairs to judge", result.pairs),
        ("Judgments", result.pairs * result.judges),
        *((f"Ties for the best by {name}", count) for name, count in result.ties.items()),
    ]
    grid = Grid(
        [Column(f"{result.a} against {result.b}"), Column("Number", kind="number")],
        [[[Cell(name), Cell(f"{count:,}")] for name, count in rows]],
    )
    shown = "is shown" if result.reference_shown else "is not shown"
    ties = "the higher model score, then to the first candidate"
    if not result.ties_by_model:
        ties = "the first candidate of the list"
    document = encode(result)
    return View(
        title=f"Pairs of what {result.a} and {result.b} choose",
        subtitle=f"{plural(result.pairs, 'pair')} for {plural(result.judges, 'judge')} each",
        findings=[
            f"{result.a} and {result.b} choose different texts for {result.pairs:,} of "
            f"{plural(result.segments, 'segment')}."
        ],
        parts=[
            Part(
                "Pairs",
                grid,
                [
                    f"Each pair is for {plural(result.judges, 'judge')}; the reference {shown}. "
                    f"Ties go to {ties}.",
                    *remarked(result.remarks),
                ],
            )
        ],
        methods=f"Of the candidates of each segment, the one that {result.a} scores best was "
        f"paired with the one that {result.b} scores best, in a random order "
        f"(Zaidan & Callison-Burch 2009) (weigh {__version__}).",
        signatures=[*result.signatures.items(), ("pairs", signature({"seed": result.seed}))],
        records=[{name: document[name] for name in _PAIRS}],
        used=_used(result.signatures),
    )


@view_of(PreferenceResult)
def preference(result: PreferenceResult) -> View:
    """Show whose choices people prefer, judgment by judgment and sentence by sentence."""
    parts = [
        part
        for number, votes in enumerate(result.preferences, 1)
        for part in _votes_parts(votes, number)
    ]
    if result.omissions:
        parts.append(Part("Left out", None, left_out(result.omissions)))
    seeds = dict.fromkeys(signature({"seed": votes.seed}) for votes in result.preferences)
    against = dict.fromkeys(f"{votes.a} or {votes.b}" for votes in result.preferences)
    return View(
        title=f"Whose choices people prefer: {listed(list(against))}",
        subtitle=f"{plural(result.test_set.segments, 'segment')} judged",
        findings=[_preferred(votes) for votes in result.preferences],
        parts=parts,
        methods="People chose, blindly, between the candidates that two metrics score best "
        "(Zaidan & Callison-Burch 2009); the sign test is exact, two-sided and of sentences "
        f"(weigh {__version__}).",
        signatures=[*result.signatures.items(), *(("pairs", seed) for seed in seeds)],
        records=[
            {name: value for name, value in encode(votes).items() if name not in _NOT_IN_RECORDS}
            for votes in result.preferences
        ],
        used=_used(result.signatures),
    )


def _preferred(votes: Votes) -> str:
    """Return whose choice more sentences are for, and whether that may be chance."""
    counts = f"{votes.sentences_a:,} : {votes.sentences_b:,} sentences"
    tested = f"(sign test, p = {probability(votes.p_value)})"
    shown = "" if votes.reference_shown else " without a reference"
    if votes.sentences_a == votes.sentences_b:
        return f"{votes.a} against {votes.b}{shown}: {counts} {tested}."
    better = votes.a if votes.sentences_a > votes.sentences_b else votes.b
    return (
        f"{votes.a} against {votes.b}{shown}: {counts}, more for the choices of {better} {tested}."
    )


def _votes_parts(votes: Votes, number: int) -> Iterator[Part]:
    from weigh.report.pictures import validation as pictures

    shown = "reference shown" if votes.reference_shown else "reference not shown"
    preferred = [
        (f"{votes.a}'s choice", votes.judgments_a),
        (f"{votes.b}'s choice", votes.judgments_b),
        ("neither", votes.judgments_neither),
    ]
    yield Part(
        f"Judgments, {shown}",
        _counts_grid("Preferred", "Judgments", preferred),
        [
            f"{plural(votes.judges, 'judge')}; Krippendorff's alpha {fixed(votes.alpha, 3)}. Of "
            f"{plural(votes.judgments_a + votes.judgments_b, 'preference')}, {votes.left:,} are "
            "for what stood on the left.",
            *_gaps(votes),
        ],
        pictures=lambda: [pictures.preference_picture(votes, number)],
    )
    yield Part(
        f"Sentences, {shown}",
        _counts_grid(
            "Aggregate",
            "Sentences",
            [(_margin(margin, votes), count) for margin, count in votes.margins],
        ),
        [
            f"{votes.a} +1: one more judgment for its choice than for {votes.b}'s. Sign test of "
            f"sentences, {votes.sentences_a:,} : {votes.sentences_b:,}, exact and two-sided: "
            f"p = {probability(votes.p_value)}. Judgments of one sentence are not independent and "
            "so are not tested themselves."
        ],
    )


def _counts_grid(kind: str, unit: str, counts: Sequence[tuple[str, int]]) -> Grid:
    """Return counts with their shares, and all of them together."""
    total = sum(count for _, count in counts)
    rows = [
        [Cell(name), Cell(f"{count:,}"), Cell(f"{100 * count / total:.1f}" if total else NO_NUMBER)]
        for name, count in (*counts, ("total", total))
    ]
    columns = [Column(kind), Column(unit, kind="number"), Column("%", kind="number")]
    return Grid(columns, [rows[:-1], rows[-1:]])


def _gaps(votes: Votes) -> list[str]:
    said = []
    if votes.unanswered:
        said.append(f"{plural(votes.unanswered, 'pair')} without any answer.")
    if votes.incomplete:
        said.append(
            f"{plural(votes.incomplete, 'pair')} with fewer than "
            f"{plural(votes.judges_per_pair, 'answer')}."
        )
    return said


def _margin(margin: int, votes: Votes) -> str:
    return "±0" if not margin else f"{votes.a if margin > 0 else votes.b} +{abs(margin)}"


def _used(signatures: Mapping[str, str]) -> Used:
    return Used([_key(name) for name in signatures], works=["choices of two metrics"])


def _key(name: str) -> str:
    """Return the key of a metric by the name that it is printed with, such as chrF2."""
    return next((key for key in METRICS if name.lower().startswith(key)), name)
