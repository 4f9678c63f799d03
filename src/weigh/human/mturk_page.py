"""The layout of a page for Mechanical Turk, which the site fills with the rows of a CSV file.

The site replaces `${html_0}` and so on by the values of a row. It is handed back the fields of a
form: `Q1`, all scores as the published pipeline packs them, or `choice_0`, `choice_1` … for
pairs; in the results these are the columns `Answer.Q1` and `Answer.choice_0`. The page loads
nothing. It stands in the form that the site puts around it, or makes one where there is none. All
names come out of attributes as texts, and all elements are made by the DOM: nothing that a text or
a name holds is taken for a program.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files
from typing import TYPE_CHECKING

from weigh.errors import InputError
from weigh.read.text import quoted

if TYPE_CHECKING:
    from weigh.human.export import Sheet

# What would end an attribute, be taken for a character reference or a variable, or split answers.
_UNSAFE = '"&$|\n\r'

_TOLD = {
    "adequacy": (
        "Rate how well the text expresses the meaning of the text above it; its style does not "
        "matter.",
        "The text expresses the same meaning.",
    ),
    "fluency": (
        "Rate how fluent the text is, as if written by a native speaker. Whether it is true does "
        "not matter.",
        "The text is fluent.",
    ),
    "preference": (
        "Choose the better of two texts, or neither if they are equally good or bad.",
        "Which text is better?",
    ),
}
_SLIDERS = (
    "Move every slider to show how far you agree with the sentence above it. Use the whole scale. "
    "Some texts appear twice, and some are damaged on purpose."
)
_CHOICES = "Some pairs appear twice, and in some a text is damaged on purpose."


def page(sheet: Sheet, columns: Collection[str]) -> str:
    """The page layout for HITs whose items have these columns, without their numbers."""
    _check_names(sheet)
    is_pair = sheet.kind == "pair"
    task, statement = _TOLD[sheet.hits[0].scale]
    most = max(len(hit.entries) for hit in sheet.hits)
    fields = {
        "<!-- task -->": task,
        "<!-- advice -->": _CHOICES if is_pair else _SLIDERS,
        "<!-- items -->": "\n".join(_item(at, columns) for at in range(most)),
        "STATEMENT": statement,
        "IS_PAIR": "true" if is_pair else "false",
    }
    text = (files("weigh.human") / "mturk_page.html").read_text(encoding="utf-8")
    for place, words in fields.items():
        text = text.replace(place, words)
    return text


def _check_names(sheet: Sheet) -> None:
    """Reject names that the page cannot return unchanged."""
    for hit in sheet.hits:
        names = {entry.segment for entry in hit.entries}
        names |= {item.system for item in hit.items}
        names |= {system for pair in hit.pairs for system in (pair.left_system, pair.right_system)}
        for name in sorted(names):
            if any(character in name for character in _UNSAFE):
                raise InputError(
                    f'{quoted(name)} has one of " & $ | or a line end, which an MTurk page '
                    "cannot return; rename it (a system with NAME=FILE)"
                )


def _item(at: int, columns: Collection[str]) -> str:
    """Fields of one item that the site fills; the script turns them into controls."""
    names = [name for name in ("sys", "sid", "tst", "rid", "screen") if name in columns]
    data = " ".join(f'data-{name}="${{{name}_{at}}}"' for name in names)
    texts = {
        "src_html": "source",
        "ref_html": "reference",
        "html": "text",
        "left_html": "left",
        "right_html": "right",
    }
    inner = "".join(
        f'<p class="{role}" dir="auto">${{{name}_{at}}}</p>'
        for name, role in texts.items()
        if name in columns
    )
    return f'<div class="item" {data} hidden>{inner}</div>'
