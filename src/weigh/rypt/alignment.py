"""Texts with the words of their sources that theirs are linked to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from weigh.errors import UsageError
from weigh.read.alignment import Links, check_links, parse_links, words_of
from weigh.read.text import shown

Where = Callable[[int], str]
"""Names the place of an output's alignment in messages."""


def line_of(path: str) -> Where:
    """Name the line of a file that has one for each output."""
    name = shown(path)
    return lambda place: f"{name}: line {place + 1:,}"


def always(place: str) -> Where:
    """Name one place, whichever output is asked for."""
    return lambda _: place


class AlignedTexts(NamedTuple):
    """Texts as words, and the words of their sources that these are linked to."""

    words: Sequence[Sequence[str]]
    links: Links

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        lines: Sequence[str],
        sources: Sequence[Sequence[str]],
        where: Where,
    ) -> AlignedTexts:
        """Take texts, the links of each as a line, and the words of its source."""
        words = [words_of(text) for text in texts]
        links = parse_links(lines, where)
        check_links(links, list(map(len, sources)), list(map(len, words)), where)
        return cls(words, links)

    @classmethod
    def joined(cls, parts: Sequence[AlignedTexts]) -> AlignedTexts:
        """Return the texts of several parts, one part after the other."""
        before = np.cumsum([0, *(len(part.words) for part in parts[:-1])])
        owners = [part.links.owners + at for part, at in zip(parts, before, strict=True)]
        sources = [part.links.sources for part in parts]
        targets = [part.links.targets for part in parts]
        links = Links(*map(np.concatenate, (owners, sources, targets)))
        return cls([words for part in parts for words in part.words], links)

    def chosen(self, texts: Sequence[int]) -> AlignedTexts:
        """Return some of the texts, numbered anew."""
        owners, sources, targets = self.links
        starts, ends = (np.searchsorted(owners, texts, side) for side in ("left", "right"))
        counts = ends - starts
        before = np.cumsum(counts) - counts
        kept = np.arange(counts.sum()) + np.repeat(starts - before, counts)
        links = Links(np.repeat(np.arange(len(texts)), counts), sources[kept], targets[kept])
        return AlignedTexts([self.words[text] for text in texts], links)

    def places(self, text: int, start: int, end: int) -> tuple[int, ...]:
        """Return the places of the words of a text that are linked to a source span."""
        _, sources, targets = self.chosen([text]).links
        return tuple(np.unique(targets[(start <= sources) & (sources < end)]).tolist())


def check_distinct(paths: Sequence[str], what: str) -> None:
    """Refuse one file of alignments for several systems; `what` names the option."""
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UsageError(
            f"{what}: {shown(twice)} is one file for several systems; distinguish them with "
            "{system} in the path"
        )
