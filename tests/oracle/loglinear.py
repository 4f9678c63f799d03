"""The log-linear model by its definition, and the slowest way to fit it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Sentence = tuple[list[list[float]], list[bool]]  # features of each candidate, which are best


def loss(sentences: Sequence[Sentence], weights: Sequence[float]) -> float:
    total = 0.0
    for candidates, best in sentences:
        scores = [sum(w * f for w, f in zip(weights, row, strict=True)) for row in candidates]
        everything = math.fsum(math.exp(score) for score in scores)
        right = math.fsum(math.exp(s) for s, mark in zip(scores, best, strict=True) if mark)
        total += math.log(everything) - math.log(right)
    return total


def numeric_gradient(
    sentences: Sequence[Sentence], weights: Sequence[float], step: float = 1e-5
) -> list[float]:
    slopes = []
    for at in range(len(weights)):
        moved = [list(weights), list(weights)]
        moved[0][at] += step
        moved[1][at] -= step
        slopes.append((loss(sentences, moved[0]) - loss(sentences, moved[1])) / (2 * step))
    return slopes


def full_solve(sentences: Sequence[Sentence], gamma: float, steps: int = 1_000) -> list[float]:
    """Minimise L(w) + γ‖w‖₁ over all features by accelerated proximal gradient steps (FISTA).

    Steps of 1/M converge if M bounds the Hessian, Σ_s Var(f): Var(u·f) is at most the sum of
    (u·f)² over candidates, with features relative to their mean in the sentence.
    """
    matrices = [np.array(rows) - np.mean(rows, axis=0) for rows, _ in sentences]
    marks = [np.array(best) for _, best in sentences]
    bound = float(np.linalg.eigvalsh(sum(m.T @ m for m in matrices))[-1]) + 1e-9
    weights = point = np.zeros(matrices[0].shape[1])
    for step in range(steps):
        slope = np.zeros_like(weights)
        for matrix, best in zip(matrices, marks, strict=True):
            p = np.exp(matrix @ point)
            q = np.where(best, p, 0.0)
            slope += (p / p.sum() - q / q.sum()) @ matrix
        moved = point - slope / bound
        after = np.sign(moved) * np.maximum(np.abs(moved) - gamma / bound, 0.0)
        point = after + step / (step + 3) * (after - weights)
        weights = after
    return [float(w) for w in weights]
