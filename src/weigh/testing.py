"""Assert in a test suite that a new system is not worse than the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError, UsageError
from weigh.read.roles import parse_score
from weigh.wording import listed

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult
    from weigh.comparing.dataset import Dataset
    from weigh.metrics.custom import Definition
    from weigh.types import Metric


def assert_not_worse(
    new: Any,
    baseline: Any,
    references: Any = None,
    *,
    margin: float | None,
    metric: str | Metric | Definition | None = None,
    frame: Any = None,
    allow_inconclusive: bool = False,
    **options: Any,
) -> CompareResult:
    """Raise AssertionError unless the data show that `new` is not worse than `baseline`.

    This is `weigh compare --gate --margin METRIC=D` with one metric; `margin` is the largest loss
    that does not matter to you. `new` passes if the (1 − 2α) interval of the difference lies above
    −margin (a non-inferiority test at level α), and fails if the interval lies below −margin.
    Otherwise, and with fewer than 10 segments, the gate is inconclusive, which also raises
    AssertionError unless `allow_inconclusive` is set. Without a margin (None), `new` passes unless
    it is significantly worse (one-sided, at level α). Outputs that are identical to the baseline's
    always pass.

    Outputs are lists or series of texts, or paths of files, with `references` in the same form.
    Without references they are segment scores. With a data `frame`, `new` and `baseline` are names
    in its system column. `metric` is chrF by default; for scores, it is their name. `options` are
    those of `weigh.compare`, such as alpha, seed or lower_is_better. Returns the comparison.

    >>> references = ["It rained all day.", "The cat sat on the mat."] * 20
    >>> outputs = ["It rained all day.", "A cat sat on a mat."] * 20
    >>> assert_not_worse(references, outputs, references, margin=0.5).gate.verdict
    'pass'
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    from weigh.comparing.compare import compare
    from weigh.comparing.inputs import DATA_KEYWORDS, dataset, resolve_metrics
    from weigh.metrics.registry import key_of

    if isinstance(new, Mapping):
        raise UsageError(
            "expected the new system's outputs, found a mapping; give the outputs of the new "
            "system and of the baseline as two arguments"
        )
    for name in ("metrics", "test_set"):
        if name in options:
            raise UsageError(
                f"{name} is an option of weigh.compare; here, give metric and references"
            )
    names = ("new", "baseline")
    systems: Any = {"new": new, "baseline": baseline}
    if frame is not None:
        if references is not None:
            raise UsageError(
                "both references and a data frame given; name a column of it: reference='COL'"
            )
        names = (new, baseline)
        rows = _rows_of(frame, names, options.get("system", "system"))
        systems = dataset(
            rows, **{name: options.pop(name) for name in DATA_KEYWORDS if name in options}
        )
    elif _is_path(new) or _is_path(baseline) or _is_path(references):
        systems, options["test_set"] = _read(new, baseline, references)
    elif references is not None:
        options["references"] = references
    if frame is None and ("test_set" in options or references is not None):
        chosen = resolve_metrics([metric if metric is not None else "chrf"])
        if len(chosen) > 1:
            raise UsageError(f"metric {metric!r} names several metrics; assert one at a time")
        options["metrics"] = chosen
        key = key_of(chosen[0])
    elif frame is not None:
        systems = _by_one_metric(systems, metric)
        key = key_of(systems.samples[0].metric)
    elif metric is None or isinstance(metric, str):
        options["metric"] = metric or "score"
        key = parse_score(options["metric"])[0]
    else:
        raise UsageError("this metric needs texts; give references too")
    if margin is not None:
        options["margin"] = {key: margin}
    result = compare(systems, baseline=names[1], gate=True, **options)
    gate = result.gate
    assert gate is not None
    if gate.verdict == "pass" or result[names].identical == 1:
        return result
    if gate.verdict == "inconclusive" and allow_inconclusive:
        return result
    beyond = "" if margin is None else f" by more than {margin:g}"
    verdict = f"{names[0]} is worse than {names[1]}{beyond}"
    if gate.verdict == "inconclusive":
        verdict = f"inconclusive: the data do not show whether {verdict}"
    raise AssertionError("\n".join([verdict, *gate.decisive, "", str(result)]))


def _by_one_metric(dataset: Dataset, metric: str | Metric | Definition | None) -> Dataset:
    """The dataset with a single metric; it must be named if there are several."""
    from weigh.metrics.registry import key_of

    by_key = {key_of(sample.metric): sample for sample in dataset.samples}
    names = listed([repr(key) for key in by_key])
    if metric is None and len(by_key) > 1:
        raise UsageError(f"the data frame has scores by {names}; choose one with metric=…")
    key = metric if metric is not None else next(iter(by_key))
    if not isinstance(key, str) or key not in by_key:
        raise UsageError(
            f"metric {key!r}, but the data frame has scores by {names}; choose one of these"
        )
    return replace(dataset, samples=(by_key[key],))


def _is_path(value: Any) -> bool:
    return isinstance(value, str | PathLike)


def _read(new: Any, baseline: Any, references: Any) -> tuple[Any, Any]:
    """Read the test set and both systems; files with ids are joined by id."""
    from weigh.read import read_systems, read_test_set

    several = isinstance(references, Sequence) and not isinstance(references, str)
    paths = list(references) if several else [references]
    if not all(map(_is_path, (new, baseline, *paths))):
        raise InputError("both paths and lists of texts given; give only paths, or only texts")
    test_set = read_test_set(list(map(fspath, paths)))
    return read_systems([f"new={fspath(new)}", f"baseline={fspath(baseline)}"], test_set), test_set


def _rows_of(frame: Any, names: tuple[str, str], column: str) -> Any:
    """The rows of two systems in a data frame."""
    import narwhals as nw

    rows = nw.from_native(frame)
    if column not in rows.columns:
        raise InputError(
            f"the data frame has no column {column!r}; name its system column, as system='COL'"
        )
    return rows.filter(nw.col(column).is_in(list(names))).to_native()
