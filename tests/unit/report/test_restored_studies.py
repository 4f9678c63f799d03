"""Results of `weigh human` and `weigh validate` that are written as JSON and read back."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weigh.report.restored import restore

from unit.report.damage import damaged
from unit.report.studies import KINDS
from weigh.errors import InputError

kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 1000))
def test_a_report_reads_back_as_it_was(kind: str, seed: int) -> None:
    make, shown = KINDS[kind]
    report = make(seed)
    saved = restore(shown.as_json(report), "r.json")
    assert saved.command == shown.command
    assert set(saved.formats) == {"json", "tsv", "markdown", "latex"}
    for name, render in shown.formats.items():
        assert saved.formats[name](saved.report) == render(report), name
    assert saved.as_table(saved.report) == shown.as_table(report)  # type: ignore[call-arg]


@cache
def document(kind: str) -> dict[str, Any]:
    make, shown = KINDS[kind]
    made: dict[str, Any] = json.loads(shown.as_json(make(2)))
    return made


@kinds
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_damaged_document_is_shown_or_refused(kind: str, data: st.DataObject) -> None:
    """Any value anywhere: it reads, and can be shown, or there is one clear line."""
    with suppress(InputError):
        saved = restore(json.dumps(damaged(document(kind), data)), "r")
        if saved.page is not None and saved.pictures is not None:
            saved.page(saved.report)
            saved.pictures(saved.report)


@kinds
def test_a_part_that_is_missing_is_named(kind: str) -> None:
    whole = document(kind)
    # What is told twice, for readers, is not asked for.
    told = {
        "weigh",
        "same_level",
        "same_level_differences",
        "fixed_level",
        "fixed_level_differences",
    }
    for part in whole.keys() - told - {"schema", "command"}:
        rest = {name: value for name, value in whole.items() if name != part}
        with pytest.raises(InputError, match=part) as caught:
            restore(json.dumps(rest), "r")
        assert "\n" not in str(caught.value)


def test_other_documents_get_one_clear_line() -> None:
    with pytest.raises(InputError, match=r"^r: a result of 'bake', which cannot be .* 'score', "):
        restore('{"schema": "weigh/2", "command": "bake"}', "r")
    with pytest.raises(InputError, match="a page without a document"):
        restore("<!DOCTYPE html>\n<html></html>", "r")
