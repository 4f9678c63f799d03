"""The questions that remain for people in n-best lists of tuning, and their cost.

Zaidan & Callison-Burch 2009, §2 to §4: MERT toward BLEU, candidates and their substrings by
iteration, frontier queries, labels and their coverage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.files import write_whole
from weigh.rypt.alignment import always
from weigh.rypt.label_files import as_jsonl
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import COLUMNS
from weigh.rypt.plan import MAX_LENGTH
from weigh.rypt.pools import gather
from weigh.tuning.loop import tune_decoder
from weigh.tuning.plan import TunePlan
from weigh.types import TestSet
from weigh_lab.papers.paper_result import PaperCell, PaperColumn, PaperRow, PaperTable
from weigh_lab.papers.workshop import METRIC, Bitext, Workshop, digest, tokenised_texts
from weigh_lab.translator.decoder import TranslatorDecoder

if TYPE_CHECKING:
    from weigh.rypt.labels import EntryJudgment
    from weigh.rypt.queries import QueriesResult
    from weigh.tuning.search import TuneResult
    from weigh_lab.papers.judges import Judges
    from weigh_lab.papers.workshop import NamedTranslator
    from weigh_lab.rypt.diversity import DiversityResult

_ROUNDS = 4
_CANDIDATES = 50
# Fewer starts than otherwise and no annealing: it is quick, and this is no contest.
SEARCH = TunePlan(iterations=_ROUNDS, size=_CANDIDATES, starts=6, directions=0)
LABELS = ("YES", "NO", "NOT SURE")
_LONGEST = 8  # words of spans in the table of lengths
# §5: frontier nodes of a sentence, and alternative translations of a node.
NODES_PER_SENTENCE, ALTERNATIVES_PER_NODE = "14.4", "3.65"
OTHER_TEXTS = (
    "Published numbers are for German news of 2008 translated by Joshua; ours are for short "
    "sentences of an artificial language, which have fewer constituents."
)


class Sentences(NamedTuple):
    """What is tuned on and asked about: texts as words, and the file of their parses."""

    sources: tuple[str, ...]
    references: tuple[str, ...]
    parses: str
    folder: Path

    @classmethod
    def of(cls, workshop: Workshop, texts: Bitext, parses: Sequence[str]) -> Sentences:
        """Write all of it where it can be read, also by other commands."""
        sources, references = tokenised_texts(texts.source), tokenised_texts(texts.target)
        folder = workshop.folder("zaidan2009", digest(texts, list(parses)))
        for name, lines in (("source", sources), ("reference", references), ("parses", parses)):
            write_whole(folder / name, "".join(f"{line}\n" for line in lines))
        return cls(sources, references, str(folder / "parses"), folder)

    @property
    def test_set(self) -> TestSet:
        """The sentences with their references."""
        return TestSet([self.references], self.sources)


class Answers(NamedTuple):
    """The number of answers with each label, and the shares of labelled nodes.

    The shares are those before percolation and after it, in percent.
    """

    shares: Mapping[str, int]
    before: float
    after: float


class TunedRun(NamedTuple):
    """What came of tuning: the result, and the n-best list of each iteration."""

    result: TuneResult
    lists: tuple[str, ...]


def toward_bleu(workshop: Workshop, trained: NamedTranslator, sentences: Sentences) -> TunedRun:
    """Tune toward BLEU, decoding again and again."""
    plan = replace(SEARCH, seed=workshop.plan.seed)
    folder = sentences.folder / f"bleu-{digest(trained.name, plan.seed)}"
    with workshop.stage("tuning toward BLEU") as progress:
        result = tune_decoder(
            TranslatorDecoder(trained.translator, sentences.sources, plan.size, workshop.threads),
            sentences.test_set,
            METRIC,
            plan,
            start=trained.translator.weights,
            folder=folder,
            threads=workshop.threads,
            progress=progress and (lambda done: progress(done.iteration, plan.iterations)),
        )
    lists = [
        folder / f"iteration{iteration.iteration}" / "nbest" for iteration in result.iterations
    ]
    return TunedRun(result, tuple(map(str, lists)))


def labelled(
    judges: Judges, queries: QueriesResult, sources: Sequence[str]
) -> tuple[EntryJudgment, ...]:
    """The labels of all queries."""
    return tuple(judges.label(query, sources[query.line - 1]) for query in queries.queries)


def label_metric(sentences: Sentences, labels: Iterable[EntryJudgment], name: str) -> Rypt:
    """Return RYPT by some labels, which are written to a file."""
    path = sentences.folder / f"{name}.jsonl"
    write_whole(path, "".join(f"{line}\n" for line in as_jsonl(labels)))
    return Rypt(labels=str(path), parses=sentences.parses)


def coverage(sentences: Sentences, nbest: str, rypt: Rypt) -> tuple[float, float]:
    """Return the shares of nodes of all candidates that are labelled, before percolation and after.

    They are YES or NO; NOT SURE is no label that counts.
    """
    judged = rypt.judged(sentences.test_set)
    totals = np.zeros(len(COLUMNS), dtype=np.int64)
    for number, pool in enumerate(gather(len(sentences.sources), [nbest])):
        segments = [number] * len(pool.texts)
        counts = judged.counts(pool.texts, segments, pool.alignments, always(nbest))
        totals += counts.sum(axis=0)
    of = dict(zip(COLUMNS, totals.tolist(), strict=True))
    nodes = of["yes"] + of["no"] + of["not sure"] + of["unlabelled"]
    return 100 * of["direct"] / nodes, 100 * (of["yes"] + of["no"]) / nodes


def tuning_table(result: TuneResult, of: str = "") -> PaperTable:
    """Return the scores of MERT by iteration."""
    return PaperTable(
        "Section 2",
        f"MERT toward BLEU{of}",
        ("Iteration",),
        (
            PaperColumn("Candidates", 0),
            PaperColumn("New", 0),
            PaperColumn("BLEU decoded"),
            PaperColumn("BLEU tuned"),
        ),
        tuple(
            PaperRow.of(
                (str(iteration.iteration),),
                (iteration.candidates, iteration.new, iteration.score, iteration.tuned_score),
            )
            for iteration in result.iterations
        ),
    )


def diversity_table(result: DiversityResult, of: str = "") -> PaperTable:
    """Numbers of candidates and substrings, and of new ones."""
    return PaperTable(
        "Section 3",
        f"candidates and substrings by iteration{of}",
        ("Iteration",),
        (
            PaperColumn("Candidates", 0),
            PaperColumn("New", 0),
            PaperColumn("Substrings", 0),
            PaperColumn("Known before %", 1),
            PaperColumn("Alternatives of a node"),
        ),
        tuple(
            PaperRow.of(
                (str(iteration.number),),
                (
                    *map(float, (iteration.candidates, iteration.new, iteration.entries)),
                    100 * iteration.reusable,
                    iteration.alternatives,
                ),
            )
            for iteration in result.iterations
        ),
    )


def lengths_table(result: DiversityResult) -> PaperTable:
    """Number of queries by maximum length of spans."""
    published = {MAX_LENGTH: (NODES_PER_SENTENCE, ALTERNATIVES_PER_NODE)}
    return PaperTable(
        "Section 3",
        "maximum length of the spans in questions",
        ("Words",),
        (PaperColumn("Nodes of a sentence"), PaperColumn("Alternatives of a node")),
        tuple(
            PaperRow(
                (str(length.max_length),),
                tuple(
                    PaperCell.beside(ours, printed)
                    for ours, printed in zip(
                        (length.per_sentence, length.per_node),
                        published.get(length.max_length, ("", "")),
                        strict=True,
                    )
                ),
            )
            for length in result.lengths
            if length.max_length <= _LONGEST
        ),
        (
            OTHER_TEXTS,
            f"The paper asks about spans of at most {MAX_LENGTH} words; our alternatives come "
            "from all iterations.",
        ),
    )


def question_tables(
    queries: QueriesResult, answers: Answers | None, of: str = "", *notes: str
) -> Iterable[PaperTable]:
    """Yield tables of the queries, of the answers if there are any, and of the cost."""
    tally, estimate = queries.found, queries.estimate
    parsed = tally.sentences - tally.unparsed
    yield listed_table(
        "Sections 4 and 5",
        f"number of questions{of}",
        (
            ("sentences", parsed, "250"),
            ("frontier nodes", tally.nodes, "3601"),
            ("HITs", estimate.hits, "3873"),
            ("labels", estimate.labels, ""),
        ),
        (),
        decimals=0,
    )
    yield listed_table(
        "Sections 4 and 5",
        f"size of the questions{of}",
        (
            ("nodes of a sentence", tally.nodes / parsed, NODES_PER_SENTENCE),
            ("alternatives of a node", tally.alternatives / tally.nodes, ALTERNATIVES_PER_NODE),
            ("alternatives on a HIT", estimate.queries / estimate.hits, "3.39"),
        ),
        notes,
    )
    if answers is not None:
        labels = sum(answers.shares.values())
        shares = {name: 100 * answers.shares[name] / labels for name in LABELS}
        yield listed_table(
            "Section 5",
            "answers",
            (
                ("YES %", shares["YES"], "35.1"),
                ("NO %", shares["NO"], "60.1"),
                ("NOT SURE %", shares["NOT SURE"], "4.8"),
                ("nodes labelled before percolation %", answers.before, "53.86"),
                ("nodes labelled after percolation %", answers.after, "68.04"),
            ),
            (
                "Simulated judges accept words that match a part of a correct translation, in its "
                "order, ignoring synonyms and articles. One label in ten is wrong, and one in "
                "twenty is NOT SURE.",
                "Coverage is over the nodes of all candidates of the last iteration.",
            ),
        )
    yield listed_table(
        "Section 4",
        f"cost at the paper's rates{of}",
        (
            ("hours of work", estimate.hours, "30.82"),
            ("dollars", estimate.price, "81.44"),
            ("seconds for a label", estimate.seconds, "8.4"),
            ("labels in an hour", 3600 / estimate.seconds, "426"),
            ("cents for a label", 100 * estimate.price_per_label, "0.62"),
            ("labels for a dollar", 1 / estimate.price_per_label, "161.32"),
        ),
        (
            "The rates are the paper's, rounded as printed; only the number of labels is ours. "
            "Nobody was paid.",
        ),
    )


def listed_table(
    label: str,
    title: str,
    rows: Iterable[tuple[str, float, str]],
    notes: tuple[str, ...],
    *,
    decimals: int = 2,
) -> PaperTable:
    """A table of single numbers: name, our value, and the published one as printed."""
    return PaperTable(
        label,
        title,
        ("What",),
        (PaperColumn("Ours", decimals),),
        tuple(
            PaperRow((name,), (PaperCell.beside(float(ours), printed),))
            for name, ours, printed in rows
        ),
        notes,
    )
