from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weigh
from weigh.testing import assert_not_worse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def texts(name: str) -> list[str]:
    return (EXAMPLES / f"{name}.en").read_text(encoding="utf-8").split("\n")[:-1]


REFERENCE, GOOD, MIDDLING, POOR = map(texts, ("reference", "good", "middling", "poor"))


def test_a_better_system_passes() -> None:
    result = assert_not_worse(GOOD, MIDDLING, REFERENCE, margin=0.5)
    assert isinstance(result, weigh.CompareResult)
    assert result.gate is not None
    assert result.gate.verdict == "pass"
    assert [score.metric for score in result.scores] == ["chrf", "chrf"]
    assert result.plan.margin == {"chrf": 0.5}


@pytest.mark.parametrize("column", ["score", "passed", "latency"])
def test_small_scores_of_a_frame_can_be_good(column: str) -> None:
    frame = pytest.importorskip("pandas").DataFrame(
        {
            "system": ["new"] * 20 + ["old"] * 20,
            "item": [*range(20)] * 2,
            column: [item + 2.0 for item in range(20)] + [float(item) for item in range(20)],
        }
    )
    options: dict[str, Any] = {"frame": frame, "score": column}
    with pytest.raises(AssertionError, match="new is worse than old by more than 1"):
        assert_not_worse("new", "old", margin=1, lower_is_better=True, **options)
    assert_not_worse("new", "old", margin=3, lower_is_better=True, **options)
    assert_not_worse("new", "old", margin=1, **options)


def test_of_several_metrics_one_is_asserted() -> None:
    frame = pytest.importorskip("pandas").DataFrame(
        {
            "system": ["new"] * 20 + ["old"] * 20,
            "item": [*range(20)] * 2,
            "passed": [1.0] * 20 + [0.0] * 20,
            "seconds": [item + 2.0 for item in range(20)] + [float(item) for item in range(20)],
        }
    )
    options: dict[str, Any] = {"frame": frame, "score": ["passed", "seconds:lower"], "margin": 0.5}
    result = assert_not_worse("new", "old", metric="passed", **options)
    assert {score.metric for score in result.scores} == {"passed"}
    with pytest.raises(AssertionError):
        assert_not_worse("new", "old", metric="seconds", **options)
    for metric in (None, "nonsense"):
        with pytest.raises(weigh.UsageError, match="choose one"):
            assert_not_worse("new", "old", metric=metric, **options)
    with pytest.raises(weigh.UsageError, match="and a data frame"):
        assert_not_worse("new", "old", REFERENCE, frame=frame, margin=None)


@pytest.mark.parametrize("other", [{"metrics": ["bleu"]}, {"test_set": weigh.TestSet([REFERENCE])}])
def test_options_that_would_not_be_heeded_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(weigh.UsageError, match="give metric"):
        assert_not_worse(GOOD, POOR, REFERENCE, margin=1, **other)


def test_a_worse_system_raises_with_the_table() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(POOR, GOOD, REFERENCE, margin=0.5)
    message = str(caught.value)
    assert message.startswith("new is worse than baseline by more than 0.5\nnew by chrF2 (")
    assert "Gate: fail" in message
    assert "margin 0.5" in message


@pytest.mark.parametrize("margin", [0.5, None])
def test_the_verdict_is_that_of_the_gate(margin: float | None) -> None:
    close = [b if at % 3 == 0 else a for at, (a, b) in enumerate(zip(GOOD, MIDDLING, strict=True))]
    for new, old in ((close, GOOD), (GOOD, close), (MIDDLING, POOR), (POOR, MIDDLING)):
        margins = {} if margin is None else {"margin": {"bleu": margin}}
        expected = weigh.compare(
            {"new": new, "old": old},
            references=REFERENCE,
            metrics="bleu",
            baseline="old",
            gate=True,
            **margins,
        ).gate
        assert expected is not None
        try:
            assert_not_worse(new, old, REFERENCE, metric="bleu", margin=margin)
            raised = False
        except AssertionError:
            raised = True
        assert raised == (expected.verdict != "pass")


def test_few_segments_are_inconclusive() -> None:
    given: Any = (GOOD[:5], POOR[:5], REFERENCE[:5])
    with pytest.raises(
        AssertionError, match=r"inconclusive: (?s:.)*new is worse(?s:.)*only 5 segm"
    ):
        assert_not_worse(*given, margin=0.5)
    result = assert_not_worse(*given, margin=0.5, allow_inconclusive=True)
    assert result.gate is not None
    assert result.gate.verdict == "inconclusive"
    with pytest.raises(AssertionError, match="inconclusive"):
        assert_not_worse(*given, margin=None)


def test_paths_are_read() -> None:
    good, middling = EXAMPLES / "good.en", str(EXAMPLES / "middling.en")
    references = [EXAMPLES / "reference.en", EXAMPLES / "reference2.en"]
    result = assert_not_worse(good, middling, references, margin=0.5)
    assert result.test_set.references == 2
    lists = assert_not_worse(GOOD, MIDDLING, [REFERENCE, texts("reference2")], margin=0.5)
    assert result == lists
    one = assert_not_worse(str(good), middling, str(references[0]), margin=0.5)
    assert one.test_set.references == 1
    with pytest.raises(weigh.InputError, match="paths and lists of texts"):
        assert_not_worse(good, MIDDLING, REFERENCE, margin=0.5)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_two_systems_of_a_frame(library: str) -> None:
    made = pytest.importorskip(library)
    draws = np.random.default_rng(2)
    scores = {name: draws.normal(at, 0.1, 50) for at, name in enumerate(("a", "b", "c"))}
    frame = made.DataFrame(
        {
            "model": [name for name in scores for _ in range(50)],
            "item": [str(at) for _ in scores for at in range(50)],
            "score": [value for each in scores.values() for value in each],
        }
    )
    columns = {"system": "model", "item": "item", "score": "score"}
    assert_not_worse("b", "a", frame=frame, margin=0.2, **columns)
    with pytest.raises(AssertionError, match=r"b is worse than c by more than 0\.2"):
        assert_not_worse("b", "c", frame=frame, margin=0.2, **columns)
    with pytest.raises(weigh.InputError, match="no column 'system'"):
        assert_not_worse("b", "c", frame=frame, margin=0.2)


def test_mistakes_are_no_failed_assertions() -> None:
    with pytest.raises(weigh.UsageError, match="names several"):
        assert_not_worse(GOOD, POOR, REFERENCE, metric="bleu,chrf", margin=1)
    with pytest.raises(weigh.UsageError, match="give references too"):
        assert_not_worse([1.0], [2.0], metric=weigh.Bleu(), margin=1)
    with pytest.raises(weigh.UsageError, match="found a mapping"):
        assert_not_worse({"new": [1.0], "old": [2.0]}, "old", margin=1)
    with pytest.raises(weigh.InputError):
        assert_not_worse(GOOD, POOR[:-1], REFERENCE, margin=1)
