"""Numbers of rows are hidden, and forms come from pages that are ours."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from weigh.web.guard import csrf_of, hidden, is_ours, is_same_origin, unhidden

numbers = st.integers(0, 2**32 - 1)


@given(st.text(min_size=1), numbers)
def test_what_is_hidden_is_found_again(session: str, number: int) -> None:
    assert 0 <= hidden(session, number) < 2**32
    assert unhidden(session, hidden(session, number)) == number


def test_numbers_tell_nothing_of_their_order() -> None:
    shown = [hidden("a session", number) for number in range(1, 200)]
    assert len(set(shown)) == len(shown)
    rising = sum(a < b for a, b in pairwise(shown))
    assert 60 < rising < 140


def asked(**headers: str) -> Request:
    listed = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": listed})


def test_pages_behind_a_proxy_are_ours_by_their_address() -> None:
    ours = asked(host="127.0.0.1:8000", origin="https://judge.example.org")
    assert not is_same_origin(ours)
    assert is_same_origin(ours, "https://judge.example.org")
    assert not is_same_origin(ours, "https://judge.example.com")
    assert is_ours(ours, {"csrf": csrf_of("s")}, "s", "https://judge.example.org")
    assert not is_ours(ours, {"csrf": csrf_of("t")}, "s", "https://judge.example.org")
    assert not is_same_origin(asked(host="a", origin="null"), "")
