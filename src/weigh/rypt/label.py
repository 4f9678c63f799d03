"""What a person says of one translation of one source span."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Label(StrEnum):
    """Whether a substring of the output is an acceptable translation of a source span."""

    YES = "YES"
    NO = "NO"
    NOT_SURE = "NOT SURE"


class Entry(NamedTuple):
    """What a label is about: shared by all candidates of a source sentence, never across them."""

    source: str  # the sentence's words, joined by single spaces
    start: int
    end: int  # half-open
    substring: str  # the words of the output, with GAP for each run of others between them


GAP = "[GAP]"
