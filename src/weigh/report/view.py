"""Views: the layout of each kind of result, shared by all formats.

`view_of` registers a function for a kind of result. The function returns parts in reading order;
formats render parts and know nothing about results.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from weigh import plugins, result
from weigh.errors import InputError, UsageError
from weigh.report.grid import PLAIN
from weigh.report.grid import Depth as Depth
from weigh.report.grid import Screen as Screen
from weigh.report.parts import Part, Pictures, Verdict
from weigh.result import REMEDY, Result
from weigh.result import signature as signature

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture

# The view of `human rank` is in human_rank.py or, if there is no such module, in human.py. These
# commands are exceptions.
_MODULES = {
    "score": "scores",
    "validate accuracy": "validate_people",
    "validate preference": "validate_people",
    "rerank": "tune",
    "metrics": "catalogue",
}
# Installed packages add views by entry points of this group. The name is a command or the first
# word of several; the value is a module that registers their views.
ADDED = "weigh.views"
Shown = TypeVar("Shown", bound=Result)


@dataclass(frozen=True, slots=True)
class Used:
    """The methods that a result used, for citations, under their names on the command line."""

    metrics: Sequence[str] = ()
    tests: Sequence[str] = ()
    adjustments: Sequence[str] = ()
    intervals: Sequence[str] = ()
    margins: bool = False
    works: Sequence[str] = ()
    draws: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The layout of a result: its parts in reading order, and how its numbers were computed.

    `title` and `subtitle` head a page. `methods` is a paragraph for a paper, and `signatures` are
    pairs of a name and its signature. `caption` is the shortest form of `methods`; with the verdict
    it makes the caption of a paper's table. `records` are the rows of TSV output with all digits,
    or a function that returns them. `weigh cite` gives references for what was `used`. `lines`,
    pairs of a name and a text, replace the table format with data for other programs.
    """

    title: str
    parts: Sequence[Part]
    subtitle: str = ""
    methods: str = ""
    signatures: Sequence[tuple[str, str]] = ()
    caption: str = ""
    records: Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]]] = ()
    used: Used = Used()
    lines: Sequence[tuple[str, str]] | None = None

    @property
    def verdict(self) -> list[str]:
        """The conclusions in words."""
        return [line for part in self.parts if isinstance(part, Verdict) for line in part.all_lines]

    def pictures(self) -> list[Picture]:
        """All pictures, in reading order."""
        parts = [part for part in self.parts if isinstance(part, Pictures)]
        return [picture for part in parts for picture in part.draw()]


# By command, then by kind of result: a command may have several.
_VIEWS: dict[str, dict[type[Result], Callable[[Any], View]]] = {}


def view_of(kind: type[Shown]) -> Callable[[Callable[[Shown], View]], Callable[[Shown], View]]:
    """Register a function as the view of a kind of result."""

    def register(function: Callable[[Shown], View]) -> Callable[[Shown], View]:
        _VIEWS.setdefault(kind.command, {})[kind] = function
        return function

    return register


# The latest result and its view, since a command may show one result in several formats.
_latest: tuple[Result, View] | None = None


def view(shown_result: Result) -> View:
    """The view of a result; repeated calls for the same result lay it out once."""
    global _latest
    latest = _latest
    if latest is None or latest[0] is not shown_result:
        lay_out = result_kinds(shown_result.command)[type(shown_result)]
        _latest = latest = shown_result, lay_out(shown_result)
    return latest[1]


def result_kinds(command: str) -> dict[type[Result], Callable[[Any], View]]:
    """The kinds of results that a command has, with their view functions.

    Imports the module of the views; raises KeyError if there is no such command.
    """
    names = (_MODULES.get(command, command.replace(" ", "_")), command.partition(" ")[0])
    for name in names:
        if name.isidentifier() and find_spec(f"weigh.report.{name}") is not None:
            import_module(f"weigh.report.{name}")
            break
    if command not in _VIEWS:
        added = plugins.entries(ADDED)
        for name in (command.replace(" ", "."), command.partition(" ")[0]):
            if name in added:
                plugins.load(ADDED, name)
                break
    return _VIEWS[command]


def show(shown_result: Result, form: str = "table", screen: Screen = PLAIN) -> str:
    """Format a result: as `table`, `json`, `html`, `notebook` or another format of `FORMATS`."""
    if form == "json":
        return result.document(shown_result)
    if form == "html":
        from weigh.report.page.walk import as_page

        return as_page(view(shown_result), result.document(shown_result.within_page()))
    if form == "notebook":
        from weigh.report.page.walk import as_fragment

        return as_fragment(view(shown_result))
    from weigh.report import formats

    if form in formats.WRITERS:
        return formats.WRITERS[form](view(shown_result), screen)
    raise UsageError(f"unknown format {form!r}; give one of {', '.join(formats.FORMATS)}")


def columns(shown_result: Result) -> dict[str, list[Any]]:
    """The records of a result by column, for a data frame."""
    from weigh.report.formats import columns_of

    return columns_of(view(shown_result))


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result from its JSON document, or from an HTML page that contains it."""
    from weigh.read.text import read_whole

    name = os.fspath(path)
    return parse_result(read_whole(name), name)


_PAGE = re.compile(r"\s*<!doctype html>", re.IGNORECASE)
_DATA = re.compile(
    r'<script type="application/(json|octet-stream)" id="data">(.*?)</script>', re.DOTALL
)


def parse_result(text: str, name: str) -> Result:
    """Read a result from the text of a document or a page; `name` is the file's, for errors.

    A result that could not be shown is rejected.
    """
    document = result.parse(_document_in(text, name), name)
    command = document.get("command")
    try:
        kinds = result_kinds(command) if isinstance(command, str) else result_kinds("")
    except KeyError:
        raise InputError(
            f"{name}: a result of {result.shortly(command)}, a command unknown to this version of "
            f"weigh; {REMEDY}"
        ) from None
    with as_input_errors(name):
        restored_result = result.decode(result.likeliest(kinds, document), document, name)
        from weigh.report import formats

        formats.as_table(view(restored_result))
        result.document(restored_result)
    return restored_result


def _document_in(text: str, name: str) -> str:
    if not _PAGE.match(text):
        return text
    data = _DATA.search(text)
    if data is None:
        raise InputError(f"{name}: a page without a weigh result; give another file")
    if data[1] == "json":  # of weigh 0.2
        return data[2]
    import zlib

    from weigh.report.page.browser import unpack

    try:
        return unpack(data[2])
    except (ValueError, OSError, EOFError, zlib.error):
        raise InputError(f"{name}: the result in this page is damaged; give another file") from None


def drop_empty_columns(
    records: Sequence[Mapping[str, Any]], kept: Collection[str]
) -> list[dict[str, Any]]:
    """Records without the columns that are empty in all of them, except those in `kept`."""
    used = {
        name
        for record in records
        for name, value in record.items()
        if name in kept or value not in (None, [])
    }
    return [{name: value for name, value in record.items() if name in used} for record in records]


@contextmanager
def as_input_errors(name: str) -> Iterator[None]:
    """Raise InputError for `name` if the content of a document makes the body fail."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # NumPy warns of numbers out of range
            yield
    except (InputError, UsageError) as error:
        message = str(error)  # an error about an invalid plan does not name the file
        raise InputError(message if message.startswith(name) else f"{name}: {message}") from None
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RuntimeWarning,
        TypeError,
        ValueError,
    ):
        raise InputError(f"{name}: inconsistent content; {REMEDY}") from None
