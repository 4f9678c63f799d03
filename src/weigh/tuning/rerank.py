"""Choosing candidates by weights or by a trained model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.read.text import quoted
from weigh.result import Extent, Result, warns
from weigh.tuning.examples import LENGTHS, PREFIX, lengths, phrases
from weigh.tuning.gather import Lists, as_nbest, missing_remarks, paths_of, read_parts
from weigh.tuning.nbest import NBest, first_maxima
from weigh.tuning.weights import Weights, as_file, weight_space

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals

# Names that are not those of sparse features: without _, or a label and a position.
_REQUIRED = re.compile(r"[^_]+(_\d+)?")


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate chosen for a sentence, its place in the list from 1, and its score."""

    id: str
    text: str
    place: int
    score: float


@dataclass(frozen=True, slots=True)
class ChoicesResult(Result):
    """The candidates that weights or a model chose, one for each sentence."""

    command: ClassVar[str] = "rerank"

    test_set: Extent
    sentences: tuple[Choice, ...]
    remarks: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        """The number of sentences in which the choice is not the first candidate."""
        return sum(choice.place > 1 for choice in self.sentences)


@warns
def rerank(
    lists: Lists,
    weights: Weights | None = None,
    *,
    model: Weights | None = None,
) -> ChoicesResult:
    """Choose a candidate for each sentence of n-best lists, by weights or by a trained model.

    `lists` are files that make one list, or a list that was read. Weights and models are given by
    name, or as a file of them. Choices stand in the order of the sentences' numbers.
    """
    if (weights is None) == (model is None):
        raise UsageError("give either weights or a model to choose candidates by")
    file = as_file(model, "the model")
    if file is not None:
        if file.named is None:
            raise InputError(
                f"{file.label}: numbers without names, but a model of 'name value' lines was "
                "expected; plain weights are for --weights"
            )
        parts = [lists] if isinstance(lists, NBest) else read_parts(paths_of(lists))
        unordered = by_model(parts, file.named, file.label)
    else:
        nbest = as_nbest(lists)
        space = weight_space(nbest, as_file(weights, "the weights"))
        unordered = choose(nbest, nbest.scores(space.start))
    choices, missing = in_order(unordered)
    remarks = missing_remarks(missing, len(choices) + len(missing))
    return ChoicesResult(Extent(len(choices), 0), tuple(choices), remarks)


def choose(nbest: NBest, scores: Reals) -> list[Choice]:
    """Return each sentence's highest candidate; the first of equals wins."""
    best = first_maxima(scores, nbest.offsets)
    return [
        Choice(key, nbest.texts[text], place, score)
        for key, text, place, score in zip(
            nbest.ids,
            nbest.hypotheses[best].tolist(),
            (best - nbest.offsets[:-1] + 1).tolist(),
            scores[best].tolist(),
            strict=True,
        )
    ]


def by_model(parts: Iterable[NBest], model: Mapping[str, float], label: str) -> list[Choice]:
    """Choose candidates by a model's weights; features that it does not name weigh nothing.

    A feature of the model may be missing from the list if it is a phrase, a length or a sparse one.
    """
    sentences = {
        name: weight for name, weight in model.items() if name.startswith(PREFIX) or name in LENGTHS
    }
    orders = sorted({len(name.split()) for name in sentences if name.startswith(PREFIX)})
    missing = {name for name in model if name not in sentences and _REQUIRED.fullmatch(name)}
    choices = []
    for nbest in parts:
        missing -= set(nbest.feature_names)
        scores = nbest.scores(np.array([model.get(name, 0.0) for name in nbest.feature_names]))
        if sentences:
            scores = scores + _made_scores(nbest, sentences, orders)
        choices += choose(nbest, scores)
    if missing:
        raise InputError(
            f"{label}: a weight for {quoted(min(missing))}, but the n-best list has no such "
            "feature; give a list with the features of the training list"
        )
    return choices


def _made_scores(nbest: NBest, weights: Mapping[str, float], orders: Sequence[int]) -> Reals:
    long = [weights.get(name, 0.0) for name in LENGTHS]
    by_text = [
        sum(weights.get(name, 0.0) for name in phrases(text, orders))
        + sum(weight * number for weight, number in zip(long, lengths(text), strict=True))
        for text in nbest.texts
    ]
    return np.array(by_text, dtype=np.float64)[nbest.hypotheses]


def in_order(choices: Sequence[Choice]) -> tuple[list[Choice], list[int]]:
    """Return choices by number if all sentences have one, and the numbers without a choice."""
    if not all(choice.id.isascii() and choice.id.isdigit() for choice in choices):
        return list(choices), []
    ordered = sorted(choices, key=lambda choice: int(choice.id))
    present = {int(choice.id) for choice in choices}
    return ordered, [number for number in range(max(present)) if number not in present]
