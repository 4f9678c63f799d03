"""Segments that tell systems apart, chosen for people to judge: by scores, or by the texts.

A segment on which all systems do alike says nothing of which is better (Zouhar, Cui & Sachan 2025).
Such a sample ranks systems. It estimates no score: its segments are unlike the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from weigh.comparing.data import Data, Metrics, Systems, measured_data
from weigh.comparing.measure import Measured
from weigh.engine.executors import spreads
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.sampled import BY
from weigh.read.text import quoted, shown
from weigh.result import Extent, Result, checked, warns
from weigh.stats.correlation import kendall_of_rows

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.types import TestSet

    Floats = NDArray[np.float64]

By = Literal["difference", "diversity"]
_RANDOM_DRAWS = 1000
# Numbers that are drawn for all random draws together; large test sets get fewer draws.
_MOST_DRAWN = 20_000_000


@dataclass(frozen=True, slots=True)
class DrawnMetric:
    """What a metric says on a draw: the mean of systems' scores, and how it ranks them.

    `agreement` is Kendall's τ with its ranking on all segments, None where there is no order.
    """

    metric: str
    score: float
    agreement: float | None


@dataclass(frozen=True, slots=True)
class Draw:
    """What segments give: `all` of them, the `chosen` ones, or as many at `random`, on average.

    `spread` is that of systems on a segment, by what segments are chosen by, 1 on all of them.
    """

    how: Literal["all", "chosen", "random"]
    segments: int
    spread: float
    metrics: tuple[DrawnMetric, ...]


@dataclass(frozen=True, slots=True)
class ChosenResult(Result):
    """Which segments were chosen, by their `numbers` from 1, and what others would have given.

    `size` counts documents where whole documents were chosen, else segments.
    """

    command: ClassVar[str] = "sample"

    test_set: Extent
    by: By
    size: int
    seed: int
    random_draws: int
    systems: tuple[str, ...]
    draws: tuple[Draw, ...]
    numbers: tuple[int, ...]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(
            tuple(draw.how for draw in self.draws) == ("all", "chosen", "random"),
            "draws are not those of all, chosen and random segments",
        )
        named = {tuple(metric.metric for metric in draw.metrics) for draw in self.draws}
        checked(len(named) == 1, "draws are not scored by the same metrics")


@warns
@spreads
def choose_segments(
    systems: Systems,
    size: int,
    by: By = "difference",
    *,
    test_set: TestSet | None = None,
    metrics: Metrics | None = None,
    documents: Sequence[str] | None = None,
    seed: int = 12345,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, which @spreads takes
) -> ChosenResult:
    """Choose the segments, or with `documents` the whole documents, that tell systems apart most.

    Systems are texts, with a test set and metrics, or segment scores, or what was measured.

    - `difference`: by the standard deviation of a metric's scores of the systems on a segment, in
      parts of its mean over all segments, the mean over metrics.
    - `diversity`: by how unlike the outputs are, 1 − chrF/100 of one against another, the mean over
      all ordered pairs of systems.

    A document counts by the mean of its segments. Between equals the first is chosen. As many are
    drawn at random again and again, to be held against what was chosen.
    """
    if by not in BY:
        raise UsageError(f"segments by {by!r}; {did_you_mean(by, BY)}")
    measured = measured_data(systems, Data(test_set=test_set, metrics=metrics), threads=threads)
    if len(measured.names) < 2:
        raise InputError(
            f"one system, {shown(measured.names[0])}; segments tell systems apart, so give two"
        )
    numbers = line_numbers(measured)
    values = segment_spreads(measured, by, threads=threads)
    documents = measured.documents if documents is None else documents
    units = _units(documents, len(values))
    count = int(units.max()) + 1
    noun = "segments" if documents is None else "documents"
    if not 1 <= size <= count:
        raise InputError(f"a sample of {size:,}, but there are {count:,} {noun}; ask for fewer")
    means = np.bincount(units, values) / np.bincount(units)
    best = np.argsort(-means, kind="stable")[:size]
    chosen = np.flatnonzero(np.isin(units, best))
    random_draws = int(max(20, min(_RANDOM_DRAWS, _MOST_DRAWN // len(values))))
    masks = _random(units, count, size, random_draws, seed)
    return ChosenResult(
        measured.test_set,
        by,
        size,
        seed,
        random_draws,
        measured.names,
        _draws(measured, values, chosen, masks),
        tuple(sorted(numbers[at] for at in chosen.tolist())),
        measured.remarks,
    )


def segment_spreads(measured: Measured, by: By, *, threads: int = 0) -> Floats:
    """Return how far systems lie apart on every segment, 1 on average (`choose_segments`)."""
    return _differences(measured) if by == "difference" else _diversity(measured, threads)


def line_numbers(measured: Measured) -> list[int]:
    """Return the numbers of segments as lines; ids that are none cannot be lines."""
    ids = measured.ids
    if ids is None:
        return [measured.number_of(at) for at in range(measured.samples[0].units)]
    other = next((key for key in ids if not key.isascii() or not key.isdigit()), None)
    if other is not None or len({*map(int, ids)}) < len(ids):
        raise InputError(
            f"segments such as {quoted(other or ids[0])}, but lines were expected; number segments "
            "from 1, as lines are"
        )
    return [int(key) for key in ids]


def _units(documents: Sequence[str] | None, segments: int) -> NDArray[np.intp]:
    """Return for every segment the number of what is chosen as a whole: itself, or its document."""
    if documents is None:
        return np.arange(segments)
    if len(documents) != segments:
        raise InputError(
            f"the documents of {len(documents):,} segments, but there are {segments:,}; give one "
            "for each"
        )
    places = {name: at for at, name in enumerate(dict.fromkeys(documents))}
    return np.array([places[name] for name in documents])


def _differences(measured: Measured) -> Floats:
    """Return how far systems' scores of each segment lie apart, 1 on average."""
    parts = []
    for sample in measured.samples:
        scores = np.array(
            [
                np.mean([sample.metric.segment_scores(run) for run in runs], axis=0)
                for runs in sample.rows
            ]
        )
        if not np.isfinite(scores).all():
            raise InputError(
                f"{sample.metric.name} has no score of some segment; choose by another metric"
            )
        spread = scores.std(axis=0)
        mean = spread.mean()
        if mean > 0:
            parts.append(spread / mean)
    if not parts:
        raise InputError("all systems score the same on every segment; there is nothing to choose")
    return np.asarray(np.mean(parts, axis=0))


def _diversity(measured: Measured, threads: int) -> Floats:
    """Return how unlike the systems' outputs of each segment are, 1 on average."""
    from weigh.metrics.chrf import Chrf
    from weigh.metrics.statistics import statistics
    from weigh.types import TestSet

    texts = measured.texts
    if texts is None:
        raise UsageError("diversity compares texts, but scores are given; give the outputs")
    chrf = Chrf()
    total = np.zeros(len(texts.test_set))
    for one in texts.systems:
        others = [each for each in texts.systems if each is not one]
        against = TestSet([one.outputs.texts])
        for rows in statistics(others, against, chrf, threads=threads):
            total += 1 - np.asarray(chrf.segment_scores(rows)) / 100
    if total.mean() <= 0:
        raise InputError("all systems have the same outputs; there is nothing to choose")
    return np.asarray(total / total.mean())


def _random(
    units: NDArray[np.intp], count: int, size: int, draws: int, seed: int
) -> NDArray[np.bool_]:
    """Return draws of as many units, without replacement, as draws × segments."""
    keys = np.random.Generator(np.random.Philox(key=seed)).random((draws, count))
    last = np.partition(keys, size - 1, axis=1)[:, size - 1 : size]
    return np.asarray((keys <= last)[:, units])


def _draws(
    measured: Measured, values: Floats, chosen: NDArray[np.intp], random: NDArray[np.bool_]
) -> tuple[Draw, ...]:
    everything = np.ones((1, len(values)), bool)
    some = np.zeros_like(everything)
    some[0, chosen] = True
    masks = {"all": everything, "chosen": some, "random": random}
    metrics: dict[str, list[DrawnMetric]] = {how: [] for how in masks}
    for sample in measured.samples:
        scores = {
            how: np.stack(
                [
                    np.mean(
                        [sample.metric.score(mask.astype(np.float64) @ run) for run in runs], axis=0
                    )
                    for runs in sample.rows
                ],
                axis=1,
            )
            for how, mask in masks.items()
        }
        for how, rows in scores.items():
            agreements = kendall_of_rows(scores["all"][0], rows)
            known = agreements[np.isfinite(agreements)]
            metrics[how].append(
                DrawnMetric(
                    sample.metric.name,
                    float(rows.mean()),
                    float(known.mean()) if known.size else None,
                )
            )
    counts = {how: mask.sum(axis=1) for how, mask in masks.items()}
    hows: tuple[Literal["all", "chosen", "random"], ...] = ("all", "chosen", "random")
    return tuple(
        Draw(
            how,
            round(float(counts[how].mean())),
            float(((masks[how] @ values) / counts[how]).mean()),
            tuple(metrics[how]),
        )
        for how in hows
    )
