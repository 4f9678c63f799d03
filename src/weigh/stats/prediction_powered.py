"""Prediction-powered means: human scores of few segments, a metric's scores of many.

The metric shows how the labelled segments differ from all segments. The mean of the human scores is
corrected for this, in proportion to how well the metric predicts them (Angelopoulos, Duchi & Zrnic
2023, "PPI++").
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
"""With fewer labelled segments, the slope and its error are not known well enough."""
LEAST_DOCUMENTS = 10
"""The same limit for documents, where documents were sampled."""
# Scores whose relative differences are no larger are equal up to rounding.
_ROUNDING = 1e-12
# If 1 − leverage is smaller, that segment alone determines the slope.
_LEAST_FREE = 1e-9


class PoweredMeans(NamedTuple):
    """Prediction-powered and classical means, in arrays of the same shape.

    `weight` is λ. Where no slope can be estimated, because the metric does not vary on the labelled
    segments or varies on only one of them, λ is 0 and the estimate is the classical mean.
    """

    estimate: Floats
    variance: Floats
    freedom: Floats
    weight: Floats
    classical: Floats
    classical_variance: Floats


class PoweredMean(NamedTuple):
    """A prediction-powered mean, and the classical mean of the labelled segments alone."""

    estimate: float
    spread: Spread
    weight: float
    classical: float
    classical_spread: Spread
    labelled: int
    unlabelled: int
    partly_labelled: int = 0
    """Number of documents that have both labelled and unlabelled segments."""

    @property
    def saved(self) -> float:
        """Share of labels that the metric saves: 1 − variance / classical variance."""
        if self.classical_spread.variance == 0:
            return 0.0
        return 1 - self.spread.variance / self.classical_spread.variance


def powered_mean(
    human: ArrayLike, labelled: ArrayLike, unlabelled: ArrayLike, *, finite: bool = False
) -> PoweredMean:
    """Estimate the mean human score from few human scores and many scores of a metric.

    `human` are the human scores of n randomly drawn segments, `labelled` the metric's scores of the
    same segments, and `unlabelled` its scores of the others. With `finite`, the estimate is for
    these segments alone, not for others like them. See `powered_means`.

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
            f"{scores.size:,} human scores, but {predicted.size:,} scores of the metric; give one "
            "of each for every labelled segment"
        )
    if predicted.size < LEAST_LABELLED:
        raise InputError(
            f"{predicted.size} segments have human scores; an estimate that uses a metric needs at "
            f"least {LEAST_LABELLED}"
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

    Let Y be the human scores of n segments, and f the metric's scores of these and of N others. For
    any λ, Ȳ_n + λ (f̄_N − f̄_n) has the same expectation as Ȳ_n, because f̄_N and f̄_n have the same
    expectation. Its variance

        (σ_Y² − 2λ σ_Yf + λ² σ_f²)/n + λ² σ_f²/N

    is smallest at λ = b N/(n + N), where b = σ_Yf/σ_f² is the slope of Y on f. With the least
    squares estimate of b on the labelled segments, the estimate is the value of the regression line
    at F, the metric's mean over all n + N segments:

        θ = Ȳ_n + b (F − f̄_n) = Σ w_i Y_i,   w_i = 1/n + (F − f̄_n)(f_i − f̄_n)/Σ (f − f̄_n)²

    With the residuals e_i and the leverages h_i = 1/n + (f_i − f̄_n)²/Σ (f − f̄_n)²,

        Var θ = Σ w_i² (e_i/(1 − h_i))² + b² s_f²/(n + N)

    The first part is the error of the line at F, where each residual is that from a line fitted
    without its segment (HC3, MacKinnon & White 1985). The second part is the variance of F over
    other segments. Student's t has n − 2 degrees of freedom. A metric whose low scores are good has
    a negative slope. An uninformative metric has a slope near 0; it costs one degree of freedom but
    causes no bias.

    With `finite`, the estimate is the mean of Y over these n + N segments, of which n were drawn
    without replacement. F is then known exactly, so the second part is 0. The first part and the
    classical variance are multiplied by the finite-population factor N/(n + N) (Cochran 1977,
    §7.3).
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
    shift = everything.mean(axis=-1, keepdims=True) - labelled.mean(axis=-1, keepdims=True)
    weights = 1 / n + shift * centred / squares
    errors = weights * (above - slope * centred) / free
    b = slope[..., 0]
    variance = factor * (errors**2).sum(axis=-1)
    if not finite:
        variance = variance + b**2 * everything.var(axis=-1, ddof=1) / size
    return PoweredMeans(
        np.where(has_slope, classical + b * shift[..., 0], classical),
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
    """Estimate the mean human score from few human scores, where documents were sampled.

    V and cov are over documents, as in `few_documents_spread`. The metric's scores f are rescaled
    to human scores by the slope b of the labelled segments. For n labelled documents,

        λ = clip(cov(Ȳ, f̄_n)/(V(f̄_n) + V(f̄_N)), 0, 1),   θ = Ȳ + λ (f̄_N − f̄_n)
        Var θ = V(Ȳ − λ f̄_n) (n − 1)/(n − 2) + λ² V(f̄_N)

    with K − 2 degrees of freedom, where K = 1/Σ h² is the effective number of documents. A document
    with labelled and unlabelled segments contributes to both Ȳ and f̄_N − f̄_n; V and cov include
    this dependence.

    With `finite`, the estimate is the mean over the segments of these documents, of which n of D
    were drawn whole and without replacement. With F, the metric's mean over all segments,

        λ = clip(cov(Ȳ, f̄_n)/V(f̄_n), 0, 1),   θ = Ȳ + λ (F − f̄_n)
        Var θ = (1 − n/D) V(Ȳ − λ f̄_n) (n − 1)/(n − 2)

    and the classical variance is multiplied by 1 − n/D as well. If documents are only partly
    labelled, it is unknown how segments were drawn within them. The factor is then 1, which is
    conservative.
    """
    y, f, others = (
        np.asarray(values, dtype=np.float64) for values in (human, labelled, unlabelled)
    )
    places: dict[Hashable, int] = {}
    labelled_documents = _Documents(documents, places)
    n = labelled_documents.count
    if n < LEAST_DOCUMENTS:
        raise InputError(
            f"{n} documents have human scores; an estimate that uses a metric needs at least "
            f"{LEAST_DOCUMENTS}"
        )
    rest = _Documents(other_documents, places)
    partly = labelled_documents.count + rest.count - len(places)
    factor = 1 - n / len(places) if finite and not partly else 1.0
    effective = 1 / float((labelled_documents.shares**2).sum())
    classical, centred = float(y.mean()), f - f.mean()
    squares = float(centred @ centred)
    human_part = labelled_documents.influences(y, len(places))
    classical_spread = Spread(factor * float(human_part @ human_part), effective - 1)
    varies = squares > f.size * (_ROUNDING * float(np.abs(f).max())) ** 2
    has_slope = varies and rest.count > (0 if finite else 1)
    slope = float(centred @ (y - classical)) / squares if has_slope else 0.0
    metric_part = labelled_documents.influences(slope * f, len(places))
    unlabelled_part = np.zeros(len(places))
    if slope and not finite:
        unlabelled_part = rest.influences(slope * others, len(places))
    shift_part = metric_part - unlabelled_part
    squares = float(shift_part @ shift_part)
    share = min(1.0, max(0.0, float(human_part @ shift_part) / squares)) if squares > 0 else 0.0
    if share == 0:
        return PoweredMean(
            classical,
            classical_spread,
            0.0,
            classical,
            classical_spread,
            y.size,
            others.size,
            partly,
        )
    residual_part = human_part - share * metric_part
    error = residual_part * np.sqrt((n - 1) / (n - 2)) + share * unlabelled_part
    target = np.concatenate([f, others]) if finite else others
    estimate = classical + share * slope * float(target.mean() - f.mean())
    return PoweredMean(
        estimate,
        Spread(factor * float(error @ error), effective - 2),
        share * slope,
        classical,
        classical_spread,
        y.size,
        others.size,
        partly,
    )


class _Documents:
    """The document of each value; `places` numbers the documents of all samples together."""

    def __init__(self, names: Sequence[Hashable], places: dict[Hashable, int]) -> None:
        self._places = np.fromiter(
            (places.setdefault(name, len(places)) for name in names), np.intp, len(names)
        )
        self.shares = np.bincount(self._places, minlength=len(places)) / max(len(names), 1)
        self.count = int(np.count_nonzero(self.shares))

    def influences(self, values: Floats, count: int) -> Floats:
        """Each document's contribution to the error of the mean; V is the sum of their squares."""
        sums = np.bincount(self._places, values - values.mean(), count) / values.size
        shares = np.concatenate([self.shares, np.zeros(count - self.shares.size)])
        influences: Floats = sums / np.sqrt(1 - shares)
        return influences
