"""The store: order, duplicates, dense and sparse features, merging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh import TestSet, parse_metric
from weigh.errors import InputError
from weigh.metrics.custom import as_metric
from weigh.read.nbest import Candidate
from weigh.tuning.gather import gather, merge, read_nbest
from weigh.tuning.nbest import first_maxima, locate, rows_of, without_candidates

# So many rare features that they are stored as sparse ones.
RARE = [f"rare_{number}" for number in range(80)]


@st.composite
def candidates(draw, names=("lm", *RARE)):
    """Lines in any order of segments, with repeats, zeros and negative zeros."""
    value = st.sampled_from([0.0, -0.0, 1.0, -2.5])
    lines = []
    for number in range(draw(st.integers(1, 12))):
        chosen = ["lm", *draw(st.lists(st.sampled_from(names[1:]), max_size=3, unique=True))]
        order = tuple(draw(st.permutations(chosen)))
        values = [draw(value) for _ in order]
        segment, text = draw(st.sampled_from("abc")), draw(st.sampled_from(["x", "y z", ""]))
        extra = draw(st.sampled_from([{}, {}, {"alignment": "0-0"}]))
        lines.append(Candidate(segment, text, order, values, extra, number))
    return lines


def plain(lines):
    """The distinct candidates by segment, in dictionaries: what a store has to hold."""
    segments: dict[str, list] = {}
    for line in lines:
        features = {n: v for n, v in zip(line.names, line.values, strict=True) if v != 0}
        entry = (line.text, dict(line.extra), features)
        own = segments.setdefault(line.id, [])
        if entry not in own:
            own.append(entry)
    return segments


def unpacked(store):
    segments = {}
    for number, key in enumerate(store.ids):
        own = []
        for i in range(store.offsets[number], store.offsets[number + 1]):
            text = store.hypotheses[i]
            assert store.text_segments[text] == number
            extra = {n: c[text] for n, c in store.extra.items() if c[text] is not None}
            features = dict(zip(store.names, store.features[i].tolist(), strict=True))
            row = slice(store.sparse.indptr[i], store.sparse.indptr[i + 1])
            for at, value in zip(store.sparse.indices[row], store.sparse.values[row], strict=True):
                features[store.sparse.names[at]] = float(value)
            own.append((store.texts[text], extra, {n: v for n, v in features.items() if v != 0}))
        segments[key] = own
    return segments


@given(candidates())
def test_a_store_holds_the_distinct_candidates_in_order(lines):
    store = gather(lines)
    assert unpacked(store) == plain(lines)
    assert list(store.ids) == list(plain(lines))
    assert len(store.texts) == len({(c.id, c.text, *c.extra.items()) for c in lines})


@given(st.lists(candidates(), min_size=1, max_size=3))
def test_merging_equals_reading_all_at_once(lists):
    merged = merge([gather(lines) for lines in lists])
    assert unpacked(merged) == plain([line for lines in lists for line in lines])


@given(candidates(), st.integers(0, 10**6))
def test_scores_are_the_weighted_sums(lines, seed):
    store = gather(lines)
    weights = dict(
        zip(
            store.feature_names,
            np.random.default_rng(seed).normal(size=len(store.feature_names)).tolist(),
            strict=True,
        )
    )
    scores = store.scores(np.array(list(weights.values())))
    expected = [
        sum(weights[name] * value for name, value in features.items())
        for own in unpacked(store).values()
        for _, _, features in own
    ]
    assert scores == pytest.approx(expected)
    assert store.segments().tolist() == [
        number for number, own in enumerate(unpacked(store).values()) for _ in own
    ]


def test_a_list_without_candidates():
    with pytest.raises(InputError, match="no candidates"):
        gather([])


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=5))
def test_the_first_of_equals_wins(parts):
    values = np.array([float(value) for part in parts for value in part])
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    expected = [
        int(start) + part.index(max(part)) for start, part in zip(offsets, parts, strict=False)
    ]
    assert first_maxima(values, offsets).tolist() == expected


def test_segments_are_joined_by_number_or_by_id():
    lines = [Candidate(key, "a", ("lm",), [1.0], {}, 1) for key in ("2", "0")]
    store = gather(lines)
    assert locate(store.ids, TestSet([["x", "y", "z"]])).tolist() == [2, 0]
    assert without_candidates(store.ids, TestSet([["x", "y", "z"]])) == [1]
    named = TestSet([["x", "y"]], ids=["0", "2"])
    assert locate(store.ids, named).tolist() == [1, 0]
    with pytest.raises(InputError, match="the sentence '2', but the references have 2 segments"):
        locate(store.ids, TestSet([["x", "y"]]))
    assert named.part(np.array([1])) == TestSet((("y",),), ids=("2",), numbers=[2])


def test_statistics_of_distinct_texts_are_those_of_single_outputs():
    lines = [
        Candidate(segment, text, ("lm",), [float(i)], {}, i)
        for i, (segment, text) in enumerate([("1", "a b"), ("0", "b"), ("1", "a b"), ("1", "")])
    ]
    store = gather(lines)
    test_set = TestSet([["b c", "a b c"]])
    for spec in ("bleu", "ter", "nist", "chrf"):
        metric = parse_metric(spec)
        extractor = metric.prepare(test_set)
        rows = rows_of(store, test_set, metric)
        assert len(rows) == 3
        from weigh import Outputs

        for text, segment, row in zip(store.texts, [1, 0, 1], rows, strict=True):
            assert extractor.rows(Outputs([text], [segment]))[0].tolist() == row.tolist()


def test_a_sentence_that_references_do_not_have_is_told_with_its_line(tmp_path):
    path = tmp_path / "list"
    path.write_text("0 ||| a ||| lm= 1 ||| 0\n7 ||| b ||| lm= 1 ||| 0\n")
    with pytest.raises(InputError, match="list: line 2: a candidate for the sentence '7'"):
        read_nbest([str(path)], TestSet([["a", "b"]]))
    assert read_nbest([str(path)]).ids == ("0", "7")


def test_files_of_one_list_have_the_same_features(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("0 ||| a ||| lm= 1 tm= 2 ||| 0\n")
    second.write_text("0 ||| a ||| tm= 2 lm= 3 ||| 0\n")
    assert read_nbest([str(first), str(second)]).features.tolist() == [[1, 2], [3, 2]]
    second.write_text("0 ||| a ||| lm= 1 wp= 2 ||| 0\n")
    with pytest.raises(InputError, match="second: line 1 has 2 features and not 'tm_0'"):
        read_nbest([str(first), str(second)])


def test_statistics_that_are_not_finite_are_refused():
    class Inverse:
        def statistics(self, hypothesis, references):
            assert references
            return [1 / len(hypothesis) if hypothesis else float("inf")]

        def score(self, sums):
            return sums[..., 0]

    lines = [Candidate("1", "a", ("lm",), [1.0], {}, 0), Candidate("1", "", ("lm",), [0.0], {}, 1)]
    with pytest.raises(InputError, match="Inverse: segment 2 has a number that is not finite"):
        rows_of(gather(lines), TestSet([["x", "y"]]), as_metric(Inverse()))


def test_candidates_without_a_score_are_refused():
    class Share:
        def statistics(self, hypothesis, references):
            assert references
            return [hypothesis.count("a"), len(hypothesis)]

        def score(self, sums):
            return sums[..., 0] / sums[..., 1]

    lines = [Candidate("1", "a", ("lm",), [1.0], {}, 0), Candidate("1", "", ("lm",), [0.0], {}, 1)]
    with pytest.raises(InputError, match="Share: a candidate of segment 2 has no score"):
        rows_of(gather(lines), TestSet([["x", "y"]]), as_metric(Share()))
