"""Dataclasses as JSON documents and back: every kind of field, and what is refused."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import weigh
from weigh.cli import main
from weigh.errors import InputError, UsageError
from weigh.result import (
    LIBRARIES,
    Result,
    checked,
    decode,
    derived,
    document,
    encode,
    parse,
    sometimes,
    unsaved,
)


class Point(NamedTuple):
    x: float
    label: str = "none"


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    score: float | None = None

    def __post_init__(self) -> None:
        checked(self.name != "nobody", f"a name like {self.name!r}")


@dataclass(frozen=True, slots=True)
class Plan:
    trials: int = 10

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise UsageError(f"trials {self.trials}; give at least 1")


@dataclass(frozen=True, slots=True)
class Everything(Result):
    """A field of every kind that a result may have."""

    command: ClassVar[str] = "everything"

    whole: int
    number: float
    text: str
    flag: bool
    choice: Literal["a", "b", 3]
    maybe: float | None
    either: int | float | str
    names: tuple[str, ...]
    two: tuple[int, str]
    inner: Inner
    several: Sequence[Inner]
    by_name: Mapping[str, tuple[float, float] | None]
    floats: NDArray[np.float64]
    counts: NDArray[np.int64]
    flags: NDArray[np.bool_]
    matrix: NDArray[np.float64]
    point: Point
    plan: Plan = field(default_factory=Plan)
    now_and_then: int | None = sometimes()
    once: bool = sometimes(False)
    array_once: NDArray[np.float64] | None = sometimes()
    secret: str = unsaved("")

    @property
    @derived
    def total(self) -> float:
        """Follows from the counts."""
        return float(self.counts.sum())

    @property
    def hidden(self) -> int:
        """Is not in documents."""
        return 1


# JSON has no numbers that are not finite; NaN stands for all of them when they are read.
numbers = st.floats(allow_nan=False, allow_infinity=False)
any_number = st.floats()
texts = st.text(st.characters(exclude_categories=()), max_size=8)
inners = st.builds(Inner, texts.filter(lambda name: name != "nobody"), st.none() | numbers)
whole_numbers = st.integers(-(2**70), 2**70)
columns = st.lists(any_number, max_size=4)


@st.composite
def everything(draw: st.DrawFn) -> Everything:
    rows, width = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    matrix = [[draw(any_number) for _ in range(width)] for _ in range(rows)]
    return Everything(
        whole=draw(whole_numbers),
        number=draw(any_number),
        text=draw(texts),
        flag=draw(st.booleans()),
        choice=draw(st.sampled_from(["a", "b", 3])),
        maybe=draw(st.none() | numbers),
        either=draw(whole_numbers | numbers | texts),
        names=tuple(draw(st.lists(texts, max_size=3))),
        two=(draw(whole_numbers), draw(texts)),
        inner=draw(inners),
        several=tuple(draw(st.lists(inners, max_size=2))),
        by_name=draw(st.dictionaries(texts, st.none() | st.tuples(numbers, numbers), max_size=3)),
        floats=np.array(draw(columns), dtype=np.float64),
        counts=np.array(draw(st.lists(st.integers(-(2**53), 2**53), max_size=4)), dtype=np.int64),
        flags=np.array(draw(st.lists(st.booleans(), max_size=3)), dtype=np.bool_),
        matrix=np.array(matrix, dtype=np.float64).reshape(rows, width),
        point=Point(draw(numbers), draw(texts)),
        plan=Plan(draw(st.integers(1, 99))),
        now_and_then=draw(st.none() | whole_numbers),
        once=draw(st.booleans()),
        array_once=draw(st.none() | columns.map(lambda found: np.array(found, dtype=np.float64))),
        secret=draw(texts),
    )


def same(one: Any, other: Any) -> bool:
    """Compare values as documents can: all that is no finite number is alike."""
    if isinstance(one, np.ndarray):
        # An empty matrix has lost how wide it was.
        return one.dtype == other.dtype and (
            one.size == other.size == 0 or same(one.tolist(), other.tolist())
        )
    if isinstance(one, float):
        return one == other or not (math.isfinite(one) or math.isfinite(other))
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


@given(everything())
def test_what_is_written_is_read_back(made: Everything) -> None:
    text = document(made)
    again = decode(Everything, parse(text, "r"), "r")
    for name in Everything.__dataclass_fields__:
        expected = "" if name == "secret" else getattr(made, name)
        assert same(expected, getattr(again, name)), name
    assert document(again) == text


@given(everything())
def test_documents_are_strict_json_that_says_what_it_is(made: Everything) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    found = json.loads(document(made), parse_constant=refuse)
    assert (found["schema"], found["command"]) == ("weigh/3", "everything")
    assert found["total"] == made.counts.sum()
    assert not {"secret", "hidden"} & set(found)
    assert ("now_and_then" in found) == (made.now_and_then is not None)
    assert ("once" in found) == made.once
    assert ("array_once" in found) == (made.array_once is not None)


def good() -> dict[str, Any]:
    """Return a document of everything."""
    return {
        **{"whole": 1, "number": 1.5, "text": "x", "flag": True, "choice": "a", "maybe": None},
        **{"either": "x", "names": ["x"], "two": [1, "x"], "inner": {"name": "x"}},
        **{"several": [{"name": "x"}, {"name": "y", "score": 2}], "by_name": {"x": [1, 2]}},
        **{"floats": [1, None, 2.5], "counts": [1, 2], "flags": [True], "matrix": [[1, 2], [3, 4]]},
        "point": {"x": 1},
    }


def refusal(**changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        decode(Everything, good() | changes, "r.json")
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 200
    return said


def test_a_document_as_others_may_write_it() -> None:
    made = decode(Everything, good() | {"unknown": [1], "total": "anything"}, "r.json")
    assert (made.number, made.inner, made.point) == (1.5, Inner("x"), Point(1.0))
    assert math.isnan(made.floats[1])
    assert (made.counts.dtype, made.matrix.shape) == (np.int64, (2, 2))
    assert not made.floats.flags.writeable
    assert isinstance(made.by_name["x"][0], float)  # type: ignore[index]
    assert (made.plan, made.now_and_then, made.once) == (Plan(), None, False)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"whole": 1.0}, "r.json.whole: expected a whole number, found 1.0"),
        ({"whole": True}, "r.json.whole: expected a whole number, found True"),
        ({"whole": None}, "r.json.whole: expected a whole number, found None"),
        ({"number": "1"}, "r.json.number: expected a number, found '1'"),
        ({"number": 10**400}, "r.json.number: expected a number, found 1000"),
        ({"number": float("inf")}, "r.json.number: expected a number, found inf"),
        ({"text": 1}, "r.json.text: expected text, found 1"),
        ({"flag": 1}, "r.json.flag: expected true or false, found 1"),
        ({"choice": "c"}, "r.json.choice: expected one of a, b, 3, found 'c'"),
        ({"choice": []}, "r.json.choice: expected one of a, b, 3, found []"),
        ({"choice": 3.0}, "r.json.choice: expected one of a, b, 3, found 3.0"),
        ({"maybe": "x"}, "r.json.maybe: expected a number, found 'x'"),
        ({"either": []}, "r.json.either: expected a number, found []"),
        ({"names": "x"}, "r.json.names: expected a list, found 'x'"),
        ({"names": ["x", 1]}, "r.json.names[1]: expected text, found 1"),
        ({"two": [1]}, "r.json.two: expected a list of 2, found [1]"),
        ({"two": ["x", 1]}, "r.json.two[0]: expected a whole number, found 'x'"),
        ({"inner": []}, "r.json.inner: expected an object, found []"),
        ({"inner": {}}, "r.json.inner has no 'name'"),
        ({"inner": {"name": "nobody"}}, "r.json.inner: a name like 'nobody'"),
        ({"several": [{"name": 1}]}, "r.json.several[0].name: expected text, found 1"),
        ({"by_name": []}, "r.json.by_name: expected an object, found []"),
        ({"by_name": {"a b": [1]}}, "r.json.by_name.a b: expected a list of 2, found [1]"),
        ({"by_name": {"a\nb": 1}}, r"r.json.by_name.'a\nb': expected a list, found 1"),
        ({"by_name": {"x" * 500: 1}}, "r.json.by_name.'xxx"),
        ({"floats": 1}, "r.json.floats: expected a list, found 1"),
        ({"floats": ["1"]}, "r.json.floats: expected numbers, found ['1']"),
        ({"floats": [True]}, "r.json.floats: expected numbers, found [True]"),
        ({"floats": [[1], 2]}, "r.json.floats: expected numbers, found [[1], 2]"),
        ({"floats": [float("inf")]}, "r.json.floats: expected numbers, found [inf]"),
        ({"floats": [10**400]}, "r.json.floats: expected numbers, found [1000"),
        ({"counts": [1.5]}, "r.json.counts: expected numbers, found [1.5]"),
        ({"counts": [None]}, "r.json.counts: expected numbers, found [None]"),
        ({"counts": [2**63]}, "r.json.counts: expected numbers, found [9223372036854775808]"),
        ({"flags": [1]}, "r.json.flags: expected numbers, found [1]"),
        ({"matrix": [[1, 2], [3]]}, "r.json.matrix: expected numbers, found [[1, 2], [3]]"),
        ({"point": [1]}, "r.json.point: expected an object, found [1]"),
        ({"plan": {"trials": 0}}, "r.json.plan: trials 0; give at least 1"),
        ({"text": ["x" * 500]}, "r.json.text: expected text, found ['xxx"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes: dict[str, Any], said: str) -> None:
    assert refusal(**changes).startswith(said)


@pytest.mark.parametrize("name", good())
def test_what_is_missing_is_named(name: str) -> None:
    whole = good()
    del whole[name]
    with pytest.raises(InputError, match=f"^r.json has no '{name}'; give a file that weigh"):
        decode(Everything, whole, "r.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("9" * 5000, "not JSON"),
        ('{"schema": "weigh/3", "x": NaN}', "not JSON"),
        ("[1, 2]", "found None"),
        ("null", "found None"),
        ('{"schema": ["weigh/3"]}', "found ['weigh/3']"),
        ('{"schema": "weigh/1"}', "a result of weigh 0.1"),
        (json.dumps({"schema": ["\n" * 1000]}), "…; give a result saved with"),
        ('{"schema": "weigh/9"}', "expected a result with the schema weigh/3, found 'weigh/9'"),
    ],
)
def test_what_is_no_document_gets_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "r.json")
    assert str(caught.value).startswith("r.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(list(good())), json_values)
def test_any_value_in_any_place_is_read_or_refused(name: str, value: Any) -> None:
    """What is read can be written, and is then read as the same."""
    said = ""
    try:
        text = document(decode(Everything, good() | {name: value}, "r"))
    except InputError as error:
        said = str(error)
    if said:
        assert said.startswith("r")
        assert "\n" not in said
    else:
        assert document(decode(Everything, parse(text, "r"), "r")) == text


@pytest.mark.parametrize(
    "value", [{1: 2}, {("a", "b"): 1}, object(), {1, 2}, 1j, [print], {None: 1}]
)
def test_what_no_document_can_hold_is_a_mistake_of_ours(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64("nan"), None),
        (-math.inf, None),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([0.5, np.inf]), [0.5, None]),
        (range(2), [0, 1]),
        (Point(0.5), {"x": 0.5, "label": "none"}),
        (2**80, 2**80),
        ({"a": (1, "x")}, {"a": [1, "x"]}),
    ],
)
def test_values_of_numpy_and_python(value: Any, expected: Any) -> None:
    found = encode(value)
    assert found == expected
    assert type(found) is type(expected)


SCORES = {"A": [1, 0, 1, 1, 0], "B": [0, 0, 1, 0, 1]}


def test_a_frame_is_of_the_library_that_was_given() -> None:
    table = {"system": ["A", "B"] * 3, "item": [1, 1, 2, 2, 3, 3], "score": [1, 0, 1, 1, 0, 1]}
    for library in ("pandas", "polars", "pyarrow"):
        module = pytest.importorskip(library)
        given = module.table(table) if library == "pyarrow" else module.DataFrame(table)
        assert isinstance(weigh.compare(given, trials=10).to_frame(), type(given))
        assert isinstance(weigh.score(given).to_frame(), type(given))


def test_a_frame_has_a_row_per_comparison_with_all_digits() -> None:
    pytest.importorskip("pandas")
    scores = {"A": [1, 2, 3, 4, 5, 6, 7, 9], "B": [1, 2, 2, 3, 6, 5, 7, 8]}
    result = weigh.compare(scores | {"C": [0.1 * n for n in range(8)]}, trials=10)
    frame = result.to_frame("pandas")
    assert frame["p_value"].tolist() == [pair.p_value for pair in result.comparisons]
    assert frame["low"].tolist() == [pair.interval[0] for pair in result.comparisons]
    assert frame[["wins", "ties", "losses"]].iloc[0].tolist() == [4, 3, 1]


def test_a_library_that_is_unknown_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = weigh.score(SCORES)
    with pytest.raises(weigh.UsageError, match="unsupported library 'dask'; give one of pandas"):
        result.to_frame("dask")
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(weigh.MissingExtraError, match="needs polars; run pip install polars"):
        result.to_frame("polars")
    with pytest.raises(weigh.MissingExtraError, match="needs pandas, polars or pyarrow; run"):
        result.to_frame()


def test_warnings_are_given_once_each_and_point_to_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = weigh.compare(SCORES)
    assert tuple(str(each.message) for each in caught) == result.warnings
    assert result.warnings
    assert {each.category for each in caught} == {weigh.WeighWarning}
    assert {each.filename for each in caught} == {__file__}


def test_the_command_gives_no_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("system,item,score\nA,1,1\nB,1,0\nA,2,1\nB,2,1\n", encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert main(["compare", str(path), "--trials", "10"]) == 0
    assert [each for each in caught if each.category is weigh.WeighWarning] == []
    assert "only 2 items" in capsys.readouterr().err
