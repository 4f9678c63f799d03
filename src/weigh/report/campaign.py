"""What is shown of campaigns in which people judge: `weigh campaign list`."""

from __future__ import annotations

from weigh.human.collecting import CampaignsResult, ListedCampaign
from weigh.report.grid import Cell, Column, Grid
from weigh.report.view import Part, View, view_of
from weigh.result import encode
from weigh.wording import fixed, plural


@view_of(CampaignsResult)
def campaigns(result: CampaignsResult) -> View:
    """Show every campaign with how much of it is done."""
    records = [
        {**encode(each), "kinds": ", ".join(each.kinds), "share": _share(each)}
        for each in result.campaigns
    ]
    titles = ("Judges", "Answers", "Items done", "Items", "%")
    columns = [Column("Campaign"), Column("State"), Column("Tasks")]
    columns += [*(Column(title, kind="number") for title in titles), Column("Begun")]
    count = plural(len(result.campaigns), "campaign")
    is_open = sum(each.state == "open" for each in result.campaigns)
    return View(
        title=f"Campaigns in {result.database}",
        subtitle=f"{count}, of which {is_open:,} {'takes' if is_open == 1 else 'take'} answers",
        findings=[
            f"{each.name}: {each.items_done:,} of {plural(each.items, 'item')} done."
            for each in result.campaigns
        ],
        parts=[
            Part(
                f"Campaigns in {result.database}",
                Grid(columns, [[_row(each) for each in result.campaigns]]),
                sentences=[
                    "Items: as often as each is to be judged. Answers: all that were given, those "
                    "among them that were set aside."
                ],
                section="Campaigns",
            )
        ],
        records=records,
    )


def _share(campaign: ListedCampaign) -> float:
    return campaign.items_done / campaign.items if campaign.items else 0.0


def _row(campaign: ListedCampaign) -> list[Cell]:
    numbers = (campaign.judges, campaign.answers, campaign.items_done, campaign.items)
    return [
        Cell(campaign.name),
        Cell(campaign.state),
        Cell(", ".join(campaign.kinds)),
        *(Cell(f"{number:,}") for number in numbers),
        Cell(fixed(100 * _share(campaign), 1)),
        Cell(campaign.created[:16].replace("T", " ")),
    ]
