from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.report.grid import visible, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[2J", r"\x1b[2J"),
        ("next\x85line", r"next\x85line"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("abc\u202edef", r"abc\u202edef"),
        ("bad\udcffbyte", r"bad\udcffbyte"),
        ("न\u200dहीं", "न\u200dहीं"),
        ("日本\u3000語", "日本\u3000語"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_visible_is_one_safe_line(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in shown)
    shown.encode("utf-8")
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("abc", 3),
        ("日本語", 6),
        ("ｱｲｳ", 3),
        ("ＡＢ", 4),
        ("e\u0301", 1),
        ("한국", 4),
        ("\u1112\u1161\u11ab", 2),
        ("a\u200db", 2),
        ("🙂", 2),
        ("±", 1),
    ],
)
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells
