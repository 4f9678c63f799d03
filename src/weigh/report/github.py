"""Reports as GitHub's Markdown, for the summary of a step: conclusions first, the rest folded."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report import markdown
from weigh.report.grid import Grid, visible

if TYPE_CHECKING:
    from weigh.report.view import View

_ALERTS = {"pass": "TIP", "fail": "CAUTION", "inconclusive": "WARNING"}
# What GitHub acts upon even in plain text: mentions, formulas, numbers of issues, addresses.
_ACTIVE = re.compile(r"@|\$|#(?=\d)|(?<=:)//|(?<=www)\.", re.IGNORECASE)


def as_github(view: View) -> str:
    """Return cautions, conclusions and the first table; other tables and the methods are folded."""
    parts = [f"## {_escape(view.title)}", *([_escape(view.subtitle)] if view.subtitle else [])]
    if view.alert is not None:
        reasons = "".join(f"\n- {_start(reason)}" for reason in view.alert.reasons)
        parts.append(_alert(_ALERTS[view.alert.verdict], f"**{view.alert.said}**\n{reasons}"))
    if view.cautions:
        parts.append(_alert("WARNING", "\n".join(f"- {_start(said)}" for said in view.cautions)))
    parts += map(_escape, view.findings)
    rest: list[str] = []
    tables = 0
    for part in view.parts_in("github"):
        said = [_escape(sentence.strip()) for sentence in part.sentences if sentence.strip()]
        if part.grid is None:
            if part.heading:
                parts += [f"### {_escape(part.heading)}", *said]
            else:
                rest += said
            continue
        tables += 1
        if tables == 1 or not part.heading:
            parts += [*([f"### {_escape(part.heading)}"] if part.heading else [])]
            parts += [_table(part.grid), *said]
        else:
            parts.append(_folded(part.heading, [_table(part.grid), *said]))
    rest += [_escape(view.methods)] if view.methods else []
    rest += [_signatures(view.signatures)] if view.signatures else []
    if rest:
        parts.append(_folded("Methods and signatures", rest))
    return "\n\n".join(parts)


def _alert(kind: str, text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in [f"[!{kind}]", *text.split("\n")])


def _folded(summary: str, parts: Sequence[str]) -> str:
    """Return what opens with a click; the summary is HTML, and Markdown begins after a blank."""
    title = _still(html.escape(visible(summary)))
    return "\n\n".join([f"<details>\n<summary>{title}</summary>", *parts, "</details>"])


def _signatures(signatures: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        f"- {_start(title)}: {markdown.code(signature)}" for title, signature in signatures
    )


def _table(grid: Grid) -> str:
    return _still(markdown.render(grid))


def _escape(text: str) -> str:
    return _still(markdown.escape(text))


def _start(text: str) -> str:
    """Return text that begins a line as text, and not a heading, a list or a block of code."""
    first = text[:1]
    if not first or first.isalpha() or not first.isprintable():
        return _escape(text)
    return f"<span>&#{ord(first)};</span>{_escape(text[1:])}"


def _still(text: str) -> str:
    """Return escaped text in which GitHub finds nothing to act upon.

    >>> print(_still("a@b costs $5"))
    a<span>@</span>b costs <span>$</span>5
    """
    return _ACTIVE.sub(lambda found: f"<span>{found[0]}</span>", text)
