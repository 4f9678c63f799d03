"""What a campaign does by itself as answers come in: how useful labels still are, who looks."""

from __future__ import annotations

from weigh.web.campaigns import Campaign


class Upkeep:
    """Looks after a campaign, behind the answers."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign

    def answered(self, judge: int, slot: int, item: int) -> None:
        """Take account of an answer that was saved."""
        del judge, slot, item
