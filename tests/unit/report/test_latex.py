from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from weigh.report.grid import Cell, Column, Grid
from weigh.report.latex import code, escape, render


def test_table_uses_booktabs() -> None:
    grid = Grid(
        [Column("System"), Column("TER", "lower")],
        [[[Cell("a_b"), Cell("31.00", best=True)]], [[Cell("50%"), Cell("100.00")]]],
    )
    text = render(grid, "What it shows")
    assert text.split("\n") == [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        r"\caption{What it shows}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"System & TER $\downarrow$ \\",
        r"\midrule",
        r"a\_b & \textbf{31.00} \\",
        r"\midrule",
        r"50\% & 100.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_what_would_start_an_argument_of_the_row_before_is_braced() -> None:
    assert escape("[x]") == "{[}x]"
    assert escape("*x") == "{*}x"


def test_ligatures_are_kept_apart() -> None:
    assert escape("a--b''c---d") == "a-{}-b'{}'c-{}-{}-d"


def test_greek_letters_and_signs_are_formulas() -> None:
    assert escape("βΩ") == r"$\beta$$\Omega$"
    assert escape("−1 ≤ 2–3") == r"$-$1 $\leq$ 2\textendash{}3"


def test_the_ends_of_intervals_stay_under_each_other() -> None:
    assert escape("[ 9.50, 10.00]") == r"{[}\phantom{0}9.50, 10.00]"
    assert escape("[19.50,   1.00]") == r"{[}19.50, \phantom{0}\phantom{0}1.00]"


def test_a_wide_table_is_set_smaller_and_a_note_stands_below() -> None:
    narrow, wide = (
        render(Grid([Column("x")] * size, [[[Cell("1")] * size]]), "C", "N") for size in (6, 7)
    )
    assert r"\footnotesize\setlength{\tabcolsep}{3pt}" in wide
    assert "tabcolsep" not in narrow
    assert narrow.index(r"\end{tabular}") < narrow.index("raggedright N}")


def test_other_engines_are_named_where_pdflatex_may_fail() -> None:
    known, unknown = (render(Grid([Column(name)], []), "C") for name in ("Šéβ–", "日本"))
    assert "LuaLaTeX" not in known
    assert unknown.split("\n")[1].startswith("% ")
    assert "LuaLaTeX" in unknown.split("\n")[1]


def test_signatures_may_break_between_fields() -> None:
    assert code("a|b") == r"\texttt{a\textbar{}\allowbreak{}b}"


@given(st.text())
def test_no_special_character_is_left(text: str) -> None:
    known = re.compile(
        r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|char34"
        r"|textasciigrave|textendash)\{\}|\\[{}$&#_%]|\{\[\}|\{\*\}|(?<=[-',])\{\}(?=[-',])"
        r"|\\phantom\{0\}|\$(?:-|\\[A-Za-z]+)\$"
    )
    rest = known.sub("", escape(text))
    assert not re.search(r'[\\{}$&#_%~^<>|"`\[*\n\r\t\x00-\x1f]', rest)
