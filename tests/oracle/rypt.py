"""RYPT (Zaidan & Callison-Burch 2009) in plain Python, one node and one output at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def substring(
    words: Sequence[str], links: Iterable[tuple[int, int]], start: int, end: int
) -> str | None:
    """What an output says for a span: its words from the first to the last."""
    covered = {target for source, target in links if source in range(start, end)}
    if not covered:
        return None
    parts = []
    for place in range(min(covered), max(covered) + 1):
        if place in covered:
            parts.append(words[place])
        elif place - 1 in covered:  # the first of a run of other words
            parts.append("[GAP]")
    return " ".join(parts)
