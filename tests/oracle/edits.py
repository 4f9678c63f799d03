"""Word error rates: WER, PER and CDER.

A row is [edits, reference length] of the reference with the lowest rate, the first on ties.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from fractions import Fraction


def wer_row(hyp: list[str], refs: list[list[str]]) -> list[int]:
    """Return the row of the word error rate: Levenshtein's distance."""
    return _lowest_rate(wer_edits, hyp, refs)


def per_row(hyp: list[str], refs: list[list[str]]) -> list[int]:
    """Return the row of the position-independent error rate (Tillmann et al. 1997)."""
    return _lowest_rate(per_edits, hyp, refs)


def cder_row(hyp: list[str], refs: list[list[str]]) -> list[int]:
    """Return the row of CDER (Leusch, Ueffing & Ney 2006)."""
    return _lowest_rate(cder_edits, hyp, refs)


def _lowest_rate(
    edits: Callable[[list[str], list[str]], int], hyp: list[str], refs: list[list[str]]
) -> list[int]:
    rows = [[edits(hyp, ref), len(ref)] for ref in refs]
    return min(rows, key=lambda row: rate(row[0], row[1]))  # the first of equals


def rate(edits: int, ref_len: int) -> Fraction:
    """Return edits per reference word; of an empty reference 1 if there are edits, else 0."""
    return Fraction(edits, ref_len) if ref_len else Fraction(int(edits > 0))


def wer_edits(hyp: list[str], ref: list[str]) -> int:
    distance = [[0] * (len(ref) + 1) for _ in range(len(hyp) + 1)]
    for i in range(len(hyp) + 1):
        for j in range(len(ref) + 1):
            if i == 0 or j == 0:
                distance[i][j] = i + j
            else:
                distance[i][j] = min(
                    distance[i - 1][j - 1] + (hyp[i - 1] != ref[j - 1]),
                    distance[i - 1][j] + 1,
                    distance[i][j - 1] + 1,
                )
    return distance[-1][-1]


def per_edits(hyp: list[str], ref: list[str]) -> int:
    matches = (Counter(hyp) & Counter(ref)).total()
    return max(len(hyp), len(ref)) - matches


def cder_edits(hyp: list[str], ref: list[str]) -> int:
    """Cover the reference once and in order; jump anywhere in the hypothesis for one edit.

    The recursion of section 3.2: a row for every number of reference words, a column for every
    position in the hypothesis. An insertion is a jump by one place.
    """
    row: list[int] = []
    for i in range(len(ref) + 1):
        above = row
        row = []
        for position in range(len(hyp) + 1):
            ways = [0] if i == position == 0 else []
            if i > 0:
                ways.append(above[position] + 1)
            if i > 0 and position > 0:
                ways.append(above[position - 1] + (hyp[position - 1] != ref[i - 1]))
            row.append(min(ways, default=len(hyp) + len(ref)))
        row = [min(cost, min(row) + 1) for cost in row]
    return row[-1]


def cder_edits_by_search(hyp: list[str], ref: list[str]) -> int:
    """Find the same number as the cheapest path (Dijkstra) through all states."""
    goal = (len(ref), len(hyp))
    queue = [(0, (0, 0))]
    done: set[tuple[int, int]] = set()
    while True:
        cost, state = heapq.heappop(queue)
        if state == goal:
            return cost
        if state in done:
            continue
        done.add(state)
        covered, position = state
        for elsewhere in range(len(hyp) + 1):
            heapq.heappush(queue, (cost + 1, (covered, elsewhere)))
        if covered < len(ref):
            heapq.heappush(queue, (cost + 1, (covered + 1, position)))
            if position < len(hyp):
                wrong = hyp[position] != ref[covered]
                heapq.heappush(queue, (cost + wrong, (covered + 1, position + 1)))
