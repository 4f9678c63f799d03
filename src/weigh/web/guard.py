"""Protection of the pages: limits, headers, cookies, and proofs that a form is ours."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
"""The maximum size of a form, in bytes."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action {forms}; base-uri 'none'; frame-ancestors {frames}"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer", under which browsers send no Origin with a form either.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


_ROUNDS = 8
_HALF = 0xFFFF
_TIME = re.compile(r"[0-9]{1,12}\.[0-9]{3}")


class Seal:
    """Marks what a session is sent, so that nobody but the server can read, make or reuse it.

    The key is made of the server's secret and the session's token. A judge knows the token, which
    is the cookie, but not the secret.
    """

    def __init__(self, secret: bytes, session: str) -> None:
        token = blake2b(session.encode("utf-8", "surrogatepass")).digest()
        self._key = blake2b(token, key=secret).digest()

    def _mac(self, purpose: str, *values: object) -> str:
        text = "\0".join([purpose, *map(str, values)])
        sent = text.encode("utf-8", "surrogatepass")
        return blake2b(sent, key=self._key, digest_size=16).hexdigest()

    @property
    def csrf(self) -> str:
        """The token that every form of the session carries."""
        return self._mac("csrf")

    def hide(self, what: str, number: int) -> int:
        """Encrypt the number of a row, of 32 bits; `what` names its table.

        Rows are numbered as they are made, so that those of controls would stand out. Two halves of
        16 bits are encrypted by a Feistel network. Tables have keys of their own: where a slot and
        its item have the same number, that must not show.
        """
        high, low = number >> 16, number & _HALF
        for turn in range(_ROUNDS):
            high, low = low, high ^ int(self._mac(what, turn, low)[:4], 16)
        return high << 16 | low

    def reveal(self, what: str, number: int) -> int:
        """Decrypt a number that `hide` encrypted."""
        high, low = number >> 16, number & _HALF
        for turn in reversed(range(_ROUNDS)):
            high, low = low ^ int(self._mac(what, turn, high)[:4], 16), high
        return high << 16 | low

    def stamp(self, slot: int, item: int, revision: int, at: float) -> str:
        """Sign the time at which an item was shown, to be answered anew or after a revision."""
        text = f"{at:.3f}"
        return f"{text}-{self._mac('shown', slot, item, revision, text)}"

    def stamped(self, slot: int, item: int, revision: int, stamp: str) -> float | None:
        """The time of a stamp; None if it was not made for this item and revision here."""
        at, _, mac = stamp.partition("-")
        if not _TIME.fullmatch(at):
            return None
        expected = self._mac("shown", slot, item, revision, at)
        return (
            float(at) if compare_digest(mac.encode("utf-8", "replace"), expected.encode()) else None
        )


def is_ours(request: Request, form: Mapping[str, str], csrf: str, url: str = "") -> bool:
    """Whether a form comes from a page of the session with this CSRF token."""
    token = form.get("csrf", "").encode("utf-8", "replace")
    return is_same_origin(request, url) and compare_digest(token, csrf.encode())


def is_same_origin(request: Request, url: str = "") -> bool:
    """Whether a change was requested by a page of this server, if the browser says so.

    Its pages may also be known by a `url` that a proxy does not pass on.
    """
    origin = request.headers.get("origin") or request.headers.get("referer")
    if origin is None:
        return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        return False
    return host != "" and host in (request.headers.get("host"), urlsplit(url).netloc)


def network_of(host: str) -> str:
    """The network that counts as one client: an IPv4 address, or 64 bits of IPv6.

    >>> network_of("192.0.2.1"), network_of("2001:db8::1:2"), network_of("::ffff:192.0.2.1")
    ('192.0.2.1', '2001:db8::/64', '192.0.2.1')
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped) if mapped else str(ip_network((int(address), 64), strict=False))


class Rates:
    """Rate limit per client: a number of actions at once, refilled with time."""

    def __init__(self, burst: float, per_second: float, most_clients: int = 100_000) -> None:
        self._burst = burst
        self._per_second = per_second
        self._most = most_clients
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def allows(self, client: str) -> bool:
        """Count one more, if that is allowed."""
        at = time.monotonic()
        with self._lock:
            tokens, since = self._left.pop(client, (self._burst, at))
            tokens = min(self._burst, tokens + (at - since) * self._per_second)
            allowed = tokens >= 1
            self._left[client] = (tokens - 1 if allowed else tokens), at
            if len(self._left) > self._most:
                self._left.popitem(last=False)
        return allowed


class Proxies:
    """Middleware: takes the client's address and scheme from the given number of proxies.

    Every proxy adds the address that it was asked from to the right of `X-Forwarded-For`. What
    stands further left was sent by the client and may be anything.
    """

    def __init__(self, app: ASGIApp, count: int) -> None:
        self._app = app
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as the outermost of our proxies received it."""
        if scope["type"] == "http":
            scope = dict(scope)
            address = _host_of(self._forwarded(scope, b"x-forwarded-for"))
            if address is not None:
                scope["client"] = (address, 0)
            scheme = self._forwarded(scope, b"x-forwarded-proto").lower()
            if scheme in ("http", "https"):
                scope["scheme"] = scheme
        await self._app(scope, receive, send)

    def _forwarded(self, scope: Scope, name: bytes) -> str:
        lines = [value.decode("latin-1") for header, value in scope["headers"] if header == name]
        values = [value.strip() for value in ",".join(lines).split(",") if value.strip()]
        return values[-min(self._count, len(values))] if values else ""


def _host_of(text: str) -> str | None:
    """The address in an entry of `X-Forwarded-For`, without its port; None if there is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return None


class Guard:
    """Middleware: refuses bodies that are too large, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, *, embed: Sequence[str] = ()) -> None:
        self._app = app
        self._policy = _POLICY.format(
            forms=" ".join(["'self'", *embed]), frames=" ".join(embed) or "'none'"
        )
        self._headers = dict(_HEADERS)
        if not embed:
            self._headers["X-Frame-Options"] = "DENY"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, within limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        size = 0
        # Files may be kept as long as the browser asks whether they have changed.
        caching = "no-cache" if scope["path"].startswith("/static/") else "no-store"

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > LARGEST_BODY:
                raise HTTPException(413)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", self._policy)
                headers.setdefault("Cache-Control", caching)
            await send(message)

        request_headers = dict(scope["headers"])
        if b"content-length" in request_headers and b"transfer-encoding" in request_headers:
            # A proxy may have taken the other of the two lengths for the right one.
            refused = PlainTextResponse(
                "A request has one length.", 400, headers={"Connection": "close"}
            )
            await refused(scope, receive, with_headers)
            return
        length = request_headers.get(b"content-length", b"0")
        if length.isdigit() and len(length) < 10 and int(length) <= LARGEST_BODY:
            with suppress(ClientDisconnect):  # nobody is there to be told
                await self._app(scope, limited, with_headers)
        else:
            answer = PlainTextResponse("That is too much for one answer.", 413)
            await answer(scope, receive, with_headers)
