"""MERT toward RYPT with judges in the loop, and what its weights do on other sentences.

What Zaidan & Callison-Burch 2009 propose as further work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import plural
from weigh.rypt.queries import find_queries
from weigh.stats.ranking import sign_test
from weigh.tuning.search import tune
from weigh.types import TestSet
from weigh.wording import fixed, probability
from weigh_lab.papers.candidates import SEARCH, Sentences, label_metric, labelled
from weigh_lab.papers.judges import Judges, Meanings
from weigh_lab.papers.paper_result import PaperColumn, PaperRow, PaperTable
from weigh_lab.papers.workshop import METRIC, Bitext, Workshop, digest, tokenised_texts
from weigh_lab.translator.decoder import TranslatorDecoder

if TYPE_CHECKING:
    from weigh.rypt.labels import EntryJudgment
    from weigh_lab.papers.workshop import NamedTranslator

_SAME = 1e-9


class HumanLoop(NamedTuple):
    """Weights tuned toward RYPT with judges in the loop, and what they were asked."""

    weights: Mapping[str, float]
    table: PaperTable
    asked: tuple[int, ...]


def toward_rypt(
    workshop: Workshop, trained: NamedTranslator, sentences: Sentences, judges: Judges
) -> HumanLoop:
    """Tune toward RYPT: decode, ask for the labels that are missing, search, decode again.

    What the paper proposes: a label that is known is not asked for again, whichever iteration
    brought it.
    """
    plan = replace(SEARCH, seed=workshop.plan.seed)
    folder = ("zaidan2009", sentences.folder.name, f"rypt-{digest(trained.name)}")
    decoder = TranslatorDecoder(trained.translator, sentences.sources, plan.size, workshop.threads)
    weights: Mapping[str, float] = trained.translator.weights
    lists: list[str] = []
    labels: list[EntryJudgment] = []
    rows, new = [], []
    with workshop.stage("tuning toward RYPT") as progress:
        for number in range(1, plan.iterations + 1):
            part = workshop.folder(*folder, f"iteration{number}")
            path = part / "nbest"
            decoder.decode(weights, part, path)
            lists.append(str(path))
            labels_so_far = (
                label_metric(sentences, labels, "rypt-labels").labels if labels else None
            )
            queries = find_queries(
                sentences.sources, sentences.parses, nbest=lists, labels=labels_so_far
            )
            added = labelled(judges, queries, sentences.sources)
            labels += added
            new.append(len(added))
            rypt = label_metric(sentences, labels, "rypt-labels")
            result = tune(
                lists,
                sentences.test_set,
                rypt,
                plan,
                start=weights,
                threads=workshop.threads,
            )
            numbers = (queries.found.alternatives, len(added), result.start_score, result.score)
            rows.append(PaperRow.of((str(number),), map(float, numbers)))
            weights = result.weights
            if progress is not None:
                progress(number, plan.iterations)
            if result.score <= result.start_score + _SAME:
                break
    table = PaperTable(
        "Further work",
        "MERT toward RYPT with judges in the loop",
        ("Iteration",),
        (
            PaperColumn("Substrings", 0),
            PaperColumn("Labels asked", 0),
            PaperColumn("RYPT before"),
            PaperColumn("RYPT tuned"),
        ),
        tuple(rows),
        (
            "The paper proposes this loop, but runs MERT toward BLEU. Here judges are "
            "simulated. Substrings come from all lists so far; each label is requested once.",
        ),
    )
    return HumanLoop(weights, table, tuple(new))


class HeldOutComparison(NamedTuple):
    """Weights compared on sentences that none was tuned on: as a table, and in words."""

    table: PaperTable
    finding: str


def compare_weights(
    workshop: Workshop,
    trained: NamedTranslator,
    texts: Bitext,
    meanings: Meanings,
    weights: Mapping[str, Mapping[str, float]],
) -> HeldOutComparison:
    """Compare weights by BLEU and by what is truly right in the translations of other texts."""
    from weigh.comparing.score import score
    from weigh.types import Outputs, System

    references = tokenised_texts(texts.target)
    words = sum(map(meanings.words, range(len(references))))
    rows, wrong = [], {}
    for name, point in weights.items():
        outputs = workshop.best_texts(trained, texts.source, point)
        bleu = score([System(name, Outputs(outputs))], TestSet([references]), METRIC).scores[0]
        qualities = [meanings.quality(at, text) for at, text in enumerate(outputs)]
        wrong[name] = [meanings.wrong_words(at, text) for at, text in enumerate(outputs)]
        missing = sum(meanings.wrong_in_any_order(at, text) for at, text in enumerate(outputs))
        shares = (float(np.mean(qualities)), 100 * (1 - missing / words))
        rows.append(PaperRow.of((name,), (bleu.score, *shares)))
    *_, first, second = wrong
    differences = np.array(wrong[first]) - np.array(wrong[second])
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    p_value = sign_test(better, worse)
    table = PaperTable(
        "Further work",
        "tuned weights on other sentences",
        ("Weights",),
        (
            PaperColumn("BLEU"),
            PaperColumn("Correct %"),
            PaperColumn("in any order %"),
        ),
        tuple(rows),
        (
            "Correct: 100 minus the percentage of wrong words; synonyms and other correct word "
            f"orders count as correct. {second} has fewer wrong words than {first} in "
            f"{plural(better, 'sentence')} and more in {worse:,} (sign test, p = "
            f"{probability(p_value)}).",
        ),
    )
    by = [row.cells[1].ours or 0.0 for row in rows[-2:]]
    how = (
        f"{'more' if better > worse else 'less'} than"
        if p_value <= 0.05
        else "with no evidence of a difference from"
    )
    return HeldOutComparison(
        table,
        f"On sentences that it was not tuned on, {second} gets {fixed(by[1], 1)}% right, {how} "
        f"{first} ({fixed(by[0], 1)}%; p = {probability(p_value)}).",
    )
