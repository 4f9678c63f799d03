"""Inter-annotator agreement: Krippendorff's alpha and the kappas of Cohen and Fleiss.

Values are listed by unit, that is, by what several judges judged; a judge who skipped a unit has no
value there. 1 is perfect agreement, 0 is agreement by chance, and negative values are below chance.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.stats.ranking import with_ties

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
WEIGHTS = ("none", "linear", "quadratic")


def krippendorff_alpha(units: Iterable[Sequence[float]], level: Level = "interval") -> float:
    """Krippendorff's alpha of values by unit (Krippendorff 2011); NaN if no value varies.

    α = 1 − D_o/D_e. D_o is the mean squared distance between two values of the same unit, where a
    unit with m values has weight m. D_e is the mean squared distance between any two values. Units
    with one value are left out. The distance is 0 or 1 (`nominal`), the difference of midranks
    (`ordinal`), or the difference of values (`interval`).

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [3, 4]]), 4)
    0.878
    """
    pairable = [values for values in units if len(values) > 1]
    if not pairable:
        return float("nan")
    sizes = np.array([len(values) for values in pairable])
    points = _points(np.concatenate([np.asarray(v, np.float64) for v in pairable]), level)
    # Alpha depends on differences only, and centred values keep their digits when squared.
    points -= points.mean(axis=0)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    squares = (points**2).sum(axis=1)
    sums = np.add.reduceat(points, starts)
    # Σ |x_i − x_j|² over all ordered pairs of m points is 2 (m Σ|x|² − |Σx|²).
    within = sizes * np.add.reduceat(squares, starts) - (sums**2).sum(axis=1)
    total = len(points)
    between = total * squares.sum() - (points.sum(axis=0) ** 2).sum()
    if between <= 0:
        return float("nan")
    return float(1 - (total - 1) * (within / (sizes - 1)).sum() / between)


def _points(values: Floats, level: Level) -> Floats:
    """Points whose squared Euclidean distances are those of the level, up to a constant factor."""
    if not np.isfinite(values).all():
        raise InputError("alpha: a value is not a finite number; leave out missing judgments")
    if level == "interval":
        return values[:, None].copy()
    # Values may be means of one judge's repeated judgments: rounding must not split a category.
    tied = with_ties(values, float(np.abs(values).max()))
    categories, codes, counts = np.unique(tied, return_inverse=True, return_counts=True)
    if level == "ordinal":
        return (np.cumsum(counts) - counts / 2)[codes][:, None]
    if level == "nominal":
        return np.eye(len(categories))[codes]
    raise UsageError(f"unknown level {level!r}; {did_you_mean(level, LEVELS)}")


def cohen_kappa(a: ArrayLike, b: ArrayLike, weights: str = "none") -> float:
    """Cohen's kappa of two judges' categories for the same units (Cohen 1960, 1968).

    κ = 1 − Σ w O / Σ w E. O are the observed shares of pairs of categories, and E the shares
    expected of independent judges. The weight w is 0 for equal categories. For different ones it is
    1 (`none`), the distance of their ranks (`linear`), or its square (`quadratic`). If both judges
    used the same single category, κ is undefined (NaN).

    >>> round(cohen_kappa([1, 1, 0, 0, 1], [1, 0, 0, 0, 1]), 4)
    0.6154
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise InputError(
            f"kappa: {first.shape} and {second.shape} categories; give one per unit for both judges"
        )
    categories, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    size = len(categories)
    observed = np.zeros((size, size))
    np.add.at(observed, (codes[: first.size], codes[first.size :]), 1 / first.size)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    ranks = np.arange(size)
    distance = np.abs(ranks[:, None] - ranks).astype(np.float64)
    if weights not in WEIGHTS:
        raise UsageError(f"unknown weights {weights!r}; {did_you_mean(weights, WEIGHTS)}")
    weight = {"none": np.sign(distance), "linear": distance, "quadratic": distance**2}[weights]
    by_chance = (weight * expected).sum()
    return float("nan") if by_chance == 0 else float(1 - (weight * observed).sum() / by_chance)


def fleiss_kappa(units: Iterable[Sequence[Hashable]]) -> float:
    """Fleiss' kappa of categories by unit, with equally many judgments of each (Fleiss 1971).

    κ = (P − P_e)/(1 − P_e). P is the share of agreeing pairs of judgments of a unit, averaged over
    units. P_e = Σ p_j², where p_j is the share of category j. With a single category, κ is
    undefined (NaN).

    >>> round(fleiss_kappa([[1, 1, 1], [1, 1, 2], [2, 2, 2], [1, 2, 2]]), 4)
    0.3333
    """
    by_unit = [list(values) for values in units]
    sizes = {len(values) for values in by_unit}
    if len(sizes) != 1 or max(sizes) < 2:
        raise InputError(
            "Fleiss' kappa: units with different numbers of judgments, or with fewer than two; "
            "use units that were judged equally often"
        )
    [size] = sizes
    names = {value: at for at, value in enumerate(dict.fromkeys(v for u in by_unit for v in u))}
    counts = np.zeros((len(by_unit), len(names)))
    for unit, values in enumerate(by_unit):
        for value in values:
            counts[unit, names[value]] += 1
    agreeing = ((counts**2).sum(axis=1) - size) / (size * (size - 1))
    by_chance = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    if len(names) < 2:
        return float("nan")
    return float((agreeing.mean() - by_chance) / (1 - by_chance))


@dataclass(frozen=True, slots=True)
class Kappas:
    """Cohen's kappa averaged over pairs of judges, and Fleiss' kappa.

    `mean` weights each of the `pairs` of judges by the units they share. Fleiss' kappa uses the
    `units` with `judges` judgments each, the number of judgments that most units have.
    """

    mean: float
    pairs: int
    fleiss: float
    units: int
    judges: int


def kappas(units: Iterable[Mapping[str, int]], weights: str = "none") -> Kappas:
    """Compute the kappas of units, each a mapping of its judges to their categories."""
    from itertools import combinations

    several = [unit for unit in units if len(unit) > 1]
    shared: dict[tuple[str, str], list[tuple[int, int]]] = {}
    by_size: dict[int, list[list[int]]] = {}
    for unit in several:
        for a, b in combinations(sorted(unit), 2):
            shared.setdefault((a, b), []).append((unit[a], unit[b]))
        by_size.setdefault(len(unit), []).append(list(unit.values()))
    by_pair = [
        (cohen_kappa([a for a, _ in both], [b for _, b in both], weights), len(both))
        for both in shared.values()
    ]
    defined = [(value, size) for value, size in by_pair if value == value]  # not NaN
    largest = max(by_size, key=lambda size: (len(by_size[size]), size), default=0)
    return Kappas(
        sum(value * size for value, size in defined) / sum(size for _, size in defined)
        if defined
        else float("nan"),
        len(shared),
        fleiss_kappa(by_size[largest]) if largest else float("nan"),
        len(by_size.get(largest, [])),
        largest,
    )
