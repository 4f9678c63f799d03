from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.errors import InputError, UsageError
from weigh.read import read_inputs, read_systems, read_test_set
from weigh.read.inputs import FileArgument, file_names
from weigh.types import TestSet


def test_line_counts_are_compared(write, complaint) -> None:
    ref, short = write("ref.en", "a\n" * 3000), write("sysB.en", "a\n" * 2999)
    long = write("long.en", "a\n" * 3001)
    expected = "sysB.en: 2,999 lines, but ref.en has 3,000; look for a missing last line"
    assert complaint(read_inputs, [short], [ref]) == expected
    assert complaint(read_test_set, [ref, short]) == expected
    assert complaint(read_test_set, [ref], short) == expected
    assert complaint(read_test_set, [ref], None, short) == expected
    assert complaint(read_test_set, [ref], None, None, short) == expected
    assert complaint(read_inputs, [long], [ref]) == (
        "long.en: 3,001 lines, but ref.en has 3,000; check that both belong to the same test set"
    )
    assert complaint(read_systems, [short], TestSet([["a"] * 3000])) == (
        "sysB.en: 2,999 lines, but the test set has 3,000; look for a missing last line"
    )


def test_nothing_given(write, complaint) -> None:
    ref = write("ref", "a\n")
    assert complaint(read_test_set, []) == "no reference given; add one with --ref FILE"
    assert complaint(read_inputs, [ref], []).startswith("no reference given")
    assert complaint(read_inputs, [], [ref]).startswith("no system given")
    assert complaint(read_test_set, [], ref).startswith("no reference given")
    assert read_test_set([], ref, references_needed=False).sources == ("a",)


def test_a_source_can_give_the_order(write) -> None:
    source = write("src.tsv", "id\ttext\n2\tb\n1\ta\n")
    output = write("out.tsv", "id\ttext\n1\tA\n2\tB\n")
    test_set, systems = read_inputs([output], [], source, references_needed=False)
    assert (test_set.references, test_set.ids) == ((), ("2", "1"))
    assert systems[0].outputs.texts == ("B", "A")


parts = st.sampled_from(["a", "b", "c"])


@settings(deadline=None)
@given(st.lists(st.lists(parts, min_size=1, max_size=4).map("/".join), unique=True, max_size=6))
def test_different_paths_have_different_names(paths: list[str]) -> None:
    names = file_names(paths)
    assert len(set(names)) == len(paths)
    for name, path in zip(names, paths, strict=True):
        assert f"/{path}".endswith(f"/{name}")


def test_runs(write, complaint) -> None:
    ref = write("ref", "t\n")
    _, systems = read_inputs(["A@1=ref", "A@2=ref", "x@y@3=ref", "B=ref"], [ref])
    assert [(s.name, s.run) for s in systems] == [
        ("A", "1"),
        ("A", "2"),
        ("x@y", "3"),
        ("B", None),
    ]
    assert "two runs are called 1" in complaint(read_inputs, ["A@1=ref", "A@1=ref"], [ref])
    assert "two systems have this name" in complaint(read_inputs, ["A@1=ref", "A=ref"], [ref])


@pytest.mark.parametrize("arguments", [["ref", "ref"], ["A=ref", "A=ref"], ["ref", "ref=./ref"]])
def test_two_systems_of_one_name(write, arguments) -> None:
    write("ref", "t\n")
    with pytest.raises(UsageError, match="two systems have this name"):
        read_inputs(arguments, ["ref"])


@pytest.mark.parametrize("argument", ["=ref", "A=", "A@=ref", "@1=ref", "="])
def test_malformed_arguments(write, complaint, argument) -> None:
    write("ref", "t\n")
    assert complaint(read_inputs, [argument], ["ref"]) == (
        f"{argument}: no such file, and not NAME=path or NAME@RUN=path either"
    )


def test_an_existing_path_wins(write) -> None:
    for name in ("A=b", "b", "A@1=b", "x.xml#y"):
        write(name, "t\n")
        assert FileArgument.parse(name) == FileArgument(name)
    assert FileArgument.parse("C=A=b") == FileArgument("A=b", name="C")


def test_standard_input_is_a_system(write, type_in, complaint) -> None:
    ref = write("ref", "t\n")
    type_in(b"x\n")
    assert read_inputs(["-"], [ref])[1][0].name == "stdin"
    type_in(b"x\n")
    assert read_inputs(["mine=-"], [ref])[1][0].outputs.texts == ("x",)
    type_in(b"x\n")
    assert "only once" in complaint(read_inputs, ["A=-", "B=-"], [ref])
    type_in(b"x\n")
    assert "only once" in complaint(read_inputs, ["-"], ["-"])


def test_references_of_one_system(write) -> None:
    for name, text in {"ref": "r\n", "a": "a\n", "b": "b\n", "pa": "pa\n", "pb": "pb\n"}.items():
        write(name, text)
    test_set, systems = read_inputs(["a", "B=b"], ["ref", "B=pb", "a=pa"])
    assert test_set.references == (("r",),)
    assert [system.references for system in systems] == [(("pa",),), (("pb",),)]
    assert read_systems(["a", "B=b"], test_set, {"a": ["pa"], "B": ["pb"]}) == systems


def test_references_of_systems_alone(write, type_in) -> None:
    for name in ("a", "b", "pa", "pb"):
        write(name, f"{name}1\n{name}2\n")
    test_set, systems = read_inputs(["a", "b"], ["a=pa", "b=pb"])
    assert test_set == TestSet(references=(), ids=("1", "2"))
    assert [s.references for s in systems] == [(("pa1", "pa2"),), (("pb1", "pb2"),)]
    type_in(b"x\ny\n")
    _, systems = read_inputs(["a"], ["a=-"])
    assert systems[0].references == (("x", "y"),)


def test_own_references_of_runs(write) -> None:
    for name in ("out", "p", "p1", "p2"):
        write(name, f"{name}\n")
    _, systems = read_inputs(["A@1=out", "A@2=out"], ["A=p", "A@1=p1", "A@2=p2"])
    assert [s.references for s in systems] == [(("p",), ("p1",)), (("p",), ("p2",))]


def test_bad_own_references(write, complaint) -> None:
    for name in ("ref", "sysA", "sysB", "post"):
        write(name, "t\n")
    write("short", "t\nu\n")
    assert complaint(read_inputs, ["sysA"], ["ref", "zzz=post"]) == (
        "zzz: a reference is given for it, but no system has this name; there is only 'sysA'"
    )
    assert "did you mean 'sysa'?" in complaint(read_inputs, ["sysa=ref"], ["ref", "sysb=post"])
    with pytest.raises(InputError) as caught:
        read_inputs(["sysA", "sysB"], ["ref", "sysB=post"])
    assert str(caught.value) == (
        "sysA: 0 references, but sysB has 1; give every system the same number"
    )
    assert complaint(read_inputs, ["sysA"], ["ref", "sysA=short"]) == (
        "short: 2 lines, but ref has 1; check that both belong to the same test set"
    )


def test_reading_loads_nothing_heavy() -> None:
    code = (
        "import sys, weigh.read; "
        "print([m for m in ('numpy', 'json', 'gzip', 'defusedxml', 'xml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
