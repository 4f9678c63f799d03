"""Metrics of one's own: what a user writes, and what can be wrong with it."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.base import Metric as SacrebleuBase

from strategies import corpora
from weigh import Bleu, Chrf, InputError, Metric, Outputs, System, Ter, TestSet, UsageError, compare
from weigh.comparing.score import score
from weigh.metrics.custom import CustomMetric, as_metric
from weigh.metrics.from_sacrebleu import FromSacrebleu
from weigh.metrics.statistics import statistics

quick = settings(max_examples=25)


def counts(hypothesis: str, references: list[str]) -> list[int]:
    known = {word for text in references for word in text.split()}
    words = hypothesis.split()
    return [sum(word in known for word in words), len(words)]


class Batched:
    name = "overlap"
    perfect = 100

    def statistics(self, hypothesis, references):
        return counts(hypothesis, references)

    def score(self, sums):
        return 100 * sums[..., 0] / sums[..., 1]


class OneByOne(Batched):
    def score(self, sums):
        known, words = sums
        return float(100 * known / words) if words else 0.0


class Careless(OneByOne):
    """Written for one row and changing it, but quiet about being given two."""

    def score(self, sums):
        known, words = sums
        sums *= 0
        return 100 * known / words


definitions = pytest.mark.parametrize("definition", [Batched(), OneByOne(), Careless()])


def system(texts: list[str], name: str = "A") -> System:
    return System(name, Outputs(texts))


@definitions
@quick
@given(corpus=corpora())
def test_a_definition_is_a_metric(definition, corpus) -> None:
    texts, references = corpus
    metric = as_metric(definition)
    assert isinstance(metric, Metric)
    [rows] = statistics([system(texts)], TestSet(references), metric)
    expected = [counts(text, list(refs)) for text, *refs in zip(texts, *references, strict=True)]
    assert rows.tolist() == expected
    assert rows.dtype == np.int64
    known, words = (sum(column) for column in zip(*expected, strict=True))
    [result] = score([system(texts)], TestSet(references), [definition], segments=True)
    nothing = 0.0 if type(definition) is OneByOne else np.nan
    scores = [100 * k / n if n else nothing for k, n in [(known, words), *expected]]
    assert [result.score, *result.segments] == pytest.approx(scores, nan_ok=True)
    assert (result.name, result.metric, result.higher_is_better) == ("overlap", "overlap", True)


@definitions
@quick
@given(
    sums=st.integers(0, 30).flatmap(
        lambda n: st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=n, max_size=n)
    )
)
def test_batches_are_scored_row_by_row(definition, sums) -> None:
    """However a definition is written, and also for as many rows as there are statistics."""
    rows = np.array(sums, dtype=np.float64).reshape(-1, 2)
    before = rows.copy()
    rows = rows[rows[:, 1] > 0]
    before = before[before[:, 1] > 0]
    found = as_metric(definition).score(rows)
    assert found.tolist() == pytest.approx([100 * known / words for known, words in before])
    np.testing.assert_array_equal(rows, before)


def test_zero_counts_score_what_the_definition_says() -> None:
    class Errors(Batched):
        def score(self, sums):
            return 100 - sums[..., 0]

    assert as_metric(Errors()).score(np.zeros(2)) == 100
    assert np.isnan(as_metric(Batched()).score(np.zeros(2)))  # no number is no score
    assert np.isnan(as_metric(Batched()).score(np.array([1.0, 0.0])))


def test_details_are_those_of_the_definition() -> None:
    class Telling(Batched):
        def details(self, sums):
            return {"known": sums[0], "half": np.float64(sums[1] / 2)}

    test_set = TestSet([["a b c"]])
    [result] = score([system(["a b x"])], test_set, [Telling()], details=True)
    assert result.details == {"known": 2, "half": 1.5}
    assert [type(value) for value in result.details.values()] == [int, float]
    assert score([system(["a"])], test_set, [Batched()], details=True)[0].details is None

    class Wrong(Batched):
        def details(self, sums):
            return sums

    with pytest.raises(InputError, match=r"overlap: details\(\) returned an array of shape \(2,\)"):
        score([system(["a"])], test_set, [Wrong()], details=True)


class Failing:
    name = "mine"

    def __init__(self, made=None, scored=None) -> None:
        self.made, self.scored = made, scored

    def statistics(self, hypothesis, references):
        del references
        return self.made(hypothesis) if self.made else [1, 2]

    def score(self, sums):
        return self.scored(sums) if self.scored else sums[..., 0]


def always(value):
    return lambda _: value


def explode(_):
    raise KeyError("no\nsuch word")


def leave(_):
    raise SystemExit


def interrupt(_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("definition", [Failing(interrupt), Failing(scored=interrupt)])
def test_the_user_may_interrupt(definition) -> None:
    with pytest.raises(KeyboardInterrupt):
        score([system(["a"])], TestSet([["a"]]), [definition])


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (Failing(explode), "mine: statistics() failed on segment 1 with KeyError: "
         "'no\\nsuch word'; fix the metric, or leave it out"),
        (Failing(leave), "mine: statistics() failed on segment 1 with SystemExit; fix the "
         "metric, or leave it out"),
        (Failing(scored=leave), "mine: score() failed with SystemExit; fix the metric, or "
         "leave it out"),
        (Failing(always(1.5)), "mine: statistics() of segment 1 returned a float; it must "
         "return a list of numbers"),
        (Failing(always([[1, 2]])), "mine: statistics() of segment 1 returned a list with "
         "[1, 2]; it must return a list of numbers"),
        (Failing(always([[1, 2], 3])), "mine: statistics() of segment 1 returned a list with "
         "[1, 2]; it must return a list of numbers"),
        (Failing(always(np.ones((2, 3)))), "mine: statistics() of segment 1 returned an array "
         "of shape (2, 3); it must return a list of numbers"),
        (Failing(always([1, "a"])), "mine: statistics() of segment 1 returned a list with 'a'; it "
         "must return a list of numbers"),
        (Failing(always([10**30, 1])), "mine: statistics() of segment 1 returned a list with a "
         "whole number of 100 bits; it must return a list of numbers"),
        (Failing(always(["a"])), "mine: statistics() of segment 1 returned a list with 'a'; it "
         "must return a list of numbers"),
        (Failing(always([])), "mine: statistics() of segment 1 returned a list; it must "
         "return a list of numbers"),
        (Failing(lambda text: [1] * len(text)), "mine: statistics() of segment 2 returned 3 "
         "numbers, but 1 before; it must return the same number for every segment"),
        (Failing(scored=explode), "mine: score() failed with KeyError: 'no\\nsuch word'; fix the "
         "metric, or leave it out"),
        (Failing(scored=always([1, 2, 3])), "mine: score() returned a list for the sums of 2 "
         "statistics; it must return one number"),
        (Failing(scored=always(None)), "mine: score() returned a NoneType for the sums of 2 "
         "statistics; it must return one number"),
    ],
)  # fmt: skip
def test_what_goes_wrong_names_the_metric(definition, message) -> None:
    with pytest.raises(InputError) as raised:
        score([system(["a", "bcd"])], TestSet([["a", "b"]]), [definition], threads=1)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (Batched, r"Batched: a class; give an object, as in Batched\(\)"),
        (3, "int: not a metric; give it the methods statistics"),
    ],
)
def test_what_is_no_metric(candidate, message) -> None:
    with pytest.raises(UsageError, match=message):
        as_metric(candidate)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sacrebleu.metrics.BLEU(lowercase=True), Bleu(tokenize="13a", lowercase=True)),
        (sacrebleu.metrics.CHRF(word_order=2), Chrf(word_order=2, tokenize="none")),
        (sacrebleu.metrics.TER(), Ter(tokenize="none")),
    ],
)
@quick
@given(corpus=corpora())
def test_sacrebleu_objects_equal_our_metrics(theirs, ours, corpus) -> None:
    texts, references = corpus
    metric = as_metric(theirs)
    [rows] = statistics([system(texts)], TestSet(references), metric)
    [expected] = statistics([system(texts)], TestSet(references), ours)
    np.testing.assert_allclose(rows, expected)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(
        float(theirs.corpus_score(texts, references).score), abs=1e-9
    )
    assert metric.higher_is_better == ours.higher_is_better


def test_sacrebleu_signature_and_comparison() -> None:
    theirs = sacrebleu.metrics.TER()
    assert as_metric(theirs).signature(2).startswith("nrefs:2|case:lc|tok:tercom|")
    texts = ["a b c d", "e f g", "h i"] * 4
    systems = [system(texts), system([text.replace("b", "x") for text in texts], "B")]
    both = compare(systems, TestSet([texts]), [theirs, Ter()], trials=100)
    assert both.comparisons[0].p_value == both.comparisons[1].p_value
    assert both.comparisons[0].difference < 0
    assert both.rankings[0].clusters == both.rankings[1].clusters


def test_the_direction_of_unknown_sacrebleu_metrics_is_not_guessed() -> None:
    class Own(SacrebleuBase):
        _aggregate_and_compute = _compute_score_from_stats = _preprocess_segment = None
        _extract_reference_info = _compute_segment_statistics = None

    with pytest.raises(UsageError, match="Own: sacreBLEU does not say whether higher"):
        as_metric(Own())
    assert not FromSacrebleu(Own(), higher_is_better=False).higher_is_better


class Delegating:
    """A wrapper that has no member of its own."""

    def __init__(self, wrapped: object) -> None:
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> object:
        if name == "_wrapped":
            raise AttributeError(name)
        return getattr(self._wrapped, name)


@pytest.mark.parametrize("wrapped", [Batched(), Bleu(), CustomMetric(OneByOne())])
def test_members_may_be_delegated(wrapped: object) -> None:
    texts, test_set = System("A", Outputs(["a b x", "c"])), TestSet([["a b c", "c"]])
    [expected] = score([texts], test_set, [wrapped])
    [result] = score([texts], test_set, [Delegating(wrapped)])
    assert result.score == expected.score


def test_numbers_that_only_an_unsigned_type_holds_do_not_wrap_around() -> None:
    class Unsigned:
        def statistics(self, hypothesis, references):
            del hypothesis, references
            return np.array([2**64 - 5], np.uint64)

        def score(self, sums):
            return sums[..., 0]

    systems, test_set = [System("A", Outputs(["a", "b"]))], TestSet([["a", "b"]])
    [result] = score(systems, test_set, [Unsigned()])
    assert result.score == pytest.approx(2 * 2.0**64)


def test_a_metric_that_lacks_a_method_is_told_which() -> None:
    class Half(Metric):
        name, higher_is_better = "half", True

    with pytest.raises(UsageError, match=r"^Half: no method prepare; a metric needs name"):
        score([system(["a"])], TestSet([["a"]]), [Half()])
    assert Half().perfect is None
    assert not Half().details(np.zeros(1))
