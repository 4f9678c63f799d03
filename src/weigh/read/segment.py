"""One segment as the WMT's XML and SGML files hold it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Role = Literal["source", "reference", "system"]

# White space of XML; others, such as U+00A0 and U+3000, belong to the text.
_BLANKS = " \t\r\n"


class Segment(NamedTuple):
    """A text, where it stands and whose it is; `name` is a translator's or a system's."""

    name: str | None
    document: str
    id: str
    text: str


def tidied(text: str) -> str:
    r"""Return the text on one line: a line break and the blanks around it are one space.

    >>> tidied("\n  A long\n  sentence.  ")
    'A long sentence.'
    """
    if "\n" not in text:
        return text.strip(_BLANKS)
    return " ".join(part for line in text.split("\n") if (part := line.strip(_BLANKS)))
