"""Whole studies through the real page: simulated judges come by the network, and are counted."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from e2e.in_process import run_inside
from rypt_experiment import MadeWorld, Run, experiment
from rypt_world import World
from visitors import Page, judged
from weigh.read.campaign_tables import read_campaign
from weigh_lab.simulation import quality

THANKS = "Thank you"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def printed(*arguments: str) -> str:
        done = run_inside(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return printed


def test_the_experiment_on_rypt_finds_the_truth_again(run: Run, tmp_path: Path) -> None:
    """Judges who never err: labels and tables are what the made world has, to the last one."""
    world = World(faithful=0.5, shortest=6, longest=12)
    people = MadeWorld(8, 8, world, wrong=0.0, unsure=0.0, noise=0.0)
    outcome = experiment(people, tmp_path, 3, run, "json")
    estimate = json.loads(outcome.queries)["estimate"]
    assert sum(visit.answers for visit in outcome.labelling.values()) == estimate["hits"]
    assert {visit.heading for visit in outcome.labelling.values()} == {THANKS}
    labels = 0
    for answer in read_campaign(f"{tmp_path}/queries/campaign.db").answers:
        about = answer.about
        for name, label in answer.answers.items():
            entry = about["source"], (about["start"], about["end"]), about["substrings"][name]
            assert label == ("YES" if people.is_acceptable(*entry) else "NO")
            labels += 1
    assert labels == estimate["queries"]
    made, truth = json.loads(outcome.made), people.truth(tmp_path)
    assert made["pairs"] == sum(truth.values()) > 3
    [counted] = json.loads(outcome.tables)["preferences"]
    assert [counted[f"judgments_{side}"] for side in ("a", "b", "neither")] == [
        3 * truth["RYPT strict"],
        3 * truth["BLEU"],
        3 * truth["neither"],
    ]
    assert counted["sentences_a"] == truth["RYPT strict"]
    assert truth["RYPT strict"] > truth["BLEU"]
    # Three people have judged every pair.
    assert {visit.answers for visit in outcome.choosing.values()} == {made["pairs"]}


def test_direct_assessment(run: Run, tmp_path: Path) -> None:
    run("demo", "campaign", "trial", "--systems", "2", "--segments", "100", "--quiet")
    systems = [f"trial/systems/{path.name}" for path in (tmp_path / "trial/systems").iterdir()]
    run("human", "plan", "-r", "trial/reference.txt", "--hits", "2", "-o", "sheets", *systems)
    draw = Random(3)

    def say(judge: str, page: Page) -> dict[str, str]:
        [asked] = page.questions.values()
        assert asked.scale == (0, 100)
        [text], [reference] = asked.texts, page.shared
        score = quality(text.text, reference.text) + draw.gauss(0, 5)
        if judge == "judge 2":  # who takes what is worse for what is better
            score = 100 - score
        return {asked.name: str(round(min(100, max(0, score))))}

    visits = judged(tmp_path / "sheets", 2, say, "--most", "1", "--screen", "crowd-alone")
    assert [visit.answers for visit in visits.values()] == [100, 100]
    database = sqlite3.connect(tmp_path / "sheets/campaign.db")
    states = dict(database.execute("SELECT name, state FROM campaign_judges"))
    assert states == {"judge 1": "active", "judge 2": "screened"}
    database.close()
    ranked = run(
        *("human", "rank", "sheets/campaign.db", "--quality", "crowd-alone", "--format", "json")
    )
    result: dict[str, Any] = json.loads(ranked)
    truth = json.loads((tmp_path / "trial/truth.json").read_text(encoding="utf-8"))
    assert [each["system"] for each in result["scores"]] == [
        each["system"] for each in truth["systems"]
    ]
    tested = json.loads(run("human", "quality", "sheets/campaign.db", "--format", "json"))
    assert [each["kept"] for each in tested["judges"]] == [True, False]
