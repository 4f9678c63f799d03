"""Judges who come by the network: the real server, and visitors to its pages without JavaScript."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import httpx

WAIT = 0.2  # seconds, before somebody looks again or tries again
LONGEST = 3600.0  # seconds, for all that one visitor does


class Text(NamedTuple):
    """A text on a page: what stands above it, its words, and the places of those marked."""

    label: str
    words: tuple[str, ...]
    marked: tuple[int, ...]

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(self.words)


@dataclass
class Asked:
    """A question on a page: its texts, and the answers to choose from, or the ends of a scale."""

    name: str
    texts: tuple[Text, ...]
    options: list[str] = field(default_factory=list)
    scale: tuple[int, int] | None = None


@dataclass
class Form:
    """A form: where it goes, and what it says without anybody's doing; ticks are to be set."""

    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    ticks: dict[str, str] = field(default_factory=dict)


@dataclass
class Page(HTMLParser):
    """What somebody sees of a page: its heading, texts, questions and forms."""

    heading: str = ""
    shared: list[Text] = field(default_factory=list)
    questions: dict[str, Asked] = field(default_factory=dict)
    forms: list[Form] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, frozenset[str]]] = []
        self._label: list[str] = []
        self._pieces: list[tuple[str, bool]] = []
        self._texts: list[Text] = []  # of the question that comes next

    @classmethod
    def of(cls, html: str) -> Page:
        """Read a page."""
        page = cls()
        page.feed(html)
        page.close()
        return page

    def _is_in(self, *classes: str) -> bool:
        return any(own.intersection(classes) for _, own in self._open)

    def _is_within(self, *tags: str) -> bool:
        return any(tag in tags for tag, _ in self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("method", "get").lower(), given.get("action", "")))
        elif tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "input":
            self._input(given)
        if tag not in ("input", "meta", "link", "br"):
            self._open.append((tag, frozenset(given.get("class", "").split())))

    def _input(self, given: Mapping[str, str]) -> None:
        name, kind, value = given.get("name", ""), given.get("type", "text"), given.get("value", "")
        if "disabled" in given:
            return
        if kind == "hidden":
            self.forms[-1].fields[name] = value
        elif kind == "checkbox":
            self.forms[-1].ticks[name] = value
        elif kind in ("radio", "number"):
            if name not in self.questions:
                self.questions[name] = Asked(name, tuple(self._texts))
                self._texts = []
            if kind == "radio":
                self.questions[name].options.append(value)
            else:
                self.questions[name].scale = int(given["min"]), int(given["max"])

    def handle_data(self, data: str) -> None:
        """Read some text, unless it is for those alone who do not see the page."""
        if self._is_within("h1"):
            self.heading += data
        elif self._is_in("passage") and not self._is_in("unseen"):
            if self._is_within("p"):
                self._pieces.append((data, self._is_within("mark")))
            elif self._is_within("h2", "h3"):
                self._label.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        while self._open:
            left, classes = self._open.pop()
            if left == "div" and "passage" in classes:
                self._end_text()
            if left == tag:
                break

    def _end_text(self) -> None:
        text = Text("".join(self._label).strip(), *_words(self._pieces))
        (self.shared if self._is_in("shared") else self._texts).append(text)
        self._label, self._pieces = [], []


def _words(pieces: list[tuple[str, bool]]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the words of a text in pieces, and the places of those that are marked."""
    words: list[str] = [""]
    marked: set[int] = set()
    for text, is_marked in pieces:
        for at, part in enumerate(text.split(" ")):
            if at:
                words.append("")
            words[-1] += part
            if is_marked and part:
                marked.add(len(words) - 1)
    return tuple(words), tuple(sorted(marked))


Answer = Callable[[str, Page], Mapping[str, str]]
"""What a judge, by name, says to the questions on a page, by the questions' names."""


class Visit(NamedTuple):
    """What came of somebody's visit: the answers that were sent, and the last page's heading."""

    answers: int
    heading: str
    seconds: tuple[float, ...] = ()
    """How long each answer took to be saved and followed by the next page."""


def visit(link: str, name: str, answer: Answer) -> Visit:
    """Do all that a link asks for, as somebody would whose browser runs no scripts."""
    answers, seconds = 0, []
    until = time.monotonic() + LONGEST
    with httpx.Client(follow_redirects=True, timeout=60) as browser:
        response = browser.get(link)
        origin = str(response.url.copy_with(path="/", query=None)).rstrip("/")
        while time.monotonic() < until:
            if response.status_code in (409, 429, 503):
                time.sleep(WAIT)
                response = browser.get(f"{origin}/work")
                continue
            response.raise_for_status()
            page = Page.of(response.text)
            form = next((each for each in page.forms if each.method == "post"), None)
            if form is not None:
                fields = form.fields | form.ticks
                fields |= answer(name, page) if page.questions else {}
                began = time.perf_counter()
                # As browsers do, which tell where a form was.
                response = browser.post(
                    f"{origin}{form.action}", data=fields, headers={"Origin": origin}
                )
                if page.questions and response.history:  # it was saved and led on, if too quickly
                    seconds.append(time.perf_counter() - began)
                    answers += 1
            elif "for now" in page.heading:
                time.sleep(WAIT)
                response = browser.get(f"{origin}/work")
            elif "/work" in page.links or any(each.action == "/work" for each in page.forms):
                response = browser.get(f"{origin}/work")  # after training, say
            else:
                return Visit(answers, page.heading.strip(), tuple(seconds))
    raise TimeoutError(f"{name} has come to no end")


@contextlib.contextmanager
def serving(directory: Path, judges: int, *options: str) -> Iterator[dict[str, str]]:
    """Serve a directory of tasks in a process of its own, and yield the links by name."""
    command = [sys.executable, "-m", "weigh", "serve", str(directory), "--port", "0"]
    command += ["--judges", str(judges), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=os.environ
    ) as server:
        assert server.stdout is not None
        try:
            lines = [server.stdout.readline().rstrip("\n") for _ in range(1 + judges)]
            if not all(lines):
                raise RuntimeError("weigh serve has not started")
            yield dict(line.split("\t") for line in lines)
        finally:
            server.send_signal(signal.SIGINT)
            _, said = server.communicate(timeout=60)
            # It says where it serves; more would be what went wrong behind the answers.
            if server.returncode != 0 or said.count("\n") != 1:
                raise RuntimeError(f"weigh serve ended with {server.returncode}: {said}")


def judged(directory: Path, judges: int, answer: Answer, *options: str) -> dict[str, Visit]:
    """Serve a directory until so many judges, all at once, have nothing left to do."""
    with serving(directory, judges, *options) as links:
        names = [name for name in links if name != "organiser"]
        with ThreadPoolExecutor(len(names)) as pool:
            visits = pool.map(lambda name: visit(links[name], name, answer), names)
            return dict(zip(names, visits, strict=True))
