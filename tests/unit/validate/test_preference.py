"""Blind pairs of two metrics' favourites, and the votes on them."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from html import unescape
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.tuning.lists import problems, store
from weigh import TestSet, parse_metric
from weigh.errors import InputError, UsageError
from weigh.read.preferences import Choice
from weigh.tuning.problem import Problem
from weigh.validate.blinding import (
    Key,
    Pair,
    Question,
    as_csv,
    as_jsonl,
    as_key,
    blind_pairs,
    experiment,
    favourites,
    key_from,
)
from weigh.validate.plan import PreferencePlan
from weigh.validate.preference import Votes, count_votes, preference

METRICS = ("bleu", "ter", "chrf")


@given(problems(), st.sampled_from(METRICS), st.data())
def test_favourites_by_definition(problem, name, data):
    nbest, test_set = problem
    metric = parse_metric(name)
    model = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(nbest), max_size=len(nbest)))
    )
    made = Problem.of(nbest, test_set, metric)
    best, scored, ties = favourites(made, model.astype(float))
    every = np.split(made.rows.any(axis=1)[nbest.hypotheses], nbest.offsets[1:-1])
    assert scored.tolist() == [bool(own.any()) for own in every]
    values = metric.segment_scores(made.rows)
    for segment, (start, stop) in enumerate(zip(nbest.offsets, nbest.offsets[1:], strict=False)):
        own = [
            (made.sign * float(values[nbest.hypotheses[at]]), float(model[at]), -at)
            for at in range(start, stop)
        ]
        assert best[segment] == -max(own)[2]
        highest = {nbest.hypotheses[-at] for value, _, at in own if value == max(own)[0]}
        assert ties[segment] == len(highest)


@given(problems(max_segments=6), st.integers(0, 5), st.booleans())
def test_pairs_show_what_the_key_says(problem, seed, shown):
    nbest, texts = problem
    sources = tuple(f"source {number}" for number in range(len(texts)))
    test_set = TestSet(texts.references, sources)
    first, second = (Problem.of(nbest, test_set, parse_metric(name)) for name in ("bleu", "ter"))
    model = np.zeros(len(nbest))
    plan = PreferencePlan(show_reference=shown, seed=seed)
    key, questions = experiment(first, second, model, test_set, plan)
    chosen = {
        "a": [nbest.texts[nbest.hypotheses[at]] for at in favourites(first, model)[0]],
        "b": [nbest.texts[nbest.hypotheses[at]] for at in favourites(second, model)[0]],
    }
    assert len(questions) == len(key.pairs)
    assert len({pair.pair for pair in key.pairs}) == len(key.pairs)
    counted = key.same + key.unscored + len(key.pairs)
    assert counted == key.segments == len(nbest.ids)
    for pair, question in zip(key.pairs, questions, strict=True):
        at = nbest.ids.index(pair.segment)
        right = "b" if pair.left == "a" else "a"
        assert (question.left, question.right) == (chosen[pair.left][at], chosen[right][at])
        assert question.left != question.right
        assert question.source == sources[int(pair.segment)]
        wanted = texts.references[0][int(pair.segment)] if shown else None
        assert question.reference == wanted
    lefts = [pair.left for pair in key.pairs]
    assert abs(lefts.count("a") - lefts.count("b")) <= 1
    assert key_from(as_key(key), "key") == key
    assert experiment(first, second, model, test_set, plan) == (key, questions)


def _many(seed: int) -> tuple[Key, tuple[Question, ...]]:
    texts = [[("a b c d", [0.0]), (f"a b x {number}", [1.0])] for number in range(40)]
    nbest = store(texts, ("f",))
    test_set = TestSet([["a b c d"] * 40])
    first, second = (
        Problem.of(nbest, test_set, parse_metric(name)) for name in ("bleu", "bleu:lowercase")
    )
    # The second metric turned round, so that the two always disagree.
    flipped = Problem(nbest, second.rows * 0 + second.rows[::-1][:1], second.metric)
    model = np.arange(len(nbest), dtype=float)
    return experiment(first, flipped, model, test_set, PreferencePlan(seed=seed))


def test_sides_depend_on_the_seed_and_ids_tell_nothing():
    (one, _), (other, _) = _many(1), _many(2)
    assert [pair.left for pair in one.pairs] != [pair.left for pair in other.pairs]
    assert not {pair.pair for pair in one.pairs} & {pair.pair for pair in other.pairs}
    assert one.a == "bleu"
    assert one.b == "bleu:lowercase"


def test_files_for_judges_hold_no_more_than_they_may_see():
    _, questions = _many(1)
    rows = [json.loads(line) for line in as_jsonl(questions).split("\n")[:-1]]
    assert [set(row) for row in rows] == [{"pair", "left", "right"}] * len(questions)
    table = list(csv.DictReader(io.StringIO(as_csv(questions), newline="")))
    assert [{name: unescape(text) for name, text in row.items()} for row in table] == rows


def test_what_cannot_be_scored_is_left_out():
    nbest = store([[("a b", [1.0]), ("c", [0.0])], [("a", [1.0]), ("x", [0.0])]], ("f",))
    test_set = TestSet([["a b", "a"]])
    first, second = (Problem.of(nbest, test_set, parse_metric(name)) for name in ("bleu", "ter"))
    rows = np.where(nbest.text_segments[:, None] == 0, 0, second.rows)
    blind = Problem(nbest, rows, second.metric)
    key, _ = experiment(first, blind, np.zeros(len(nbest)), test_set, PreferencePlan())
    assert (key.unscored, key.same, key.segments) == (1, 1, 2)
    assert key.broken_ties == {"BLEU": 0, "TER": 0}


def test_metrics_must_differ_and_references_exist():
    nbest, test_set = store([[("a", [1.0])]], ("f",)), TestSet([["a"]])
    bleu = Problem.of(nbest, test_set, parse_metric("bleu"))
    with pytest.raises(UsageError, match="against itself"):
        experiment(bleu, bleu, np.zeros(1), test_set, PreferencePlan())


def _key(pairs: int, name: str = "p") -> Key:
    made = tuple(Pair(f"{name}{at}", str(at), "a" if at % 2 else "b") for at in range(pairs))
    return Key("RYPT", "BLEU", {}, pairs, 0, 0, {}, 3, True, 1, made)


def judgments(votes: Votes) -> tuple[int, int, int]:
    return votes.judgments_a, votes.judgments_b, votes.judgments_neither


def _answers(key: Key, kinds: list[tuple[int, int, int]]) -> list[Choice]:
    """Return three answers to each pair, so many for a, for b and for neither."""
    found = []
    for pair, (for_a, for_b, neither) in zip(key.pairs, kinds, strict=True):
        left, right = ("left", "right") if pair.left == "a" else ("right", "left")
        given = [left] * for_a + [right] * for_b + ["neither"] * neither
        found += [Choice(pair.pair, f"judge {at}", answer) for at, answer in enumerate(given)]
    return found


def test_the_papers_tables():
    # Zaidan & Callison-Burch 2009, Table I: 346, 270 and 134 of 750 judgments; by sentence,
    # 120 : 88. How the judgments are spread over sentences is made up to give both.
    kinds = [(3, 0, 0)] * 40 + [(2, 1, 0)] * 22 + [(2, 0, 1)] * 58
    kinds += [(0, 3, 0)] * 30 + [(1, 2, 0)] * 24 + [(0, 2, 1)] * 34 + [(1, 1, 1)] * 42
    key = _key(250)
    [votes] = count_votes([key], _answers(key, kinds))
    assert judgments(votes) == (346, 270, 134)
    assert (votes.sentences_a, votes.sentences_b, votes.sentences_even) == (120, 88, 42)
    assert dict(votes.margins) == {3: 40, 2: 58, 1: 22, 0: 42, -1: 24, -2: 34, -3: 30}
    exact = 2 * Fraction(sum(comb(208, k) for k in range(120, 209)), 2**208)
    assert votes.p_value == pytest.approx(float(exact))
    assert round(votes.p_value, 3) == 0.031
    assert (votes.unanswered, votes.incomplete, votes.judges) == (0, 0, 3)


@given(st.lists(st.sampled_from([(3, 0, 0), (0, 3, 0), (1, 1, 1), (2, 1, 0), (0, 0, 1)])))
def test_sides_do_not_matter(kinds):
    key = _key(len(kinds))
    swapped = Key(
        *(getattr(key, name) for name in list(Key.__dataclass_fields__)[:-1]),
        tuple(Pair(p.pair, p.segment, "b" if p.left == "a" else "a") for p in key.pairs),
    )
    [one] = count_votes([key], _answers(key, kinds))
    [other] = count_votes([swapped], _answers(swapped, kinds))
    assert (judgments(one), one.margins, one.p_value) == (
        judgments(other),
        other.margins,
        other.p_value,
    )
    lefts = sum(kind[0] + kind[1] for kind in kinds)
    assert one.left + other.left == lefts
    assert one.incomplete == sum(sum(kind) < 3 for kind in kinds)


def test_several_keys_are_counted_apart():
    first, second = _key(2, "x"), _key(3, "y")
    answers = _answers(first, [(3, 0, 0)] * 2) + _answers(second, [(0, 3, 0)] * 3)
    one, other = count_votes([first, second], answers)
    assert judgments(one) == (6, 0, 0)
    assert judgments(other) == (0, 9, 0)
    with pytest.raises(InputError, match="each key once"):
        count_votes([first, first], answers)
    with pytest.raises(InputError, match="which no key has"):
        count_votes([first], answers)


def test_unanswered_pairs_are_told():
    key = _key(3)
    [votes] = count_votes([key], _answers(key, [(1, 0, 0), (0, 0, 0), (0, 0, 0)]))
    assert (votes.unanswered, votes.incomplete) == (2, 1)
    assert np.isnan(votes.alpha)


def test_pairs_of_a_file_in_one_call(tmp_path):
    """Words in the wrong order are right by PER and wrong by WER; the others are tied by both."""
    path = tmp_path / "list"
    path.write_text(
        "0 ||| d c b a ||| f= 1 ||| 1\n0 ||| a b ||| f= 2 ||| 2\n"
        "1 ||| a b c e ||| f= 1 ||| 3\n1 ||| a b c f ||| f= 2 ||| 4\n",
        encoding="utf-8",
    )
    test_set = TestSet([["a b c d", "a b c d", "a"]])
    metrics = [parse_metric("per"), parse_metric("wer")]
    made = blind_pairs([str(path)], test_set, metrics, PreferencePlan(judges=2))
    assert made.result.remarks == (
        "1 of 3 sentences have no candidates and are left out: 2 (from 0)",
    )
    assert made.result.pairs == len(made.questions) == len(made.key.pairs)
    assert (made.result.segments, made.result.judges) == (2, 2)
    [asked] = made.questions
    assert {asked.left, asked.right} == {"d c b a", "a b"}
    assert made.result.ties_by_model
    assert made.result.ties == {"PER": 1, "WER": 1}
    weighed = blind_pairs([str(path)], test_set, metrics, weights={"f_0": -1.0})
    assert weighed.result.ties == made.result.ties
    answers = [Choice(one.pair, "ann", "neither") for one in made.questions]
    found = preference([made.key], answers)
    assert found.test_set.segments == len(answers)
    assert found.preferences[0].judgments_neither == len(answers)
    assert found.signatures == made.result.signatures
    with pytest.raises(UsageError, match="1 metrics given; give two, whose choices"):
        blind_pairs([str(path)], test_set, metrics[:1])


def test_what_is_no_key():
    for text in ("no JSON", "[]", '{"command": "compare"}'):
        with pytest.raises(InputError, match=r"^k: not a key of blind pairs; give the file that"):
            key_from(text, "k")
    key = as_key(_key(2))
    with pytest.raises(InputError, match=r"k\.pairs"):
        key_from(key.replace('"left": "a"', '"left": "c"'), "k")
