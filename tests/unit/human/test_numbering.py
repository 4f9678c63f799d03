"""Judges by number: nothing but their names changes."""

from __future__ import annotations

from dataclasses import replace

from weigh.human.conduct import conduct_of, tasks_of
from weigh.human.numbering import in_order, numbered, numbers
from weigh.types import Judgment


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


def test_tasks_are_told_apart_as_with_names() -> None:
    """An export without tasks names the judge in their place."""
    named = [answer("alice", "alice", place) for place in range(15)]
    [(judge, hit)] = {(one.judge, one.hit) for one in numbered(named)}
    assert judge == hit == "judge 1"
    assert len(tasks_of(named)) == len(tasks_of(numbered(named))) == 3
    assert conduct_of(named) == conduct_of(numbered(named))


def test_hits_that_files_name_stay() -> None:
    own = [answer("alice", "HIT7", place) for place in range(3)]
    assert [replace(one, judge="alice") for one in numbered(own)] == own


def test_numbers_within_names_count_as_numbers_however_long() -> None:
    names = ["w10", "w9", "w" + "9" * 5000, "w007", "x"]
    assert sorted(names, key=in_order) == ["w007", "w9", "w10", "w" + "9" * 5000, "x"]
    assert numbers(reversed(names)) == numbers(names)
