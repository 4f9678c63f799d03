"""Candidates of source sentences with what their words translate, from lists and systems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from weigh.errors import InputError, plural
from weigh.read.nbest import read_candidates
from weigh.read.text import quoted, read_texts, shown
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.derivations import links_of_derivation


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one sentence, each once; `places` are their files and lines.

    Two candidates are the same if their words and their links are, whatever the derivation.
    """

    texts: list[str] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)
    _crossed: list[int] = field(default_factory=list)
    _known: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, text: str, alignment: str, name: str, line: int) -> int:
        """Take a candidate with its links, or its derivation; return its number in the pool."""
        crossed = 0
        if alignment.startswith("("):
            alignment, crossed = links_of_derivation(alignment, text, f"{name}: line {line:,}")
        number = self._known.setdefault((text, alignment), len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
            self.alignments.append(alignment)
            self.places.append((name, line))
            self._crossed.append(crossed)
        return number

    @property
    def crossed(self) -> int:
        """In how many candidates some links are mere combinations of words of a phrase."""
        return sum(map(bool, self._crossed))

    def aligned(self, source: Sequence[str]) -> AlignedTexts:
        """Return the words of all candidates, and what they are linked to."""

        def where(place: int) -> str:
            name, line = self.places[place]
            return f"{name}: line {line:,}"

        return AlignedTexts.of(self.texts, self.alignments, [source] * len(self.texts), where)


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
            if not (re.fullmatch("[0-9]{1,9}", number) and int(number) < len(pools)):
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
