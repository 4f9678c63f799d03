"""Parts become sections: in order, hidden together, and side by side."""

from __future__ import annotations

import re

from unit.report.page.documents import Document
from weigh.report.grid import Cell, Column, Grid
from weigh.report.page.walk import as_page
from weigh.report.view import Alert, Part, View

GRID = Grid([Column("System")], [[[Cell("a")]]])


def main_of(*parts: Part, **fields: object) -> str:
    html = as_page(View("A <title>", parts, **fields), "{}")  # type: ignore[arg-type]
    Document(html)
    found = re.search("<main>(.*)</main>", html, re.DOTALL)
    assert found is not None
    return found[1]


def test_sections_are_linked_by_their_titles() -> None:
    parts = [Part("x", section="First part"), Part(section="Data"), Part(section="Überall")]
    html = main_of(*parts, Part(section="Methods"), signatures=[("a", "b")])
    assert re.findall('<section id="([^"]*)"', html) == [
        *("summary", "first-part", "part-2", "berall", "part-4", "methods", "document")
    ]


def test_a_part_without_a_section_belongs_to_the_one_before() -> None:
    html = main_of(Part("One"), Part("Two", GRID), Part("Three", section="Three"), Part("Two"))
    assert re.findall("<h2[^>]*>([^<]*)", html) == ["Summary", "One", "Three", "Data"]
    # A heading that its section has already is not repeated.
    assert re.findall("<h3>([^<]*)", html) == ["Two", "Two"]


def test_neighbours_with_one_label_are_hidden_together() -> None:
    parts = [Part("a", GRID, folded="More"), Part("b", GRID, folded="More"), Part("c", GRID)]
    html = main_of(Part(section="S"), *parts, Part("Other", GRID, folded="Other"))
    first, second = re.findall("<details>(.*?)</details>", html, re.DOTALL)
    assert first.startswith("<summary>More</summary>")
    assert (first.count("<table"), re.findall("<h3>([^<]*)", first)) == (2, ["a", "b"])
    assert second.startswith("<summary>Other</summary>")
    assert "<h3>" not in second
    assert html.count("<table") == 4
    assert "<details>" not in main_of(Part(section="S"), Part(folded="Nothing"))


def test_neighbours_stand_beside_each_other() -> None:
    parts = [Part(name, GRID, beside=True) for name in "ab"]
    html = main_of(Part(section="S"), *parts, Part("c", GRID))
    row, rest = html.split('<div class="beside">')[1].split("<h3>c</h3>")
    assert (row.count("<table"), rest.count("<table")) == (2, 1)


def test_a_verdict_stands_before_all_else() -> None:
    alert = Alert("fail", "Gate: fail", ["too <bad>"])
    html = main_of(Part(), alert=alert, findings=["found"], cautions=["careful"])
    places = [html.index(text) for text in ("Gate: fail.", "too &lt;bad&gt;", "found", "careful")]
    assert places == sorted(places)
