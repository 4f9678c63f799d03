"""Options that are made of plans: on the command line, in weigh.toml, in the help, and checked."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.cli import app, defaults
from weigh.cli.arguments import Verb, plan_of, plan_options, section
from weigh.cli.parser import Parser
from weigh.comparing.plan import Plan, ScorePlan
from weigh.errors import UsageError
from weigh.metrics.chrf import Chrf
from weigh.metrics.registry import key_of, metric_names
from weigh.options import (
    check_plan_options,
    count,
    default_text,
    flag_of,
    option,
    options_of,
    share,
)


@dataclass(frozen=True, slots=True)
class Choices:
    """An option of every kind that a plan may have."""

    tests: tuple[str, ...] = option(("one",), "tests", flag="test", choices=("one", "two", "six"))
    alphas: tuple[float, ...] = share((0.1, 0.05), "levels", flag="alpha")
    sizes: tuple[int, ...] = option((), "sizes", metavar="N", least=2)
    method: str = option("mean", "method", choices=("mean", "median"))
    trials: int = count(1000, "number of trials")
    size: int | None = count(None, "number of segments", least=0, shown="all")
    level: float = share(0.95, "level")
    weight: float = option(2.0, "weight", least=-1, most=3.5, metavar="W")
    baseline: str | None = option(None, "baseline", metavar="NAME")
    margin: Mapping[str, float] = option({}, "margins", metavar="METRIC=D")
    gate: bool = option(False, "a gate")
    per_item: int = count(1, "outputs of an item")
    seed: int = 7  # which is no option

    def __post_init__(self) -> None:
        check_plan_options(self)


def parser_of(plan: Any = Choices, only: str = "", *, without: str = "") -> Parser:
    options = section("options", plan_options(plan, only, without=without))
    return Parser("fake", Verb("fake", "[option]...", "weigh fake", (options,), lambda _: None))


def planned(*arguments: str, plan: Any = None, **settled: Any) -> Any:
    given = parser_of().parse(arguments, {})
    return plan_of(given, Choices() if plan is None else plan, **settled)


def refusal(*arguments: str) -> str:
    with pytest.raises(UsageError) as caught:
        planned(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_not_given_is_as_the_plan_has_it() -> None:
    assert planned() == Choices()
    preset = Choices(trials=5, gate=True, tests=("six",))
    assert planned(plan=preset) == preset
    assert planned("--no-gate", plan=preset) == Choices(trials=5, tests=("six",))


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--test", "two"], "tests", ("two",)),
        (["--test", "two,one"], "tests", ("two", "one")),
        (["--test", "two", "--test", "six,two"], "tests", ("two", "six")),
        (["--alpha", ".2", "--alpha", ".01"], "alphas", (0.2, 0.01)),
        (["--sizes", "2,30"], "sizes", (2, 30)),
        (["--method", "median"], "method", "median"),
        (["--trials", "12"], "trials", 12),
        (["--size", "0"], "size", 0),
        (["--level", ".5"], "level", 0.5),
        (["--weight", "-1"], "weight", -1.0),
        (["--weight", "3.5"], "weight", 3.5),
        (["--baseline", "a=b"], "baseline", "a=b"),
        (["--margin", "bleu=1"], "margin", {"bleu": 1.0}),
        (["--margin", "x:y=z=1", "--margin", "ter=.5"], "margin", {"x:y=z": 1.0, "ter": 0.5}),
        (["--gate"], "gate", True),
        (["--per-item", "3"], "per_item", 3),
    ],
)
def test_options_become_fields(arguments: list[str], name: str, value: Any) -> None:
    made = planned(*arguments)
    assert getattr(made, name) == value
    assert type(getattr(made, name)) is type(value)
    others = {field.name for field in options_of(Choices)} - {name}
    assert all(getattr(made, other) == getattr(Choices(), other) for other in others)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--test", "tow"], "test 'tow' is unknown; did you mean 'two'?"),
        (["--test", "one,"], "test '' is unknown"),
        (["--method", "medain"], "method 'medain' is unknown; did you mean 'median'?"),
        (["--trials", "0"], "--trials: expected a whole number above 0, not '0'"),
        (["--trials", "1.5"], "--trials: expected a whole number above 0, not '1.5'"),
        (["--trials", "١"], "--trials: expected a whole number above 0, not '١'"),
        (
            ["--trials", "9" * 5000],
            "--trials: expected a whole number of at most 40 digits",
        ),
        (["--size", "-1"], "--size: expected a whole number of at least 0, not '-1'"),
        (["--sizes", "5,1"], "--sizes: expected a whole number of at least 2, not '1'"),
        (
            ["--sizes", "9" * 5000],
            "--sizes: expected a whole number of at most 40 digits",
        ),
        (["--level", "x"], "--level: expected a number, not 'x'"),
        (["--level", "1"], "--level: expected a number between 0 and 1, not '1'"),
        (["--level", "nan"], "--level: expected a number between 0 and 1, not 'nan'"),
        (["--alpha", ".1,2"], "--alpha: expected a number between 0 and 1, not '2'"),
        (["--alpha", ".1,,.2"], "--alpha: expected a number, not ''"),
        (
            ["--weight", "4"],
            "--weight: expected a number from -1 to 3.5, not '4'",
        ),
        (["--weight", "inf"], "--weight: expected a number from -1 to 3.5"),
        (
            ["--margin", "bleu=1,ter=2"],
            "--margin 'bleu=1,ter=2': one metric at a time; repeat --margin",
        ),
        (["--margin", "bleu"], "--margin 'bleu': expected METRIC=NUMBER, such as bleu=0.5"),
        (["--margin", "=1"], "--margin '=1': expected METRIC=NUMBER"),
        (["--margin", "bleu=x"], "--margin 'bleu=x': expected a number, not 'x'"),
        (["--margin", "ter=1", "--margin", "ter=2"], "--margin 'ter=2': given twice for ter"),
        (["--leevl", "1"], "unknown option '--leevl'; did you mean '--level'?"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], said: str) -> None:
    assert refusal(*arguments).startswith(said)
    assert len(refusal(*arguments)) < 200


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"trials": 0}, "trials 0: give a number of at least 1"),
        ({"trials": 1.5}, "trials 1.5: give a whole number"),
        ({"trials": True}, "trials True: give a whole number"),
        ({"trials": "10"}, "trials '10': give a whole number"),
        ({"per_item": -1}, "per-item -1: give a number of at least 1"),
        ({"level": "high"}, "level 'high': give a number"),
        ({"level": math.nan}, "level nan: give a number between 0 and 1"),
        ({"tests": "one"}, "test 'one': expected a tuple or list, not a string"),
        ({"tests": ("one", "tow")}, "test 'tow' is unknown; did you mean 'two'?"),
        ({"alphas": (0.1, 1.0)}, "alpha 1: give a number between 0 and 1"),
        ({"sizes": (2, "x")}, "sizes 'x': give a whole number"),
        ({"method": 3}, "method 3 is unknown"),
        ({"size": 10**30 * -1}, "size -1e+30: give a number of at least 0"),
    ],
)
def test_plans_of_python_are_checked_alike(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Choices(**fields)
    assert str(caught.value).startswith(said)


def test_numbers_of_numpy_are_numbers() -> None:
    made = Choices(trials=np.int64(5), level=np.float32(0.5), alphas=(np.float64(0.1),))
    assert (made.trials, made.level) == (5, 0.5)


def test_what_is_settled_is_not_asked_for() -> None:
    assert planned("--trials", "5", trials=9, seed=1) == Choices(trials=9, seed=1)


def test_metrics_have_the_names_that_results_have() -> None:
    made = planned("--margin", "chrf:word_order=2=1", "--margin", "comet=2")
    assert made.margin == {key_of(Chrf(word_order=2)): 1.0, "comet": 2.0}
    with pytest.raises(UsageError, match="given twice"):
        planned("--margin", "bleu:lowercase=1", "--margin", "bleu:lowercase=true=2")


def test_a_verb_may_have_some_of_the_options() -> None:
    assert set(parser_of(only="trials tests").options) == {"trials", "test"}
    names = {flag_of(field) for field in options_of(Choices)}
    assert set(parser_of(without="level").options) == names - {"level"}
    some = parser_of(only="trials").parse(["--trials", "3"], {})
    assert plan_of(some, Choices(gate=True)) == Choices(trials=3, gate=True)
    assert plan_of(Namespace(), Choices()) == Choices()


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_every_choice_of_a_plan_is_an_option_with_its_default(verb: str) -> None:
    plan = {"score": ScorePlan, "compare": Plan}[verb]
    parser = app.parser(verb)
    for field in options_of(plan):
        told = parser.options[flag_of(field)].help
        default = getattr(plan(), field.name)
        if default not in (None, False) and default_text(default):
            assert f"(default: {default_text(default)})" in told
    given = parser.parse(["x"], {})
    assert plan_of(given, plan()) == plan()


def test_weigh_toml_is_read_by_the_same_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weigh.toml").write_text(
        '[compare]\ntest = ["bootstrap", "paired-bootstrap"]\ntrials = 77\nalpha = 0.01\n'
        'margin = ["bleu=0.5"]\ngate = true\nbaseline = "A"\n[score]\ninterval = "bca"\n'
    )
    where, table = defaults.read()
    parsers = {name: app.parser(name) for name in app.verbs()}
    given = parsers["compare"].parse(["x"], defaults.select(table, where, parsers, "compare"))
    expected = Plan(
        tests=("bootstrap", "paired-bootstrap"),
        trials=77,
        alpha=0.01,
        margin={"bleu": 0.5},
        gate=True,
        baseline="A",
    )
    assert plan_of(given, Plan()) == expected
    parsers = {name: app.parser(name) for name in app.verbs()}
    score = parsers["score"].parse(
        ["--interval", "percentile"], defaults.select(table, where, parsers, "score")
    )
    assert plan_of(score, ScorePlan()) == ScorePlan(interval="percentile")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[score]\ninterval = "bac"\n', "weigh.toml: interval: interval 'bac' is unknown; did you"),
        ("[score]\ntrials = 0\n", "weigh.toml: trials: expected a whole number above 0, not '0'"),
        ("[score]\nsegments = 1\n", "weigh.toml: segments: expected true or false, found 1"),
        ("[compare]\nmargin = 1\n", "weigh.toml: margin: expected a text, found 1"),
        ("[compare]\nalpha = 2\n", "weigh.toml: alpha: expected a number between 0 and 1"),
        ("[compare]\ntest = []\n", "weigh.toml: test: expected at least one value"),
        ("compare = 5\n", "weigh.toml: 'compare' is a verb; write its options under [compare]"),
    ],
)
def test_mistakes_in_weigh_toml_say_where(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weigh.toml").write_text(text)
    where, table = defaults.read()
    parsers = {name: app.parser(name) for name in app.verbs()}
    with pytest.raises(UsageError, match=re.escape(said)):
        defaults.select(table, where, parsers, "score" if "score" in text else "compare")


@given(st.lists(st.floats(1e-12, 1, exclude_max=True), min_size=1), st.booleans())
def test_lists_of_numbers_are_those_that_were_given(values: list[float], repeated: bool) -> None:
    texts = [repr(value) for value in values]
    arguments = [f"--alpha={text}" for text in texts] if repeated else ["--alpha", ",".join(texts)]
    assert planned(*arguments).alphas == tuple(dict.fromkeys(values))


# What stands before a comma may be another metric, which is refused; PER is the metric per.
_names = st.text(st.characters(exclude_characters=","), min_size=1).filter(
    lambda name: name.lower() not in metric_names()
)


@given(st.dictionaries(_names, st.floats(allow_nan=False), min_size=1))
def test_numbers_of_metrics_are_those_that_were_given(values: dict[str, float]) -> None:
    arguments = [f"--margin={name}={value!r}" for name, value in values.items()]
    assert planned(*arguments).margin == values


@given(st.integers(1, 10**20), st.floats(-1, 3.5))
def test_numbers_are_those_that_were_given(trials: int, weight: float) -> None:
    made = planned(f"--trials={trials}", f"--weight={weight!r}")
    assert (made.trials, made.weight) == (trials, weight)


@given(st.text())
def test_any_text_is_a_number_or_refused(text: str) -> None:
    for flag in ("trials", "level", "alpha", "sizes", "margin", "test"):
        said = ""
        try:
            planned(f"--{flag}={text}")
        except UsageError as error:
            said = str(error)
        assert "\n" not in said
