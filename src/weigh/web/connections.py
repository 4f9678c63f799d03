"""Connections of clients: how many there may be, and how long a request may take to arrive.

A connection is arriving (its request is not complete), busy (the request is being answered) or at
rest (kept open for the next request). Where there are too many, the one that has been arriving for
longest is closed, else the one at rest for longest. So clients who open connections and send
nothing displace each other, and everybody else is served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, Literal, Protocol

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from weigh.web.guard import network_of

REQUEST_SECONDS = 20.0
"""The time limit for a request to arrive, in seconds, headers and body."""
READING_SECONDS = 60.0
"""The time limit for a client to read a response that does not fit into the buffers."""
MOST_CONNECTIONS = 1000
CLIENT_SHARE = 0.75
"""One client may have so much of all connections. Closing more of them would cost more than it
saves: clients whose connections are closed come again at once."""
_LEAST_CONNECTIONS = 16
ACCEPTED_AT_ONCE = 32
"""Connections that are accepted before any of them is counted."""
_OTHER_DESCRIPTORS = 256  # of the database, of files, and of connections not yet counted or closed

State = Literal["arriving", "busy", "resting"]


class Closable(Protocol):
    """A connection that can be closed."""

    def drop(self) -> None:
        """Close it at once."""


class _Group:
    """Connections by their state; those that wait are in the order in which they began to."""

    def __init__(self) -> None:
        self.states: dict[Closable, State] = {}
        self._waiting: dict[State, dict[Closable, None]] = {"arriving": {}, "resting": {}}

    def set(self, connection: Closable, state: State) -> None:
        before = self.states.get(connection)
        if before != state:
            self.remove(connection)
            self.states[connection] = state
            if state in self._waiting:
                self._waiting[state][connection] = None

    def remove(self, connection: Closable) -> None:
        state = self.states.pop(connection, None)
        if state in self._waiting:
            del self._waiting[state][connection]

    def oldest_waiting(self) -> Closable | None:
        return next(
            (connection for waiting in self._waiting.values() for connection in waiting), None
        )


class Connections:
    """All connections of a server, within a limit for each client and one for all."""

    def __init__(
        self,
        most: int = MOST_CONNECTIONS,
        client_share: float = CLIENT_SHARE,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._most = most
        self._most_per_client = max(1, int(client_share * most))
        self._warn = warn
        self._all = _Group()
        self._clients: dict[str, _Group] = {}
        self._client_of: dict[Closable, str] = {}

    def __len__(self) -> int:
        return len(self._client_of)

    def admit(self, connection: Closable, client: str) -> bool:
        """Take a new connection, in whose place another may be closed; False if there is none."""
        own_group = self._clients.get(client)
        for group, most, whose in (
            (own_group, self._most_per_client, "of one client"),
            (self._all, self._most, "in all"),
        ):
            if group is None or len(group.states) < most:
                continue
            self._warn(f"{most:,} connections {whose}: idle ones are closed")
            oldest = group.oldest_waiting()
            if oldest is None:
                return False
            self.leave(oldest)
            oldest.drop()
        self._client_of[connection] = client
        self.set(connection, "arriving")
        return True

    def set(self, connection: Closable, state: State) -> None:
        """Note the state of a connection that was admitted and has not left."""
        client = self._client_of.get(connection)
        if client is not None:
            self._all.set(connection, state)
            self._clients.setdefault(client, _Group()).set(connection, state)

    def leave(self, connection: Closable) -> None:
        """Count a connection no more."""
        client = self._client_of.pop(connection, None)
        if client is not None:
            self._all.remove(connection)
            group = self._clients[client]
            group.remove(connection)
            if not group.states:
                del self._clients[client]


def most_connections() -> int:
    """As many connections as the process has file descriptors for."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows
        return MOST_CONNECTIONS
    limit, _ = getrlimit(RLIMIT_NOFILE)
    if limit == RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(_LEAST_CONNECTIONS, min(MOST_CONNECTIONS, limit - _OTHER_DESCRIPTORS))


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1, with limits that Uvicorn does not have."""

    limits: ClassVar[Connections]
    request_seconds: ClassVar[float] = REQUEST_SECONDS
    _deadline: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection."""
        super().connection_made(transport)
        if self.limits.admit(self, network_of(self.client[0] if self.client else "")):
            self._expect_request()
        else:
            self.drop()

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request."""
        if self.transport.is_closing():
            return
        self._expect_request()
        self.limits.set(self, "arriving")
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # nonsense behind a request that was answered early
            self.drop()
            return
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_timers()
            self.limits.set(self, "busy")

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self.limits.set(self, "resting")

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection at rest, even if its client has not read the last response."""
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():
            self.drop()

    def pause_writing(self) -> None:
        """Wait until the client has read something."""
        super().pause_writing()
        self._reading = self.loop.call_later(READING_SECONDS, self.drop)

    def resume_writing(self) -> None:
        """Go on with a response."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        self.limits.leave(self)
        self._stop_timers()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection at once, without sending the rest."""
        self.limits.leave(self)
        self._stop_timers()
        self.transport.abort()

    def _expect_request(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.request_seconds, self.drop)

    def _stop_timers(self) -> None:
        for timer in (self._deadline, self._reading):
            if timer is not None:
                timer.cancel()
        self._deadline = self._reading = None


def protocol_within(limits: Connections) -> type[asyncio.Protocol]:
    """The protocol of a server whose connections have these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
