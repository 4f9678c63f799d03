"""The candidates of source sentences with their alignments, whatever files they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.alignment import Links, check_links, parse_links
from weigh.read.lines import read_texts
from weigh.read.nbest import read_candidates
from weigh.read.stream import quoted, shown
from weigh.read.words import words_of
from weigh.rypt.judged import alignments_of


class AlignedCandidates(NamedTuple):
    """Candidates as words, their links, and in how many of them some are mere combinations.

    Where a derivation says no more than which words translate which, each is linked with each.
    """

    words: list[list[str]]
    links: Links
    crossed: int


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one sentence, each once; `places` are their files and lines.

    Two candidates are the same if their words and their links are, whatever the derivation.
    """

    texts: list[str] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)
    _crossed: list[int] = field(default_factory=list)
    _known: set[tuple[str, str]] = field(default_factory=set)

    def add(self, text: str, alignment: str, name: str, line: int) -> None:
        """Take a candidate with its links, or its derivation, unless it is there."""
        crossed = 0
        if alignment.startswith("("):
            found = alignments_of([alignment], [text], lambda _: _where(name, line))
            [alignment], [crossed] = found.lines, found.crossed
        if (text, alignment) not in self._known:
            self._known.add((text, alignment))
            self.texts.append(text)
            self.alignments.append(alignment)
            self.places.append((name, line))
            self._crossed.append(crossed)

    def aligned(self, source: Sequence[str]) -> AlignedCandidates:
        """Return the words of all candidates, and what they are linked to."""

        def where(place: int) -> str:
            return _where(*self.places[place])

        outputs = [words_of(text) for text in self.texts]
        links = parse_links(self.alignments, where)
        sizes = [len(words) for words in outputs]
        check_links(links, [len(source)] * len(outputs), sizes, where)
        return AlignedCandidates(outputs, links, sum(map(bool, self._crossed)))


def _where(name: str, line: int) -> str:
    return f"{name}: line {line:,}"


def together(parts: Sequence[AlignedCandidates]) -> AlignedCandidates:
    """Return the candidates of several pools of one sentence, one pool after the other."""
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *(len(part.words) for part in parts[:-1])])
    links = Links(
        np.concatenate([part.links.owners + at for part, at in zip(parts, before, strict=True)]),
        np.concatenate([part.links.sources for part in parts]),
        np.concatenate([part.links.targets for part in parts]),
    )
    words = [output for part in parts for output in part.words]
    return AlignedCandidates(words, links, sum(part.crossed for part in parts))


def gather(
    sentences: int, lists: Iterable[str] = (), systems: Iterable[tuple[Sequence[str], str]] = ()
) -> list[Pool]:
    """Return the candidates of every sentence.

    `lists` are n-best lists whose candidates carry alignments or derivations, and whose ids are
    numbers of sentences from 0; `systems` are outputs, each with the file of their alignments.
    """
    pools = [Pool() for _ in range(sentences)]
    for path in lists:
        _take_list(path, pools)
    for texts, alignments in systems:
        _take_system(texts, alignments, pools)
    return pools


def _take_list(path: str, pools: Sequence[Pool]) -> None:
    name, number, pool = shown(path), "", Pool()
    for candidate in read_candidates(path):
        own = candidate.extra.get("alignment", candidate.extra.get("tree"))
        if own is None:
            if candidate.text:
                raise InputError(
                    f"{name}: line {candidate.line:,} has no alignment; give a list with a field "
                    "such as ||| 0-0 1-2, or with derivations"
                )
            own = ""
        if candidate.id != number:  # most are of the same sentence as the one before
            number = candidate.id
            if not (number.isascii() and number.isdigit() and int(number) < len(pools)):
                raise InputError(
                    f"{name}: line {candidate.line:,} is of sentence {quoted(number)}, but the "
                    f"last of the sources is {len(pools) - 1:,}; number them from 0"
                )
            pool = pools[int(number)]
        pool.add(candidate.text, own, name, candidate.line)


def _take_system(texts: Sequence[str], alignments: str, pools: Sequence[Pool]) -> None:
    name = shown(alignments)
    lines = read_texts(alignments)
    if len(lines) != len(pools):
        raise InputError(
            f"{name}: {plural(len(lines), 'line')}, but the sources have {len(pools):,}; look for "
            "a missing last line"
        )
    for number, (pool, text, own) in enumerate(zip(pools, texts, lines, strict=True), 1):
        pool.add(text, own, name, number)
