"""Shares of items on which two systems have identical outputs or scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.dataset import Dataset

# Number of segments whose outputs are compared at a time.
_BLOCK = 10_000


def identical_shares(dataset: Dataset) -> list[NDArray[np.float64]]:
    """Shares of identical segments, systems × systems, by sample.

    Texts are compared if the metric reads them, otherwise scores. With several runs, a segment is
    identical if the runs of both systems have the same outputs or scores, in any order.
    """
    if dataset.sets:
        sizes = [test_set.test_set.segments for test_set in dataset.sets.values()]
        by_set = map(identical_shares, dataset.sets.values())
        return [np.average(shares, axis=0, weights=sizes) for shares in zip(*by_set, strict=True)]
    by_text = None
    if dataset.outputs is not None:
        by_text = _shares(dataset.outputs, _number_texts)
    return [
        by_text
        if by_text is not None and sample.metric.reads_texts
        else _shares(sample.rows, _number_rows)
        for sample in dataset.samples
    ]


def _shares(
    outputs: Sequence[Sequence[Any]],
    number_outputs: Callable[[Sequence[Sequence[Any]], slice], list[list[NDArray[np.int64]]]],
) -> NDArray[np.float64]:
    """Share of segments on which two systems are identical, systems × systems.

    `number_outputs` numbers the outputs of a block of segments; equal outputs get equal numbers.
    """
    segments = len(outputs[0][0])
    counts = np.array([len(runs) for runs in outputs])
    groups = [np.flatnonzero(counts == count) for count in sorted(set(counts.tolist()))]
    same = np.zeros((len(outputs), len(outputs)), dtype=np.int64)
    for start in range(0, segments, _BLOCK):
        block = slice(start, min(start + _BLOCK, segments))
        numbers = [np.sort(runs, axis=0) for runs in number_outputs(outputs, block)]
        for systems in groups:
            others = np.array([numbers[system] for system in systems])
            for i, runs in enumerate(numbers):
                same[i, systems] += np.count_nonzero(_are_same(runs, others), axis=-1)
    return np.asarray(same / segments)


def _are_same(runs: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Compare a system's sorted numbers, runs × segments, with those of others, by segment."""
    if len(runs) == others.shape[1]:
        return np.asarray((runs == others).all(axis=1))
    # With unequal numbers of runs, only identical outputs of all runs count.
    return np.asarray((others == runs[0]).all(axis=1) & (runs == runs[0]).all(axis=0))


def _number_texts(outputs: Sequence[Sequence[Any]], span: slice) -> list[list[NDArray[np.int64]]]:
    numbers: dict[Any, int] = {}  # per block, so that it does not grow with the test set
    return [
        [np.array([numbers.setdefault(text, len(numbers)) for text in run[span]]) for run in runs]
        for runs in outputs
    ]


def _number_rows(outputs: Sequence[Sequence[Any]], span: slice) -> list[list[NDArray[np.int64]]]:
    """Number equal rows alike, column by column."""
    rows = np.array([run[span] for runs in outputs for run in runs])
    numbers = np.zeros(rows.shape[:2], np.int64)
    for column in np.moveaxis(rows, -1, 0):
        _, codes = np.unique(column, return_inverse=True)
        _, numbers = np.unique(
            numbers.reshape(-1) * (codes.max() + 1) + codes.reshape(-1), return_inverse=True
        )
    cells = iter(numbers.reshape(rows.shape[:2]))
    return [[next(cells) for _ in runs] for runs in outputs]
