"""Results that are written as JSON and read back."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weigh.report.restored import restore

from unit.comparing.systems import corpus
from unit.report.damage import damaged
from weigh import Bleu, Ter, compare, score
from weigh.errors import InputError
from weigh.report import comparisons, scores
from weigh.report.compared import CompareReport
from weigh.report.scores import IntervalMethod, ScoreReport

SYSTEMS, TEST_SET = corpus()
PLANS = [
    {},
    {"tests": ("randomization", "bootstrap", "paired-bootstrap"), "evidence": True},
    {"baseline": SYSTEMS[0].name, "gate": True, "margin": {"bleu": 1.0}, "detect": {"ter": 2.0}},
    {"alternative": "better", "adjust": "none", "p_value": "plain"},
    {"adjust": "maxt", "family": "all", "interval": "bca", "compat": ("moses-bs",)},
    {"slices": ["x", "y"] * (len(TEST_SET) // 2) + ["x"] * (len(TEST_SET) % 2)},
    # Ten documents of which one slice has a single one, margins that are left open, no intervals.
    {
        "baseline": SYSTEMS[0].name,
        "gate": True,
        "interval": "expanded",
        "margin": {"bleu": 1.0, "ter": 9.0},
        "scale": {"ter": 150.0},
        "least_units": 12,
        "documents": [str(i // 6) for i in range(len(TEST_SET))],
        "slices": ["x" if i < 6 else "y" for i in range(len(TEST_SET))],
    },
    {"documents": [str(i // 3) for i in range(len(TEST_SET))]},
]


def compared(**options: object) -> CompareReport:
    result = compare(SYSTEMS, TEST_SET, [Bleu(), Ter()], trials=200, **options)
    return CompareReport(result, {"bleu": 2, "ter": 1})


@pytest.mark.parametrize("options", PLANS)
def test_a_comparison_reads_back_as_it_was(options):
    report = compared(**options)
    again = restore(comparisons.as_json(report), "result.json").report
    assert again.result.plan == report.result.plan
    for format_name, render in comparisons.FORMATS.items():
        assert render(again) == render(report), format_name
    assert comparisons.as_table(again) == comparisons.as_table(report)


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("intervals", [None, IntervalMethod("bca", 0.9, 500, 0, "segment", 9)])
def test_scores_read_back_as_they_were(segments, intervals):
    entries = score(SYSTEMS, TEST_SET, [Bleu(), Ter()], segments=segments)
    report = ScoreReport(
        entries,
        segments=len(TEST_SET),
        references=1,
        ids=[f"id {i}" for i in range(len(TEST_SET))],
        decimals={"bleu": 3},
        intervals=intervals,
    )
    again = restore(scores.as_json(report), "scores.json").report
    for format_name, render in scores.FORMATS.items():
        assert render(again) == render(report), format_name


def test_names_and_numbers_of_every_kind_survive():
    rng = np.random.default_rng(3)
    names = ['<b>"x"</b>', "a\u202eb", "日本語", "\\", "tab\tname"]
    result = compare({name: rng.normal(size=20) * 1e-9 for name in names}, trials=50)
    report = CompareReport(result)
    again = restore(comparisons.as_json(report), "r").report
    assert again.result.comparisons == result.comparisons
    assert again.result.scores == result.scores


GOOD = json.loads(comparisons.as_json(compared(evidence=True)))


def changed(**values: object) -> str:
    return json.dumps({**GOOD, **values})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2]", "expected a result with the schema weigh/1, found None"),
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
        restore(text, "r")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_comparison_of_unknown_kind_is_refused():
    for key, value in (("test", "guess"), ("adjust", "x"), ("alternative", "x"), ("a", "nobody")):
        document = deepcopy(GOOD)
        document["comparisons"][0][key] = value
        with pytest.raises(InputError, match=value):
            restore(json.dumps(document), "r")


@pytest.mark.parametrize("key", ["p_value", "p_adjusted"])
@pytest.mark.parametrize("value", [None, float("nan"), -0.1, 1.1, float("inf")])
def test_a_p_value_is_from_0_to_1(key, value):
    document = deepcopy(GOOD)
    document["comparisons"][1][key] = value
    with pytest.raises(InputError, match=rf"^r: {key} .* is not from 0 to 1; give a file"):
        restore(json.dumps(document), "r")


def test_a_ranking_of_unknown_systems_is_refused():
    document = deepcopy(GOOD)
    document["rankings"][0]["clusters"][0].append("nobody")
    with pytest.raises(InputError, match="r: a ranking with 'nobody' by 'bleu', which has no"):
        restore(json.dumps(document), "r")


@pytest.mark.parametrize("ranks", [{}, {"nobody": [1, 2]}, [0, 1], [2, 1], [1, 99]])
def test_ranks_that_do_not_fit_are_refused(ranks):
    document = deepcopy(GOOD)
    own = document["rankings"][0]["ranks"]
    wrong = dict.fromkeys(own, ranks) if isinstance(ranks, list) else ranks
    document["rankings"][0]["ranks"] = wrong
    with pytest.raises(InputError, match="r: the ranks by 'bleu' do not fit the clusters"):
        restore(json.dumps(document), "r")


@pytest.mark.parametrize("decimals", [-1, 13, 10**9])
def test_decimals_that_no_number_has_are_refused(decimals):
    document = deepcopy(GOOD)
    document["metrics"][0]["decimals"] = decimals
    with pytest.raises(InputError, match=f"r: {decimals} decimals of 'bleu', but 0 to 12 can be"):
        restore(json.dumps(document), "r")


@pytest.mark.parametrize("key", ["ids", "numbers", "segments"])
def test_lists_of_scores_that_do_not_fit_are_refused(key):
    entries = score(SYSTEMS, TEST_SET, [Bleu()], segments=True)
    size = len(TEST_SET)
    report = ScoreReport(
        entries, size, 1, ids=["x"] * size, numbers=range(2, size + 2), decimals={"bleu": 2}
    )
    document = json.loads(scores.as_json(report))
    (document["scores"][0] if key == "segments" else document)[key].pop()
    with pytest.raises(InputError, match=f"r: {size} segments, but a list has {size - 1}; give"):
        restore(json.dumps(document), "r")


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
        (("segments", "scores", "bleu", "A", 0), None),
    ],
)
def test_details_of_something_else_are_refused(place, value):
    document = deepcopy(GOOD)
    inner = document["details"]
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(InputError, match="the details do not fit the comparisons"):
        restore(json.dumps(document), "r")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_document_is_shown_or_refused(data):
    """Any value anywhere: it reads, and can be shown, or there is one clear line."""
    document = damaged(GOOD, data)
    with suppress(InputError):
        saved = restore(json.dumps(document), "r")
        saved.formats["latex"](saved.report)
        saved.page(saved.report)
        saved.pictures(saved.report)
