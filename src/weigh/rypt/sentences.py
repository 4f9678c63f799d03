"""Sentences that people are asked about, in a file: what tells how useful queries still are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weigh import __version__
from weigh.errors import InputError, plural
from weigh.read.alignment import words_of
from weigh.read.text import read_whole, shown
from weigh.result import REMEDY, SCHEMA, checked, decode, encode, shortly, sometimes
from weigh.rypt.labels import Label, SpanLabels, source_fault
from weigh.rypt.pools import Pool
from weigh.rypt.tree import Tree


@dataclass(frozen=True, slots=True)
class AskedSentence:
    """A source sentence with its tree in brackets, its candidates and its labels.

    `line` is that of the sources. A candidate is its text and its links of words, as in `0-0 1-2`.
    The labels are those that were there when queries were made. A sentence without a tree or
    without candidates has labels alone: they tell how often spans as long are acceptable.
    """

    source: str
    max_length: int
    line: int | None = sometimes(None)
    tree: str = sometimes("")
    candidates: tuple[tuple[str, str], ...] = sometimes(())
    labels: tuple[tuple[int, int, str, Label], ...] = sometimes(())

    def __post_init__(self) -> None:
        checked(self.max_length >= 1, f"a max_length of {self.max_length}")
        checked(bool(self.tree) == bool(self.candidates), "a tree or candidates, but not both")
        fault = source_fault(self.source)
        if fault is not None:
            raise InputError(f"{fault.what}; {fault.remedy}")

    @property
    def known(self) -> SpanLabels:
        """The labels by (start, end, substring)."""
        return {(start, end, text): label for start, end, text, label in self.labels}

    def parsed(self, where: str) -> Tree:
        """Return the tree; `where` names the sentence in messages."""
        return Tree.from_brackets(self.tree, self.source.split(" "), where)

    def pool(self, name: str, row: int) -> Pool:
        """Return the candidates; the file's name and the row are for messages."""
        pool = Pool()
        for text, links in self.candidates:
            pool.add(text, links, name, row)
        return pool


def asked_sentences(
    sources: Sequence[str],
    trees: Sequence[Tree | None],
    pools: Sequence[Pool],
    labels: Mapping[str, SpanLabels],
    max_length: int,
) -> list[AskedSentence]:
    """Return all sentences with a tree and candidates, and the others that have labels."""
    sentences = []
    others = dict(labels)
    for line, (text, tree, pool) in enumerate(zip(sources, trees, pools, strict=True), 1):
        if tree is not None and pool.texts:
            source = " ".join(words_of(text))
            candidates = tuple(zip(pool.texts, pool.alignments, strict=True))
            known = _listed(labels.get(source, {}))
            sentences.append(
                AskedSentence(source, max_length, line, tree.brackets(), candidates, known)
            )
            others.pop(source, None)
    sentences += [
        AskedSentence(source, max_length, labels=_listed(known)) for source, known in others.items()
    ]
    return sentences


def _listed(labels: SpanLabels) -> tuple[tuple[int, int, str, Label], ...]:
    return tuple((*entry, label) for entry, label in labels.items())


def as_jsonl(sentences: Sequence[AskedSentence]) -> Iterator[str]:
    """Yield one JSON object for each sentence, without what it does not have."""
    import json

    head = {"schema": SCHEMA, "weigh": __version__}
    for sentence in sentences:
        yield json.dumps(head | encode(sentence), ensure_ascii=False, separators=(",", ":"))


def read_sentences(path: str) -> list[AskedSentence]:
    """Return the sentences of a file."""
    import json

    name = shown(path)
    sentences: list[AskedSentence] = []
    for row, line in enumerate(read_whole(path).removesuffix("\n").split("\n"), 1):
        where = f"{name}: line {row:,}"
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(
                f"{where} is not JSON; give the sentences.jsonl that weigh rypt queries has written"
            ) from None
        schema = fields.get("schema") if isinstance(fields, dict) else None
        if schema != SCHEMA:
            raise InputError(
                f"{where}: expected a sentence with the schema {SCHEMA}, found {shortly(schema)}; "
                "make the queries again with this version of weigh"
            )
        sentences.append(decode(AskedSentence, fields, where))
    lengths = {sentence.max_length for sentence in sentences}
    if len(lengths) > 1:
        raise InputError(
            f"{name}: {plural(len(lengths), 'max_length')} ({', '.join(map(str, sorted(lengths)))})"
            f"; {REMEDY}"
        )
    return sentences
