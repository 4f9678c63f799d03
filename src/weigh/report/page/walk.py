"""Views as HTML: a whole page, or what a notebook shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from weigh.report.page import embedded
from weigh.report.page.assembly import assembled
from weigh.report.page.blocks import (
    Section,
    careful,
    described,
    figures,
    folded,
    kept,
    paragraphs,
)
from weigh.report.page.browser import browser
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import filtered_table, ranked_table
from weigh.report.view import Part, View

_UNTITLED = "Results"
# Ids that sections cannot have, since other elements of a page do.
_TAKEN = ("data", "segment-data", "summary", "methods", "document", "save", "theme", "cards")
_FILTER_SCRIPT = "pairs.js"
_BROWSER_SCRIPTS = ("words.js", "cards.js", "ngrams.js", "browser.js")


def as_page(view: View, document: str) -> str:
    """Return a view as one HTML file that holds the result's document too."""
    parts = view.parts_in("html")
    sections = {"summary": Section("Summary", _summary(view))}
    contents: dict[str, list[Part]] = {}
    title = ""
    for part in parts:
        title = part.section or title or part.heading or _UNTITLED
        contents.setdefault(title, []).append(part)
    for number, (title, own) in enumerate(contents.items(), 1):
        sections[_id(title, number, sections)] = Section(title, list(_flow(own, title)))
    if view.methods or view.signatures:
        sections["methods"] = Section(
            "Methods and signatures", described(view.methods, view.signatures)
        )
    browsers = [part.browser for part in parts if part.browser is not None]
    more = "; the texts of the segments are beside it" if browsers else ""
    sections["document"] = Section("Data", kept(more))
    scripts = [_FILTER_SCRIPT] if any(part.significant for part in parts) else []
    scripts += _BROWSER_SCRIPTS if browsers else []
    data = [embedded.document(document), *map(embedded.segments, browsers)]
    return assembled(view.title, view.subtitle, sections, data, scripts)


def _id(title: str, number: int, taken: Mapping[str, object]) -> str:
    """Return what a section is linked with: its title, where that is a word of its own."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    is_free = name and name not in _TAKEN and name not in taken
    return name if is_free else f"part-{number}"


def _summary(view: View) -> list[Markup]:
    content = []
    if view.alert is not None:
        content.append(element("p", element("strong", f"{view.alert.said}."), class_="gate"))
        reasons = [element("li", reason) for reason in view.alert.reasons]
        content += [element("ul", *reasons)] if reasons else []
    findings = view.findings or [f"{view.title}."]
    return [*content, *paragraphs(findings), *careful(view.cautions)]


def _flow(parts: Iterable[Part], title: str) -> Iterator[Markup]:
    """Yield the content of a section: neighbours may stand in a row, or be hidden together."""
    for (label, beside), group in groupby(parts, key=lambda part: (part.folded, part.beside)):
        # Under a section, or a label, of the same name a heading would only repeat it.
        content = [_content(part, named=part.heading not in ("", title, label)) for part in group]
        shown = (
            [element("div", *(element("div", *each) for each in content), class_="beside")]
            if beside
            else [markup for each in content for markup in each]
        )
        if label and shown:
            yield folded(label, shown)
        else:
            yield from shown


def _content(part: Part, *, named: bool) -> list[Markup]:
    content = [*figures(part.pictures(), "small" if part.small else "")]
    label = part.heading or "Table"
    if part.grid is not None and part.significant:
        content += filtered_table(part.grid, label, part.significant, part.about)
    elif part.grid is not None:
        content.append(ranked_table(part.grid, label))
    if part.browser is not None:
        content += browser(part.browser)
    content += paragraphs(part.sentences, "faint" if part.grid is not None else None)
    return [*([element("h3", part.heading)] if named else []), *content]


def as_fragment(view: View) -> str:
    """Return the first table with the first picture, for a notebook."""
    parts = view.parts_in("html")
    content: list[Markup] = []
    for part in [part for part in parts if part.grid is not None][:1]:
        if part.grid is not None:
            content.append(ranked_table(part.grid, part.heading or "Table"))
            content += paragraphs(part.sentences)
    for part in parts:
        if pictures := part.pictures():
            content += figures(pictures[:1])
            break
    from weigh.report.pictures.picture import STYLE

    return str(element("div", Markup(f"<style>{STYLE}</style>"), *content, class_="weigh"))
