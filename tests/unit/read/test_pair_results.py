"""Choices between two outputs as Mechanical Turk returns them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from weigh.errors import InputError
from weigh.read.answers import Preferences
from weigh.read.judgments import read_answers

SITE = {"HITId": "H", "WorkerId": "W1", "AssignmentStatus": "Approved", "Input.src": "'de'"} | {
    "Input.trg": "'en'"
}
PAIRS = [
    ("'A'", "'B'", "'1'", "'SYSTEM'", "", "left"),
    ("'A'", "'C'", "'2'", "'SYSTEM'", "", "right"),
    ("'B'", "'A'", "'1'", "'REPEAT'", "", "neither"),
    ("'A'", "'A'", "'3'", "'BAD_REF'", "left", "right"),
    ("'C'", "'C'", "'4'", "'BAD_REF'", "right", "right"),
]


def row(pairs: list[tuple[str, ...]] = PAIRS, **site: str) -> dict[str, str]:
    made = SITE | site
    for at, (left, right, segment, kind, better, choice) in enumerate(pairs):
        cells = {"left": left, "right": right, "sid": segment, "tst": kind, "better": better}
        made |= {f"Input.{name}_{at}": cell for name, cell in cells.items()}
        made[f"Answer.choice_{at}"] = choice
    return made


def read(path: Path, *rows: dict[str, str], skip: bool = False) -> Preferences:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    found = read_answers([str(path)], bad_rows="skip" if skip else "refuse")
    assert isinstance(found, Preferences)
    return found


def test_choices(tmp_path: Path) -> None:
    rejected = row(WorkerId="W2", AssignmentStatus="Rejected")
    empty = row([*PAIRS[:4], ("", "", "", "", "", "")], WorkerId="W3", HITId="G")
    found = read(tmp_path / "batch.csv", row(), rejected, empty)
    told = [(one.winner, one.loser, one.tied, one.first) for one in found.preferences]
    expected = [("A", "B", False, "A"), ("C", "A", False, "A"), ("B", "A", True, "B")]
    assert told == [*expected, *expected]
    assert [one.judge for one in found.preferences] == ["W1"] * 3 + ["W3"] * 3
    assert [one.segment for one in found.preferences[:3]] == ["1", "2", "1"]
    assert [each.count for each in found.omissions] == [3, 5]
    assert "control pairs" in found.omissions[0].why
    assert "rejected" in found.omissions[1].why
    # The controls, by which judges are tested: the damaged text beside the one it was made from.
    bad = [one for one in found.judgments if one.kind == "bad"]
    assert [(one.judge, one.system, one.value) for one in bad] == [
        ("W1", "A", 100), ("W1", "C", 0), ("W3", "A", 100),
    ]  # fmt: skip
    originals = {(one.judge, one.item): one.value for one in found.judgments}
    assert [originals[one.judge, one.of] for one in bad] == [0, 100, 0]
    assert {(one.scale, one.pair) for one in found.judgments} == {("preference", "de-en")}


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("'A'", "'B'", "'1'", "'SYSTEM'", "", "both"), "the choice 'both'"),
        (("'A'", "'A'", "'1'", "'SYSTEM'", "", "left"), "'A' against 'A'; expected two systems"),
        (("'A'", "'B'", "'1'", "'OTHER'", "", "left"), "the type 'OTHER'"),
    ],
)
def test_bad_rows(tmp_path: Path, pair: tuple[str, ...], message: str) -> None:
    pairs = [PAIRS[0], pair]
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path / "batch.csv", row(pairs))
    assert "\n" not in str(caught.value)
    kept = read(tmp_path / "batch.csv", row(PAIRS[:2]), row(pairs, WorkerId="W2"), skip=True)
    assert {one.judge for one in kept.preferences} == {"W1"}
