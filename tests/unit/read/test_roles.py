"""Roles by name and by guess: what is doubtful is refused, with the option that settles it."""

import pytest

from weigh.errors import UsageError
from weigh.read.roles import ALL, Roles, find_roles

LONG = {"id": ["1", "2"], "model": ["A", "B"], "passed": ["1", "0"]}


def test_guesses_are_said() -> None:
    roles, said = find_roles(Roles(), LONG, "t.csv")
    assert (roles.system, roles.item, roles.score) == (("model",), "id", ("passed",))
    assert "system=model" in said[0]
    assert "--columns" in said[0]
    named = Roles.of(system="model", item="id", score="passed")
    assert find_roles(named, LONG, "t.csv") == (named, [])


@pytest.mark.parametrize(
    ("role", "column"),
    [
        *(("item", name) for name in ("question", "prompt", "idx", "uid", "qid", "problem")),
        *(("run", name) for name in ("sample", "attempt", "rep", "repeat", "iteration", "epoch")),
        *(("score", name) for name in ("pass", "correct", "f1", "em", "reward", "resolved")),
        *(("system", name) for name in ("llm", "provider", "agent", "variant", "checkpoint")),
        ("system", "Model Name"),
        ("system", "meta.model"),
    ],
)
def test_common_names(role: str, column: str) -> None:
    others = {"item": "id", "system": "model", "score": "passed"}
    head = {name: LONG[name] for key, name in others.items() if key != role}
    head[column] = LONG.get(others.get(role, ""), ["1", "2"])
    roles, _ = find_roles(Roles(), head, "t.csv")
    found = getattr(roles, role)
    assert found in (column, (column,))


def test_a_strong_name_goes_before_a_weak_one_and_two_are_refused() -> None:
    roles, _ = find_roles(Roles(), {**LONG, "question": ["Why?", "How?"]}, "t.csv")
    assert roles.item == "id"
    with pytest.raises(UsageError, match=r"'passed' and 'score' could be the score.*score=NAME"):
        find_roles(Roles(), {**LONG, "score": ["3", "4"]}, "t.csv")


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "index", "n"])
def test_an_index_is_never_a_system_or_a_score(name: str) -> None:
    index = [str(at) for at in range(20)]
    wide = {name: index, "A": ["1", "0"] * 10, "B": ["0", "0"] * 10}
    roles, _ = find_roles(Roles(), wide, "t.csv")
    assert roles.system == ("A", "B")
    long = {"id": index, "model": ["A", "B"] * 10, "value": index}
    with pytest.raises(UsageError, match=r"'value' looks like row numbers.*--columns score=value"):
        find_roles(Roles(), long, "t.csv")
    roles, _ = find_roles(Roles.of(score="value"), long, "t.csv")
    assert roles.score == ("value",)


def test_a_column_on_another_scale_is_asked_about() -> None:
    scores = {"A": ["1", "0", "1", "1"], "B": ["0", "0", "1", "1"]}
    with pytest.raises(
        UsageError, match=r"'difficulty' .* is on a different scale.*system=A,system=B"
    ):
        find_roles(Roles(), {**scores, "difficulty": ["3", "1", "3", "5"]}, "t.csv")
    with pytest.raises(UsageError, match=r"'hardness' \(0.2 to 0.7\) is on a different scale"):
        find_roles(Roles(), {**scores, "hardness": ["0.3", "0.2", "0.7", "0.5"]}, "t.csv")
    with pytest.raises(UsageError, match="'level' is probably not a system"):
        find_roles(Roles(), {**scores, "level": ["1", "0", "0", "1"]}, "t.csv")
    with pytest.raises(UsageError, match=r"'year' .* is on a different scale"):
        find_roles(
            Roles(),
            {"A": ["71.5", "60", "68.1"], "B": ["70.5", "61", "69"], "year": ["2019"] * 3},
            "t.csv",
        )
    near = {"A": ["0.71", "0.2"], "B": ["1.05", "0.4"]}
    assert find_roles(Roles(), near, "t.csv")[0].system == ("A", "B")


def test_too_many_columns_of_scores() -> None:
    wide = {f"c{at}": ["0.5", "0.5"] for at in range(1001)}
    with pytest.raises(UsageError, match="1,001 columns of scores"):
        find_roles(Roles(), wide, "t.csv")
    with pytest.raises(UsageError, match="1,001 columns of scores"):
        find_roles(Roles(system=(ALL,)), wide, "t.csv")


def test_directions_and_bounds() -> None:
    roles = Roles.parse("score=seconds:lower,score=rating:0..10,score=errors:lower:0..5,score=a:b")
    assert roles.score == ("seconds", "rating", "errors", "a:b")
    assert roles.lower == ("seconds", "errors")
    assert roles.bounds == {"rating": (0, 10), "errors": (0, 5)}
    endless = ("score=x:0..inf", "score=x:-inf..1", f"score=x:0..{'9' * 400}")
    others = ("score=x:10..0", "score=x:a..b", "wrong", "colour=x", "item=a,item=b", "item=")
    for wrong in (*endless, *others):
        with pytest.raises(UsageError):
            Roles.parse(wrong)


def test_unknown_columns_are_named() -> None:
    with pytest.raises(UsageError, match="no column 'modle' for the system; did you mean 'model'"):
        find_roles(Roles.of(system="modle"), LONG, "t.csv")
    assert find_roles(Roles.of(slice=""), {**LONG, "task": ["x", "y"]}, "t")[0].slice is None


def test_advice_fits_what_was_given() -> None:
    head = {"id": ["1", "2"], "model": ["A", "B"], "output": ["x", "y"]}
    with pytest.raises(UsageError, match=r"--columns score=NAME, or score the texts with -m"):
        find_roles(Roles(), head, "t.csv")
    with pytest.raises(UsageError, match=r"with score='NAME', or score the texts with metrics="):
        find_roles(Roles(), head, "the data frame")
    with pytest.raises(UsageError, match="no column for the score"):
        find_roles(Roles.of(item="passed"), LONG, "t.csv")
    assert find_roles(Roles(), LONG, "the data frame")[1][0].endswith("Override by keyword.")
