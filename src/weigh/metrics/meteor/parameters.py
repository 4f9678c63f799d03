"""The languages and tasks that METEOR 1.5 has parameters for.

The values are those of Denkowski & Lavie (2011, 2014) as METEOR 1.5 prints them with its scores.
"""

from __future__ import annotations

from typing import NamedTuple

from weigh.errors import UsageError

STAGES = ("exact", "stem", "synonym", "paraphrase")
TASKS = ("rank", "adq", "li", "tune")


class Parameters(NamedTuple):
    """The weights of precision, fragmentation and content words, and those of the stages."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, float, float, float]


class Language(NamedTuple):
    """What METEOR has for a language: the English name, its stages, parameters of task rank."""

    name: str
    stages: tuple[str, ...]
    rank: Parameters


_INDEPENDENT = Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5, 0.5))
_ADEQUACY = Parameters(0.75, 1.4, 0.45, 0.7, (1.0, 1.0, 0.6, 0.8))
_TUNING = Parameters(0.5, 1.0, 0.5, 0.5, (1.0, 0.5, 0.5, 0.5))

# A stage that a language does not have gets the weight 0. METEOR has no parameters of its own
# for Russian.
LANGUAGES = {
    "en": Language(
        "english",
        ("exact", "stem", "synonym"),
        Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    ),
    "es": Language(
        "spanish", ("exact", "stem"), Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.0, 0.6))
    ),
    "de": Language(
        "german", ("exact", "stem"), Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.0, 0.6))
    ),
    "fr": Language(
        "french", ("exact", "stem"), Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.0, 0.4))
    ),
    "cs": Language("czech", ("exact",), Parameters(0.95, 0.2, 0.6, 0.8, (1.0, 0.0, 0.0, 0.4))),
    "ru": Language("russian", ("exact", "stem"), _INDEPENDENT),
}


def parameters_of(language: str, task: str) -> Parameters:
    """Return the parameters of a task in a language."""
    if task == "rank":
        return LANGUAGES[language].rank
    if task == "li":
        return _INDEPENDENT
    if task == "tune":
        return _TUNING
    if language != "en":
        raise UsageError(f"Meteor: task=adq has parameters for en only, not for {language}")
    return _ADEQUACY


def stages_of(given: str | None, language: str, paraphrases: bool) -> tuple[str, ...]:
    """Return the stages that `exact+stem` and the like name, or else the language's own.

    >>> stages_of(None, "es", paraphrases=True)
    ('exact', 'stem', 'paraphrase')
    """
    if given is None:
        return LANGUAGES[language].stages + (("paraphrase",) if paraphrases else ())
    named = given.split("+")
    unknown = next((stage for stage in named if stage not in STAGES), None)
    if unknown is not None or len(set(named)) < len(named) or named[0] != "exact":
        raise UsageError(
            f"Meteor: stages={given} is unknown; join stages by +, exact first: {'+'.join(STAGES)}"
        )
    possible = (*LANGUAGES[language].stages, "paraphrase")
    missing = next((stage for stage in named if stage not in possible), None)
    if missing is not None:
        raise UsageError(
            f"Meteor: there is no stage {missing} for {language}; it has {'+'.join(possible)}"
        )
    return tuple(stage for stage in STAGES if stage in named)
