"""The n-best store: candidates of all segments in compact arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from mmap import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.executors import executor, ranges, spread
from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import InputError, UndefinedScoreError, UsageError, plural
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.segment import Segment
from weigh.metrics.statistics import suppliers
from weigh.read.text import quoted
from weigh.stats.sample import check_finite
from weigh.types import Metric, Outputs, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows

    Reals = NDArray[np.float64]
    Integers = NDArray[np.int64]

# Number of hypotheses counted at a time.
_PART = 4096
# Number of texts scored at a time, to check that each has a score.
_SCORED = 65536


def starts_of(sizes: NDArray[Any]) -> Integers:
    """Starts of parts of these sizes, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def empty_table(rows: int, columns: int) -> Reals:
    """A table to fill column by column; memory is allocated as it is filled.

    It is given back at once when nobody uses it, which large pages and the memory of threads are
    not.
    """
    memory = np.frombuffer(mmap(-1, max(1, 8 * rows * columns)), count=rows * columns)
    return memory.reshape((rows, columns), order="F")


@dataclass(frozen=True, slots=True)
class SparseFeatures:
    """Features that few candidates have, row by row: candidate i's are those from indptr[i] on."""

    names: tuple[str, ...]
    indptr: Integers
    indices: NDArray[np.int32]
    values: Reals

    def scores(self, weights: Reals) -> Reals:
        """Return the weighted sum of each candidate's features."""
        products = self.values * weights[self.indices]
        size = len(self.indptr) - 1
        return np.bincount(self.owners(), products, size).astype(np.float64, copy=False)

    def owners(self) -> Integers:
        """Return the candidate of each entry."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def of(self, chosen: NDArray[np.bool_]) -> SparseFeatures:
        """Return the features of some candidates."""
        sizes = np.diff(self.indptr)
        entries = np.repeat(chosen, sizes)
        indices, values = self.indices[entries], self.values[entries]
        return SparseFeatures(self.names, starts_of(sizes[chosen]), indices, values)


@dataclass(frozen=True, slots=True)
class NBest:
    """Candidates of many segments, those of one segment next to each other.

    Segment s, called `ids[s]`, has the candidates from `offsets[s]` up to `offsets[s + 1]`, in
    the order in which they were read. Candidate i is the text `texts[hypotheses[i]]` with the
    dense features `features[i]` and the sparse ones of row i; texts of one segment are distinct,
    and `text_segments` says which segment each belongs to. `extra` has one entry per text.
    Weights are one vector: dense features first, then sparse ones, as `feature_names` has them.
    """

    ids: tuple[str, ...]
    offsets: Integers
    texts: tuple[str, ...]
    text_segments: Integers
    hypotheses: NDArray[np.int32]
    names: tuple[str, ...]
    features: Reals
    sparse: SparseFeatures
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.hypotheses)

    def of(self, chosen: NDArray[np.bool_]) -> NBest:
        """Return a list of some candidates, at least one of each segment, with the same texts."""
        places = np.flatnonzero(chosen)
        features = empty_table(len(places), len(self.names))
        for column, values in zip(features.T, self.features.T, strict=True):
            np.take(values, places, out=column)
        return replace(
            self,
            offsets=starts_of(np.add.reduceat(chosen, self.offsets[:-1])),
            hypotheses=self.hypotheses[chosen],
            features=features,
            sparse=self.sparse.of(chosen),
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of all features, in the order of a weight vector."""
        return self.names + self.sparse.names

    def segments(self) -> Integers:
        """Return the segment of each candidate, from 0."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.offsets))

    def scores(self, weights: Reals) -> Reals:
        """Return the model's score of each candidate: its features by the weights.

        Added feature by feature and not by a library for matrices, so that equal candidates
        have equal scores to the last bit, wherever they stand.
        """
        dense = len(self.names)
        scores = np.zeros(len(self))
        product = np.empty(len(self))
        for column in range(dense):
            if weights[column] != 0.0:
                np.multiply(self.features[:, column], weights[column], out=product)
                scores += product
        if self.sparse.names:
            scores += self.sparse.scores(weights[dense:])
        return scores

    def best(self, weights: Reals) -> Integers:
        """Return each segment's candidate with the highest score; the first of equals wins."""
        return first_maxima(self.scores(weights), self.offsets)

    def best_by(self, points: Reals) -> Integers:
        """Return each segment's candidate with the highest score, by the weights of each row.

        All rows must have the same weights of sparse features.
        """
        from weigh._core import best_candidates

        dense = len(self.names)
        rest = self.sparse.scores(points[0, dense:])
        weights = np.ascontiguousarray(points[:, :dense])
        return best_candidates(np.asfortranarray(self.features), rest, self.offsets, weights)

    def best_texts(self, weights: Reals) -> list[str]:
        """Return each segment's text with the highest score."""
        return [self.texts[text] for text in self.hypotheses[self.best(weights)]]

    def best_alignments(self, weights: Reals) -> list[str] | None:
        """The links or derivations of these candidates; None for lists without any."""
        columns = [self.extra[name] for name in ("alignment", "tree") if name in self.extra]
        if not columns:
            return None
        return [
            next((extra for column in columns if isinstance(extra := column[text], str)), "")
            for text in self.hypotheses[self.best(weights)]
        ]

    def outputs(self, test_set: TestSet) -> Outputs:
        """All distinct texts, with the segments of a test set that they belong to."""
        segments = locate(self.ids, test_set)[self.text_segments]
        return Outputs(self.texts, segments, self.extra)


def first_maxima(values: Reals, offsets: Integers) -> Integers:
    """Return the place of the first largest value of each part; no part is empty."""
    starts = offsets[:-1]
    highest = np.repeat(np.maximum.reduceat(values, starts), np.diff(offsets))
    places = np.flatnonzero(values == highest)
    return places[np.searchsorted(places, starts)]


def locate(ids: Sequence[str], test_set: TestSet) -> Integers:
    """Return the test set's segment of each id."""
    numbers = segment_numbers(test_set)
    unknown = next((key for key in ids if key not in numbers), None)
    if unknown is not None:
        raise unknown_sentence(unknown, test_set, "the n-best list")
    return np.array([numbers[key] for key in ids], dtype=np.int64)


def segment_numbers(test_set: TestSet) -> dict[str, int]:
    """Return the test set's segments by the ids that candidates have.

    A test set with ids is joined by them. One without, or one whose segments have an order of
    their own (documents), is joined by number, from 0.
    """
    if test_set.ids is not None and test_set.documents is None:
        return {key: number for number, key in enumerate(test_set.ids)}
    return {str(number): number for number in range(len(test_set))}


def unknown_sentence(key: str, test_set: TestSet, where: str) -> InputError:
    """Error for a candidate of a sentence that the test set lacks."""
    how = "ids" if test_set.ids is not None and test_set.documents is None else "number from 0"
    texts = "references" if test_set.references else "sources"
    size = plural(len(test_set), "segment")
    return InputError(
        f"{where}: a candidate for the sentence {quoted(key)}, but the {texts} have {size}, joined "
        f"by {how}; check that both belong together"
    )


def without_candidates(ids: Sequence[str], test_set: TestSet) -> list[int]:
    """Return the test set's segments that have no candidates and so are left out."""
    present = set(locate(ids, test_set).tolist())
    return [segment for segment in range(len(test_set)) if segment not in present]


def rows_of(
    nbest: NBest,
    test_set: TestSet,
    metric: Metric | Definition,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return the statistics of every distinct text: `rows[nbest.hypotheses]` has candidates'."""
    metric = as_metric(metric)
    outputs = nbest.outputs(test_set)
    for supplier, _ in suppliers([metric]):
        if isinstance(supplier, Segment) and supplier.column not in outputs.extra:
            raise UsageError(
                f"{supplier.name}: files have scores of systems, not of an n-best list's "
                "candidates; choose a metric that is computed from texts"
            )
    if executor() is not None and len(outputs) > _PART:
        rows = _rows_elsewhere(outputs, test_set, metric, progress)
    else:
        extractor = metric.prepare(test_set)
        parts: dict[int, Rows] = {}

        def work(start: int, stop: int) -> None:
            parts[start] = np.asarray(extractor.rows(outputs.part(start, stop)))

        run_in_parts(work, len(outputs), _PART, threads=threads, progress=progress)
        rows = np.concatenate([parts[start] for start in sorted(parts)])
    segments = outputs.segments
    assert segments is not None, "an n-best list says which segment a text belongs to"

    def number_of(place: int) -> int:
        return test_set.number_of(int(segments[place]))

    check_finite(rows, metric.name, number_of)
    _check_defined(rows, metric, number_of)
    return np.ascontiguousarray(rows, dtype=np.float64 if rows.dtype.kind == "f" else np.int64)


def _check_defined(rows: Rows, metric: Metric, number_of: Callable[[int], int]) -> None:
    """Reject texts that have no score."""
    for start in range(0, len(rows), _SCORED):
        undefined = np.isnan(metric.segment_scores(rows[start : start + _SCORED]))
        for place in np.flatnonzero(undefined)[:1]:
            raise UndefinedScoreError(
                f"{metric.name}: a candidate of segment {number_of(start + int(place)):,} has "
                "no score (0/0, for example); let the metric return a number there, or leave "
                "such candidates out"
            )


def _rows_elsewhere(
    outputs: Outputs, test_set: TestSet, metric: Metric, progress: Progress | None
) -> Rows:
    """The rows of all texts, counted by the workers of an executor."""
    size = len(outputs)
    payloads = [
        outputs.part(start * _PART, min(stop * _PART, size))
        for start, stop in ranges(-(-size // _PART))
    ]

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(done * size // len(payloads), size)

    return np.concatenate(spread(_counted, payloads, (test_set, metric), progress=tell))


def _counted(shared: tuple[TestSet, Metric], outputs: Outputs) -> Rows:
    test_set, metric = shared
    return np.asarray(metric.prepare(test_set).rows(outputs))
