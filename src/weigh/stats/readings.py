"""Metrics with several readings of the same rows: a difference counts where each of them shows it.

That is an intersection–union test (Berger 1982): the null hypothesis is that at least one reading
has no difference, so the largest p-value of all is one of the whole, at no cost for their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.stats.resample import Pairs
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ReadSamples:
    """Samples, then the further readings of those whose metric has several.

    All share the draws, since rows that are equal are resampled once. `places` tells for every
    sample where its readings stand, its own first.
    """

    samples: tuple[Sample, ...]
    places: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(samples: Sequence[Sample]) -> ReadSamples:
        """Add the further readings of samples."""
        together = list(samples)
        places = []
        for s, sample in enumerate(samples):
            readings = sample.metric.readings()
            further = [] if readings is None else list(readings.scores.values())[1:]
            places.append((s, *range(len(together), len(together) + len(further))))
            together += (replace(sample, scoring=score) for score in further)
        return ReadSamples(tuple(together), tuple(places))

    def agreeing(self, pairs: Pairs) -> list[NDArray[np.bool_]]:
        """Return, for every sample, in which pairs all readings call the same system better."""
        return [
            np.ptp([_signs(self.samples[at], pairs) for at in places], axis=0) == 0
            if len(places) > 1
            else np.ones(len(pairs), dtype=bool)
            for places in self.places
        ]

    def together(self, results: Sequence[PairTests], pairs: Pairs) -> list[PairTests]:
        """Return what a test of all readings says of every sample.

        p is the largest of its readings', and 1 in pairs where they disagree.
        """
        agreeing = self.agreeing(pairs)
        combined = []
        for s, places in enumerate(self.places):
            own = results[s]
            if len(places) > 1:
                read = [results[at] for at in places]
                counts, p_values = dict(own.counts), dict(own.p_values)
                for side in p_values:
                    most = np.max([one.counts[side] for one in read], axis=0)
                    largest = np.max([one.p_values[side] for one in read], axis=0)
                    counts[side] = np.where(agreeing[s], most, own.trials)
                    p_values[side] = np.where(agreeing[s], largest, 1.0)
                lowest = {
                    side: np.min([one.p_values[side] for one in read], 0) for side in p_values
                }
                own = replace(own, counts=counts, p_values=p_values, lowest=lowest)
            combined.append(own)
        return combined


def _signs(sample: Sample, pairs: Pairs) -> NDArray[np.float64]:
    """Return 1 or -1 for the pairs by which system is better, and 0 for ties."""
    observed = Observed.of(sample, pairs)
    tied = np.abs(observed.differences) <= observed.tolerance
    return np.where(tied, 0.0, np.sign(observed.differences))
