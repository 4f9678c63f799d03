"""What is left of the judgments after each step, so that nothing disappears unseen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from weigh.types import Judgment


@dataclass(frozen=True, slots=True)
class Step:
    """How many judgments are left after a step, and of how many judges."""

    what: str
    judgments: int
    judges: int

    @classmethod
    def after(cls, what: str, left: Collection[Judgment]) -> Step:
        """Count what is left."""
        return cls(what, len(left), len({one.judge for one in left}))
