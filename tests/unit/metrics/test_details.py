"""What scores are made of, against sacreBLEU and against the scores themselves."""

from __future__ import annotations

import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from every_metric import spaced
from strategies import corpora
from weigh import Bleu, Chrf, Gtm, Meteor, Nist, Outputs, System, Ter, TestSet, Wer, score


def scored(metric, corpus) -> tuple[float, dict[str, float]]:
    texts, references = corpus
    [made] = score(
        [System("A", Outputs(texts))], TestSet(references), [spaced(metric)], details=True
    )
    assert made.details is not None
    return made.score, dict(made.details)


@given(corpora())
def test_bleu_against_sacrebleu(corpus) -> None:
    _, details = scored(Bleu(), corpus)
    expected = sacrebleu.BLEU(force=True, smooth_method="none").corpus_score(*corpus)
    for order in range(4):
        total = expected.totals[order]
        precision = 100 * expected.counts[order] / total if total else math.nan
        assert details[f"precision_{order + 1}"] == pytest.approx(precision, nan_ok=True)
    assert details["hypothesis_length"] == expected.sys_len
    assert details["reference_length"] == expected.ref_len
    ratio = expected.ratio if expected.ref_len else math.nan
    assert details["length_ratio"] == pytest.approx(ratio, nan_ok=True)
    assert details["brevity_penalty"] == pytest.approx(expected.bp)


@given(corpora())
def test_bleu_is_penalty_times_mean_precision(corpus) -> None:
    made, details = scored(Bleu(smooth_method="none"), corpus)
    precisions = [details[f"precision_{order}"] for order in (1, 2, 3, 4)]
    mean = 0.0 if any(map(math.isnan, precisions)) else math.prod(precisions) ** 0.25
    assert made == pytest.approx(details["brevity_penalty"] * mean)


@given(corpora())
def test_ter_against_sacrebleu(corpus) -> None:
    _, details = scored(Ter(), corpus)
    expected = sacrebleu.TER().corpus_score(*corpus)
    assert details == {
        "edits": expected.num_edits,
        "reference_words": pytest.approx(expected.ref_length),
    }


@given(corpora())
def test_error_rates_are_edits_per_word(corpus) -> None:
    made, details = scored(Wer(), corpus)
    if details["reference_words"]:
        assert made == pytest.approx(100 * details["edits"] / details["reference_words"])


@given(corpora(), st.sampled_from([1, 2, 3]), st.sampled_from([0, 2]))
def test_chrf_is_f_of_precision_and_recall(corpus, beta, word_order) -> None:
    made, details = scored(Chrf(beta=beta, word_order=word_order), corpus)
    precision, recall = details["precision"], details["recall"]
    denominator = beta**2 * precision + recall
    expected = (1 + beta**2) * precision * recall / denominator if denominator else 0
    assert made == pytest.approx(expected)


@given(corpora())
def test_nist_is_penalty_times_information(corpus) -> None:
    made, details = scored(Nist(), corpus)
    means = [details[f"information_{order}"] for order in range(1, 6)]
    total = sum(mean for mean in means if not math.isnan(mean))
    assert made == pytest.approx(details["brevity_penalty"] * total)
    assert 0 <= details["brevity_penalty"] <= 1
    lengths = details["hypothesis_length"], details["reference_length"]
    ratio = lengths[0] / lengths[1] if lengths[1] else math.nan
    assert details["length_ratio"] == pytest.approx(ratio, nan_ok=True)


@pytest.mark.parametrize(
    ("metric", "defined"),
    [
        (Bleu(), {"brevity_penalty": 1}),
        (Nist(), {"brevity_penalty": 0}),
        (Gtm(), {}),
        (Meteor(version="2005", stages="exact"), {"chunks": 0}),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_shares_of_nothing_are_none(metric, defined) -> None:
    made, details = scored(metric, ([""], [[""]]))
    assert made == 0
    assert {name: details[name] for name in defined} == defined
    rest = {name: value for name, value in details.items() if name not in defined}
    assert any(map(math.isnan, rest.values()))
    assert all(math.isnan(value) or value == 0 for value in rest.values())
