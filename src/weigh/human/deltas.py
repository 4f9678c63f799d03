"""What a metric's difference means: how often people saw it in pairs of systems that differ so.

The share of pairs in which people prefer the system that the metric prefers is taken to grow with
the size of the difference, from one half where there is none: 1/(1 + exp(−slope · Δ)). Kocmi et
al. (2024) read differences of metrics in this way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.plan import check_deltas
from weigh.result import Result, checked
from weigh.stats.ranking import with_ties

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_SYSTEMS = 8
SHARES = (0.6, 0.7, 0.8, 0.9, 0.95)
NEAR = 1.5
"""Differences are near Δ from Δ divided by this up to Δ times this."""
DRAWS = 1000
YEARS = (2012, 2024)
"""The metrics of the data that weigh contains."""
_MOST_BINS, _LEAST_IN_BIN = 8, 10
_MOST_WEIGHTS = 2_000_000  # that are held at a time: draws × pairs
_STEPS, _CLOSE = 100, 1e-10


@dataclass(frozen=True, slots=True)
class DeltaShare:
    """In how many pairs whose scores differ by `delta` people agree, by the curve.

    `pairs` are those whose difference is near it, and `agreed` counts people's agreement in them.
    """

    delta: float
    share: float
    interval: tuple[float, float]
    pairs: int
    agreed: int


@dataclass(frozen=True, slots=True)
class DeltaNeeded:
    """The difference at which people agree in this share of pairs.

    It is None where there is none, since agreement does not grow with differences; the upper end
    of its interval is None where the data leave that open.
    """

    share: float
    delta: float | None
    interval: tuple[float, float | None] | None


@dataclass(frozen=True, slots=True)
class DeltaBin:
    """Pairs whose differences lie between two ends, and in how many of them people agree."""

    low: float
    high: float
    pairs: int
    agreed: int

    @property
    def middle(self) -> float:
        """The difference halfway between both ends."""
        return (self.low + self.high) / 2

    @property
    def share(self) -> float:
        """The share of pairs in which people agree."""
        return self.agreed / self.pairs


@dataclass(frozen=True, slots=True)
class DeltaCurve:
    """People's agreement with a metric as a function of its difference between two systems.

    `scale` is what was judged. `slope` has a standard error from drawing systems anew; intervals
    are Student's, with `freedom` degrees of freedom. `asked` are differences that were asked
    about, `needed` those that mean a certain agreement, and `bins` what the pairs themselves say.
    """

    scale: str
    metric: str
    name: str
    systems: int
    pairs: int
    agreed: int
    slope: float
    error: float
    freedom: int
    asked: tuple[DeltaShare, ...]
    needed: tuple[DeltaNeeded, ...]
    bins: tuple[DeltaBin, ...]

    def __post_init__(self) -> None:
        checked(
            len(self.bins) > 0 and sum(delta_bin.pairs for delta_bin in self.bins) == self.pairs,
            f"{self.metric}: the bins do not hold all pairs of systems",
        )

    @property
    def largest(self) -> float:
        """The largest difference of two systems; beyond it the curve is a guess."""
        return self.bins[-1].high

    def share(self, delta: float) -> float:
        """Return in how many pairs with this difference people agree, by the curve."""
        return _logistic(self.slope * delta)

    def is_beyond(self, delta: float | None) -> bool:
        """Whether a difference exceeds all differences between two systems; None is unlimited."""
        return delta is None or delta > self.largest

    @property
    def goes_beyond(self) -> bool:
        """Whether an interval of a difference extends beyond all differences between systems."""
        return any(row.interval and self.is_beyond(row.interval[1]) for row in self.needed)


@dataclass(frozen=True, slots=True)
class DeltaData:
    """One data set: its systems, and by metric the pairs of them in which people agree with it."""

    data: str
    systems: int
    pairs: int
    agreed: Mapping[str, int]

    def share(self, metric: str) -> float | None:
        """The share of pairs in which people agree with a metric; None without pairs."""
        return self.agreed[metric] / self.pairs if self.pairs else None


@dataclass(frozen=True, slots=True)
class DeltasResult(Result):
    """People's agreement with metric differences on data of the WMT."""

    command: ClassVar[str] = "human metrics"

    level: float
    draws: int
    seed: int
    years: tuple[int, int]
    data: tuple[DeltaData, ...]
    deltas: tuple[DeltaCurve, ...]

    def __post_init__(self) -> None:
        checked(bool(self.data) and bool(self.deltas), "no data or no curves")
        metrics = {curve.metric for curve in self.deltas}
        checked(
            all(data_set.agreed.keys() >= metrics for data_set in self.data),
            "data sets and curves are not of the same metrics",
        )

    @property
    def systems(self) -> int:
        """The number of systems in all data sets."""
        return sum(row.systems for row in self.data)

    @property
    def pairs(self) -> int:
        """The number of pairs of systems in all data sets."""
        return sum(row.pairs for row in self.data)


class Scored(NamedTuple):
    """The systems of one data set: people's scores and a metric's, more being better."""

    people: Floats
    metric: Floats


def delta_curve(
    groups: Sequence[Scored],
    metric: str,
    *,
    name: str = "",
    scale: str = "",
    differences: Sequence[float] = (),
    level: float = 0.95,
    seed: int = 12345,
) -> DeltaCurve:
    """Fit people's agreement by a metric's differences, over all groups together.

    Pairs are of systems of one group. The slope is that of logistic regression through one half,
    with a phantom pair of the median difference in which people agree by half: it keeps the slope
    finite where they agree in all. For the error, systems are drawn anew from each group, and a
    pair counts as often as both of its systems were drawn.
    """
    systems = sum(len(group.people) for group in groups)
    if systems < LEAST_SYSTEMS:
        raise InputError(
            f"{systems} systems, but at least {LEAST_SYSTEMS} are needed to relate differences "
            f"of {name or metric} to judgments; without judgments, --delta uses data of the WMT"
        )
    pairs = [pairs_of(group) for group in groups]
    sizes = np.concatenate([group.sizes for group in pairs])
    agree = np.concatenate([group.agree for group in pairs])
    if not sizes.size:
        raise InputError(
            f"{name or metric} gives all systems the same score; choose a metric that "
            "distinguishes them"
        )
    unit = float(np.median(sizes))
    random = np.random.Generator(np.random.Philox(key=seed))
    slope = float(_slopes(np.ones((1, sizes.size)), sizes / unit, agree)[0]) / unit
    block = max(1, _MOST_WEIGHTS // sizes.size)
    slopes = [
        _slopes(_pair_weights(pairs, min(block, DRAWS - start), random), sizes / unit, agree) / unit
        for start in range(0, DRAWS, block)
    ]
    error = float(np.concatenate(slopes).std(ddof=1))
    freedom = systems - len(groups)
    ends = _ends(slope, error, freedom, level)
    return DeltaCurve(
        scale,
        metric,
        name or metric,
        systems,
        int(sizes.size),
        int(agree.sum()),
        slope,
        error,
        freedom,
        tuple(_share(delta, slope, ends, sizes, agree) for delta in differences),
        tuple(_needed(share, slope, ends) for share in SHARES),
        _bins(sizes, agree),
    )


class SystemPairs(NamedTuple):
    """Pairs of one group that the metric tells apart; `first` and `second` are its systems."""

    systems: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    sizes: Floats
    agree: Floats


def pairs_of(group: Scored) -> SystemPairs:
    """Return the pairs of systems with the metric's difference and people's agreement."""
    people, metric = (with_ties(scores, float(np.abs(scores).max())) for scores in group)
    first, second = np.triu_indices(len(metric), 1)
    differences = metric[first] - metric[second]
    agree = np.sign(differences) == np.sign(people[first] - people[second])
    apart = differences != 0
    return SystemPairs(
        len(metric),
        first[apart],
        second[apart],
        np.abs(differences[apart]),
        agree[apart].astype(np.float64),
    )


def _pair_weights(pairs: Sequence[SystemPairs], draws: int, random: np.random.Generator) -> Floats:
    """Weight of each pair in each draw of systems."""
    weights = []
    for group in pairs:
        even = np.full(group.systems, 1.0 / group.systems)
        counts = random.multinomial(group.systems, even, size=draws).astype(np.float64)
        weights.append(counts[:, group.first] * counts[:, group.second])
    return np.concatenate(weights, axis=1)


def _slopes(weights: Floats, sizes: Floats, agree: Floats) -> Floats:
    """The slope for every row of weights, by Newton's method.

    From 0 they never go too far, since the slope of the likelihood is convex beyond it, and concave
    before it.
    """
    from scipy.special import expit

    slopes = np.zeros(len(weights))
    for _ in range(_STEPS):
        shares, phantom = expit(slopes[:, None] * sizes), expit(slopes)
        rise = (weights * (agree - shares)) @ sizes + (0.5 - phantom)
        bend = (weights * shares * (1 - shares)) @ sizes**2 + phantom * (1 - phantom)
        step = rise / bend
        slopes += step
        if np.abs(step).max() < _CLOSE:
            break
    return slopes


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _ends(slope: float, error: float, freedom: int, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    return slope - half, slope + half


def _share(
    delta: float, slope: float, ends: tuple[float, float], sizes: Floats, agree: Floats
) -> DeltaShare:
    near = (sizes >= delta / NEAR) & (sizes <= delta * NEAR)
    return DeltaShare(
        delta,
        _logistic(slope * delta),
        (_logistic(ends[0] * delta), _logistic(ends[1] * delta)),
        int(near.sum()),
        int(agree[near].sum()),
    )


def _needed(share: float, slope: float, ends: tuple[float, float]) -> DeltaNeeded:
    odds = math.log(share / (1 - share))
    low, high = ends
    if slope <= 0:
        return DeltaNeeded(share, None, None)
    return DeltaNeeded(share, odds / slope, (odds / high, odds / low if low > 0 else None))


def _bins(sizes: Floats, agree: Floats) -> tuple[DeltaBin, ...]:
    """Pairs binned by the size of their difference; all bins have the same number of pairs."""
    order = np.argsort(sizes, kind="stable")
    count = min(max(1, sizes.size // _LEAST_IN_BIN), _MOST_BINS)
    return tuple(
        DeltaBin(
            float(sizes[members[0]]),
            float(sizes[members[-1]]),
            len(members),
            int(agree[members].sum()),
        )
        for members in np.array_split(order, count)
    )


# What metrics and people said of the WMT's systems.


def known_deltas(
    metrics: Sequence[str] = (),
    delta: Mapping[str, float] | None = None,
    *,
    level: float = 0.95,
    seed: int = 12345,
) -> DeltasResult:
    """Meaning of metric differences to people, on data of the WMT from 2012 to 2024.

    `metrics` are names such as `bleu` or `chrf:word_order=2`, by default those of `delta`, or all
    that are known; `delta` are differences to be told of, by metric.

    >>> result = known_deltas(delta={"bleu": 2.0})
    >>> [(each.delta, round(each.share, 2)) for each in result.deltas[0].asked]
    [(2.0, 0.67)]
    """
    from weigh.metrics.registry import parse_metric

    groups = _table()
    requested = dict(delta or {})
    check_deltas(requested)
    wanted = list(dict.fromkeys([*metrics, *requested])) or _metrics(groups)
    curves = []
    agreed: dict[str, dict[str, int]] = {name: {} for name in groups}
    for name in wanted:
        scored = scored_systems(name)
        for data, group in scored.items():
            agreed[data][name] = int(pairs_of(group).agree.sum())
        curves.append(
            delta_curve(
                [*scored.values()],
                name,
                name=parse_metric(name).name,
                differences=[requested[name]] if name in requested else [],
                level=level,
                seed=seed,
            )
        )
    return DeltasResult(
        level,
        DRAWS,
        seed,
        YEARS,
        tuple(
            DeltaData(name, len(rows), len(rows) * (len(rows) - 1) // 2, agreed[name])
            for name, rows in groups.items()
        ),
        tuple(curves),
    )


def scored_systems(metric: str) -> dict[str, Scored]:
    """Return the systems of each of the WMT's data sets, scored by people and by a metric."""
    from weigh.metrics.registry import parse_metric

    groups = _table()
    metrics = _metrics(groups)
    if metric not in metrics:
        raise UsageError(
            f"{metric}: no WMT data on differences of this metric; "
            f"{did_you_mean(metric, metrics)}, or give your own judgments"
        )
    sign = 1.0 if parse_metric(metric).higher_is_better else -1.0
    return {
        data: Scored(
            np.array([row["people"] for row in rows]),
            sign * np.array([row[metric] for row in rows]),
        )
        for data, rows in groups.items()
    }


def _metrics(groups: Mapping[str, Sequence[Mapping[str, float]]]) -> list[str]:
    return [name for name in next(iter(groups.values()))[0] if name != "people"]


@cache
def _table() -> dict[str, list[dict[str, float]]]:
    """Return the scores of systems by data set, as `scripts/make_deltas.py` wrote them."""
    from importlib.resources import files

    text = files("weigh.human").joinpath("deltas.tsv").read_text(encoding="utf-8")
    head, *lines = (line.split("\t") for line in text.rstrip("\n").split("\n"))
    groups: dict[str, list[dict[str, float]]] = {}
    for name, *cells in lines:
        groups.setdefault(name, []).append(dict(zip(head[1:], map(float, cells), strict=True)))
    return groups
