"""Corpus scores of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weigh.engine.threads import Progress
from weigh.errors import InputError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import key_of
from weigh.metrics.statistics import equipped, statistics
from weigh.metrics.words import settled_all
from weigh.read.stream import shown
from weigh.stats.sample import check_finite_scores
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from weigh.metrics.stored import Collection, StoredStatistics
    from weigh.types import Rows, Scores


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system's score by one metric, on the whole test set or on one slice of it.

    Unless it is `comparable`, the metric refuses to say which system is better.
    """

    metric: str
    name: str
    signature: str
    higher_is_better: bool
    system: str
    score: float
    run: str | None = None
    slice: str | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    segments: Scores | None = None
    details: Mapping[str, float] | None = None
    remarks: tuple[str, ...] = ()
    comparable: bool = True


def score(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    segments: bool = False,
    details: bool = False,
    stored: StoredStatistics | None = None,
    keep: Collection | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[SystemScore]:
    """Score systems by metrics: metric by metric, systems in the order given.

    When the test set has slices, the scores of each slice follow those of the whole.
    `segments` adds every segment's score and `details` what a score is made of; `threads` 0 means
    one per core. A metric of one's own may be an object with two methods, `statistics` and
    `score`. Rows that are `stored` are not computed again, and `keep` is given all of them.

    >>> from weigh import Bleu, Outputs, System, TestSet, score
    >>> test_set = TestSet([["The cat sat on the mat.", "It rained all day."]])
    >>> system = System("A", Outputs(["The cat sat on a mat.", "It rained all day."]))
    >>> [result] = score([system], test_set, [Bleu()])
    >>> f"{result.score:.2f} {result.signature}"
    '69.19 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:weigh-0.1.0'
    """
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    known = settled_all(list(map(as_metric, metrics)), test_set, systems, stored)
    systems = equipped(systems, test_set, known, stored)
    results = []
    total = len(metrics) * len(systems) * len(test_set)
    for number, metric in enumerate(known):

        def tell(done: int, size: int, number: int = number) -> None:
            if progress is not None:
                progress(number * size + done, total)

        rows = statistics(systems, test_set, metric, stored=stored, threads=threads, progress=tell)
        if keep is not None:
            keep.add(metric, rows)
        results += scores_of(metric, systems, rows, test_set, segments=segments, details=details)
    return results


def scores_of(
    metric: Metric,
    systems: Sequence[System],
    all_rows: Sequence[Rows],
    test_set: TestSet,
    *,
    segments: bool = False,
    details: bool = False,
) -> list[SystemScore]:
    """Return the scores by one metric, given the rows: of the whole test set, then by slice."""
    references = len(test_set.references) + len(systems[0].references)

    def score_of(sums: Rows, system: System, label: str | None) -> float:
        check_defined(metric, system, sums, label)
        value = float(metric.score(sums))
        if not math.isfinite(value):
            raise InputError(
                f"{metric.name} of {system.name}: the score is {value} and not a finite number; "
                "mend the metric, or leave it out"
            )
        return value

    def segment_scores(rows: Rows, system: System) -> Scores:
        scores = metric.segment_scores(rows)
        check_finite_scores(scores, f"{metric.name} of {system.name}", test_set.number_of)
        return scores

    told = getattr(metric, "details", None) if details else None
    refusals = {
        label: _refusal(metric, systems, all_rows, chosen) for label, chosen in slices_of(test_set)
    }
    results = [
        SystemScore(
            metric=key_of(metric),
            name=metric.name,
            signature=metric.signature(references),
            higher_is_better=metric.higher_is_better,
            system=system.name,
            score=score_of(sums := rows[chosen].sum(axis=0), system, label),
            run=system.run,
            slice=label,
            segments=segment_scores(rows, system) if segments and label is None else None,
            details=None if told is None else told(sums),
            remarks=() if label is not None else remarks_of(metric, system, rows),
            comparable=refusals[label] is None,
        )
        for label, chosen in slices_of(test_set)
        for system, rows in zip(systems, all_rows, strict=True)
    ]
    refused = next((label for label, why in refusals.items() if why is not None), None)
    why = refusals[refused]
    if why is not None:  # once is enough, and the whole comes before slices
        where = "" if refused is None else f" of slice {shown(refused)}"
        last = len(systems) - 1
        remark = f"no system is marked as the best{where}, as {why}"
        results[last] = replace(results[last], remarks=(*results[last].remarks, remark))
    return results


def _refusal(
    metric: Metric, systems: Sequence[System], all_rows: Sequence[Rows], chosen: Any
) -> str | None:
    """Return why a metric does not compare systems on some segments; most compare any."""
    if len(systems) > 1 and hasattr(metric, "check_comparable"):
        sums = [rows[chosen].sum(axis=0) for rows in all_rows]
        try:
            metric.check_comparable([system.name for system in systems], sums)
        except InputError as error:
            return str(error)
    return None


def check_defined(metric: Metric, system: System, sums: Rows, label: str | None) -> None:
    """Raise InputError if a metric has no score for these sums, of all segments or of a slice."""
    check = getattr(metric, "check_defined", None)
    if check is not None:
        where = "" if label is None else f", slice {shown(label)}"
        check(f"{shown(_full_name(system))}{where}", sums)


def remarks_of(metric: Metric, system: System, rows: Rows) -> tuple[str, ...]:
    """Return what a metric says of a system beside its score; most say nothing."""
    remarks = getattr(metric, "remarks", None)
    return () if remarks is None else tuple(remarks(_full_name(system), rows, system.outputs))


def _full_name(system: System) -> str:
    return system.name if system.run is None else f"{system.name}@{system.run}"


def slices_of(test_set: TestSet) -> list[tuple[str | None, Any]]:
    """Return the whole test set, then every slice with its segments, in order of appearance."""
    members: dict[str, list[int]] = {}
    for segment, label in enumerate(test_set.slices or ()):
        members.setdefault(label, []).append(segment)
    return [(None, slice(None)), *members.items()]
