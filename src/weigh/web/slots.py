"""Slots of batches, each for one judgment of it: lent to judges, done, and taken back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, text

from weigh.web.tables import SLOTS, inserted, log


def add_slot(
    connection: Connection,
    campaign: int,
    batch: int,
    role: str,
    copy: int,
    size: int,
) -> int:
    """Add a slot and return its number."""
    return inserted(
        connection,
        SLOTS,
        campaign=campaign,
        batch=batch,
        role=role,
        copy=copy,
        size=size,
        answered=0,
        state="open",
    )


def hold(connection: Connection, slot: int, batch: int, judge: int, lease: float) -> None:
    """Lend a slot to a judge for the first time, who is given no other of this batch then."""
    connection.execute(
        text("INSERT INTO campaign_holdings (batch, judge, slot) VALUES (:batch, :judge, :slot)"),
        {"batch": batch, "judge": judge, "slot": slot},
    )
    lend(connection, slot, judge, lease)


def lend(connection: Connection, slot: int, judge: int, lease: float) -> None:
    """Lend a slot to a judge for a number of seconds."""
    connection.execute(
        text("UPDATE campaign_slots SET judge = :judge, until = :until WHERE id = :slot"),
        {"judge": judge, "until": time.time() + lease, "slot": slot},
    )


def finish(connection: Connection, slot: int) -> None:
    """Close a slot of which nothing is left to answer."""
    connection.execute(
        text("UPDATE campaign_slots SET state = 'done', until = NULL WHERE id = :slot"),
        {"slot": slot},
    )


def release(connection: Connection, judge: int) -> int:
    """Take back what a judge holds, so that others may go on with it; return how many slots."""
    taken = connection.execute(
        text(
            "UPDATE campaign_slots SET judge = NULL, until = NULL "
            "WHERE judge = :judge AND state = 'open' AND role = 'work'"
        ),
        {"judge": judge},
    )
    return int(taken.rowcount)


def recount(connection: Connection, slots: Iterable[int]) -> None:
    """Open slots again that lack an answer that counts, and close those that lack none."""
    for slot in slots:
        answered = connection.execute(
            text(
                "SELECT COUNT(DISTINCT a.item) FROM campaign_answers a "
                "JOIN campaign_judges j ON j.id = a.judge "
                "WHERE a.slot = :slot AND j.state NOT IN ('void', 'erased')"
            ),
            {"slot": slot},
        ).scalar()
        connection.execute(
            text(
                "UPDATE campaign_slots SET answered = :answered, "
                "judge = CASE WHEN :answered < size AND state = 'done' THEN NULL ELSE judge END, "
                "state = CASE WHEN :answered < size THEN 'open' ELSE 'done' END "
                "WHERE id = :slot"
            ),
            {"answered": answered, "slot": slot},
        )


def screen_out(
    connection: Connection, campaign: int, judge: int, detail: Mapping[str, Any]
) -> None:
    """Exclude a judge who fails, and release the sheets held to others."""
    screened = connection.execute(
        text(
            "UPDATE campaign_judges SET state = 'screened' WHERE id = :judge AND state = 'active'"
        ),
        {"judge": judge},
    )
    if screened.rowcount:
        log(connection, campaign, "screened", judge, detail)
        release(connection, judge)
