"""Reports as GitHub's Markdown, for the summary of a step: conclusions first, the rest folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weigh.report import markdown
from weigh.report.grid import Grid
from weigh.report.methods import title_of
from weigh.report.number import listed
from weigh.report.text import visible
from weigh.stats.procedures import FLAWED_TESTS

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport
    from weigh.report.view import View

_ALERTS = {"pass": "TIP", "fail": "CAUTION", "inconclusive": "WARNING"}
# What GitHub acts upon even in plain text: mentions, formulas, numbers of issues, addresses.
_ACTIVE = re.compile(r"@|\$|#(?=\d)|(?<=:)//|(?<=www)\.", re.IGNORECASE)

# A heading, a grid and the sentences under it, as in the other formats.
Piece = tuple[str, Grid | None, Sequence[str]]


def as_github(view: View) -> str:
    """Return cautions, conclusions and the first table; other tables and the methods are folded."""
    parts = [f"## {_escape(view.title)}"]
    if view.cautions:
        parts.append(_alert("WARNING", "\n".join(f"- {_start(said)}" for said in view.cautions)))
    parts += map(_escape, view.findings)
    rest: list[str] = []
    tables = 0
    for part in view.parts_in("github"):
        said = [_escape(sentence.strip()) for sentence in part.sentences if sentence.strip()]
        if part.grid is None:
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


def compared(report: CompareReport, summary: str, pieces: Iterable[Piece]) -> str:
    """Return the gate's verdict, warnings, scores and what differs; pairs and methods are folded.

    `pieces` are those of the other formats, without the gate's.
    """
    result = report.result
    parts = [f"## {_escape(summary)}"]
    if result.gate is not None:
        reasons = "".join(f"\n- {_start(reason)}" for reason in result.gate.reasons)
        alert = _ALERTS[result.gate.verdict]
        parts.append(_alert(alert, f"**Gate: {result.gate.verdict}**\n{reasons}"))
    if result.warnings:
        said = "\n".join(f"- {_start(warning)}" for warning in result.warnings)
        parts.append(_alert("WARNING", said))
    texts: list[str] = []
    for heading, grid, sentences in pieces:
        said_under = [_escape(sentence.strip()) for sentence in sentences if sentence.strip()]
        if grid is None:
            texts += said_under
        elif heading:
            parts.append(_folded(heading, [_table(grid), *said_under]))
        else:
            parts += [_table(grid), *said_under, *_differences(report)]
    signatures = _signatures(report.signatures)
    return "\n\n".join([*parts, _folded("Methods and signatures", [*texts, signatures])])


def _differences(report: CompareReport) -> list[str]:
    """Return for each test in how many pairs of systems it found a difference."""
    lines = []
    for test, pairs in report.tests.items():
        if test in FLAWED_TESTS:
            continue
        counts = []
        for metric, title in report.titles.items():
            found = [one.decided for one in pairs if (one.metric, one.slice) == (metric, None)]
            counts.append(f"in {sum(found)} of {len(found)} pairs by {title}")
        name = title_of(pairs[0], report.result.plan)
        lines.append(f"- {_escape(name)}: significant differences {_escape(listed(counts))}")
    return ["\n".join(lines)] if lines else []


def scored(
    summary: str,
    systems: Grid,
    details: Sequence[Grid],
    segments: Grid | None,
    signatures: Sequence[tuple[str, str]],
) -> str:
    """Return the scores of systems; details, single segments and the signatures are folded."""
    parts = [f"## {_escape(summary)}", _table(systems)]
    if details:
        parts.append(_folded("Details", [_table(grid) for grid in details]))
    if segments is not None:
        parts.append(_folded("Segments", [_table(segments)]))
    return "\n\n".join([*parts, _folded("Signatures", [_signatures(signatures)])])


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
