"""Line search by its definition, in rational numbers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction


def crossings(scores: list, slopes: list) -> set[Fraction]:
    """Where any two of a segment's lines cross."""
    lines = [
        (Fraction(score), Fraction(slope)) for score, slope in zip(scores, slopes, strict=True)
    ]
    return {(a[0] - b[0]) / (b[1] - a[1]) for a in lines for b in lines if a[1] != b[1]}


def places_between(points: list[Fraction]) -> list[Fraction]:
    """One place before all points, one between every two neighbours and one after all."""
    if not points:
        return [Fraction(0)]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(points)]
    return [points[0] - 1, *middles, points[-1] + 1]


def best(scores: list, slopes: list, place: Fraction) -> int:
    """The first of the highest lines at a place."""
    heights = [
        Fraction(score) + Fraction(slope) * place
        for score, slope in zip(scores, slopes, strict=True)
    ]
    return heights.index(max(heights))


def envelope_sums(scores, slopes, offsets, hypotheses, rows):
    """Breakpoints where some segment's best row changes, and the sums of rows between them."""
    segments = list(itertools.pairwise(offsets))
    points = sorted(set().union(*(crossings(scores[a:b], slopes[a:b]) for a, b in segments)))
    places = places_between(points)
    chosen = [
        [hypotheses[a + best(scores[a:b], slopes[a:b], place)] for a, b in segments]
        for place in places
    ]
    breakpoints, sums = [], [_sum(rows, chosen[0])]
    for point, before, after in zip(points, chosen[:-1], chosen[1:], strict=True):
        if before != after:
            breakpoints.append(float(point))
            sums.append(_sum(rows, after))
    return breakpoints, sums


def weighted_scores(features, by):
    """Each row of features times weights."""
    return [
        sum(Fraction(w) * Fraction(f) for w, f in zip(by, row, strict=True)) for row in features
    ]


def best_candidates(weights, offsets, features, scores):
    """The first of each segment's best candidates."""
    heights = [
        a + Fraction(b) for a, b in zip(weighted_scores(features, weights), scores, strict=True)
    ]
    flat = [0] * len(heights)
    return [a + best(heights[a:b], flat[a:b], Fraction(0)) for a, b in itertools.pairwise(offsets)]


def draw_interval(worths, temperature, number):
    """The interval up to which the chances of Gibbs sampling exceed a share of their sum."""
    top = max(worths)
    chances = [math.exp((worth - top) / temperature) for worth in worths]
    sums = list(itertools.accumulate(chances))
    return next((at for at, own in enumerate(sums) if own > number * sums[-1]), len(worths) - 1)


def best_value(features, offsets, weights, direction, value, least):
    """The largest value of the candidates chosen in an interval of the line weights + x·direction.

    Intervals that are narrower than `least`, relative to how far away they are, do not count.
    """
    scores, slopes = weighted_scores(features, weights), weighted_scores(features, direction)
    segments = list(itertools.pairwise(offsets))
    points = sorted(set().union(*(crossings(scores[a:b], slopes[a:b]) for a, b in segments)))
    places = places_between(points)
    inner = [
        place
        for place, (a, b) in zip(places[1:-1], itertools.pairwise(points), strict=True)
        if b - a >= least * max(abs(a), abs(b))
    ]
    return max(
        value([a + best(scores[a:b], slopes[a:b], place) for a, b in segments])
        for place in [places[0], *inner, places[-1]]
    )


def _sum(rows, chosen):
    return [sum(column) for column in zip(*(rows[i] for i in chosen), strict=True)]
