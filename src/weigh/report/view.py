"""What is shown of a result, in every format: one view per kind of result, one path for all.

A view function is registered for its result by `view_of`, in the module of its domain; formats
walk what it returns and know nothing of results.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from weigh import plugins, result
from weigh.errors import InputError, UsageError
from weigh.report.grid import Depth as Depth
from weigh.report.grid import Grid, Screen
from weigh.result import REMEDY, Result
from weigh.result import signature as signature

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Segments
    from weigh.human.errors import Mark
    from weigh.report.pictures.picture import Picture

# Views of `human rank` are in human_rank.py or else in human.py, but for those of these commands.
_MODULES = {
    "score": "scores",
    "validate accuracy": "validate_people",
    "validate preference": "validate_people",
    "rerank": "tune",
    "metrics": "catalogue",
}
# Installed packages add views by entry points of this group: a command, or the first word of some,
# and a module that registers their views.
ADDED = "weigh.views"
TEXT = ("table", "markdown")
PAGE = ("html",)
LATEX = ("latex",)
EVERYWHERE = (*TEXT, *PAGE, *LATEX)
# The section of a page that says what was found; parts may stand in it too.
SUMMARY = "Summary"

Shown = TypeVar("Shown", bound=Result)


@dataclass(frozen=True, slots=True)
class BrowsedMetric:
    """A metric as a reader of segments chooses it."""

    metric: str
    title: str
    decimals: int
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class Browser:
    """What a page lets a reader look through: segments with the outputs and scores of systems.

    `systems` stand best first; `pair` are the places, among them, of the two that are shown first.
    `total` is how many segments the test set has, of which a large one shows only some. `marks` are
    errors that people marked, by system those of every segment; without any it is empty.
    """

    segments: Segments
    systems: Sequence[str]
    metrics: Sequence[BrowsedMetric]
    pair: tuple[int, int]
    total: int
    marks: Mapping[str, Sequence[Sequence[Mark]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alert:
    """A verdict that somebody waits for, with its reasons."""

    verdict: Literal["pass", "fail", "inconclusive"]
    said: str
    reasons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """What stands together: any of it may be missing.

    `depth` says whether a terminal shows the part in brief too. `pictures` are drawn where they are
    shown: in pages and as files. `section` is the title of the page's section that begins here;
    `forms` are the formats that have this part at all.
    `folded` is the label under which a page hides the part until it is asked for; neighbours with
    one label are hidden together. Parts that follow each other may stand `beside` each other in a
    page with room for it. Many pictures that are alike are `small`. `note` are signatures that
    stand under a table of LaTeX. A list whose rows are told to be `significant` or not can be
    filtered on a page, by words and by what its rows are `about`: the labels of choices with a
    value for every row, two at most. One part of a view may have such a list, and one a `browser`
    of segments.
    """

    heading: str = ""
    grid: Grid | None = None
    sentences: Sequence[str] = ()
    depth: Depth = "usual"
    pictures: Callable[[], Sequence[Picture]] = tuple
    section: str = ""
    forms: Collection[str] = EVERYWHERE
    folded: str = ""
    beside: bool = False
    small: bool = False
    note: Sequence[tuple[str, str]] = ()
    significant: Sequence[bool] = ()
    about: Mapping[str, Sequence[str]] = field(default_factory=dict)
    browser: Browser | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """What a result has used and a paper cites, by the names of the command line."""

    metrics: Sequence[str] = ()
    tests: Sequence[str] = ()
    adjustments: Sequence[str] = ()
    intervals: Sequence[str] = ()
    margins: bool = False
    works: Sequence[str] = ()
    draws: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """All that is said of a result.

    `title` and `subtitle` stand at the head of a page; `findings`, the conclusions in words,
    and `cautions` are its summary; `methods` is a paragraph for a paper. `signatures` say by name
    how numbers were made. `records` are the rows of TSV with all digits, or make them; `used` is
    what `weigh cite` gives references for; an `alert` stands before all else. `page_parts` makes
    what only pages have, where that is much. `lines` are texts by name, which stand in place of a
    table: data for other programs, one text on each line.
    """

    title: str
    parts: Sequence[Part]
    signatures: Sequence[tuple[str, str]] = ()
    records: Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]]] = ()
    subtitle: str = ""
    findings: Sequence[str] = ()
    cautions: Sequence[str] = ()
    methods: str = ""
    used: Used = Used()
    alert: Alert | None = None
    page_parts: Callable[[], Iterable[Part]] = tuple
    lines: Sequence[tuple[str, str]] | None = None

    def parts_in(self, form: str) -> list[Part]:
        """Return the parts that a format shows."""
        parts = [part for part in self.parts if form in part.forms]
        return [*parts, *self.page_parts()] if form in PAGE else parts

    def pictures(self) -> list[Picture]:
        """Return all pictures, in the order of reading."""
        return [picture for part in self.parts_in("html") for picture in part.pictures()]


# By command; a command that does several things has several kinds of results.
_VIEWS: dict[str, dict[type[Result], Callable[[Any], View]]] = {}


def view_of(kind: type[Shown]) -> Callable[[Callable[[Shown], View]], Callable[[Shown], View]]:
    """Register a function as the view of a kind of result."""

    def registered(function: Callable[[Shown], View]) -> Callable[[Shown], View]:
        _VIEWS.setdefault(kind.command, {})[kind] = function
        return function

    return registered


def view(shown: Result) -> View:
    """Return what is shown of a result."""
    return _registered(shown.command)[type(shown)](shown)


def _registered(command: str) -> dict[type[Result], Callable[[Any], View]]:
    """Return the views of a command's results; KeyError if there is no such command.

    Their module is imported when they are needed.
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


def show(
    shown: Result, form: str = "table", screen: Screen | None = None, depth: Depth = "usual"
) -> str:
    """Return a result in a format; only the table depends on the screen, or on the depth alone."""
    if form == "json":
        return result.document(shown)
    if form == "html":
        from weigh.report.page.walk import as_page

        return as_page(view(shown), result.document(shown.within_page()))
    if form == "notebook":
        from weigh.report.page.walk import as_fragment

        return as_fragment(view(shown))
    from weigh.report import formats

    if form == "table":
        return formats.as_table(view(shown), screen or Screen(depth=depth))
    if form not in formats.WRITERS:
        raise UsageError(f"unknown format {form!r}; give one of {', '.join(formats.FORMATS)}")
    return formats.WRITERS[form](view(shown))


def columns(shown: Result) -> dict[str, list[Any]]:
    """Return the records of a result by column, as a data frame has them."""
    from weigh.report.formats import columns_of

    return columns_of(view(shown))


def load(path: str | os.PathLike[str]) -> Result:
    """Return a result from its JSON document, or from a page that holds one."""
    from weigh.read.text import read_whole

    name = os.fspath(path)
    return restored(read_whole(name), name)


_PAGE = re.compile(r"\s*<!doctype html>", re.IGNORECASE)
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def restored(text: str, name: str) -> Result:
    """Return the result that a document, or a page, was made of; `name` is the file's, for errors.

    It is refused where it could not be shown.
    """
    found = result.parse(_document_in(text, name), name)
    command = found.get("command")
    try:
        kinds = _registered(command) if isinstance(command, str) else _registered("")
    except KeyError:
        raise InputError(
            f"{name}: a result of {result.shortly(command)}, which this version of weigh does not "
            f"know; {REMEDY}"
        ) from None
    with refusing(name):
        made = result.decode(result.likeliest(kinds, found), found, name)
        from weigh.report import formats

        formats.as_table(view(made))
        result.document(made)
    return made


def _document_in(text: str, name: str) -> str:
    if not _PAGE.match(text):
        return text
    data = _DATA.search(text)
    if data is None:
        raise InputError(f"{name}: a page without a document of weigh's; give another file")
    return data[1]


@contextmanager
def refusing(name: str) -> Iterator[None]:
    """Refuse a document where what it says cannot be worked with."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # numpy's, of numbers out of range
            yield
    except (InputError, UsageError) as error:
        said = str(error)  # of a plan that no command would have accepted, it names no file
        raise InputError(said if said.startswith(name) else f"{name}: {said}") from None
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RuntimeWarning,
        TypeError,
        ValueError,
    ):
        raise InputError(f"{name}: its parts do not fit each other; {REMEDY}") from None


def remarked(remarks: Iterable[str]) -> list[str]:
    """Return remarks on the data as sentences."""
    return [f"Remark: {remark.rstrip('.')}." for remark in remarks]
