"""Translation edit rate, as sacreBLEU 2.6 and as tercom 0.10 count its edits.

Snover et al. (2006): greedy rounds of block moves ("shifts"), each of which costs one edit, then
the edit distance to the reference. The two programs differ in what they prune, in the limit on the
distance of a shift and in what a target inside the moving phrase means.
"""

from __future__ import annotations

from math import ceil, floor, inf
from typing import Literal, NamedTuple

Variant = Literal["sacrebleu", "tercom"]

LONGEST_SHIFT = 10  # words in a phrase that moves
FURTHEST_SHIFT = 50  # places that it may move
SACREBLEU_BEAM = 25  # reference words on either side of the pseudo-diagonal
SACREBLEU_CANDIDATES = 1000  # shifts tried, in all rounds together
TERCOM_BEAM = 20  # edits above the cheapest way so far

MATCH, SUBSTITUTION, EXTRA, MISSING = "match", "substitution", "extra", "missing"


class Alignment(NamedTuple):
    """One cheapest way of rewriting hypothesis and reference into each other."""

    distance: int
    steps: list[str]
    # For each reference word: the last hypothesis word at or before it, -1 before the first.
    hyp_of_ref: list[int]
    hyp_wrong: list[bool]
    ref_wrong: list[bool]


class Edits(NamedTuple):
    """What TER counts for one hypothesis and one reference."""

    shifts: int
    shifted_words: int
    final: Alignment

    @property
    def total(self) -> int:
        return self.shifts + self.final.distance


def ter_row(hyp: list[str], refs: list[list[str]], variant: Variant = "sacrebleu") -> list[float]:
    """Return [edits, mean reference length]: the fewest edits over the references."""
    edits = min(ter_edits(hyp, ref, variant).total for ref in refs)
    return [float(edits), sum(len(ref) for ref in refs) / len(refs)]


def ter_edits(hyp: list[str], ref: list[str], variant: Variant) -> Edits:
    """Count the edits against one reference."""
    if not ref:
        return Edits(0, 0, Alignment(len(hyp), [EXTRA] * len(hyp), [], [True] * len(hyp), []))
    return sacrebleu_edits(hyp, ref) if variant == "sacrebleu" else tercom_edits(hyp, ref)


# The edit distance


def align(hyp: list[str], ref: list[str], variant: Variant) -> Alignment:
    """Align by edit distance; the first of match/substitution, extra and missing word wins ties."""
    cost = [[inf] * (len(ref) + 1) for _ in range(len(hyp) + 1)]
    step = [[""] * (len(ref) + 1) for _ in range(len(hyp) + 1)]
    cost[0] = [float(j) for j in range(len(ref) + 1)]
    step[0] = ["", *[MISSING] * len(ref)]
    for i in range(1, len(hyp) + 1):
        above, row = cost[i - 1], cost[i]
        # The last row is exempt, or a short hypothesis would never reach the reference's end.
        prunes = variant == "tercom" and i < len(hyp)
        limit = tercom_limit(above, hyp[i - 1], ref) if prunes else inf
        beam = sacrebleu_beam(i, len(hyp), len(ref)) if variant == "sacrebleu" else (0, len(ref))
        for j in range(max(0, beam[0]), min(len(ref), beam[1]) + 1):
            cheapest, way = above[j] + 1, EXTRA
            if j > 0:
                same = hyp[i - 1] == ref[j - 1]
                diagonal = above[j - 1] + (not same)
                if diagonal <= cheapest:
                    cheapest, way = diagonal, MATCH if same else SUBSTITUTION
                if row[j - 1] + 1 < cheapest:
                    cheapest, way = row[j - 1] + 1, MISSING
            step[i][j] = way
            if cheapest <= limit:
                row[j] = cheapest

    steps: list[str] = []
    i, j = len(hyp), len(ref)
    while i > 0 or j > 0:
        steps.insert(0, step[i][j])
        i -= steps[0] != MISSING
        j -= steps[0] != EXTRA
    return alignment_of(steps)


def alignment_of(steps: list[str]) -> Alignment:
    hyp_of_ref: list[int] = []
    hyp_wrong: list[bool] = []
    ref_wrong: list[bool] = []
    for step in steps:
        if step != MISSING:
            hyp_wrong.append(step != MATCH)
        if step != EXTRA:
            ref_wrong.append(step != MATCH)
            hyp_of_ref.append(len(hyp_wrong) - 1)
    distance = sum(step != MATCH for step in steps)
    return Alignment(distance, steps, hyp_of_ref, hyp_wrong, ref_wrong)


def sacrebleu_beam(i: int, hyp_len: int, ref_len: int) -> tuple[int, int]:
    """Return the fewest and the most reference words that sacreBLEU holds against `i` words."""
    ratio = ref_len / hyp_len
    width = SACREBLEU_BEAM
    if ratio / 2 > SACREBLEU_BEAM:
        width = ceil(ratio / 2 + SACREBLEU_BEAM)
    middle = floor(i * ratio)
    return middle - width, ref_len if i == hyp_len else middle + width - 1


def tercom_limit(above: list[float], word: str, ref: list[str]) -> float:
    """Return the cost above which tercom goes no further from a row, given the row `above` it.

    The beam is measured from the cheapest way to end in a match or a substitution of `word`.
    """
    return min(above[j] + (word != ref[j]) for j in range(len(ref))) + TERCOM_BEAM


# The shifts


def move(words: list[str], start: int, length: int, place: int) -> list[str]:
    """Take `length` words out at `start` and put them before word `place` of what is left."""
    phrase = words[start : start + length]
    rest = words[:start] + words[start + length :]
    return rest[:place] + phrase + rest[place:]


def sacrebleu_edits(hyp: list[str], ref: list[str]) -> Edits:
    """Count the edits as sacreBLEU does: the candidates are counted, and it may give up."""
    words, shifts, shifted_words, tried = hyp, 0, 0, 0
    while True:
        before = align(words, ref, "sacrebleu")
        best: tuple[tuple[int, int, int, int], list[str]] | None = None
        for start, ref_start, length in sacrebleu_pairs(words, ref):
            if tried >= SACREBLEU_CANDIDATES:
                break
            if not any(before.hyp_wrong[start : start + length]):
                continue
            if not any(before.ref_wrong[ref_start : ref_start + length]):
                continue
            if start <= before.hyp_of_ref[ref_start] < start + length:
                continue
            previous = None
            for r in range(ref_start - 1, ref_start + length):
                target = 0 if r == -1 else before.hyp_of_ref[r] + 1  # the word to insert before
                if target == previous:
                    continue
                previous = target
                # A target inside the phrase counts as so many places to the right of its start.
                place = target if target <= start + length else target - length
                moved = move(words, start, length, place)
                gain = before.distance - align(moved, ref, "sacrebleu").distance
                rank = (gain, length, -start, -target)
                if best is None or rank > best[0]:
                    best = (rank, moved)
                tried += 1
        if tried >= SACREBLEU_CANDIDATES or best is None or best[0][0] <= 0:
            return Edits(shifts, shifted_words, before)
        shifts += 1
        shifted_words += best[0][1]
        words = best[1]


def sacrebleu_pairs(hyp: list[str], ref: list[str]) -> list[tuple[int, int, int]]:
    """List (hypothesis start, reference start, length) of all equal phrases, shortest first."""
    return [
        (start, ref_start, length)
        for start in range(len(hyp))
        for ref_start in range(len(ref))
        if abs(start - ref_start) <= FURTHEST_SHIFT
        for length in range(1, LONGEST_SHIFT + 1)
        if start + length <= len(hyp) and ref_start + length <= len(ref)
        if hyp[start : start + length] == ref[ref_start : ref_start + length]
    ]


def tercom_edits(hyp: list[str], ref: list[str]) -> Edits:
    """Count the edits as tercom does: longest phrases first, until no shorter one can gain more."""
    words, shifts, shifted_words = hyp, 0, 0
    while True:
        before = align(words, ref, "tercom")
        best_total = before.distance  # the edits left after the best shift, and the shift itself
        best: tuple[int, list[str]] | None = None
        for start, length, place in tercom_candidates(words, ref, before):
            if before.distance - best_total >= 2 * length:
                break  # a shift of n words mends 2n errors at most
            moved = move(words, start, length, place)
            total = align(moved, ref, "tercom").distance + 1
            if total < best_total or (best is None and total == best_total):
                best_total, best = total, (length, moved)
        if best is None:
            return Edits(shifts, shifted_words, before)
        shifts += 1
        shifted_words += best[0]
        words = best[1]


def tercom_candidates(
    hyp: list[str], ref: list[str], alignment: Alignment
) -> list[tuple[int, int, int]]:
    """List (start, length, place) of the shifts that tercom tries, in its order."""
    candidates: list[tuple[int, int, int]] = []
    for length in range(LONGEST_SHIFT, 0, -1):
        for start in range(len(hyp) - length + 1):
            for ref_start in range(len(ref) - length + 1):
                if hyp[start : start + length] != ref[ref_start : ref_start + length]:
                    continue
                if not any(alignment.hyp_wrong[start : start + length]):
                    continue
                if not any(alignment.ref_wrong[ref_start : ref_start + length]):
                    continue
                aligned = alignment.hyp_of_ref[ref_start]
                if start <= aligned < start + length or abs(aligned - start) > FURTHEST_SHIFT:
                    continue
                for r in range(ref_start - 1, ref_start + length):
                    if r == -1:
                        candidates.append((start, length, 0))
                        continue
                    behind = alignment.hyp_of_ref[r]
                    if behind == start or (r != ref_start and behind == aligned):
                        continue
                    if behind < start:
                        place = behind + 1
                    elif behind < start + length:
                        place = behind
                    else:
                        place = behind + 1 - length
                    candidates.append((start, length, place))
    return candidates
