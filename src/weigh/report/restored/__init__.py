"""Reports from the JSON documents that weigh has written, or from pages that hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeVar

from weigh.errors import InputError, UsageError
from weigh.report.document import SCHEMA
from weigh.report.number import listed
from weigh.report.restored.saved import Saved
from weigh.report.table import PLAIN

__all__ = ["Saved", "restore"]

# Every command whose documents can be read, and the module that does it.
_MODULES = {
    "score": "comparison",
    "compare": "comparison",
    "tune": "tuning",
    "rerank": "reranking",
    "human plan": "human",
    "human quality": "human",
    "human rank": "ranking",
    "human agreement": "human",
    "human metrics": "human",
    "validate accuracy": "validation",
    "validate samples": "validation",
    "validate power": "validation",
    "validate preference": "preference",
}
Shown = TypeVar("Shown")
_PAGE = re.compile(r"\s*<!doctype html>", re.IGNORECASE)
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def restore(text: str, name: str) -> Saved[Any]:
    """Return the report that a document was made of; `name` is the file's, for errors."""
    import json

    if _PAGE.match(text):
        data = _DATA.search(text)
        if data is None:
            raise InputError(f"{name}: a page without a document of weigh's; give another file")
        text = data[1]
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name}: not JSON ({error}); give what a verb has written with --format json"
        ) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise InputError(
            f"{name}: expected a result with the schema {SCHEMA}, found {found!r}; "
            "give what a verb has written with --format json"
        )
    command = document.get("command")
    if not isinstance(command, str) or command not in _MODULES:
        raise InputError(
            f"{name}: a result of {command!r}, which cannot be shown again; give one of "
            f"{listed([repr(known) for known in _MODULES])}"
        )
    module = import_module(f"weigh.report.restored.{_MODULES[command]}")
    with _refusing(name):
        saved: Saved[Any] = module.RESTORERS[command](document, name)
        saved.as_table(saved.report, PLAIN)
        saved.formats["json"](saved.report)  # which has no numbers that do not exist
    return replace(
        saved,
        formats={form: _guarded(show, name) for form, show in saved.formats.items()},
        page=None if saved.page is None else _guarded(saved.page, name),
        pictures=None if saved.pictures is None else _guarded(saved.pictures, name),
    )


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Refuse a document where what it says cannot be worked with."""
    import warnings

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
        LookupError,
        RuntimeWarning,
        TypeError,
        ValueError,
    ):
        raise InputError(
            f"{name}: its parts do not fit each other; give a file that weigh has written"
        ) from None


def _guarded(show: Callable[[Any], Shown], name: str) -> Callable[[Any], Shown]:
    """Return what shows a report, where a table may be made that a picture cannot."""

    def guarded(report: Any) -> Shown:
        with _refusing(name):
            return show(report)

    return guarded
