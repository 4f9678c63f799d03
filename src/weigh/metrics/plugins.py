"""Metrics of other packages, which they announce as entry points of the group `weigh.metrics`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError, UsageError, WeighError
from weigh.types import Metric

if TYPE_CHECKING:
    from weigh.tokenize.writing import Writing
    from weigh.types import Rows, Scores, TestSet

GROUP = "weigh.metrics"


@cache
def _announced() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name.lower(), []).append(entry)
    return found


def plugin_names() -> list[str]:
    """Return the names of the metrics that installed packages add."""
    return sorted(_announced())


def package_of(name: str) -> str:
    """Return name and version of the package that adds a metric."""
    found = (entry.dist for entry in _announced()[name])
    return " and ".join(f"{dist.name} {dist.version}" if dist else "a package" for dist in found)


def load(name: str) -> Any:
    """Return what a package announces: a class, or a function that returns a metric."""
    entry, *others = _announced()[name]
    if others:
        raise UsageError(f"metric {name!r} is added by {package_of(name)}; uninstall one of them")
    from weigh.metrics.custom import FAILURES

    try:
        made = entry.load()
    except KeyboardInterrupt:
        raise
    except FAILURES as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"metric {name!r} of {package_of(name)} cannot be loaded "
            f"({type(error).__name__}: {reason}); repair or uninstall the package"
        ) from error
    if not callable(made):
        raise InputError(
            f"metric {name!r} of {package_of(name)} is a {type(made).__name__}; its author must "
            "announce a class or a function"
        )
    return made


class PluginMetric(Metric):
    """A package's metric under the name that it was asked for; what goes wrong in it names it."""

    def __init__(self, key: str, metric: Metric) -> None:
        self._key = key
        self._metric = metric

    def __getattribute__(self, name: str) -> Any:
        """Return what the metric has, guarded, unless a plug-in has it otherwise."""
        if name.startswith("_") or name in vars(type(self)):
            return object.__getattribute__(self, name)
        value = getattr(object.__getattribute__(self, "_metric"), name)
        return _guarded(value, self._key, name) if callable(value) else value

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
        return str(_guarded(self._metric.signature, self.key, "signature")(references))

    def for_writing(self, writing: Writing) -> PluginMetric:
        """Return the metric with a tokeniser for references that are written so."""
        return PluginMetric(self.key, self._metric.for_writing(writing))

    def prepare(self, test_set: TestSet) -> _PluginExtractor:
        """Prepare the metric for a test set."""
        prepare = _guarded(self._metric.prepare, self.key, "prepare")
        return _PluginExtractor(_guarded(prepare(test_set).rows, self.key, "rows"))

    def score(self, sums: Rows) -> Scores:
        """Score sums, one score for each."""
        import numpy as np

        scores = np.asarray(_guarded(self._metric.score, self.key, "score")(sums))
        if scores.shape != np.shape(sums)[:-1]:
            raise InputError(
                f"{self.key}: score() returned shape {scores.shape} for sums of shape "
                f"{np.shape(sums)}; it must return one score for each"
            )
        return scores


class _PluginExtractor:
    def __init__(self, rows: Callable[..., Rows]) -> None:
        self.rows = rows


def _guarded(call: Callable[..., Any], key: str, method: str) -> Callable[..., Any]:
    from weigh.metrics.custom import FAILURES, failure

    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except (WeighError, MemoryError, KeyboardInterrupt):
            raise
        except FAILURES as error:
            raise failure(key, method, error) from error

    return guarded
