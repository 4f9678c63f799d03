"""Small results of `weigh validate`, for a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unit.report.studies import measured
from weigh.result import Extent, Result
from weigh.validate.plan import Type1Plan
from weigh.validate.type1 import Type1Result, type1


def of_type1(seed: int) -> Type1Result:
    """Return rejections by one or two metrics, with and without the formulas of other tools."""
    plan = Type1Plan(
        compat=("moses-bs",) if seed % 2 else (),
        alphas=(0.1, 0.05),
        nulls=20,
        size=None if seed % 3 else 30,
        trials=99,
        seed=seed,
    )
    result = type1(measured(seed, 2 + seed % 2), plan, threads=1)
    documents = seed // 5 if seed % 2 else None
    return replace(
        result,
        test_set=Extent(60 + seed, seed % 3, documents),
        remarks=("a <remark>",) if seed % 2 else (),
    )


MADE: dict[str, Callable[[int], Result]] = {"validate type1": of_type1}
