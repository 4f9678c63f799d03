"""Rankings by people, as text and as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.human.judgments import one
from unit.report.page.documents import Document
from weigh.human.judgments import Step
from weigh.human.plan import RankPlan
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.read.answers import Judgments, Omission
from weigh.report.grid import visible
from weigh.types import Judgment

OMISSION = Omission("file: missing answers (row 3)", 2)
STEPS = (Step("read", 1000, 12), Step("judges who pass the test", 700, 9), Step("outputs", 560, 9))


def campaign(systems: int = 3, scale: str = "adequacy") -> list[Judgment]:
    """Systems of which the first is clearly best, and the others alike."""
    return of_names([f"S{at}" for at in range(systems)], scale)


def of_names(names: list[str], scale: str = "adequacy") -> list[Judgment]:
    return [
        one(name, n, 60 - 30 * (at > 0) + (7 * n + 3 * at) % 13, scale=scale)
        for at, name in enumerate(names)
        for n in range(40)
    ]


def result_of(judgments: list[Judgment], **options: Any) -> RankResult:
    return rank(Judgments(tuple(judgments), (OMISSION,), ("a remark",)), **options)


class TestTexts:
    def test_json_is_what_was_found(self) -> None:
        result = result_of(campaign())
        made = json.loads(result.to_json())
        assert (made["schema"], made["command"]) == ("weigh/3", "human rank")
        [ranking] = result.rankings
        assert [entry["system"] for entry in made["scores"]] == [s.system for s in ranking.scores]
        assert [entry["score"] for entry in made["scores"]] == [s.score for s in ranking.scores]
        assert [entry["rank"] for entry in made["scores"]] == [[1, 1], [2, 3], [2, 3]]
        assert [entry["p_value"] for entry in made["comparisons"]] == [
            each.p_value for each in ranking.comparisons
        ]
        assert made["rankings"][0]["clusters"] == [["S0"], ["S2", "S1"]]
        assert made["steps"][0] == {"step": "to be ranked", "judgments": 120, "judges": 1}
        assert made["omissions"] == [{"why": OMISSION.why, "count": 2, "unit": "answer"}]
        assert made["remarks"][0] == "a remark"

    def test_names_are_escaped(self) -> None:
        answers = [
            Judgment(each.judge, each.hit, "a|b", each.kind, "x_&\x1b" + each.system,
                     each.segment, each.value)
            for each in campaign()
        ]  # fmt: skip
        result = rank(answers)
        assert r"a\|b" in result.to_text("markdown")
        assert r"x\_\&" in result.to_text("latex")
        for form in ("latex", "markdown", "table"):
            assert "\x1b" not in result.to_text(form)


def two_scales(
    names: list[str], words: str = "a remark", plan: RankPlan | None = None
) -> RankResult:
    """Return a ranking on two scales that went through a quality control of other people."""
    result = rank([*of_names(names), *of_names(names, "fluency")], plan)
    return replace(
        result,
        quality="crowd-alone",
        steps=STEPS,
        omissions=(Omission(words, 3),),
        remarks=(words,),
    )


@cache
def plain_page() -> Document:
    return Document(two_scales(["x", "y", "z"]).to_html())


@given(
    st.lists(
        st.text(st.characters(exclude_categories=()), min_size=1),
        min_size=3,
        max_size=3,
        unique=True,
    )
)
@settings(deadline=None, max_examples=20)
def test_no_name_can_become_markup(names: list[str]) -> None:
    # A letter before each, so that equal scores stand in the same order.
    hostile_names = [f"{letter}{name}" for letter, name in zip("xyz", names, strict=True)]
    plain = plain_page()
    html = two_scales(hostile_names, "<b>" + names[0]).to_html()
    html.encode("utf-8")
    hostile = Document(html)
    assert hostile.tags == plain.tags
    assert [(tag, name) for tag, name, _ in hostile.attributes] == [
        (tag, name) for tag, name, _ in plain.attributes
    ]
    assert set(map(visible, hostile_names)) <= set(hostile.texts)


def test_document_is_the_one_that_programs_read() -> None:
    report = two_scales(["x", "</script>", "\u2028z"])
    data = Document(report.to_html()).unpacked("data")
    assert json.loads(data) == json.loads(report.to_json())
