"""What is shown of segments that were chosen to tell systems apart: `weigh sample --by`."""

from __future__ import annotations

from collections.abc import Iterator

from weigh.comparing.choosing import ChosenResult, Draw
from weigh.report.grid import Cell, Column, Grid
from weigh.report.view import Part, Used, View, signature, view_of
from weigh.wording import fixed, plural

_BY = {
    "difference": "on which metrics' scores of the systems differ most",
    "diversity": "on which the systems' outputs are most unlike each other",
}
_SPREAD = {
    "difference": "standard deviation of systems' scores on a segment",
    "diversity": "1 − chrF between the systems' outputs of a segment",
}
_CAVEAT = (
    "Such a sample ranks systems; it estimates no score, since its segments are unlike the "
    "others: weigh human rank --with refuses it."
)
_FLATTERED = (
    "Agreement is that of metrics with themselves, by which these segments may have been chosen; "
    "people may see other differences."
)


@view_of(ChosenResult)
def chosen(result: ChosenResult) -> View:
    """Show what was chosen beside all segments and as many at random."""
    found, at_random = result.draws[1], result.draws[2]
    title = f"{plural(found.segments, 'segment')} {_BY[result.by]}"
    whole = plural(result.test_set.segments, "segment")
    times = found.spread / at_random.spread if at_random.spread else 1.0
    names = [
        "all segments",
        f"chosen by {result.by}",
        f"random, mean of {plural(result.random_draws, 'draw')}",
    ]
    columns = [Column("Draw"), Column("Segments", kind="number"), Column("Spread", kind="number")]
    for metric in found.metrics:
        columns += [
            Column(f"{metric.metric}, mean", kind="number"),
            Column("τ with all", kind="number", attached=True),
        ]
    rows = [_row(name, draw) for name, draw in zip(names, result.draws, strict=True)]
    records = [
        {
            "draw": draw.how,
            "by": result.by,
            "segments": draw.segments,
            "spread": draw.spread,
            "metric": metric.metric,
            "score": metric.score,
            "agreement": metric.agreement,
        }
        for draw in result.draws
        for metric in draw.metrics
    ]
    return View(
        title=title,
        subtitle=f"of {whole}, for {plural(len(result.systems), 'system')}",
        findings=[
            f"On the chosen segments systems lie {times:.2f} times as far apart as at random."
        ],
        cautions=[_CAVEAT, *_worse(result), *result.remarks],
        parts=[
            Part(
                title,
                Grid(columns, [rows]),
                [
                    _CAVEAT,
                    *_worse(result),
                    _FLATTERED,
                    f"Spread: {_SPREAD[result.by]}, 1 on all segments. Mean: of the systems' "
                    "scores. τ: Kendall's, with the ranking of all segments.",
                ],
                section="Draws",
            )
        ],
        signatures=[
            ("sample", signature({"by": result.by, "size": result.size, "seed": result.seed}))
        ],
        records=records,
        methods=f"The sample holds the segments {_BY[result.by]} (Zouhar et al. 2025).",
        used=Used(works=["choice of segments", "rank correlation"], draws=True),
    )


def _row(name: str, draw: Draw) -> list[Cell]:
    texts = [name, f"{draw.segments:,}", fixed(draw.spread, 2)]
    for metric in draw.metrics:
        texts += [fixed(metric.score, 2), fixed(metric.agreement, 3)]
    return [Cell(text) for text in texts]


def _worse(result: ChosenResult) -> Iterator[str]:
    """Yield a sentence for every metric whose own ranking a random draw of the same size meets
    better."""
    _, found, at_random = result.draws
    for own, other in zip(found.metrics, at_random.metrics, strict=True):
        if own.agreement is None or other.agreement is None:
            continue
        if own.agreement < other.agreement:
            yield (
                f"By {own.metric} the chosen segments rank systems less like all segments do than "
                f"as many at random (τ {fixed(own.agreement, 3)} against "
                f"{fixed(other.agreement, 3)}): judge a random draw, or choose by something else."
            )
