from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from weigh.report.latex import escape


def test_what_would_start_an_argument_of_the_row_before_is_braced() -> None:
    assert escape("[x]") == "{[}x]"
    assert escape("*x") == "{*}x"


def test_ligatures_are_kept_apart() -> None:
    assert escape("a--b''c---d") == "a-{}-b'{}'c-{}-{}-d"


def test_greek_letters_and_signs_are_formulas() -> None:
    assert escape("βΩ") == r"$\beta$$\Omega$"
    assert escape("−1 ≤ 2–3") == r"$-$1 $\leq$ 2\textendash{}3"


@given(st.text())
def test_no_special_character_is_left(text: str) -> None:
    known = re.compile(
        r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|char34"
        r"|textasciigrave|textendash)\{\}|\\[{}$&#_%]|\{\[\}|\{\*\}|(?<=[-',])\{\}(?=[-',])"
        r"|\\phantom\{0\}|\$(?:-|\\[A-Za-z]+)\$"
    )
    rest = known.sub("", escape(text))
    assert not re.search(r'[\\{}$&#_%~^<>|"`\[*\n\r\t\x00-\x1f]', rest)
