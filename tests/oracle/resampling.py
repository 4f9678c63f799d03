"""Resampled sums and the tests built on them, written out in plain loops.

The random numbers are NumPy's own Philox; the tests are the table of definitions (Koehn 2004,
Riezler & Maxwell 2005, Graham et al. 2014) word by word, one pair and one metric at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

Row = Sequence[float]
Score = Callable[[list], float]

COINS, UNITS = 0, 1


def draws(seed: int, stream: int, purpose: int, trial: int, block: int) -> list[int]:
    """Return the four numbers of one block of a trial, from NumPy's generator."""
    counter = (block + (trial << 64) - 1) % 2**256  # NumPy counts up before it draws
    words = [(counter >> (64 * i)) % 2**64 for i in range(4)]
    generator = np.random.Philox(
        key=np.array([seed, (2 * stream + purpose) % 2**64], dtype=np.uint64),
        counter=np.array(words, dtype=np.uint64),
    )
    return [int(x) for x in generator.random_raw(4)]


def coins(seed: int, stream: int, trial: int, units: int) -> list[int]:
    """Return one coin (0 or 1) per unit."""
    result = []
    for unit in range(units):
        if unit % 256 == 0:
            four = draws(seed, stream, COINS, trial, unit // 256)
        result.append(four[unit // 64 % 4] >> (unit % 64) & 1)
    return result


def drawn_units(seed: int, stream: int, trial: int, units: int) -> list[int]:
    """Return as many units as there are, drawn with replacement."""
    result = []
    for k in range(units):
        if k % 4 == 0:
            four = draws(seed, stream, UNITS, trial, k // 4)
        result.append(four[k % 4] * units >> 64)
    return result


def total(rows: Sequence[Row], chosen: Sequence[int]) -> list:
    """Return the sum of the rows of these units."""
    sums = [0] * len(rows[0])
    for unit in chosen:
        for column, value in enumerate(rows[unit]):
            sums[column] += value
    return sums


def swapped_sums(rows: Sequence[Row], seed: int, stream: int, first: int, trials: int) -> list:
    """Return, for each trial, the sum over the units whose coin shows 1."""
    result = []
    for trial in range(first, first + trials):
        tossed = coins(seed, stream, trial, len(rows))
        result.append(total(rows, [unit for unit, coin in enumerate(tossed) if coin]))
    return result


def bootstrap_sums(rows: Sequence[Row], seed: int, stream: int, first: int, trials: int) -> list:
    """Return, for each trial, the sum over units drawn with replacement."""
    return [
        total(rows, drawn_units(seed, stream, trial, len(rows)))
        for trial in range(first, first + trials)
    ]


@dataclass
class Pair:
    """Two systems' rows, one matrix per run, scored in strata (one stratum: all units)."""

    a: Sequence[Sequence[Row]]
    b: Sequence[Sequence[Row]]
    score: Score
    higher_is_better: bool = True
    strata: Sequence[Sequence[int]] | None = None

    @property
    def parts(self) -> Sequence[Sequence[int]]:
        return self.strata or [range(len(self.a[0]))]

    def statistic(self, runs: Sequence[Sequence[Row]], chosen: Sequence[Sequence[int]]) -> float:
        """Return the mean over strata and runs of the score of the chosen units."""
        scores = [self.score(total(rows, units)) for units in chosen for rows in runs]
        return sum(scores) / len(scores)

    def oriented(self, difference: float) -> float:
        return difference if self.higher_is_better else -difference

    def observed(self) -> tuple[float, float]:
        """Return D and the distance within which numbers count as equal."""
        s_a, s_b = self.statistic(self.a, self.parts), self.statistic(self.b, self.parts)
        return self.oriented(s_a - s_b), 1e-12 * max(abs(s_a), abs(s_b))

    def swapped_difference(self, swaps: Sequence[Sequence[int]]) -> float:
        """Return d* where a coin of 1 leaves a unit and 0 exchanges it, in all runs alike."""
        scores_a, scores_b = [], []
        for units, tossed in zip(self.parts, swaps, strict=True):
            for rows_a, rows_b in zip(self.a, self.b, strict=True):
                mixed_a, mixed_b = [], []
                for unit, coin in zip(units, tossed, strict=True):
                    kept, given = (rows_a, rows_b) if coin else (rows_b, rows_a)
                    mixed_a.append(kept[unit])
                    mixed_b.append(given[unit])
                scores_a.append(self.score(total(mixed_a, range(len(mixed_a)))))
                scores_b.append(self.score(total(mixed_b, range(len(mixed_b)))))
        mean_a, mean_b = sum(scores_a) / len(scores_a), sum(scores_b) / len(scores_b)
        return self.oriented(mean_a - mean_b)

    def swapped_differences(self, trials: int, seed: int) -> list[float]:
        return [
            self.swapped_difference(
                [coins(seed, s, trial, len(units)) for s, units in enumerate(self.parts)]
            )
            for trial in range(trials)
        ]

    def all_differences(self) -> list[float]:
        """Return d* of all 2^u ways to exchange units."""
        sizes = [len(units) for units in self.parts]
        result = []
        for ways in product((0, 1), repeat=sum(sizes)):
            rest = list(ways)
            result.append(self.swapped_difference([[rest.pop() for _ in range(k)] for k in sizes]))
        return result

    def bootstrap_differences(self, trials: int, seed: int) -> list[float]:
        result = []
        for trial in range(trials):
            chosen = [
                [units[i] for i in drawn_units(seed, s, trial, len(units))]
                for s, units in enumerate(self.parts)
            ]
            difference = self.statistic(self.a, chosen) - self.statistic(self.b, chosen)
            result.append(self.oriented(difference))
        return result


def randomization(pair: Pair, trials: int, seed: int) -> dict:
    """Return count, p-value and trials by alternative."""
    d, slack = pair.observed()
    exact = 2 ** sum(map(len, pair.parts)) <= trials
    null = pair.all_differences() if exact else pair.swapped_differences(trials, seed)
    return _shares(
        {
            "two-sided": sum(abs(x) >= abs(d) - slack for x in null),
            "better": sum(x >= d - slack for x in null),
            "worse": sum(-x >= -d - slack for x in null),
        },
        len(null),
        exact,
    )


def bootstrap(pair: Pair, trials: int, seed: int) -> dict:
    """Shift to zero, then compare."""
    d, slack = pair.observed()
    drawn = pair.bootstrap_differences(trials, seed)
    tau = sum(drawn) / trials
    null = [x - tau for x in drawn]
    return _shares(
        {
            "two-sided": sum(abs(x) >= abs(d) - slack for x in null),
            "better": sum(x >= d - slack for x in null),
            "worse": sum(-x >= -d - slack for x in null),
        },
        trials,
    )


def paired_bootstrap(pair: Pair, trials: int, seed: int) -> dict:
    """Count reversals."""
    _, slack = pair.observed()
    drawn = pair.bootstrap_differences(trials, seed)
    down, up = sum(x <= slack for x in drawn), sum(x >= -slack for x in drawn)
    result = _shares({"better": down, "worse": up, "two-sided": min(down, up)}, trials)
    count, p, _ = result["two-sided"]
    result["two-sided"] = (count, min(1.0, 2 * p), trials)
    return result


def runs_t(pair: Pair, trials: int, seed: int) -> tuple[float, float, float]:
    """Return D, V and the degrees of freedom where runs are a sample, as it is defined."""
    u = min(len(units) for units in pair.parts)
    drawn: dict[str, list[list[float]]] = {"a": [], "b": []}  # a score for each trial and run
    for trial in range(trials):
        chosen = [
            [units[i] for i in drawn_units(seed, s, trial, len(units))]
            for s, units in enumerate(pair.parts)
        ]
        for name, runs in (("a", pair.a), ("b", pair.b)):
            drawn[name].append([pair.statistic([rows], chosen) for rows in runs])
    v_u = _variance([_mean(a) - _mean(b) for a, b in zip(drawn["a"], drawn["b"], strict=True)]) * (
        u / (u - 1)
    )
    v_runs, squares = 0.0, v_u**2 / (u - 1)
    for name, runs in (("a", pair.a), ("b", pair.b)):
        k = len(runs)
        v = _variance([pair.statistic([rows], pair.parts) for rows in runs]) / k
        w = u / (u - 1) / (k * (k - 1))
        w *= sum(_variance([scores[r] - _mean(scores) for scores in drawn[name]]) for r in range(k))
        v_runs += max(v - w, 0)
        squares += v**2 / (k - 1)
    total_variance = v_u + v_runs
    return pair.observed()[0], total_variance, max(1.0, total_variance**2 / squares)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((x - mean) ** 2 for x in values) / (len(values) - 1)


def _shares(counts: dict[str, int], trials: int, exact: bool = False) -> dict:
    return {
        name: (c, c / trials if exact else (c + 1) / (trials + 1), trials)
        for name, c in counts.items()
    }


TESTS = {
    "randomization": randomization,
    "bootstrap": bootstrap,
    "paired-bootstrap": paired_bootstrap,
}
