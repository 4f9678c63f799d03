"""Connections: how many there may be, and clients who send nothing, half or rubbish."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn

from unit.web.small_campaign import campaign_in, rated
from weigh.web import serving
from weigh.web.app import make_app
from weigh.web.connections import (
    MOST_CONNECTIONS,
    Connections,
    most_connections,
    protocol_within,
)
from weigh.web.plan import CollectPlan

SECONDS = 0.5
REQUEST = b"GET /health HTTP/1.1\r\nHost: judging.test\r\n\r\n"
FORM = (
    b"POST /begin HTTP/1.1\r\nHost: judging.test\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
)


class Stub:
    """A connection that notes that it was closed."""

    def __init__(self) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def admitted(limits: Connections, *clients: str) -> list[Stub]:
    stubs = [Stub() for _ in clients]
    for stub, client in zip(stubs, clients, strict=True):
        assert limits.admit(stub, client)
    return stubs


def test_the_oldest_that_waits_gives_way() -> None:
    limits = Connections(most=4, client_share=0.75)
    resting, first, second = admitted(limits, "a", "a", "a")
    limits.set(resting, "resting")
    admitted(limits, "a")  # a client displaces its own, those at rest last
    assert [each.dropped for each in (resting, first, second)] == [False, True, False]
    (other,) = admitted(limits, "b")
    admitted(limits, "b")  # and the oldest of all, where there are too many in all
    assert [each.dropped for each in (resting, second, other)] == [False, True, False]
    assert len(limits) == 4


def test_those_at_work_are_not_displaced() -> None:
    limits = Connections(most=3, client_share=0.7)
    busy = admitted(limits, "a", "a")
    for each in busy:
        limits.set(each, "busy")
    assert not limits.admit(Stub(), "a")
    (other,) = admitted(limits, "b")
    limits.set(other, "busy")
    assert not limits.admit(Stub(), "c")
    limits.leave(busy[0])
    limits.leave(busy[0])  # whoever says it twice
    assert limits.admit(Stub(), "c")
    assert not any(each.dropped for each in (*busy, other))
    assert len(limits) == 3


def test_connections_leave_room_for_other_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for limit, most in (
        (256, 16),
        (1024, 768),
        (100_000, MOST_CONNECTIONS),
        (resource.RLIM_INFINITY, MOST_CONNECTIONS),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        assert most_connections() == most


class Listening:
    """A server in a thread of its own."""

    def __init__(self, app: Any, limits: Connections) -> None:
        self.socket = serving._bind("127.0.0.1", 0)
        protocol: Any = protocol_within(limits)
        protocol.request_seconds = SECONDS
        config = uvicorn.Config(
            app, http=protocol, ws="none", log_config=None, lifespan="off", timeout_keep_alive=5
        )
        self.server = uvicorn.Server(config)
        self.thread = Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def connect(self) -> socket.socket:
        made = socket.create_connection(self.socket.getsockname(), timeout=10)
        made.settimeout(10)
        return made

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Callable[..., Listening]]:
    with ExitStack() as stack:
        campaign = campaign_in(tmp_path / "x.db", (rated("sheet"),), CollectPlan())
        stack.callback(campaign.database.close)
        stack.enter_context(serving._throttled_logs())

        def start(**limits: Any) -> Listening:
            made = Listening(make_app(campaign), Connections(**limits))
            stack.callback(made.close)
            return made

        yield start


@contextmanager
def silent(caplog: pytest.LogCaptureFixture, most: int = 0) -> Iterator[None]:
    """Assert that nothing, or no more than so many lines, is logged meanwhile."""
    with caplog.at_level(logging.WARNING):
        caplog.clear()
        yield
        assert len(caplog.records) <= most, caplog.text
        assert "Traceback" not in caplog.text


def read_all(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    received = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            received += part
    return received


def check_answered(connection: socket.socket) -> None:
    """Assert that a request is answered."""
    connection.sendall(REQUEST)
    received = b""
    while not received.endswith(b"\r\n\r\nok"):
        part = connection.recv(65536)
        assert part, received
        received += part
    assert received.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"G",
        REQUEST[:-2],
        FORM + b"Content-Length: 10\r\n\r\n",
        FORM + b"Content-Length: 10\r\n\r\ntoken",
        FORM + b"Transfer-Encoding: chunked\r\n\r\n5\r\nto",
        REQUEST + REQUEST[:-2],
    ],
    ids=["nothing", "a letter", "headers", "no body", "half a body", "a chunk", "a second request"],
)
def test_a_request_that_does_not_arrive_is_not_waited_for(
    listening: Callable[..., Listening], half: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    server = listening()
    with silent(caplog), server.connect() as connection:
        began = time.monotonic()
        connection.sendall(half)
        assert read_all(connection).count(b"HTTP/1.1 200") == half.count(REQUEST)
        took = time.monotonic() - began
        assert SECONDS * 0.9 <= took < 8


def test_dripping_does_not_extend_the_deadline(listening: Callable[..., Listening]) -> None:
    server = listening()
    with server.connect() as connection:
        began = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() < began + 8:
                connection.sendall(b"X")
                time.sleep(SECONDS / 10)
        assert SECONDS * 0.9 <= time.monotonic() - began < 8


def test_a_connection_at_rest_is_kept(listening: Callable[..., Listening]) -> None:
    server = listening()
    with server.connect() as connection:
        for _ in range(3):
            check_answered(connection)
            time.sleep(1.5 * SECONDS)


def test_idle_connections_give_way_to_requests(listening: Callable[..., Listening]) -> None:
    server = listening(most=5, client_share=1)
    with ExitStack() as stack:
        for _ in range(30):
            idle = stack.enter_context(server.connect())
            idle.sendall(REQUEST[:9])
            with server.connect() as connection:
                check_answered(connection)


def test_two_lengths_of_one_request_are_refused(listening: Callable[..., Listening]) -> None:
    server = listening()
    with server.connect() as connection:
        both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        connection.sendall(FORM + both + REQUEST)  # the second one smuggled in
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1


def test_clients_who_leave_or_send_rubbish_leave_no_traceback(
    listening: Callable[..., Listening], caplog: pytest.LogCaptureFixture
) -> None:
    server = listening()
    with silent(caplog, most=3):
        for _ in range(20):
            for sent in (
                FORM + b"Content-Length: 10\r\n\r\ntoken",
                REQUEST,
                b"\0\0\0\r\n\r\n",
                FORM + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
                REQUEST[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            ):
                with server.connect() as connection:
                    connection.sendall(sent)
        time.sleep(2 * SECONDS)
        with server.connect() as connection:
            check_answered(connection)


def test_failures_of_the_loop_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    server = serving._Server(uvicorn.Config(lambda: None), lambda: None, serving.Console())

    async def fail() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(server._tell)
        for _ in range(2000):
            error = OSError(24, "Too many open files")
            loop.call_exception_handler({"message": "accept", "exception": error})

    asyncio.run(fail())
    (record,) = [each for each in caplog.records if each.name == "weigh"]
    assert "Too many open files" in record.getMessage()
    assert record.exc_info is None
