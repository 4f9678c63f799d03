"""The Wilcoxon rank-sum test, also called Mann-Whitney's, of two samples of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Alternative = Literal["two-sided", "better"]


class RankSum(NamedTuple):
    """A p-value, and whether the first sample's ranks are higher (1), lower (−1) or neither."""

    p_value: float
    ahead: int


def rank_sum(
    first: Sequence[float], second: Sequence[float], alternative: Alternative = "two-sided"
) -> RankSum:
    """Test whether two samples differ, or with `better` whether the first is the higher one.

    Wilcoxon (1945), Mann & Whitney (1947): normal approximation with corrections for ties and for
    continuity, as `scipy.stats.mannwhitneyu(method="asymptotic")` has it. Samples in which all
    values are the same give p = 1.
    """
    from scipy.stats import mannwhitneyu

    if len({*first, *second}) == 1:
        return RankSum(1.0, 0)
    side = "two-sided" if alternative == "two-sided" else "greater"
    found = mannwhitneyu(first, second, alternative=side, method="asymptotic")
    middle = len(first) * len(second) / 2
    ahead = int(found.statistic > middle) - int(found.statistic < middle)
    return RankSum(float(found.pvalue), ahead)
