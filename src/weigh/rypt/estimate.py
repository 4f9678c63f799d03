"""What collecting labels takes: how many, how long, and how much money."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.errors import UsageError

# Zaidan & Callison-Burch 2009: $81.44 in all, 0.62 cents and 8.4 s for a label.
SECONDS_PER_LABEL = 8.4
PRICE_PER_LABEL = 0.0062


@dataclass(frozen=True, slots=True)
class Rates:
    """How many people judge each entry, how long a label takes, and what is paid.

    A price of a HIT goes before that of a label.
    """

    judges: int = 1
    seconds: float = SECONDS_PER_LABEL
    price_per_label: float = PRICE_PER_LABEL
    price_per_hit: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.judges <= 1000:
            raise UsageError(f"{self.judges:,} judges of an entry; give a number from 1 to 1000")
        if not 0.01 <= self.seconds <= 1e6:
            raise UsageError(f"{self.seconds:g} seconds per label; give a number from .01 to 1e6")
        for what, price in (("label", self.price_per_label), ("HIT", self.price_per_hit)):
            if price is not None and not 0 <= price <= 1e6:
                raise UsageError(f"{price:g} for a {what}; give a number from 0 to 1e6")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What so many queries on so many HITs take."""

    queries: int
    hits: int
    rates: Rates

    @property
    def labels(self) -> int:
        """How many labels are collected."""
        return self.queries * self.rates.judges

    @property
    def hours(self) -> float:
        """How long people work."""
        return self.labels * self.rates.seconds / 3600

    @property
    def price(self) -> float:
        """What is paid, in the currency of the rates."""
        if self.rates.price_per_hit is not None:
            return self.hits * self.rates.judges * self.rates.price_per_hit
        return self.labels * self.rates.price_per_label
