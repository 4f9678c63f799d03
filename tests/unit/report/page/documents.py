"""HTML read back, for the tests of pages."""

from __future__ import annotations

import base64
import gzip
from html.parser import HTMLParser

# Elements that have no end tag.
_VOID = ("meta", "input")


class Document(HTMLParser):
    """What a page says: its elements, its text, its attributes and its scripts.

    An end tag that closes nothing, or the wrong element, is an error.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.scripts: dict[str | None, str] = {}
        self._open: list[str] = []
        self._script: str | None = None
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "script":
            self._script = dict(attrs).get("id")
            self.scripts[self._script] = ""

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            self.scripts[self._script] += data
        elif self._open[-1:] != ["style"]:
            self.texts.append(data)

    def unpacked(self, name: str) -> str:
        """Compressed data of the page."""
        packed = base64.b64decode(self.scripts[name])
        return gzip.decompress(packed).decode("utf-8", "surrogatepass")

    def ids(self) -> list[str | None]:
        return [value for _, name, value in self.attributes if name == "id"]
