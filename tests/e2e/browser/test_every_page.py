"""What holds for every page, in a real browser: all fits, can be read, and is ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from e2e.browser.visit import CONTRAST, OUTSIDE, compared, resize, seen
from generated import generated
from unit.report.made import MADE


@pytest.mark.parametrize("kind", MADE)
def test_a_page_fits_and_can_be_read(chromium: Any, tmp_path: Path, kind: str) -> None:
    """On a dark telephone and a light screen; every second seed has the most hostile names."""
    html = MADE[kind](1).to_html()
    with seen(chromium, tmp_path, html, 390, "dark") as (visit, titles):
        assert titles[-1] == "Data"
        opened = "for (const each of document.querySelectorAll('details')) each.open = true"
        visit.view.evaluate(opened)
        width = "document.documentElement.scrollWidth"
        assert visit.view.evaluate(width) == 390
        assert visit.view.evaluate(OUTSIDE) == []
        visit.view.emulate_media(color_scheme="light")
        resize(visit.view, 1400)
        assert visit.view.evaluate(width) == 1400
        for problems in (CONTRAST, OUTSIDE):
            assert visit.view.evaluate(problems) == []


def test_the_ranking_and_its_picture_stand_side_by_side_where_there_is_room(
    chromium: Any, tmp_path: Path
) -> None:
    systems, test_set = generated()
    html = compared(systems[:3], test_set, "bleu", trials=200).to_html()
    places = """[...document.querySelectorAll("#summary .beside > div")].map(
        (each) => each.getBoundingClientRect().top)"""
    for width, rows in ((1400, 1), (390, 2)):
        with seen(chromium, tmp_path, html, width, "light") as (visit, _):
            tops = visit.view.evaluate(places)
            assert (len(tops), len(set(tops))) == (2, rows)


def test_the_ranking_of_four_metrics_is_read_on_a_telephone_without_scrolling(
    chromium: Any, tmp_path: Path
) -> None:
    systems, test_set = generated()
    html = compared(systems[:5], test_set, "bleu,chrf,ter,wer", trials=200).to_html()
    with seen(chromium, tmp_path, html, 390, "light") as (visit, _):
        wide = "(() => { const box = document.querySelector('#summary .scroll');"
        assert visit.view.evaluate(f"{wide} return box.scrollWidth <= box.clientWidth; }})()")
