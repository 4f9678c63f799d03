"""How a campaign is run: all choices, with what the command line says of them."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.errors import UsageError
from weigh.human.plan import QUALITIES
from weigh.options import check_plan_options, count, option

PORT = 8000
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class CollectPlan:
    """What a campaign asks of judges, and what becomes of those who do not look."""

    title: str = option("", "what the campaign is called on its pages", metavar="TEXT")
    pair: str = option(
        "",
        "languages of the texts, such as de-en, for screen readers and fonts",
        metavar="NAME",
        shown="what the HITs say",
    )
    per_item: int | None = count(
        None,
        "people who judge every item",
        most=1000,
        shown="what the pairs were made for, and 1 of all else",
    )
    most: int | None = count(
        None, "most sheets that one judge is given; then comes the completion code"
    )
    lease: float = option(
        30.0,
        "minutes without an answer after which what a judge holds is given to another",
        metavar="MINUTES",
        least=0.01,
        most=1e6,
    )
    screen: str = option(
        "none",
        "give no more sheets to judges who fail this quality control on those they have done: "
        "crowd-alone, appraise or none",
        choices=QUALITIES,
        metavar="NAME",
    )
    control_every: int = count(
        10, "sheets between two controls, where DIR has a file of them, controls.jsonl"
    )
    passed: float = option(
        0.7,
        "share of training items, and of controls, that a judge has to answer as expected",
        metavar="SHARE",
        least=0,
        most=1,
    )
    price: float | None = option(
        None, "what an answer costs, for the organiser's page", metavar="AMOUNT", least=0, most=1e6
    )
    completion_url: str = option(
        "",
        "where a judge who has finished is led, with {code} for the completion code",
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
        """The languages of sources and of translations, empty where they are not told."""
        source, _, target = self.pair.partition("-")
        known = source if source not in ("", "xx") else ""
        return known, target if target not in ("", "yy") else ""
