"""A page about tuning: the error surface along every feature, the envelope of one segment.

The pictures are exact: every step of a surface is one that the line search saw, and the lines of
the envelope are a segment's candidates, as in figure 1 of Zaidan & Callison-Burch 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from weigh.report.text import visible
from weigh.tune.linesearch import LineSearch, Surface, envelope

if TYPE_CHECKING:
    from weigh.report.tuning import TuneReport
    from weigh.tune.nbest import Integers, Reals
    from weigh.tune.problem import Problem

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 220, 52, 28
# The share of breakpoints at either end that may lie outside the picture.
_OUTSIDE = 0.1
_OTHERS = 40  # lines below the envelope that are drawn
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
svg { width: 100%; height: auto } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse } td, th { padding: .15rem .7rem; text-align: left }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.axis { stroke: #888; fill: none } .label { font-size: 11px; fill: #555 }
.curve { stroke: #1a5fb4; stroke-width: 1.5; fill: none } .here { stroke: #c01c28; fill: none }
.other { stroke: #bbb; stroke-width: .7; fill: none }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b }
  .label { fill: #aaa } .curve { stroke: #78aeed } .other { stroke: #555 } }
"""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The candidates of one segment as lines over a feature's weight, and the highest of them."""

    segment: str
    feature: str
    here: float
    scores: Reals
    slopes: Reals
    breakpoints: Reals
    best: Integers
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Surfaces along the features, over the feature's weight, and one segment's envelope."""

    surfaces: Sequence[tuple[str, float, Surface]]
    envelope: Envelope | None

    @classmethod
    def of(cls, problem: Problem, weights: Reals) -> Pictures:
        """Look along every dense feature from the given weights."""
        nbest = problem.nbest
        search = LineSearch(problem)
        scores = nbest.scores(weights)
        surfaces = []
        for column, name in enumerate(nbest.names):
            surface = search.surface(scores, nbest.features[:, column])
            if len(surface.breakpoints):
                here = float(weights[column])
                moved = Surface(surface.breakpoints + here, surface.scores)
                surfaces.append((name, here, moved))
        if not surfaces:
            return cls((), None)
        widest = max(surfaces, key=lambda each: len(each[2].breakpoints))[0]
        return cls(surfaces, _envelope(problem, scores, widest, weights))


def _envelope(problem: Problem, scores: Reals, feature: str, weights: Reals) -> Envelope:
    """Return the envelope of the segment whose best candidate changes most often."""
    nbest = problem.nbest
    column = nbest.names.index(feature)
    slopes = nbest.features[:, column]
    found: tuple[int, Reals, Integers] | None = None
    for segment, (start, stop) in enumerate(
        zip(nbest.offsets[:-1], nbest.offsets[1:], strict=True)
    ):
        breakpoints, best = envelope(scores[start:stop], slopes[start:stop])
        if found is None or len(breakpoints) > len(found[1]):
            found = (segment, breakpoints, best)
    assert found is not None
    segment, breakpoints, best = found
    own = slice(nbest.offsets[segment], nbest.offsets[segment + 1])
    here = float(weights[column])
    return Envelope(
        nbest.ids[segment],
        feature,
        here,
        scores[own] - here * slopes[own],
        slopes[own],
        breakpoints + here,
        best,
        [nbest.texts[nbest.hypotheses[own][candidate]] for candidate in best],
    )


def as_page(report: TuneReport, pictures: Pictures) -> str:
    """Return the whole page, which needs nothing but itself."""
    parts = [
        f"<h1>Tuning toward {_text(report.name)}</h1>",
        f"<p>{_text(report.name)} {report.shown(report.start_score)} before, "
        f"{report.shown(report.score)} after tuning by {report.optimizer.upper()}. "
        f"<code>{_text(report.signature)}</code></p>",
        _weights(report),
    ]
    if len(report.iterations) > 1:
        points = [(float(each.number), each.score) for each in report.iterations]
        parts += ["<h2>Score by iteration</h2>", _curve(points)]
    for name, here, surface in pictures.surfaces:
        parts += [
            f"<h2>Along {_text(name)}</h2>",
            f"<p>{_text(report.name)} over the weight of {_text(name)}, all others as they are: "
            f"{len(surface.scores):,} steps; the red line is the weight found.</p>",
            _steps(surface, here),
        ]
    if pictures.envelope is not None:
        parts += _lines(pictures.envelope)
    body = "\n".join(parts)
    title = f"Tuning toward {_text(report.name)}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _text(text: str) -> str:
    return escape(visible(text))


def _weights(report: TuneReport) -> str:
    rows = "".join(
        f'<tr><td>{_text(name)}</td><td class="n">{start:.6g}</td><td class="n">{weight:.6g}</td>'
        "</tr>"
        for name, start, weight in zip(report.names, report.start, report.weights, strict=True)
    )
    head = '<tr><th>feature</th><th class="n">start</th><th class="n">weight</th></tr>'
    return f"<table>{head}{rows}</table>"


class _Frame:
    """A picture's scales and its axes."""

    def __init__(self, left: float, right: float, low: float, high: float) -> None:
        self.left, self.right = left, right if right > left else left + 1.0
        self.low, self.high = low, high if high > low else low + 1.0

    def x(self, value: float) -> str:
        share = (value - self.left) / (self.right - self.left)
        return f"{_LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - _LEFT - 8):.1f}"

    def y(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return f"{8 + (1 - share) * (_HEIGHT - _BOTTOM - 8):.1f}"

    def drawn(self, *shapes: str) -> str:
        base = _HEIGHT - _BOTTOM
        axes = f'<path class="axis" d="M{_LEFT} 4V{base}H{_WIDTH - 4}"/>'
        labels = "".join(
            f'<text class="label" x="{self.x(value)}" y="{_HEIGHT - 10}" text-anchor="{anchor}">'
            f"{value:.4g}</text>"
            for value, anchor in ((self.left, "start"), (self.right, "end"))
        )
        labels += "".join(
            f'<text class="label" x="{_LEFT - 5}" y="{self.y(value)}" text-anchor="end" '
            f'dominant-baseline="middle">{value:.4g}</text>'
            for value in (self.low, self.high)
        )
        inside = "".join(shapes)
        return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{axes}{inside}{labels}</svg>'

    def upright(self, value: float) -> str:
        return f'<path class="here" d="M{self.x(value)} 4V{_HEIGHT - _BOTTOM}"/>'


def _window(breakpoints: Reals, here: float) -> tuple[float, float]:
    low, high = np.quantile(breakpoints, [_OUTSIDE, 1 - _OUTSIDE]).tolist()
    low, high = min(low, here), max(high, here)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _steps(surface: Surface, here: float) -> str:
    left, right = _window(surface.breakpoints, here)
    first, last = np.searchsorted(surface.breakpoints, [left, right])
    scores = surface.scores[first : last + 1]
    frame = _Frame(left, right, float(scores.min()), float(scores.max()))
    path = [f"M{frame.x(left)} {frame.y(scores[0])}"]
    for at, score in zip(surface.breakpoints[first:last], scores[1:], strict=True):
        path.append(f"H{frame.x(at)}V{frame.y(score)}")
    path.append(f"H{frame.x(right)}")
    return frame.drawn(f'<path class="curve" d="{"".join(path)}"/>', frame.upright(here))


def _curve(points: Sequence[tuple[float, float]]) -> str:
    scores = [score for _, score in points]
    frame = _Frame(points[0][0], points[-1][0], min(scores), max(scores))
    path = "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in points)
    return frame.drawn(f'<path class="curve" d="M{path}"/>')


def _lines(drawn: Envelope) -> list[str]:
    left, right = _window(drawn.breakpoints, drawn.here)
    edges = [left, *(at for at in drawn.breakpoints if left < at < right), right]
    heights = [float((drawn.scores + edge * drawn.slopes).max()) for edge in edges]
    frame = _Frame(left, right, min(heights), max(heights))
    # The picture shows the envelope; lines that leave it downwards are cut off.
    others = "".join(
        f'<path class="other" d="M{frame.x(left)} {frame.y(score + left * slope)}'
        f'L{frame.x(right)} {frame.y(score + right * slope)}"/>'
        for score, slope in zip(drawn.scores[:_OTHERS], drawn.slopes[:_OTHERS], strict=True)
    )
    clip = (
        f'<clipPath id="frame"><path d="M{_LEFT} 4V{_HEIGHT - _BOTTOM}H{_WIDTH}V4Z"/></clipPath>'
        f'<g clip-path="url(#frame)">{others}</g>'
    )
    path = "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in zip(edges, heights, strict=True))
    starts = ["", *(f"{at:.4g}" for at in drawn.breakpoints)]
    rows = "".join(
        f'<tr><td class="n">{start}</td><td>{_text(text)}</td></tr>'
        for start, text in zip(starts, drawn.texts, strict=True)
    )
    feature = _text(drawn.feature)
    return [
        f"<h2>The envelope of segment {_text(drawn.segment)}</h2>",
        f"<p>Each line is a candidate's score over the weight of {feature}; the highest is "
        "chosen.</p>",
        frame.drawn(clip, f'<path class="curve" d="M{path}"/>', frame.upright(drawn.here)),
        f'<table><tr><th class="n">from</th><th>candidate chosen</th></tr>{rows}</table>',
    ]
