"""Words and word alignments of tokenised texts, and the derivations of decoders.

Alignments are in Pharaoh's format: `0-0 1-2`, the positions of a source and an output word, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.nbest import numbered_lines
from weigh.read.text import quoted, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

# What bracketed parses and Moses' tokeniser write for characters that mean something to them.
_ESCAPES = {
    "-lrb-": "(",
    "-rrb-": ")",
    "-lsb-": "[",
    "-rsb-": "]",
    "-lcb-": "{",
    "-rcb-": "}",
    "*lrb*": "(",
    "*rrb*": ")",
    "``": '"',
    "''": '"',
}
_WITHIN = {
    "\\/": "/",
    "\\*": "*",
    "&quot;": '"',
    "&apos;": "'",
    "&#124;": "|",
    "&#91;": "[",
    "&#93;": "]",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",  # the last, or &amp;lt; would become <
}


def words_of(text: str) -> list[str]:
    r"""Split on spaces and tabs.

    Other white space belongs to words: Moses' tokeniser leaves U+00A0 in numbers.

    >>> words_of("10\xa0000  euro")
    ['10\xa0000', 'euro']
    """
    if "\t" in text:
        text = text.replace("\t", " ")
    words = text.split(" ")
    return [word for word in words if word] if "" in words else words


def same_word(word: str, other: str) -> bool:
    """Whether two words are equal, ignoring case and escapes.

    >>> same_word("Haus", "haus"), same_word("-LRB-", "("), same_word("Haus", "Maus")
    (True, True, False)
    """
    return word == other or plain_word(word) == plain_word(other)


def plain_word(word: str) -> str:
    """A word without case and escapes."""
    word = word.casefold()
    if "\\" in word or "&" in word:
        for written, meant in _WITHIN.items():
            word = word.replace(written, meant)
    return _ESCAPES.get(word, word)


_LINK = r"[0-9]{1,9}-[0-9]{1,9}"
_LINKS = re.compile(rf"[ \t]*(?:{_LINK}(?:[ \t]+|$))*")


class Links(NamedTuple):
    """Word links of several outputs: arrays of output, source word and output word."""

    owners: Integers
    sources: Integers
    targets: Integers


def parse_links(lines: Sequence[str], where: Callable[[int], str]) -> Links:
    """Parse one line of links for each output; `where` names the place of a line.

    >>> parse_links(["0-0 1-2", "", "1-0"], str).owners.tolist()
    [0, 0, 2]
    """
    text = " ".join(lines)
    if not _LINKS.fullmatch(text):
        raise _link_error(lines, where)
    numbers = np.zeros(0, dtype=np.int64)
    if "-" in text:  # NumPy warns of text without a number
        numbers = np.fromstring(text.replace("-", " "), dtype=np.int64, sep=" ")
    sources, targets = np.ascontiguousarray(numbers.reshape(-1, 2).T)
    owners = np.repeat(np.arange(len(lines)), [line.count("-") for line in lines])
    return Links(owners, sources, targets)


def link_line(links: Iterable[tuple[int, int]]) -> str:
    """Write word links as a line.

    >>> link_line([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{source}-{target}" for source, target in links)


def _link_error(lines: Sequence[str], where: Callable[[int], str]) -> InputError:
    place, token = next(
        (place, token)
        for place, line in enumerate(lines)
        for token in line.split(" ")
        if not _LINKS.fullmatch(token)
    )
    return InputError(
        f"{where(place)}: {quoted(token)} is not a link; write links as SOURCE-OUTPUT word "
        "positions counted from 0, such as 0-0 1-2"
    )


def check_links(
    links: Links, sources: Sequence[int], targets: Sequence[int], where: Callable[[int], str]
) -> None:
    """Reject links to words that the source or the output does not have."""
    for what, places, sizes in (
        ("source", links.sources, sources),
        ("output", links.targets, targets),
    ):
        beyond = np.flatnonzero(places >= np.asarray(sizes, dtype=np.int64)[links.owners])
        if len(beyond):
            first = beyond[0]
            owner = int(links.owners[first])
            raise InputError(
                f"{where(owner)}: the link {links.sources[first]}-{links.targets[first]}, but "
                f"the {what} has {plural(int(sizes[owner]), 'word')}; count from 0, and check "
                "that both files belong together"
            )


# Derivations of a hierarchical decoder, which tell what each part of an output translates.
#
# Joshua prints `(S{0-3} (X{0-2} the (X{1-2} cat)) sat)`: the words of an output, and for each
# node the source words that it covers, half-open and from 0. A line may also be that of an n-best
# list, with the derivation in place of the text.

_LABEL = re.compile(r"\(([^\s(){}]+)\{([0-9]{1,9})-([0-9]{1,9})\}")
_OUTER = "ROOT"
_BALANCE = "balance the parentheses"


class Phrase(NamedTuple):
    """Source words and the output words that translate them, numbered from 0."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]


class Derivation(NamedTuple):
    """An output's words, its phrases, and the end of the source words that they cover."""

    words: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    end: int


class DerivedCandidate(NamedTuple):
    """A line of a file: its place, its sentence number from 0, other fields, and derivation."""

    where: str
    sentence: int
    fields: tuple[str, ...]
    derivation: Derivation


def read_derivations(path: str) -> Iterator[DerivedCandidate]:
    """Yield the derivations of an n-best list, or of a file with one line per sentence."""
    name = shown(path)
    empty = True
    for number, line in numbered_lines(path):
        empty = False
        where = f"{name}: line {number:,}"
        fields = tuple(field.strip(" \t") for field in line.split("|||"))
        if len(fields) == 1:
            yield DerivedCandidate(where, number - 1, (), parse_derivation(line, where))
            continue
        if not re.fullmatch("[0-9]{1,9}", fields[0]):
            raise InputError(
                f"{where}: the sentence number {quoted(fields[0])} is not a number; number "
                "sentences from 0"
            )
        yield DerivedCandidate(where, int(fields[0]), fields, parse_derivation(fields[1], where))
    if empty:
        raise InputError(f"{name}: empty, but derivations were expected")


class _Node(NamedTuple):
    """A node whose bracket is open: the positions of its own words, and its children's spans."""

    name: str
    start: int
    end: int
    words: list[int]
    children: list[tuple[int, int]]


def parse_derivation(text: str, where: str) -> Derivation:
    """Parse a derivation; `where` names its line in messages.

    A node's own words translate the source words that no child covers; the children's phrases come
    first (Zaidan & Callison-Burch 2009). The outer ROOT is removed, because it counts the end of
    the sentence as a word.

    >>> parse_derivation("(ROOT{0-4} (S{0-3} a (X{1-2} b) c))", "line 1").phrases
    (Phrase(sources=(1,), targets=(1,)), Phrase(sources=(0, 2), targets=(0, 2)))
    """
    words: list[str] = []
    phrases: list[Phrase] = []
    above: list[_Node] = []
    last: _Node | None = None  # the node that was closed last: in the end, the whole tree
    for token in words_of(text):
        if not above and last is not None:
            raise InputError(
                f"{where}: {quoted(token)} after the end of the derivation; give one tree per line"
            )
        label = _LABEL.fullmatch(token)
        if label is not None:
            above.append(_open_node(label, above, where))
            continue
        if not above:
            raise InputError(
                f"{where}: {quoted(token)}, but a derivation was expected, such as (S{{0-2}} "
                "one two)"
            )
        word = token.rstrip(")")
        closed = len(token) - len(word)
        if not word:  # it stands alone: the first bracket is a word of the output
            word, closed = ")", closed - 1
        above[-1].words.append(len(words))
        words.append(word)
        if closed > len(above):
            raise InputError(f"{where}: an unmatched ); {_BALANCE}")
        for _ in range(closed):
            last = above.pop()
            phrases += _phrase(last, is_outer=not above)
    if above:
        raise InputError(f"{where}: {plural(len(above), 'bracket')} not closed; {_BALANCE}")
    if last is None:
        raise InputError(f"{where}: no derivation; give one on every line")
    end = max((end for _, end in last.children), default=0) if last.name == _OUTER else last.end
    return Derivation(tuple(words), tuple(phrases), end)


def _open_node(label: re.Match[str], above: list[_Node], where: str) -> _Node:
    node = _Node(label[1], int(label[2]), int(label[3]), [], [])
    span = f"{node.name}{{{node.start}-{node.end}}}"
    if node.start >= node.end:
        raise InputError(f"{where}: {quoted(span)} covers no word; the end is exclusive")
    if above:
        parent = above[-1]
        if node.start < parent.start or node.end > parent.end:
            raise InputError(
                f"{where}: {quoted(span)} is not within {parent.start}-{parent.end}, the span of "
                "the node around it"
            )
        if any(node.start < end and start < node.end for start, end in parent.children):
            raise InputError(f"{where}: {quoted(span)} overlaps one of its siblings")
        parent.children.append((node.start, node.end))
    return node


def _phrase(node: _Node, *, is_outer: bool) -> list[Phrase]:
    """The phrase of a node's own words, if they translate anything."""
    if not node.words or (is_outer and node.name == _OUTER):
        return []
    covered = {place for start, end in node.children for place in range(start, end)}
    sources = tuple(place for place in range(node.start, node.end) if place not in covered)
    return [Phrase(sources, tuple(node.words))] if sources else []
