"""Numbers in lines against Python's own reading of them, to the last bit."""

from __future__ import annotations

import re
import sys
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracle import numbers as oracle
from weigh._core import numbers_in

# What every standard library reads; of the rest, Python reads more than some of them.
PLAIN = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
SMALLEST = sys.float_info.min

floats = st.floats(allow_nan=False, allow_infinity=False)
written = st.one_of(
    floats.map(repr),
    floats.map("{:.4f}".format),
    floats.map("{:.25e}".format),
    st.integers(-(10**30), 10**30).map(str),
    st.from_regex(PLAIN, fullmatch=True),
    st.sampled_from(["1", "-0", "inf", "nan", "-", "+1", "1_0", "0x10", "1e", "1e-400", "1e400"]),
    st.sampled_from([".", "", "1,5", "٣", "1\u00a0", "é=", "9007199254740993", "1e23", "5e-324"]),
)
names = st.sampled_from(["lm=", "tm_1=", "é=", "x:"])
spaces = st.sampled_from([" ", "  ", "\t", " \x1c", "\x0b"])


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, str]:
    """A line of names and numbers, and a layout that mostly is its own."""
    words = draw(st.lists(st.one_of(names, written), max_size=8))
    text = draw(spaces).join(["", *words, ""])
    layout = " ".join(word if word[-1:] in ("=", ":") else "#" for word in words)
    return text, draw(st.one_of(st.just(layout), st.just("lm= # #"), st.text("#= l", max_size=6)))


@given(lines(), st.sampled_from([1e50, 1.0, 0.0]))
@example(("2.2250738585072011e-308", "#"), 1.0)  # which has hung parsers
@example(("0.1e-5 7", "# # #"), 1.0)
def test_numbers_are_those_of_python(line: tuple[str, str], largest: float) -> None:
    text, layout = line
    expected = oracle.numbers_in(text, layout, largest)
    found = numbers_in(text, layout, largest)
    if found is not None:
        assert expected is not None
        assert found == array("d", expected).tobytes()
    elif expected is not None:
        # Not all is taken, but what lists have is.
        numbers = [word for word in text.split() if word[-1] not in "=:"]
        is_plain = text.isascii() and all(map(PLAIN.fullmatch, numbers))
        assert not is_plain or any(abs(number) < SMALLEST for number in expected)


@given(st.lists(floats.filter(lambda number: number == 0 or abs(number) >= SMALLEST)))
def test_numbers_as_python_writes_them_are_taken(values: list[float]) -> None:
    text = " ".join(["tm=", *map(repr, values)])
    layout = " ".join(["tm=", *"#" * len(values)])
    assert numbers_in(text, layout, sys.float_info.max) == array("d", values).tobytes()


@pytest.mark.parametrize("odd", [None, 1, b"1", "\ud800"])
def test_what_is_no_text_is_refused(odd: object) -> None:
    with pytest.raises(TypeError):
        numbers_in(odd, "#", 1.0)
    with pytest.raises(TypeError):
        numbers_in("1", odd, 1.0)
