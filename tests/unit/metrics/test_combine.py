"""Weighted sums of metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import corpora
from weigh import Bleu, Chrf, Outputs, System, Ter, TestSet, UsageError, Wer, parse_metric, score
from weigh.metrics.combine import Combine
from weigh.metrics.registry import key_of, parse_metrics
from weigh.metrics.segment import Segment

METRICS = [
    Bleu(tokenize="13a"),
    Chrf(word_order=2, tokenize="none"),
    Ter(tokenize="none"),
    Wer(tokenize="13a"),
    Bleu(tokenize="13a", lowercase=True),
]


@given(
    corpus=corpora(),
    chosen=st.lists(st.sampled_from(range(len(METRICS))), min_size=1, unique=True),
    data=st.data(),
)
def test_the_score_is_the_weighted_sum(corpus, chosen, data) -> None:
    texts, references = corpus
    weights = data.draw(st.lists(st.floats(-3, 3), min_size=len(chosen), max_size=len(chosen)))
    metrics = [METRICS[at] for at in chosen]
    both = Combine(metrics, weights)
    made, *parts = score(
        [System("A", Outputs(texts))], TestSet(references), [both, *metrics], segments=True
    )
    pairs = list(zip(weights, parts, strict=True))
    assert made.score == pytest.approx(sum(w * part.score for w, part in pairs), abs=1e-9)
    np.testing.assert_allclose(
        made.segments, sum(w * part.segments for w, part in pairs), atol=1e-9
    )
    assert parse_metric(key_of(both)) == both


def test_given_scores_are_read_for_a_combination(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A:x").write_text("1\n3\n")
    [metric] = parse_metrics([r"combine:wer=-0.5:segment\:file={system}\\:x=10"])
    system = System("A", Outputs(["a b", "c d"]))
    [result] = score([system], TestSet([["a b", "c x"]]), [metric])
    assert result.score == pytest.approx(-0.5 * 25 + 10 * 2)
    assert parse_metric(key_of(metric)) == metric


def test_what_a_combination_says_of_itself() -> None:
    both = Combine((Bleu(), Ter()), (0.5, -0.25))
    assert both.name == "0.5*BLEU-0.25*TER"
    assert both.perfect == 50
    assert both.higher_is_better
    assert Combine([Segment("x")], [1]).perfect is None
    assert Combine([Segment("x")], [1]).mean_of_segments
    assert not both.mean_of_segments
    signature = both.signature(2)
    assert signature.startswith("nrefs:2|sum:0.5*BLEU(case:mixed|")
    assert signature.count("version:") == 1
    assert both.details(np.arange(1, 13)) == {
        "bleu": pytest.approx(float(Bleu().score(np.arange(1, 11)))),
        "ter": pytest.approx(100 * 11 / 12),
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("combine", "combine: no metrics; give each with its weight"),
        ("combine:bleu", "combine: 'bleu' is not METRIC=WEIGHT, as in combine:bleu=0.5:ter=-0.5"),
        ("combine:=1", "combine: '=1' is not METRIC=WEIGHT"),
        ("combine:bleu=", "combine: 'bleu=' is not METRIC=WEIGHT"),
        ("combine:bleu=much", "combine: bleu=much: expected a number"),
        ("combine:bleu=nan", "combine: bleu=nan: expected a finite number"),
        ("combine:blue=1", "unknown metric 'blue'; did you mean 'bleu'?"),
        ("combine:bleu=1:bleu=2", "combine: bleu is given twice; give it once"),
    ],
)
def test_bad_specifications(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_metric(spec)
    assert str(raised.value).startswith(message)


def test_bad_weights() -> None:
    with pytest.raises(UsageError, match="2 metrics, but 1 weights"):
        Combine([Bleu(), Ter()], [1])
    with pytest.raises(UsageError, match="not a finite number"):
        Combine([Bleu()], [float("inf")])


def test_the_scale_of_a_sum() -> None:
    assert Combine([Bleu(), Ter()], [0.5, -0.25]).scale == 75
    assert Combine([Bleu(), Segment(file="x")], [0.5, 1]).scale is None
    assert Combine([Bleu()], [0.0]).scale is None  # nothing can be said of what is always 0
