"""Parse trees of source sentences by distinct ranges, and their frontiers: what is asked about."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.errors import InputError, UsageError, plural
from weigh.read.alignment import same_word, words_of
from weigh.read.text import quoted, shown
from weigh.read.trees import SPAN, WORD, Node, Parse, read_parses
from weigh.rypt.plan import MAX_LENGTH

SENTENCE = "sentence"
"""The name of the root if the parse has no node that covers all words."""
_WRITTEN = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "_", "\t": "_"})


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes of a parse in preorder, one for each distinct range; the first is the sentence.

    A chain of nodes with one range is one node, which bears the name of the highest. Every word
    is a node, so that a node's children cover it without overlap.
    """

    words: tuple[str, ...]
    names: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]  # half-open
    parents: tuple[int, ...]  # the place of the parent, -1 for the first

    @classmethod
    def of(cls, words: Sequence[str], nodes: Iterable[Node]) -> Tree:
        """The tree of a sentence's nodes, in any order; nodes must not cross.

        The sentence itself and every word are nodes, whether they are given or not.

        >>> tree = Tree.of(["the", "cat", "sat"], [Node("NP", 0, 2)])
        >>> list(zip(tree.names, tree.starts, tree.ends))[:3]
        [('sentence', 0, 3), ('NP', 0, 2), ('word', 0, 1)]
        """
        size = len(words)
        names: dict[tuple[int, int], str] = {}
        for name, start, end in nodes:
            if not 0 <= start < end <= size:
                raise InputError(
                    f"the span {start}-{end}, but the sentence has {plural(size, 'word')}; "
                    "count from 0, with the end after the last word"
                )
            if not names.get((start, end)):  # a chain is named by the first that has a name
                names[start, end] = name
        if size:
            names.setdefault((0, size), SENTENCE)
        for place in range(size):
            names.setdefault((place, place + 1), WORD)
        ranges = sorted(names, key=lambda span: (span[0], -span[1]))
        parents: list[int] = []
        above: list[int] = []
        for place, (start, end) in enumerate(ranges):
            while above and ranges[above[-1]][1] <= start:
                above.pop()
            if above and ranges[above[-1]][1] < end:
                first, last = ranges[above[-1]]
                raise InputError(
                    f"the spans {first}-{last} and {start}-{end} cross; "
                    "one must lie within the other, or beside it"
                )
            parents.append(above[-1] if above else -1)
            above.append(place)
        return cls(
            tuple(words),
            tuple(names[span] for span in ranges),
            tuple(start for start, _ in ranges),
            tuple(end for _, end in ranges),
            tuple(parents),
        )

    def brackets(self) -> str:
        """The tree in Penn brackets, with special characters escaped.

        >>> Tree.of(["the", "cat", ":)"], [Node("NP", 0, 2)]).brackets()
        '(sentence (NP (word the) (word cat)) (word :-RRB-))'
        """
        closed = Counter(self.ends)
        parts = []
        for name, start, end in zip(self.names, self.starts, self.ends, strict=True):
            word = f" {_in_brackets(self.words[start])}{')' * closed[end]}"
            parts.append(f"({_in_brackets(name) or SPAN}{word if end == start + 1 else ''}")
        return " ".join(parts)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The range of every node."""
        return list(zip(self.starts, self.ends, strict=True))

    def nodes_by_span(self) -> dict[tuple[int, int], int]:
        """Return the place of the node of each range."""
        return {span: node for node, span in enumerate(self.spans)}

    def children(self) -> list[list[int]]:
        """Return the places of every node's children, from left to right."""
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents[1:], 1):
            children[parent].append(node)
        return children

    def depths(self) -> list[int]:
        """Number of ancestors of each node."""
        depths = [0] * len(self)
        for node, parent in enumerate(self.parents[1:], 1):
            depths[node] = depths[parent] + 1
        return depths


def _in_brackets(text: str) -> str:
    """Return a name or a word as brackets can hold it."""
    return text.translate(_WRITTEN)


@dataclass(frozen=True, slots=True)
class Trees:
    """The trees of a test set's sources, None where a sentence has no parse or no words.

    `unparsed` counts the sentences without a parse, also where they were given a flat tree, and
    `scattered` the dependency subtrees that are no nodes since their words do not stand together.
    """

    trees: tuple[Tree | None, ...]
    unparsed: int
    scattered: int


def read_trees(path: str, sources: Sequence[str], *, flat: bool = False) -> Trees:
    """Return the tree of every source sentence.

    The parse's words must be the sentence's, whatever their case and their escapes. With `flat`,
    a sentence without a parse is a tree of its words.
    """
    parses = read_parses(path)
    if len(parses) != len(sources):
        raise InputError(
            f"{shown(path)}: {plural(len(parses), 'parse')}, but the source has "
            f"{plural(len(sources), 'sentence')}; "
            "give one for every sentence"
        )
    trees = tuple(
        _tree(parse, words_of(source), flat=flat)
        for parse, source in zip(parses, sources, strict=True)
    )
    if trees and all(tree is None for tree in trees):
        raise InputError(
            f"{shown(path)}: no sentence has a parse; parse the sources, or treat each as "
            "a flat tree of its words with the option flat"
        )
    parsed = [parse for parse in parses if parse is not None]
    return Trees(trees, len(parses) - len(parsed), sum(parse.scattered for parse in parsed))


def _tree(parse: Parse | None, words: list[str], *, flat: bool) -> Tree | None:
    if parse is None:
        return Tree.of(words, ()) if flat and words else None
    if parse.words is not None:
        _check_words(parse.where, parse.words, words)
    if not words and not parse.nodes:
        return None
    try:
        return Tree.of(words, parse.nodes)
    except InputError as error:
        raise InputError(f"{parse.where}: {error}") from None


def _check_words(where: str, parsed: Sequence[str], words: Sequence[str]) -> None:
    """Refuse a parse of other words than the sentence has."""
    for place, (leaf, word) in enumerate(zip(parsed, words, strict=False), 1):
        if not same_word(leaf, word):
            raise InputError(
                f"{where}: word {place:,} of the parse is {quoted(leaf)}, but {quoted(word)} in "
                "the source; parse the source with the same tokenisation"
            )
    if len(parsed) != len(words):
        place = min(len(parsed), len(words))
        longer, owner = (parsed, "the parse") if len(parsed) > place else (words, "the source")
        raise InputError(
            f"{where}: {plural(len(parsed), 'word')} in the parse, but {len(words):,} in the "
            f"source; only {owner} has {quoted(longer[place])} after word {place:,}"
        )


def frontier(tree: Tree, max_length: int = MAX_LENGTH) -> list[int]:
    """Return the places of the frontier's nodes, breadth first (Zaidan & Callison-Burch 2009).

    From the highest node on, a node of at most `max_length` words is kept, and any other is
    replaced by its children. Every word is a node, so that the frontier covers all words.
    """
    if max_length < 1:
        raise UsageError(f"max_length={max_length}; give 1 or more")
    children = tree.children()
    kept = []
    waiting = deque([0])
    while waiting:
        node = waiting.popleft()
        if tree.ends[node] - tree.starts[node] <= max_length:
            kept.append(node)
        else:
            waiting.extend(children[node])
    return kept
