"""Dependency F (Riezler & Maxwell 2005): relations between words, from parses."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weigh.errors import InputError, MissingExtraError
from weigh.metrics.statistics import path_label
from weigh.metrics.words import count, quotient, ratios, references_of, signed
from weigh.options import option
from weigh.read.text import quoted
from weigh.types import Metric, ParsedText, ParsedWord

if TYPE_CHECKING:
    from weigh.types import Outputs, Rows, Scores, TestSet


class SpacyModel:
    """A loaded model; it parses for one thread at a time."""

    def __init__(self, name: str) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingExtraError(
                f"dependency:model={name} needs spaCy; install it with pip install 'weigh[spacy]'"
            ) from None
        try:
            self._pipeline = spacy.load(name, exclude=["ner"])
        except OSError:
            raise MissingExtraError(
                f"dependency:model={name}: spaCy has no such model; install it with "
                f"python -m spacy download {name}, or give the folder that holds it"
            ) from None
        except (ImportError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(
                f"dependency:model={name}: spaCy cannot load it ({reason}); choose another model"
            ) from None
        self._name = name
        self._lock = threading.Lock()

    def parses(self, texts: Sequence[str]) -> list[tuple[ParsedWord, ...]]:
        """Return the words of each text; equal texts are parsed once."""
        distinct = list(dict.fromkeys(map(str, texts)))
        with self._lock:
            words = [self._words(document) for document in self._pipeline.pipe(distinct)]
        parses = dict(zip(distinct, words, strict=True))
        return [parses[text] for text in texts]

    def _words(self, document: Any) -> tuple[ParsedWord, ...]:
        if len(document) and not document.has_annotation("DEP"):
            raise InputError(
                f"dependency:model={self._name}: the model does not parse; "
                "choose one that has a dependency parser"
            )
        # White space is a token to spaCy, though no word.
        kept = [token for token in document if not token.is_space]
        places = {token.i: place for place, token in enumerate(kept, 1)}
        return tuple(
            ParsedWord(token.text, token.lemma_ or "_", _head(token, places), token.dep_)
            for token in kept
        )


def _head(token: Any, places: Mapping[int, int]) -> int:
    """Return the place of the nearest word above; to spaCy a root is its own head."""
    head = token.head
    if head.i == token.i:
        return 0
    while head.i not in places and head.head.i != head.i:
        head = head.head
    return places.get(head.i, 0)


def version_of(package: str) -> str:
    """Return an installed package and its version; a model that is a folder has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{package}-{version(package)}"
    except (PackageNotFoundError, ValueError):
        return path_label(package)


Relations = Counter[tuple[str, str, str]]

_UNKNOWN = "_"  # how CoNLL-U writes what a parser does not tell


@dataclass(frozen=True, slots=True)
class Dependency(Metric):
    """F of the relations (head word, relation, dependent word) of output and reference.

    A row is the number of relations of the output, of the reference and in common. Of several
    references the one with the best F counts, the first on ties. A root has no head word, so that
    it is in no relation.

    >>> from weigh import Dependency, Outputs, ParsedText, ParsedWord, TestSet
    >>> def parsed(*words):
    ...     return ParsedText(
    ...         " ".join(form for form, _, _ in words),
    ...         [ParsedWord(form, form, head, relation) for form, head, relation in words],
    ...     )
    >>> reference = parsed(("the", 2, "det"), ("cat", 3, "nsubj"), ("sat", 0, "root"))
    >>> output = parsed(("the", 2, "det"), ("cat", 3, "nsubj"), ("slept", 0, "root"))
    >>> Dependency().prepare(TestSet([[reference]])).rows(Outputs([output])).tolist()
    [[2, 2, 1]]
    """

    name: ClassVar[str] = "dependency F"
    higher_is_better: ClassVar[bool] = True
    perfect: ClassVar[float | None] = 100.0
    scale: ClassVar[float] = 100.0
    citations: ClassVar[tuple[str, ...]] = ("riezler-maxwell-2005-pitfalls",)
    width: ClassVar[int] = 3

    labels: bool = option(True, "compare the names of relations too")
    lemmas: bool = option(False, "compare lemmas instead of forms")
    model: str | None = option(
        None, "spaCy model that parses all texts (weigh[spacy]); else they are given as .conllu"
    )

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar."""
        parser = "given"
        if self.model is not None:
            parser = f"{version_of('spacy')}+{version_of(self.model)}"
        return signed(
            references,
            words="lemmas" if self.lemmas else "forms",
            labels=self.labels,
            parser=parser,
        )

    def prepare(self, test_set: TestSet) -> DependencyExtractor:
        """Count the references' relations."""
        return DependencyExtractor(self, test_set)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: the harmonic mean of precision and recall."""
        sums = np.asarray(sums, dtype=np.float64)
        return np.asarray(100.0 * ratios(2 * sums[..., 2], sums[..., 0] + sums[..., 1]))

    def details(self, sums: Rows) -> dict[str, float]:
        """Return precision, recall and the numbers of relations."""
        hypothesis, reference, matched = sums
        return {
            "precision": 100 * quotient(matched, hypothesis),
            "recall": 100 * quotient(matched, reference),
            "matches": count(matched),
            "hypothesis_relations": count(hypothesis),
            "reference_relations": count(reference),
        }


class DependencyExtractor:
    """Rows of a test set's hypotheses; it holds the relations of the references."""

    def __init__(self, metric: Dependency, test_set: TestSet) -> None:
        references = references_of(test_set)
        self._metric = metric
        self._number_of = test_set.number_of
        self._model = None if metric.model is None else SpacyModel(metric.model)
        sets = [
            self._relations(texts, range(len(test_set)), f"reference {number}")
            for number, texts in enumerate(references, 1)
        ]
        self._references = list(zip(*sets, strict=True))

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        output_relations = self._relations(outputs.texts, outputs.owners, "an output")
        rows = [
            _best_row(relations, self._references[segment])
            for segment, relations in zip(outputs.owners, output_relations, strict=True)
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def _relations(
        self, texts: Sequence[str], segments: Sequence[int] | Rows, whose: str
    ) -> list[Relations]:
        if self._model is not None:
            parses = self._model.parses(texts)
        else:
            parses = [
                _stored_parse(text, f"{whose} (segment {self._number_of(segment):,})")
                for text, segment in zip(texts, segments, strict=True)
            ]
        return [
            Counter(self._triples(text, words, f"{whose} (segment {self._number_of(segment):,})"))
            for text, words, segment in zip(texts, parses, segments, strict=True)
        ]

    def _triples(
        self, text: str, words: Sequence[ParsedWord], whose: str
    ) -> list[tuple[str, str, str]]:
        labels, lemmas = self._metric.labels, self._metric.lemmas
        # A word without a lemma, such as the second part of one that was torn apart, is its form;
        # where no word has one, the parser does not tell lemmas.
        if lemmas and len(words) > 1 and all(word.lemma == _UNKNOWN != word.form for word in words):
            raise _missing_annotation("lemma", words[0], text, whose, "lemmas=false")
        for word in words:
            if labels and word.relation == _UNKNOWN:
                raise _missing_annotation("relation", word, text, whose, "labels=false")
        names = [word.lemma if lemmas and word.lemma != _UNKNOWN else word.form for word in words]
        return [
            (names[word.head - 1], word.relation if labels else "", name)
            for word, name in zip(words, names, strict=True)
            if word.head
        ]


def _missing_annotation(
    what: str, word: ParsedWord, text: str, whose: str, otherwise: str
) -> InputError:
    return InputError(
        f"dependency: {whose} has no {what} of {quoted(word.form)} in {quoted(text)}; "
        f"use a parser that provides it, or {otherwise}"
    )


def _stored_parse(text: str, whose: str) -> tuple[ParsedWord, ...]:
    if not isinstance(text, ParsedText):
        raise InputError(
            f"dependency: {whose} has no parse; give outputs and references as .conllu files, "
            "or name a spaCy model by dependency:model=MODEL"
        )
    return text.words


def _best_row(hypothesis: Relations, references: Sequence[Relations]) -> tuple[int, int, int]:
    """Return the counts of the reference with the best F, the first on ties."""
    size = hypothesis.total()
    best: tuple[int, int, int] | None = None
    for reference in references:
        matches = sum(min(count, reference[relation]) for relation, count in hypothesis.items())
        row = (size, reference.total(), matches)
        # Fractions are compared crosswise, which is exact.
        if best is None or matches * (size + best[1]) > best[2] * (size + row[1]):
            best = row
    assert best is not None, "there is at least one reference"
    return best
