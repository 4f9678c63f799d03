"""Candidates of source sentences with their alignments, and what they say for nodes of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh._core import span_substrings
from weigh.errors import InputError, plural
from weigh.read.alignment import Links, check_links, parse_links, words_of
from weigh.read.nbest import read_candidates
from weigh.read.text import quoted, read_texts, shown
from weigh.rypt.alignment import alignments_of
from weigh.rypt.labels import GAP
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

UNALIGNED = -1


def substring(
    words: Sequence[str], links: Iterable[tuple[int, int]], start: int, end: int
) -> str | None:
    """Return the words of an output that are linked to a source span, None if there are none.

    They stand in the output's order, with one GAP for each run of other words between them.

    >>> substring(["a", "b", "c", "d"], [(0, 3), (0, 0), (1, 1)], 0, 1)
    'a [GAP] d'
    """
    parts: list[str] = []
    before = -1
    for place in sorted({target for source, target in links if start <= source < end}):
        if parts and place > before + 1:
            parts.append(GAP)
        parts.append(words[place])
        before = place
    return " ".join(parts) if parts else None


@dataclass(frozen=True, slots=True)
class Substrings:
    """The substrings of outputs for all nodes of a tree, each of them once.

    `numbers` (nodes × outputs) tells which of `texts` it is, or UNALIGNED where an output has no
    word for a node.
    """

    numbers: Integers
    texts: Sequence[str]

    @classmethod
    def of(cls, tree: Tree, outputs: Sequence[Sequence[str]], links: Links) -> Substrings:
        """Find the substrings of all nodes at once, which are those that `substring` defines."""
        starts, ends = np.array([tree.starts, tree.ends], dtype=np.int64)
        return cls(*span_substrings(list(outputs), *links, starts, ends, GAP))

    def by_text(self) -> dict[str, int]:
        """Return the numbers of all texts."""
        return {text: number for number, text in enumerate(self.texts)}


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
            links = alignments_of([alignment], [text], lambda _: _where(name, line))
            [alignment], [crossed] = links.lines, links.crossed
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
        alignment = candidate.extra.get("alignment", candidate.extra.get("tree"))
        if alignment is None:
            if candidate.text:
                raise InputError(
                    f"{name}: line {candidate.line:,} has no alignment; give a list with a field "
                    "such as ||| 0-0 1-2, or with derivations"
                )
            alignment = ""
        if candidate.id != number:  # most are of the same sentence as the one before
            number = candidate.id
            if not (number.isascii() and number.isdigit() and int(number) < len(pools)):
                raise InputError(
                    f"{name}: line {candidate.line:,} is of sentence {quoted(number)}, but the "
                    f"last of the sources is {len(pools) - 1:,}; number them from 0"
                )
            pool = pools[int(number)]
        pool.add(candidate.text, alignment, name, candidate.line)


def _take_system(texts: Sequence[str], alignments: str, pools: Sequence[Pool]) -> None:
    name = shown(alignments)
    lines = read_texts(alignments)
    if len(lines) != len(pools):
        raise InputError(
            f"{name}: {plural(len(lines), 'line')}, but the sources have {len(pools):,}; look for "
            "a missing last line"
        )
    for number, (pool, text, alignment) in enumerate(zip(pools, texts, lines, strict=True), 1):
        pool.add(text, alignment, name, number)
