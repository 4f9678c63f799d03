"""Results of score and compare whose parts do not fit each other are refused."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from unit.comparing.systems import corpus
from weigh import Bleu, Ter, compare, score
from weigh.comparing.compare_result import CompareResult
from weigh.errors import InputError
from weigh.report.view import parse_result

SYSTEMS, TEST_SET = corpus()


def compared(**options: object) -> CompareResult:
    return compare(SYSTEMS, TEST_SET, [Bleu(), Ter()], trials=200, **options)


def test_names_and_numbers_of_every_kind_survive():
    rng = np.random.default_rng(3)
    names = ['<b>"x"</b>', "a\u202eb", "日本語", "\\", "tab\tname"]
    result = compare({name: rng.normal(size=20) * 1e-9 for name in names}, trials=50)
    again = parse_result(result.to_json(), "r")
    assert isinstance(again, CompareResult)
    assert again.comparisons == result.comparisons
    assert [replace(entry, name="score") for entry in again.scores] == list(result.scores)


GOOD = json.loads(compared(details=True).to_json())


def changed(**values: object) -> str:
    return json.dumps({**GOOD, **values})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2]", "expected a result with the schema weigh/3, found None"),
        ('{"schema": "weigh/9"}', "found 'weigh/9'"),
        (changed(command="bake"), "a result of 'bake'"),
        (changed(scores=[]), "no scores"),
        (changed(comparisons=[]), "no comparisons"),
        (changed(comparisons=3), "r.comparisons: expected a list, found 3"),
        (changed(metrics=[]), "not among the metrics"),
        (changed(unit=7), "r.unit: expected text, found 7"),
        (changed(units=True), "r.units: expected a whole number, found True"),
        (changed(plan={**GOOD["plan"], "trials": 0}), "trials 0"),
        (changed(plan={**GOOD["plan"], "tests": ["guess"]}), "'guess'"),
        (changed(test_set=None), "r.test_set: expected an object, found None"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "plan"}), "r has no 'plan'"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(text, message):
    with pytest.raises(InputError, match=r"^r") as caught:
        parse_result(text, "r")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_comparison_of_unknown_kind_is_refused():
    for key, value in (("test", "guess"), ("adjust", "x"), ("alternative", "x"), ("a", "nobody")):
        document = deepcopy(GOOD)
        document["comparisons"][0][key] = value
        with pytest.raises(InputError, match=value):
            parse_result(json.dumps(document), "r")


@pytest.mark.parametrize("key", ["p_value", "p_adjusted"])
@pytest.mark.parametrize("value", [None, -0.1, 1.1, 1e308])
def test_a_p_value_is_from_0_to_1(key, value):
    document = deepcopy(GOOD)
    document["comparisons"][1][key] = value
    with pytest.raises(InputError, match=rf"^r: {key} .* is not from 0 to 1; give a file"):
        parse_result(json.dumps(document), "r")


def test_a_ranking_of_unknown_systems_is_refused():
    document = deepcopy(GOOD)
    document["rankings"][0]["clusters"][0].append("nobody")
    with pytest.raises(InputError, match="r: a ranking with 'nobody' by 'bleu', which has no"):
        parse_result(json.dumps(document), "r")


@pytest.mark.parametrize("ranks", [{}, {"nobody": [1, 2]}, [0, 1], [2, 1], [1, 99]])
def test_ranks_that_do_not_fit_are_refused(ranks):
    document = deepcopy(GOOD)
    own = document["rankings"][0]["ranks"]
    wrong = dict.fromkeys(own, ranks) if isinstance(ranks, list) else ranks
    document["rankings"][0]["ranks"] = wrong
    with pytest.raises(InputError, match="r: the ranks by 'bleu' do not match the clusters"):
        parse_result(json.dumps(document), "r")


@pytest.mark.parametrize("decimals", [-1, 13, 10**9])
def test_decimals_that_no_number_has_are_refused(decimals):
    document = deepcopy(GOOD)
    document["metrics"][0]["decimals"] = decimals
    with pytest.raises(
        InputError, match=rf"r.metrics\[0\]: {decimals} decimals of 'bleu', but 0 to 12 can be"
    ):
        parse_result(json.dumps(document), "r")


def test_a_number_of_segments_that_scores_do_not_have_is_refused():
    document = json.loads(score(SYSTEMS, TEST_SET, [Bleu()], segments=True).to_json())
    document["test_set"]["segments"] *= 10**12
    with pytest.raises(InputError, match="r: different numbers of segments; give"):
        parse_result(json.dumps(document), "r")


@pytest.mark.parametrize("key", ["ids", "numbers", "segments"])
def test_lists_of_scores_that_do_not_fit_are_refused(key):
    size = len(TEST_SET)
    labelled = replace(TEST_SET, ids=["x"] * size, numbers=range(2, size + 2))
    document = json.loads(score(SYSTEMS, labelled, [Bleu()], segments=True).to_json())
    (document["scores"][0] if key == "segments" else document)[key].pop()
    with pytest.raises(InputError, match="r: different numbers of segments; give"):
        parse_result(json.dumps(document), "r")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("histograms", 0, "a"), "nobody"),
        (("histograms", 0, "test"), "bootstrap"),
        (("segments", "numbers"), [1, 2]),
        (("segments", "outputs", "nobody"), []),
        (("segments", "scores", "nothing"), {"A": []}),
        (("lengths", "nobody"), 1.0),
        (("lengths", "A"), None),
        (("histograms", 0, "width"), None),
    ],
)
def test_details_of_something_else_are_refused(place, value):
    document = deepcopy(GOOD)
    inner = document["details"]
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(InputError, match="the details do not match the comparisons"):
        parse_result(json.dumps(document), "r")
