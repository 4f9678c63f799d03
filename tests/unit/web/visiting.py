"""A visitor of the pages who reads them as a browser does, and fills in their forms."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import httpx

BASE = "http://judging.test"
Fields = Mapping[str, str] | Mapping[str, bytes]


@dataclass
class Form:
    """A form as it stands: where it leads, and what would be sent of it."""

    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Page(HTMLParser):
    """The elements of a page, its forms filled in with something that is allowed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.forms: list[Form] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag == "form":
            self.forms.append(Form(given.get("method", "get"), given.get("action", "")))
        if tag in ("input", "button") and self.forms and given.get("name"):
            fields = self.forms[-1].fields
            if given.get("type") in ("number", "range"):
                fields[given["name"]] = given.get("value") or "50"
            elif given.get("type") in ("radio", "checkbox"):
                if given["name"] not in fields or "checked" in given:
                    fields[given["name"]] = given.get("value", "on")
            elif tag == "input":
                fields[given["name"]] = given.get("value", "")

    @property
    def form(self) -> Form:
        """The form in which something is changed."""
        return next(form for form in self.forms if form.method.lower() == "post")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return a loop that runs in a thread of its own, and answers the requests of all tests.

    The browser of other tests keeps a loop running in the main thread. A loop for each request
    would start its threads again each time, which takes longer than most answers.
    """
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


class Client:
    """Asks an application without a network; what goes wrong in it is what it answers."""

    def __init__(self, app: Any, base: str) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.1", 1))
        self._http = httpx.AsyncClient(transport=transport, base_url=base)
        self.cookies = self._http.cookies

    def request(self, method: str, url: str | httpx.URL, **more: Any) -> httpx.Response:
        """Return the answer to a request."""
        asked = self._http.request(method, url, **more)
        return asyncio.run_coroutine_threadsafe(asked, _loop()).result()

    def get(self, url: str | httpx.URL, **more: Any) -> httpx.Response:
        """Return a page."""
        return self.request("GET", url, **more)

    def post(self, url: str, **more: Any) -> httpx.Response:
        """Return the answer to a form."""
        return self.request("POST", url, **more)


class Visitor:
    """Somebody with a browser; all answers of the server are kept."""

    def __init__(self, app: Any, base: str = BASE) -> None:
        self.http = Client(app, base)
        self.seen: list[httpx.Response] = []

    def get(self, path: str, params: Fields | None = None, **more: Any) -> httpx.Response:
        """Follow a link, and wherever it leads."""
        answer = self.http.get(f"{path}?{urlencode(params)}" if params else path, **more)
        self.seen.append(answer)
        return self.get(answer.headers["location"]) if answer.is_redirect else answer

    def post(self, path: str, fields: Fields, **more: Any) -> httpx.Response:
        """Send a form, and follow nothing."""
        headers = {"content-type": "application/x-www-form-urlencoded", **more.pop("headers", {})}
        if "files" in more:
            answer = self.http.post(path, data=fields, **more)
        else:
            sent = urlencode(fields).encode()
            answer = self.http.post(path, content=sent, headers=headers, **more)
        self.seen.append(answer)
        return answer

    def enter(self, token: str) -> httpx.Response:
        """Come by a link."""
        return self.get(f"/enter/{token}")

    def item(self) -> Form:
        """Return the form of the item that comes next, past consent and instructions."""
        for _ in range(20):
            answer = self.get("/work")
            page = Page(answer.text)
            forms = [form for form in page.forms if form.method.lower() == "post"]
            if forms and forms[0].action == "/work/answer":
                return forms[0]
            for form in forms:
                self.post(form.action, form.fields | {"agree": "yes"})
        raise AssertionError(f"no item: {answer.text}")

    def judge_all(self, most: int = 100) -> int:
        """Answer all that there is; return how many items that were."""
        for count in range(most):
            page = Page(self.get("/work").text)
            forms = [form for form in page.forms if form.action.startswith("/work/")]
            if not forms:
                return count
            answer = self.post(forms[0].action, forms[0].fields | {"agree": "yes"})
            assert answer.status_code == 303, answer.text
            self.get(answer.headers["location"])
        raise AssertionError("still not done")
