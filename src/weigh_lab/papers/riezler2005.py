"""Riezler & Maxwell 2005, run again: a reranker against its baseline, and equal systems."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from weigh.comparing.dataset import Dataset, from_texts
from weigh.errors import InputError, MissingExtraError, UsageError
from weigh.files import write_whole
from weigh.metrics.bleu import Bleu
from weigh.metrics.dependency import Dependency
from weigh.metrics.nist import Nist
from weigh.metrics.registry import decimals_of, key_of
from weigh.read.weights import read_weights, weight_lines
from weigh.result import Extent
from weigh.stats.multiplicity import experimentwise
from weigh.stats.significance import moses_bootstrap_p
from weigh.tuning.gather import read_nbest
from weigh.tuning.model import train_reranker
from weigh.tuning.nbest import NBest
from weigh.tuning.rerank import rerank
from weigh.types import Metric, Outputs, System, TestSet
from weigh.validate.battery import Battery
from weigh.validate.plan import Type1Plan
from weigh.validate.type1 import Type1Result, type1
from weigh.wording import plural, probability
from weigh_lab.papers.paper_result import (
    PaperCell,
    PaperColumn,
    PaperResult,
    PaperRow,
    PaperTable,
)
from weigh_lab.papers.workshop import (
    METRIC,
    Bitext,
    NamedTranslator,
    Workshop,
    digest,
    tokenised_texts,
)
from weigh_lab.translator.corpus import tokenised
from weigh_lab.translator.plan import TranslatorPlan
from weigh_lab.translator.translator import FEATURES, Translation

PAPER = "Riezler & Maxwell 2005"
ALPHA = 0.05
BASELINE, RERANKED, PLAIN = "baseline", "reranked", "plain"
SPACY_MODEL = "en_core_web_sm"
# Table 1 and §3: scores of baseline and reranker, their difference, and p-values by randomization
# and by the bootstrap. BLEU and F are in per cent here, and shares of 1 in the paper.
PRINTED_SCORES = {
    "NIST": ("6.43", "6.58", "0.15", "<.0001", "<.0001"),
    "BLEU": ("30.1", "29.8", "-0.3", ".158", ".1"),
    "dependency F": ("38.5", "38.3", "-0.2", ".424", ""),
}
# Table 2: differences in NIST, and p-values by randomization and by the bootstrap.
PRINTED_EQUAL = {
    "1:2": (".031", ".03", ".014"),
    "1:3": (".032", ".025", ".013"),
    "1:4": (".029", ".05", ".028"),
    "1:5": (".028", ".079", ".039"),
    "1:6": (".036", ".028", ".013"),
}
# §4.4: systems that are compared in pairs; for 15 of them the paper states pairs and error.
_COMPARED = (2, 3, 5, 10, 15)
PRINTED_ERRORS = {15: ("105", ".9954")}
_TESTS = ("randomization", "bootstrap")
_CANDIDATES = 30
_MOST = 1000  # sentences that are reranked, and that are learned from
_ORDERS = (2, 3)  # words of phrases that are features
_FEWEST = 20  # that a reranker can be trained on
_CUTOFF, _FOLDS = 4, 3
_GAMMAS = (8.0, 4.0, 2.0)  # strengths of regularisation, of which cross-validation chooses
_WEAKER = 4.0  # by so much it is weaker where redundant features are to get a weight
_NULLS, _NULL_TRIALS = 500, 199

_OTHERS = (
    "The paper's baseline is another phrase-based system, on other texts, with lists of 1,000 "
    f"candidates; ours have {_CANDIDATES}."
)


def _noise(translation: Translation) -> float:
    value = blake2b(translation.text.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(value, "big") / 2**32


# Features that tell a model next to nothing new, by what a system is called that has them too.
REDUNDANT: Mapping[str, Callable[[Translation], float]] = {
    "characters": lambda translation: len(translation.text) / 10,
    "different words": lambda translation: float(len(set(translation.words))),
    "phrases": lambda translation: float(len(translation.steps)),
    "longest phrase": lambda translation: float(
        max((len(step.words) for step in translation.steps), default=0)
    ),
    "noise": _noise,
}


@dataclass(frozen=True, slots=True)
class RiezlerResult(PaperResult):
    """Riezler & Maxwell 2005, run again."""

    command: ClassVar[str] = "paper riezler2005"


def riezler2005(workshop: Workshop) -> RiezlerResult:
    """Train a reranker on lists of our translator, and test what it chooses, and equal systems."""
    material = workshop.material()
    language, direction = next(iter(material.directions.items()))
    test = direction.test.first(_MOST)
    learned = direction.reserved.first(len(test.source))
    if len(learned.source) < _FEWEST:
        raise UsageError(
            f"only {plural(len(learned.source), 'sentence')} left to train a reranker on, but "
            f"{_FEWEST} are needed; give a smaller --tuning"
        )
    lists = Lists(workshop, workshop.translator(direction), learned, test)
    model = lists.model("", None)
    outputs = {BASELINE: lists.first(), RERANKED: lists.chosen("", model.weights)}
    for name in ("", *REDUNDANT):
        weaker = lists.model(name, model.gamma / _WEAKER)
        outputs[f"+ {name}" if name else PLAIN] = lists.chosen(name, weaker.weights)
    test_set = TestSet([tokenised_texts(test.target)])
    systems = [System(name, Outputs(texts)) for name, texts in outputs.items()]
    metrics, left_out = metrics_for(test_set)
    dataset = from_texts(systems, test_set, metrics, threads=workshop.threads)
    with workshop.stage("testing equal systems") as progress:
        nulls = type1(
            from_texts(systems[:2], test_set, metrics, threads=workshop.threads),
            Type1Plan(
                tests=_TESTS,
                compat=("moses-bs",),
                alphas=(0.1, ALPHA, 0.01),
                nulls=_NULLS,
                trials=_NULL_TRIALS,
                seed=workshop.plan.seed,
            ),
            threads=workshop.threads,
            progress=progress,
        )
    table = first_table(dataset, p_values_of(dataset, [(1, 0)], workshop))
    equal = equal_table(dataset, p_values_of(dataset, equal_pairs(dataset.names), workshop))
    return RiezlerResult(
        PAPER,
        workshop.plan,
        f"{material.name}, {language} into English",
        Extent(len(test_set), 1),
        dataset.signatures,
        (table, equal, null_table(nulls, dataset), error_table()),
        findings=(*_findings(table), _about_features(model)),
        left_out=left_out,
    )


def metrics_for(test_set: TestSet) -> tuple[list[Metric], tuple[str, ...]]:
    """NIST, BLEU and, if texts can be parsed, dependency F; and what is left out."""
    metrics: list[Metric] = [Nist(tokenize="none"), Bleu(tokenize="none")]
    dependency = Dependency(model=SPACY_MODEL)
    try:
        dependency.prepare(TestSet([test_set.references[0][:1]]))
    except MissingExtraError:
        return metrics, (f"dependency F, since spaCy or its model {SPACY_MODEL} is not installed.",)
    except InputError as error:  # a model of another version, or one without a parser
        return metrics, (f"dependency F: {error}.",)
    return [*metrics, dependency], ()


@dataclass(frozen=True, slots=True)
class RerankModel:
    """A reranker: its weights by name, and the strength of its regularisation."""

    gamma: float
    weights: Mapping[str, float]


class Lists:
    """N-best lists that a reranker learns from, and those that it chooses from."""

    def __init__(
        self, workshop: Workshop, trained: NamedTranslator, learned: Bitext, test: Bitext
    ) -> None:
        self._workshop = workshop
        self._references = TestSet([tokenised_texts(learned.target)])
        self._sources = [tokenised(texts.source, TranslatorPlan()) for texts in (learned, test)]
        self._found = [
            workshop.translations(trained, texts.source, nbest=_CANDIDATES)
            for texts in (learned, test)
        ]
        self._name = digest(trained.name, learned, test, workshop.plan.seed, _CANDIDATES)
        self._plain = [self._read(which) for which in (0, 1)]

    def first(self) -> list[str]:
        """Return the baseline: the candidates that the translator likes best."""
        return [candidates[0].text for candidates in self._found[1]]

    def model(self, redundant: str, gamma: float | None) -> RerankModel:
        """Train a reranker, with a redundant feature if that is named, or read it again.

        Its regularisation is that of `gamma`, or found by cross-validation.
        """
        named = redundant.replace(" ", "-") or "plain"
        made_of = digest(self._name, gamma)
        kept = self._workshop.folder("rerankers") / f"{named}-{made_of}"
        if not kept.exists():
            with self._workshop.stage(f"training a reranker ({named})"):
                result = train_reranker(
                    self._list(0, redundant),
                    self._references,
                    METRIC,
                    phrases=_ORDERS,
                    cutoff=_CUTOFF,
                    folds=_FOLDS,
                    gamma=_GAMMAS if gamma is None else (gamma,),
                    seed=self._workshop.plan.seed,
                    threads=self._workshop.threads,
                )
            write_whole(kept, weight_lines([("gamma", result.gamma), *result.weights.items()]))
        weights = dict(read_weights(str(kept)).named or {})
        return RerankModel(weights.pop("gamma"), weights)

    def chosen(self, redundant: str, weights: Mapping[str, float]) -> list[str]:
        """Outputs that a model chooses for the test set."""
        choices = rerank(self._list(1, redundant), model=weights)
        return [choice.text for choice in choices.sentences]

    def _list(self, which: int, redundant: str) -> NBest:
        """An n-best list, optionally with one more feature."""
        plain = self._plain[which]
        if not redundant:
            return plain
        flat = [translation for candidates in self._found[which] for translation in candidates]
        column = np.array([REDUNDANT[redundant](translation) for translation in flat])
        features = np.asfortranarray(np.column_stack([plain.features, column]))
        return replace(plain, names=(*plain.names, "redundant_0"), features=features)

    def _read(self, which: int) -> NBest:
        """Return a list with the features of the decoder and the phrase pairs of derivations.

        Its candidates stand in the order of the translations, since no text is there twice.
        """
        # Another run in the same directory has its own file.
        path = self._workshop.folder("lists") / f"{self._name}-{which}.{os.getpid()}.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for number, candidates in enumerate(self._found[which]):
                words = self._sources[which][number]
                for translation in candidates:
                    features = dict(zip(FEATURES, translation.features, strict=True))
                    features |= phrase_pairs(translation, words)
                    entry = {"id": str(number), "text": translation.text, "features": features}
                    file.write(f"{json.dumps(entry, ensure_ascii=False)}\n")
        try:
            return read_nbest([str(path)])
        finally:
            path.unlink()


def phrase_pairs(translation: Translation, source: Sequence[str]) -> dict[str, float]:
    """Count the phrase pairs of a derivation."""
    counts: dict[str, float] = {}
    for step in translation.steps:
        pair = f"pair_{'_'.join(source[step.start : step.end])}_to_{'_'.join(step.words)}"
        counts[pair] = counts.get(pair, 0.0) + 1.0
    return counts


@dataclass(frozen=True, slots=True)
class Tested:
    """A pair by one metric: the difference of scores, and p-values.

    `one_sided` is that of the bootstrap's better tail, `lost_tail` takes absolute values before
    it centres them.
    """

    difference: float
    randomization: float
    bootstrap: float
    one_sided: float
    lost_tail: float

    @property
    def doubled(self) -> float:
        """Twice the one-sided p-value, as Graham et al. 2014 correct it."""
        return min(1.0, 2 * self.one_sided)

    @property
    def p_values(self) -> tuple[float, ...]:
        """All p-values, in the order of the tables' columns."""
        return (self.randomization, self.bootstrap, self.one_sided, self.doubled, self.lost_tail)


def p_values_of(
    dataset: Dataset, pairs: Sequence[tuple[int, int]], workshop: Workshop
) -> list[list[Tested]]:
    """Return the tests of all pairs, for every metric."""
    battery = Battery(dataset.samples, pairs, workshop.plan.trials, workshop.plan.seed)
    boots = battery.bootstrap_scores(threads=workshop.threads)
    outcomes = battery.run(_TESTS, boots=boots, threads=workshop.threads)
    by_metric = []
    for at, sample in enumerate(dataset.samples):
        scores = sample.scores()
        p = {test: outcomes[test][at].p_values for test in _TESTS}
        by_pair = []
        for number, (a, b) in enumerate(pairs):
            difference = float(scores[a] - scores[b])
            sides = (p["bootstrap"][side][number] for side in ("better", "worse"))
            by_pair.append(
                Tested(
                    difference,
                    float(p["randomization"]["two-sided"][number]),
                    float(p["bootstrap"]["two-sided"][number]),
                    float(min(sides)),
                    float(moses_bootstrap_p(difference, boots[at][a] - boots[at][b])),
                )
            )
        by_metric.append(by_pair)
    return by_metric


_P_COLUMNS = (
    PaperColumn("p, randomization", p_values=True),
    PaperColumn("p, bootstrap", p_values=True),
    PaperColumn("one tail", p_values=True),
    PaperColumn("doubled", p_values=True),
    PaperColumn("|d| centred", p_values=True),
)
_ABOUT_P = (
    "Bootstrap: two-sided, differences shifted to a mean of 0. One tail: the p-value of the "
    "better side alone. Graham et al. (2014, §2) regard the paper's bootstrap as one-tailed "
    "and double its p-values. |d| centred: absolute values are taken first, then centred."
)


def first_table(dataset: Dataset, tested: Sequence[Sequence[Tested]]) -> PaperTable:
    """Return the scores of baseline and reranker, and the p-values of both tests."""
    rows = []
    for sample, [pair] in zip(dataset.samples, tested, strict=True):
        baseline, reranked = sample.scores().tolist()[:2]
        ours = (baseline, reranked, pair.difference, *pair.p_values)
        printed = _padded(PRINTED_SCORES.get(sample.metric.name, ()), len(ours))
        cells = (PaperCell.beside(*pair) for pair in zip(ours, printed, strict=True))
        rows.append(PaperRow((sample.metric.name,), tuple(cells)))
    digits = max(decimals_of(sample.metric) for sample in dataset.samples)
    scored = (PaperColumn(title, digits) for title in (BASELINE, RERANKED, "difference"))
    return PaperTable(
        "Table 1",
        "a reranker with phrase features against the translator's own first choices",
        ("Metric",),
        (*scored, *_P_COLUMNS),
        tuple(rows),
        (_ABOUT_P, f"{_OTHERS} Its BLEU and F are shown in per cent."),
        published=tuple(
            PaperRow.of_paper((metric,), _padded(printed, 3 + len(_P_COLUMNS)))
            for metric, printed in PRINTED_SCORES.items()
            if metric not in {sample.metric.name for sample in dataset.samples}
        ),
    )


def _padded(printed: Sequence[str], size: int) -> tuple[str, ...]:
    return (*printed, *[""] * (size - len(printed)))


def equal_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of each reranker with a redundant feature, and of the one without."""
    plain = names.index(PLAIN)
    return [(at, plain) for at in range(plain + 1, len(names))]


def equal_table(dataset: Dataset, tested: Sequence[Sequence[Tested]]) -> PaperTable:
    """Return the p-values of systems that differ by redundant features alone."""
    digits = max(decimals_of(sample.metric) for sample in dataset.samples)
    rows = [
        PaperRow.of((sample.metric.name, dataset.names[a]), (pair.difference, *pair.p_values))
        for sample, by_pair in zip(dataset.samples, tested, strict=True)
        for (a, _), pair in zip(equal_pairs(dataset.names), by_pair, strict=True)
    ]
    return PaperTable(
        "Table 2",
        "rerankers with a redundant feature against the same one without",
        ("Metric", "Feature"),
        (PaperColumn("difference", digits), *_P_COLUMNS),
        tuple(rows),
        (
            "Every reranker has one more, nearly redundant feature, and its regularisation is "
            f"weaker than in table 1 by a factor of {_WEAKER:g}, so that the feature may get a "
            "weight. If it gets none, outputs are the same and p is 1. Not adjusted for the number "
            "of pairs.",
            "The paper compares its system 1, without redundant features, with five others.",
            _OTHERS,
        ),
        published=tuple(
            PaperRow.of_paper(("NIST", pair), _padded(printed, 1 + len(_P_COLUMNS)))
            for pair, printed in PRINTED_EQUAL.items()
        ),
    )


def null_table(nulls: Type1Result, dataset: Dataset) -> PaperTable:
    """Rejection rates of tests for systems that are equal by construction."""
    kinds = [kind for kind in nulls.plan.kinds if kind[1] in ("two-sided", "doubled", "better")]
    shares = {
        (cell.metric, cell.test, cell.alternative, cell.alpha): cell.share
        for cell in nulls.rejections
    }
    names = {key_of(sample.metric): sample.metric.name for sample in dataset.samples}
    alphas = nulls.plan.alphas
    rows = [
        PaperRow.of((name, test, side), (shares[metric, test, side, alpha] for alpha in alphas))
        for metric, name in names.items()
        for test, side in kinds
    ]
    return PaperTable(
        "Table 2, many times",
        "how often equal systems are found to differ",
        ("Metric", "Test", "Alternative"),
        tuple(PaperColumn(f"α = {probability(alpha, 2)}", 3) for alpha in alphas),
        tuple(rows),
        (
            f"Shares of {plural(nulls.plan.nulls, 'pair')} of systems that are equal by "
            f"construction: the outputs of {BASELINE} and {RERANKED} are swapped at random, "
            f"sentence by sentence; {nulls.plan.trials:,} trials. A sound test rejects α of them. "
            "moses-bs takes absolute values before it centres them.",
        ),
    )


def error_table() -> PaperTable:
    """Return the experiment-wise error of uncorrected tests of all pairs (§4.4)."""
    rows = []
    for systems in _COMPARED:
        pairs = systems * (systems - 1) // 2
        error = experimentwise(ALPHA, pairs)
        printed = PRINTED_ERRORS.get(systems, ("", ""))
        cells = map(PaperCell.beside, (float(pairs), error), printed)
        rows.append(PaperRow((str(systems),), tuple(cells)))
    return PaperTable(
        "§4.4",
        f"experiment-wise error of uncorrected tests at {probability(ALPHA, 2)}",
        ("Systems",),
        (PaperColumn("pairs", 0), PaperColumn("error", 4)),
        tuple(rows),
        (
            "1 − (1 − α)^k for k independent comparisons; those of the same systems are not "
            "independent. weigh compare corrects for it by default.",
        ),
    )


def _about_features(model: RerankModel) -> str:
    used = [name for name, weight in model.weights.items() if weight]
    pairs = sum(name.startswith("pair_") for name in used)
    return (
        f"The reranker uses {plural(len(used), 'feature')}, {pairs:,} of them phrase pairs of "
        "derivations."
    )


def _findings(table: PaperTable) -> list[str]:
    sentences = []
    for row in table.rows:
        difference, p = row.cells[2].ours or 0.0, row.cells[3].ours or 0.0
        way = "better" if difference > 0 else "worse"
        claim = f"the reranker is {way}" if p <= ALPHA else "no evidence of a difference"
        sentences.append(
            f"{row.about[0]}: {claim} ({difference:+.2f}, p = {probability(p)} by randomization, "
            f"{probability(row.cells[4].ours)} by the bootstrap)."
        )
    return sentences
