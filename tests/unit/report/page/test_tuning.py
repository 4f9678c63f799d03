from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.page.documents import Document
from unit.report.tunings import NAMES, made_report, made_views
from weigh.report.page.tuning import tuning_page
from weigh.report.pictures.tuning import tuning_pictures
from weigh.report.tuning import as_json


def page_of(names=NAMES, words="word", **options) -> str:
    report, views = made_report(names, **options), made_views(names, words)
    return tuning_page(report, tuning_pictures(report, views), views.segment)


def test_the_page_says_what_was_found():
    document = Document(page_of())
    said = " ".join(document.texts)
    for words in (
        "40.00 before,",
        "35.50",
        "2 runs: mean 36.00",
        "Held out, 12 segments: 41.00 before, 39.00 after; a difference",
        "Left out: 2 segments without candidates.",
        "minimum error rate training",
        "in 2 runs with different seeds",
    ):
        assert words in said
    assert {"summary", "iterations", "runs", "weights", "surfaces", "envelope"} <= set(
        document.ids()
    )
    assert document.tags.count("svg") == 1 + len(NAMES) + 1
    assert json.loads(document.scripts["data"]) == json.loads(as_json(made_report()))
    # Nothing from elsewhere.
    assert all(
        value is None or value.startswith("#")
        for _, name, value in document.attributes
        if name in ("href", "src")
    )


def test_what_there_is_not_is_not_shown():
    document = Document(page_of(runs=1, iterations=[]))
    assert not {"runs", "iterations"} & set(document.ids())
    assert "always partly luck" in " ".join(document.texts)


@settings(max_examples=20, deadline=None)
@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_no_name_or_text_can_become_markup(text):
    html = page_of([f"x{text}", f"y{text}"], text.replace("\n", " "))
    html.encode("utf-8")
    assert without_shapes(html) == without_shapes(page_of())


def without_shapes(html: str) -> list[str]:
    """The elements but those that a picture has more or less of for other scores."""
    return [tag for tag in Document(html).tags if tag not in ("path", "text", "circle", "title")]
