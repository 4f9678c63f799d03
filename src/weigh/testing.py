"""An assertion for test suites: a new system is not worse than the one in use."""

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
    """Raise AssertionError unless `new` is shown to be not worse than `baseline`.

    It is `weigh compare --gate --margin METRIC=D` with one metric. With a margin, the largest loss
    that does not matter, `new` passes if the lower end of the (1 − 2α) interval of the difference
    lies above −margin, which is a test at α that it is not worse. It fails if the upper end lies
    below −margin; between the two, and with fewer than 10 segments, the gate is inconclusive, which
    raises too unless it is allowed. With None as the margin it passes unless it is significantly
    worse (one-sided, at α). Outputs that are the same as the baseline's pass, however few they are.

    Outputs are lists or series of texts, or the paths of files, all with `references` in the same
    form; or, without references, scores of segments. With a data `frame`, `new` and `baseline` are
    names in its column of systems. The metric is chrF unless another is named; of scores it is
    the name. `options` are those of `weigh.compare`, such as alpha, seed or lower_is_better. The
    result is returned.

    >>> references = ["It rained all day.", "The cat sat on the mat."] * 20
    >>> outputs = ["It rained all day.", "A cat sat on a mat."] * 20
    >>> assert_not_worse(references, outputs, references, margin=0.5).gate.verdict
    'pass'
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    from weigh.comparing.compare import compare
    from weigh.comparing.inputs import DATA_KEYWORDS, dataset, known_metrics
    from weigh.metrics.registry import key_of

    if isinstance(new, Mapping):
        raise UsageError("a mapping of systems; give the new system's outputs, then the baseline's")
    for name, given in (("metrics", "metrics" in options), ("test_set", "test_set" in options)):
        if given:
            raise UsageError(
                f"{name} is an option of weigh.compare; give one metric, and references"
            )
    names = ("new", "baseline")
    systems: Any = {"new": new, "baseline": baseline}
    if frame is not None:
        if references is not None:
            raise UsageError("references are given beside a data frame; name its column of them")
        names = (new, baseline)
        rows = _of_two(frame, names, options.get("system", "system"))
        systems = dataset(
            rows, **{name: options.pop(name) for name in DATA_KEYWORDS if name in options}
        )
    elif _is_path(new) or _is_path(baseline) or _is_path(references):
        systems, options["test_set"] = _read(new, baseline, references)
    elif references is not None:
        options["references"] = references
    if frame is None and ("test_set" in options or references is not None):
        chosen = known_metrics([metric if metric is not None else "chrf"])
        if len(chosen) > 1:
            raise UsageError(f"metric {metric!r} names several; assert one after the other")
        options["metrics"] = chosen
        key = key_of(chosen[0])
    elif frame is not None:
        systems = _by_one_metric(systems, metric)
        key = key_of(systems.samples[0].metric)
    elif metric is None or isinstance(metric, str):
        options["metric"] = metric or "score"
        key = parse_score(options["metric"])[0]
    else:
        raise UsageError("a metric is computed of texts; give references too")
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
    said = (
        f"{names[0]} is worse than {names[1]}{beyond}"
        if gate.verdict == "fail"
        else f"it is not shown that {names[0]} is not worse than {names[1]}{beyond}"
    )
    raise AssertionError("\n".join([said, *gate.decisive, "", str(result)]))


def _by_one_metric(dataset: Dataset, metric: str | Metric | Definition | None) -> Dataset:
    """Return what was dataset by one metric, the one that is named if there are several."""
    from weigh.metrics.registry import key_of

    by_key = {key_of(sample.metric): sample for sample in dataset.samples}
    known = listed([repr(key) for key in by_key])
    if metric is None and len(by_key) > 1:
        raise UsageError(f"the data frame has scores by {known}; name one as metric=…")
    key = metric if metric is not None else next(iter(by_key))
    if not isinstance(key, str) or key not in by_key:
        raise UsageError(f"metric {key!r}, but the data frame has scores by {known}; name one")
    return replace(dataset, samples=(by_key[key],))


def _is_path(given: Any) -> bool:
    return isinstance(given, str | PathLike)


def _read(new: Any, baseline: Any, references: Any) -> tuple[Any, Any]:
    """Read files, which are joined by ids where they have some."""
    from weigh.read import read_systems, read_test_set

    several = isinstance(references, Sequence) and not isinstance(references, str)
    paths = list(references) if several else [references]
    if not all(map(_is_path, (new, baseline, *paths))):
        raise InputError("paths and lists of texts are mixed; give paths of all, or texts of all")
    test_set = read_test_set(list(map(fspath, paths)))
    return read_systems([f"new={fspath(new)}", f"baseline={fspath(baseline)}"], test_set), test_set


def _of_two(frame: Any, names: tuple[str, str], column: str) -> Any:
    """Return the rows of two systems of a data frame."""
    import narwhals as nw

    rows = nw.from_native(frame)
    if column not in rows.columns:
        raise InputError(f"the data frame has no column {column!r}; name it, as in system='model'")
    return rows.filter(nw.col(column).is_in(list(names))).to_native()
