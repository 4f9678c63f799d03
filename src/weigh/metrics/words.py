"""What counts as a word: the tokeniser that `auto` stands for, decided once by all references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.metrics.registry import key_of
from weigh.options import Chosen, option, options_of
from weigh.read.text import shown
from weigh.tokenize import TOKENIZERS, Tokenizer, tokenizer
from weigh.tokenize.writing import Writing, writing_of
from weigh.types import Metric

if TYPE_CHECKING:
    from weigh.metrics.stored import StoredStatistics
    from weigh.types import System, TestSet

AUTO = "auto"
SPREADING = tuple(name for name in TOKENIZERS if name != "13a")
"""The tokenisers that can stand before the rules of another: 13a runs in the core alone."""

# What tells the words of a language that is written without spaces.
_FITTING = {"Chinese": ("zh", "char"), "Japanese": ("ja-mecab", "char")}
_FITTING_OTHERS = ("char", "flores200")
_EXPLAINED = {"flores200": "flores200 (SentencePiece)"}
# All ways of writing that make a difference to some metric.
_WRITINGS = (
    Writing(),
    *(Writing(language, spaced) for language in _FITTING for spaced in (True, False)),
)

AnyMetric = TypeVar("AnyMetric", bound="Metric")


def tokenize_option(meaning: str, schemes: Sequence[str] = tuple(TOKENIZERS)) -> Any:
    """Declare the option that says what a word is; `meaning` is that of `auto`."""
    return option(AUTO, f"tokeniser; auto: {meaning}", choices=(AUTO, *schemes))


def settled(
    metric: AnyMetric,
    test_set: TestSet,
    systems: Sequence[System] = (),
) -> AnyMetric:
    """Return a metric whose tokeniser is known: `auto` is decided by all references together.

    Refused are references whose words the metric cannot find, and slices that need different
    tokenisers.
    """
    return settled_all([metric], test_set, systems)[0]


def settled_all(
    metrics: Sequence[AnyMetric],
    test_set: TestSet,
    systems: Sequence[System] = (),
) -> list[AnyMetric]:
    """Return metrics whose tokenisers are known, each as `settled` returns it."""
    if not any(metric.has_open_tokenizer for metric in metrics):
        return list(metrics)
    own = [texts for system in systems for texts in system.references]
    references = [*test_set.references, *own]
    whole, slices = writing_of(references, test_set.slices)
    for metric in metrics:
        _check_slices(metric, slices)
    return [metric.for_writing(whole) for metric in metrics]


class CountsWords(Metric):
    """A metric that counts words, found by the tokeniser that its option `tokenize` names."""

    __slots__ = ()

    if TYPE_CHECKING:
        tokenize: str

    @property
    def has_open_tokenizer(self) -> bool:
        """Whether it is still to be decided how words are found, by the references."""
        return self.tokenize == AUTO


def _check_slices(metric: Metric, slices: Mapping[str, Writing]) -> None:
    """Refuse slices that need different tokenisers."""
    outcomes = [_outcome(metric, writing) for writing in slices.values()]
    for one, other in pairwise(range(len(outcomes))):
        if outcomes[one] != outcomes[other]:
            (first, writing), (second, contrary) = (list(slices.items())[i] for i in (one, other))
            raise InputError(
                f"{metric.name}: the references of slice {shown(first)} are {_told(writing)}, but "
                f"those of {shown(second)} are {_told(contrary)}; name one tokeniser for all by "
                "the option tokenize, or score the slices apart"
            )


def _outcome(metric: AnyMetric, writing: Writing) -> AnyMetric | None:
    """Return the metric for references written so, or None where it refuses them."""
    try:
        return metric.for_writing(writing)
    except WeighError:
        return None


def _told(writing: Writing) -> str:
    if writing.language is None:
        return "written with spaces"
    return f"{writing.language}{' with spaces between words' * writing.spaced}"


def as_stored(metric: AnyMetric, references: int, stored: StoredStatistics) -> AnyMetric:
    """Return the metric with the tokeniser that stored statistics were counted with."""
    if not metric.has_open_tokenizer:
        return metric
    known = stored.metrics.get(key_of(metric))
    made = [one for writing in _WRITINGS if (one := _outcome(metric, writing)) is not None]
    same = (one for one in made if known and one.signature(references) == known.signature)
    found = next(same, None)
    if found is None and known and "tok:ja-mecab" in known.signature:
        return metric.for_writing(Writing("Japanese", spaced=False))  # says what is missing
    return made[0] if found is None else found


def tokenizer_for(metric: Any, test_set: TestSet) -> Tokenizer:
    """Return the tokeniser of a metric, for the references of a test set where it is `auto`."""
    return tokenizer(settled(metric, test_set).tokenize)


def tokenizer_signature(metric: Any) -> str:
    """Return the tokeniser as signatures name it; `auto` as long as there are no references."""
    return AUTO if metric.tokenize == AUTO else tokenizer(metric.tokenize).signature


def with_tokenizer(
    metric: AnyMetric,
    writing: Writing,
    spaced: str,
    own: Mapping[str, str] | None = None,
    *,
    otherwise: str = "",
) -> AnyMetric:
    """Return a metric with the tokeniser for references written so, unless it names one.

    That is `spaced` where white space tells words apart, and else what it has of its `own` for
    the language. The others are refused; `otherwise` is what helps beside another tokeniser.
    """
    fields: Any = metric  # a dataclass
    if fields.tokenize != AUTO:
        return metric
    scheme = (own or {}).get(writing.language or "")
    if scheme is None and not writing.hides_words:
        scheme = spaced
    key = key_of(metric)
    if scheme is None:
        fitting = _FITTING.get(writing.language or "", _FITTING_OTHERS)
        known = next(f for f in options_of(metric) if f.name == "tokenize").metadata["choices"]
        schemes = " or ".join(_EXPLAINED.get(one, one) for one in fitting if one in known)
        helps = [otherwise] * bool(otherwise) + [f"{key}:tokenize={schemes}"] * bool(schemes)
        raise InputError(
            f"{metric.name}: the references are {writing.language}, which has no spaces between "
            f"words, so that a sentence would count as a word; use {', or '.join(helps)}, or "
            f"split at spaces nevertheless with {key}:tokenize={spaced}"
        )
    if scheme == "ja-mecab":
        try:
            tokenizer(scheme)
        except MissingExtraError as error:
            raise MissingExtraError(
                f"{metric.name}: the references are Japanese: {error}, or count characters with "
                f"{key}:tokenize=char"
            ) from error
    chosen: AnyMetric = replace(fields, tokenize=Chosen(scheme))
    return chosen
