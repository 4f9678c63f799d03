"""What is said alike of several kinds of results: names of metrics, ranks, who beats whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from weigh import __version__
from weigh.comparing.score_result import GIVEN_SCORES
from weigh.errors import WeighError
from weigh.report.grid import Column
from weigh.wording import listed, percent, plural

BY = f"(weigh {__version__})."
"""Who says so, at the end of a paragraph on methods."""
EXACT = "exact binomial intervals"
"""What is cited for intervals of shares."""


def metric_name(metric: str, signatures: Iterable[tuple[str, str]]) -> str:
    """A metric's name, or how it was asked for where two share one.

    `signatures` are those of all metrics of a study, by how they were asked for.

    >>> metric_name("chrf", [("chrf", "nrefs:1"), ("ter", "nrefs:1")])
    'chrF2'
    """
    names = {asked: _name_of(asked, signature) for asked, signature in signatures}
    name = names.get(metric, metric)
    return name if list(names.values()).count(name) == 1 else metric


def named(signatures: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Signatures by the names of their metrics."""
    return [(metric_name(asked, signatures), signature) for asked, signature in signatures]


@cache
def _name_of(asked: str, signature: str) -> str:
    from weigh.metrics.registry import parse_metric

    if not GIVEN_SCORES.isdisjoint(signature.split("|")):
        return asked
    try:
        return parse_metric(asked).name
    except WeighError:  # of a package, say, that is not installed where a saved result is shown
        return asked


def interval_column(level: float) -> Column:
    """The column of intervals of the numbers in the column before it."""
    return Column(f"{percent(level)} interval", kind="number", attached=True)


RANGE = (
    "from 1 plus the number of systems that beat it to the number of systems minus those it beats"
)


def rank_text(ends: tuple[int, int]) -> str:
    """Format a rank, or the range of ranks that a system may have.

    >>> rank_text((1, 1)), rank_text((2, 4))
    ('1', '2–4')
    """
    low, high = ends
    return f"{low}" if low == high else f"{low}–{high}"


def rank_title(uncorrected: bool) -> str:
    """Title of a column of ranks."""
    return "Rank (uncorrected)" if uncorrected else "Rank"


def confidence(alpha: float, why_not: str = "") -> str:
    """How confident ranks are, or why they are not."""
    if why_not:
        return f"Rank ranges are uncorrected and may not hold jointly: {why_not}."
    return f"Rank ranges hold jointly with {percent(1 - alpha)} confidence."


def why_uncorrected(adjust: str) -> str:
    """Why ranks by such p-values are not confidence statements."""
    if adjust == "none":
        return "p-values are not corrected for the number of pairs"
    return f"{adjust} controls the share of false findings, not the probability of any"


NO_EVIDENCE = "no evidence of a difference"
_MOST_NAMED = 6
_MOST_PAIRS = 6


def names_of(systems: Sequence[str]) -> str:
    """List the first few names in a sentence."""
    if len(systems) <= _MOST_NAMED:
        return listed(systems)
    return listed([*systems[: _MOST_NAMED - 1], f"{len(systems) - _MOST_NAMED + 1:,} more"])


def conclusion(
    order: Iterable[str],
    tested: Iterable[tuple[str, str]],
    beaten: Sequence[tuple[str, str]],
) -> str:
    """Conclusion of a test of systems, best first: who beats whom, and what is undecided."""
    pairs: dict[frozenset[str], str] = {}
    for a, b in tested:
        pairs[frozenset((a, b))] = f"{a} and {b}"
    decided = {frozenset(pair) for pair in beaten}
    open_pairs = [names for pair, names in pairs.items() if pair not in decided]
    if len(pairs) == 1:
        if beaten:
            return "{} is significantly better than {}".format(*beaten[0])
        return f"there is {NO_EVIDENCE} between {open_pairs[0]}"
    counted = f"{len(decided):,} of {plural(len(pairs), 'pair')} differ significantly"
    if not open_pairs:
        return f"{lead(order, beaten)}. In all, {counted}"
    more = len(open_pairs) - _MOST_PAIRS
    named = "; ".join([*open_pairs[:_MOST_PAIRS], *[f"and {more:,} more"] * (more > 0)])
    return f"{lead(order, beaten)}. In all, {counted}; there is {NO_EVIDENCE} between {named}"


def lead(order: Iterable[str], beaten: Sequence[tuple[str, str]]) -> str:
    """Conclusion on the system that stands first."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if not rest and not better:
        return f"{first} is significantly better than every other system"
    return told_apart(first, better, [], rest)


def told_apart(
    system: str, better: Sequence[str], worse: Sequence[str], undecided: Sequence[str]
) -> str:
    """Conclusion on one system: which are better, which worse, which undecided."""
    parts = [
        f"{names_of(names)} {'is' if len(names) == 1 else 'are'} significantly {word} than {system}"
        for word, names in (("better", better), ("worse", worse))
        if names
    ]
    if undecided:
        parts.append(f"there is {NO_EVIDENCE} between {system} and {names_of(undecided)}")
    return "; ".join(parts)
