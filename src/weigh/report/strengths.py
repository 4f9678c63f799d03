"""What is shown of rankings by strength: columns, and how numbers of an arena are to be read."""

from __future__ import annotations

from weigh.human.arena import Arena, PositionBias, Strength
from weigh.human.rank_result import HumanRanking, RankResult
from weigh.report.grid import Column, number_columns
from weigh.report.phrases import interval_column
from weigh.wording import fixed, p_value, percent, plural

TEST = "Bradley–Terry"
_UNBOUNDED = {"above": "unbounded ↑", "below": "unbounded ↓", "both": "unbounded"}
_OTHERS = {
    "judges and segments": "other judges and other segments",
    "segments": "other segments and these judges",
    "answers": "other answers like these",
}


def strength_columns(level: float) -> list[Column]:
    """The columns after the strength."""
    return [
        interval_column(level),
        *number_columns("Elo", "Win rate", "Wins", "Losses", "Ties"),
    ]


def strength_texts(score: Strength, interval: str) -> list[str]:
    """The cells after the strength."""
    counts = (score.wins, score.losses, score.ties)
    return [
        _UNBOUNDED.get(score.unbounded, interval),
        fixed(score.elo, 0),
        f"{100 * score.win_rate:.1f}%",
        *(f"{count:,}" for count in counts),
    ]


def arena_notes(ranking: HumanRanking, result: RankResult) -> list[str]:
    """How to read strengths, ties, positions and intervals."""
    arena = ranking.arena
    if arena is None:
        return []
    notes = [
        "Strength: a system that is 1 stronger has odds of e to one to be preferred, ties aside; "
        "the mean is 0. Elo is the same with 400 points for odds of ten to one and a mean of 1000. "
        "In the win rate a tie is half a win."
    ]
    if 0 < arena.tied < 1:
        notes.append(f"Two systems of equal strength tie in {_share(arena.tied)} of answers.")
    if arena.position is not None:
        notes.append(_about_position(arena.position, result.plan.level))
    if arena.holds_for != "nothing":
        who = f"{plural(arena.judges, 'judge')}, " if arena.judges else ""
        what = "segment" if arena.holds_for != "answers" else "answer"
        notes.append(
            f"Intervals and tests are for {_OTHERS[arena.holds_for]} "
            f"({who}{plural(arena.segments, what)})."
        )
    if any(isinstance(score, Strength) and score.unbounded for score in ranking.scores):
        notes.append(
            "Unbounded: the answers set no limit to this strength; the number is that of half a "
            "win and half a loss more against a phantom."
        )
    return notes


def _about_position(bias: PositionBias, level: float) -> str:
    """The advantage of being shown first."""
    ends = ""
    if bias.first_wins_interval is not None:
        low, high = (fixed(100 * end, 1) for end in bias.first_wins_interval)
        ends = f" ({percent(level)} interval {low} to {high}%, {p_value(bias.p_value)})"
    return (
        f"Position bias: of two equal systems the one that is shown first is preferred in "
        f"{_share(bias.first_wins)} of answers that are no ties{ends}; strengths are free of it."
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f}%"


def arena_methods(arena: Arena, level: float) -> str:
    """The part of a methods section on scores."""
    said = (
        "its log strength in the model of Bradley and Terry (1952) with ties (Davidson 1970) and, "
        "where it is known, the order shown"
    )
    if arena.holds_for == "nothing":
        return said
    of = "judges and segments together" if arena.holds_for.startswith("judges") else arena.holds_for
    return f"{said}, with {percent(level)} intervals by t with the variance of {of}"
