"""Shared parts of word-based metrics: choosing a tokeniser, and counting rows in the core.

The tokeniser that `auto` stands for is decided once, by all references.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from weigh import __version__
from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.metrics.registry import key_of
from weigh.options import Chosen, check_metric_options, option, options_of
from weigh.read.text import shown
from weigh.tokenize import TOKENIZERS, Spread, Tokenizer, tokenizer
from weigh.tokenize.writing import Writing, writing_of
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Outputs, Rows, Scores, System, TestSet

AUTO = "auto"
SPREADING = tuple(name for name in TOKENIZERS if name != "13a")
"""The tokenisers that can stand before the rules of another: 13a runs in the core alone."""

LONGEST_NGRAM = 100
"""The maximum n-gram length; longer ones are useless and would fill the memory."""

# What tells the words of a language that is written without spaces.
_FITTING = {"Chinese": ("zh", "char"), "Japanese": ("ja-mecab", "char")}
_FITTING_OTHERS = ("char", "flores200")
_EXPLAINED = {"flores200": "flores200 (SentencePiece)"}

AnyMetric = TypeVar("AnyMetric", bound="Metric")
Counting = TypeVar("Counting", bound="CountsWords")


def tokenize_option(meaning: str, schemes: Sequence[str] = tuple(TOKENIZERS)) -> Any:
    """Declare the option that says what a word is; `meaning` is that of `auto`."""
    return option(AUTO, f"tokeniser; auto: {meaning}", choices=(AUTO, *schemes))


def resolve_tokenizer(
    metric: AnyMetric,
    test_set: TestSet,
    systems: Sequence[System] = (),
) -> AnyMetric:
    """Choose the tokeniser of a metric: `auto` is decided by all references together.

    Refused are references whose words the metric cannot find, and slices that need different
    tokenisers.
    """
    return resolve_tokenizers([metric], test_set, systems)[0]


def resolve_tokenizers(
    metrics: Sequence[AnyMetric],
    test_set: TestSet,
    systems: Sequence[System] = (),
) -> list[AnyMetric]:
    """Choose the tokenisers of metrics, as `resolve_tokenizer` does."""
    if not any(metric.has_open_tokenizer for metric in metrics):
        return list(metrics)
    own_references = [texts for system in systems for texts in system.references]
    references = [*test_set.references, *own_references]
    whole, slices = writing_of(references, test_set.slices)
    for metric in metrics:
        _check_slices(metric, slices)
    return [metric.for_writing(whole) for metric in metrics]


class CountsWords(Metric):
    """A metric that counts words, found by the tokeniser that its option `tokenize` names.

    Where that is `auto`, it is `spaced` if white space tells words apart, and else what there is
    in `by_language`.
    """

    __slots__ = ()

    spaced: ClassVar[str] = "none"
    by_language: ClassVar[Mapping[str, str]] = {}

    if TYPE_CHECKING:
        tokenize: str

    def __post_init__(self) -> None:
        check_metric_options(self)

    @property
    def has_open_tokenizer(self) -> bool:
        """Whether it is still to be decided how words are found, by the references."""
        return self.tokenize == AUTO

    @property
    def tokenizer_signature(self) -> str:
        """The tokeniser as signatures name it; `auto` as long as there are no references."""
        return AUTO if self.tokenize == AUTO else tokenizer(self.tokenize).signature

    def tokenizer(self, test_set: TestSet) -> Tokenizer:
        """Return the tokeniser, for the references of a test set where it is `auto`."""
        return tokenizer(resolve_tokenizer(self, test_set).tokenize)

    def for_writing(self, writing: Writing) -> Self:
        """Return the metric with a tokeniser for references that are written so."""
        return with_tokenizer(self, writing)


def _check_slices(metric: Metric, slices: Mapping[str, Writing]) -> None:
    """Refuse slices that need different tokenisers."""
    outcomes = [_outcome(metric, writing) for writing in slices.values()]
    for earlier, other in pairwise(range(len(outcomes))):
        if outcomes[earlier] != outcomes[other]:
            (first, writing), (second, contrary) = (
                list(slices.items())[i] for i in (earlier, other)
            )
            raise InputError(
                f"{metric.name}: the references of slice {shown(first)} are {_describe(writing)}, "
                f"but those of {shown(second)} are {_describe(contrary)}; choose one tokeniser for "
                "all with the option tokenize, or score the slices separately"
            )


def _outcome(metric: AnyMetric, writing: Writing) -> AnyMetric | None:
    """The metric for references in this writing system, or None if it refuses them."""
    try:
        return metric.for_writing(writing)
    except WeighError:
        return None


def _describe(writing: Writing) -> str:
    if writing.language is None:
        return "written with spaces"
    return f"{writing.language}{' with spaces between words' * writing.spaced}"


def with_tokenizer(metric: Counting, writing: Writing, *, otherwise: str = "") -> Counting:
    """The metric with a tokeniser for this writing system, unless it names one.

    References whose words it cannot find are refused; `otherwise` is what helps beside another
    tokeniser.
    """
    if metric.tokenize != AUTO:
        return metric
    scheme = metric.by_language.get(writing.language or "")
    if scheme is None and not writing.hides_words:
        scheme = metric.spaced
    key = key_of(metric)
    if scheme is None:
        fitting = _FITTING.get(writing.language or "", _FITTING_OTHERS)
        choices = next(f for f in options_of(metric) if f.name == "tokenize").metadata["choices"]
        schemes = " or ".join(_EXPLAINED.get(name, name) for name in fitting if name in choices)
        helps = [
            text for text in (otherwise, f"{key}:tokenize={schemes}" if schemes else "") if text
        ]
        raise InputError(
            f"{metric.name}: the references are {writing.language}, which has no spaces between "
            f"words, so a whole sentence would count as one word; use {', or '.join(helps)}, or "
            f"split at spaces anyway with {key}:tokenize={metric.spaced}"
        )
    if scheme == "ja-mecab":
        try:
            tokenizer(scheme)
        except MissingExtraError as error:
            raise MissingExtraError(
                f"{metric.name}: the references are Japanese: {error}, or count characters with "
                f"{key}:tokenize=char"
            ) from error
    fields: Any = metric  # a dataclass
    chosen: Counting = replace(fields, tokenize=Chosen(scheme))
    return chosen


# Rows of statistics, counted by the core.

# Number of texts prepared at a time, so that changed copies of all texts never exist at once.
_BATCH = 1 << 16


class Counter(Protocol):
    """One of the core's counters: references in, rows out."""

    def expect(self, segments: int) -> None:
        """Announce the number of segments that will be appended."""

    def add(self, sets: list[Sequence[str]]) -> None:
        """Append segments: one sequence of texts for each reference set."""

    def rows(self, texts: Sequence[str], segments: NDArray[np.int64]) -> Rows:
        """Return the statistics of texts that belong to these segments."""


class Effort(NamedTuple):
    """The limits of a metric whose time grows with the product of two lengths.

    `most` is the largest product of the words of a text and of its reference: larger ones would
    keep a core busy for minutes.
    """

    metric: str
    most: float


class CountedExtractor:
    """Rows of a test set's hypotheses, by a counter that holds the references.

    Each of `spreads` is applied to all texts first, in turn: lower-casing, tokenising. With
    `whole`, the counter's doubles are known to be whole numbers and become integers. Segments
    that are more than the `effort` allows are refused.
    """

    def __init__(
        self,
        counter: Counter,
        test_set: TestSet,
        *spreads: Spread | None,
        whole: bool = False,
        effort: Effort | None = None,
    ) -> None:
        references = references_of(test_set)
        self._counter = counter
        self._whole = whole
        self._effort = effort
        self._references = references if effort is not None else ()
        self._longest = max(_longest(texts) for texts in references)
        self._spreads = [spread for spread in spreads if spread is not None]
        counter.expect(len(test_set))
        for start in range(0, len(test_set), _BATCH):
            stop = start + _BATCH
            counter.add([self._spread(texts[start:stop]) for texts in references])

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        segments = np.ascontiguousarray(outputs.owners, dtype=np.int64)
        self._check_effort(outputs)
        rows = self._counter.rows(self._spread(outputs.texts), segments)
        return rows.astype(np.int64) if self._whole else rows

    def _check_effort(self, outputs: Outputs) -> None:
        """Refuse a segment that would take too long; most test sets have none by far."""
        effort = self._effort
        # A word has one character at least, and a space.
        if effort is None or _longest(outputs.texts) * self._longest <= 4 * effort.most:
            return
        for text, segment in zip(outputs.texts, outputs.owners, strict=True):
            for references in self._references:
                reference = references[segment]
                if len(text) * len(reference) <= 4 * effort.most:
                    continue
                words, in_reference = len(text.split()), len(reference.split())
                if words * in_reference > effort.most:
                    raise InputError(
                        f"{effort.metric}: segment {segment + 1:,} has {words:,} words and its "
                        f"reference {in_reference:,}, which takes too long to compare word by "
                        "word; give sentences, or leave this metric out"
                    )

    def _spread(self, texts: Sequence[str]) -> Sequence[str]:
        for spread in self._spreads:
            texts = spread(texts)
        return texts


def _longest(texts: Sequence[str]) -> int:
    """Return the characters of the longest text."""
    return max(map(len, texts), default=0)


def references_of(test_set: TestSet) -> Sequence[Sequence[str]]:
    """The references of a test set; raises an error if there are none."""
    if not test_set.references:
        raise InputError("this metric needs references; give them with -r")
    return test_set.references


def ratios(above: Rows, below: Rows, otherwise: float | Rows = 0.0) -> Scores:
    """above / below, or `otherwise` where below is 0."""
    is_defined = np.greater(below, 0)
    if is_defined.all():  # of resampled test sets nearly always, and much quicker
        return np.asarray(np.divide(above, below))
    result: Scores = np.full(np.shape(below), otherwise)
    np.divide(above, below, out=result, where=is_defined)
    return result


def count(number: float) -> float:
    """A sum as an integer if it is whole.

    >>> count(3.0), count(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else float(number)


def quotient(above: float, below: float) -> float:
    """above / below, or NaN if below is 0.

    >>> quotient(1, 4), quotient(0, 0)
    (0.25, nan)
    """
    return float(above / below) if below else math.nan


def signed(references: int, **parts: object) -> str:
    """Join parts as sacreBLEU's signatures do: `nrefs:1|case:mixed|…|version:…`."""

    def text(value: object) -> str:
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    pairs = {"nrefs": references, **parts, "version": f"weigh-{__version__}"}
    return "|".join(f"{name}:{text(value)}" for name, value in pairs.items())
