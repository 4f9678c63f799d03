"""What is shown of campaigns in which people judge: `weigh campaign list`."""

from __future__ import annotations

from weigh.human.collecting import CampaignsResult, ListedCampaign
from weigh.report.grid import Column, Grid
from weigh.report.parts import summary
from weigh.report.view import View, view_of
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
        parts=[
            *summary(
                [
                    f"{each.name}: {each.items_done:,} of {plural(each.items, 'item')} done."
                    for each in result.campaigns
                ]
            ),
            Grid(columns, [[_row(each) for each in result.campaigns]]).titled(
                f"Campaigns in {result.database}",
                [
                    "Items: as often as each is to be judged. Answers: all that were given, those "
                    "among them that were set aside."
                ],
                section="Campaigns",
                paper=True,
            ),
        ],
        records=records,
    )


def _share(campaign: ListedCampaign) -> float:
    return campaign.items_done / campaign.items if campaign.items else 0.0


def _row(campaign: ListedCampaign) -> list[str]:
    numbers = (campaign.judges, campaign.answers, campaign.items_done, campaign.items)
    return [
        campaign.name,
        campaign.state,
        ", ".join(campaign.kinds),
        *(f"{number:,}" for number in numbers),
        fixed(100 * _share(campaign), 1),
        campaign.created[:16].replace("T", " "),
    ]
