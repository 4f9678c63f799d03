"""Conclusions of tests of all pairs, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weigh.wording import listed, plural

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
    *,
    is_powerless: bool = False,
) -> str:
    """Return what a test says of systems that stand best first: who beats whom, and what is open.

    `is_powerless` says that it could not have found anything.
    """
    pairs: dict[frozenset[str], str] = {}
    for a, b in tested:
        pairs[frozenset((a, b))] = f"{a} and {b}"
    told_apart = {frozenset(found) for found in beaten}
    open_pairs = [names for pair, names in pairs.items() if pair not in told_apart]
    if len(pairs) == 1:
        if beaten:
            return "{} is significantly better than {}".format(*beaten[0])
        return f"there is {NO_EVIDENCE} between {open_pairs[0]}"
    counted = f"{len(told_apart):,} of {plural(len(pairs), 'pair')} differ significantly"
    if not open_pairs:
        return f"{_lead(order, beaten)}. In all, {counted}"
    if is_powerless:
        return f"{counted}; so few units or trials can show no difference at all"
    more = len(open_pairs) - _MOST_PAIRS
    named = "; ".join([*open_pairs[:_MOST_PAIRS], *[f"and {more:,} more"] * (more > 0)])
    return f"{_lead(order, beaten)}. In all, {counted}; there is {NO_EVIDENCE} between {named}"


def _lead(order: Iterable[str], beaten: Sequence[tuple[str, str]]) -> str:
    """Return what is known of the system that stands first."""
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if not rest and not better:
        return f"{first} is significantly better than every other system"
    parts = []
    if better:
        verb = "is" if len(better) == 1 else "are"
        parts.append(f"{names_of(better)} {verb} significantly better than {first}")
    if rest:
        parts.append(f"there is {NO_EVIDENCE} between {first} and {names_of(rest)}")
    return "; ".join(parts)
