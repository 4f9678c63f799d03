"""Views as HTML: whole pages, fragments for notebooks, and sections for other pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.report.formats import truncation_note
from weigh.report.grid import Grid
from weigh.report.markup import Markup, element
from weigh.report.page.browser import browser, segments_json
from weigh.report.page.html import (
    data_note,
    figures,
    fold,
    grid_table,
    is_filtered,
    methods_and_signatures,
    note,
    pack,
    paragraphs,
    verdict,
)
from weigh.report.parts import Browser, Note, Part, Pictures, Verdict

if TYPE_CHECKING:
    from weigh.report.view import View

# The style of results in notebooks, which have their own colours and fonts.
_NOTEBOOK = (
    ".weigh .verdict{border-left:4px solid #1d5fae;padding-left:.75em;margin:.5em 0}"
    ".weigh .verdict.fail{border-color:#b04a12}.weigh .verdict.inconclusive{border-color:#a3195b}"
    ".weigh :is(th,td){padding:.15em .7em .15em 0}.weigh tbody th{font-weight:inherit}"
    ".weigh p{margin:.25em 0}.weigh .faint{opacity:.7;font-size:.9em}"
    ".weigh :is(th,td).number{text-align:right}.weigh :is(th,td):not(.number){text-align:left}"
    ".weigh table{border-collapse:collapse}.weigh tr.boundary>*{border-top:1px solid currentcolor}"
    ".weigh tbody+tbody>tr:first-child>*{border-top:1px dotted currentcolor}"
)
SUMMARY = "Summary"
METHODS = "Methods and signatures"
# Ids of other elements, which sections must not use.
_TAKEN = ("data", "segment-data", "methods", "document", "save", "theme", "cards")
_SCRIPTS = ("appearance.js", "tables.js")  # needed by every page
_FILTER_SCRIPT = "pairs.js"
_BROWSER_SCRIPTS = ("words.js", "cards.js", "ngrams.js", "browser.js")


def as_page(view: View, document: str) -> str:
    """Format a view as a self-contained HTML file that includes the result's JSON document."""
    sections: dict[str, tuple[str, Sequence[Markup]]] = {}
    for number, (title, parts) in enumerate(_by_section(_without_title(view)).items()):
        content = list(_flow(parts, {title, view.subtitle}))
        if content:
            sections[_link_name(title, number, sections)] = title, content
    if view.methods or view.signatures:
        sections["methods"] = METHODS, methods_and_signatures(view.methods, view.signatures)
    browsers = [part for part in view.parts if isinstance(part, Browser)]
    more = f", and the {browsers[0].unit}s separately" if browsers else ""
    sections["document"] = "Data", data_note(more)
    has_filters = any(is_filtered(part) for part in view.parts if isinstance(part, Grid))
    script = _script(
        [
            *_SCRIPTS,
            *([_FILTER_SCRIPT] if has_filters else []),
            *(_BROWSER_SCRIPTS if browsers else []),
        ]
    )
    links = [
        element("li", element("a", title, href=f"#{name}")) for name, (title, _) in sections.items()
    ]
    blocks = [
        element(
            "section",
            element("h2", title, id=f"{name}-title"),
            *content,
            id=name,
            aria_labelledby=f"{name}-title",
        )
        for name, (title, content) in sections.items()
    ]
    contents = element("nav", element("ol", *links), aria_label="Contents")
    body = element(
        "body",
        element("a", "Skip to content", href=f"#{next(iter(sections))}", class_="skip"),
        element(
            "header",
            element("h1", view.title),
            element("p", f"{view.subtitle}; weigh {__version__}", class_="faint"),
            element("button", "Dark", type="button", id="theme", hidden=True),
        ),
        element("div", contents, element("main", *blocks), class_="columns"),
        pack(document.encode("utf-8", "surrogatepass"), "data"),
        *(pack(segments_json(part), "segment-data") for part in browsers),
        Markup(f"<script>{script}</script>"),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"weigh {__version__}"),
        element("title", view.title),
        Markup(f"<style>{style()}</style>"),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _without_title(view: View) -> Iterator[Part]:
    """Yield the parts, without the line of the verdict that repeats the title."""
    for part in view.parts:
        if isinstance(part, Verdict):
            lines = [line for line in part.lines if not line.rstrip(".").endswith(view.title)]
            if lines or part.gate:
                yield replace(part, lines=lines)
        else:
            yield part


def _by_section(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """The parts of each section, by title; parts before the first section form the summary."""
    contents: dict[str, list[Part]] = {SUMMARY: []}
    title = SUMMARY
    for part in parts:
        title = part.section or title
        contents.setdefault(title, []).append(part)
    return contents


def _link_name(title: str, number: int, taken: Mapping[str, object]) -> str:
    """The id of a section, derived from its title if that is free."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    is_free = name and name not in _TAKEN and name not in taken
    return name if is_free else f"part-{number}"


def _flow(parts: Iterable[Part], headings: Collection[str] = ()) -> Iterator[Markup]:
    """Yield the content of a section; neighbours with the same label are folded together.

    `headings` are shown above already and not repeated.
    """
    for label, group in groupby(parts, key=lambda part: part.folded):
        content = list(_side_by_side(list(group), {*headings, label}))
        if label and content:
            yield fold(label, content)
        else:
            yield from content


def _side_by_side(parts: Sequence[Part], headings: Collection[str]) -> Iterator[Markup]:
    """Yield parts; pictures that follow a grid go beside it where there is room."""
    contents = [_content(part, headings) for part in parts]
    at = 0
    while at < len(parts):
        is_grid = isinstance(parts[at], Grid) and not getattr(parts[at], "significant", ())
        if is_grid and at + 1 < len(parts) and isinstance(parts[at + 1], Pictures):
            both = [element("div", *content) for content in contents[at : at + 2] if content]
            yield element("div", *both, class_="beside")
            at += 2
        else:
            yield from contents[at]
            at += 1


def _content(part: Part, headings: Collection[str]) -> list[Markup]:
    """Format a part; `headings` are shown above already and not repeated."""
    if isinstance(part, Verdict):
        return [verdict(part)]
    if isinstance(part, Note):
        return note(part, titled=part.title not in headings)
    if isinstance(part, Browser):
        return browser(part)
    content: list[Markup] = []
    if isinstance(part, Pictures):
        content = figures(part.draw(), "small" if part.small else "")
    if isinstance(part, Grid):
        cut = [truncation_note(part)] if part.is_too_long else []
        grid = part.truncate() if part.is_too_long else part
        content = [*grid_table(grid), *paragraphs([*cut, *part.all_notes], "faint")]
    title = getattr(part, "title", "")
    head = [element("h3", title)] if content and title and title not in headings else []
    return [*head, *content]


def as_fragment(view: View) -> str:
    """Format the parts that text formats show, within their limits, for a notebook."""
    content: list[Markup] = []
    for part in view.parts:
        if part.level == "page":
            continue
        if isinstance(part, Grid):
            limited = replace(part.truncate(), significant=())
            content += _content(limited, ())
            content += paragraphs([truncation_note(part)], "faint") if part.is_truncated else []
        else:
            content += _content(part, ())
    return str(element("div", Markup(f"<style>{_NOTEBOOK}</style>"), *content, class_="weigh"))


def as_sections(view: View, titles: Collection[str] = ()) -> str:
    """Format the sections with these titles, or all, for a page with `style` but no scripts.

    Parts that need scripts are omitted: lists with filters and the segment browser.
    """

    def needs_script(part: Part) -> bool:
        return isinstance(part, Browser) or (isinstance(part, Grid) and is_filtered(part))

    return "".join(
        markup
        for title, parts in _by_section(view.parts).items()
        if not titles or title in titles
        for markup in _flow(part for part in parts if not needs_script(part))
    )


def policy_of(page: str) -> str:
    """The content security policy that a page declares."""
    import html

    declared = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    return html.unescape(declared[1]) if declared else "default-src 'none'"


def _policy(script: str) -> str:
    """A content security policy that allows only this script."""
    import base64
    import hashlib

    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def style() -> str:
    """The style sheet of pages."""
    from weigh.report.pictures.picture import STYLE

    return f"{STYLE}\n{_file('style.css')}"


def _script(names: Sequence[str]) -> str:
    parts = "\n".join(map(_file, names))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    from importlib.resources import files

    return files("weigh.report.page").joinpath(name).read_text(encoding="utf-8")
