"""The columns of all samples side by side, which are resampled together."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh._core import IntegerResampler, RealResampler
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores

    # Where the columns of a sample's system and run are: their kind, and their places in it.
    Places = dict[tuple[int, int, int], tuple[str, list[int]]]

# For integers and for real numbers: what resamples them, and as which type.
_RESAMPLERS: Mapping[str, Any] = {"i": IntegerResampler, "f": RealResampler}
_TYPES: Mapping[str, Any] = {"i": np.int64, "f": np.float64}


class Scratch(threading.local):
    """Arrays that are used again, each thread its own: new memory is slow to come by."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[np.float64]] = {}

    def take(self, name: str, *shape: int) -> Scores:
        """Return an array of this shape, whatever it holds."""
        size = math.prod(shape)
        array = self._arrays.get(name)
        if array is None or array.size < size:
            array = self._arrays[name] = np.empty(size)
        return array[:size].reshape(shape)


class Stack:
    """The columns of all samples side by side, for one stratum, with a resampler for them.

    Equal columns, such as the reference lengths of all systems, are summed once. `columns` holds
    one matrix (columns × units) for each kind of number.
    """

    def __init__(self, places: Places, columns: Mapping[str, Rows]) -> None:
        self._places = places
        self._columns = columns
        self._resamplers = {kind: _RESAMPLERS[kind](own.T) for kind, own in columns.items()}
        # The sums over all units, as one trial.
        self.totals: dict[str, Rows] = {
            kind: own.sum(axis=1)[None] for kind, own in columns.items()
        }

    @staticmethod
    def of(samples: Sequence[Sample], part: Any) -> Stack:
        """Stack the columns of samples, of some units."""
        places: Places = {}
        columns: dict[str, list[Rows]] = {"i": [], "f": []}
        alike: dict[tuple[str, float], list[int]] = {}  # columns that may be equal, by their sum
        for s, sample in enumerate(samples):
            for system, runs in enumerate(sample.rows):
                for run, rows in enumerate(runs):
                    kind = rows.dtype.kind
                    known = columns[kind]
                    own = []
                    turned = np.ascontiguousarray(rows[part].T)
                    for column, total in zip(turned, turned.sum(axis=1).tolist(), strict=True):
                        same = alike.setdefault((kind, total), [])
                        place = next((i for i in same if np.array_equal(known[i], column)), None)
                        if place is None:
                            place = len(known)
                            known.append(column)
                            same.append(place)
                        own.append(place)
                    places[s, system, run] = (kind, own)
        return Stack(
            places, {kind: np.array(own, _TYPES[kind]) for kind, own in columns.items() if own}
        )

    def bootstrap_sums(self, seed: int, stream: int, first: int, trials: int) -> dict[str, Rows]:
        """Return the sums over units drawn with replacement, for some trials."""
        return {
            kind: resampler.bootstrap_sums(seed, stream, first, trials)
            for kind, resampler in self._resamplers.items()
        }

    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int
    ) -> dict[str, Rows]:
        """Return the sums over units whose coins show heads, each unit there so many times."""
        return {
            kind: resampler.swapped_sums(seed, stream, first, trials, repeats)
            for kind, resampler in self._resamplers.items()
        }

    def chosen_sums(self, coins: Rows) -> dict[str, Rows]:
        """Return the sums over units that are chosen by given coins: trials × units."""
        return {kind: coins @ own.T for kind, own in self._columns.items()}

    def pick(
        self, sums: dict[str, Rows], sample: int, systems: int, run: int, scratch: Scratch
    ) -> Scores:
        """Return one run of all systems: systems × trials × width.

        The numbers of one column lie side by side in memory, which makes scoring fast, and are
        doubles: integers of any real test set are exact as such.
        """
        trials = len(next(iter(sums.values())))
        width = len(self._places[sample, 0, run][1])
        picked = scratch.take("picked", systems, width, trials)
        for system in range(systems):
            kind, places = self._places[sample, system, run]
            for column, place in enumerate(places):
                picked[system, column] = sums[kind][:, place]
        return np.moveaxis(picked, 1, -1)


def stacks_of(samples: Sequence[Sample]) -> list[Stack]:
    """Return a stack for each stratum of samples that have the same ones."""
    return [Stack.of(samples, part) for part in samples[0].parts]
