"""What the answers of campaigns mean: the same as the commands find in their databases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from unit.web.campaign_files import assessment, blind_pair, key_of, query, write_lines
from unit.web.judged import judged_campaign
from weigh.human.agreement import AgreementResult, agreement
from weigh.human.plan import QUALITIES
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.result import document
from weigh.rypt.collection import LabelsResult
from weigh.validate.preference import PreferenceResult
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.headway import progress_of
from weigh.web.plan import CollectPlan
from weigh.web.standing import mark_of, standing_of


def said(campaign: Campaign, judge: int, *answers: object) -> None:
    """Answer what comes next, each question of a screen alike."""
    for answer in answers:
        work = campaign.assignment.work_for(judge)
        assert isinstance(work, Work)
        campaign.assignment.answer(
            judge,
            work.slot,
            work.item,
            work.revision,
            {question.name: answer for question in work.screen.questions},
            f"{judge}-{work.item}-{answer}",
            5.0,
        )


def test_three_judges_rank_systems_as_the_commands_do(tmp_path: Path) -> None:
    campaign, simulation = judged_campaign(tmp_path / "tasks", systems=4, hits=9, segments=90)
    standing = standing_of(campaign)
    place = str(tmp_path / "tasks" / "campaign.db")
    ranking = cast(RankResult, standing.results["ranking"])
    assert document(ranking) == document(rank(place, names=True))
    assert document(standing.results["quality"]) == document(quality(place, names=True))
    agreed = cast(AgreementResult, standing.results["agreement"])
    assert [each.judges for each in agreed.agreement] == [3]
    [best] = ranking.rankings
    assert best.scores[0].system == simulation.order[0]
    assert (standing.answers, standing.set_aside) == (900, 0)
    assert set(standing.verdicts) == {judge.name for judge in simulation.judges}
    decided = sum(row.significant for row in best.comparisons)
    assert len(standing.forecasts) == 6 - decided
    assert standing.conclusion[0].startswith(f"xx-en, adequacy: {simulation.order[0]} scores best")
    assert f"{decided} of 6 pairs differ significantly" in standing.conclusion[0]


def test_page_and_command_rank_by_the_same_control(tmp_path: Path) -> None:
    plan = CollectPlan(screen="appraise")  # which decides who gets more sheets, not who counts
    campaign, simulation = judged_campaign(
        tmp_path / "tasks", plan, hits=9, dishonest=0.34, segments=90
    )
    place = str(tmp_path / "tasks" / "campaign.db")
    honest = {judge.name for judge in simulation.judges if judge.habit == "honest"}
    for control in (None, *QUALITIES):
        standing = standing_of(campaign, control)
        ranking = cast(RankResult, standing.results["ranking"])
        assert document(ranking) == document(rank(place, quality=control, names=True))
        assert standing.control == ranking.quality == (control or "crowd-alone")
        assert ranking.steps[-1].judges == (3 if control == "none" else 2)
        # Judges are tested even where all count.
        assert {name for name, verdict in standing.verdicts.items() if verdict.kept} == honest
        if control is None:
            assert standing.basis == "Ranking from 2 of 3 judges; quality control: crowd-alone."
            # Agreement is that of those who are kept.
            agreed = cast(AgreementResult, standing.results["agreement"])
            assert {each.judge for each in agreed.repeats} == honest


def test_one_judge_is_enough_for_a_ranking(tmp_path: Path) -> None:
    campaign, _ = judged_campaign(tmp_path / "tasks", judges=1, hits=2)
    standing = standing_of(campaign)
    assert {"ranking", "quality", "agreement"} <= set(standing.results)
    assert standing.conclusion


def test_before_any_answer_nothing_is_said(tmp_path: Path) -> None:
    write_lines(tmp_path / "tasks" / "adequacy.jsonl", [assessment()])
    campaign = start_campaign(tmp_path / "tasks")
    standing = standing_of(campaign)
    assert (standing.answers, dict(standing.results), standing.forecasts) == (0, {}, ())
    assert standing.conclusion == ["There are no results yet, because no answers count."]


def test_training_alone_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    write_lines(folder / "adequacy.jsonl", [assessment()])
    line = {"scale": "adequacy", "text": "a", "reference": "a", "expected": [70, 100]}
    write_lines(folder / "training.jsonl", [line])
    campaign = start_campaign(folder)
    (anna,) = campaign.access.add(["anna"])
    said(campaign, anna.id, 90)
    standing = standing_of(campaign)
    assert (standing.answers, dict(standing.results)) == (0, {})
    assert mark_of(campaign).answer > 0


def test_one_answer_cannot_be_standardised_and_that_is_told(tmp_path: Path) -> None:
    write_lines(tmp_path / "tasks" / "adequacy.jsonl", [assessment()])
    campaign = start_campaign(tmp_path / "tasks")
    (anna,) = campaign.access.add(["anna"])
    said(campaign, anna.id, 90)
    standing = standing_of(campaign)
    assert "ranking" not in standing.results
    assert any("no ranking yet" in remark for remark in standing.remarks)
    assert standing.conclusion


def test_where_nobody_has_passed_the_control_yet_all_count_for_now(tmp_path: Path) -> None:
    write_lines(tmp_path / "tasks" / "adequacy.jsonl", [assessment(size=6)])
    campaign = start_campaign(tmp_path / "tasks")
    (anna,) = campaign.access.add(["anna"])
    said(campaign, anna.id, 90, 40, 70, 30, 60, 10)
    standing = standing_of(campaign)
    assert cast(RankResult, standing.results["ranking"]).quality == "none"
    assert any("No judge passes" in remark for remark in standing.remarks)
    # Whoever insists on a control learns that it leaves nobody.
    strict = standing_of(campaign, "crowd-alone")
    assert (strict.basis, strict.control, set(strict.results)) == ("", "crowd-alone", {"quality"})
    assert any("drops all of 1 judge" in remark for remark in strict.remarks)
    assert all(forecast.too_early for forecast in standing.forecasts)
    assert "too early to tell" in standing.conclusion[-1]


def test_one_system_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    hit = assessment(size=4)
    for item in hit["items"]:
        item["system"] = "alone"
    write_lines(tmp_path / "tasks" / "adequacy.jsonl", [hit])
    campaign = start_campaign(tmp_path / "tasks")
    (anna,) = campaign.access.add(["anna"])
    said(campaign, anna.id, 90, 40, 70, 30)
    standing = standing_of(campaign)
    assert standing.forecasts == ()
    assert standing.conclusion == [
        "de-en, adequacy: only alone was judged, so there is nothing to compare."
    ]


def test_what_is_set_aside_does_not_count_and_comes_back(tmp_path: Path) -> None:
    campaign, _ = judged_campaign(tmp_path / "tasks", hits=3)
    before, mark = standing_of(campaign), mark_of(campaign)
    (first, *_) = campaign.access.judges()
    campaign.access.set_state(first.id, "void")
    assert mark_of(campaign) != mark
    standing = standing_of(campaign)
    assert (standing.answers, standing.set_aside) == (200, 100)
    assert first.name not in standing.verdicts
    campaign.access.set_state(first.id, "active")
    after = standing_of(campaign)
    assert document(after.results["ranking"]) == document(before.results["ranking"])


def test_blind_pairs_are_counted_with_the_key_of_the_campaign(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    names = [f"p{number:010x}" for number in range(1, 13)]
    write_lines(folder / "pairs.jsonl", [blind_pair(name) for name in names])
    (folder / "key.json").write_text(json.dumps(key_of(names, judges=1)))
    campaign = start_campaign(folder)
    (anna,) = campaign.access.add(["anna"])
    # The first pair, by number 1, has b's choice on the left, the next has a's.
    said(campaign, anna.id, *["left", "right"] * 4, "neither", "left", "neither", "left")
    [votes] = cast(PreferenceResult, standing_of(campaign).results["pairs"]).preferences
    assert (votes.sentences_a, votes.sentences_b, votes.sentences_even) == (2, 8, 2)
    [forecast] = standing_of(campaign).forecasts
    assert (forecast.unit, forecast.too_early) == ("sentence", False)
    assert (forecast.least, forecast.most) == (1, None)  # 2 of 10: from 2.5% to 55.6%
    conclusion = standing_of(campaign).conclusion
    assert "more for the choices of secret metric b" in conclusion[0]
    assert "more sentences" in conclusion[1]


def test_pairs_without_a_key_are_collected_but_not_counted(tmp_path: Path) -> None:
    write_lines(tmp_path / "tasks" / "pairs.jsonl", [blind_pair()])
    campaign = start_campaign(tmp_path / "tasks")
    (anna,) = campaign.access.add(["anna"])
    said(campaign, anna.id, "left")
    standing = standing_of(campaign)
    assert "pairs" not in standing.results
    assert len(standing.remarks) == 1


def test_labels_are_counted(tmp_path: Path) -> None:
    write_lines(tmp_path / "tasks" / "hits.jsonl", [query()])
    campaign = start_campaign(tmp_path / "tasks", CollectPlan(per_item=2, price=0.1))
    for judge in campaign.access.add(["anna", "bert"]):
        said(campaign, judge.id, "YES")
    standing = standing_of(campaign)
    labels = cast(LabelsResult, standing.results["labels"]).labels
    assert (labels.judgments, labels.entries, labels.judges) == (4, 2, 2)
    assert labels.paid == pytest.approx(0.2)


def test_both_kinds_of_databases_tell_the_same(tmp_path: Path, fresh: Callable[[], str]) -> None:
    folder = tmp_path / "tasks"
    write_lines(folder / "adequacy.jsonl", [assessment("a-1", 6), assessment("a-2", 6)])
    names = ["p0000000001", "p0000000002"]
    write_lines(folder / "pairs.jsonl", [blind_pair(name) for name in names])
    (folder / "key.json").write_text(json.dumps(key_of(names, judges=1)))
    write_lines(folder / "hits.jsonl", [query()])
    line = {"scale": "adequacy", "text": "a", "reference": "a", "expected": [70, 100]}
    write_lines(folder / "training.jsonl", [line])
    campaign = start_campaign(folder, CollectPlan(price=1.0), database=fresh())
    anna, bert = campaign.access.add(["anna", "bert"])
    # After training come the files in the order of their names.
    said(campaign, anna.id, 80, 90, 40, 70, 30, 60, 10)
    said(campaign, bert.id, 80, 50, 40)
    said(campaign, anna.id, "YES", "left", "right")
    campaign.access.set_state(bert.id, "void")
    standing, progress = standing_of(campaign), progress_of(campaign)
    assert (standing.answers, standing.set_aside) == (9, 2)
    assert set(standing.results) == {"ranking", "quality", "agreement", "labels", "pairs"}
    assert [(each.kind, each.answered, each.wanted) for each in progress.kinds] == [
        ("adequacy", 6, 12),
        ("rypt", 1, 1),
        ("preference", 2, 2),
    ]
    assert (progress.paid, progress.judges[0].training) == (11, (1, 1))
    assert mark_of(campaign).event > 0
    campaign.database.close()


def test_agreement_of_a_campaign_is_that_of_the_command(tmp_path: Path) -> None:
    campaign, _ = judged_campaign(tmp_path / "tasks", CollectPlan(per_item=2), hits=2, judges=2)
    standing = standing_of(campaign)
    place = str(tmp_path / "tasks" / "campaign.db")
    assert document(standing.results["agreement"]) == document(agreement(place, names=True))
