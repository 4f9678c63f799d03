"""Rankings by people, as text and as a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.human.judgments import one
from unit.report.made.human import of_rank
from unit.report.page.documents import Document
from weigh.human.conclusions import by_net_wins
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
    def test_clusters_are_blocks(self) -> None:
        text = str(result_of(campaign()))
        lines = text.split("\n")
        assert lines[0] == "de-en, adequacy: 3 systems"
        titles = ["Rank", "System", "z ↑", "95% interval", "Raw", "Judgments", "Segments"]
        assert re.split(" {2,}", lines[1]) == titles
        assert [line.split()[:2] for line in lines[3:7] if not line.startswith("─")] == [
            ["1", "S0"],
            ["2–3", "S2"],
            ["2–3", "S1"],
        ]
        assert lines[2].startswith("─")
        assert lines[4].startswith("─")
        assert "S0 is better" in text
        assert "no evidence of a difference" in text
        assert "Left out before, 2 answers: file: missing answers (row 3)." in text
        assert "test:signed-rank|unit:segment|alt:two-sided|adjust:holm|family:3|" in text

    def test_many_systems_are_a_matrix(self) -> None:
        result = result_of(campaign(6))
        text = str(result)
        assert "> the row's system is better than the column's" in text
        assert text.count(" >") == sum(each.significant for each in result.comparisons) > 4

    def test_one_sided_matrices_are_whole(self) -> None:
        text = str(result_of(campaign(4), alternative="better", adjust="none"))
        assert "one-sided, both directions tried" in text
        assert text.count(" >") == 3

    def test_one_system_is_not_compared(self) -> None:
        text = str(result_of(campaign(1)))
        assert "clusters" not in text
        assert "test:" not in text

    def test_json_is_what_was_found(self) -> None:
        result = result_of(campaign())
        made = json.loads(result.to_json())
        assert (made["schema"], made["command"]) == ("weigh/2", "human rank")
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

    def test_tsv_has_a_row_per_system(self) -> None:
        result = rank(campaign())
        header, *rows = (line.split("\t") for line in result.to_text("tsv").split("\n"))
        records = [dict(zip(header, row, strict=True)) for row in rows]
        assert [record["cluster"] for record in records] == ["1", "2", "2"]
        assert [float(record["score"]) for record in records] == [
            score.score for score in result.rankings[0].scores
        ]
        assert (records[1]["rank_low"], records[1]["rank_high"]) == ("2", "3")

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


def said(result: RankResult) -> str:
    return " ".join(Document(result.to_html()).texts)


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
    plain = Document(two_scales(["x", "y", "z"]).to_html())
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
    data = Document(report.to_html()).scripts["data"]
    assert json.loads(data) == json.loads(report.to_json())


def adequate_and_fluent(a: float, b: float, c: float) -> RankResult:
    """Adequacy tells A and B from C alone; fluency lies so far below the best for each."""
    judgments = [
        one(name, n, 70 - gap + (7 * n + 3 * at) % 13, scale=scale)
        for scale, gaps in (("adequacy", (0, 0.1, 20)), ("fluency", (a, b, c)))
        for at, (name, gap) in enumerate(zip(("Ann", "Bob", "Cid"), gaps, strict=True))
        for n in range(40)
    ]
    return rank(judgments)


def test_words_order_and_lines_follow_what_adequacy_and_fluency_conclude_together() -> None:
    report = adequate_and_fluent(15, 0, 0.1)
    both = report.rankings[-1]
    assert {one.winner for one in both.comparisons} == {"Ann", "Bob"}
    text = " ".join(said(report).split())
    summary = text[text.index("adequacy, then fluency: ") :]
    assert summary.startswith("adequacy, then fluency: Bob stands first: it beats 2 of 2 others.")
    assert "Bob is significantly better than every other system. In all, 3 of 3 pairs" in summary
    assert "The systems make 3 clusters." in summary
    scores = [one for one in json.loads(report.to_json())["scores"] if "then" in one["scale"]]
    assert [(one["system"], one["rank"], one["cluster"]) for one in scores] == [
        ("Bob", [1, 1], 1),
        ("Ann", [2, 2], 2),
        ("Cid", [3, 3], 3),
    ]
    table = str(report)
    table = table[table.index("adequacy, then fluency: 3 systems") :]
    rows = [line.split()[:4] for line in table.split("\n") if line[:1].isdigit()]
    assert rows[:3] == [["1", "Bob", "2", "0"], ["2", "Ann", "1", "1"], ["3", "Cid", "0", "2"]]
    assert "Rank (uncorrected)" in table


def test_the_first_may_be_beaten() -> None:
    """Words in a circle: no pair is called open that is decided, and nobody is called the best."""
    report = adequate_and_fluent(15, 0, 0.1)
    ranking = report.rankings[-1]
    turned = [
        replace(one, ahead=-1, difference=-1.0) if {one.a, one.b} == {"Bob", "Cid"} else one
        for one in ranking.comparisons
    ]
    names, conclusions = by_net_wins(["Ann", "Bob", "Cid"], turned)
    scores = [
        replace(each, rank=(2, 2), cluster=1)
        for each in sorted(ranking.scores, key=lambda each: each.system)
    ]
    circle = replace(report, scores=tuple(scores), comparisons=conclusions, rankings=(ranking,))
    assert [each.system for each in circle.rankings[0].scores] == names
    text = " ".join(said(circle).split())
    assert "Ann, Bob and Cid stand first" in text
    assert "Bob is significantly better than Ann. In all, 3 of 3 pairs differ" in text
    assert "no evidence" not in text[: text.index("Scores ")]


def test_clusters_have_numbers_so_that_systems_can_be_sorted() -> None:
    report = two_scales(["x", "y", "z"])
    html = report.to_html()
    text = " ".join(Document(html).texts)
    assert "Judgments Segments Cluster 1 x " in text
    numbers = re.findall(r'<td class="number">40</td><td class="number">(\d)</td></tr>', html)
    assert numbers == ["1", "2", "2"] * 3


def test_every_pair_of_every_scale_is_listed() -> None:
    read = Document(two_scales(["x", "y", "z"]).to_html())
    marks = [value for _, name, value in read.attributes if name == "data-metric"]
    assert marks == [
        *["de-en, adequacy"] * 3,
        *["de-en, fluency"] * 3,
        *["de-en, adequacy, then fluency"] * 3,
    ]
    assert "Where adequacy shows no difference, fluency decides, with its p-value." in read.texts


def test_one_system_has_no_pairs_and_no_filter() -> None:
    read = Document(rank(of_names(["alone"])).to_html())
    text = " ".join(read.texts)
    assert "alone has " in text
    assert "scores best" not in text
    assert "There are no pairs: one system was judged." in text
    assert "pair-table" not in read.ids()
    assert "pairTable" not in read.scripts[None]


def test_judges_have_verdicts_with_reasons_and_advice() -> None:
    report = of_rank(2)
    assert report.quality == "crowd-alone"
    html = report.to_html()
    text = " ".join(Document(html).texts)
    dropped = [one for one in report.judges if not one.kept]
    kept = [one for one in report.judges if one.kept]
    assert dropped
    assert kept
    assert f"{len(kept)} of 5 judges are kept and {len(dropped)} dropped." in text
    rows = re.findall(r"<tr><th[^>]*><span>(j\d)</span></th>.*?</tr>", html)
    assert rows == [one.judge for one in (*dropped, *kept)]
    for each in report.judges:
        why = "; ".join([*each.reasons, *(f"[{flag}]" for flag in each.flags)])
        assert why in text
    flagged = sum(bool(one.flags) for one in report.judges)
    assert f"{flagged} judge{'s' * (flagged != 1)} ha" in text


def test_preferences_have_no_section_on_judges() -> None:
    report = of_rank(3)
    assert report.rankings[0].by == "expected wins"
    assert "judges" not in Document(report.to_html()).ids()


def test_what_differs_between_rankings_is_said_with_their_names() -> None:
    def answers(pair: str, segments: int) -> list[Judgment]:
        return [
            Judgment("ann", "h", pair, "system", system, str(n), float(n % 7 + n % 3), "adequacy")
            for system in ("first.set.A", "first.set.B")
            for n in range(segments + (system == "first.set.B") * (pair == "de-en"))
        ]

    read = Document(rank([*answers("de-en", 20), *answers("cs-en", 20)]).to_html())
    [left_out] = [text for text in read.texts if "left out (1 at most" in text]
    assert left_out.startswith("de-en, adequacy: The p-values hold for these judges")
    assert sum("Nothing can be said for other judges" in text for text in read.texts) == 1
