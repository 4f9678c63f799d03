"""Word links of derivations: those of their phrases, as a training corpus links their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, zip_longest
from typing import NamedTuple

from weigh.errors import InputError, UsageError, plural
from weigh.read.alignment import (
    Derivation,
    DerivedCandidate,
    Phrase,
    link_line,
    parse_derivation,
    read_derivations,
    words_of,
)
from weigh.read.nbest import numbered_lines
from weigh.read.text import quoted, shown
from weigh.rypt.alignment import AlignedTexts, Where, always
from weigh.types import grouped

Link = tuple[int, int]


class Pattern(NamedTuple):
    """The words of a phrase: runs of words on either side, between which others stand.

    Its links are pairs of places among its own words.
    """

    sources: tuple[tuple[str, ...], ...]
    targets: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, phrase: Phrase, sources: Sequence[str], targets: Sequence[str]) -> Pattern:
        """Return the words of a phrase of a sentence and an output.

        >>> Pattern.of(Phrase((0, 2), (0, 1)), ["a", "b", "c"], ["x", "y"])
        Pattern(sources=(('a',), ('c',)), targets=(('x', 'y'),))
        """
        return cls(_runs(phrase.sources, sources), _runs(phrase.targets, targets))


def _runs(places: Sequence[int], words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words at places in rising order, those side by side together."""
    runs = groupby(enumerate(places), lambda at: at[1] - at[0])
    return tuple(tuple(words[place] for _, place in run) for _, run in runs)


Known = Mapping[Pattern, Sequence[Link]]


class WordLinks(NamedTuple):
    """Word links, and of how many phrases they are all pairs since nothing more was known."""

    links: tuple[Link, ...]
    crossed: int


def word_links(
    derivation: Derivation, sources: Sequence[str] = (), pairs: Known | None = None
) -> WordLinks:
    """Return the word links of a derivation's phrases, phrase by phrase.

    One word is linked with one word. Words of other phrases are linked as in a training corpus
    where that is `known`, and each with each where it is not.

    >>> word_links(Derivation(("x", "y"), (Phrase((0,), (1,)), Phrase((1, 2), (0,))), 3))
    WordLinks(links=((0, 1), (1, 0), (2, 0)), crossed=1)
    """
    links: list[Link] = []
    crossed = 0
    for phrase in derivation.phrases:
        within = None
        if pairs and not is_single(phrase):
            within = pairs.get(Pattern.of(phrase, sources, derivation.words))
        if within is not None:
            links += sorted((phrase.sources[s], phrase.targets[t]) for s, t in within)
        else:
            links += ((s, t) for s in phrase.sources for t in phrase.targets)
            crossed += not is_single(phrase)
    return WordLinks(tuple(links), crossed)


def is_single(phrase: Phrase) -> bool:
    """Whether a phrase is one word on either side."""
    return len(phrase.sources) == len(phrase.targets) == 1


def check_derivation(derivation: Derivation, sources: Sequence[str], where: str) -> None:
    """Refuse a derivation of a longer sentence than the source is."""
    if derivation.end > len(sources):
        raise InputError(
            f"{where}: the derivation covers source words up to {derivation.end:,}, but the source "
            f"has {len(sources):,}; check that both belong together"
        )


def phrase_line(phrases: Iterable[Phrase]) -> str:
    """Return phrases as a line.

    >>> phrase_line([Phrase((1,), (1,)), Phrase((0, 2), (0, 2))])
    '1--1 0,2--0,2'
    """
    return " ".join(
        f"{','.join(map(str, phrase.sources))}--{','.join(map(str, phrase.targets))}"
        for phrase in phrases
    )


# A phrase of frequent words with gaps can match a long sentence in very many ways; after this
# number of tries, the search continues with the next pair.
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
                    f"{shown(path)}: {plural(number - 1, 'line')}, but the other files of the "
                    "corpus have more; give three files of the same sentences"
                )
        (_, text), (_, translation), (_, line) = lines
        sources, where = words_of(text), always(f"{name}: line {number:,}")
        aligned = AlignedTexts.of([translation], [line], [sources], where)
        links = zip(aligned.links.sources.tolist(), aligned.links.targets.tolist(), strict=True)
        yield SentencePair(sources, aligned.words[0], list(links))


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
    links_of: dict[Pattern, tuple[Link, ...]] = {}
    for pair in corpus:
        if not waiting:
            break
        for word in set(pair.sources) & waiting.keys():
            remaining = []
            for pattern in waiting[word]:
                links = _links_within(pattern, pair)
                if links is None:
                    remaining.append(pattern)
                else:
                    links_of[pattern] = links
            if remaining:
                waiting[word] = remaining
            else:
                del waiting[word]
    return links_of


def _by_word(patterns: set[Pattern]) -> dict[str, list[Pattern]]:
    """Return patterns by the source word that the fewest of them have: it is likely rare."""
    words = {pattern: {word for run in pattern.sources for word in run} for pattern in patterns}
    counts = Counter(word for distinct in words.values() for word in distinct)

    def rarest(pattern: Pattern) -> str:
        return min(words[pattern], key=lambda word: (counts[word], word))

    return grouped(patterns, rarest)


def _links_within(pattern: Pattern, pair: SentencePair) -> tuple[Link, ...] | None:
    ways = (
        (sources, targets)
        for sources in _placements(pattern.sources, pair.sources)
        for targets in _placements(pattern.targets, pair.targets)
    )
    for sources, targets in islice(ways, _MOST_WAYS):
        own_sources = {place: position for position, place in enumerate(sources)}
        own_targets = {place: position for position, place in enumerate(targets)}
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
    """Yield the possible places of runs of words, leftmost first."""
    run, *others = runs
    for start in range(len(words) - len(run) + 1):
        end = start + len(run)
        if tuple(words[start:end]) == run:
            places = tuple(range(start, end))
            if not others:
                yield places
                continue
            for rest in _placements(others, words[end + 1 :]):
                yield places + tuple(place + end + 1 for place in rest)


class Alignments(NamedTuple):
    """Outputs' word links as lines, and for each in how many phrases all words are linked."""

    lines: Sequence[str]
    crossed: Sequence[int]


def alignments_of(fields: Sequence[str], texts: Sequence[str], where: Where) -> Alignments:
    """Return word links for each output, from Pharaoh's lines or derivations."""
    if not any(line.startswith("(") for line in fields):
        return Alignments(fields, [0] * len(fields))
    linked = [
        links_of_derivation(line, text, where(place)) if line.startswith("(") else (line, 0)
        for place, (line, text) in enumerate(zip(fields, texts, strict=True))
    ]
    return Alignments([line for line, _ in linked], [crossed for _, crossed in linked])


def links_of_derivation(tree: str, text: str, where: str) -> tuple[str, int]:
    """Word links of an output's derivation, and the number of phrases fully linked."""
    derivation = parse_derivation(tree, where)
    if list(derivation.words) != words_of(text):
        raise InputError(
            f"{where}: a derivation of {quoted(' '.join(derivation.words))}, but the output is "
            f"{quoted(text)}; check that both belong together"
        )
    links, crossed = word_links(derivation)
    return link_line(links), crossed


class AlignedDerivation(NamedTuple):
    """A candidate of a decoder's derivations, and its word links."""

    candidate: DerivedCandidate
    links: WordLinks

    def lines(self, form: str = "both") -> list[str]:
        """Format as phrases, words, both, or a line of an n-best list."""
        candidate, links = self.candidate, link_line(self.links.links)
        if form == "nbest":
            if len(candidate.fields) < 3:
                raise InputError(
                    f"{candidate.where}: no features after |||, which an n-best list needs; use "
                    "--write words"
                )
            sentence, _, features, *rest = candidate.fields
            text = " ".join(candidate.derivation.words)
            total = rest[0] if rest else "0"
            return [f"{sentence} ||| {text} ||| {features} ||| {total} ||| {links}"]
        phrases = phrase_line(candidate.derivation.phrases)
        return {"phrases": [phrases], "words": [links], "both": [phrases, links]}[form]


def align_outputs(
    derivations: str, sources: Sequence[str], corpus: tuple[str, str, str] | None = None
) -> Iterator[AlignedDerivation]:
    """Yield the candidates of a file of derivations with their word links.

    A training `corpus` of sources, targets and alignments, each one file, tells the word links of
    phrases; it needs derivations that can be read twice.
    """
    if corpus is not None and derivations == "-":
        raise UsageError(
            "with a training corpus, derivations are read twice; give them as a file, not as "
            "standard input"
        )
    words = [words_of(text) for text in sources]
    pairs = None
    if corpus is not None:
        patterns = {
            Pattern.of(phrase, words[candidate.sentence], candidate.derivation.words)
            for candidate in _candidates(derivations, words)
            for phrase in candidate.derivation.phrases
            if not is_single(phrase)
        }
        pairs = find_links(patterns, read_corpus(*corpus))
    for candidate in _candidates(derivations, words):
        links = word_links(candidate.derivation, words[candidate.sentence], pairs)
        yield AlignedDerivation(candidate, links)


def _candidates(derivations: str, sources: Sequence[Sequence[str]]) -> Iterator[DerivedCandidate]:
    for candidate in read_derivations(derivations):
        if candidate.sentence >= len(sources):
            raise InputError(
                f"{candidate.where}: sentence {candidate.sentence:,} (counted from 0), but the "
                f"source has {len(sources):,}; check that both belong together"
            )
        check_derivation(candidate.derivation, sources[candidate.sentence], candidate.where)
        yield candidate
