"""METEOR (Banerjee & Lavie 2005), as METEOR 1.5 (Denkowski & Lavie 2014) computes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import UsageError
from weigh.metrics.meteor import resources, synonyms
from weigh.metrics.meteor.extractor import AlignmentExtractor, Lexicon, stemmer
from weigh.metrics.words import (
    SPREADING,
    CountsWords,
    count,
    quotient,
    signed,
    tokenize_option,
    with_tokenizer,
)
from weigh.options import option, options_of
from weigh.tokenize import lower
from weigh.tokenize.meteor import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.metrics.meteor.extractor import AlignmentCounter, Starts, Words
    from weigh.tokenize import Spread, Tokenizer
    from weigh.tokenize.writing import Writing
    from weigh.types import Rows, Scores, TestSet

# Parameters for languages and tasks, those of METEOR 1.5.

STAGES = ("exact", "stem", "synonym", "paraphrase")
TASKS = ("rank", "adq", "li", "tune")


class MeteorParameters(NamedTuple):
    """The weights of precision, fragmentation and content words, and those of the stages."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, float, float, float]


class Language(NamedTuple):
    """METEOR's settings for a language: English name, stages, parameters of task rank."""

    name: str
    stages: tuple[str, ...]
    rank: MeteorParameters


_INDEPENDENT = MeteorParameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5, 0.5))
_ADEQUACY = MeteorParameters(0.75, 1.4, 0.45, 0.7, (1.0, 1.0, 0.6, 0.8))
_TUNING = MeteorParameters(0.5, 1.0, 0.5, 0.5, (1.0, 0.5, 0.5, 0.5))

# A stage that a language does not have gets the weight 0. METEOR has no parameters of its own
# for Russian.
LANGUAGES = {
    "en": Language(
        "english",
        ("exact", "stem", "synonym"),
        MeteorParameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    ),
    "es": Language(
        "spanish", ("exact", "stem"), MeteorParameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.0, 0.6))
    ),
    "de": Language(
        "german", ("exact", "stem"), MeteorParameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.0, 0.6))
    ),
    "fr": Language(
        "french", ("exact", "stem"), MeteorParameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.0, 0.4))
    ),
    "cs": Language(
        "czech", ("exact",), MeteorParameters(0.95, 0.2, 0.6, 0.8, (1.0, 0.0, 0.0, 0.4))
    ),
    "ru": Language("russian", ("exact", "stem"), _INDEPENDENT),
}


def parameters_of(language: str, task: str) -> MeteorParameters:
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


def stages_of(stages: str | None, language: str, paraphrases: bool) -> tuple[str, ...]:
    """The stages that `exact+stem` and the like name, or the language's default.

    >>> stages_of(None, "es", paraphrases=True)
    ('exact', 'stem', 'paraphrase')
    """
    if stages is None:
        return LANGUAGES[language].stages + (("paraphrase",) if paraphrases else ())
    named = stages.split("+")
    unknown = next((stage for stage in named if stage not in STAGES), None)
    if unknown is not None or len(set(named)) < len(named) or named[0] != "exact":
        raise UsageError(
            f"Meteor: stages={stages} is unknown; join stages by +, exact first: {'+'.join(STAGES)}"
        )
    possible = (*LANGUAGES[language].stages, "paraphrase")
    missing = next((stage for stage in named if stage not in possible), None)
    if missing is not None:
        raise UsageError(
            f"Meteor: there is no stage {missing} for {language}; it has {'+'.join(possible)}"
        )
    return tuple(stage for stage in STAGES if stage in named)


# METEOR's scores of summed statistics: of version 1.5, and of 2005.


def scores(sums: Rows, parameters: MeteorParameters) -> Scores:
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
        # A power of a single number by ** may differ in the last bit from that in an array.
        result = 100 * (f * (1 - gamma * np.power(fragmentation, beta)))
    return np.asarray(np.where((matched > 0).all(axis=-1), result, 0.0))


def scores_of_2005(sums: Rows) -> Scores:
    """Score sums of words, reference words, matches and chunks (Banerjee & Lavie 2005)."""
    words, reference_words, matches, chunks = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / words, matches / reference_words
        f = 10 * precision * recall / (recall + 9 * precision)
        result = 100 * (f * (1 - 0.5 * np.power(chunks / matches, 3)))
    return np.asarray(np.where(matches > 0, result, 0.0))


# Options that METEOR of 2005 knows nothing of.
_LATER = ("language", "aligner", "compat", "task", "function_words", "paraphrases")
# What an option belongs to: without that stage nothing would be read.
_OF_STAGES = {"synonyms": "synonym", "paraphrases": "paraphrase"}


@dataclass(frozen=True, slots=True)
class Meteor(CountsWords):
    """F score of aligned words, stems, synonyms and paraphrases, with a penalty for fragments.

    >>> from weigh import Meteor, Outputs, TestSet
    >>> meteor = Meteor(stages="exact")
    >>> rows = meteor.prepare(TestSet([["the cat sat still"]])).rows(Outputs(["still the cat"]))
    >>> rows[0, :8].tolist()  # words, of them function words, matched content, matched function
    [3, 4, 1, 1, 2, 2, 1, 1]
    >>> rows[0, 20:].tolist()  # chunks, matched words of either side
    [2, 3, 3]
    """

    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 100.0
    decimals: ClassVar[int] = 2

    version: str = option(
        "1.5", "METEOR 1.5, or as it was first published", choices=("1.5", "2005")
    )
    language: str = option("en", "language of the texts", choices=LANGUAGES)
    stages: str | None = option(
        None, "stages joined by +, of exact, stem, synonym, paraphrase (default: the language's)"
    )
    normalize: bool = option(False, "split punctuation off and lower-case, as METEOR's -norm does")
    lowercase: bool = option(False, "compare without case")
    aligner: str = option(
        "reference",
        "with the defects of the reference program's search, or without",
        choices=("reference", "exact"),
    )
    compat: bool = option(
        False, "use English function words for every language, as METEOR 1.5 does"
    )
    task: str = option("rank", "what the parameters were tuned for", choices=TASKS)
    function_words: str | None = option(None, "file of function words, or folder of such files")
    prefixes: str | None = option(
        None, "file of abbreviations that keep their period, or folder of such files"
    )
    synonyms: str | None = option(None, "folder of WordNet 3.0 or of METEOR's synsets")
    paraphrases: str | None = option(None, "file of paraphrases in METEOR's format")
    tokenize: str = tokenize_option(
        "none, unless there are no spaces between words; others come before normalize", SPREADING
    )

    def __post_init__(self) -> None:
        CountsWords.__post_init__(self)
        parameters_of(self.language, self.task)
        for later in options_of(self):
            if (
                self.version == "2005"
                and later.name in _LATER
                and getattr(self, later.name) != later.default
            ):
                raise UsageError(
                    f"Meteor: {later.name} has no effect with version=2005; leave it out"
                )
        for name, stage in _OF_STAGES.items():
            if getattr(self, name) is not None and stage not in self._stages:
                raise UsageError(
                    f"Meteor: {name} has no effect without the stage {stage}, and the stages "
                    f"are {'+'.join(self._stages)}; leave it out"
                )
        if self.prefixes is not None and not self.normalize:
            raise UsageError("Meteor: prefixes has no effect without normalize; leave it out")
        if "paraphrase" in self._stages and self.paraphrases is None:
            raise UsageError(
                "Meteor: the paraphrase stage needs a file; give it as paraphrases=PATH"
            )

    @property
    def name(self) -> str:
        """METEOR, with the year of the first version."""
        return "METEOR" if self.version == "1.5" else "METEOR 2005"

    @property
    def perfect(self) -> float | None:
        """The score of an output that equals the reference; in 2005 it depends on the length."""
        return 100.0 if self.version == "1.5" else None

    @property
    def width(self) -> int:
        """The number of statistics."""
        return 23 if self.version == "1.5" else 4

    @property
    def citations(self) -> tuple[str, ...]:
        """The work on the first METEOR, and the one on the version that is asked for."""
        later = () if self.version == "2005" else ("denkowski-lavie-2014-meteor",)
        return ("banerjee-lavie-2005-meteor", *later)

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar, and fingerprints of the resources."""
        name = LANGUAGES[self.language].name
        tokens = self.tokenizer_signature
        used = {} if tokens == "none" else {"tok": tokens}
        if self.normalize:
            used["prefixes"] = resources.list_signature("prefixes", name, self.prefixes)
        if "synonym" in self._stages:
            folder = synonyms.find_folder(self.synonyms)
            used["synonyms"] = synonyms.signature(folder, name)
        if "paraphrase" in self._stages and self.paraphrases is not None:
            used["paraphrases"] = resources.fingerprint(self.paraphrases)
        if self.version == "1.5":
            language, path = self._function_language, self.function_words
            words = resources.list_signature("words", language, path)
            used |= {"task": self.task, "align": self.aligner, "function": words}
        return signed(
            references,
            meteor=self.version,
            lang=self.language,
            stages="+".join(self._stages),
            norm=self.normalize,
            case="lc" if self.lowercase or self.normalize else "mixed",
            **used,
        )

    def for_writing(self, writing: Writing) -> Meteor:
        """Return the metric with a tokeniser for references that are written so.

        METEOR's normaliser sets every character of scripts apart that it does not know.
        """
        if self.normalize:
            writing = writing._replace(spaced=True)
        return with_tokenizer(self, writing)

    def prepare(self, test_set: TestSet) -> AlignmentExtractor:
        """Load the resources and number the words of the references."""
        name = LANGUAGES[self.language].name
        synsets = None
        if "synonym" in self._stages:
            synsets = synonyms.synsets_of(synonyms.find_folder(self.synonyms), name)
        lexicon = Lexicon(
            stemmer("porter" if self.version == "2005" else name)
            if "stem" in self._stages
            else None,
            synsets,
            resources.function_words(self._function_language, self.function_words),
        )
        table = self.paraphrases if "paraphrase" in self._stages else None
        tokens = self.tokenizer(test_set)
        return AlignmentExtractor(self._counter, test_set, lexicon, self._spread(tokens), table)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows."""
        if self.version == "2005":
            return scores_of_2005(sums)
        return scores(sums, parameters_of(self.language, self.task))

    def details(self, sums: Rows) -> dict[str, float]:
        """Numbers of matched words and chunks, and lengths in words."""
        words, reference_words = sums[:2]
        if self.version == "2005":
            matched, chunks = sums[2:]
            in_reference = matched
        else:
            chunks, matched, in_reference = sums[20:]
        return {
            "matched_share": 100 * quotient(matched, words),
            "matched_share_of_reference": 100 * quotient(in_reference, reference_words),
            "chunks": count(chunks),
            "hypothesis_length": count(words),
            "reference_length": count(reference_words),
        }

    @property
    def _stages(self) -> tuple[str, ...]:
        return stages_of(self.stages, self.language, self.paraphrases is not None)

    def _spread(self, tokens: Tokenizer) -> Spread:
        spread = self._own_spread()
        tokenized = tokens.spread
        return spread if tokenized is None else lambda texts: spread(_split(tokenized(texts)))

    def _own_spread(self) -> Spread:
        if not self.normalize:
            return lower if self.lowercase else list
        abbreviations = resources.abbreviations(LANGUAGES[self.language].name, self.prefixes)
        return partial(normalise, language=self.language, abbreviations=abbreviations)

    @property
    def _function_language(self) -> str:
        return LANGUAGES["en" if self.compat else self.language].name

    def _counter(self, words: Words, starts: Starts, sets: int) -> AlignmentCounter:
        from weigh._core import Meteor2005Counter, MeteorCounter

        if self.version == "2005":
            return Meteor2005Counter(
                words, starts, sets, "stem" in self._stages, "synonym" in self._stages
            )
        parameters = parameters_of(self.language, self.task)
        return MeteorCounter(
            words,
            starts,
            sets,
            np.array([stage in self._stages for stage in STAGES]),
            np.array(parameters.weights),
            np.array(parameters[:4]),
            self.aligner == "exact",
        )


def _split(texts: Sequence[str]) -> list[str]:
    """Texts with words separated by plain spaces, the only ones METEOR recognises."""
    return [" ".join(text.split()) for text in texts]
