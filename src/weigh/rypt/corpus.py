"""Word links of phrases in a training corpus, where a decoder has its phrases from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

from weigh.errors import InputError, plural
from weigh.read.alignment import check_links, parse_links
from weigh.read.nbest import numbered_lines
from weigh.read.stream import shown
from weigh.read.words import words_of
from weigh.rypt.alignment import Link, Pattern

# A phrase of frequent words with gaps between them can be laid on a long sentence in so many ways
# that the search would not end; after so many, it goes on with the next pair.
_MOST_WAYS = 10_000


class SentencePair(NamedTuple):
    """A source sentence and its translation with their word links."""

    sources: Sequence[str]
    targets: Sequence[str]
    links: Sequence[Link]


def read_corpus(source: str, target: str, alignment: str) -> Iterator[SentencePair]:
    """Yield the pairs of three files of one sentence on each line, which must be equally long."""
    files = [numbered_lines(path) for path in (source, target, alignment)]
    name = shown(alignment)
    for number, lines in enumerate(zip_longest(*files), 1):
        for path, line in zip((source, target, alignment), lines, strict=True):
            if line is None:
                raise InputError(
                    f"{shown(path)}: {plural(number - 1, 'line')}, but the corpus' other files "
                    "have more; give three files of the same sentences"
                )
        sources, targets = words_of(lines[0][1]), words_of(lines[1][1])

        def where(_: int, number: int = number) -> str:
            return f"{name}: line {number:,}"

        links = parse_links([lines[2][1]], where)
        check_links(links, [len(sources)], [len(targets)], where)
        pairs = zip(links.sources.tolist(), links.targets.tolist(), strict=True)
        yield SentencePair(sources, targets, list(pairs))


def find_links(
    patterns: Iterable[Pattern], corpus: Iterable[SentencePair]
) -> dict[Pattern, tuple[Link, ...]]:
    """Return the links of each phrase's first consistent occurrence, if it has one.

    An occurrence is consistent if its words have a link with each other and none with words
    outside it, as for phrases that are extracted (Och & Ney 2004). Runs of a phrase with gaps
    stand in their order with at least one word between them. The first is that in the first pair,
    and in there the leftmost in the source, then in the target.
    """
    waiting = _by_word(set(patterns))
    found: dict[Pattern, tuple[Link, ...]] = {}
    for pair in corpus:
        if not waiting:
            break
        for word in set(pair.sources) & waiting.keys():
            left = []
            for pattern in waiting[word]:
                links = _links_within(pattern, pair)
                if links is None:
                    left.append(pattern)
                else:
                    found[pattern] = links
            if left:
                waiting[word] = left
            else:
                del waiting[word]
    return found


def _by_word(patterns: set[Pattern]) -> dict[str, list[Pattern]]:
    """Return patterns by the source word that the fewest of them have: it is likely rare."""
    words = {pattern: {word for run in pattern.sources for word in run} for pattern in patterns}
    counts = Counter(word for own in words.values() for word in own)
    chosen = defaultdict(list)
    for pattern, own in words.items():
        chosen[min(own, key=lambda word: (counts[word], word))].append(pattern)
    return dict(chosen)


def _links_within(pattern: Pattern, pair: SentencePair) -> tuple[Link, ...] | None:
    ways = (
        (sources, targets)
        for sources in _placements(pattern.sources, pair.sources)
        for targets in _placements(pattern.targets, pair.targets)
    )
    for sources, targets in islice(ways, _MOST_WAYS):
        own_sources = {place: own for own, place in enumerate(sources)}
        own_targets = {place: own for own, place in enumerate(targets)}
        touching = [
            (own_sources.get(source), own_targets.get(target))
            for source, target in pair.links
            if source in own_sources or target in own_targets
        ]
        within = [(s, t) for s, t in touching if s is not None and t is not None]
        if within and len(within) == len(touching):
            return tuple(sorted(within))
    return None


def _placements(runs: Sequence[Sequence[str]], words: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield where the words of runs can stand, leftmost first."""
    run, *others = runs
    for start in range(len(words) - len(run) + 1):
        end = start + len(run)
        if tuple(words[start:end]) == run:
            own = tuple(range(start, end))
            if not others:
                yield own
                continue
            for rest in _placements(others, words[end + 1 :]):
                yield own + tuple(place + end + 1 for place in rest)
