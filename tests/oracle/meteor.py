"""METEOR: the beam search of version 1.5 step by step, and the version of 2005 by brute force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, pairwise

Words = Sequence[str]
# Start and length in the hypothesis, start and length in the reference, stage from 0.
Match = tuple[int, int, int, int, int]
Stem = Callable[[str], str]
Synsets = Callable[[str], Collection[int]]
Phrase = tuple[int, int, int, int]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
BEAM = 40


def find_matches(
    hyp: Words,
    ref: Words,
    stem: Stem | None = None,
    synsets: Synsets | None = None,
    phrases: Sequence[Phrase] = (),
) -> list[Match]:
    """Return all matches of all stages in the order in which they are tried."""
    pairs = [(i, j) for i in range(len(hyp)) for j in range(len(ref))]
    matches = [(i, 1, j, 1, EXACT) for i, j in pairs if hyp[i] == ref[j]]
    if list(hyp) == list(ref):
        return matches
    different = [(i, j) for i, j in pairs if hyp[i] != ref[j]]
    if stem is not None:
        matches += [(i, 1, j, 1, STEM) for i, j in different if stem(hyp[i]) == stem(ref[j])]
    if synsets is not None:
        matches += [
            (i, 1, j, 1, SYNONYM)
            for i, j in different
            if set(synsets(hyp[i])) & set(synsets(ref[j]))
        ]
    return matches + [(*phrase, PARAPHRASE) for phrase in phrases]


class Path:
    """A choice of matches up to a place in the reference."""

    def __init__(self, matches: tuple[Match, ...] = (), covered: float = 0) -> None:
        self.matches = matches
        self.covered = covered
        self.chunks = 0  # that have ended
        self.distance = 0
        self.end: tuple[int, int] | None = None  # of the open chunk, on either side

    def copy(self) -> Path:
        other = Path(self.matches, self.covered)
        other.chunks, other.distance, other.end = self.chunks, self.distance, self.end
        return other

    def close(self) -> None:
        self.chunks += self.end is not None
        self.end = None

    def add(self, match: Match, mended: bool) -> None:
        start, length, ref_start, ref_length, stage = match
        if self.end != (start, ref_start):
            self.close()
        for words in (length, ref_length):
            worth = words if stage == EXACT else words / 2
            self.covered += worth if mended else int(worth)
        self.matches += (match,)
        self.end = (start + length, ref_start + ref_length)

    def key(self) -> tuple[float, int, int]:
        return (-self.covered, self.chunks, self.distance)


def places(start: int, length: int) -> range:
    return range(start, start + length)


def align(ref_size: int, matches: Sequence[Match], mended: bool = False) -> tuple[set[Match], int]:
    """Return the chosen matches and the number of chunks (Denkowski & Lavie 2011, section 2).

    Unless `mended`, with two defects of METEOR 1.5: half a word counts nothing, and the distance
    of a match goes to the paths that are tried after it.
    """
    covers = [i for start, length, *_ in matches for i in places(start, length)]
    ref_covers = [j for _, _, start, length, _ in matches for j in places(start, length)]
    fixed = {
        match[2]: match
        for match in matches
        if all(covers.count(i) == 1 for i in places(*match[:2]))
        and all(ref_covers.count(j) == 1 for j in places(*match[2:4]))
    }
    kept = {i for match in fixed.values() for i in places(*match[:2])}
    paths = [Path()]
    for j in range(ref_size):
        extended = []
        for path in paths:
            if j in fixed:
                child = path.copy()
                child.add(fixed[j], mended)
                child.distance += abs(fixed[j][0] - fixed[j][2])
                extended.append(child)
                continue
            if path.end is not None and j < path.end[1]:
                extended.append(path)
                continue
            used = kept | {i for match in path.matches for i in places(*match[:2])}
            rest = path.copy()
            for match in matches:
                if match[2] != j or used & set(places(*match[:2])):
                    continue
                child = rest.copy()
                child.add(match, mended)
                (child if mended else rest).distance += abs(match[0] - match[2])
                extended.append(child)
            rest.close()
            extended.append(rest)
        paths = sorted(extended, key=Path.key)[:BEAM]
    for path in paths:
        path.close()
    best = min(paths, key=Path.key)
    return set(best.matches), best.chunks


def meteor_row(
    hyp: Words, ref: Words, matches: Sequence[Match], function: Collection[str], mended: bool
) -> list[int]:
    """Return the 23 statistics; a sentence that matches in one chunk has none."""
    chosen, chunks = align(len(ref), matches, mended)
    row = [len(hyp), len(ref), sum(w in function for w in hyp), sum(w in function for w in ref)]
    for stage in range(4):
        spans = [match for match in chosen if match[4] == stage]
        ours = [hyp[i] in function for match in spans for i in places(*match[:2])]
        theirs = [ref[j] in function for match in spans for j in places(*match[2:4])]
        row += [ours.count(False), theirs.count(False), ours.count(True), theirs.count(True)]
    covered = sum(match[1] for match in chosen)
    ref_covered = sum(match[3] for match in chosen)
    whole = chunks == 1 and (covered, ref_covered) == (len(hyp), len(ref))
    return [*row, 0 if whole else chunks, covered, ref_covered]


def meteor_score(
    row: Sequence[float],
    parameters: Sequence[float] = (0.85, 0.2, 0.6, 0.75),
    weights: Sequence[float] = (1, 0.6, 0.8, 0.6),
) -> float:
    """Score summed statistics (Denkowski & Lavie 2014, section 2.2), from 0 to 1."""
    alpha, beta, gamma, delta = parameters
    rates = []
    for side in (0, 1):
        matched = sum(
            weight * (delta * row[4 + 4 * stage + side] + (1 - delta) * row[6 + 4 * stage + side])
            for stage, weight in enumerate(weights)
        )
        if matched == 0:
            return 0.0
        size, functions = row[side], row[2 + side]
        rates.append(matched / (delta * (size - functions) + (1 - delta) * functions))
    precision, recall = rates
    f = 1 / ((1 - alpha) / precision + alpha / recall)
    return f * (1 - gamma * (row[20] / ((row[21] + row[22]) / 2)) ** beta)


# METEOR of 2005


def alignments(
    pairs: Sequence[tuple[int, int]], size: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the sets of `size` pairs that map each word at most once."""
    for chosen in combinations(pairs, size):
        if len({i for i, _ in chosen}) == len({j for _, j in chosen}) == size:
            yield chosen


def crossings(chosen: Sequence[tuple[int, int]]) -> int:
    """Count pairs of mappings that cross (Banerjee & Lavie 2005, section 2.2)."""
    return sum((i - m) * (j - n) < 0 for (i, j), (m, n) in combinations(chosen, 2))


def count_chunks(chosen: Collection[tuple[int, int]]) -> int:
    """Count runs of mappings that are adjacent on both sides."""
    steps = pairwise(sorted(chosen))
    return bool(chosen) + sum((m - i, n - j) != (1, 1) for (i, j), (m, n) in steps)


def meteor_2005_rows(
    hyp: Words, ref: Words, stages: Sequence[Callable[[str, str], bool]]
) -> set[tuple[int, int, int, int]]:
    """Return words, reference words, matches and chunks, by trying everything in each stage.

    Equally good choices of a stage may leave different words to the next: all rows that are
    right are returned.
    """
    results: set[tuple[tuple[int, int], ...]] = {()}
    for same in stages:
        results = {best for aligned in results for best in _resolved(hyp, ref, same, aligned)}
    return {(len(hyp), len(ref), len(aligned), count_chunks(aligned)) for aligned in results}


def _resolved(
    hyp: Words, ref: Words, same: Callable[[str, str], bool], before: tuple[tuple[int, int], ...]
) -> list[tuple[tuple[int, int], ...]]:
    pairs = [
        (i, j)
        for i in range(len(hyp))
        for j in range(len(ref))
        if same(hyp[i], ref[j]) and all(i != m and j != n for m, n in before)
    ]
    for size in range(min(len(hyp), len(ref)), 0, -1):
        keys = {
            chosen: (crossings(chosen), count_chunks(before + chosen))
            for chosen in alignments(pairs, size)
        }
        if keys:
            return [before + chosen for chosen in keys if keys[chosen] == min(keys.values())]
    return [before]


def meteor_2005_score(row: Sequence[float]) -> float:
    """Score summed statistics (Banerjee & Lavie 2005, section 2.3), from 0 to 1."""
    size, ref_size, matches, chunks = row
    if matches == 0:
        return 0.0
    precision, recall = matches / size, matches / ref_size
    f = 10 * precision * recall / (recall + 9 * precision)
    return f * (1 - 0.5 * (chunks / matches) ** 3)
