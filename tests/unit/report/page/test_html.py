from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unit.report.page.documents import Document
from weigh.report.grid import Cell, Column, Grid, Sentence, visible
from weigh.report.page.html import Markup, element, escape, joined, paragraphs, table

ANYTHING = st.text(st.characters(exclude_categories=()))


@given(ANYTHING, ANYTHING)
def test_text_and_attributes_are_read_back_as_they_are_shown(text: str, value: str) -> None:
    read = Document(element("p", text, "<", title=value))
    assert read.tags == ["p"]
    assert "".join(read.texts) == visible(text) + "<"
    assert read.attributes == [("p", "title", visible(value))]


@given(ANYTHING)
def test_markup_is_not_escaped_twice(text: str) -> None:
    once = escape(text)
    assert escape(once) == once
    assert joined(once, text) == once + once


def test_attributes_may_be_bare_or_left_out() -> None:
    made = element("input", type="checkbox", disabled=True, hidden=False, id=None, for_="x")
    assert made == '<input type="checkbox" disabled for="x">'
    assert isinstance(made, Markup)


def test_strong_words_of_a_sentence_stand_out() -> None:
    sentence = Sentence(Cell("a<b", strong=True), " scores best, ", Cell("2"), ".")
    assert sentence == "a<b scores best, 2."
    assert paragraphs([sentence, "", "no <b>"]) == [
        "<p><strong>a&lt;b</strong> scores best, 2.</p>",
        "<p>no &lt;b&gt;</p>",
    ]


def test_cells_stand_under_titles_with_their_kind() -> None:
    columns = [Column("System"), Column("BLEU", "higher"), Column("95%", kind="number")]
    blocks = [
        [[Cell("a<b"), Cell("1.5"), Cell("[ 1.0,  12.0]")]],
        [[Cell("c"), Cell("2"), Cell("")]],
    ]
    made = table(Grid(columns, blocks), "Scores", [{"data_metric": "bleu"}], "scores")
    assert '<table class="sortable" id="scores">' in made
    assert '<th scope="col" class="number">BLEU ↑</th>' in made
    assert made.count("<tbody>") == 2
    assert (
        '<tr data-metric="bleu"><th scope="row" class="key"><span>a&lt;b</span></th>'
        '<td class="number">1.5</td><td class="number">[1.0, 12.0]</td></tr>'
    ) in made


def test_the_best_of_a_column_stands_out() -> None:
    grid = Grid([Column("System"), Column("BLEU", "higher")], [[[Cell("a"), Cell("2", best=True)]]])
    shown = table(grid, "Scores")
    assert '<td class="number"><strong title="best of its column">2</strong></td>' in shown
