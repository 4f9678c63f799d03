"""Parses: CoNLL-U sentences, and source parses, which define RYPT's spans.

The file's name tells the format.

- `.conllu`: dependency parses. The words below a head, with it, are a node where they are
  contiguous; where they are not, they are left out and counted.
- `.spans`: spans of words, one sentence on each line, such as `0-2 3-7`, half-open and from 0.
- anything else: Penn brackets, one tree on each line. `null`, `(TOP null)`, `()` and an empty line
  mean that there is no parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weigh.errors import InputError, plural
from weigh.read.text import LONGEST, TextSet, ending, quoted, read_texts, shown
from weigh.types import ParsedText, ParsedWord

# Names of nodes in parses without names.
SPAN, WORD = "span", "word"

_TOKEN = re.compile(r"[()]|[^ \t()]+")
_NO_PARSE = re.compile(r"(\(*)((?:[^ ()]+ )?null)?(\)*)")
_SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class Node(NamedTuple):
    """A named range of words, half-open."""

    name: str
    start: int
    end: int


class Parse(NamedTuple):
    """One sentence's nodes, each before those within it; `where` names its place in the file.

    `words` is None if the file does not contain them. `scattered` is the number of nodes left out
    because their words are not contiguous.
    """

    where: str
    words: tuple[str, ...] | None
    nodes: tuple[Node, ...]
    scattered: int = 0


def read_parses(path: str) -> list[Parse | None]:
    """Read the parse of each sentence, None where there is none."""
    kind = ending(path)
    if kind == ".conllu":
        return list(_read_dependencies(path))
    parse = parse_spans if kind == ".spans" else parse_brackets
    name = shown(path)
    return [
        parse(line, f"{name}: line {number:,}") for number, line in enumerate(read_texts(path), 1)
    ]


def parse_brackets(line: str, where: str) -> Parse | None:
    """Parse a line of brackets; `where` names the line in messages.

    >>> parse_brackets("(TOP (NP (DT the) (NN cat)))", "a: line 1").nodes[1]
    Node(name='NP', start=0, end=2)
    """
    if _is_empty(line):
        return None
    reader = _BracketReader(where)
    for token in _TOKEN.finditer(line):
        reader.take(token[0], token.start() + 1)
    return reader.parse()


def _is_empty(line: str) -> bool:
    """Whether a line says that there is no parse."""
    core = line.strip(" \t()")
    if "(" in core or ")" in core:  # as in all trees of more than one word
        return False
    tight = re.sub(r"[ \t]*([()])[ \t]*", r"\1", line.strip(" \t"))
    match = _NO_PARSE.fullmatch(re.sub(r"[ \t]+", " ", tight))
    if not match or len(match[1]) != len(match[3]):
        return False
    return bool(match[1]) or match[2] in (None, "null")


class _BracketReader:
    """Reads a tree token by token, without recursion, however deep it is."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._words: list[str] = []
        self._names: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._open: list[tuple[int, int]] = []  # nodes and their columns
        self._names_node = False  # whether a word that follows is the name of a node

    def take(self, token: str, column: int) -> None:
        if not self._open and (token != "(" or self._names):
            raise self._outside(token, column)
        if token == "(":
            self._open.append((len(self._names), column))
            self._names.append("")
            self._starts.append(len(self._words))
            self._ends.append(-1)
        elif token == ")":
            node, opened = self._open.pop()
            if self._starts[node] == len(self._words):
                raise self._error(
                    opened,
                    f"the node {quoted(self._names[node])} has no words; a node needs at least one",
                )
            self._ends[node] = len(self._words)
        elif self._names_node:
            self._names[-1] = token
        else:
            self._words.append(token)
        self._names_node = token == "("

    def parse(self) -> Parse:
        if self._open:
            node, column = self._open[-1]
            raise self._error(
                column,
                f"the bracket of {quoted(self._names[node])} is not closed; "
                f"{len(self._open):,} ) {'is' if len(self._open) == 1 else 'are'} missing",
            )
        nodes = map(Node, self._names, self._starts, self._ends)
        return Parse(self._where, tuple(self._words), tuple(nodes))

    def _outside(self, token: str, column: int) -> InputError:
        if token == ")":
            return self._error(column, "an unmatched ); remove it, or look for a missing (")
        place = "after" if self._names else "before"
        return self._error(column, f"{quoted(token)} {place} the tree; give one tree per line")

    def _error(self, column: int, what: str) -> InputError:
        return InputError(f"{self._where}, column {column:,}: {what}")


def parse_spans(line: str, where: str) -> Parse:
    """Parse a line of spans. The nodes are only these, without the sentence and its words.

    >>> parse_spans("0-2 3-7", "a: line 1").nodes[0]
    Node(name='span', start=0, end=2)
    """
    nodes = []
    for token in re.finditer(r"[^ \t]+", line):
        match = _SPAN.fullmatch(token[0])
        if not match or int(match[1]) >= int(match[2]):
            raise InputError(
                f"{where}, column {token.start() + 1:,}: {quoted(token[0])} is not a span; give "
                "the first word, counted from 0, and the one after the last, as in 0-2"
            )
        nodes.append(Node(SPAN, int(match[1]), int(match[2])))
    return Parse(where, None, tuple(nodes))


def _read_dependencies(path: str) -> Iterator[Parse | None]:
    name = shown(path)
    for number, text in enumerate(read_conllu(path).texts, 1):
        assert isinstance(text, ParsedText)
        yield _subtrees(text, f"{name}: sentence {number:,}") if text.words else None


def _subtrees(text: ParsedText, where: str) -> Parse:
    """The subtrees whose words are contiguous, named by the relation of their heads."""
    words = text.words
    first, last = list(range(len(words))), list(range(len(words)))
    size = [1] * len(words)
    waiting = [0] * len(words)  # the number of a word's dependents that are not finished
    for word in words:
        if word.head:
            waiting[word.head - 1] += 1
    finished = [place for place, count in enumerate(waiting) if not count]
    for place in finished:  # which grows: a head is finished after all that depend on it
        head = words[place].head - 1
        if head >= 0:
            first[head] = min(first[head], first[place])
            last[head] = max(last[head], last[place])
            size[head] += size[place]
            waiting[head] -= 1
            if not waiting[head]:
                finished.append(head)
    together = [last[place] - first[place] + 1 == size[place] for place in range(len(words))]
    nodes = [
        Node(word.relation, first[place], last[place] + 1)
        for place, word in enumerate(words)
        if together[place]
    ]
    nodes.sort(key=lambda node: (node.start, -node.end))
    forms = tuple(word.form for word in words)
    return Parse(where, forms, tuple(nodes), together.count(False))


# CoNLL-U (universaldependencies.org/format.html): parsed sentences, one for every segment.

_COLUMNS = 10
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")  # a word, 3-4 several, 3.1 an empty node
_HEAD = re.compile(r"[0-9]{1,9}")


def read_conllu(path: str) -> TextSet:
    """Read the sentences of a file, in order, as texts that carry their parses.

    The text is that of `# text =`, or else the forms joined with spaces except after
    `SpaceAfter=No`. Multiword tokens (3-4) belong only to the text; empty nodes (3.1) are ignored.
    A sentence may have no words if `# text =` is empty, which marks an empty output.
    """
    name = shown(path)
    texts = tuple(_Sentence(name, *block).finish() for block in _blocks(read_texts(path)))
    if not texts:
        raise InputError(f"{name}: no sentences; a test set needs at least one")
    return TextSet(name, texts, unit="sentences")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield every sentence's lines and the number of the first; empty lines separate sentences."""
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

    def finish(self) -> ParsedText:
        """The text with its tree; heads that do not form a tree are rejected."""
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
                number, f"column {cells.index('') + 1} is empty; write _ for an unknown value"
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
        """Reject heads that are not words, and words that no path connects to the root."""
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
                    f"from word {start:,} the heads form a cycle; a tree was expected",
                )

    def _error(self, number: int, what: str) -> InputError:
        return InputError(f"{self._file_name}: line {number:,}: {what}")
