"""All LaTeX that is written is well-formed, and says what it should, whatever the names."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report.latex_syntax import LETTERS, check, command_of, read, rows, titles
from unit.report.made.compare import compare_result, score_result
from weigh.report.grid import visible
from weigh.report.latex import escape

HOSTILE = [
    r"\input{/etc/passwd}",
    r"\\",
    "{",
    "}}",
    "$x_1^2$",
    "a & b",
    "50% off",
    "#1",
    "~^_",
    "[2ex]",
    "*",
    "---''``,,",
    '"<|>"',
    "two\nlines\tand\x1b[31m",
    "\u2028\u202e",
    "  spaces  ",
    "é β Ω − ≤ – 日本",
    "\\end{tabular}",
]
names = st.lists(
    st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=12),
    min_size=2,
    max_size=5,
    unique_by=lambda name: visible(name).strip(),
)


@given(st.text() | st.sampled_from(HOSTILE))
def test_text_is_set_as_it_is(text: str) -> None:
    assert read(escape(text)) == visible(text).replace("\u2007", " ").strip(" ")


def test_greek_letters_are_known_by_their_names() -> None:
    for letter in LETTERS:
        assert escape(letter) == f"${command_of(letter)}$"


@given(names, st.booleans(), st.booleans())
def test_tables_of_scores(systems: list[str], intervals: bool, sliced: bool) -> None:
    text = score_result(systems, intervals=intervals, sliced=sliced).to_text("latex")
    check(text)
    first = [row[sliced] for row in rows(text)][: len(systems)]
    assert first == [visible(name).replace("\u2007", " ").strip(" ") for name in systems]


@given(names, st.booleans(), st.booleans(), st.data())
def test_tables_of_comparisons(
    systems: list[str], baseline: bool, sliced: bool, data: st.DataObject
) -> None:
    found = {pair: data.draw(st.floats(0.0001, 1)) for pair in combinations(range(len(systems)), 2)}
    result = compare_result(systems, found, baseline=baseline, sliced=sliced)
    text = result.to_text("latex")
    check(text)
    shown = {row[titles(text).index("System")] for row in rows(text)}
    assert shown == {visible(name).replace("\u2007", " ").strip(" ") for name in systems}


def test_the_list_of_metrics() -> None:
    from weigh.metrics.registry import catalogue

    check(catalogue().to_text("latex"))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("a & b", "a & b & c"),
        ("a & b", "a"),
        ("a & b", "a & b}"),
        ("a & {b}", "a & {b"),
        (r"a & \textbf{b}", r"a & \textbold{b}"),
        (r"a & b\_c", "a & b_c"),
        (r"a & 5\%", "a & 5%"),
        ("a & $-$", "a & $-"),
        ("{[}a & b", "[a & b"),
        (r"a & b\&c", "a & b&c"),
        ("a & b", "a & \\end{tabular}"),
        ("a & b", "a & b\x00"),
        ("a & b", r"a & \begin{x}"),
    ],
)
def test_the_check_finds_faults(good: str, bad: str) -> None:
    frame = "\\begin{{table}}\n\\begin{{tabular}}{{lr}}\n{}" + r" \\" + "\n\\end{{tabular}}\n"
    check(frame.format(good) + "\\end{table}")
    with pytest.raises(ValueError):
        check(frame.format(bad) + "\\end{table}")
