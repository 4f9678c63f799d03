"""The numbers of lines that a sample is made of."""

from __future__ import annotations

import pytest

from weigh.errors import InputError
from weigh.read.sampled import lines_text, read_lines


def test_lines_read_back(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text(lines_text([3, 17, 5]))
    lines = read_lines(str(path))
    assert lines.numbers == (3, 17, 5)
    assert [lines.segment(key) for key in "123"] == ["3", "17", "5"]


@pytest.mark.parametrize("key", ["4", "0", "01", "doc-1", "-1"])
def test_segments_that_are_not_in_the_sample(tmp_path, key):
    path = tmp_path / "lines.txt"
    path.write_text("3\n17\n5\n")
    with pytest.raises(InputError, match=f"3 lines, but the segment '{key}' was judged"):
        read_lines(str(path)).segment(key)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3\nx\n", r"lines.txt:2: 'x', but a line number was expected"),
        ("3\n0\n", r"lines.txt:2: '0', but"),
        ("3\tby hand\n", r"lines.txt:1: '3\\tby hand', but"),
        ("3\t\n", r"lines.txt:1: '3\\t', but"),
        ("3\n4\n3\n", "one line twice"),
    ],
)
def test_files_that_are_no_lines(tmp_path, text, message):
    path = tmp_path / "lines.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_lines(str(path))
