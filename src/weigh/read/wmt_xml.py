"""The XML of the WMT from 2021 on: `dataset`, `doc`, then `src`, `ref` and `hyp`.

The schema is that of the WMT's format tools (github.com/wmt-conference/wmt-format-tools).
Document type definitions and entities are refused, and nothing outside the file is loaded.
"""

from __future__ import annotations

from typing import Any
from xml.sax.handler import ContentHandler

from weigh.errors import InputError
from weigh.read.segment import Role, Segment, tidied
from weigh.read.stream import quoted

_ROLES: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "system"}


def xml_segments(text: str, name: str, role: Role) -> list[Segment]:
    """Return the segments of one role; `name` is the file's, for messages."""
    from io import StringIO
    from xml.sax import SAXException, SAXParseException

    import defusedxml.sax
    from defusedxml import DefusedXmlException

    handler = _Handler(name, role)
    try:
        defusedxml.sax.parse(StringIO(text), handler, forbid_dtd=True)
    except DefusedXmlException:
        raise InputError(
            f"{name}: a document type definition or an entity declaration, which is not "
            "read for safety; remove it"
        ) from None
    except SAXParseException as error:
        raise InputError(
            f"{name}: line {error.getLineNumber() or 1:,} is not well-formed XML "
            f"({error.getMessage()}); correct it"
        ) from None
    except SAXException as error:
        raise InputError(f"{name}: not XML ({error.getMessage()}); correct it") from None
    return handler.segments


class _Handler(ContentHandler):
    """Collects the segments while the parser walks, so that no tree is built."""

    def __init__(self, name: str, role: Role) -> None:
        super().__init__()
        self.segments: list[Segment] = []
        self._name = name
        self._wanted = role
        self._is_first = True
        self._in_document = False
        self._document: str | None = None
        self._role: Role | None = None
        self._whose: str | None = None
        self._id: str | None = None
        self._parts: list[str] = []
        self._locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802
        self._locator = locator

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        if self._is_first:
            self._is_first = False
            if name != "dataset":
                self._fail(f"<{name}> was found where <dataset> was expected")
        if self._id is not None:
            self._fail(f"<{name}> inside a segment; write &lt; for a < in the text")
        if name == "doc":
            self._start_document(attrs)
        elif name in _ROLES:
            if self._role is not None:
                self._fail(f"<{name}> inside another set; close that first")
            self._role = _ROLES[name]
            self._whose = attrs.get("translator" if name == "ref" else "system") or None
        elif name == "seg":
            self._start_segment(attrs)

    def endElement(self, name: str) -> None:  # noqa: N802
        if name == "seg":
            if self._role == self._wanted and self._document is not None:
                assert self._id is not None
                text = tidied("".join(self._parts))
                self.segments.append(Segment(self._whose, self._document, self._id, text))
            self._id = None
        elif name in _ROLES:
            self._role = None
        elif name == "doc":
            self._in_document = False

    def characters(self, content: str) -> None:
        if self._id is not None:
            self._parts.append(content)

    def _start_document(self, attrs: Any) -> None:
        if self._in_document:
            self._fail("<doc> inside another <doc>; close that first")
        if "id" not in attrs:
            self._fail("<doc> has no id; give it one")
        self._in_document = True
        # Test suites travel in the same file and are no part of the test set.
        self._document = None if "testsuite" in attrs else attrs["id"]

    def _start_segment(self, attrs: Any) -> None:
        if not self._in_document or self._role is None:
            self._fail("<seg> outside <src>, <ref> and <hyp> of a <doc>; move it there")
        if "id" not in attrs:
            self._fail("<seg> has no id; give it one")
        self._id = attrs["id"]
        self._parts = []

    def _fail(self, what: str) -> None:
        line = self._locator.getLineNumber() or 1
        shown = what if what.isprintable() else quoted(what)
        raise InputError(f"{self._name}: line {line:,}: {shown}")
