"""Approximate randomization of all pairs in NumPy alone, as good as it gets: the peer to beat.

One matrix of coins is shared by all pairs, the sums are one product of float32 matrices (exact:
they stay below 2^24), and all scores of a block are computed at once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

BLOCK = 1024


def bleu_by_logs(sums: np.ndarray) -> np.ndarray:
    """Return BLEU of sums that have matches of all four orders, as its definition reads."""
    logs = np.log(sums[..., 2:6] / sums[..., 6:10]).mean(axis=-1)
    return 100.0 * np.exp(np.minimum(0.0, 1.0 - sums[..., 1] / sums[..., 0]) + logs)


def bleu_by_roots(sums: np.ndarray) -> np.ndarray:
    """Return the same by products and square roots, column by column and in place."""
    columns = np.moveaxis(sums, -1, 0)
    matches = columns[2] * columns[3] * columns[4] * columns[5]
    total = columns[6] * columns[7] * columns[8] * columns[9]
    score = np.sqrt(np.sqrt(np.divide(matches, total, out=matches)))
    brevity = sums[..., 1] / sums[..., 0]
    np.subtract(1.0, brevity, out=brevity)
    np.exp(np.minimum(brevity, 0.0, out=brevity), out=brevity)
    brevity *= 100.0
    score *= brevity
    return score


def randomization_counts(
    rows: list[np.ndarray], trials: int, seed: int, bleu: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return, for every pair, how many trials differ at least as much as the systems do."""
    rng = np.random.default_rng(seed)
    together = np.hstack(rows).astype(np.float32)
    segments, systems, width = len(rows[0]), len(rows), rows[0].shape[1]
    first, second = np.array(list(combinations(range(systems), 2))).T
    totals = np.array([one.sum(axis=0) for one in rows], dtype=np.float64)
    scores = bleu(totals)
    observed = np.abs(scores[first] - scores[second])
    counts = np.zeros(len(first), dtype=np.int64)
    for start in range(0, trials, BLOCK):
        size = min(BLOCK, trials - start)
        bits = rng.integers(0, 256, (size, -(-segments // 8)), dtype=np.uint8)
        coins = np.unpackbits(bits, axis=1, count=segments).astype(np.float32)
        sums = (coins @ together).T.astype(np.float64).reshape(systems, width, size)
        heads = np.moveaxis(sums, 1, -1)
        tails = totals[:, None, :] - heads
        pseudo_a = bleu(heads[first] + tails[second])
        pseudo_b = bleu(tails[first] + heads[second])
        counts += (np.abs(pseudo_a - pseudo_b) >= observed[:, None] - 1e-12).sum(axis=1)
    return counts
