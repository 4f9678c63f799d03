"""Segment scores: numbers that another program gave to every segment, their mean or ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.metrics.statistics import SYSTEM, path_label, path_of
from weigh.metrics.words import count, ratios, signed
from weigh.options import option
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.read.score_file import ScoreColumn
    from weigh.read.text import Frame
    from weigh.types import Outputs, Rows, Scores, System, TestSet


# Larger whole numbers are summed as doubles, like all others.
_LARGEST_WHOLE = 1e6


class GivenScores(Metric):
    """Scores that outputs carry: their mean, of rows [score, 1], or a `ratio` of two sums."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def ratio(self) -> bool:
            """Whether two numbers are given for each segment, and their sums are divided."""

    @property
    def mean_of_segments(self) -> bool:
        """A ratio of sums is no mean of the segments' ratios."""
        return not self.ratio

    def signature(self, references: int) -> str:
        """Return what is known of the scores: where they come from is for the user to say."""
        return signed(references, **self._kind)

    def prepare(self, test_set: TestSet) -> Self:
        """Return what takes the scores from where the outputs carry them: the metric itself."""
        del test_set
        return self

    def rows(self, outputs: Outputs) -> Rows:
        """Return the rows of the scores that outputs carry."""
        given = outputs.extra.get(self.name if self.column is None else self.column)
        if given is None:
            raise InputError(f"{self.name}: no segment scores of that name are given")
        return (SegmentRatio if self.ratio else SegmentMean).rows_of(given)

    def score(self, sums: Rows) -> Scores:
        """Return the mean, or the ratio of the sums: NaN where there is nothing to divide by."""
        sums = np.asarray(sums, dtype=np.float64)
        return ratios(sums[..., 0], sums[..., 1], np.nan)

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the scores that were given, or the ratio of every segment."""
        return self.score(rows) if self.ratio else np.asarray(rows[:, 0], dtype=np.float64)

    @property
    def _kind(self) -> dict[str, str]:
        return {"ratio": "sums"} if self.ratio else {"mean": "segments"}


@dataclass(frozen=True, slots=True)
class SegmentMean(GivenScores):
    """The mean of given segment scores, such as a learnt metric's; rows are [score, 1].

    `bounds` are the lowest and the highest possible score, where they are known.

    >>> metric = SegmentMean("comet")
    >>> float(metric.score(SegmentMean.rows_of([0.5, 0.7]).sum(axis=0)))
    0.6
    """

    ratio: ClassVar[bool] = False

    name: str = "score"
    higher_is_better: bool = True
    bounds: tuple[float, float] | None = None

    @property
    def scale(self) -> float | None:
        """How far apart two scores can be, where bounds are stated."""
        return None if self.bounds is None else self.bounds[1] - self.bounds[0]

    @staticmethod
    def rows_of(scores: ArrayLike) -> Rows:
        """Return the rows of a list of scores; whole numbers stay so, and are added up quickly."""
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 1:
            raise InputError(f"segment scores of shape {values.shape}; give one number per segment")
        if (np.abs(values) <= _LARGEST_WHOLE).all() and (values == np.rint(values)).all():
            values = values.astype(np.int64)
        return np.column_stack([values, np.ones(len(values), values.dtype)])


@dataclass(frozen=True, slots=True)
class SegmentRatio(GivenScores):
    """The ratio of two sums, such as errors per word; rows are [numerator, denominator].

    >>> metric = SegmentRatio("errors per word")
    >>> float(metric.score(SegmentRatio.rows_of([(1, 10), (0, 10)]).sum(axis=0)))
    0.05
    """

    ratio: ClassVar[bool] = True

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


@dataclass(frozen=True, slots=True)
class Segment(GivenScores):
    """Mean of the scores that a file gives to segments, or ratio of two sums.

    `{system}` in the path stands for the system's name, and `{run}` for its run. The formats are
    those of `weigh compare --scores`. A file may name systems inside; otherwise each system needs
    a file of its own.
    """

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
    def column(self) -> str:
        """Where outputs carry these scores in `extra`."""
        return f"segment{':ratio' * self.ratio}:{self.file}"

    def signature(self, references: int) -> str:
        """Return what is known of the scores, the file's name included."""
        return signed(references, **self._kind, file=path_label(self.file))

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
            if column.lower not in (None, self.lower):
                good = (
                    "small scores are good; add"
                    if column.lower
                    else "large scores are good; leave out"
                )
                raise UsageError(f"{column.label}: says that {good} :lower")
            frame = _frame(test_set, column)
            columns.append(join_scores(column, frame, allow_missing=allow_missing))
        return columns

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the two sums of a ratio, or how many scores there are."""
        if self.ratio:
            return {"numerator": count(sums[0]), "denominator": count(sums[1])}
        return {"scores": count(sums[1])}

    def _column_of(
        self, system: System, columns: Sequence[ScoreColumn], *, alone: bool
    ) -> ScoreColumn:
        """Return the scores of a system; a file of its own needs not name it."""
        [first, *others] = columns
        if not others and (SYSTEM in self.file or (alone and first.name is None)):
            return first
        name = system.label
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


def _frame(test_set: TestSet, column: ScoreColumn) -> Frame:
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
