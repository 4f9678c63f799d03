"""Judgments for tests: made by hand, and drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from weigh.types import Judgment, Kind

KINDS: list[Kind] = ["system", "repeat", "reference", "bad"]


def one(
    system: str,
    segment: int,
    value: float,
    judge: str = "ann",
    kind: Kind = "system",
    hit: str = "h",
    scale: str = "adequacy",
    **rest: object,
) -> Judgment:
    return Judgment(judge, hit, "de-en", kind, system, str(segment), value, scale, **rest)  # type: ignore[arg-type]


@st.composite
def judgments(draw: st.DrawFn, least: int = 1) -> list[Judgment]:
    """Some judges' scores of some systems, each item once per judge."""
    items = draw(
        st.lists(
            st.tuples(
                st.sampled_from("pqr"),
                st.sampled_from(KINDS),
                st.sampled_from("ABCD"),
                st.integers(1, 4),
            ),
            min_size=least,
            max_size=60,
            unique=True,
        )
    )
    values = draw(st.lists(st.integers(0, 100), min_size=len(items), max_size=len(items)))
    return [
        one(system, segment, float(value), judge, kind)
        for (judge, kind, system, segment), value in zip(items, values, strict=True)
    ]
