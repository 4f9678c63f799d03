"""MQM annotations: errors of a text are added up, with the published weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import read_judgments
from weigh.errors import InputError
from weigh.read.judgment_tables import weight

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def written(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    return str(path)


def row(system: str, segment: int, rater: str, category: str, severity: str) -> str:
    return f"{system}\tdoc1\t1\t{segment}\t{rater}\tsrc\ta <v>b</v>\t{category}\t{severity}"


@pytest.mark.parametrize(
    ("severity", "category", "expected"),
    [  # Freitag et al. 2021, table 4
        ("Major", "Non-translation!", 25),
        ("Major", "Accuracy/Omission", 5),
        ("Minor", "Fluency/Punctuation", 0.1),
        ("Minor", "Style/Awkward", 1),
        ("Neutral", "Other", 0),
        ("no-error", "No-error", 0),
        ("No error", "No-error", 0),
        ("Grave", "Other", None),
    ],
)
def test_weights(severity: str, category: str, expected: float | None) -> None:
    assert weight(severity, category) == expected


def test_errors_are_added_up(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        row("A", 1, "r1", "Accuracy/Mistranslation", "Major"),
        row("A", 1, "r2", "No-error", "No-error"),
        row("A", 1, "r1", "Fluency/Punctuation", "Minor"),
        row("A", 1, "r1", "Accuracy/Mistranslation", "Major"),
        row("B", 1, "r1", "Style/Awkward", "Minor"),
    )
    read = read_judgments([path], pair="en-de")
    found = {(one.judge, one.system): one.value for one in read.judgments}
    assert found == {("r1", "A"): pytest.approx(-10.1), ("r2", "A"): 0, ("r1", "B"): -1}
    assert {(one.pair, one.scale, one.hit, one.segment) for one in read.judgments} == {
        ("en-de", "mqm", "doc1", "1")
    }


def test_bad_rows(tmp_path: Path) -> None:
    path = written(tmp_path, row("A", 1, "r1", "x", "Minor"), row("A", 2, "r1", "x", "Grave"))
    with pytest.raises(InputError, match="row 3: unknown severity 'Grave'; expected one of major"):
        read_judgments([path])
    path = written(tmp_path, row("A", 1, "", "x", "Minor"))
    with pytest.raises(InputError, match="row 2: the rater is empty; fill it in"):
        read_judgments([path])
