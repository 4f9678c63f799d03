"""WMT files in XML or SGML, and their sets of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.sax.handler import ContentHandler

from weigh.errors import InputError, did_you_mean
from weigh.read.text import Role, TextSet, quoted, read_whole, shown

# White space of XML; others, such as U+00A0 and U+3000, belong to the text.
_BLANKS = " \t\r\n"


class WmtSegment(NamedTuple):
    """A text with its position; `name` is that of its translator or system."""

    name: str | None
    document: str
    id: str
    text: str


def one_line(text: str) -> str:
    r"""Put a text on one line: a line break and the blanks around it become one space.

    >>> one_line("\n  A long\n  sentence.  ")
    'A long sentence.'
    """
    if "\n" not in text:
        return text.strip(_BLANKS)
    return " ".join(part for line in text.split("\n") if (part := line.strip(_BLANKS)))


_ROOT = re.compile(r"<(dataset|mteval|srcset|refset|tstset)\b", re.IGNORECASE)
_ENCODING = re.compile(r"""<\?xml[^<>]*\sencoding\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)


def read_wmt(path: str, role: Role, part: str | None = None) -> list[TextSet]:
    """Read the sets of one role in the order of the file, or only the one named `part`."""
    name = shown(path)
    text = read_whole(path)
    encoding = _ENCODING.match(text.lstrip())
    if encoding and encoding[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise InputError(
            f"{name}: declares the encoding {quoted(encoding[1])}; convert the file to UTF-8"
        )
    root = _ROOT.search(text)
    segments_of = sgml_segments if root and root[1].lower() != "dataset" else xml_segments
    by_name: dict[str | None, list[WmtSegment]] = {}
    for segment in segments_of(text, name, role):
        by_name.setdefault(None if role == "source" else segment.name, []).append(segment)
    if not by_name:
        raise InputError(f"{name}: no {role} segments; check that it is the right file")
    if part is not None:
        if part not in by_name:
            names = [shown(part_name) for part_name in by_name if part_name is not None]
            raise InputError(f"{name}: no {role} {quoted(part)}; {did_you_mean(part, names)}")
        by_name = {part: by_name[part]}
    return [_text_set(name, texts, segments) for texts, segments in by_name.items()]


def _text_set(file_name: str, name: str | None, segments: list[WmtSegment]) -> TextSet:
    label = file_name if name is None else f"{file_name}#{shown(name)}"
    for segment in segments:
        if not segment.id or ":" in segment.id:
            raise InputError(
                f"{label}: the segment id {quoted(segment.id)} in {quoted(segment.document)} is "
                "empty or contains a colon; number the segments"
            )
    return TextSet(
        label,
        texts=tuple(segment.text for segment in segments),
        ids=tuple(f"{segment.document}:{segment.id}" for segment in segments),
        documents=tuple(segment.document for segment in segments),
        name=name,
    )


# The SGML of NIST and of the WMT before 2021: `srcset`, `refset` and `tstset`.
#
# Such files were rarely valid: tags in capitals, attributes without quotes, missing end tags and
# bare `&` and `<` are common. So only the tags named here count, in either case; anything else
# inside a segment is text. A document type declaration without a body may come first (nothing is
# loaded for it); any other declaration is rejected. `&amp; &lt; &gt; &quot; &apos;` and character
# numbers are decoded; any other `&` stays as it is.

_SGML_ROLES: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}

# Time is linear in the length of the file, whatever its content: attributes exclude <, so that an
# unclosed tag is not searched to the end, and a name cannot begin within another one.
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg|hl|p)(?=[\s/>])([^<>]*)>|<!", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^<>\[\]]*(?:\[\s*\]\s*)?>", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def sgml_segments(text: str, name: str, role: Role) -> list[WmtSegment]:
    """The segments of one role; `name` is the file's, for messages."""
    return list(_Scanner(text, name).segments(role))


class _Scanner:
    """Scans the tags of one file."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def segments(self, wanted: Role) -> Iterator[WmtSegment]:
        role: Role | None = None
        set_name: str | None = None
        doc_name: str | None = None
        document: str | None = None
        open_id: str | None = None
        start = position = 0
        while match := _TAG.search(self._text, position):
            at, position = match.span()
            if match[0] == "<!":
                if open_id is None:
                    position = self._skip_declaration(at)
                continue
            is_end, tag = bool(match[1]), match[2].lower()
            if open_id is not None:
                # Whatever tag comes next ends a segment, since end tags may be missing.
                if role == wanted:
                    assert document is not None
                    yield WmtSegment(
                        doc_name or set_name, document, open_id, self._inner(start, at)
                    )
                open_id = None
            elif is_end and tag == "seg":
                raise self._error(at, "</seg> without <seg>; write &lt; for a < in the text")
            attributes = {} if is_end else self._attributes(match[3], at)
            if tag in _SGML_ROLES:
                role, document = (None if is_end else _SGML_ROLES[tag]), None
                set_name = attributes.get("refid") or attributes.get("sysid")
            elif tag == "doc":
                document, doc_name = None, attributes.get("sysid")
                if not is_end:
                    document = attributes.get("docid") or attributes.get("id")
                    if document is None:
                        raise self._error(at, "<doc> has no docid; give it one")
            elif tag == "seg" and not is_end:
                if role is None or document is None:
                    raise self._error(at, "<seg> outside the <doc> of a set; move it inside")
                if "id" not in attributes:
                    raise self._error(at, "<seg> has no id; give it one")
                open_id, start = attributes["id"], position
        if open_id is not None:
            raise self._error(len(self._text), "the file ends inside a segment; is it cut off?")

    def _skip_declaration(self, at: int) -> int:
        if self._text.startswith("<!--", at):
            end = self._text.find("-->", at)
            if end < 0:
                raise self._error(at, "an unclosed comment; add -->")
            return end + 3
        match = _DOCTYPE.match(self._text, at)
        if match is None:
            raise self._error(
                at, "document type definitions and declarations are not supported; remove them"
            )
        return match.end()

    def _attributes(self, text: str, at: int) -> dict[str, str]:
        return {
            match[1].lower(): self._decode(match[2] or match[3] or match[4] or "", at)
            for match in _ATTRIBUTE.finditer(text)
        }

    def _inner(self, start: int, end: int) -> str:
        text = self._text[start:end]
        if "<![CDATA[" in text:
            raise self._error(start, "a CDATA section, which SGML files do not have; remove it")
        return one_line(self._decode(text, start))

    def _decode(self, text: str, at: int) -> str:
        if "&" not in text:
            return text

        def character(match: re.Match[str]) -> str:
            if match[1]:
                return _CHARACTERS[match[1]]
            code = int(match[2]) if match[2] else int(match[3], 16)
            if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
                raise self._error(at, f"{quoted(match[0])} is not a character; remove it")
            return chr(code)

        return _REFERENCE.sub(character, text)

    def _error(self, at: int, what: str) -> InputError:
        line = self._text.count("\n", 0, at) + 1
        return InputError(f"{self._name}: line {line:,}: {what}")


# The XML of the WMT from 2021 on: `dataset`, `doc`, then `src`, `ref` and `hyp`.
#
# The schema is that of the WMT's format tools (github.com/wmt-conference/wmt-format-tools).
# Document type definitions and entities are rejected, and nothing outside the file is loaded.

_XML_ROLES: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "system"}


def xml_segments(text: str, name: str, role: Role) -> list[WmtSegment]:
    """The segments of one role; `name` is the file's, for messages."""
    from io import StringIO
    from xml.sax import SAXException, SAXParseException

    import defusedxml.sax
    from defusedxml import DefusedXmlException

    handler = _Handler(name, role)
    try:
        defusedxml.sax.parse(StringIO(text), handler, forbid_dtd=True)
    except DefusedXmlException:
        raise InputError(
            f"{name}: document type definitions and entity declarations are not read, for "
            "safety; remove them"
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
    """Collects segments during parsing, without building a tree."""

    def __init__(self, name: str, role: Role) -> None:
        super().__init__()
        self.segments: list[WmtSegment] = []
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
        elif name in _XML_ROLES:
            if self._role is not None:
                self._fail(f"<{name}> inside another set; close that first")
            self._role = _XML_ROLES[name]
            self._whose = attrs.get("translator" if name == "ref" else "system") or None
        elif name == "seg":
            self._start_segment(attrs)

    def endElement(self, name: str) -> None:  # noqa: N802
        if name == "seg":
            if self._role == self._wanted and self._document is not None:
                assert self._id is not None
                text = one_line("".join(self._parts))
                self.segments.append(WmtSegment(self._whose, self._document, self._id, text))
            self._id = None
        elif name in _XML_ROLES:
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
        # Test suites in the same file do not belong to the test set.
        self._document = None if "testsuite" in attrs else attrs["id"]

    def _start_segment(self, attrs: Any) -> None:
        if not self._in_document or self._role is None:
            self._fail("<seg> outside <src>, <ref> and <hyp> of a <doc>; move it inside")
        if "id" not in attrs:
            self._fail("<seg> has no id; give it one")
        self._id = attrs["id"]
        self._parts = []

    def _fail(self, what: str) -> None:
        line = self._locator.getLineNumber() or 1
        message = what if what.isprintable() else quoted(what)
        raise InputError(f"{self._name}: line {line:,}: {message}")
