"""Error spans as MQM counts them: how grave an error is, and what it costs.

The weights are those of Freitag et al. (2021, table 4): 25 for a text that is no translation, 5 for
a major error, 1 for a minor one, .1 for minor punctuation; what is neutral or no error costs
nothing. A text's score is minus the sum, so that more is better.
"""

from __future__ import annotations

WEIGHTS = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
"""What an error of each severity costs, particular categories apart."""

_NO_TRANSLATION = 25.0
_MINOR_PUNCTUATION = 0.1


def weight(severity: str, category: str = "") -> float | None:
    """Return what an error costs, or None where the severity is unknown.

    >>> weight("Major", "Accuracy/Mistranslation"), weight("minor", "Fluency/Punctuation")
    (5.0, 0.1)
    """
    grade = severity.lower().replace("_", "-").replace(" ", "-")
    kind = category.lower()
    if grade == "major" and kind.startswith("non-translation"):
        return _NO_TRANSLATION
    if grade == "minor" and kind == "fluency/punctuation":
        return _MINOR_PUNCTUATION
    return WEIGHTS.get(grade)
