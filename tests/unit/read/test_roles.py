"""Which column is what: named, guessed, and refused."""

from __future__ import annotations

import pytest

from weigh.errors import UsageError
from weigh.read.roles import FRAME, Roles, kinds_of, settled_roles

HEAD = {"model": ["a"], "id": [1], "passed": [True], "seed": [0], "dataset": ["x"]}


def test_common_names_are_guessed_and_said() -> None:
    roles, said = settled_roles(Roles(), HEAD, "t.csv")
    assert roles == Roles(("model",), "id", ("passed",), "seed", "dataset")
    assert said == [
        "t.csv: taken as item=id, system=model, score=passed, run=seed, slice=dataset; "
        "name columns to have it otherwise"
    ]
    assert kinds_of(roles) == {
        "model": "label",
        "id": "label",
        "passed": "number",
        "seed": "label",
        "dataset": "label",
    }


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"t: no column .pased. for score; did you mean 'passed'"):
        settled_roles(Roles.of(score="pased"), HEAD, "t")
    with pytest.raises(UsageError, match="known: dataset, id, model, passed, seed"):
        settled_roles(Roles.of(score="zzzz"), HEAD, "t")


def test_columns_that_may_be_the_score_are_named_where_none_is_known() -> None:
    head = {"model": ["a"], "id": [1], "Result": ["PASS"], "seconds": [1.5], "note": ["text"]}
    with pytest.raises(UsageError, match=r"as the score; .*: Result, seconds\)"):
        settled_roles(Roles(), head, "t")


def test_two_fits_are_refused_where_one_is_needed_and_said_where_not() -> None:
    with pytest.raises(
        UsageError, match=r"could be the score; name it, as in --columns score=NAME"
    ):
        settled_roles(Roles(), {**HEAD, "score": [1]}, "t")
    with pytest.raises(UsageError, match=r'name it, as in score="NAME" \(there are'):
        settled_roles(Roles(), {**HEAD, "score": [1]}, FRAME)
    roles, said = settled_roles(Roles(), {**HEAD, "run": [1]}, "t")
    assert roles.run is None
    assert "could be the run, and none is taken" in said[1]


@pytest.mark.parametrize(("one", "other"), [("run", "seed"), ("Run ID", "Seed")])
def test_columns_that_could_both_be_the_run_are_no_systems(one: str, other: str) -> None:
    head = {"id": ["1"], "A": [0.5], "B": [1], one: [1], other: [7]}
    roles, said = settled_roles(Roles(), head, "t")
    assert roles.system == ("A", "B")
    assert roles.run is None
    assert "could be the run, and none is taken" in said[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system", "is not ROLE=COLUMN"),
        ("system=", "is not ROLE=COLUMN"),
        ("sytem=a", "did you mean 'system'"),
        ("item=a,item=b", "item is given 2 times; name one column"),
        ("score=a,score=a", "a column is named twice"),
    ],
)
def test_columns_that_cannot_be_meant(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Roles.parse(text)


def test_an_empty_name_says_that_no_column_has_the_role() -> None:
    head = {"model": ["A"], "id": [1], "passed": [1], "dataset": ["x"], "seed": [1]}
    roles, said = settled_roles(Roles.parse("slice=,run="), head, "t.csv")
    assert (roles.slice, roles.run, roles.item) == (None, None, "id")
    assert "slice" not in said[0]
    assert Roles.of(slice="", run=False) == Roles.parse("slice=,run=")
    with pytest.raises(UsageError):
        Roles.parse("system=")
