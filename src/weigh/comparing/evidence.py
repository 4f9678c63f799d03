"""Evidence for an HTML page: distributions, samples of the test set, lengths and texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.comparing.compare_result import Evidence, Histogram, Segments, Sweep
from weigh.comparing.dataset import Dataset, Texts
from weigh.comparing.plan import Plan
from weigh.metrics.registry import key_of
from weigh.stats.halving import TRIALS
from weigh.stats.intervals import percentile_interval
from weigh.stats.procedures import PROCEDURES
from weigh.stats.resample import Pairs, bootstrap_scores, swapped_differences
from weigh.stats.sample import Sample, check_finite_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

_BINS = 41  # odd, so that zero lies within a bin and not on an edge
# Standard deviations from the centre to the end of a histogram.
_REACH = 4.5
# With more pairs than this, only neighbours in the ranking have histograms.
_MOST_PAIRS = 200
# Sample size (Koehn 2004 uses 100 to 600 sentences), and most and fewest samples of a sweep.
_SAMPLE, _MOST_SAMPLES, _FEWEST_SAMPLES = 100, 30, 5
_SAMPLE_TRIALS = 500
# Limits of what a page can hold and a reader can use.
_MOST_OUTPUTS = 60_000
_MOST_CHARACTERS = 12_000_000
# With more characters per word, the language is taken to be written without spaces.
_LONGEST_WORDS = 10


def observe(
    dataset: Dataset,
    samples: Sequence[Sample],
    plan: Plan,
    pairs: Pairs,
    *,
    threads: int = 0,
) -> Evidence:
    """Gather the evidence; `samples` are those of the whole test set, with resampling units."""
    main_pairs = [_main_pairs(sample, plan, pairs) for sample in samples]
    all_pairs = [range(len(pairs))] * len(samples)
    sweeps, size = _sweeps(samples, plan, pairs, main_pairs, threads)
    lengths, unit = _lengths(dataset.texts)
    return Evidence(
        histograms=tuple(
            _histograms(
                samples, plan, pairs, main_pairs if len(pairs) > _MOST_PAIRS else all_pairs, threads
            )
        ),
        sweeps=sweeps,
        sample_size=size,
        lengths=lengths,
        length_unit=unit,
        segments=_segments(dataset),
    )


def _histograms(
    samples: Sequence[Sample],
    plan: Plan,
    pairs: Pairs,
    chosen: Sequence[Sequence[int]],
    threads: int,
) -> Iterator[Histogram]:
    """Histograms of the trials of each test, for the chosen pairs of each sample."""
    trials = plan.trials or TRIALS
    for test in plan.tests:
        procedure = PROCEDURES[test]
        if procedure.kind != "pairs":
            continue
        if procedure.trials == "swaps":
            drawn = _swap_outputs(samples, pairs, chosen, trials, plan.seed, threads)
        else:
            boots = bootstrap_scores(samples, trials, plan.seed, threads=threads)
            drawn = [
                {i: boot[pairs[i][0]] - boot[pairs[i][1]] for i in places}
                for boot, places in zip(boots, chosen, strict=True)
            ]
        for sample, differences in zip(samples, drawn, strict=True):
            sign = 1 if sample.metric.higher_is_better else -1
            for i, values in differences.items():
                oriented = sign * values
                if procedure.trials == "bootstrap" and procedure.around_zero:
                    oriented -= oriented.mean()
                yield _histogram(sample, test, pairs[i], oriented, procedure.around_zero)


def _swap_outputs(
    samples: Sequence[Sample],
    pairs: Pairs,
    chosen: Sequence[Sequence[int]],
    trials: int,
    seed: int,
    threads: int,
) -> list[dict[int, Scores]]:
    """Differences of the chosen pairs with randomly swapped outputs, by sample and pair."""
    places = sorted({i for places in chosen for i in places})
    drawn = [np.empty((len(places), trials)) for _ in samples]

    def keep(s: int, start: int, differences: Scores) -> None:
        drawn[s][:, start : start + differences.shape[1]] = differences

    swapped_differences(samples, [pairs[i] for i in places], trials, seed, keep, threads=threads)
    return [
        {i: differences[places.index(i)] for i in chosen_here}
        for differences, chosen_here in zip(drawn, chosen, strict=True)
    ]


def _histogram(
    sample: Sample, test: str, pair: tuple[int, int], values: Scores, around_zero: bool
) -> Histogram:
    centre = 0.0 if around_zero else float(values.mean())
    reach = _REACH * float(values.std()) or 1.0  # 1: systems that never differ
    edges = np.linspace(centre - reach, centre + reach, _BINS + 1)
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)
    return Histogram(
        metric=key_of(sample.metric),
        test=test,
        a=sample.names[pair[0]],
        b=sample.names[pair[1]],
        start=centre - reach,
        width=2 * reach / _BINS,
        counts=tuple(counts.tolist()),
    )


def _main_pairs(sample: Sample, plan: Plan, pairs: Pairs) -> list[int]:
    """The most interesting pairs: all pairs with the baseline, or neighbours in the ranking."""
    if plan.baseline is not None:
        return list(range(len(pairs)))
    order = np.argsort(-sample.scores() * (1 if sample.metric.higher_is_better else -1))
    neighbours = {frozenset(map(int, two)) for two in pairwise(order)}
    return [i for i, pair in enumerate(pairs) if frozenset(pair) in neighbours]


def _sweeps(
    samples: Sequence[Sample],
    plan: Plan,
    pairs: Pairs,
    main_pairs: Sequence[Sequence[int]],
    threads: int,
) -> tuple[tuple[Sweep, ...], int]:
    """Compare pairs on disjoint samples spread over the test set (Koehn 2004 §3.3).

    The samples show how results vary between test sets, but not between training runs.
    """
    units = samples[0].units
    count = min(_MOST_SAMPLES, units // _SAMPLE)
    if count < _FEWEST_SAMPLES or plan.runs_as_sample:
        return (), 0
    size = units // count
    differences: dict[tuple[int, int], list[float]] = {}
    intervals: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for first in range(count):
        parts = [sample.of_units(slice(first, count * size, count)) for sample in samples]
        boots = bootstrap_scores(parts, _SAMPLE_TRIALS, plan.seed, threads=threads)
        for s, (sample, boot) in enumerate(zip(parts, boots, strict=True)):
            scores, sign = sample.scores(), 1 if sample.metric.higher_is_better else -1
            for i in main_pairs[s]:
                a, b = pairs[i]
                low, high = percentile_interval(sign * (boot[a] - boot[b]), plan.level)
                differences.setdefault((s, i), []).append(float(sign * (scores[a] - scores[b])))
                intervals.setdefault((s, i), []).append((float(low), float(high)))
    return tuple(
        Sweep(
            key_of(samples[s].metric),
            samples[s].names[pairs[i][0]],
            samples[s].names[pairs[i][1]],
            tuple(by_part),
            tuple(intervals[s, i]),
        )
        for (s, i), by_part in sorted(differences.items())
    ), size


def _lengths(
    texts: Texts | None,
) -> tuple[dict[str, float], Literal["word", "character"]]:
    """Output length of each system relative to the references, over all runs, and its unit."""
    if texts is None:
        return {}, "word"
    systems, test_set = texts.systems, texts.test_set
    references = [_size(column) for column in test_set.references]
    by_characters = sum(characters for _, characters in references) > _LONGEST_WORDS * sum(
        words for words, _ in references
    )
    totals: dict[str, list[float]] = {}
    for system in systems:
        sizes = [*references, *map(_size, system.references)]
        total = totals.setdefault(system.name, [0.0, 0.0])
        total[0] += _size(system.outputs.texts)[by_characters]
        total[1] += sum(size[by_characters] for size in sizes) / max(len(sizes), 1)
    lengths = {name: output / expected for name, (output, expected) in totals.items() if expected}
    return lengths, "character" if by_characters else "word"


def _size(texts: Sequence[str]) -> tuple[int, int]:
    """Numbers of words and characters."""
    return sum(len(text.split()) for text in texts), sum(map(len, texts))


def _segments(dataset: Dataset) -> Segments:
    scores = [sample.segment_means(all_defined=False) for sample in dataset.samples]
    chosen = _most_different(scores[0], dataset.texts)

    def select(column: Sequence[str]) -> tuple[str, ...]:
        return tuple(column) if len(chosen) == len(column) else tuple(column[i] for i in chosen)

    by_metric = {
        key_of(sample.metric): {
            name: matrix[chosen, i].tolist() for i, name in enumerate(sample.names)
        }
        for sample, matrix in zip(dataset.samples, scores, strict=True)
    }
    all_numbers = dataset.numbers or range(1, len(scores[0]) + 1)
    numbers = [all_numbers[at] for at in chosen]
    for sample, matrix in zip(dataset.samples, scores, strict=True):
        for name, column in zip(sample.names, matrix.T, strict=True):
            check_finite_scores(column, f"{sample.metric.name} of {name}", all_numbers.__getitem__)
    if dataset.texts is None:
        ids = None if dataset.ids is None else select(dataset.ids)
        return Segments(numbers, by_metric, ids=None if ids == tuple(map(str, numbers)) else ids)
    systems, test_set = dataset.texts.systems, dataset.texts.test_set
    outputs: dict[str, Sequence[str]] = {}
    for system in systems:
        outputs.setdefault(system.name, select(system.outputs.texts))
    return Segments(
        numbers,
        by_metric,
        tuple(map(select, test_set.references)),
        outputs,
        None if test_set.sources is None else select(test_set.sources),
        None if test_set.ids is None else select(test_set.ids),
    )


def _most_different(scores: Scores, texts: Texts | None) -> NDArray[np.intp]:
    """Indices of the segments to keep, in order: all, or those on which systems differ most."""
    sizes = np.zeros(len(scores))
    if texts is not None:
        systems, test_set = texts.systems, texts.test_set
        columns = [system.outputs.texts for system in systems] + list(test_set.references)
        sizes = np.sum([[len(text) for text in column] for column in columns], axis=0)
    spread = np.ptp(scores, axis=1)
    order = np.argsort(-spread, kind="stable")
    enough = np.cumsum(sizes[order]) <= _MOST_CHARACTERS
    enough[_MOST_OUTPUTS // scores.shape[1] :] = False
    return np.sort(order[enough])
