"""Standard scores: each judge's own mean and spread are taken out of the judgments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weigh.human.numbering import in_order
from weigh.types import Judgment


@dataclass(frozen=True, slots=True)
class Standardised:
    """Judgments with their standard scores, and why others have none."""

    judgments: tuple[Judgment, ...]
    z: tuple[float, ...]
    remarks: tuple[str, ...]


def standardise(judgments: Sequence[Judgment]) -> Standardised:
    """Return z = (score − mean) / sd for every judgment (Graham et al. 2014, §4.2).

    Mean and standard deviation (with n − 1) are the judge's over all items of the language pair
    and scale, controls included. A judge without a deviation there is left out with a remark.
    """
    groups: dict[tuple[str, str, str], list[float]] = {}
    for one in judgments:
        groups.setdefault(_group(one), []).append(one.value)
    moments = {group: _moments(values) for group, values in groups.items()}
    kept: list[Judgment] = []
    z: list[float] = []
    for one in judgments:
        found = moments[_group(one)]
        if found is not None:
            kept.append(one)
            z.append(_above_mean(one.value, found[0], found[1]) / found[2])
    flat = {group: values for group, values in groups.items() if moments[group] is None}
    return Standardised(tuple(kept), tuple(z), _remarks(flat))


def _group(one: Judgment) -> tuple[str, str, str]:
    return one.judge, one.pair, one.scale


def _moments(values: Sequence[float]) -> tuple[float, int, float] | None:
    """Return sum, number and standard deviation; exact sums make the order of rows irrelevant."""
    n = len(values)
    if len(set(values)) < 2:
        return None
    total = math.fsum(values)
    squares = math.fsum(_above_mean(value, total, n) ** 2 for value in values)
    return total, n, math.sqrt(squares / (n - 1))


def _above_mean(value: float, total: float, n: int) -> float:
    """Return value − mean; of whole numbers it is rounded once, where the mean would be before."""
    return (n * value - total) / n


def _remarks(flat: dict[tuple[str, str, str], list[float]]) -> tuple[str, ...]:
    remarks = []
    for group in sorted(flat, key=lambda one: (in_order(one[0]), one[1:])):
        (judge, pair, scale), values = group, flat[group]
        what = "one judgment" if len(values) == 1 else f"{len(values):,} judgments, all the same"
        about = ", ".join(filter(None, (pair, scale)))
        remarks.append(f"{judge}: {what} ({about}), so none can be standardised; left out")
    return tuple(remarks)
