"""Prediction-powered means: few segments that people scored, many that a metric scored.

The metric tells how the labelled segments differ from all of them, and the mean of people's scores
is moved by as much as the metric is worth (Angelopoulos, Duchi & Zrnic 2023, "PPI++").
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError
from weigh.stats.crossed import Spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

LEAST_LABELLED = 20
"""With fewer labelled segments neither the slope nor its error is known well enough."""
LEAST_DOCUMENTS = 10
"""The same of documents, where these are what was drawn."""
# Scores that differ by rounding alone, in parts of their size, do not vary.
_ROUNDING = 1e-12
# A segment that the line runs through by itself: without it there is no slope.
_LEAST_FREE = 1e-9


class PoweredMeans(NamedTuple):
    """Means with a metric's help and without, all of one shape.

    `weight` is λ; where it is 0 for want of a slope (the metric does not vary on the labelled
    segments, or a single one of them makes it vary) the mean is the classical one.
    """

    estimate: Floats
    variance: Floats
    freedom: Floats
    weight: Floats
    classical: Floats
    classical_variance: Floats


class PoweredMean(NamedTuple):
    """One mean with a metric's help, and the classical one of the labelled segments alone."""

    estimate: float
    spread: Spread
    weight: float
    classical: float
    classical_spread: Spread
    labelled: int
    unlabelled: int
    partly_labelled: int = 0
    """Documents with labelled and other segments."""

    @property
    def saved(self) -> float:
        """The share of labels that the metric saves: 1 − its variance over the classical one."""
        if self.classical_spread.variance == 0:
            return 0.0
        return 1 - self.spread.variance / self.classical_spread.variance


def powered_mean(
    human: ArrayLike, labelled: ArrayLike, unlabelled: ArrayLike, *, finite: bool = False
) -> PoweredMean:
    """Estimate the mean of people's scores, of which there are few, with a metric's scores.

    `human` are people's scores of n segments drawn at random, `labelled` the metric's scores of the
    same segments, `unlabelled` its scores of the others. `finite` asks about these segments alone,
    not about others like them. See `powered_means`.

    >>> metric = np.arange(40.0)
    >>> mean = powered_mean(2 * metric[::2] + 1, metric[::2], metric[1::2])
    >>> mean.classical, round(mean.weight, 6), round(mean.estimate, 6)
    (39.0, 1.0, 40.0)
    """
    scores, predicted, others = (
        np.asarray(values, dtype=np.float64) for values in (human, labelled, unlabelled)
    )
    if scores.shape != predicted.shape or predicted.ndim != 1 or others.ndim != 1:
        raise InputError(
            f"people's scores of {scores.size:,} segments, but the metric's of {predicted.size:,}; "
            "give one of both for each segment"
        )
    if predicted.size < LEAST_LABELLED:
        raise InputError(
            f"{predicted.size} segments that people scored; an estimate with a metric's help needs "
            f"at least {LEAST_LABELLED}"
        )
    means = powered_means(scores, predicted, others, finite=finite)
    return PoweredMean(
        float(means.estimate),
        Spread(float(means.variance), float(means.freedom)),
        float(means.weight),
        float(means.classical),
        Spread(float(means.classical_variance), predicted.size - 1.0),
        predicted.size,
        others.size,
    )


def powered_means(
    human: Floats, labelled: Floats, unlabelled: Floats, *, finite: bool = False
) -> PoweredMeans:
    """Estimate prediction-powered means over the last axis.

    With people's scores Y of n segments, the metric's scores f of these and of N others, and any
    λ, Ȳ_n + λ (f̄_N − f̄_n) has the same expectation as Ȳ_n, since both means of f have. Its variance

        (σ_Y² − 2λ σ_Yf + λ² σ_f²)/n + λ² σ_f²/N

    is least at λ = b N/(n + N), b = σ_Yf/σ_f² the slope of Y on f. With the least squares b of the
    labelled segments this is what their line says at F, the metric's mean over all n + N segments:

        θ = Ȳ_n + b (F − f̄_n) = Σ w_i Y_i,   w_i = 1/n + (F − f̄_n)(f_i − f̄_n)/Σ (f − f̄_n)²

    so that, e_i being the residuals and h_i = 1/n + (f_i − f̄_n)²/Σ (f − f̄_n)² the leverages,

        Var θ = Σ w_i² (e_i/(1 − h_i))² + b² s_f²/(n + N)

    The first part is the error of the line at F, with each residual as it would be had the line
    been drawn without that segment (HC3, MacKinnon & White 1985); the second is what other segments
    would change in F. Student's t has n − 2 degrees of freedom. A metric for which small is good
    has a negative slope, and one that says nothing a slope near 0: it costs the one degree of
    freedom and no bias.

    `finite`: the mean of Y over these n + N segments is asked for, of which n were drawn without
    replacement. F is known, so the second part is 0, and the first is multiplied by N/(n + N), as
    is the classical variance (the finite-population factor; Cochran 1977, §7.3).
    """
    n, size = labelled.shape[-1], labelled.shape[-1] + unlabelled.shape[-1]
    factor = 1 - n / size if finite else 1.0
    classical = human.mean(axis=-1)
    classical_variance = factor * human.var(axis=-1, ddof=1) / n
    centred = labelled - labelled.mean(axis=-1, keepdims=True)
    squares = (centred**2).sum(axis=-1, keepdims=True)
    largest = np.abs(labelled).max(axis=-1, keepdims=True)
    varies = squares > n * (_ROUNDING * largest) ** 2
    squares = np.where(varies, squares, 1.0)
    free = 1 - 1 / n - centred**2 / squares
    has_slope = varies[..., 0] & (free > _LEAST_FREE).all(axis=-1) & (size > n)
    free = np.where(has_slope[..., None], free, 1.0)

    above = human - classical[..., None]
    slope = (centred * above).sum(axis=-1, keepdims=True) / squares
    everything = np.concatenate([labelled, unlabelled], axis=-1)
    apart = everything.mean(axis=-1, keepdims=True) - labelled.mean(axis=-1, keepdims=True)
    shares = 1 / n + apart * centred / squares
    errors = shares * (above - slope * centred) / free
    b = slope[..., 0]
    variance = factor * (errors**2).sum(axis=-1)
    if not finite:
        variance = variance + b**2 * everything.var(axis=-1, ddof=1) / size
    return PoweredMeans(
        np.where(has_slope, classical + b * apart[..., 0], classical),
        np.where(has_slope, variance, classical_variance),
        np.where(has_slope, n - 2.0, n - 1.0),
        np.where(has_slope, b * (size - n) / size, 0.0),
        classical,
        classical_variance,
    )


def powered_mean_by_document(
    human: ArrayLike,
    labelled: ArrayLike,
    documents: Sequence[Hashable],
    unlabelled: ArrayLike,
    other_documents: Sequence[Hashable],
    *,
    finite: bool = False,
) -> PoweredMean:
    """Estimate the mean of people's scores, of which there are few, where documents were drawn.

    With V and cov over documents as in `few_documents_spread`, and the metric's scores f in units
    of people's, by the slope b of the labelled segments:

        λ = clip(cov(Ȳ, f̄_n)/(V(f̄_n) + V(f̄_N)), 0, 1),   θ = Ȳ + λ (f̄_N − f̄_n)
        Var θ = V(Ȳ − λ f̄_n) (n − 1)/(n − 2) + λ² V(f̄_N)

    for n labelled documents, with K − 2 degrees of freedom, K = 1/Σ h² their effective number. A
    document that is labelled in part adds its part of f̄_N − f̄_n to its part of Ȳ, so that V and cov
    hold what both share.

    `finite`: the mean over these documents' segments is asked for, n whole documents of D in all
    having been drawn without replacement. With F the metric's mean over all segments,

        λ = clip(cov(Ȳ, f̄_n)/V(f̄_n), 0, 1),   θ = Ȳ + λ (F − f̄_n)
        Var θ = (1 − n/D) V(Ȳ − λ f̄_n) (n − 1)/(n − 2)

    and the classical variance has the factor 1 − n/D too. Where documents are labelled in part,
    nobody knows how segments were drawn within them: the factor is 1, which is never too small.
    """
    y, f, others = (
        np.asarray(values, dtype=np.float64) for values in (human, labelled, unlabelled)
    )
    places: dict[Hashable, int] = {}
    labelled_documents = _Documents(documents, places)
    n = labelled_documents.count
    if n < LEAST_DOCUMENTS:
        raise InputError(
            f"{n} documents that people scored; an estimate with a metric's help needs "
            f"at least {LEAST_DOCUMENTS}"
        )
    rest = _Documents(other_documents, places)
    partly = labelled_documents.count + rest.count - len(places)
    factor = 1 - n / len(places) if finite and not partly else 1.0
    effective = 1 / float((labelled_documents.shares**2).sum())
    classical, apart = float(y.mean()), f - f.mean()
    squares = float(apart @ apart)
    human_part = labelled_documents.influences(y, len(places))
    alone = Spread(factor * float(human_part @ human_part), effective - 1)
    varies = squares > f.size * (_ROUNDING * float(np.abs(f).max())) ** 2
    has_slope = varies and rest.count > (0 if finite else 1)
    slope = float(apart @ (y - classical)) / squares if has_slope else 0.0
    metric_part = labelled_documents.influences(slope * f, len(places))
    far = np.zeros(len(places))
    if slope and not finite:
        far = rest.influences(slope * others, len(places))
    moved = metric_part - far
    squares = float(moved @ moved)
    share = min(1.0, max(0.0, float(human_part @ moved) / squares)) if squares > 0 else 0.0
    if share == 0:
        return PoweredMean(classical, alone, 0.0, classical, alone, y.size, others.size, partly)
    error = (human_part - share * metric_part) * np.sqrt((n - 1) / (n - 2)) + share * far
    elsewhere = np.concatenate([f, others]) if finite else others
    estimate = classical + share * slope * float(elsewhere.mean() - f.mean())
    return PoweredMean(
        estimate,
        Spread(factor * float(error @ error), effective - 2),
        share * slope,
        classical,
        alone,
        y.size,
        others.size,
        partly,
    )


class _Documents:
    """Which values belong to which document; `places` numbers the documents of several samples."""

    def __init__(self, names: Sequence[Hashable], places: dict[Hashable, int]) -> None:
        self._places = np.fromiter(
            (places.setdefault(name, len(places)) for name in names), np.intp, len(names)
        )
        self.shares = np.bincount(self._places, minlength=len(places)) / max(len(names), 1)
        self.count = int(np.count_nonzero(self.shares))

    def influences(self, values: Floats, count: int) -> Floats:
        """Each document's part in the error of the mean, whose square is its part in V."""
        sums = np.bincount(self._places, values - values.mean(), count) / values.size
        shares = np.concatenate([self.shares, np.zeros(count - self.shares.size)])
        influences: Floats = sums / np.sqrt(1 - shares)
        return influences
