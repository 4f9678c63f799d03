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
    """Return a metric's name, or how it was asked for where two have one name.

    `signatures` are those of all metrics of a study, by how they were asked for.

    >>> metric_name("chrf", [("chrf", "nrefs:1"), ("ter", "nrefs:1")])
    'chrF2'
    """
    names = {asked: _name_of(asked, signature) for asked, signature in signatures}
    name = names.get(metric, metric)
    return name if list(names.values()).count(name) == 1 else metric


def named(signatures: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return signatures by the names of their metrics."""
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
    """Return the column of intervals of the numbers in the column before it."""
    return Column(f"{percent(level)} interval", kind="number", attached=True)


RANGE = "from 1 + the systems that beat it to all systems less those that it beats"


def rank_text(ends: tuple[int, int]) -> str:
    """Return a rank, or the range of ranks that a system may have.

    >>> rank_text((1, 1)), rank_text((2, 4))
    ('1', '2–4')
    """
    low, high = ends
    return f"{low}" if low == high else f"{low}–{high}"


def rank_title(uncorrected: bool) -> str:
    """Return the title of ranks, with a mark where they are no confidence statement."""
    return "Rank (uncorrected)" if uncorrected else "Rank"


def confidence(alpha: float, why_not: str = "") -> str:
    """Return how sure ranks are, or why they are less sure than they look."""
    if why_not:
        return f"Ranks are uncorrected, no confidence statement: {why_not}."
    return f"Rank ranges hold jointly with {percent(1 - alpha)} confidence."


def why_uncorrected(adjust: str) -> str:
    """Return what a correction of p-values leaves to be wished for."""
    if adjust == "none":
        return "p-values are not corrected for the number of pairs"
    return f"{adjust} bounds the share of false wins, not the chance of any"


NO_EVIDENCE = "no evidence of a difference"
_MOST_NAMED = 6
_MOST_PAIRS = 6


def names_of(systems: Sequence[str]) -> str:
    """Return names as a sentence lists them, not more than a reader wants to read."""
    if len(systems) <= _MOST_NAMED:
        return listed(systems)
    return listed([*systems[: _MOST_NAMED - 1], f"{len(systems) - _MOST_NAMED + 1:,} more"])


def conclusion(
    order: Iterable[str],
    tested: Iterable[tuple[str, str]],
    beaten: Sequence[tuple[str, str]],
) -> str:
    """Return what a test says of systems that stand best first: who beats whom, what is open."""
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
    """Return what is known of the system that stands first."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if not rest and not better:
        return f"{first} is significantly better than every other system"
    return told_apart(first, better, [], rest)


def told_apart(
    system: str, better: Sequence[str], worse: Sequence[str], undecided: Sequence[str]
) -> str:
    """Return which systems are better and worse than one, and which may be neither."""
    parts = [
        f"{names_of(names)} {'is' if len(names) == 1 else 'are'} significantly {word} than {system}"
        for word, names in (("better", better), ("worse", worse))
        if names
    ]
    if undecided:
        parts.append(f"there is {NO_EVIDENCE} between {system} and {names_of(undecided)}")
    return "; ".join(parts)
