"""Small results of the verbs that `weigh.report.campaign` shows, for a seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from weigh.human.collecting import CampaignsResult, ListedCampaign
from weigh.result import Result

NAMES = ("pilot", "<b>&amp;", "日本|\\_x", "= a,b\u2028")
KINDS = ("adequacy", "fluency", "rypt", "preference")


def of_list(seed: int) -> CampaignsResult:
    """Return no campaign or up to four, begun, done and closed."""
    draw = random.Random(seed)
    campaigns = []
    for name in NAMES[: seed % 5]:
        items = draw.choice((0, 1, 30, 20_000))
        done = draw.randint(0, items)
        campaigns.append(
            ListedCampaign(
                name,
                draw.choice(("open", "closed")),
                tuple(draw.sample(KINDS, draw.randint(1, 4))),
                draw.randint(0, 1200),
                done + draw.randint(0, 9),
                done,
                items,
                "2026-11-17T12:22:06.041236Z",
            )
        )
    return CampaignsResult("a <i>b</i>.db", tuple(campaigns))


MADE: dict[str, Callable[[int], Result]] = {"campaign list": of_list}
