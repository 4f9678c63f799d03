"""The SGML of NIST and of the WMT before 2021: `srcset`, `refset` and `tstset`.

Such files were rarely valid: tags in capitals, attributes without quotes, missing end tags and
bare `&` and `<` are common. So only the tags named here count, in either case; anything else
inside a segment is its text. A document type declaration without a body of its own may stand
at the top (nothing is loaded for it); every other declaration is refused. `&amp; &lt; &gt;
&quot; &apos;` and character numbers are decoded, every other `&` stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weigh.errors import InputError
from weigh.read.segment import Role, Segment, tidied
from weigh.read.stream import quoted

_ROLES: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}

# Written so that time is linear in the length of the file, whatever is in it: attributes exclude
# <, so that no unclosed tag is searched to the end, and a name begins where no other goes on.
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg|hl|p)(?=[\s/>])([^<>]*)>|<!", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^<>\[\]]*(?:\[\s*\]\s*)?>", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def sgml_segments(text: str, name: str, role: Role) -> list[Segment]:
    """Return the segments of one role; `name` is the file's, for messages."""
    return list(_Scanner(text, name).segments(role))


class _Scanner:
    """Walks over the tags of one file."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def segments(self, wanted: Role) -> Iterator[Segment]:
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
                    yield Segment(doc_name or set_name, document, open_id, self._inner(start, at))
                open_id = None
            elif is_end and tag == "seg":
                raise self._error(at, "</seg> without <seg>; write &lt; for a < in the text")
            attributes = {} if is_end else self._attributes(match[3], at)
            if tag in _ROLES:
                role, document = (None if is_end else _ROLES[tag]), None
                set_name = attributes.get("refid") or attributes.get("sysid")
            elif tag == "doc":
                document, doc_name = None, attributes.get("sysid")
                if not is_end:
                    document = attributes.get("docid") or attributes.get("id")
                    if document is None:
                        raise self._error(at, "<doc> has no docid; give it one")
            elif tag == "seg" and not is_end:
                if role is None or document is None:
                    raise self._error(at, "<seg> outside the <doc> of a set; move it there")
                if "id" not in attributes:
                    raise self._error(at, "<seg> has no id; give it one")
                open_id, start = attributes["id"], position
        if open_id is not None:
            raise self._error(len(self._text), "the file ends inside a segment; is it cut off?")

    def _skip_declaration(self, at: int) -> int:
        if self._text.startswith("<!--", at):
            end = self._text.find("-->", at)
            if end < 0:
                raise self._error(at, "a comment without an end; add -->")
            return end + 3
        match = _DOCTYPE.match(self._text, at)
        if match is None:
            raise self._error(
                at, "a document type definition or a declaration, which is not read; remove it"
            )
        return match.end()

    def _attributes(self, text: str, at: int) -> dict[str, str]:
        return {
            match[1].lower(): self._decoded(match[2] or match[3] or match[4] or "", at)
            for match in _ATTRIBUTE.finditer(text)
        }

    def _inner(self, start: int, end: int) -> str:
        text = self._text[start:end]
        if "<![CDATA[" in text:
            raise self._error(start, "a CDATA section, which SGML files do not have; remove it")
        return tidied(self._decoded(text, start))

    def _decoded(self, text: str, at: int) -> str:
        if "&" not in text:
            return text

        def character(match: re.Match[str]) -> str:
            if match[1]:
                return _CHARACTERS[match[1]]
            code = int(match[2]) if match[2] else int(match[3], 16)
            if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
                raise self._error(at, f"{quoted(match[0])} is no character; remove it")
            return chr(code)

        return _REFERENCE.sub(character, text)

    def _error(self, at: int, what: str) -> InputError:
        line = self._text.count("\n", 0, at) + 1
        return InputError(f"{self._name}: line {line:,}: {what}")
