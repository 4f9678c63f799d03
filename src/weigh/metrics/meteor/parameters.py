"""METEOR's parameters for languages and tasks, and its scores of summed statistics.

They are those of METEOR 1.5 (Denkowski & Lavie 2014), and the score of 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.types import Rows, Scores

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


# METEOR's scores of summed statistics: of version 1.5, and of 2005.


def scores(sums: Rows, parameters: Parameters) -> Scores:
    """Score sums of METEOR 1.5's 23 statistics (Denkowski & Lavie 2014, section 2.2).

    Precision and recall weigh matches by stage, content words by delta and function words by
    1 - delta. Their mean F is lowered by gamma × (chunks per matched word) to the power of beta.
    """
    sums = np.asarray(sums, dtype=np.float64)
    alpha, beta, gamma, delta, weights = parameters
    matched = np.zeros((*sums.shape[:-1], 2))
    for stage, weight in enumerate(weights):
        counts = sums[..., 4 + 4 * stage : 8 + 4 * stage]
        matched += weight * (delta * counts[..., :2] + (1 - delta) * counts[..., 2:])
    lengths = delta * (sums[..., 0:2] - sums[..., 2:4]) + (1 - delta) * sums[..., 2:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = np.moveaxis(matched / lengths, -1, 0)
        f = 1 / ((1 - alpha) / precision + alpha / recall)
        fragmentation = sums[..., 20] / ((sums[..., 21] + sums[..., 22]) / 2)
        result = 100 * (f * (1 - gamma * fragmentation**beta))
    return np.asarray(np.where((matched > 0).all(axis=-1), result, 0.0))


def scores_of_2005(sums: Rows) -> Scores:
    """Score sums of words, reference words, matches and chunks (Banerjee & Lavie 2005)."""
    words, reference_words, matches, chunks = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / words, matches / reference_words
        f = 10 * precision * recall / (recall + 9 * precision)
        result = 100 * (f * (1 - 0.5 * (chunks / matches) ** 3))
    return np.asarray(np.where(matches > 0, result, 0.0))
