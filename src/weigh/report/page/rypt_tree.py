"""The page of one sentence's trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.page import embedded
from weigh.report.page.assembly import assembled
from weigh.report.page.blocks import Section, kept, paragraphs
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import table
from weigh.report.pictures.parse_tree import tree_pictures
from weigh.report.rypt_tree import LEGEND, as_json, nodes_grid

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture
    from weigh.report.rypt_tree import TreeReport


def tree_page(report: TreeReport) -> str:
    """Return the explanation of outputs as one HTML file."""
    nodes = []
    for one in report.outputs:
        nodes += [element("h3", one.system), table(nodes_grid(report, one), f"Nodes: {one.system}")]
    source = " ".join(report.source)
    sections = {
        "summary": Section(
            "Summary",
            paragraphs(f"{one.system}: {one.text} – {one.summary}." for one in report.outputs),
        ),
        "trees": Section("Trees", [_scrolled(one) for one in tree_pictures(report)]),
        "nodes": Section("Nodes", [*nodes, *paragraphs(LEGEND, "faint")]),
        "document": Section("Data", kept()),
    }
    return assembled(
        f"Segment {report.segment:,}: {source}",
        report.signature,
        sections,
        [embedded.document(as_json(report))],
    )


def _scrolled(picture: Picture) -> Markup:
    """Return a picture that keeps its size, since the tree of a long sentence is wide."""
    drawn = element("div", Markup(picture.inline()), style=f"width:{round(picture.width)}px")
    return element(
        "figure",
        element(
            "div", drawn, class_="scroll", role="region", aria_label=picture.title, tabindex="0"
        ),
        element("figcaption", picture.title),
    )
