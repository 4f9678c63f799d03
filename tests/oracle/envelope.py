"""Line search by its definition, in rational numbers."""

from __future__ import annotations

import itertools
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


def best_value(features, offsets, weights, direction, value, least):
    """The largest value of the candidates chosen in an interval of the line weights + x·direction.

    Intervals that are narrower than `least`, relative to how far away they are, do not count.
    """

    def dots(by):
        return [
            sum(Fraction(w) * Fraction(f) for w, f in zip(by, row, strict=True)) for row in features
        ]

    scores, slopes = dots(weights), dots(direction)
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
