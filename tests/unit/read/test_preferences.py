"""Answers to blind pairs from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from weigh.errors import InputError, UsageError
from weigh.read.preferences import Choice, read_choices


def _file(tmp_path: Path, text: str, name: str = "answers.csv") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_formats_say_the_same(tmp_path):
    wanted = (Choice("p1", "x", "left"), Choice("p1", "y", "neither"))
    texts = [
        "pair,judge,choice\np1,x,left\np1,y,Neither\n",
        "judge\tpair\tchoice\nx\tp1\tLEFT\ny\tp1\tneither\n",
        '{"pair": "p1", "judge": "x", "choice": "left"}\n'
        '{"pair": "p1", "judge": "y", "choice": "neither"}\n',
        "HITId,WorkerId,AssignmentStatus,Input.pair,Answer.choice,Approve,Reject\n"
        "h,x,Submitted,p1,left\nh,y,Approved,p1,neither,x,\n",
    ]
    for text in texts:
        assert read_choices([_file(tmp_path, text)]).choices == wanted


def test_what_is_left_out_is_counted(tmp_path):
    text = (
        "WorkerId,AssignmentStatus,Input.pair,Answer.choice,country\n"
        "x,Rejected,p1,left,DE\ny,Approved,p1,right,DE\nz,Approved,p1,right,US\n"
    )
    found = read_choices([_file(tmp_path, text)], {"country": "DE"})
    assert found.choices == (Choice("p1", "y", "right"),)
    assert [(each.why.partition(": ")[2], each.count) for each in found.omissions] == [
        ("rejected assignments", 1),
        ("answers without country=DE", 1),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pair,judge\np1,x\n", "no column choice or Answer.choice"),
        ("pair,judge,choice\np1,x,both\n", "row 2: the choice 'both'; expected left, right"),
        ("pair,judge,choice\n,x,left\n", "row 2: no pair or no judge"),
        (
            "pair,judge,choice\np1,x,left\np1,x,right\n",
            "row 3: the judge answers the pair 'p1' twice",
        ),
        ("pair,judge,choice\np1,x,left,more\n", "row 2 has 4 cells"),
    ],
)
def test_bad_rows_are_named(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read_choices([_file(tmp_path, text)])


def test_conditions_need_their_column(tmp_path):
    path = _file(tmp_path, "pair,judge,choice,country\np1,x,left,US\n")
    with pytest.raises(UsageError, match="did you mean 'country'"):
        read_choices([path], {"countri": "DE"})
    with pytest.raises(InputError, match="no answers are left"):
        read_choices([path], {"country": "DE"})
