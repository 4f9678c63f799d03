"""Segment scores: numbers that another program gave to every segment, their mean or ratio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.metrics.statistics import SYSTEM, path_label, path_of
from weigh.metrics.words import count, ratios, signed
from weigh.options import option
from weigh.read.inputs import name_systems
from weigh.read.text import quoted, shown
from weigh.types import Metric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.types import Outputs, Rows, Scores, System, TestSet


# Larger whole numbers are summed as doubles, like all others.
_LARGEST_WHOLE = 1e6


class GivenScores(Metric):
    """Scores that outputs carry: their mean, of rows [score, 1], or a `ratio` of two sums.

    `notes` are further parts of the signature: how the scores were made of those in a file.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def ratio(self) -> bool:
            """Whether two numbers are given for each segment, and their sums are divided."""

        @property
        def notes(self) -> tuple[tuple[str, str], ...]: ...

    def with_note(self, name: str, value: str) -> Self:
        """The same scores with one more part of the signature."""
        return replace(self, notes=(*self.notes, (name, value)))  # type: ignore[type-var]

    @property
    def mean_of_segments(self) -> bool:
        """A ratio of sums is no mean of the segments' ratios."""
        return not self.ratio

    def signature(self, references: int) -> str:
        """Signature of the scores; the user has to state their origin."""
        return signed(references, **self._kind, **dict(self.notes))

    def prepare(self, test_set: TestSet) -> Self:
        """The metric itself, which takes the scores from the outputs."""
        del test_set
        return self

    def rows(self, outputs: Outputs) -> Rows:
        """Return the rows of the scores that outputs carry."""
        values = outputs.extra.get(self.name if self.column is None else self.column)
        if values is None:
            raise InputError(f"{self.name}: no segment scores of that name are given")
        return (SegmentRatio if self.ratio else GivenMean).rows_of(values)

    def score(self, sums: Rows) -> Scores:
        """The mean, or the ratio of the sums; NaN if there is nothing to divide by."""
        sums = np.asarray(sums, dtype=np.float64)
        return ratios(sums[..., 0], sums[..., 1], np.nan)

    def segment_scores(self, rows: Rows) -> Scores:
        """The given scores, or the ratio of every segment."""
        return self.score(rows) if self.ratio else np.asarray(rows[:, 0], dtype=np.float64)

    @property
    def _kind(self) -> dict[str, str]:
        return {"ratio": "sums"} if self.ratio else {"mean": "segments"}


@dataclass(frozen=True, slots=True)
class GivenMean(GivenScores):
    """The mean of given segment scores, such as a learnt metric's; rows are [score, 1].

    `bounds` are the lowest and the highest possible score, where they are known.

    >>> metric = GivenMean("comet")
    >>> float(metric.score(GivenMean.rows_of([0.5, 0.7]).sum(axis=0)))
    0.6
    """

    ratio: ClassVar[bool] = False

    name: str = "score"
    higher_is_better: bool = True
    bounds: tuple[float, float] | None = None
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def scale(self) -> float | None:
        """The largest difference between two scores, if bounds are stated."""
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
    notes: tuple[tuple[str, str], ...] = ()

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
    those of `weigh compare`. A file may name systems inside; otherwise each system needs a file of
    its own. Without a file it names the scores that `weigh compare` reads.
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
        """Signature of the scores, with the name of the file."""
        return signed(references, **self._kind, file=path_label(self.file))

    def supply(
        self, systems: Sequence[System], test_set: TestSet, *, allow_missing: bool = False
    ) -> list[Sequence[Any]]:
        """Read the scores: a column for every system, with None where one is missing."""
        if not self.file:
            raise UsageError("segment: no file given; name it, as in segment:file=scores.tsv")
        files: dict[str, ScoreFile] = {}
        columns: list[Sequence[Any]] = []
        for system in systems:
            path = path_of(self.file, system, "segment")
            if path not in files:
                files[path] = ScoreFile.read(path, ratio=self.ratio)
                self._check_direction(files[path])
            columns.append(self._column_of(system, files[path], test_set, len(systems) == 1))
            lacking = next((at for at, score in enumerate(columns[-1]) if score is None), None)
            if lacking is not None and not allow_missing:
                segment = "" if test_set.ids is None else f" {quoted(test_set.ids[lacking])}"
                raise InputError(
                    f"{shown(path)}: no score of {system.label} for segment "
                    f"{segment or f'{lacking + 1:,}'}; every segment of every system needs one, or "
                    "add --allow-missing"
                )
        return columns

    def _check_direction(self, file: ScoreFile) -> None:
        if file.is_lower in (None, self.lower):
            return
        good = (
            "in this file, lower scores are better; add"
            if file.is_lower
            else "in this file, higher scores are better; leave out"
        )
        raise UsageError(f"{file.name}: {good} :lower")

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the two sums of a ratio, or how many scores there are."""
        if self.ratio:
            return {"numerator": count(sums[0]), "denominator": count(sums[1])}
        return {"scores": count(sums[1])}

    def _column_of(
        self, system: System, file: ScoreFile, test_set: TestSet, alone: bool
    ) -> Sequence[Any]:
        """The scores of a system; a file of one system need not name it."""
        names = file.systems
        if len(names) == 1 and (SYSTEM in self.file or (alone and not file.names_systems)):
            return file.join(names[0], test_set)
        name = system.label
        columns = {**dict(zip(name_systems(names), names, strict=True)), **{n: n for n in names}}
        column = columns.get(name, columns.get(system.file_name))
        if column is None and not file.names_systems:
            raise UsageError(
                f"{file.name}: has no system names, but there are several systems; give one "
                "file per system, with {system} in the path"
            )
        if column is None:
            raise InputError(f"{file.name}: no scores of {name}; {did_you_mean(name, names)}")
        return file.join(column, test_set)


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """The scores of a file by system and item, in the formats of `weigh compare`."""

    name: str
    scores: Mapping[str, Mapping[str, Any]]
    names_systems: bool
    is_lower: bool | None = None

    @classmethod
    def read(cls, path: str, *, ratio: bool) -> ScoreFile:
        """Read a file; each score of a `ratio` is two numbers."""
        from weigh.read.plain import is_table
        from weigh.read.results import FILE, read_results
        from weigh.read.roles import RATIO, Roles

        ratio_roles = Roles(score=RATIO) if ratio and is_table(path) else Roles()
        table, roles = read_results([path], ratio_roles, one_system=True)
        if (roles.score == RATIO) != ratio:
            raise InputError(
                f"{shown(path)}: a ratio needs two numbers for each segment, and any other score "
                "one; add or leave out :ratio"
            )
        values: list[Any] = [
            pair if ratio else pair[0]
            for pair in zip(
                *(table.numbers(column).tolist() for column in roles.score), strict=True
            )
        ]
        if ratio and any(denominator < 0 for _, denominator in values):
            raise InputError(
                f"{shown(path)}: a denominator is negative; give the size of the segment"
            )
        systems = table.required_labels(roles.system[0], "system")
        items = None if roles.item is None else table.required_labels(roles.item, "segment").cells()
        scores: dict[str, dict[str, Any]] = {name: {} for name in systems.names}
        for row, code in enumerate(systems.codes.tolist()):
            system_row = scores[systems.names[code]]
            # Without ids, the rows of a system stand in the order of segments.
            item = str(len(system_row) + 1) if items is None else items[row] or ""
            if item in system_row:
                raise InputError(
                    f"{table.where(row)}: the segment {quoted(item)} occurs twice; every segment "
                    "needs one score"
                )
            system_row[item] = None if np.isnan(values[row]).any() else values[row]
        is_lower = None
        if roles.direction is not None:
            is_lower = [*table.labels(roles.direction).names] == ["true"]
        return cls(shown(path), scores, roles.system[0] != FILE, is_lower)

    @property
    def systems(self) -> list[str]:
        """The systems that the file names, or the file's own name."""
        return list(self.scores)

    def join(self, system: str, test_set: TestSet) -> list[Any]:
        """The scores of a system in the order of the test set, None where one is missing.

        Scores without ids are numbered as lines are. They fit a test set whose segments have an
        order: plain texts, and documents of WMT files.
        """
        scores = self.scores[system]
        numbers = [str(at) for at in range(1, len(test_set) + 1)]
        ids = numbers if test_set.ids is None else list(test_set.ids)
        if (
            ids != numbers
            and test_set.documents is not None
            and [*scores] == numbers[: len(scores)]
        ):
            ids = numbers
        expected = {*ids}
        unknown = next((key for key in scores if key not in expected), None)
        if unknown is not None:
            raise InputError(
                f"{self.name}: {len(scores):,} scores of {shown(system)}, but segment "
                f"{quoted(unknown)} is not among the {len(ids):,} of the test set; give one score "
                "per segment"
            )
        return [scores.get(key) for key in ids]
