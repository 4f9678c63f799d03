"""Pictures of tuning: the score by iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.pictures.picture import (
    Box,
    Picture,
    Scale,
    dot,
    left_axis,
    polyline,
)
from weigh.report.svg import words
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.tuning.search import TuneResult

_WIDTH, _HEIGHT = 480.0, 230.0
_FRAME = Box(52, 24, _WIDTH - 12, _HEIGHT - 44)


def iteration_pictures(result: TuneResult) -> list[Picture]:
    """Draw the scores by iteration where there are several."""
    return [_iterations(result)] if len(result.iterations) > 1 else []


def _picture(name: str, title: str, description: str, parts: Sequence[str]) -> Picture:
    return Picture(name, title, description, _WIDTH, _HEIGHT, "".join(parts))


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
