"""Pictures of tuning: the error surface along features, a segment's envelope, the iterations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.picture import (
    Box,
    Picture,
    Scale,
    bottom_axis,
    dot,
    left_axis,
    name_of,
    polyline,
)
from weigh.report.svg import coordinate, element, line, words
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.tuning.search import TuneResult
    from weigh.tuning.surfaces import ErrorSurface, SegmentEnvelope

_WIDTH, _HEIGHT = 480.0, 230.0
_FRAME = Box(52, 24, _WIDTH - 12, _HEIGHT - 44)
# The share of changes at either end that may lie outside a picture of one segment.
_OUTSIDE = 0.1
# Changes that are less than this apart, in pixels, are drawn as one line from top to bottom.
_APART = 0.5
_MOST_LINES = 100  # of candidates
_NARROWEST = 9.0  # piece of the envelope that has room for its number, in pixels


def iteration_pictures(result: TuneResult) -> list[Picture]:
    """Draw the scores by iteration where there are several."""
    return [_iterations(result)] if len(result.iterations) > 1 else []


def surface_pictures(result: TuneResult) -> list[Picture]:
    """Draw the error surface along every feature."""
    return [_surface(result, surface, number) for number, surface in enumerate(result.surfaces, 1)]


def _picture(name: str, title: str, description: str, parts: Sequence[str]) -> Picture:
    return Picture(name, title, description, _WIDTH, _HEIGHT, "".join(parts))


def _axes(across: Scale, up: Scale, above: str, below: str) -> list[str]:
    return [
        bottom_axis(across, _FRAME),
        left_axis(up, _FRAME, 5),
        _FRAME.above(above),
        _FRAME.below(below),
    ]


def _weight(across: Scale, value: float, what: str, class_: str) -> str:
    return _FRAME.upright(across(value), class_, f"{what}: {value:.6g}")


def _surface(result: TuneResult, surface: ErrorSurface, number: int) -> Picture:
    name, start = result.name, result.start_weights[surface.feature]
    across = _FRAME.across([surface.low, surface.high, surface.weight])
    first, last = surface.places.searchsorted([across.low, across.high])
    places = surface.places[first:last].tolist()
    scores = surface.scores[first : last + 1].tolist()
    up = _FRAME.up(scores, turned=result.lower_is_better)
    feature = visible(surface.feature)
    parts = _axes(across, up, f"{name} (up: better)", f"Weight of {feature}, all others as found")
    if across.low <= start <= across.high:
        parts.append(_weight(across, start, "start", "dashed"))
    steps = step_path(places, scores, across, up)
    parts.append(element("path", d="".join(steps), class_="interval"))
    parts.append(_weight(across, surface.weight, "found", "actual"))
    return _picture(
        name_of("surface", number, surface.feature),
        f"{name} along {feature}: {plural(surface.steps, 'step')}",
        f"{name} for every weight of {feature} from {across.low:.4g} to {across.high:.4g}; other "
        f"weights as found. It lies between {fixed(min(scores), result.decimals)} and "
        f"{fixed(max(scores), result.decimals)}; at the weight found, {surface.weight:.6g}, it is "
        f"{fixed(surface.score, result.decimals)}.",
        parts,
    )


def step_path(
    places: Sequence[float], scores: Sequence[float], across: Scale, up: Scale
) -> list[str]:
    """Return a step function as a path: `scores[i]` holds up to `places[i]`.

    Steps too close to be told apart become one line that spans all their scores.
    """
    path = [f"M{coordinate(across.start)} {coordinate(up(scores[0]))}"]
    at = 0
    while at < len(places):
        x = across(places[at])
        end = at + 1
        while end < len(places) and across(places[end]) - x < _APART:
            end += 1
        passed = [up(score) for score in scores[at : end + 1]]
        path.append(f"H{coordinate(x)}")
        if end - at > 1:
            path.append(f"V{coordinate(min(passed))}V{coordinate(max(passed))}")
        path.append(f"V{coordinate(passed[-1])}")
        at = end
    path.append(f"H{coordinate(across.stop)}")
    return path


def envelope_picture(envelope: SegmentEnvelope) -> Picture:
    """Draw the lines of a segment's candidates, and the highest of them."""
    import numpy as np

    ends = np.quantile(envelope.breakpoints, [_OUTSIDE, 1 - _OUTSIDE]).tolist()
    across = _FRAME.across([*ends, envelope.weight])
    inside = [at for at in envelope.breakpoints.tolist() if across.low < at < across.high]
    edges = [across.low, *inside, across.high]
    # What all candidates have in common changes no choice, but would make lines hard to tell apart.
    scores, slopes = (
        envelope.scores - envelope.scores.mean(),
        envelope.slopes - envelope.slopes.mean(),
    )
    heights = [float((scores + edge * slopes).max()) for edge in edges]
    up = _FRAME.up([*heights, min(heights) - 0.6 * (max(heights) - min(heights))])
    feature, segment = visible(envelope.feature), visible(envelope.segment)
    parts = _axes(
        across, up, "The model's score of each candidate, less their mean", f"Weight of {feature}"
    )
    lines = list(zip(scores.tolist(), slopes.tolist(), strict=True))[:_MOST_LINES]
    parts += [_candidate(score, slope, across, up) for score, slope in lines]
    corners = list(zip(map(across, edges), map(up, heights), strict=True))
    parts.append(polyline(corners, "interval"))
    first = int(envelope.breakpoints.searchsorted(across.low))
    turns = zip(corners[1:-1], inside, strict=True)
    parts += [dot(x, y, f"at {edge:.6g}", size=2.5) for (x, y), edge in turns]
    for number, ((x1, y1), (x2, y2)) in enumerate(pairwise(corners), first + 1):
        if x2 - x1 > _NARROWEST:
            parts.append(words((x1 + x2) / 2, (y1 + y2) / 2 - 6, str(number), "small middle"))
    parts.append(_weight(across, envelope.weight, "found", "actual"))
    return _picture(
        name_of("envelope", 1, envelope.feature),
        f"The envelope of segment {segment} along {feature}",
        f"{plural(len(envelope.scores), 'candidate')} of segment {segment} as straight "
        f"lines over the weight of {feature}. The highest at each weight is chosen: "
        f"{plural(len(envelope.best), 'candidate')} in turn, of which the table tells the texts.",
        parts,
    )


def _candidate(score: float, slope: float, across: Scale, up: Scale) -> str:
    """Return the part of a candidate's line that is not below the picture."""
    ends = [(edge, score + edge * slope) for edge in (across.low, across.high)]
    kept = [(x, y) for x, y in ends if y >= up.low]
    if not kept:
        return ""
    if len(kept) == 1:
        kept.append(((up.low - score) / slope, up.low))
    (x1, y1), (x2, y2) = kept
    return line(across(x1), up(y1), across(x2), up(y2), "thin")


def _iterations(result: TuneResult) -> Picture:
    done = result.iterations
    sign = result.sign
    best = max(done, key=lambda each: sign * each.score)
    across = Scale(done[0].iteration - 0.3, done[-1].iteration + 0.3, _FRAME.left, _FRAME.right)
    tuned = [(each.iteration, each.tuned_score) for each in done if each.tuned_score is not None]
    decoded = [(each.iteration, each.score) for each in done]
    up = _FRAME.up([score for _, score in [*decoded, *tuned]], turned=result.lower_is_better)
    parts = [left_axis(up, _FRAME, 5), _FRAME.above(f"{result.name} (up: better)")]
    step = -(-len(done) // 15)
    for each in done[::step]:
        x = across(each.iteration)
        parts.append(words(x, _FRAME.bottom + 14, str(each.iteration), "small soft middle"))
    for points, name, class_ in ((tuned, "tuned", "open"), (decoded, "decoded", "")):
        corners = [(across(x), up(y)) for x, y in points]
        parts.append(polyline(corners, f"interval {class_}".rstrip()))
        for x, y in points:
            chosen = name == "decoded" and x == best.iteration
            title = f"iteration {x}, {name}: {fixed(y, result.decimals)}"
            parts.append(dot(across(x), up(y), title, class_, 5.0 if chosen else 3.5))
    parts.append(
        _FRAME.below(
            "Iteration; filled: as decoded, largest the best; open: tuned on all candidates"
        )
    )
    return _picture(
        "iterations",
        f"{result.name} by iteration",
        f"{result.name} of {plural(len(done), 'decoding')}: "
        f"{', '.join(fixed(each.score, result.decimals) for each in done)}; best in iteration "
        f"{best.iteration}. Scores of weights tuned on all candidates stand beside them.",
        parts,
    )
