"""What keeps the pages safe: limits, headers, cookies, and proofs that a form is ours."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from hmac import compare_digest
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
"""No form has more bytes."""
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


def csrf_of(session: str) -> str:
    """Return what a form of a session has to carry."""
    return _mac(session, "csrf")


def _mac(session: str, text: str) -> str:
    key = blake2b(session.encode("utf-8", "surrogatepass")).digest()
    return blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=16).hexdigest()


def stamp(session: str, at: float) -> str:
    """Return a time that only we can have written, for a form."""
    text = f"{at:.3f}"
    return f"{text}-{_mac(session, text)}"


def stamped(session: str, text: str) -> float | None:
    """Return the time of a stamp, or None where it is not ours."""
    at, _, mac = text.partition("-")
    if not compare_digest(mac.encode("utf-8", "replace"), _mac(session, at).encode()):
        return None
    return float(at)


_ROUNDS = 4
_HALF = 0xFFFF


def hidden(session: str, number: int) -> int:
    """Return another number for one of a row, which tells nothing of when that was made.

    Rows are numbered as they are made, so that those of controls would stand out. Two halves of 16
    bits are exchanged with each other's digests (a Feistel network), which can be undone.
    """
    left, right = number >> 16, number & _HALF
    for turn in range(_ROUNDS):
        left, right = right, left ^ int(_mac(session, f"{turn} {right}")[:4], 16)
    return left << 16 | right


def unhidden(session: str, number: int) -> int:
    """Return the number that was hidden."""
    left, right = number >> 16, number & _HALF
    for turn in reversed(range(_ROUNDS)):
        left, right = right ^ int(_mac(session, f"{turn} {left}")[:4], 16), left
    return left << 16 | right


def is_ours(request: Request, form: Mapping[str, str], session: str, url: str = "") -> bool:
    """Return whether a form was sent from one of our own pages of this session."""
    given = form.get("csrf", "").encode("utf-8", "replace")
    return is_same_origin(request, url) and compare_digest(given, csrf_of(session).encode())


def is_same_origin(request: Request, url: str = "") -> bool:
    """Return whether a change was asked for by a page of this server, as far as that is told.

    Its pages may also be known by a `url` that a proxy does not pass on.
    """
    told = request.headers.get("origin") or request.headers.get("referer")
    if told is None:
        return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    try:
        host = urlsplit(told).netloc
    except ValueError:
        return False
    return host != "" and host in (request.headers.get("host"), urlsplit(url).netloc)


class Rates:
    """How often each of many clients may do something: so many at once, refilled with time."""

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
            left, since = self._left.pop(client, (self._burst, at))
            left = min(self._burst, left + (at - since) * self._per_second)
            allowed = left >= 1
            self._left[client] = (left - 1 if allowed else left), at
            if len(self._left) > self._most:
                self._left.popitem(last=False)
        return allowed


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

        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and len(length) < 10 and int(length) <= LARGEST_BODY:
            await self._app(scope, limited, with_headers)
        else:
            answer = PlainTextResponse("That is too much for one answer.", 413)
            await answer(scope, receive, with_headers)
