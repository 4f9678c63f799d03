"""CoNLL-U (universaldependencies.org/format.html): parsed sentences, one for every segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from weigh.errors import InputError, plural
from weigh.read.text import LONGEST, TextSet, quoted, read_texts, shown
from weigh.types import ParsedText, ParsedWord

_COLUMNS = 10
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")  # a word, 3-4 several, 3.1 an empty node
_HEAD = re.compile(r"[0-9]{1,9}")


def read_conllu(path: str) -> TextSet:
    """Return the sentences of a file, in order, as texts that carry their parses.

    A text is what `# text =` says, or else its forms with the spaces that `SpaceAfter=No` leaves.
    Multiword tokens (3-4) belong to the text alone, empty nodes (3.1) to nothing. A sentence may
    have no words if `# text =` says that it is empty, so that an empty output can be told.
    """
    name = shown(path)
    texts = tuple(_Sentence(name, *block).parsed() for block in _blocks(read_texts(path)))
    if not texts:
        raise InputError(f"{name}: no sentences; a test set needs one at least")
    return TextSet(name, texts, unit="sentences")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield every sentence's lines and the number of the first; empty lines stand between."""
    block: list[str] = []
    for number, line in enumerate(lines, 1):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield len(lines) - len(block) + 1, block


class _Sentence:
    """The lines of one sentence, read one after another."""

    def __init__(self, file_name: str, first: int, lines: Sequence[str]) -> None:
        self._file_name = file_name
        self._first = first
        self._text: str | None = None
        self._words: list[ParsedWord] = []
        self._numbers: list[int] = []  # of the words' lines
        self._written: list[str] = []  # what the text consists of
        self._covered = 0  # the last word of the latest multiword token
        for number, line in enumerate(lines, first):
            if line.startswith("#"):
                self._read_comment(line)
            else:
                self._read_word(number, line)

    def parsed(self) -> ParsedText:
        """Return the text and its tree, if it is one."""
        if not self._words and self._text != "":
            raise self._error(
                self._first, "a sentence without words; write '# text =' for an empty segment"
            )
        if self._covered > len(self._words):
            raise self._error(
                self._first,
                f"a sentence of {plural(len(self._words), 'word')}, but one of its tokens reaches "
                f"to word {self._covered:,}; look for a missing line",
            )
        self._check_heads()
        text = "".join(self._written).removesuffix(" ") if self._text is None else self._text
        if len(text) > LONGEST:
            raise self._error(self._first, f"a sentence of more than {LONGEST:,} characters")
        return ParsedText(text, self._words)

    def _read_comment(self, line: str) -> None:
        key, equals, value = line[1:].partition("=")
        if equals and key.strip() == "text":
            self._text = value.removeprefix(" ")

    def _read_word(self, number: int, line: str) -> None:
        cells = line.split("\t")
        if len(cells) != _COLUMNS:
            raise self._error(
                number,
                f"{plural(len(cells), 'column')}, but CoNLL-U has {_COLUMNS}; separate them by one "
                "tab",
            )
        if not all(cells):
            raise self._error(
                number, f"column {cells.index('') + 1} is empty; write _ for what is not known"
            )
        place = _ID.fullmatch(cells[0])
        expected = len(self._words) + 1
        if place and place[2] == ".":
            return
        if not place or int(place[1]) != expected or int(place[3] or expected) < expected:
            raise self._error(
                number,
                f"the id {quoted(cells[0])}, but the next word is {expected:,}; "
                "look for a missing line, or an empty one between sentences",
            )
        if expected > self._covered:
            self._written.append(cells[1])
            if "SpaceAfter=No" not in cells[9].split("|"):
                self._written.append(" ")
        if place[2]:
            self._covered = int(place[3])
            return
        if not _HEAD.fullmatch(cells[6]):
            raise self._error(
                number,
                f"the head {quoted(cells[6])} is not the number of a word; parse the text first",
            )
        self._words.append(ParsedWord(cells[1], cells[2], int(cells[6]), cells[7]))
        self._numbers.append(number)

    def _check_heads(self) -> None:
        """Refuse heads that are no words, and words from which no way leads to the root."""
        size = len(self._words)
        for number, word in zip(self._numbers, self._words, strict=True):
            if word.head > size:
                raise self._error(
                    number,
                    f"the head {word.head:,}, but the sentence has {plural(size, 'word')}; "
                    "look for a missing line",
                )
        seen_from = [0] * (size + 1)  # the word from which each was reached first
        for start, number in enumerate(self._numbers, 1):
            at = start
            while at and not seen_from[at]:
                seen_from[at] = start
                at = self._words[at - 1].head
            if at and seen_from[at] == start:
                raise self._error(
                    number,
                    f"from word {start:,} heads lead round in a circle; a tree was expected",
                )

    def _error(self, number: int, what: str) -> InputError:
        return InputError(f"{self._file_name}: line {number:,}: {what}")
