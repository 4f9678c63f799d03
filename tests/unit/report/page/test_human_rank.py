from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.human.judgments import one
from unit.report.page.documents import Document
from unit.report.studies import of_rank
from weigh.human.conclusions import by_net_wins, ordered
from weigh.human.rank import PRESETS, RankPlan, rank, rank_preferences
from weigh.human.steps import Step
from weigh.read.answers import Omission
from weigh.report.human_rank import SHOWN, RankReport
from weigh.report.page import human_page, pairwise
from weigh.report.text import visible
from weigh.types import Judgment, Preference

STEPS = [Step("read", 1000, 12), Step("judges who pass the test", 700, 9), Step("outputs", 560, 9)]


def campaign(names: list[str], scale: str = "adequacy") -> list[Judgment]:
    """Systems of which the first is clearly best, and the others much alike."""
    return [
        one(name, n, 60 - 30 * (at > 0) + (7 * n + 3 * at) % 13, scale=scale)
        for at, name in enumerate(names)
        for n in range(40)
    ]


def report_on(
    names: list[str], words: str = "a remark", plan: RankPlan | None = None
) -> RankReport:
    judgments = [*campaign(names), *campaign(names, "fluency")]
    omissions = [Omission(words, 3)]
    return RankReport(rank(judgments, plan), "crowd-alone", STEPS, omissions, [words])


def said(report: RankReport) -> str:
    return " ".join(Document(human_page(report)).texts)


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
    plain = Document(human_page(report_on(["x", "y", "z"])))
    html = human_page(report_on(hostile_names, "<b>" + names[0]))
    html.encode("utf-8")
    hostile = Document(html)
    assert hostile.tags == plain.tags
    assert [(tag, name) for tag, name, _ in hostile.attributes] == [
        (tag, name) for tag, name, _ in plain.attributes
    ]
    assert set(map(visible, hostile_names)) <= set(hostile.texts)


def test_page_is_whole_and_runs_its_own_script_only() -> None:
    html = human_page(report_on(["x", "y", "z"]))
    read = Document(html)
    assert list(read.scripts) == ["data", None]
    digest = base64.b64encode(hashlib.sha256(read.scripts[None].encode()).digest()).decode()
    assert any("script-src" in (v or "") and digest in (v or "") for _, _, v in read.attributes)
    assert re.findall(r"(?:https?:)?//[\w.]+|url\(|@import", re.sub("<script.*", "", html)) == []
    assert len(read.ids()) == len(set(read.ids()))
    links = [value for _, name, value in read.attributes if name == "href" and value is not None]
    assert {link.removeprefix("#") for link in links} <= set(read.ids())


def test_document_is_the_one_that_programs_read() -> None:
    report = report_on(["x", "</script>", "\u2028z"])
    data = Document(human_page(report)).scripts["data"]
    assert json.loads(data) == json.loads(SHOWN.as_json(report))


def test_summary_is_plain() -> None:
    text = said(report_on(["Ann", "Bob", "Cid"], "only few"))
    assert (
        "By the rank-sum test (p ≤ .05, adjusted), Ann is significantly better than every " in text
    )
    assert (
        "In all, 2 of 3 pairs differ significantly; there is no evidence of a difference " in text
    )
    assert "The systems make 2 clusters." in text
    assert "560 of 1,000 judgments count, those of 9 of 12 judges; the steps below tell" in text
    assert "equal" not in text
    assert text.count("only few") == 2


def adequate_and_fluent(a: float, b: float, c: float) -> RankReport:
    """Adequacy tells A and B from C alone; fluency lies so far below the best for each."""
    judgments = [
        one(name, n, 70 - gap + (7 * n + 3 * at) % 13, scale=scale)
        for scale, gaps in (("adequacy", (0, 0.1, 20)), ("fluency", (a, b, c)))
        for at, (name, gap) in enumerate(zip(("Ann", "Bob", "Cid"), gaps, strict=True))
        for n in range(40)
    ]
    return RankReport(rank(judgments))


def test_words_order_and_lines_follow_what_adequacy_and_fluency_conclude_together() -> None:
    report = adequate_and_fluent(15, 0, 0.1)
    both = report.result.rankings[-1]
    assert {one.winner for one in both.conclusions} == {"Ann", "Bob"}
    text = " ".join(said(report).split())
    summary = text[text.index("adequacy, then fluency : ") :]
    assert summary.startswith("adequacy, then fluency : Bob stands first: it beats 2 of 2 others.")
    assert "Bob is significantly better than every other system. In all, 3 of 3 pairs" in summary
    assert "The systems make 3 clusters." in summary
    scores = [one for one in json.loads(SHOWN.as_json(report))["scores"] if "then" in one["scale"]]
    assert [(one["system"], one["rank"], one["cluster"]) for one in scores] == [
        ("Bob", [1, 1], 1),
        ("Ann", [2, 2], 2),
        ("Cid", [3, 3], 3),
    ]
    table = SHOWN.as_table(report)
    table = table[table.index("adequacy, then fluency: 3 systems") :]
    rows = [line.split()[:4] for line in table.split("\n") if line[:1].isdigit()]
    assert rows[:3] == [["1", "Bob", "2", "0"], ["2", "Ann", "1", "1"], ["3", "Cid", "0", "2"]]
    assert "Rank (uncorrected)" in table


def test_the_first_may_be_beaten() -> None:
    """Words in a circle: no pair is called open that is decided, and nobody is called the best."""
    report = adequate_and_fluent(15, 0, 0.1)
    ranking = report.result.rankings[-1]
    turned = [
        replace(one, ahead=-1, difference=-1.0) if {one.a, one.b} == {"Bob", "Cid"} else one
        for one in ranking.conclusions
    ]
    names, conclusions = by_net_wins(["Ann", "Bob", "Cid"], turned)
    circle = replace(
        ranking,
        scores=tuple(sorted(ranking.scores, key=lambda one: one.system)),
        conclusions=conclusions,
        order=ordered(names, conclusions),
    )
    assert circle.order.ranges == dict.fromkeys(names, (2, 2))
    text = " ".join(said(RankReport(replace(report.result, rankings=(circle,)))).split())
    assert "Ann, Bob and Cid stand first" in text
    assert "Bob is significantly better than Ann. In all, 3 of 3 pairs differ" in text
    assert "no evidence" not in text[: text.index("Scores and ranks ")]


def test_clusters_have_numbers_so_that_systems_can_be_sorted() -> None:
    report = report_on(["x", "y", "z"])
    html = human_page(report)
    text = " ".join(Document(html).texts)
    assert "Judgments Segments Cluster 1 x " in text
    numbers = re.findall(r'<td class="number">40</td><td class="number">(\d)</td></tr>', html)
    assert numbers == ["1", "2", "2"] * 3


def test_steps_tell_what_each_dropped() -> None:
    text = said(report_on(["x", "y"]))
    assert "read 1,000 12 judges who pass the test 700 9 300 3 outputs 560 9 140 0" in text
    assert "Left out before, 3 answers: a remark." in text
    assert "Quality control crowd-alone: A judge stays if p ≤ .05 by a one-sided paired" in text


def test_every_pair_of_every_scale_is_listed() -> None:
    read = Document(human_page(report_on(["x", "y", "z"])))
    marks = [value for _, name, value in read.attributes if name == "data-metric"]
    assert marks == [
        *["de-en, adequacy"] * 3,
        *["de-en, fluency"] * 3,
        *["de-en, adequacy, then fluency"] * 3,
    ]
    assert "Where adequacy shows no difference, fluency decides, with its p-value." in read.texts


def test_one_sided_tests_say_what_they_asked() -> None:
    text = said(report_on(["x", "y", "z"], plan=PRESETS["wmt21"]))
    assert "no evidence that y is better" in text
    assert "p-values were not corrected for the number of pairs" in text


def test_long_lists_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise, "MOST_ROWS", 4)
    read = Document(human_page(report_on(["x", "y", "z"])))
    assert "The first 4 of 9 comparisons; all are in the data." in read.texts


def test_one_system_has_no_pairs_and_no_filter() -> None:
    result = rank(campaign(["alone"]))
    read = Document(human_page(RankReport(result, steps=result.steps)))
    text = " ".join(read.texts)
    assert "alone has " in text
    assert "scores best" not in text
    assert "There are no pairs: one system was judged." in text
    assert "pair-table" not in read.ids()
    assert "pairTable" not in read.scripts[None]


def test_preferences_and_raw_scores() -> None:
    votes = [Preference("A", "B", f"{n}") for n in range(9)]
    result = rank_preferences(votes)
    text = said(RankReport(result, steps=result.steps))
    assert (
        "A system's score is its expected wins (Koehn 2012). All pairs were tested by the sign"
        in text
    )
    assert "9 of 9 judgments count." in text
    mixed = rank([*campaign(["x", "y"]), *campaign(["x", "y"], "esa")])
    text = said(RankReport(mixed, steps=mixed.steps))
    assert "standardised for each judge (Graham et al. 2014) (esa: not standardised)" in text


def test_judges_have_verdicts_with_reasons_and_advice() -> None:
    report = of_rank(2)
    assert report.quality == "crowd-alone"
    html = human_page(report)
    text = " ".join(Document(html).texts)
    dropped = [one for one in report.verdicts if not one.kept]
    kept = [one for one in report.verdicts if one.kept]
    assert dropped
    assert kept
    assert f"{len(kept)} of 5 judges are kept and {len(dropped)} dropped." in text
    rows = re.findall(r"<tr><th[^>]*><span>(j\d)</span></th>.*?</tr>", html)
    assert rows == [one.judge for one in (*dropped, *kept)]
    for each in report.verdicts:
        why = "; ".join([*each.reasons, *(f"[{flag}]" for flag in each.conduct.flags)])
        assert why in text
    flagged = sum(bool(one.conduct.flags) for one in report.verdicts)
    assert f"{flagged} judge{'s' * (flagged != 1)} ha" in text


def test_judges_whom_nothing_has_tested_have_advice_alone() -> None:
    report = of_rank(1)
    assert report.quality == "none"
    text = " ".join(Document(human_page(report)).texts)
    assert "No quality control: every judge's answers count." in text
    assert "Nobody was tested, so nobody was dropped for failing." in text
    assert all(one.judge in text for one in report.verdicts)


def test_preferences_have_no_section_on_judges() -> None:
    report = of_rank(3)
    assert report.result.rankings[0].by == "expected wins"
    assert "judges" not in Document(human_page(report)).ids()
