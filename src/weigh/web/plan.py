"""Options of running a campaign, with their help texts."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.errors import UsageError
from weigh.human.plan import QUALITIES
from weigh.options import check_plan_options, count, option

PORT = 8000
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class CollectPlan:
    """Options of a campaign: tasks per judge, screening of judges, and display."""

    title: str = option("", "title of the campaign on its pages", metavar="TEXT")
    pair: str = option(
        "",
        "languages of the texts, such as de-en, used for fonts and screen readers",
        metavar="NAME",
        shown="as in the HITs",
    )
    per_item: int | None = count(
        None,
        "judges per item",
        most=1000,
        shown="as in the HITs, else 1",
    )
    most: int | None = count(
        None,
        "maximum number of sheets per judge; after the last, the judge gets the completion code",
    )
    lease: float = option(
        30.0,
        "minutes of inactivity after which a judge's open sheets go to other judges",
        metavar="MINUTES",
        advanced=True,
        least=0.01,
        most=1e6,
    )
    screen: str = option(
        "none",
        "stop giving sheets to judges who fail this quality control: crowd-alone, appraise or none",
        choices=QUALITIES,
        metavar="NAME",
    )
    control_every: int = count(
        10, "show a control from DIR/controls.jsonl every N sheets", advanced=True
    )
    passed: float = option(
        0.7,
        "share of training and control items that a judge must answer correctly",
        metavar="SHARE",
        advanced=True,
        least=0,
        most=1,
    )
    price: float | None = option(
        None, "cost of an answer, for the organiser's page", metavar="AMOUNT", least=0, most=1e6
    )
    completion_url: str = option(
        "",
        "link shown to judges who have finished; {code} stands for the completion code",
        metavar="URL",
    )

    def __post_init__(self) -> None:
        check_plan_options(self)
        if self.completion_url and not self.completion_url.startswith(("https://", "http://")):
            raise UsageError(
                f"completion-url {self.completion_url!r}: expected a link that begins with https://"
            )

    @property
    def languages(self) -> tuple[str, str]:
        """The languages of sources and translations, empty if unknown."""
        source, _, target = self.pair.partition("-")
        language = source if source not in ("", "xx") else ""
        return language, target if target not in ("", "yy") else ""
