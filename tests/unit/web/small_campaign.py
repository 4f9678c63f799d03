"""Small campaigns, made without files, and what their tables say when counted anew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import text

from weigh.read.database import Database
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.kinds import Batch, kind_of
from weigh.web.plan import CollectPlan
from weigh.web.tasks import Tasks

SHEET = 3


def rated(name: str, size: int = SHEET, **more: Any) -> Batch:
    """Return a sheet of texts to rate."""
    items = [
        {
            "number": number,
            "kind": "system",
            "system": "hidden-system",
            "segment": str(number),
            "text": f"{name} text {number}",
            "reference": f"{name} reference {number}",
            **more,
        }
        for number in range(1, size + 1)
    ]
    return batch_of({"hit": name, "pair": "de-en", "scale": "adequacy", "items": items})


def batch_of(record: dict[str, Any], role: str = "work") -> Batch:
    """Return the batch that a line of a file of tasks is."""
    kind = kind_of(record)
    assert kind is not None
    name = str(record.get("hit") or record.get("pair"))
    return Batch(name, kind.name, tuple(kind.items(record)), role)


def known(name: str, role: str) -> Batch:
    """Return a screen whose answer is known: 90 to 100."""
    record = {"hit": name, "scale": "adequacy", "text": f"{role} text", "expected": [90, 100]}
    record["reference"] = "plain reference"
    return batch_of(record, role)


def campaign_in(
    place: str | Path, batches: tuple[Batch, ...], plan: CollectPlan, **more: Any
) -> Campaign:
    """Return a campaign with some batches, in the database at a place."""
    return start_campaign(Tasks("small", batches, **more), plan, database=str(place))


def recounted(database: Database) -> dict[int, tuple[int, str]]:
    """Return of every slot of work how many items have an answer that counts, and its state."""
    with database.reading() as connection:
        slots = connection.execute(
            text("SELECT id, size FROM campaign_slots WHERE role = 'work'")
        ).all()
        answers = connection.execute(
            text(
                "SELECT DISTINCT a.slot, a.item FROM campaign_answers a "
                "JOIN campaign_judges j ON j.id = a.judge "
                "WHERE j.state <> 'void' AND j.state <> 'erased'"
            )
        ).all()
    counts = Counter(slot for slot, _ in answers)
    return {
        slot: (counts[slot], "done" if counts[slot] == size else "open") for slot, size in slots
    }


def counters(database: Database) -> dict[int, tuple[int, str]]:
    """Return the same as the table of slots tells it."""
    with database.reading() as connection:
        rows = connection.execute(
            text("SELECT id, answered, state FROM campaign_slots WHERE role = 'work'")
        )
        return {slot: (answered, state) for slot, answered, state in rows}
