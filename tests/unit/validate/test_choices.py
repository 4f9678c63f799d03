"""Choices that are written are read back as they were, by what is known of judges too."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weigh.errors import InputError, UsageError
from weigh.read.preferences import Choice, Choices, read_choices
from weigh.read.records import parsed_number
from weigh.validate.choices import WRITERS, as_jsonl, as_mturk, as_tsv

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
HOSTILE = ["=1+1", "-x", "@a", "'=1", '"', ",", "\t", "\n", "\r\n", "{", "שלום", "\u202ea", "p 1"]

_names = (
    st.lists(st.sampled_from(HOSTILE) | st.text("ab1", max_size=2), max_size=3)
    .map(lambda parts: "".join(parts).strip())
    .filter(bool)
)
_answers = st.sampled_from(["left", "right", "neither"])
_choices = st.dictionaries(st.tuples(_names, _names), _answers, min_size=1, max_size=8).map(
    lambda given: [Choice(pair, judge, answer) for (pair, judge), answer in given.items()]
)


def read_back(text: str, only: Mapping[str, str] | None = None) -> Choices:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "choices"
        path.write_bytes(text.encode())
        return read_choices([str(path)], only)


def fits(form: str, *texts: str) -> bool:
    return form != "tsv" or not any(set(text) & set("\t\n\r") for text in texts)


@pytest.mark.parametrize("form", list(WRITERS))
@given(choices=_choices, names=st.lists(_names, min_size=1, max_size=3))
@example(choices=[Choice("'=1", "''-1", "left")], names=["-1"])
def test_choices_come_back(form: str, choices: list[Choice], names: list[str]) -> None:
    judges = dict.fromkeys(each.judge for each in choices)
    countries = {judge: names[at % len(names)] for at, judge in enumerate(judges)}
    about = {judge: {"country": country} for judge, country in countries.items()}
    texts = [text for each in choices for text in (each.pair, each.judge)]
    if not fits(form, *texts, *countries.values()):
        with pytest.raises(InputError, match="has a tab or a line end"):
            WRITERS[form](choices, about)
        return
    text = WRITERS[form](choices, about)
    found = read_back(text)
    assert (list(found.choices), found.omissions) == (choices, ())
    for country in set(countries.values()):
        wanted = [each for each in choices if countries[each.judge] == country]
        assert list(read_back(text, {"country": country}).choices) == wanted


@given(_choices)
def test_no_cell_is_a_formula(choices: list[Choice]) -> None:
    about = {each.judge: {"country": "=1+1", "@age": "+1 or so"} for each in choices}
    for row in csv.reader(io.StringIO(as_mturk(choices, about), newline="")):
        for cell in row:
            assert not cell.startswith(FORMULAS) or parsed_number(cell) is not None


def test_the_forms() -> None:
    choices = [Choice("p1", "ann", "left"), Choice("p1", "=bob", "neither")]
    about = {"ann": {"country": "DE"}}
    assert as_tsv(choices, about) == (
        "pair\tjudge\tchoice\tcountry\np1\tann\tleft\tDE\np1\t=bob\tneither\t\n"
    )
    assert [json.loads(line) for line in as_jsonl(choices, about).splitlines()] == [
        {"pair": "p1", "judge": "ann", "choice": "left", "country": "DE"},
        {"pair": "p1", "judge": "=bob", "choice": "neither"},
    ]
    assert as_mturk(choices) == (
        '"Input.pair","WorkerId","Answer.choice"\r\n"p1","ann","left"\r\n'
        '"p1","\'=bob","neither"\r\n'
    )


@pytest.mark.parametrize("form", list(WRITERS))
def test_rejected_judges(form: str) -> None:
    choices = [Choice("p1", "ann", "left"), Choice("p1", "bob", "right")]
    found = read_back(WRITERS[form](choices, {"bob": {"AssignmentStatus": "Rejected"}}))
    assert found.choices == (choices[0],)
    assert [(each.why.rpartition(": ")[2], each.count) for each in found.omissions] == [
        ("rejected assignments", 1)
    ]


@pytest.mark.parametrize("name", ["pair", "choice", "WorkerId", "AssignmentId", ""])
def test_columns_that_are_not_about_judges(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be a column about judges"):
        as_tsv([Choice("p1", "ann", "left")], {"ann": {name: "x"}})
