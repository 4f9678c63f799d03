"""The evidence of a comparison, gathered from what was measured and tested."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.comparing.compare_result import Evidence, Histogram, Segments, Sweep
from weigh.comparing.measure import Measured, Texts
from weigh.comparing.plan import Plan
from weigh.metrics.registry import key_of
from weigh.stats.intervals import percentile_interval
from weigh.stats.procedures import PROCEDURES
from weigh.stats.resample import Consumer, Pairs, bootstrap_scores
from weigh.stats.sample import Sample, check_finite_scores
from weigh.stats.significance import Observed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

_BINS = 41  # odd: no difference at all lies within a bin and not on the edge between two
# Bootstrap errors from the centre to the end of a histogram; what lies beyond is in the last bin.
_REACH = 4.5
# With more pairs than this, only those of neighbours in the ranking have histograms.
_MOST_PAIRS = 200
# Koehn (2004) takes samples of 100 to 600 sentences; a sweep needs some of them to be one.
_SAMPLE, _MOST_SAMPLES, _FEWEST_SAMPLES = 100, 30, 5
_SAMPLE_TRIALS = 500
# What a page can hold and a reader would still look at.
_MOST_OUTPUTS = 60_000
_MOST_CHARACTERS = 12_000_000
# Written without spaces, a language's words cannot be counted; letters per space, at least.
_LONGEST_WORDS = 10


class Tally:
    """Histograms of pseudo-differences that grow as trials come in, from several threads."""

    def __init__(self, samples: Sequence[Sample], pairs: Pairs, boots: Sequence[Scores]) -> None:
        self._samples, self._pairs, self._boots = samples, pairs, boots
        self._lock = threading.Lock()
        self._observed = [Observed.of(sample, pairs) for sample in samples]
        # Of swapped units too: they vary by the difference itself as well.
        self._errors = [
            np.sqrt(
                [np.var(boot[a] - boot[b]) for a, b in pairs]
                + observed.differences**2 / sample.units
            )
            for sample, boot, observed in zip(samples, boots, self._observed, strict=True)
        ]
        self._tests: dict[str, list[_Bins]] = {}

    def watch(self, test: str) -> Consumer:
        """Return what counts the trials of a test: sample, first trial, pseudo-differences."""
        bins = [_Bins(np.zeros(len(self._pairs)), errors) for errors in self._errors]
        self._tests[test] = bins

        def count(s: int, _: int, differences: Scores) -> None:
            found = bins[s].count(differences)
            with self._lock:
                bins[s].counts += found

        return count

    def bootstrap(self, test: str) -> None:
        """Count the trials of a bootstrap, shifted to zero where its test does that."""
        self._tests[test] = []
        for boot, observed, errors in zip(self._boots, self._observed, self._errors, strict=True):
            differences = np.array([observed.sign * (boot[a] - boot[b]) for a, b in self._pairs])
            centres = differences.mean(axis=1)
            if PROCEDURES[test].around_zero:
                differences -= centres[:, None]
                centres[:] = 0
            bins = _Bins(centres, errors)
            bins.counts += bins.count(differences)
            self._tests[test].append(bins)

    def histograms(self, chosen: Sequence[Sequence[int]]) -> tuple[Histogram, ...]:
        """Return the histograms of some of the pairs, chosen for each sample."""
        return tuple(
            Histogram(
                metric=key_of(sample.metric),
                test=test,
                a=sample.names[self._pairs[i][0]],
                b=sample.names[self._pairs[i][1]],
                start=float(bins[s].starts[i]),
                width=float(bins[s].widths[i]),
                counts=tuple(bins[s].counts[i].tolist()),
            )
            for test, bins in self._tests.items()
            for s, sample in enumerate(self._samples)
            for i in chosen[s]
        )


class _Bins:
    """Equal bins for every pair, around a centre of its own."""

    def __init__(self, centres: Scores, errors: Scores) -> None:
        reach = np.where(errors > 0, _REACH * errors, 1.0)  # 1: systems that never differ
        self.starts = centres - reach
        self.widths = 2 * reach / _BINS
        self.counts = np.zeros((len(centres), _BINS), np.int64)

    def count(self, differences: Scores) -> NDArray[np.int64]:
        places = (differences - self.starts[:, None]) / self.widths[:, None]
        bins = np.clip(places, 0, _BINS - 1).astype(np.int64)
        bins += _BINS * np.arange(len(bins))[:, None]
        return np.bincount(bins.ravel(), minlength=self.counts.size).reshape(self.counts.shape)


def observe(
    measured: Measured,
    samples: Sequence[Sample],
    plan: Plan,
    pairs: Pairs,
    tally: Tally,
    *,
    threads: int = 0,
) -> Evidence:
    """Gather the evidence; `samples` are those of the whole test set, by unit."""
    shown = [_shown(sample, plan, pairs) for sample in samples]
    everything = [range(len(pairs))] * len(samples)
    sweeps, size = _sweeps(samples, plan, pairs, shown, threads)
    lengths, unit = _lengths(measured.texts)
    return Evidence(
        histograms=tally.histograms(shown if len(pairs) > _MOST_PAIRS else everything),
        sweeps=sweeps,
        sample_size=size,
        lengths=lengths,
        length_unit=unit,
        segments=_segments(measured),
    )


def _shown(sample: Sample, plan: Plan, pairs: Pairs) -> list[int]:
    """Return the pairs that a reader asks about first: with the baseline, or in the ranking."""
    if plan.baseline is not None:
        return list(range(len(pairs)))
    order = np.argsort(-sample.scores() * (1 if sample.metric.higher_is_better else -1))
    neighbours = {frozenset(map(int, two)) for two in pairwise(order)}
    return [i for i, pair in enumerate(pairs) if frozenset(pair) in neighbours]


def _sweeps(
    samples: Sequence[Sample],
    plan: Plan,
    pairs: Pairs,
    shown: Sequence[Sequence[int]],
    threads: int,
) -> tuple[tuple[Sweep, ...], int]:
    """Compare pairs on disjoint samples that are spread over the test set (Koehn 2004 §3.3).

    They say what other test sets would have said of these runs, and nothing of other runs.
    """
    units = samples[0].units
    count = min(_MOST_SAMPLES, units // _SAMPLE)
    if count < _FEWEST_SAMPLES or plan.runs_as_sample:
        return (), 0
    size = units // count
    differences: dict[tuple[int, int], list[float]] = {}
    intervals: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for first in range(count):
        some = [sample.of_units(slice(first, count * size, count)) for sample in samples]
        boots = bootstrap_scores(some, _SAMPLE_TRIALS, plan.seed, threads=threads)
        for s, (sample, boot) in enumerate(zip(some, boots, strict=True)):
            scores, sign = sample.scores(), 1 if sample.metric.higher_is_better else -1
            for i in shown[s]:
                a, b = pairs[i]
                low, high = percentile_interval(sign * (boot[a] - boot[b]), plan.level)
                differences.setdefault((s, i), []).append(float(sign * (scores[a] - scores[b])))
                intervals.setdefault((s, i), []).append((float(low), float(high)))
    return tuple(
        Sweep(
            key_of(samples[s].metric),
            samples[s].names[pairs[i][0]],
            samples[s].names[pairs[i][1]],
            tuple(found),
            tuple(intervals[s, i]),
        )
        for (s, i), found in sorted(differences.items())
    ), size


def _lengths(
    texts: Texts | None,
) -> tuple[dict[str, float], Literal["word", "character"]]:
    """Return how long the outputs are for every word of the references, runs together."""
    if texts is None:
        return {}, "word"
    systems, test_set = texts.systems, texts.test_set
    references = [_size(column) for column in test_set.references]
    by_letters = sum(letters for _, letters in references) > _LONGEST_WORDS * sum(
        words for words, _ in references
    )
    totals: dict[str, list[float]] = {}
    for system in systems:
        own = [*references, *map(_size, system.references)]
        total = totals.setdefault(system.name, [0.0, 0.0])
        total[0] += _size(system.outputs.texts)[by_letters]
        total[1] += sum(size[by_letters] for size in own) / max(len(own), 1)
    lengths = {name: output / wanted for name, (output, wanted) in totals.items() if wanted}
    return lengths, "character" if by_letters else "word"


def _size(texts: Sequence[str]) -> tuple[int, int]:
    """Return how many words and how many characters there are."""
    return sum(len(text.split()) for text in texts), sum(map(len, texts))


def _segments(measured: Measured) -> Segments:
    scores = [sample.segment_means(all_defined=False) for sample in measured.samples]
    chosen = _most_different(scores[0], measured.texts)

    def kept(column: Sequence[str]) -> tuple[str, ...]:
        return tuple(column) if len(chosen) == len(column) else tuple(column[i] for i in chosen)

    by_metric = {
        key_of(sample.metric): {
            name: matrix[chosen, i].tolist() for i, name in enumerate(sample.names)
        }
        for sample, matrix in zip(measured.samples, scores, strict=True)
    }
    known = measured.numbers or range(1, len(scores[0]) + 1)
    numbers = [known[at] for at in chosen]
    for sample, matrix in zip(measured.samples, scores, strict=True):
        for name, column in zip(sample.names, matrix.T, strict=True):
            check_finite_scores(column, f"{sample.metric.name} of {name}", known.__getitem__)
    if measured.texts is None:
        return Segments(numbers, by_metric)
    systems, test_set = measured.texts.systems, measured.texts.test_set
    outputs: dict[str, Sequence[str]] = {}
    for system in systems:
        outputs.setdefault(system.name, kept(system.outputs.texts))
    return Segments(
        numbers,
        by_metric,
        tuple(map(kept, test_set.references)),
        outputs,
        None if test_set.sources is None else kept(test_set.sources),
        None if test_set.ids is None else kept(test_set.ids),
    )


def _most_different(scores: Scores, texts: Texts | None) -> NDArray[np.intp]:
    """Return the segments to keep: all, or those on which systems differ most, in order."""
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
