"""Metrics of one's own: a class with two methods, `statistics` and `score`, made into a metric.

Other packages announce theirs as entry points of the group `weigh.metrics`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weigh import plugins
from weigh.errors import InputError, UsageError, WeighError
from weigh.metrics.words import count, signed
from weigh.options import options_of
from weigh.types import METRIC_MEMBERS, Metric, has_members

if TYPE_CHECKING:
    from weigh.tokenize.writing import Writing
    from weigh.types import Extractor, Outputs, Rows, Scores, TestSet

# What the code of others may raise: one that exits ends neither the program nor the thread. Only
# Ctrl-C is the user's, and is caught before.
FAILURES = BaseException

# Number of scores of a batch that are also computed one by one, to check that they agree.
_PROBED = 8
_LONGEST_SHOWN = 60


class Definition(Protocol):
    """A user's metric: two methods, and `name`, `higher_is_better` and the like if needed.

    `score` is defined for the sums of one set of segments. If it also takes an array of many, with
    the statistics on the last axis, it is called that way, which is much faster.
    """

    def statistics(self, hypothesis: str, references: Sequence[str]) -> Any:
        """The statistics of one segment; the same number for every segment."""

    def score(self, sums: Rows) -> Any:
        """Return the score of the sums of such numbers."""


def as_metric(candidate: Metric | Definition) -> Metric:
    """The candidate itself if it is a metric, else an adapter for it.

    A metric object of sacreBLEU is taken too.
    """
    if isinstance(candidate, type):
        raise UsageError(
            f"{candidate.__name__}: a class; give an object, as in {candidate.__name__}()"
        )
    if isinstance(candidate, Metric):
        return candidate
    if has_members(candidate, METRIC_MEMBERS):
        return AdaptedMetric(candidate)
    if has_members(candidate, ("statistics", "score")):
        return CustomMetric(candidate)
    if any(base.__module__ == "sacrebleu.metrics.base" for base in type(candidate).__mro__):
        from weigh.metrics.from_sacrebleu import FromSacrebleu

        return CustomMetric(FromSacrebleu(candidate))
    raise UsageError(
        f"{type(candidate).__name__}: not a metric; give it the methods statistics(hypothesis, "
        "references) and score(sums)"
    )


class AdaptedMetric(Metric):
    """An object with all that a metric must have; what it may lack has the usual default."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_") or name in vars(type(self)):
            return object.__getattribute__(self, name)
        try:
            return getattr(object.__getattribute__(self, "_metric"), name)
        except AttributeError:
            return object.__getattribute__(self, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AdaptedMetric) and self._metric == other._metric

    def __hash__(self) -> int:
        return hash(self._metric)

    @property
    def has_open_tokenizer(self) -> bool:
        """Whether it is still to be decided how words are found, by the references."""
        return getattr(self._metric, "tokenize", None) == "auto" or super().has_open_tokenizer


@dataclass(frozen=True, slots=True)
class CustomMetric(Metric):
    """A metric by a user's definition.

    >>> class Overlap:
    ...     def statistics(self, hypothesis, references):
    ...         known = {word for text in references for word in text.split()}
    ...         words = hypothesis.split()
    ...         return [sum(word in known for word in words), len(words)]
    ...
    ...     def score(self, sums):
    ...         return 100 * sums[..., 0] / sums[..., 1]
    >>> from weigh import Outputs, System, TestSet, score
    >>> [result] = score([System("A", Outputs(["a b c x"]))], TestSet([["a b c d"]]), [Overlap()])
    >>> result.name, result.score
    ('Overlap', 75.0)
    """

    definition: Any

    @property
    def name(self) -> str:
        """The name that the definition has, or that of its class."""
        return str(getattr(self.definition, "name", type(self.definition).__name__))

    @property
    def higher_is_better(self) -> bool:
        """Whether larger scores are better; they are unless the definition says otherwise."""
        return bool(getattr(self.definition, "higher_is_better", True))

    @property
    def mean_of_segments(self) -> bool:
        """Whether the definition says that the score is the mean of the segments' scores."""
        return bool(getattr(self.definition, "mean_of_segments", False))

    @property
    def perfect(self) -> float | None:
        """The score of an output that equals the reference, if the definition says so."""
        perfect = getattr(self.definition, "perfect", None)
        return None if perfect is None else float(perfect)

    @property
    def scale(self) -> float | None:
        """How much the score of a segment can change at most, if the definition says so."""
        scale = getattr(self.definition, "scale", None)
        return None if scale is None else float(scale)

    def signature(self, references: int) -> str:
        """Return the definition's own signature, or its name, version and options."""
        stated = getattr(self.definition, "signature", None)
        if stated is not None:
            return str(self._call("signature", references))
        version = getattr(self.definition, "version", None)
        parts = {} if version is None else {"definition": version}
        options = {f.name: getattr(self.definition, f.name) for f in options_of(self.definition)}
        return signed(references, custom=self.name, **parts, **options)

    def prepare(self, test_set: TestSet) -> _CustomExtractor:
        """Note the references."""
        return _CustomExtractor(self, test_set)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows; what is no finite number, such as 1/0, is no score: NaN."""
        sums = np.asarray(sums, dtype=np.float64)
        rows = sums.reshape(-1, sums.shape[-1])
        with np.errstate(all="ignore"):
            scores = self._batch(rows)
            if scores is None:
                scores = np.array([self._one(row) for row in rows])
        return np.where(np.isfinite(scores), scores, np.nan).reshape(sums.shape[:-1])

    def details(self, sums: Rows) -> Mapping[str, float]:
        """Details of sums from the definition."""
        if not hasattr(self.definition, "details"):
            return {}
        details = self._call("details", np.array(sums, dtype=np.float64))
        try:
            return {str(name): count(value) for name, value in details.items()}
        except (AttributeError, TypeError, ValueError):
            raise InputError(
                f"{self.name}: details() returned {_describe(details)}; it must return a "
                "dictionary of numbers"
            ) from None

    def _batch(self, rows: Rows) -> Scores | None:
        """The scores of all rows at once, or None if the result has another shape.

        A method that was written for one row may fail here, or return as many numbers by chance;
        the score of one row is what counts.
        """
        try:
            scores = _numbers(self.definition.score(rows.copy()))
        except KeyboardInterrupt:
            raise
        except FAILURES:
            return None
        if scores is None or scores.shape != (len(rows),):
            return None
        probed = rows.shape[1] + _PROBED  # more than could be mistaken for statistics
        places = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), probed)).astype(int))
        alone = np.array([self._one(rows[place]) for place in places])
        agree = np.isclose(scores[places], alone, rtol=1e-9, atol=0, equal_nan=True)
        return scores if agree.all() else None

    def _one(self, row: Rows) -> float:
        score = self._call("score", row.copy())
        value = _numbers(score)
        if value is None or value.size != 1:
            raise InputError(
                f"{self.name}: score() returned {_describe(score)} for the sums of "
                f"{len(row)} statistics; it must return one number"
            )
        return float(value.item())

    def _call(self, method: str, *arguments: Any, where: str = "") -> Any:
        try:
            return getattr(self.definition, method)(*arguments)
        except KeyboardInterrupt:
            raise
        except FAILURES as error:
            raise failure(self.name, method, error, where) from error


@dataclass(slots=True)
class _CustomExtractor:
    """Calls `statistics` for one text after another, never in two threads at once."""

    metric: CustomMetric
    test_set: TestSet
    width: int | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def rows(self, outputs: Outputs) -> Rows:
        with self.lock:
            rows = [
                self._row(text, int(segment))
                for text, segment in zip(outputs.texts, outputs.owners, strict=True)
            ]
        return np.array(rows)

    def _row(self, text: str, segment: int) -> Rows:
        name = self.metric.name
        references = [column[segment] for column in self.test_set.references]
        number = self.test_set.number_of(segment)
        values = self.metric._call("statistics", text, references, where=f" on segment {number:,}")
        row = _numbers(values)
        if row is None or row.ndim != 1 or not row.size:
            raise InputError(
                f"{name}: statistics() of segment {number:,} returned {_describe(values)}; "
                "it must return a list of numbers"
            )
        self.width = self.width or len(row)
        if len(row) != self.width:
            raise InputError(
                f"{name}: statistics() of segment {number:,} returned {len(row)} numbers, but "
                f"{self.width} before; it must return the same number for every segment"
            )
        return row


def failure(name: str, method: str, error: BaseException, where: str = "") -> InputError:
    """Return an error that names the metric that failed, on one line."""
    reason = " ".join(str(error).split())
    return InputError(
        f"{name}: {method}() failed{where} with {type(error).__name__}"
        f"{': ' if reason else ''}{reason}; fix the metric, or leave it out"
    )


def _numbers(value: object) -> Rows | None:
    """An array of numbers, or None if the value is not one."""
    try:
        values = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return values if values.dtype.kind in "biuf" else None


def _describe(returned: object) -> str:
    shape = getattr(returned, "shape", None)
    if shape is not None:
        return f"an array of shape {shape}"
    described = f"a {type(returned).__name__}"
    for value in returned if isinstance(returned, list | tuple) else ():
        numbers = _numbers(value)
        if numbers is None and isinstance(value, int):
            return f"{described} with a whole number of {value.bit_length():,} bits"
        if numbers is None or numbers.ndim:
            return f"{described} with {' '.join(repr(value).split())[:_LONGEST_SHOWN]}"
    return described


# Metrics of other packages.

GROUP = "weigh.metrics"


def plugin_names() -> list[str]:
    """Return the names of the metrics that installed packages add."""
    return sorted(plugins.entries(GROUP))


def load_plugin(name: str) -> Any:
    """Object that a package registers: a class, or a function that returns a metric."""
    plugin = plugins.load(GROUP, name)
    if not callable(plugin):
        raise InputError(
            f"metric {name!r} of {plugins.package_of(GROUP, name)} is a {type(plugin).__name__}; "
            "its author must announce a class or a function"
        )
    return plugin


class PluginMetric(Metric):
    """A package's metric under the name that it was asked for; what goes wrong in it names it."""

    def __init__(self, key: str, metric: Metric) -> None:
        self._key = key
        self._metric = metric

    def __getattribute__(self, name: str) -> Any:
        """Attribute of the metric, guarded against errors of the plug-in."""
        if name.startswith("_") or name in vars(type(self)):
            return object.__getattribute__(self, name)
        value = getattr(object.__getattribute__(self, "_metric"), name)
        return _guard(value, self._key, name) if callable(value) else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PluginMetric) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def key(self) -> str:
        """The specification that names it."""
        return self._key

    def signature(self, references: int) -> str:
        """Return the metric's own signature."""
        return str(_guard(self._metric.signature, self.key, "signature")(references))

    def for_writing(self, writing: Writing) -> PluginMetric:
        """Return the metric with a tokeniser for references that are written so."""
        return PluginMetric(self.key, self._metric.for_writing(writing))

    def prepare(self, test_set: TestSet) -> Extractor:
        """Prepare the metric for a test set."""
        prepare = _guard(self._metric.prepare, self.key, "prepare")
        return SimpleNamespace(rows=_guard(prepare(test_set).rows, self.key, "rows"))

    def score(self, sums: Rows) -> Scores:
        """Score sums, one score for each."""
        scores = np.asarray(_guard(self._metric.score, self.key, "score")(sums))
        if scores.shape != np.shape(sums)[:-1]:
            raise InputError(
                f"{self.key}: score() returned shape {scores.shape} for sums of shape "
                f"{np.shape(sums)}; it must return one score for each"
            )
        return scores


def _guard(call: Callable[..., Any], key: str, method: str) -> Callable[..., Any]:
    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except (WeighError, MemoryError, KeyboardInterrupt):
            raise
        except FAILURES as error:
            raise failure(key, method, error) from error

    return guarded
