"""Every error that a user can fix: one base class, subclasses by cause; and the warnings.

The message of each is one line that names the thing, what was expected, what was found
and the remedy; the command line prints it as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable


class WeighError(Exception):
    """Something that the user can put right; the command line exits with `exit_code`."""

    exit_code = 1


class InputError(WeighError):
    """A file or a text cannot be used as it is."""


class UndefinedScoreError(InputError):
    """A metric has no score of a test set, or of one that is drawn from it: 0/0, or the like."""


class UsageError(WeighError):
    """An option, a metric or an argument is not one that weigh knows."""

    exit_code = 2


class MissingExtraError(WeighError):
    """An optional library or resource is needed and not installed."""


class WeighWarning(UserWarning):
    """Something to be careful about in a result; its remarks or warnings say it too."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a clause that proposes the nearest known word, or lists them all.

    >>> did_you_mean("blue", ["bleu", "chrf"])
    "did you mean 'bleu'?"
    >>> did_you_mean("zzz", ["bleu", "chrf"])
    'known: bleu, chrf'
    """
    import difflib

    names = {name.lower(): name for name in sorted(known)}
    near = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f"did you mean {names[near[0]]!r}?" if near else f"known: {', '.join(names.values())}"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "segment"), plural(3003, "segment")
    ('1 segment', '3,003 segments')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
