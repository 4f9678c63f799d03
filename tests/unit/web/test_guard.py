"""Numbers of rows are hidden, and forms come from pages that are ours."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from weigh.web.guard import Proxies, Seal, is_ours, is_same_origin

numbers = st.integers(0, 2**32 - 1)
SEAL = Seal(b"a secret of the server", "a session")
OTHERS = (Seal(b"another secret", "a session"), Seal(b"a secret of the server", "another session"))


@given(st.text(), numbers)
def test_what_is_hidden_is_found_again(session: str, number: int) -> None:
    seal = Seal(b"key", session)
    assert 0 <= seal.hide("slot", number) < 2**32
    assert seal.reveal("slot", seal.hide("slot", number)) == number


def test_numbers_tell_nothing_of_their_order() -> None:
    shown = [SEAL.hide("item", number) for number in range(1, 200)]
    assert len(set(shown)) == len(shown)
    rising = sum(a < b for a, b in pairwise(shown))
    assert 60 < rising < 140


def test_a_seal_depends_on_the_secret_the_session_and_the_table() -> None:
    for number in range(1, 100):
        hidden = {SEAL.hide(what, number) for what in ("slot", "item")}
        hidden |= {other.hide("slot", number) for other in OTHERS}
        assert len(hidden) == 4
    assert len({seal.csrf for seal in (SEAL, *OTHERS)}) == 3


def test_a_stamp_is_good_for_one_item_in_one_session() -> None:
    stamp = SEAL.stamp(3, 7, 0, 1234.5678)
    assert SEAL.stamped(3, 7, 0, stamp) == 1234.568
    for other in ((3, 8, 0), (7, 3, 0), (3, 7, 1)):
        assert SEAL.stamped(*other, stamp) is None
    assert [other.stamped(3, 7, 0, stamp) for other in OTHERS] == [None, None]
    at, mac = stamp.split("-")
    for forged in ("", "-", at, f"{at}-", f"-{mac}", f"1230.000-{mac}", f"nan-{mac}", f"{stamp}é"):
        assert SEAL.stamped(3, 7, 0, forged) is None, forged


def asked(**headers: str) -> Request:
    listed = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": listed})


def test_pages_behind_a_proxy_are_ours_by_their_address() -> None:
    ours = asked(host="127.0.0.1:8000", origin="https://judge.example.org")
    assert not is_same_origin(ours)
    assert is_same_origin(ours, "https://judge.example.org")
    assert not is_same_origin(ours, "https://judge.example.com")
    assert is_ours(ours, {"csrf": "s"}, "s", "https://judge.example.org")
    assert not is_ours(ours, {"csrf": "t"}, "s", "https://judge.example.org")
    assert not is_same_origin(asked(host="a", origin="null"), "")


@pytest.mark.parametrize(
    ("count", "sent", "client"),
    [
        (1, ["192.0.2.7"], "192.0.2.7"),
        (1, ["10.9.9.9, 192.0.2.7"], "192.0.2.7"),  # the left one is what the client claims
        (1, ["10.9.9.9", "192.0.2.7"], "192.0.2.7"),
        (2, ["10.9.9.9, 192.0.2.7, 198.51.100.1"], "192.0.2.7"),
        (2, ["192.0.2.7"], "192.0.2.7"),
        (1, ["192.0.2.7:4711"], "192.0.2.7"),
        (1, ["[2001:db8::1]:4711"], "2001:db8::1"),
        (1, ["2001:db8::1"], "2001:db8::1"),
        (1, ["unknown"], "127.0.0.1"),
        (1, [" , "], "127.0.0.1"),
        (1, [], "127.0.0.1"),
    ],
)
def test_proxies_are_believed_from_the_right(count: int, sent: list[str], client: str) -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        del receive, send
        seen.append((scope["client"][0], scope["scheme"]))

    headers = [(b"x-forwarded-for", value.encode()) for value in sent]
    headers.append((b"x-forwarded-proto", b"https"))
    scope = {"type": "http", "client": ("127.0.0.1", 5), "scheme": "http", "headers": headers}
    asyncio.run(Proxies(app, count)(scope, None, None))  # type: ignore[arg-type]
    assert seen == [(client, "https")]
    assert scope["client"] == ("127.0.0.1", 5)
