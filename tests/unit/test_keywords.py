"""Keywords of the public functions: those of their plans and of data, and typing errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import pytest

import weigh
from weigh.comparing.inputs import DATA_KEYWORDS
from weigh.human.plan import AgreementPlan, CampaignPlan, MetricsPlan, RankPlan
from weigh.types import Judgment

SCORES = {"A": [3, 5, 4, 6, 8, 7], "B": [1, 4, 2, 6, 5, 6]}
PLANS = [
    (weigh.compare, weigh.Plan, set()),
    (weigh.score, weigh.ScorePlan, set()),
    (weigh.tune, weigh.TunePlan, set()),
    (weigh.tune_decoder, weigh.TunePlan, set()),
    (weigh.train_reranker, weigh.TrainPlan, set()),
    (weigh.rank, RankPlan, {"preset"}),  # the name of a whole plan, which is given as one
    (weigh.agreement, AgreementPlan, set()),
    (weigh.human_metrics, MetricsPlan, set()),
    (weigh.plan_campaign, CampaignPlan, {"systems"}),
]


@pytest.mark.parametrize(("function", "plan", "others"), PLANS)
def test_every_field_of_a_plan_is_a_keyword_with_its_type_and_default(
    function: Callable[..., Any], plan: Any, others: set[str]
) -> None:
    known = inspect.signature(function).parameters
    assert not any(each.kind is each.VAR_KEYWORD for each in known.values())
    for field in fields(plan):
        if field.name in others:
            continue
        if field.default is MISSING:  # an empty mapping
            expected = (f"{field.type} | None", None)
        else:
            expected = (field.type, field.default)
        parameter = known[field.name]
        assert (parameter.annotation, parameter.default) == expected, field.name
        assert parameter.kind is parameter.KEYWORD_ONLY


def test_functions_of_systems_take_every_keyword_about_data() -> None:
    for function in (weigh.compare, weigh.score, weigh.dataset):
        assert set(DATA_KEYWORDS) <= set(inspect.signature(function).parameters)


def test_a_typing_error_gets_the_likely_name() -> None:
    for function, plan, _ in [*PLANS, (weigh.dataset, None, set()), (weigh.quality, None, set())]:
        name = fields(plan)[1].name if plan is not None else "system"
        with pytest.raises(TypeError) as caught:
            function(SCORES, **{f"{name}x": 1})
        said = f"{function.__name__}() has no keyword '{name}x'; did you mean '{name}'?"
        assert str(caught.value) == said


def test_keywords_replace_those_of_a_plan_and_no_others() -> None:
    plan = weigh.Plan(alpha=0.1, adjust="none", margin={"score": 2.0})
    changed = weigh.compare(SCORES, plan=plan, alpha=0.05, margin=None).plan
    assert changed == weigh.Plan(alpha=0.05, adjust="none", margin={"score": 2.0})
    assert weigh.compare(SCORES, plan=plan).plan == plan


def test_a_dataset_is_read_once_for_many_questions() -> None:
    data = weigh.dataset(SCORES, metric="points", documents=list("aabbcc"))
    expected = weigh.compare(SCORES, metric="points", documents=list("aabbcc"))
    assert weigh.compare(data).comparisons == expected.comparisons
    assert [each.score for each in weigh.score(data)] == [5.5, 4.0]
    with pytest.raises(weigh.UsageError, match="metric does not apply to a dataset"):
        weigh.compare(data, metric="points")


def test_options_about_files_are_refused_for_answers_that_are_no_file() -> None:
    answers = [Judgment("j", "h", "", "system", "A", "1", 3.0)]
    for options in ({"judge": "rater"}, {"pair": "de-en"}, {"names": True}):
        with pytest.raises(weigh.UsageError, match="is for files and data frames of answers"):
            weigh.rank(answers, **options)


def test_one_line_says_what_a_result_is() -> None:
    result = weigh.compare(SCORES | {"\u202ex": [1, 2, 3, 4, 5, 6]})
    pair = result["A", "B"]
    low, high = pair.interval
    said = f"<Comparison 'A' and 'B' by 'score': difference +1.5 [{low:+.4g}, {high:+.4g}], p = "
    assert repr(pair).startswith(said)
    assert "\u202e" not in repr(result.comparisons)
    assert repr(result).startswith("<CompareResult metrics=1 scores=3 comparisons=3")
    assert len(repr(result)) < 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": "x"}, "alpha 'x'; give a number"),
        ({"alpha": True}, "alpha True; give a number"),
        ({"baseline": 3}, "baseline 3; give a string"),
        ({"tests": 5}, "tests 5; give a tuple of names"),
        ({"tests": [3]}, "tests [3]; give a tuple of names"),
        ({"documents": 7}, "documents 7; give a list of strings"),
        ({"documents": "aabbcc"}, "documents 'aabbcc'; give a list of strings"),
        ({"seed": "1"}, "seed '1'; give a whole number"),
        ({"trials": 1.5}, "trials 1.5; give a whole number"),
        ({"gate": "yes"}, "gate 'yes'; give True or False"),
        ({"margin": {3: 1}}, 'margin {3: 1}; give numbers by metric, such as {"bleu": 1}'),
        ({"score": 5}, "score 5; give the name of a column, or a list of names"),
        ({"threads": np.ones((2, 2))}, "threads array([[1., 1.], [1., 1.]]); give a whole number"),
        ({"plan": 3}, "plan is not a Plan; give one, or its fields by name"),
    ],
)
def test_values_of_the_wrong_kind_get_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(weigh.UsageError) as caught:
        weigh.compare(SCORES, **options)
    assert str(caught.value) == message


def test_values_of_numpy_are_of_the_right_kind() -> None:
    options = {"alpha": np.float32(0.05), "seed": np.int64(3), "details": np.bool_(False)}
    assert weigh.compare(SCORES, documents=np.array([*"aabbcc"]), **options).plan.seed == 3
