"""Small results of `weigh score` and `weigh compare`, for a seed, and such as tests ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import numpy as np

from calibration.nulls import noisy, texts
from weigh import Bleu, Chrf, Outputs, System, Ter, TestSet, compare, score
from weigh.comparing.compare_result import CompareResult, Comparison, Evidence, Ranking, Segments
from weigh.comparing.dataset import Dataset, from_arrays
from weigh.comparing.plan import Plan
from weigh.comparing.score_result import IntervalMethod, MetricShown, ScoreResult, SystemScore
from weigh.metrics.segment import GivenMean
from weigh.result import Extent, Result
from weigh.rypt.metric import Rypt
from weigh.stats.sample import Sample

HOSTILE = (
    '<b>"x"</b>',
    "a\u202eb",
    "日本語",
    "\\|$&%_{#}",
    "tab\tand\nline",
    "\x1b[31mred",
    "</script><!--",
    "half \ud800",
    "@team #12",
    "x" * 60,
    "–",
    "[0, 1]",
)
SLICE = "news & more"
METRICS = (MetricShown("bleu", "BLEU"), MetricShown("ter", "TER"))


def _scores(systems: Sequence[str], *, intervals: bool, sliced: bool) -> tuple[SystemScore, ...]:
    return tuple(
        SystemScore(
            metric,
            f"sig:{metric}|x:1",
            metric == "ter",
            system,
            9.5 - place,
            slice=label,
            interval=(8.0 - place, 10.5 - place) if intervals else None,
            level=0.95 if intervals else None,
        )
        for metric in ("bleu", "ter")
        for label in (None, SLICE)[: 1 + sliced]
        for place, system in enumerate(systems)
    )


def score_result(systems: Sequence[str], *, intervals: bool, sliced: bool) -> ScoreResult:
    """Return scores of systems by two metrics, falling from the first to the last."""
    method = IntervalMethod("bca", 0.95, "segment", 40, 1000, 1) if intervals else None
    entries = _scores(systems, intervals=intervals, sliced=sliced)
    return ScoreResult(Extent(40, 1), METRICS, entries, method)


def compare_result(
    systems: Sequence[str],
    p_values: Mapping[tuple[int, int], float],
    *,
    baseline: bool = False,
    sliced: bool = False,
    tests: Sequence[str] = ("randomization",),
    **fields: Any,
) -> CompareResult:
    """Return a comparison by two metrics; the first system is the baseline, if there is one."""
    plan = Plan(tests=tuple(tests), baseline=systems[0] if baseline else None)
    pairs = [
        (systems[j], systems[i], float(i - j), p)
        if baseline
        else (systems[i], systems[j], float(j - i), p)
        for (i, j), p in p_values.items()
        if i == 0 or not baseline
    ]
    comparisons = tuple(
        Comparison(
            metric=metric,
            a=a,
            b=b,
            score_a=30.0 + difference,
            score_b=30.0,
            difference=difference,
            interval=(difference - 0.5, difference + 0.5),
            level=0.95,
            test=test,
            alternative="two-sided",
            trials=1000,
            count=1,
            p_value=p / len(pairs),
            p_stderr=0.001,
            p_adjusted=p,
            adjust="holm",
            family_size=len(pairs),
            significant=p <= 0.05,
            detectable=0.75,
            seed=12345,
            identical=0.25,
            slice=label,
        )
        for test in tests
        for metric in ("bleu", "ter")
        for label in (None, SLICE)[: 1 + sliced]
        for a, b, difference, p in pairs
    )
    values: dict[str, Any] = {
        "test_set": Extent(40, 1),
        "unit": "segment",
        "units": 40,
        "rankings": (),
        "warnings": (),
    }
    return CompareResult(
        metrics=METRICS,
        plan=plan,
        scores=_scores(systems, intervals=True, sliced=sliced),
        comparisons=comparisons,
        **values | fields,
    )


def result_with_segments(
    systems: Sequence[str], segments: Sequence[str], total: int | None = None
) -> CompareResult:
    """Return a comparison of systems that all say the same segments, and score 0, 1, 2 …"""
    pairs = {(i, j): 0.04 for i in range(len(systems)) for j in range(i + 1, len(systems))}
    scores = {
        name: [place + at / 3 for at in range(len(segments))] for place, name in enumerate(systems)
    }
    kept = Segments(
        numbers=range(1, len(segments) + 1),
        scores={"bleu": scores, "ter": scores},
        references=[segments],
        outputs=dict.fromkeys(systems, segments),
        sources=segments,
        ids=segments,
    )
    return compare_result(
        systems,
        pairs,
        test_set=Extent(total or len(segments), 1),
        details=Evidence((), (), 0, {}, "word", kept),
    )


def _names(seed: int, count: int) -> list[str]:
    """Return names, every second time such as nobody would choose; no two are alike."""
    if seed % 2 == 0:
        return [f"s{number}" for number in range(count)]
    return [f"{name}{at}" for at, name in enumerate(islice(cycle(HOSTILE), seed, seed + count))]


def _texts(seed: int, systems: int, segments: int = 12) -> tuple[list[System], TestSet]:
    rng = np.random.default_rng(seed)
    words = texts(rng, segments)
    made = [
        System(name, Outputs([noisy(rng, line, 0.1 + 0.15 * place) for line in words]))
        for place, name in enumerate(_names(seed, systems))
    ]
    lines = [" ".join(line) for line in words]
    if seed % 2:
        lines[0] += f" {HOSTILE[seed % len(HOSTILE)]}"
    ids = [f"<id> {number}" for number in range(segments)] if seed % 3 else None
    return made, TestSet([lines] * (1 + seed % 2), sources=lines if seed % 2 else None, ids=ids)


def _labels(seed: int, segments: int) -> list[str]:
    known = ("news", "law", HOSTILE[seed % len(HOSTILE)])
    return [known[at % 3] for at in range(segments)]


def _normal(seed: int, systems: int, segments: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0.4 * place, 1, segments)
        for place, name in enumerate(_names(seed, systems))
    }


def of_scores(seed: int) -> ScoreResult:
    """Return plain scores, now and then of several runs, or of one system."""
    systems, test_set = _texts(seed, 1 + seed % 3)
    if seed % 3 == 0:
        systems = [replace(system, run=run) for system in systems for run in ("1", "<2>")]
    return score(systems, test_set, [Bleu(), Ter()][: 1 + seed % 2], threads=1)


def of_intervals(seed: int) -> ScoreResult:
    """Return scores with intervals, by slice, of documents or segments."""
    systems, test_set = _texts(seed, 2)
    slices = _labels(seed, len(test_set))
    documents = slices if seed % 3 == 0 else None
    test_set = replace(test_set, slices=slices, documents=documents)
    kind = ("percentile", "bca", "halving")[seed % 3]
    return score(systems, test_set, [Bleu(), Ter()], interval=kind, trials=50, threads=1)


def of_segments(seed: int) -> ScoreResult:
    """Return scores of segments, with details, by a metric that will not say who is best."""
    systems, test_set = _texts(seed, 2, 4)
    if seed % 2:
        test_set = replace(test_set, numbers=(2, 3, 5, 8))
    result = score(systems, test_set, [Bleu(), Chrf()], segments=True, details=True, threads=1)
    return replace(
        result,
        scores=tuple(replace(entry, comparable=entry.metric != "bleu") for entry in result.scores),
        warnings=("no system is marked as the best, because <labels> favour one",),
    )


def of_pairs(seed: int) -> CompareResult:
    """Return all pairs of a few systems by several tests."""
    return compare(
        _normal(seed, 2 + seed % 4),
        tests=("randomization", "bootstrap", "paired-bootstrap", "tukey")[: 1 + seed % 4],
        adjust=("holm", "none", "sidak", "bh")[seed % 4],
        interval=("percentile", "t", "bca")[seed % 3],
        lower_is_better=seed % 2 == 1,
        metric=HOSTILE[seed % len(HOSTILE)] if seed % 2 else "score",
        trials=40,
        seed=seed,
        threads=1,
    )


def of_baseline(seed: int) -> CompareResult:
    """Return a gate with margins and sizes, by slice, of documents or segments."""
    first, second = _normal(seed, 3), _normal(seed + 2, 3)
    second = dict(zip(first, second.values(), strict=True))
    slices = _labels(seed, 20)
    measured = from_arrays(
        {"x": first, "y": second},
        {"y": GivenMean("y", higher_is_better=False)},
        documents=slices if seed % 3 == 0 else None,
        slices=slices if seed % 2 else None,
        remarks=["a <remark>"],
    )
    return compare(
        measured,
        baseline=next(iter(first)),
        gate=True,
        margin={"x": 0.5} | ({"y": 3.0} if seed % 2 else {}),
        detect={"y": 0.3},
        trials=60,
        threads=1,
    )


def of_one_side(seed: int) -> CompareResult:
    """Return both directions of every pair, as a list or as a square."""
    return compare(
        _normal(seed, 2 + seed % 4),
        alternative=("better", "worse")[seed % 2],
        slices=_labels(seed, 20) if seed % 3 == 0 else None,
        details=True,
        trials=40,
        threads=1,
    )


def of_many(seed: int) -> CompareResult:
    """Return more pairs than a list has."""
    return compare(_normal(seed, 6 + 6 * (seed % 2)), details=True, trials=40, threads=1)


def of_texts(seed: int) -> CompareResult:
    """Return texts with all that a page shows: distributions, samples, lengths and segments."""
    systems, test_set = _texts(seed, 2 + seed % 2, 120 if seed == 2 else 12)
    if seed % 3 == 0:
        test_set = replace(test_set, slices=_labels(seed, len(test_set)))
    tests = ("randomization", "bootstrap")[: 1 + seed % 2]
    return compare(
        systems, test_set, [Bleu(), Ter()], tests=tests, details=True, trials=30, threads=1
    )


def of_labels(seed: int) -> CompareResult:
    """Return two metrics of the same labels, which disagree on some pairs."""
    rng = np.random.default_rng(seed)
    rows = [[rng.integers(1, 9, (15, 4))] for _ in range(2 + seed % 3)]
    names, rows_of_runs = tuple(_names(seed, len(rows))), tuple(map(tuple, rows))
    samples = [
        Sample(Rypt(unequal=True, unlabelled=way), names, rows_of_runs)
        for way in ("strict", "labelled")
    ]
    return compare(Dataset.of_samples(samples), trials=40, threads=1)


def of_runs(seed: int) -> CompareResult:
    """Return runs as a sample; now and then nothing varies, so that there are no p-values."""
    rng = np.random.default_rng(seed)
    spread = 0.0 if seed % 4 == 3 else 1.0
    given = {
        name: place + spread * rng.normal(size=(2 + (place + seed) % 2, 12))
        for place, name in enumerate(_names(seed, 3))
    }
    options: dict[str, Any] = {"margin": {"score": 0.4}, "detect": {"score": 0.3}}
    return compare(given, runs_as_sample=True, trials=60, threads=1, **options)


def of_wonders(seed: int) -> CompareResult:
    """Return numbers that are none, and a test that the scores contradict."""
    names = _names(seed, 3)
    pairs = {(0, 1): 0.01, (0, 2): 0.2, (1, 2): 0.02}
    tests = ("randomization", "paired-bootstrap") if seed % 2 else ("bootstrap",)
    ranks = {names[0]: (1, 1), names[1]: (2, 3), names[2]: (2, 3)}
    result = compare_result(
        names,
        pairs,
        sliced=seed % 3 == 0,
        tests=tests,
        rankings=(Ranking("bleu", tests[0], ((names[0],), tuple(names[1:])), ranks),),
        warnings=tuple(names),
    )
    first, *rest = result.scores
    one, two, *others = result.comparisons
    return replace(
        result,
        scores=(replace(first, score=float("nan"), interval=None), *rest),
        comparisons=(
            replace(one, contradicts=True, interval=None, detectable=None),
            replace(two, difference=float("inf"), margin=0.5, margin_verdict="fail"),
            *others,
        ),
    )


MADE: dict[str, Callable[[int], Result]] = {
    "score": of_scores,
    "score with intervals": of_intervals,
    "score with segments": of_segments,
    "compare": of_pairs,
    "compare with a baseline": of_baseline,
    "compare one-sided": of_one_side,
    "compare many": of_many,
    "compare texts": of_texts,
    "compare labels": of_labels,
    "compare runs": of_runs,
    "compare wonders": of_wonders,
}
