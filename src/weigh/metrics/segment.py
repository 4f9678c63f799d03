"""Segment scores: numbers that another program gave to every segment, their mean or ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.metrics.counted import count, signed
from weigh.metrics.supply import SYSTEM, path_label, path_of
from weigh.options import option
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.read.score_file import ScoreColumn
    from weigh.types import Outputs, Rows, Scores, System, TestSet


# Larger whole numbers are summed as doubles, like all others.
_LARGEST_WHOLE = 1e6


@dataclass(frozen=True, slots=True)
class SegmentMean(Metric):
    """The mean of given segment scores, such as a learnt metric's; rows are [score, 1].

    >>> metric = SegmentMean("comet")
    >>> float(metric.score(SegmentMean.rows_of([0.5, 0.7]).sum(axis=0)))
    0.6
    """

    mean_of_segments: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    name: str = "score"
    higher_is_better: bool = True

    @staticmethod
    def rows_of(scores: ArrayLike) -> Rows:
        """Return the rows of a list of scores; whole numbers stay so, and are added up quickly."""
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 1:
            raise InputError(f"segment scores of shape {values.shape}; give one number per segment")
        if (np.abs(values) <= _LARGEST_WHOLE).all() and (values == np.rint(values)).all():
            values = values.astype(np.int64)
        return np.column_stack([values, np.ones(len(values), values.dtype)])

    def signature(self, references: int) -> str:
        """Return what is known of the scores: where they come from is for the user to say."""
        return signed(references, mean="segments")

    def prepare(self, test_set: TestSet) -> _Given:
        """Return what takes the scores from where the outputs carry them."""
        del test_set
        return _Given(self, self.name)

    def score(self, sums: Rows) -> Scores:
        """Return the mean."""
        return _quotient(sums)

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the scores that were given."""
        return np.asarray(rows[:, 0])


@dataclass(frozen=True, slots=True)
class SegmentRatio(Metric):
    """The ratio of two sums, such as errors per word; rows are [numerator, denominator].

    >>> metric = SegmentRatio("errors per word")
    >>> float(metric.score(SegmentRatio.rows_of([(1, 10), (0, 10)]).sum(axis=0)))
    0.05
    """

    mean_of_segments: ClassVar[bool] = False
    perfect: ClassVar[float | None] = None

    name: str = "score"
    higher_is_better: bool = True

    @staticmethod
    def rows_of(scores: ArrayLike) -> Rows:
        """Return the rows of a list of pairs."""
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != 2:
            raise InputError(
                f"segment ratios of shape {values.shape}; give a numerator and a denominator "
                "per segment"
            )
        if (values[:, 1] < 0).any():
            raise InputError("a denominator is negative; give the size of the segment")
        return values

    def signature(self, references: int) -> str:
        """Return what is known of the scores: where they come from is for the user to say."""
        return signed(references, ratio="sums")

    def prepare(self, test_set: TestSet) -> _Given:
        """Return what takes the numbers from where the outputs carry them."""
        del test_set
        return _Given(self, self.name)

    def score(self, sums: Rows) -> Scores:
        """Return the ratio of the sums."""
        return _quotient(sums)

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the ratio of every segment."""
        return _quotient(rows)


@dataclass(frozen=True, slots=True)
class _Given:
    """Takes a column of given scores from outputs."""

    kind: SegmentMean | SegmentRatio
    column: str

    def rows(self, outputs: Outputs) -> Rows:
        given: Sequence[Any] | None = outputs.extra.get(self.column)
        if given is None:
            raise InputError(f"{self.kind.name}: no segment scores of that name are given")
        return self.kind.rows_of(given)


def _quotient(sums: Rows) -> Scores:
    sums = np.asarray(sums, dtype=np.float64)
    below = sums[..., 1]
    return np.divide(sums[..., 0], below, out=np.zeros(below.shape), where=below > 0)


@dataclass(frozen=True, slots=True)
class Segment(Metric):
    """Mean of the scores that a file gives to segments, or ratio of two sums.

    `{system}` in the path stands for the system's name, and `{run}` for its run. The formats are
    those of `weigh compare --scores`. A file may name systems inside; otherwise each system needs
    a file of its own.
    """

    perfect: ClassVar[float | None] = None
    width: ClassVar[int] = 2
    needs_references: ClassVar[bool] = False
    reads_texts: ClassVar[bool] = False

    file: str = option("", "path of the scores; {system} in it stands for the system's name")
    name: str = option("score", "what the scores are called")
    lower: bool = option(False, "small scores are good")
    ratio: bool = option(False, "the file has a numerator and a denominator for each segment")

    @property
    def higher_is_better(self) -> bool:
        """Whether larger scores are better, which the user has to say."""
        return not self.lower

    @property
    def mean_of_segments(self) -> bool:
        """A ratio of sums is no mean of the segments' ratios."""
        return not self.ratio

    @property
    def column(self) -> str:
        """Where outputs carry these scores in `extra`."""
        return f"segment{':ratio' * self.ratio}:{self.file}"

    @property
    def _kind(self) -> SegmentMean | SegmentRatio:
        return (SegmentRatio if self.ratio else SegmentMean)(self.name, not self.lower)

    def signature(self, references: int) -> str:
        """Return what is known of the scores, the file's name included."""
        kind = {"ratio": "sums"} if self.ratio else {"mean": "segments"}
        return signed(references, **kind, file=path_label(self.file))

    def supply(
        self, systems: Sequence[System], test_set: TestSet, *, allow_missing: bool = False
    ) -> list[Sequence[Any]]:
        """Read the scores: a column for every system, with None where one is missing."""
        from weigh.read.score_file import ScoreFormat, read_score_file
        from weigh.read.scores import join_scores

        if not self.file:
            raise UsageError("segment: no file given; name it, as in segment:file=scores.tsv")
        form = ScoreFormat(ratio=self.ratio, allow_missing=allow_missing)
        files: dict[str, list[ScoreColumn]] = {}
        columns: list[Sequence[Any]] = []
        for system in systems:
            path = path_of(self.file, system, "segment")
            if path not in files:
                files[path] = read_score_file(path, form)
            column = self._column_of(system, files[path], alone=len(systems) == 1)
            frame = _frame(test_set, column)
            columns.append(join_scores(column, frame, allow_missing=allow_missing))
        return columns

    def prepare(self, test_set: TestSet) -> _Given:
        """Return what takes the scores from where the outputs carry them."""
        del test_set
        return _Given(self._kind, self.column)

    def score(self, sums: Rows) -> Scores:
        """Return the mean, or the ratio of the sums."""
        return _quotient(sums)

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the two sums of a ratio, or how many scores there are."""
        if self.ratio:
            return {"numerator": count(sums[0]), "denominator": count(sums[1])}
        return {"scores": count(sums[1])}

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the scores that were given, or the ratio of every segment."""
        return self._kind.segment_scores(rows)

    def _column_of(
        self, system: System, columns: Sequence[ScoreColumn], *, alone: bool
    ) -> ScoreColumn:
        """Return the scores of a system; a file of its own needs not name it."""
        [first, *others] = columns
        if not others and (SYSTEM in self.file or (alone and first.name is None)):
            return first
        name = system.name if system.run is None else f"{system.name}@{system.run}"
        found = next((column for column in columns if column.name == name), None)
        if found is not None:
            return found
        if first.name is None:
            raise UsageError(
                f"{first.label}: names no systems, but there are several; give each a file of "
                "its own with {system} in the path"
            )
        known = did_you_mean(name, [column.name or "" for column in columns])
        raise InputError(f"{path_of(self.file, system, 'segment')}: no scores of {name}; {known}")


def _frame(test_set: TestSet, column: ScoreColumn) -> Any:
    """Return what scores are joined to: by id, or by order where one of both has no ids.

    Texts without ids are known by their numbers. Scores without ids have the order of the test
    set, unless that is of tables, whose rows have none.
    """
    from weigh.read.text import Frame

    frame = Frame.of_test_set(test_set)
    numbers = tuple(map(str, range(1, frame.size + 1)))
    if column.ids is not None:
        return frame if frame.ids is not None else Frame(frame.label, frame.size, numbers)
    ordered = frame.documents is not None or frame.ids in (None, numbers)
    return Frame(frame.label, frame.size) if ordered else frame
