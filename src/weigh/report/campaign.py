"""The view of `weigh campaign list`."""

from __future__ import annotations

from weigh.human.collecting import CampaignsResult
from weigh.report.grid import Column, table
from weigh.report.parts import summary
from weigh.report.view import View, view_of
from weigh.result import encode
from weigh.wording import plural


@view_of(CampaignsResult)
def campaigns(result: CampaignsResult) -> View:
    """Show every campaign and its progress."""
    rows, title = result.campaigns, f"Campaigns in {result.database}"
    return View(
        title=title,
        subtitle=f"{plural(len(rows), 'campaign')}, {result.open:,} open",
        parts=[
            *summary(
                [f"{row.name}: {row.items_done:,} of {plural(row.items, 'item')}." for row in rows]
            ),
            table(
                rows,
                [
                    Column("Campaign", "name"),
                    Column("State", "state"),
                    Column("Tasks", lambda row: ", ".join(row.kinds)),
                    Column("Judges", "judges", "count"),
                    Column("Answers", "answers", "count"),
                    Column("Items done", "items_done", "count"),
                    Column("Items", "items", "count"),
                    Column("Share", "share", "percent", decimals=1),
                    Column("Started", lambda row: row.created[:16].replace("T", " ")),
                ],
                title=title,
                notes=[
                    "An item counts once for every judgment it needs. Answers include those set "
                    "aside."
                ],
                section="Campaigns",
                paper=True,
            ),
        ],
        records=[{**encode(row), "kinds": ", ".join(row.kinds)} for row in rows],
    )
