"""The texts of one source, reference or system as a file holds them, and their joining."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weigh.errors import InputError
from weigh.read.stream import LONGEST, quoted
from weigh.types import TestSet


@dataclass(frozen=True, slots=True)
class TextSet:
    """One text per segment; `label` names the set in messages, `name` within its file.

    `ids` is None for texts whose segments are known by their order alone; `unit` says what one
    of them is in the file.
    """

    label: str
    texts: tuple[str, ...]
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    name: str | None = None
    unit: Literal["lines", "sentences"] = "lines"

    def __post_init__(self) -> None:
        if self.ids is None:
            return  # plain lines were checked as they were read
        if not self.texts:
            raise InputError(f"{self.label}: no segments; a test set needs one at least")
        if len(set(self.ids)) < len(self.ids):
            raise InputError(
                f"{self.label}: the id {quoted(_first_repeated(self.ids))} occurs twice; "
                "every segment needs an id of its own"
            )
        for key, text in zip(self.ids, self.texts, strict=True):
            if len(text) > LONGEST:
                raise InputError(
                    f"{self.label}: the segment {quoted(key)} has more than {LONGEST:,} characters"
                )
            if "\0" in text:
                raise InputError(
                    f"{self.label}: the segment {quoted(key)} contains a NUL; text was expected"
                )


def _first_repeated(ids: Sequence[str]) -> str:
    seen: set[str] = set()
    for key in ids:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("all are different")


@dataclass(frozen=True, slots=True)
class Frame:
    """What other files are joined to: the segments of a test set, in its order.

    Files with ids are joined by them, whatever their order. Plain text has no ids: it is joined
    to plain text by line number, and to WMT files, whose documents have an order; not to tables,
    whose rows have none.
    """

    label: str
    size: int
    ids: Sequence[str] | None = None
    documents: Sequence[str] | None = None

    @classmethod
    def first_of(cls, text_sets: Sequence[TextSet]) -> Frame:
        """Return the frame that the first set gives, or the first that has ids."""
        chosen = next((each for each in text_sets if each.ids is not None), text_sets[0])
        return cls(chosen.label, len(chosen.texts), chosen.ids, chosen.documents)

    @classmethod
    def of_test_set(cls, test_set: TestSet) -> Frame:
        """Return the frame of a test set whose files are not known any more."""
        return cls("the test set", len(test_set), test_set.ids, test_set.documents)

    def join(self, texts: TextSet) -> tuple[str, ...]:
        """Return the texts in this order, one for every segment."""
        if texts.ids is None:
            return self._join_lines(texts)
        if self.ids is None:
            raise InputError(
                f"{texts.label}: has ids, but {self.label} has none to join them by; "
                "give both with ids or both as plain text"
            )
        if texts.ids == self.ids:
            return texts.texts
        found = dict(zip(texts.ids, texts.texts, strict=True))
        missing = [key for key in self.ids if key not in found]
        if missing:
            raise InputError(
                f"{texts.label}: no segment {_some(missing)}, but {self.label} has; "
                "give one text for every id"
            )
        if len(found) > self.size:
            known = set(self.ids)
            unknown = [key for key in texts.ids if key not in known]
            raise InputError(
                f"{texts.label}: the segment {_some(unknown)} is not in {self.label}; "
                "remove it, or check that both belong to one test set"
            )
        return tuple(found[key] for key in self.ids)

    def check_lines(
        self, label: str, found: int, unit: Literal["lines", "sentences"] = "lines"
    ) -> None:
        """Refuse a file that has not one line, or sentence, for every segment."""
        if found != self.size:
            if unit == "sentences":
                remedy = "parse every segment as one sentence"
            elif found == self.size - 1:
                remedy = "look for a missing last line"
            else:
                remedy = "check that both belong to one test set"
            segments = "" if self.ids is None else " segments"
            counted = f"1 {unit[:-1]}" if found == 1 else f"{found:,} {unit}"
            raise InputError(
                f"{label}: {counted}, but {self.label} has {self.size:,}{segments}; {remedy}"
            )

    def _join_lines(self, texts: TextSet) -> tuple[str, ...]:
        if self.ids is not None and self.documents is None:
            what, remedy = (
                ("plain text", "give it as TSV or JSON lines too")
                if texts.unit == "lines"
                else ("sentences", "give all files as plain text or CoNLL-U")
            )
            raise InputError(
                f"{texts.label}: {what} without ids, but {self.label} is joined by id; {remedy}"
            )
        self.check_lines(texts.label, len(texts.texts), texts.unit)
        return texts.texts


def _some(keys: Sequence[str]) -> str:
    more = f" (and {len(keys) - 1:,} more)" if len(keys) > 1 else ""
    return quoted(keys[0]) + more
