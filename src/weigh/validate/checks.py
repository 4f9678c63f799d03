"""Choices that several studies share, checked."""

from __future__ import annotations

from collections.abc import Sequence

from weigh.errors import UsageError, did_you_mean


def check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Raise UsageError unless there are names, each known and given once."""
    if not names:
        raise UsageError(f"no {what}; {did_you_mean('', known)}")
    for name in names:
        if name not in known:
            raise UsageError(f"{what} {name!r} is unknown; {did_you_mean(name, known)}")
    _check_once(what, names)


def check_shares(what: str, values: Sequence[float]) -> None:
    """Raise UsageError unless there are numbers, each between 0 and 1 and given once."""
    if not values:
        raise UsageError(f"no {what}; give a number between 0 and 1")
    for value in values:
        if not 0 < value < 1:
            raise UsageError(f"{what} {value:g}; give a number between 0 and 1")
    _check_once(what, values)


def check_counts(what: str, values: Sequence[int], least: int = 1) -> None:
    """Raise UsageError unless there are whole numbers, each large enough and given once."""
    if not values:
        raise UsageError(f"no {what}; give a whole number of at least {least}")
    for value in values:
        if value < least:
            raise UsageError(f"{what} {value}; give a whole number of at least {least}")
    _check_once(what, values)


def check_trials(trials: int, alphas: Sequence[float], *, two_sided: bool) -> None:
    """Raise UsageError if no p-value can be as small as the smallest level."""
    from weigh.stats.multiplicity import trials_needed

    check_counts("number of trials", [trials])
    least = trials_needed(1, min(alphas), both_tails=two_sided)
    if trials < least:
        raise UsageError(
            f"{trials:,} trials: no p-value can be {min(alphas):g} or less; "
            f"use at least {least:,} trials"
        )


def _check_once(what: str, values: Sequence[object]) -> None:
    if len(set(values)) < len(values):
        raise UsageError(f"a {what} is given twice; give it once")
