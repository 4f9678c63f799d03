"""Progress of campaigns, as `weigh campaign list` shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from weigh.result import Result, checked, derived


@dataclass(frozen=True, slots=True)
class ListedCampaign:
    """A campaign of a database, and its progress.

    `items_done` of so many `items` have an answer that counts, each as often as it is to be judged;
    `answers` are all that were given, those that do not count among them.
    """

    name: str
    state: str
    kinds: tuple[str, ...]
    judges: int
    answers: int
    items_done: int
    items: int
    created: str

    def __post_init__(self) -> None:
        checked(self.state in ("open", "closed"), f"a campaign that is {self.state!r}")
        checked(0 <= self.items_done <= self.items, f"{self.items_done} of {self.items} items done")
        checked(min(self.judges, self.answers) >= 0, "fewer than no judges or answers")

    @property
    @derived
    def share(self) -> float:
        """The share of items that are done; 0 without any."""
        return self.items_done / self.items if self.items else 0.0


@dataclass(frozen=True, slots=True)
class CampaignsResult(Result):
    """The campaigns of a database, in the order in which they were begun."""

    command: ClassVar[str] = "campaign list"

    database: str
    campaigns: tuple[ListedCampaign, ...]

    @property
    def open(self) -> int:
        """The number of campaigns that still take answers."""
        return sum(row.state == "open" for row in self.campaigns)

    def __iter__(self) -> Iterator[ListedCampaign]:
        return iter(self.campaigns)
