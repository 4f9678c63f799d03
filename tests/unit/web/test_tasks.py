"""Directories become batches of screens; what judges must not know stays out of these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unit.web.campaign_files import (
    HOSTILE,
    assessment,
    blind_pair,
    key_of,
    labels_shown,
    query,
    write_lines,
)
from weigh.errors import InputError, UsageError
from weigh.web.screens import Passage, decoded, encoded, read_answers
from weigh.web.tasks import read_tasks


def test_every_kind_is_known_by_its_lines(tmp_path: Path) -> None:
    write_lines(tmp_path / "adequacy.jsonl", [assessment()])
    write_lines(tmp_path / "fluency.jsonl", [assessment("fluency-0001", scale="fluency")])
    write_lines(tmp_path / "hits.jsonl", [query()])
    write_lines(tmp_path / "pairs.jsonl", [blind_pair()])
    (tmp_path / "key.json").write_text(json.dumps(key_of(["p0000000001"])))
    tasks = read_tasks(tmp_path)
    assert tasks.kinds == ["adequacy", "fluency", "rypt", "preference"]
    assert (tasks.pair, tasks.judges_per_item) == ("de-en", 3)
    assert [len(batch.items) for batch in tasks.batches] == [4, 4, 1, 1]
    shown = [encoded(item.screen) for batch in tasks.batches for item in batch.items]
    assert not [text for text in shown if "secret" in text or '"bad"' in text]
    assert [decoded(text) for text in shown] == [
        item.screen for batch in tasks.batches for item in batch.items
    ]


def test_what_is_not_shown_is_kept_beside(tmp_path: Path) -> None:
    write_lines(tmp_path / "adequacy.jsonl", [assessment()])
    write_lines(tmp_path / "hits.jsonl", [query()])
    damaged, labelled = (batch.items[-1] for batch in read_tasks(tmp_path).batches)
    assert dict(damaged.about) == {
        "number": 4,
        "kind": "bad",
        "system": "secret-0",
        "segment": "4",
        "of": 1,
        "hit": "adequacy-0001",
        "pair": "de-en",
        "scale": "adequacy",
    }
    assert labelled.about["substrings"] == {"label_1": "w0", "label_2": "w1"}
    assert (labelled.about["start"], labelled.about["end"]) == (2, 3)


def test_fluency_shows_no_reference_and_adequacy_does(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    write_lines(tmp_path / "f.jsonl", [assessment("f", scale="fluency")])
    adequacy, fluency = (batch.items[0].screen for batch in read_tasks(tmp_path).batches)
    assert labels_shown(adequacy) == ["Reference", "Text to rate"]
    assert labels_shown(fluency) == ["Text to rate"]


@pytest.mark.parametrize(
    ("text", "marks", "pieces"),
    [
        ("a b c", ((1, 2),), [("a ", False), ("b", True), (" ", False), ("c", False)]),
        ("a b c", ((0, 3),), [("a b c", True)]),
        ("a b c", ((0, 1), (2, 3)), [("a", True), (" ", False), ("b ", False), ("c", True)]),
        ("a b", (), [("a b", False)]),
    ],
)
def test_marks_are_runs_of_words(
    text: str, marks: tuple[tuple[int, int], ...], pieces: list[tuple[str, bool]]
) -> None:
    made = Passage("", text, marks).pieces
    assert [tuple(piece) for piece in made] == pieces
    assert "".join(piece.text for piece in made) == text


def test_answers_are_checked_against_the_questions(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    write_lines(tmp_path / "hits.jsonl", [query()])
    rated, labelled = (batch.items[0].screen for batch in read_tasks(tmp_path).batches)
    assert read_answers(rated, {"score": " 70 "}).answers == {"score": 70}
    for wrong in ("", "-1", "101", "7.5", "1e2", "٣", "9" * 400, HOSTILE):
        assert list(read_answers(rated, {"score": wrong}).faults) == ["score"]
    read = read_answers(labelled, {"label_1": "NOT SURE", "label_2": "MAYBE", "label_3": "YES"})
    assert (read.answers, list(read.faults)) == ({"label_1": "NOT SURE"}, ["label_2"])


def test_training_says_what_is_expected(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    lines = [
        {"scale": "adequacy", "text": "x", "reference": "y", "expected": [60, 100]},
        {**query(), "expected": ["YES", "NO"], "feedback": "because"},
        {"left": "a", "right": "b", "expected": "left"},
    ]
    write_lines(tmp_path / "training.jsonl", lines)
    rated, labelled, paired = read_tasks(tmp_path).training
    assert rated.items[0].expected[0].fits({"score": 60})
    assert not rated.items[0].expected[0].fits({"score": 59})
    assert [
        each.fits({"label_1": "YES", "label_2": "YES"}) for each in labelled.items[0].expected
    ] == [
        True,
        False,
    ]
    assert labelled.items[0].feedback == "because"
    assert paired.items[0].expected[0].fits({"choice": "left"})


def complaint(folder: Path) -> str:
    with pytest.raises((InputError, UsageError)) as caught:
        read_tasks(folder)
    said = str(caught.value)
    assert said.isprintable()
    return said


def test_what_is_no_directory_of_tasks_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "not a directory" in complaint(tmp_path / "nothing")
    assert "no tasks" in complaint(tmp_path)
    for text, said in (
        ("nonsense", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"a": 1}', "neither a HIT nor a pair"),
        ("[" * 100_000, "not JSON"),
        ('{"scale": "adequacy", "items": []}', "nothing to judge"),
        ('{"scale": "adequacy", "items": [3]}', "incomplete"),
        ('{"scale": "fluency", "items": [{"text": 3}]}', "expected a text"),
        ('{"scale": "fluency", "items": [{"text": "a"}]}', "hit is"),
        ('{"alternatives": [], "source": "a", "start": 0, "end": 1}', "nothing to judge"),
        ('{"alternatives": [{}], "source": "a"}', "incomplete"),
        ('{"left": "a", "right": "b"}', "without its name"),
        ('{"pair": "p", "left": "\\ud800", "right": "b"}', "surrogate"),
        (json.dumps({**query(), "end": 9}), "not in the source"),
        (json.dumps({**query(), "reference_places": [99]}), "not all in"),
    ):
        (tmp_path / "hits.jsonl").write_text(text)
        assert said in complaint(tmp_path), text


def test_training_without_an_expected_answer_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    write_lines(tmp_path / "training.jsonl", [{"scale": "fluency", "text": "x"}])
    assert "no expected answer" in complaint(tmp_path)
    write_lines(tmp_path / "training.jsonl", [{**query(), "expected": ["YES"]}])
    assert "1 expected answers to 2 questions" in complaint(tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"left": "a", "right": "b", "expected": "first"}, "left, right, neither"),
        ({"scale": "fluency", "text": "a", "expected": [100, 70]}, "a range as [70, 100]"),
        ({"scale": "fluency", "text": "a", "expected": 101}, "from 0 to 100"),
        ({"scale": "fluency", "text": "a", "expected": 70.5}, "a whole number"),
        ({"scale": "fluency", "text": "a", "expected": "high"}, "a whole number"),
        ({"scale": "adequacy", "text": "a", "expected": 70}, "no reference"),
        ({**query(), "expected": ["YES", "MAYBE"]}, "YES, NO, NOT SURE"),
    ],
)
def test_what_nobody_can_answer_is_not_expected(
    tmp_path: Path, line: dict[str, object], said: str
) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    write_lines(tmp_path / "training.jsonl", [line])
    assert said in complaint(tmp_path)


def test_instructions_are_of_all_kinds_that_come(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [assessment()])
    line = {"scale": "fluency", "text": "a", "expected": 70.0}
    write_lines(tmp_path / "training.jsonl", [line])
    tasks = read_tasks(tmp_path)
    assert tasks.kinds == ["adequacy", "fluency"]
    assert tasks.training[0].items[0].expected[0].fits({"score": 70})


def test_a_key_of_other_pairs_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "pairs.jsonl", [blind_pair()])
    (tmp_path / "key.json").write_text(json.dumps(key_of(["another"])))
    assert "the key of different pairs" in complaint(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        {"pairs": 0},
        {"pairs": [0]},
        {"pairs": [{}]},
        {"pairs": [{"pair": []}]},
        {"judges": 10**30},
        {"judges": 0},
        {"note": "\ud800"},
    ],
)
def test_a_damaged_key_is_refused(damage: dict[str, object], tmp_path: Path) -> None:
    write_lines(tmp_path / "pairs.jsonl", [blind_pair("p0000000001")])
    (tmp_path / "key.json").write_text(json.dumps(key_of(["p0000000001"]) | damage))
    assert "key.json: not a key of blind pairs" in complaint(tmp_path)


def test_the_same_tasks_have_the_same_digest(tmp_path: Path) -> None:
    write_lines(tmp_path / "one" / "a.jsonl", [assessment()])
    write_lines(tmp_path / "two" / "a.jsonl", [assessment()])
    write_lines(tmp_path / "three" / "a.jsonl", [assessment(text="Other")])
    one, two, three = (read_tasks(tmp_path / name).digest for name in ("one", "two", "three"))
    assert one == two != three
