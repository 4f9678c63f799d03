"""What is said of tunings and rerankings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.made.tune import made_tuning, of_training
from unit.report.page.documents import Document
from weigh.errors import InputError
from weigh.report.view import parse_result, view
from weigh.result import document
from weigh.tuning.held_out import HeldOutScores, Spread


@settings(max_examples=20, deadline=None)
@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_no_name_or_text_can_become_markup(text: str) -> None:
    html = made_tuning([f"x{text}", f"y{text}"], text.replace("\n", " ")).to_html()
    html.encode("utf-8")
    assert without_shapes(html) == without_shapes(made_tuning().to_html())


def without_shapes(html: str) -> list[str]:
    """The elements but those that a picture has more or less of for other scores."""
    return [tag for tag in Document(html).tags if tag not in ("path", "text", "circle", "title")]


def held_out(p_value: float | None, **more: object) -> HeldOutScores:
    spread = Spread(46.8, 0.0, 46.8, 46.8)
    scores = HeldOutScores(9, 40.1, 46.8, spread, p_value, "x")
    return replace(scores, **more)  # type: ignore[arg-type]


def findings(scores: HeldOutScores) -> str:
    return " ".join(view(replace(made_tuning(runs=1), held_out=scores)).verdict)


@pytest.mark.parametrize(
    ("p_value", "said"),
    [(0.05, "after; a significant difference"), (0.0501, "after; no evidence of a difference")],
)
def test_a_p_value_at_the_level_is_significant(p_value: float, said: str) -> None:
    assert said in findings(held_out(p_value))


def test_parts_that_do_not_fit_are_refused() -> None:
    whole = json.loads(document(of_training(1)))
    for changed, said in (
        ({"p_value": 7}, "a p_value of 7"),
        ({"gamma": 0.7}, "gamma 0.7, which is not on the path"),
        ({"decimals": 99}, "99 decimals"),
    ):
        with pytest.raises(InputError, match=said):
            parse_result(json.dumps(whole | changed), "r")
    tuned = document(made_tuning())
    for old, new, said in (
        ('"start_weights": {"lm_0"', '"start_weights": {"x"', "weights of other features"),
        ('"average_score": 36.0', '"average_score": null', "no 'average_score'"),
    ):
        assert old in tuned
        with pytest.raises(InputError, match=said):
            parse_result(tuned.replace(old, new), "r")
