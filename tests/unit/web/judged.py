"""Campaigns that simulated people have judged, so that it is known what should come out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import text

from unit.web.campaign_files import write_lines
from weigh.human.draws import Draws
from weigh.human.hits import Hit
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.plan import CollectPlan
from weigh_lab.simulation import SimulatedJudge, Simulation, answers, simulate


def write_hits(path: Path, hits: Sequence[Hit], names: dict[str, str] | None = None) -> None:
    """Write HITs as the planning verb does; `names` are others of the systems."""
    renamed = names or {}
    lines = []
    for hit in hits:
        line = asdict(hit)
        line["hit"] = line.pop("name", hit.name)
        for item in line["items"]:
            item["system"] = renamed.get(item["system"], item["system"])
        lines.append(line | {"pair": "xx-en"})
    write_lines(path, lines)


def judge_all(
    campaign: Campaign,
    simulation: Simulation,
    judges: Sequence[SimulatedJudge],
    most: int = 1 << 30,
    names: Sequence[str] | None = None,
) -> int:
    """Let judges answer in turn, a sheet at a time, until nothing is left; return how many."""
    with campaign.database.reading() as connection:
        rows = connection.execute(text("SELECT id, about FROM campaign_items"))
        about = {number: json.loads(told) for number, told in rows}
    references = simulation.test_set.references[0]
    hits = {hit.name: hit for hit in simulation.hits}
    scores: dict[tuple[str, str], dict[int, float]] = {}
    added = campaign.access.add(names or [judge.name for judge in judges])
    given, busy = 0, True
    assignment = campaign.assignment
    # In one transaction, since every other would wait for the disk.
    with campaign.database.writing() as connection:
        while busy and given < most:
            busy = False
            for number, judge in zip([each.id for each in added], judges, strict=True):
                for _ in range(100):
                    work = assignment._deal(connection, number)
                    if not isinstance(work, Work) or given >= most:
                        break
                    busy, known = True, about[work.item]
                    key = judge.name, known["hit"]
                    if key not in scores:
                        draws = Draws(7, number * 1000 + len(scores))
                        scores[key] = {
                            int(each.item or 0): each.value
                            for each in answers(hits[known["hit"]], references, judge, draws)
                        }
                    outcome = assignment._answer(
                        connection,
                        number,
                        work.slot,
                        work.item,
                        work.revision,
                        {"score": round(scores[key][known["number"]])},
                        f"{number}-{work.item}",
                        4.0 + (work.item * 7) % 13,
                    )
                    assert outcome.state == "saved", outcome
                    given += 1
    return given


def judged_campaign(
    directory: Path,
    plan: CollectPlan | None = None,
    *,
    systems: int = 3,
    segments: int = 60,
    hits: int = 6,
    judges: int = 3,
    dishonest: float = 0.0,
    most: int = 1 << 30,
    names: Sequence[str] | None = None,
    called: dict[str, str] | None = None,
    seed: int = 3,
) -> tuple[Campaign, Simulation]:
    """Return a campaign of direct assessment with answers, and what they were made of."""
    simulation = simulate(
        systems=systems, segments=segments, hits=hits, judges=judges, dishonest=dishonest, seed=seed
    )
    write_hits(directory / "adequacy.jsonl", simulation.hits, called)
    campaign = start_campaign(directory, plan)
    judge_all(campaign, simulation, simulation.judges, most, names)
    return campaign, simulation
