"""Judges by number: nothing but their names changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unit.human.judgments import one
from weigh.errors import InputError
from weigh.human.conduct import conduct_of, tasks_of
from weigh.human.judgments import (
    as_answers,
    as_jsonl,
    in_order,
    judged_names,
    numbers,
    read_judgments,
    renamed,
    with_scores,
)
from weigh.read.answers import Judgments
from weigh.types import Judgment, Preference


def answer(judge: str, hit: str, place: int) -> Judgment:
    minute = place + 45 * (place // 5)  # a pause after every five answers
    return Judgment(
        judge=judge,
        hit=hit,
        pair="de-en",
        kind="system",
        system="A",
        segment=str(place),
        value=50.0 + place,
        seconds=20.0,
        at=f"2024-01-01T{minute // 60:02}:{minute % 60:02}:00",
    )


def numbered(judgments: list[Judgment]) -> tuple[Judgment, ...]:
    return renamed(judgments, numbers(one.judge for one in judgments))


def test_tasks_are_told_apart_as_with_names() -> None:
    """An export without tasks names the judge in their place."""
    named = [answer("alice", "alice", place) for place in range(15)]
    [(judge, hit)] = {(one.judge, one.hit) for one in numbered(named)}
    assert judge == hit == "judge 1"
    assert len(tasks_of(named)) == len(tasks_of(numbered(named))) == 3
    assert replace(conduct_of(named), judge="judge 1") == conduct_of(numbered(named))


def test_hits_that_files_name_stay() -> None:
    own = [answer("alice", "HIT7", place) for place in range(3)]
    assert [replace(one, judge="alice") for one in numbered(own)] == own


def test_numbers_within_names_count_as_numbers_however_long() -> None:
    names = ["w10", "w9", "w" + "9" * 5000, "w007", "x"]
    assert sorted(names, key=in_order) == ["w007", "w9", "w10", "w" + "9" * 5000, "x"]
    assert numbers(reversed(names)) == numbers(names)


@pytest.mark.parametrize("value", [0.0, 12.5])
def test_judgments_can_be_read_again(value: float, tmp_path: Path) -> None:
    answers = (
        one("A\t\u2028", 1, value, seconds=0.0, at="2024-01-01T00:00:00+00:00", item="1", of="2"),
        one("B", 1, 7, rejected=True),
    )
    path = tmp_path / "kept.jsonl"
    path.write_text(as_jsonl(answers), encoding="utf-8")
    assert read(path, names=True).judgments == answers


def read(path: Path, **options: object) -> Judgments:
    answers = read_judgments(str(path), **options)  # type: ignore[arg-type]
    assert isinstance(answers, Judgments)
    return answers


def test_judges_are_numbered_unless_their_names_are_asked_for(tmp_path: Path) -> None:
    own = [answer(judge, "h", 1) for judge in ("w10", "w9")]
    path = tmp_path / "own.jsonl"
    path.write_text(as_jsonl(own), encoding="utf-8")
    found = read(path)
    assert [each.judge for each in found.judgments] == ["judge 2", "judge 1"]
    assert renamed(found.judgments, found.names) == tuple(own)
    assert read(path, names=True).judgments == tuple(own)


def test_answers_of_two_kinds_are_refused() -> None:
    mixed = [answer("w", "h", 1), Preference("A", "B", "1")]
    with pytest.raises(InputError, match="answers of several kinds"):
        as_answers(mixed)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="relative rankings, but judgments with scores"):
        with_scores([Preference("A", "B", "1")])


class TestNamesOfFiles:
    """`KIT.en.gz` is the system that people judged as `KIT`."""

    @pytest.mark.parametrize(
        "name", ["KIT", "KIT.en", "KIT.en.txt", "newstest2013.KIT.cs-en", "KIT/out.en", "x/KIT.en"]
    )
    def test_they_are_found_between_dots_and_slashes(self, name: str) -> None:
        assert judged_names([name, "other.en"], ["KIT", "RWTH"]) == {name: "KIT"}

    @pytest.mark.parametrize("name", ["kit.en", "KITT.en", "KIT-2.en", "", "."])
    def test_others_are_others(self, name: str) -> None:
        assert judged_names([name], ["KIT", "RWTH"]) == {}

    def test_names_with_dots(self) -> None:
        assert judged_names(["JHU.2903.en"], ["JHU.2903"]) == {"JHU.2903.en": "JHU.2903"}

    def test_a_name_that_is_judged_is_itself(self) -> None:
        assert judged_names(["KIT", "KIT.2"], ["KIT"]) == {"KIT": "KIT"}
        assert judged_names(["A.B", "A"], ["A", "B"]) == {"A": "A", "A.B": "B"}

    def test_of_two_names_one_within_the_other_the_longer_counts(self) -> None:
        judged = ["KIT", "KIT.2"]
        found = judged_names(["KIT.2.en.gz", "KIT.en"], judged)
        assert found == {"KIT.2.en.gz": "KIT.2", "KIT.en": "KIT"}
        # Nor is it the shorter where the longer stands for itself.
        found = judged_names(["KIT.2", "KIT.2.en", "KIT.en"], judged)
        assert found == {"KIT.2": "KIT.2", "KIT.en": "KIT"}

    def test_two_are_never_guessed_between(self) -> None:
        with pytest.raises(
            InputError, match=r"^A\.B\.en may be A or B, both of which people judged; "
        ):
            judged_names(["A.B.en"], ["A", "B"])
        with pytest.raises(InputError, match=r"^A\.en and A\.de may both be A, which people "):
            judged_names(["A.en", "A.de"], ["A", "B"])
