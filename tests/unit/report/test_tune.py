"""What is said of tunings and rerankings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.made.tune import made_tuning, of_choices, of_oracle, of_training
from unit.report.page.documents import Document
from weigh.errors import InputError
from weigh.report.view import restored, view
from weigh.result import document
from weigh.tuning.held_out import HeldOutScores, Spread


def test_the_page_of_a_tuning_says_what_was_found() -> None:
    result = made_tuning()
    read = Document(result.to_html())
    said = " ".join(read.texts)
    for words in (
        "TER 40.00 before, 35.50 after tuning by MERT",
        "2 segments without any left out",
        "2 runs: mean 36.00",
        "Held out, 12 segments: 41.00 before, 39.00 after; a significant difference",
        "2 of 14 sentences have <no> candidates.",
        "minimum error rate training",
        "in 2 runs with different seeds",
    ):
        assert words in said
    assert read.tags.count("svg") == 1
    titles = [part.section for part in view(result).parts_in("html")]
    assert titles == ["Iterations", "Runs", "Weights"]


def test_what_there_is_not_is_not_shown() -> None:
    result = made_tuning(runs=1, iterations=[])
    read = Document(result.to_html())
    said = " ".join(read.texts)
    for words in ("Runs", "Iterations"):
        assert words not in said
    assert "always partly luck" in said
    assert "svg" not in read.tags


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
    return " ".join(view(replace(made_tuning(runs=1), held_out=scores)).findings)


@pytest.mark.parametrize(
    ("p_value", "said"),
    [(0.05, "after; a significant difference"), (0.0501, "after; no evidence of a difference")],
)
def test_a_p_value_at_the_level_is_significant(p_value: float, said: str) -> None:
    assert said in findings(held_out(p_value))


def test_a_comparison_that_makes_no_sense_is_refused() -> None:
    said = findings(held_out(None, refused="they are unlike"))
    assert "40.10 before, 46.80 after; not compared: they are unlike." in said


def test_chosen_candidates_are_plain_lines() -> None:
    result = of_choices(1)
    assert str(result).split("\n") == [one.text for one in result.sentences]
    assert "| Sentence" in result.to_text("markdown")


def test_the_best_loss_is_marked() -> None:
    result = of_training(1)
    assert result.trial is not None
    assert min(result.path, key=lambda trial: trial.loss) is result.trial
    [row] = [line for line in str(result).split("\n") if line.split()[:1] == [f"{result.gamma:g}"]]
    assert "*" in row


def test_parts_that_do_not_fit_are_refused() -> None:
    whole = json.loads(document(of_training(1)))
    for changed, said in (
        ({"p_value": 7}, "a p_value of 7"),
        ({"gamma": 0.7}, "gamma 0.7, which is not on the path"),
        ({"decimals": 99}, "99 decimals"),
    ):
        with pytest.raises(InputError, match=said):
            restored(json.dumps(whole | changed), "r")
    tuned = document(made_tuning())
    for old, new, said in (
        ('"start_weights": {"lm_0"', '"start_weights": {"x"', "weights of other features"),
        ('"average_score": 36.0', '"average_score": null', "no 'average_score'"),
    ):
        assert old in tuned
        with pytest.raises(InputError, match=said):
            restored(tuned.replace(old, new), "r")


def test_each_of_a_verbs_results_is_known_by_what_it_says() -> None:
    for result in (of_choices(0), of_oracle(0), of_training(0)):
        assert type(restored(document(result), "r")) is type(result)
