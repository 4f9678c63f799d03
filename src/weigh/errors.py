"""Errors that a user can fix, and warnings.

The message of an error is one line: what is wrong, where, and what to do. The command line prints
it unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable


class WeighError(Exception):
    """An error that the user can fix; the command line exits with `exit_code`."""

    exit_code = 1


class InputError(WeighError):
    """A file or a text cannot be used as it is."""


class UndefinedScoreError(InputError):
    """A metric has no score on a test set or on a resampled one, such as 0/0."""


class UsageError(WeighError):
    """An unknown or misused option, metric or argument."""

    exit_code = 2


class MissingExtraError(WeighError):
    """An optional library or resource is not installed."""


class WeighWarning(UserWarning):
    """A reason for caution about a result, which also lists it in `remarks` or `warnings`."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Suggest the most similar choice, or list all choices.

    >>> did_you_mean("blue", ["bleu", "chrf"])
    "did you mean 'bleu'?"
    >>> did_you_mean("zzz", ["bleu", "chrf"])
    'choose from bleu, chrf'
    >>> did_you_mean("zzz", ["bleu"])
    "there is only 'bleu'"
    """
    import difflib

    names = {name.lower(): name for name in sorted(choices)}
    near = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {names[near[0]]!r}?"
    if len(names) == 1:
        return f"there is only {next(iter(names.values()))!r}"
    return f"choose from {', '.join(names.values())}"


def plural(count: int, noun: str) -> str:
    """Format a count with its noun.

    >>> plural(1, "segment"), plural(3003, "segment")
    ('1 segment', '3,003 segments')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
