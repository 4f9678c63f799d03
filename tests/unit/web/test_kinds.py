"""Tasks of every kind from the lines of files to judgments that the commands use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import campaigns
from reading import read_judgments
from unit.web.campaign_files import (
    SOURCE,
    document,
    labels_shown,
    pairs,
    part,
    sheet,
    versions,
    write_lines,
)
from weigh.errors import InputError
from weigh.human.agreement import agreement
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.types import Preference, Span
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign
from weigh.web.exports import export_answers
from weigh.web.kinds import MOST_QUESTIONS, TaskItem, kind_of
from weigh.web.plan import CollectPlan
from weigh.web.standing import standing_of
from weigh.web.tasks import write_demonstration
from weigh.web.upkeep import Upkeep

MARK = {"start": 4, "end": 9, "severity": "major", "category": ""}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    campaigns.close_all()


def items(line: dict[str, Any]) -> list[TaskItem]:
    kind = kind_of(line)
    assert kind is not None
    return [*kind.items(line)]


def served(folder: Path, *lines: dict[str, Any], plan: CollectPlan | None = None) -> Campaign:
    write_lines(folder / "tasks.jsonl", lines)
    return campaigns.started(folder, plan=plan)


def marks(*spans: dict[str, Any]) -> str:
    return json.dumps(spans)


def names(item: TaskItem) -> list[str]:
    return [question.name for question in item.screen.questions]


class TestScreens:
    def test_a_source_is_shown_where_it_is_told(self) -> None:
        [item] = items(sheet("adequacy", [part(1, "A text.")]))
        assert labels_shown(item.screen) == ["Source", "Translation"]
        assert item.screen.passages[0].side == "source"
        assert item.screen.questions[0].prompt == "The translation says the same as the source."
        assert "document" not in item.about

    def test_both_a_source_and_a_reference(self) -> None:
        [item] = items(sheet("esa", [part(1, "A text.", reference="The text.")]))
        labels = labels_shown(item.screen)
        assert labels == ["Source", "Reference", "Translation"]
        assert names(item) == ["spans", "score"]

    def test_a_document_stands_on_one_page(self) -> None:
        line = document("esa")
        line["items"].append(part(4, "Another page.", screen=2))
        first, second = items(line)
        assert names(first) == [f"{name}_{n}" for n in (1, 2, 3) for name in ("spans", "score")]
        assert names(second) == ["spans", "score"]
        assert first.screen.passages == ()
        shown = labels_shown(first.screen)
        assert shown == [f"{name} {n}" for n in (1, 2, 3) for name in ("Source", "Translation")]
        assert [each["suffix"] for each in first.about["parts"]] == ["_1", "_2", "_3"]
        assert [each["document"] for each in first.about["parts"]] == ["news-1"] * 3

    def test_versions_share_their_source(self) -> None:
        [item] = items(versions("adequacy"))
        assert [each.text for each in item.screen.passages] == [SOURCE]
        labels = [each.passages[0].label for each in item.screen.questions]
        assert labels == ["Version 1", "Version 2", "Version 3"]
        assert [each["system"] for each in item.about["parts"]] == [
            *("secret-1", "secret-2", "secret-3")
        ]

    @pytest.mark.parametrize("scale", ["adequacy", "fluency", "esa", "mqm"])
    def test_versions_on_every_scale(self, scale: str) -> None:
        line = versions(scale)
        kind = kind_of(line)
        assert kind is not None
        assert kind.name == "contrastive"
        [item] = kind.items(line)
        assert item.about["scale"] == scale

    def test_nothing_that_is_secret_is_shown(self) -> None:
        for line in (document("mqm"), versions("esa"), pairs(), sheet("esa", [part(1, "A")])):
            for each in line["items"]:
                each["damage"] = [0, 1]
            for item in items(line):
                assert "secret" not in repr(item.screen)
                assert "damage" not in repr(item)

    def test_severities_and_categories_may_be_told(self) -> None:
        line = sheet("mqm", [part(1, "A")], severities=["major", "minor"], categories=["A", "B"])
        [item] = items(line)
        marking = item.screen.questions[0].marking
        assert marking is not None
        assert [each.key for each in marking.severities] == ["j", "m"]
        assert (marking.categories, marking.says_none) == (("A", "B"), True)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (sheet("esa", [part(1, "A")], severities=["fatal"]), "unknown severity 'fatal'"),
            (sheet("esa", [part(1, "A")], severities=[]), "a list of names"),
            (sheet("mqm", [part(1, "A")], categories=["A", "A"]), "a list of names"),
            (sheet("mqm", [part(1, "A")], categories="A"), "a list of names"),
            (sheet("adequacy", [part(1, "A", source=None)]), "no reference and no source"),
            (
                sheet("esa", [part(n, "A", screen=n % 2) for n in (1, 2, 3)]),
                "are not consecutive; put them together",
            ),
            (document("mqm", size=MOST_QUESTIONS + 1), "questions on one page"),
            ({**pairs(), "items": [{**pairs()["items"][-1], "better": None}]}, "left or right"),
            ({**pairs(), "items": [{**pairs()["items"][0], "left_system": 3}]}, "left_system is"),
        ],
    )
    def test_what_cannot_be_shown_is_refused(
        self, tmp_path: Path, line: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(InputError, match=said) as refused:
            served(tmp_path, line)
        assert "tasks.jsonl: line 1: " in str(refused.value)

    def test_training_of_marks(self, tmp_path: Path) -> None:
        lines = [
            {"scale": "esa", "source": "Ja", "text": "No", "expected": [0, 30]},
            {"scale": "mqm", "source": "Ja", "text": "No", "expected": 1},
        ]
        write_lines(tmp_path / "training.jsonl", lines)
        campaign = served(tmp_path, sheet("esa", [part(1, "A")]))
        right = {"esa": {"spans": "[]", "score": 20}, "mqm": {"spans": marks(MARK)}}
        campaigns.judge(campaign, "ann", lambda work: right[work.kind])
        assert len(read_judgments([campaign.database.name]).judgments) == 1
        wrong = {"esa": {"spans": "[]", "score": 20}, "mqm": {"spans": "[]"}}
        campaigns.judge(campaign, "bob", lambda work: wrong[work.kind])
        assert [each.state for each in campaign.access.judges()] == ["active", "screened"]


class TestAnswers:
    def test_marks_and_scores_are_judgments(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, sheet("esa", [part(1, "The fog."), part(2, "None.")]))

        def say(work: Work) -> dict[str, Any]:
            return {"spans": marks(MARK) if work.place == 1 else "[]", "score": 10 * work.place}

        campaigns.judge(campaign, "ann", say)
        one, other = read_judgments([str(tmp_path)]).judgments
        assert (one.scale, one.value, one.spans) == ("esa", 10, (Span(4, 9, "major"),))
        assert (other.value, other.spans) == (20, ())

    def test_mqm_is_minus_what_the_errors_cost(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, document("mqm"))
        spans = [
            {**MARK, "category": "Accuracy/Mistranslation"},
            {"start": 0, "end": 3, "severity": "minor", "category": "Fluency/Punctuation"},
            {"start": None, "end": None, "severity": "minor", "category": "Accuracy/Omission"},
        ]
        said = {"spans_1": marks(*spans), "spans_2": "[]", "spans_3": marks(spans[2])}
        campaigns.judge(campaign, "ann", lambda _: said, seconds=9.0)
        judgments = read_judgments([str(tmp_path)]).judgments
        assert [each.value for each in judgments] == pytest.approx([-6.1, 0, -1])
        assert [each.seconds for each in judgments] == [3.0] * 3
        assert {(each.scale, each.document) for each in judgments} == {("mqm", "news-1")}
        assert [each.segment for each in judgments] == ["1", "2", "3"]
        assert judgments[0].spans is not None
        assert judgments[0].spans[2] == Span(None, None, "minor", "Accuracy/Omission")

    def test_an_answer_that_is_given_anew(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, sheet("esa", [part(1, "The fog.")]))
        ann = campaigns.judge(campaign, "ann")
        work = campaigns.correct(campaign, ann, {"spans": marks(MARK), "score": 5})
        assert work.answers == {"spans": "[]", "score": 80}
        [judgment] = read_judgments([str(tmp_path)]).judgments
        assert (judgment.value, judgment.spans) == (5, (Span(4, 9, "major"),))

    def test_pairs_are_preferences_with_the_left_one_first(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, pairs(4))
        sides = {1: "left", 2: "neither", 3: "right", 4: "left"}
        campaigns.judge(campaign, "ann", lambda work: {"choice": sides[work.place]})
        read = read_answers([str(tmp_path)])
        assert isinstance(read, Preferences)
        assert read.preferences == (
            Preference("secret-a", "secret-b", "1", False, "ann", "secret-a"),
            Preference("secret-b", "secret-a", "2", True, "ann", "secret-b"),
            Preference("secret-b", "secret-a", "3", False, "ann", "secret-a"),
        )
        assert [each.count for each in read.omissions] == [1]
        bad = [each for each in read.judgments if each.kind == "bad"]
        assert [(each.value, each.system) for each in bad] == [(0.0, "secret-a")]

    def test_choices_beside_scores_are_counted(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, pairs(), sheet("esa", [part(1, "A"), part(2, "B")]))
        campaigns.judge(campaign, "ann")
        read = read_answers([str(tmp_path)])
        assert isinstance(read, Judgments)
        assert [(each.count, "choices" in each.why) for each in read.omissions] == [(3, True)]

    def test_controls_alone_are_no_preferences(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, pairs(1))
        campaigns.judge(campaign, "ann")
        with pytest.raises(InputError, match="only controls"):
            read_answers([str(tmp_path)])
        assert "only controls" in standing_of(campaign).remarks[0]


def controlled(scale: str, size: int = 20) -> dict[str, Any]:
    """Return a sheet of two systems with six damaged texts; the second system is the better."""
    texts = [
        part(
            number,
            f"The ferry leaves at {number}.",
            system=f"secret-{number % 2}",
            segment=str((number + 1) // 2),
        )
        for number in range(1, size + 1)
    ]
    bad = [
        {**texts[at], "number": size + at + 1, "kind": "bad", "of": at + 1, "text": "Fog fog fog."}
        for at in range(6)
    ]
    return sheet(scale, [*texts, *bad])


def looks(work: Work) -> dict[str, Any]:
    """Answer as somebody who sees what is damaged."""
    passage = work.screen.questions[0].passages[-1]
    is_bad = passage.text == "Fog fog fog."
    spans = marks({**MARK, "start": 0, "end": 3}) if is_bad else "[]"
    if not is_bad and work.place % 2:
        spans = marks({**MARK, "start": 0, "end": 3, "severity": "minor"})
    said: dict[str, Any] = {"spans": spans}
    if work.screen.kind == "mqm":
        said["spans"] = spans.replace('"category": ""', '"category": "Other"')
    else:
        said["score"] = 5 if is_bad else 60 + 20 * (1 - work.place % 2) + work.place
    return said


def never_looks(work: Work) -> dict[str, Any]:
    turned = 1 - work.place % 2
    return {"spans": "[]", "score": 50 + turned} if work.kind == "esa" else {"spans": "[]"}


def check_screened(campaign: Campaign, kept: int, dropped: int) -> None:
    """Assert that upkeep, once it hears of their answers, stops the second judge alone."""
    upkeep = Upkeep(campaign)
    for judge in (kept, dropped):
        work = campaign.assignment.look_back(judge)
        assert work is not None
        upkeep.answered(judge, work.slot)
        upkeep.settle()
    assert [each.state for each in campaign.access.judges()] == ["active", "screened"]


class TestControls:
    @pytest.mark.parametrize("scale", ["esa", "mqm"])
    def test_judges_are_told_apart_and_systems_ranked(self, tmp_path: Path, scale: str) -> None:
        plan = CollectPlan(per_item=2, screen="crowd-alone")
        campaign = served(tmp_path, controlled(scale), plan=plan)
        ann = campaigns.judge(campaign, "ann", looks)
        bob = campaigns.judge(campaign, "bob", never_looks)
        place = str(tmp_path)
        kept = {each.judge: each.kept for each in quality(place, names=True).judges}
        assert kept == {"ann": True, "bob": False}
        ranking = rank(place, quality="crowd-alone").rankings[0]
        assert (ranking.scale, ranking.scores[0].system) == (scale, "secret-0")
        assert agreement(place).agreement
        standing = standing_of(campaign)
        assert {*standing.results} == {"quality", "ranking", "agreement"}
        assert {name: each.kept for name, each in standing.verdicts.items()} == kept
        check_screened(campaign, ann, bob)

    def test_pairs(self, tmp_path: Path) -> None:
        line = pairs(10)
        bad = line["items"][-1]
        line["items"] = [
            *line["items"][:-1],
            *({**bad, "number": number} for number in range(10, 18)),
        ]
        campaign = served(tmp_path, line, plan=CollectPlan(per_item=2, screen="crowd-alone"))

        def careless(work: Work) -> dict[str, Any]:
            return {"choice": "right" if work.place > 9 else ("left", "right")[work.place % 2]}

        ann = campaigns.judge(campaign, "ann", lambda _: {"choice": "left"})
        bob = campaigns.judge(campaign, "bob", careless)
        place = str(tmp_path)
        verdicts = {each.judge: each for each in quality(place, names=True).judges}
        assert {name: each.kept for name, each in verdicts.items()} == {"ann": True, "bob": False}
        assert verdicts["ann"].p_value == pytest.approx(1 / 2**8)
        assert verdicts["bob"].p_value == 1.0
        assert {each.judge for each in quality(place).judges} == {"judge 1", "judge 2"}
        assert rank(place, quality="crowd-alone").rankings
        assert agreement(place)
        standing = standing_of(campaign)
        assert {"quality", "ranking"} <= {*standing.results}
        check_screened(campaign, ann, bob)

    def test_versions(self, tmp_path: Path) -> None:
        campaign = served(tmp_path, *(versions("adequacy", hit=f"v{at}") for at in range(4)))
        scores = {"score_1": 20, "score_2": 50, "score_3": 90}

        def say(work: Work) -> dict[str, Any]:
            return {name: score + work.slot for name, score in scores.items()}

        campaigns.judge(campaign, "ann", say)
        [ranking] = rank(str(tmp_path)).rankings
        assert ranking.scale == "adequacy"
        assert [each.system for each in ranking.scores] == ["secret-3", "secret-2", "secret-1"]


def test_the_demonstration_has_errors_to_mark(tmp_path: Path) -> None:
    campaign = campaigns.started(write_demonstration(tmp_path))
    campaigns.judge(campaign, "ann")
    assert [*campaign.settings["kinds"]] == ["adequacy", "esa", "rypt", "preference"]
    scales = [each.scale for each in read_judgments([str(tmp_path)]).judgments]
    assert (scales.count("adequacy"), scales.count("esa")) == (10, 2)


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_marks_are_exported_and_read_back(form: str, tmp_path: Path) -> None:
    lines = [sheet("esa", [part(1, "The 🎉 fog."), part(2, "B")]), document("adequacy")]
    campaign = served(tmp_path, *lines)

    def say(work: Work) -> dict[str, Any]:
        if work.kind == "adequacy":
            return {f"score_{number}": 10 * number for number in (1, 2, 3)}
        missing = {**MARK, "start": None, "end": None, "severity": "minor"}
        return {"spans": marks(MARK, missing) if work.place == 1 else "[]", "score": 7}

    campaigns.judge(campaign, "ann", say)
    kept = read_judgments([str(tmp_path)]).judgments
    exported = export_answers(str(tmp_path), form)
    assert exported.answers == len(kept) == 5
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    assert read_judgments([str(path)]).judgments == kept


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_mqm_is_exported_and_read_back(form: str, tmp_path: Path) -> None:
    campaign = served(tmp_path, document("mqm"))
    span = {**MARK, "category": "Style/Awkward"}
    said = {"spans_1": marks(span), "spans_2": "[]", "spans_3": marks(span)}
    campaigns.judge(campaign, "ann", lambda _: said)
    exported = export_answers(str(tmp_path), form)
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    assert read_judgments([str(path)]).judgments == read_judgments([str(tmp_path)]).judgments


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_preferences_are_exported_and_read_back(form: str, tmp_path: Path) -> None:
    campaign = served(tmp_path, pairs(4))
    sides = {1: "left", 2: "neither", 3: "right", 4: "left"}
    campaigns.judge(campaign, "ann", lambda work: {"choice": sides[work.place]})
    exported = export_answers(str(tmp_path), form)
    assert (exported.answers, [each.count for each in exported.omissions]) == (3, [1])
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    read, kept = read_answers([str(path)]), read_answers([str(tmp_path)])
    assert isinstance(read, Preferences)
    assert isinstance(kept, Preferences)
    assert (read.preferences, read.remarks) == (kept.preferences, ())
