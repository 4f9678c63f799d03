"""N-best lists as systems: what can be drawn for a segment is what its list holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.dataset import Dataset
from weigh.errors import InputError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.words import resolve_tokenizers
from weigh.stats.sample import Sample
from weigh.tuning.nbest import NBest, locate, rows_of, without_candidates

if TYPE_CHECKING:
    from weigh.engine.threads import Progress
    from weigh.types import Metric, TestSet

_SHOWN_MISSING = 5


def measure_list(
    nbest: NBest,
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Make a system of each rank in a list: the first distinct texts, the second ones, and so on.

    A segment with fewer texts than others begins anew. Ranks that are drawn at random, as in
    `type1`, are then still exchangeable: some draws take one and the same text twice, which no
    test may find to differ. Segments without candidates are left out.
    """
    sizes = np.bincount(nbest.text_segments, minlength=len(nbest.ids))
    by_segment = np.argsort(nbest.text_segments, kind="stable")
    starts = np.cumsum(sizes) - sizes
    ranks = int(sizes.max())
    if ranks < 2:
        raise InputError(
            "the n-best list has one text for every segment; give a list with at least two"
        )
    segments = locate(nbest.ids, test_set)
    order = np.argsort(segments)
    places = by_segment[starts + np.arange(ranks)[:, None] % sizes][:, order]
    kept = test_set.part(segments[order])
    names = tuple(f"candidate {rank + 1}" for rank in range(ranks))
    samples = []
    for metric in resolve_tokenizers([as_metric(metric) for metric in metrics], test_set):
        rows = rows_of(nbest, test_set, metric, threads=threads, progress=progress)
        samples.append(Sample(metric, names, tuple((rows[place],) for place in places)))
    return Dataset.of_samples(
        samples,
        references=len(test_set.references),
        outputs=tuple((place.tolist(),) for place in places),
        documents=kept.documents,
        remarks=remarks_on_missing(nbest, test_set),
    )


def remarks_on_missing(nbest: NBest, test_set: TestSet) -> tuple[str, ...]:
    """Remark on sentences without candidates, if there are any."""
    missing = without_candidates(nbest.ids, test_set)
    if not missing:
        return ()
    ids = ", ".join(map(str, missing[:_SHOWN_MISSING]))
    more = ", …" if len(missing) > _SHOWN_MISSING else ""
    return (
        f"{len(missing):,} of {len(test_set):,} sentences have no candidates and are left out: "
        f"{ids}{more} (from 0)",
    )
