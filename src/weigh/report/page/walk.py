"""Views as HTML: a whole page, or what a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable

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
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import filtered_table, ranked_table
from weigh.report.view import Part, View

_UNTITLED = "Results"


def as_page(view: View, document: str) -> str:
    """Return a view as one HTML file that holds the result's document too."""
    sections: dict[str, Section] = {}
    if view.findings or view.cautions:
        summary = [*paragraphs(view.findings), *careful(view.cautions)]
        sections["summary"] = Section("Summary", summary)
    titles: dict[str, list[Markup]] = {}
    title = ""
    for part in view.parts_in("html"):
        title = part.section or title or part.heading or _UNTITLED
        # Under a section of the same name a heading would only repeat it.
        titles.setdefault(title, []).extend(_content(part, part.heading != title))
    for number, (title, content) in enumerate(titles.items(), 1):
        sections[f"part-{number}"] = Section(title, content)
    if view.methods or view.signatures:
        sections["methods"] = Section(
            "Methods and signatures", described(view.methods, view.signatures)
        )
    sections["document"] = Section("Data", kept())
    return assembled(
        view.title,
        view.subtitle,
        sections,
        [embedded.document(document)],
        ["pairs.js"] if any(part.significant for part in view.parts_in("html")) else [],
    )


def _content(part: Part, named: bool) -> Iterable[Markup]:
    content = [*figures(part.pictures())]
    label = part.heading or "Table"
    if part.grid is not None and part.significant:
        content += filtered_table(part.grid, label, part.significant, part.about)
    elif part.grid is not None:
        content.append(ranked_table(part.grid, label))
    content += paragraphs(part.sentences, "faint" if part.grid is not None else None)
    if part.folded:
        return [folded(part.folded, content)]
    return [*([element("h3", part.heading)] if part.heading and named else []), *content]


def as_fragment(view: View) -> str:
    """Return the first table with the first picture, for a notebook."""
    parts = view.parts_in("html")
    grids = [part for part in parts if part.grid is not None][:1]
    content = [piece for part in grids for piece in _grid_alone(part)]
    for part in parts:
        if pictures := part.pictures():
            content += figures(pictures[:1])
            break
    from weigh.report.pictures.picture import STYLE

    return str(element("div", Markup(f"<style>{STYLE}</style>"), *content, class_="weigh"))


def _grid_alone(part: Part) -> Iterable[Markup]:
    if part.grid is not None:
        yield ranked_table(part.grid, part.heading or "Table")
        yield from paragraphs(part.sentences)
