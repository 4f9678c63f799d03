"""What holds for every metric of the registry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from every_metric import EXAMPLES, made_test_set, outputs_for, spaced
from strategies import corpora
from weigh import Metric, System, TestSet, parse_metric, score
from weigh.errors import InputError
from weigh.metrics.registry import describe, key_of, metric_names
from weigh.metrics.segment import GivenScores
from weigh.metrics.statistics import statistics

all_metrics = pytest.mark.parametrize(
    "metric",
    [spaced(parse_metric(spec)) for specs in EXAMPLES.values() for spec in specs],
    ids=key_of,
)
quick = settings(max_examples=10)


def rows_of(metric: Metric, corpus: tuple[list[str], list[list[str]]], **options) -> np.ndarray:
    hypotheses, references = corpus
    system = System("A", outputs_for(metric, hypotheses, references))
    [rows] = statistics([system], made_test_set(references), metric, **options)
    return rows


def test_all_are_listed():
    assert sorted(EXAMPLES) == sorted(metric_names())


@all_metrics
def test_is_a_metric(metric):
    assert isinstance(metric, Metric)
    assert metric.signature(2).startswith("nrefs:2|")
    assert spaced(parse_metric(key_of(metric))) == metric


@all_metrics
@quick
@given(corpus=corpora(), data=st.data())
def test_order_of_segments_is_irrelevant(metric, corpus, data):
    hypotheses, references = corpus
    order = data.draw(st.permutations(range(len(hypotheses))))
    moved = [hypotheses[i] for i in order], [[column[i] for i in order] for column in references]
    rows, moved_rows = rows_of(metric, corpus), rows_of(metric, moved)
    np.testing.assert_array_equal(rows[list(order)], moved_rows)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(
        metric.score(moved_rows.sum(axis=0)), rel=1e-12, nan_ok=is_ratio(metric)
    )


@all_metrics
@quick
@given(corpus=corpora())
def test_rows_and_what_is_made_of_them(metric, corpus):
    rows = rows_of(metric, corpus)
    assert rows.dtype in (np.int64, np.float64)
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()
    check_batches(metric, rows)
    check_scale(metric, rows)
    check_details(metric, rows)


def is_ratio(metric: Metric) -> bool:
    """Return whether a metric is a quotient as it is given, which none has where nothing is."""
    return isinstance(metric, GivenScores)


def check_batches(metric: Metric, rows: np.ndarray) -> None:
    one_by_one = [float(metric.score(row)) for row in rows]
    np.testing.assert_array_equal(metric.score(rows), one_by_one)
    assert metric.score(rows[None, :, :]).shape == (1, len(rows))
    assert metric.segment_scores(rows).shape == (len(rows),)


def check_scale(metric: Metric, rows: np.ndarray) -> None:
    """No segment changes by more than the scale.

    Error rates may, by words that are too many; what is good at most is perfect.
    """
    parts = metric.metrics or [metric]
    if metric.higher_is_better and metric.scale is not None and parts == [metric]:
        scores = metric.segment_scores(rows)
        assert (scores >= 0).all()
        assert (scores <= metric.scale * (1 + 1e-12)).all()


def check_details(metric: Metric, rows: np.ndarray) -> None:
    sums = rows.sum(axis=0)
    for given_sums in (sums, np.zeros_like(sums)):
        for name, value in metric.details(given_sums).items():
            assert name
            assert type(value) in (int, float)
            assert not np.isinf(value)
            # Of sums that are all above 0 nothing is undefined.
            assert np.isfinite(value) or not given_sums.all()


@all_metrics
def test_a_metric_without_a_bound_has_no_scale(metric):
    parts = metric.metrics or [metric]
    unbounded = all(part.name == "NIST" or key_of(part).startswith("segment") for part in parts)
    assert (metric.scale is None) is unbounded


@all_metrics
@quick
@given(corpus=corpora())
def test_sums_of_rows_give_the_corpus_score(metric, corpus):
    hypotheses, references = corpus
    system = System("A", outputs_for(metric, hypotheses, references))
    sums = rows_of(metric, corpus).sum(axis=0)
    # RYPT of nothing that is labelled, or of nothing at all; a ratio of nothing has no score.
    counted = slice(2) if metric.name == "RYPT labelled" else slice(None)
    if metric.name.startswith("RYPT") and not sums[counted].sum():
        with pytest.raises(InputError, match="there is no score"):
            score([system], made_test_set(references), [metric])
        return
    [result] = score([system], made_test_set(references), [metric])
    if is_ratio(metric) and not sums[1]:
        assert np.isnan(result.score)
        return
    assert result.score == float(metric.score(sums))
    assert np.isfinite(result.score)


@all_metrics
def test_no_statistics_score_zero(metric):
    width = rows_of(metric, (["a"], [["a"]])).shape[1]
    score_of_nothing = metric.score(np.zeros(width))
    assert np.isnan(score_of_nothing) if is_ratio(metric) else score_of_nothing == 0


@all_metrics
def test_perfect_output_reaches_perfect(metric):
    reference = ["The cat sat on the mat , quite still .", "It rained , so we stayed at home ."]
    system = System("A", outputs_for(metric, reference, [reference]))
    [result] = score([system], made_test_set([reference]), [metric])
    if metric.perfect is None:
        others = [text.replace("cat", "dog") for text in reference]
        other = [System("B", outputs_for(metric, others, [reference]))]
        assert result.score > score(other, made_test_set([reference]), [metric])[0].score
    else:
        assert result.score == pytest.approx(metric.perfect, abs=1e-9)


@all_metrics
def test_threads_and_company_change_nothing(metric):
    rng = np.random.default_rng(1)
    words = np.array(["the", "a", "cat", "dog", "sat", "ran", "far", "."])
    lines = [" ".join(rng.choice(words, rng.integers(0, 12))) for _ in range(3 * 1100)]
    reference, *outputs = (lines[i * 1100 : (i + 1) * 1100] for i in range(3))
    test_set = made_test_set([reference])
    systems = [
        System(name, outputs_for(metric, texts, [reference]))
        for name, texts in zip("AB", outputs, strict=True)
    ]
    together = statistics(systems, test_set, metric, threads=1)
    for rows, expected in zip(
        statistics(systems, test_set, metric, threads=3), together, strict=True
    ):
        np.testing.assert_array_equal(rows, expected)
    for system, expected in zip(systems, together, strict=True):
        [alone] = statistics([system], test_set, metric)
        np.testing.assert_array_equal(alone, expected)


@all_metrics
@quick
@given(corpus=corpora())
def test_own_references_equal_common_ones(metric, corpus):
    hypotheses, references = corpus
    outputs = outputs_for(metric, hypotheses, references)
    [common] = statistics([System("A", outputs)], made_test_set(references), metric)
    own = System("A", outputs, references=made_test_set(references).references)
    ids = [str(i) for i in range(len(hypotheses))]
    [rows] = statistics([own], TestSet([], ids=ids), metric)
    np.testing.assert_array_equal(rows, common)


def test_descriptions_are_complete():
    for metric in describe():
        assert metric.summary
        assert metric.source
        for option in metric.options:
            assert option.help
