"""Scopes of a comparison: the whole test set, its slices, and the mean over slices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UndefinedScoreError, plural
from weigh.read.text import shown
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.dataset import Dataset
    from weigh.types import Metric, Rows

MACRO = "(macro mean)"
# Slices with fewer items are reported, but left out of the macro mean.
MACRO_ITEMS = 10


@dataclass(frozen=True, slots=True)
class Scope:
    """One object of tests: the whole test set, a slice, or the mean of slices.

    `label` is the name of the slice, None for the whole. `members` are the indices of its segments,
    None for a mean of slices. A `plain` scope has at least two units, which are segments, and no
    strata, as required by tests and intervals that use segment scores.
    """

    label: str | None
    samples: tuple[Sample, ...]
    members: NDArray[np.intp] | None
    plain: bool


def scopes(dataset: Dataset, *, unequal_runs: bool = False) -> list[Scope]:
    """The whole test set, every slice in order of appearance, and the mean over slices.

    Systems that cannot be compared are rejected, including systems with different numbers of runs
    unless `unequal_runs` is set.
    """
    if not unequal_runs:
        _check_equal_runs(dataset)
    _check_comparable(dataset)
    everything = np.arange(dataset.samples[0].units)
    if dataset.slices is not None and MACRO in dataset.slices:
        raise InputError(f"a slice is called {MACRO!r}, like the mean over slices; rename it")
    whole = _scope(dataset, None, everything)
    slices = {
        label: np.asarray(members)
        for label, members in dataset.slice_members()
        if label is not None
    }
    parts = [_scope(dataset, label, members) for label, members in slices.items()]
    if dataset.documents is not None and dataset.slices is not None:
        pairs = set(zip(dataset.documents, dataset.slices, strict=True))
        if len(pairs) > len(set(dataset.documents)):
            raise InputError(
                "a document belongs to more than one slice; give all its segments the same slice"
            )
    if dataset.has_sets:
        return [replace(_macro(dataset, slices, whole.samples), label=None), *parts]
    large = {label: members for label, members in slices.items() if len(members) >= MACRO_ITEMS}
    if len(large) > 1:
        parts.append(_macro(dataset, large, whole.samples))
    return [whole, *parts]


def _scope(dataset: Dataset, label: str | None, members: NDArray[np.intp]) -> Scope:
    segments = dataset.samples
    if len(members) < segments[0].units:
        segments = tuple(sample.of_units(members) for sample in segments)
    if dataset.documents is None:
        return Scope(label, segments, members, plain=len(members) > 1)
    documents = [dataset.documents[i] for i in members]
    samples = tuple(sample.of_documents(documents) for sample in segments)
    return Scope(label, samples, members, plain=False)


def _macro(
    dataset: Dataset, slices: Mapping[str, NDArray[np.intp]], whole: Sequence[Sample]
) -> Scope:
    """The mean over slices: samples of their segments with slices as strata."""
    if dataset.documents is None:
        strata = tuple(slices.values())
    else:
        numbers = {name: i for i, name in enumerate(dict.fromkeys(dataset.documents))}
        owners = [
            sorted({numbers[dataset.documents[i]] for i in members}) for members in slices.values()
        ]
        strata = tuple(np.array(indices) for indices in owners)
    chosen = np.sort(np.concatenate(strata))
    places = tuple(np.searchsorted(chosen, members) for members in strata)
    samples = tuple(replace(sample.of_units(chosen), strata=places) for sample in whole)
    return Scope(MACRO, samples, None, plain=False)


def _check_equal_runs(dataset: Dataset) -> None:
    counts = [len(runs) for runs in dataset.runs]
    for name, count in zip(dataset.names, counts, strict=True):
        if count != counts[0]:
            raise InputError(
                f"{name} has {plural(count, 'run')}, but {dataset.names[0]} has {counts[0]}; give "
                "every system the same number of runs, or two or more and --runs-as-sample"
            )


def _check_comparable(dataset: Dataset) -> None:
    """Reject systems that a metric cannot compare, on the whole test set or on a slice."""
    names = [dataset.names[system] for system, _ in dataset.order]
    for sample in dataset.samples:
        metric = sample.metric
        rows = [sample.rows[system][run] for system, run in dataset.order]
        metric.check_comparable(names, [matrix.sum(axis=0) for matrix in rows])
        for label, members in dataset.slice_members():
            sums = [matrix[members].sum(axis=0) for matrix in rows]
            for (system, run), total in zip(dataset.order, sums, strict=True):
                check_defined(metric, dataset.full_name(system, run), total, label)


def check_defined(metric: Metric, name: str, sums: Rows, label: str | None) -> None:
    """Raise InputError if a metric has no finite score for these sums, overall or of a slice."""
    what = f"{shown(name)}{'' if label is None else f', slice {shown(label)}'}"
    metric.check_defined(what, sums)
    with np.errstate(all="ignore"):
        value = float(metric.score(sums))
    if math.isnan(value):
        raise UndefinedScoreError(
            f"{metric.name} of {what}: the score is undefined (0/0, for example); leave out the "
            "metric or the system"
        )
    if not math.isfinite(value):
        raise InputError(
            f"{metric.name} of {what}: the score is {value}, not a finite number; "
            "fix the metric, or leave it out"
        )
