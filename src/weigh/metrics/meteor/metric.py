"""METEOR (Banerjee & Lavie 2005), as METEOR 1.5 (Denkowski & Lavie 2014) computes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import UsageError
from weigh.metrics.counted import signed
from weigh.metrics.meteor import function_words, synonyms
from weigh.metrics.meteor.extractor import AlignmentExtractor
from weigh.metrics.meteor.lexicon import Lexicon
from weigh.metrics.meteor.parameters import LANGUAGES, STAGES, TASKS, parameters_of, stages_of
from weigh.metrics.meteor.stemming import stemmer
from weigh.metrics.options import check_choices, option
from weigh.tokenize.lower import lower

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh._core import AlignmentCounter
    from weigh.types import Rows, Scores, TestSet


@dataclass(frozen=True, slots=True)
class Meteor:
    """F score of aligned words, stems, synonyms and paraphrases, with a penalty for fragments.

    >>> from weigh import Meteor, Outputs, TestSet
    >>> meteor = Meteor(stages="exact")
    >>> rows = meteor.prepare(TestSet([["the cat sat still"]])).rows(Outputs(["still the cat"]))
    >>> rows[0, :8].tolist()  # words, of them function words, matched content, matched function
    [3, 4, 1, 1, 2, 2, 1, 1]
    >>> rows[0, 20:].tolist()  # chunks, matched words of either side
    [2, 3, 3]
    """

    name: ClassVar[str] = "METEOR"
    higher_is_better: ClassVar[bool] = True
    mean_of_segments: ClassVar[bool] = False

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
    synonyms: str | None = option(None, "folder of WordNet 3.0 or of METEOR's synsets")
    paraphrases: str | None = option(None, "file of paraphrases in METEOR's format")

    def __post_init__(self) -> None:
        check_choices(self)
        parameters_of(self.language, self.task)
        if "paraphrase" in self._stages and self.paraphrases is None:
            raise UsageError(
                "Meteor: the paraphrase stage needs a file; give it as paraphrases=PATH"
            )

    @property
    def perfect(self) -> float | None:
        """The score of an output that equals the reference."""
        return 100.0

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar, and fingerprints of the resources."""
        name = LANGUAGES[self.language].name
        resources = {}
        if "synonym" in self._stages:
            folder = synonyms.find_folder(self.synonyms)
            resources["synonyms"] = synonyms.signature(folder, name)
        return signed(
            references,
            meteor="1.5",
            lang=self.language,
            task=self.task,
            stages="+".join(self._stages),
            norm=self.normalize,
            case="lc" if self.lowercase or self.normalize else "mixed",
            align=self.aligner,
            function=function_words.signature(self._function_language, self.function_words),
            **resources,
        )

    def prepare(self, test_set: TestSet) -> AlignmentExtractor:
        """Load the resources and number the words of the references."""
        name = LANGUAGES[self.language].name
        synsets = None
        if "synonym" in self._stages:
            synsets = synonyms.synsets_of(synonyms.find_folder(self.synonyms), name)
        lexicon = Lexicon(
            stemmer(name) if "stem" in self._stages else None,
            synsets,
            function_words.function_words(self._function_language, self.function_words),
        )
        return AlignmentExtractor(self._counter, test_set, lexicon, lower if self.lowercase else list)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows (Denkowski & Lavie 2014, section 2.2)."""
        sums = np.asarray(sums, dtype=np.float64)
        alpha, beta, gamma, delta, weights = parameters_of(self.language, self.task)
        by_stage = sums[..., 4:20].reshape(*sums.shape[:-1], 4, 4)
        content, function = by_stage[..., :2], by_stage[..., 2:]
        matched = np.einsum(
            "...sw,s->...w", delta * content + (1 - delta) * function, np.array(weights)
        )
        lengths = delta * (sums[..., 0:2] - sums[..., 2:4]) + (1 - delta) * sums[..., 2:4]
        some = (matched > 0).all(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = np.moveaxis(matched / lengths, -1, 0)
            f = 1 / ((1 - alpha) / precision + alpha / recall)
            fragmentation = sums[..., 20] / ((sums[..., 21] + sums[..., 22]) / 2)
            scores = 100.0 * f * (1 - gamma * fragmentation**beta)
        return np.asarray(np.where(some, scores, 0.0))

    def segment_scores(self, rows: Rows) -> Scores:
        """Score every row for itself."""
        return self.score(rows)

    @property
    def _stages(self) -> tuple[str, ...]:
        return stages_of(self.stages, self.language, self.paraphrases is not None)

    @property
    def _function_language(self) -> str:
        return LANGUAGES["en" if self.compat else self.language].name

    def _counter(
        self, words: NDArray[np.int32], starts: NDArray[np.int64], sets: int
    ) -> AlignmentCounter:
        from weigh._core import AlignmentCounter

        parameters = parameters_of(self.language, self.task)
        return AlignmentCounter(
            words,
            starts,
            sets,
            np.array([stage in self._stages for stage in STAGES]),
            np.array(parameters.weights),
            np.array(parameters[:4]),
            self.aligner == "exact",
        )
