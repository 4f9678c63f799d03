"""Zaidan & Callison-Burch 2009, run again: what RYPT asks of people, costs and chooses.

Judges are simulated, on texts of a made-up language: their truth is known, that of others is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.errors import plural
from weigh.metrics.registry import parse_metric
from weigh.papers.judges import Judges, Meanings
from weigh.papers.paper_result import (
    PaperCell,
    PaperColumn,
    PaperCurve,
    PaperFigure,
    PaperPoint,
    PaperResult,
    PaperRow,
    PaperTable,
)
from weigh.papers.workshop import METRIC, Bitext, Direction, Workshop, digest, generated, spoken
from weigh.read.trees import Node
from weigh.result import Extent
from weigh.rypt.alignment import always, gather
from weigh.rypt.diversity import measure_diversity
from weigh.rypt.label_files import as_jsonl
from weigh.rypt.metric import Rypt
from weigh.rypt.percolation import COLUMNS
from weigh.rypt.plan import PAPER, PRICE_PER_LABEL, SECONDS_PER_LABEL
from weigh.rypt.queries import find_queries
from weigh.rypt.tree import Tree, frontier, read_trees
from weigh.stats.ranking import sign_test
from weigh.tuning.loop import ModelDecoder, tune_decoder, write_whole
from weigh.tuning.plan import TunePlan
from weigh.tuning.search import tune
from weigh.types import TestSet
from weigh.validate.plan import PreferencePlan
from weigh.validate.preference import OTHER, blind_pairs, preference
from weigh.wording import fixed, probability

if TYPE_CHECKING:
    from weigh.papers.workshop import Trained
    from weigh.rypt.diversity import DiversityResult
    from weigh.rypt.labels import EntryJudgment
    from weigh.rypt.queries import QueriesResult
    from weigh.tuning.search import TuneResult
    from weigh.validate.preference import Votes

TITLE = "Zaidan & Callison-Burch 2009"
_LANGUAGE = "verb-last"
_ROUNDS = 4
_CANDIDATES = 50
# Fewer starts than otherwise and no annealing: it is quick, and this is no contest.
_SEARCH = TunePlan(iterations=_ROUNDS, size=_CANDIDATES, starts=6, directions=0)
_HELD_OUT = 500  # sentences on which tuned weights are compared
_PUBLISHED_VOTES = (346, 270, 134)
_PUBLISHED_SENTENCES = (120, 88, 42)
_LABELS = ("YES", "NO", "NOT SURE")
_SAME = 1e-9
_LONGEST = 8  # words of spans in the table of lengths


@dataclass(frozen=True, slots=True)
class ZaidanResult(PaperResult):
    """Zaidan & Callison-Burch 2009, run again."""

    command: ClassVar[str] = "paper zaidan2009"


class Sentences(NamedTuple):
    """What is tuned on and asked about: texts as words, and the file of their parses."""

    sources: tuple[str, ...]
    references: tuple[str, ...]
    parses: str
    folder: Path

    @classmethod
    def of(cls, workshop: Workshop, texts: Bitext, parses: Sequence[str]) -> Sentences:
        """Write all of it where it can be read, also by other commands."""
        sources, references = spoken(texts.source), spoken(texts.target)
        folder = workshop.folder("zaidan2009", digest(texts, list(parses)))
        for name, lines in (("source", sources), ("reference", references), ("parses", parses)):
            write_whole(folder / name, "".join(f"{line}\n" for line in lines))
        return cls(sources, references, str(folder / "parses"), folder)

    @property
    def test_set(self) -> TestSet:
        """The sentences with their references."""
        return TestSet([self.references], self.sources)


class Answers(NamedTuple):
    """How often each label was given, and the shares of nodes that have one.

    The shares are those before percolation and after it, in percent.
    """

    shares: Mapping[str, int]
    before: float
    after: float


class Tuned(NamedTuple):
    """What came of tuning: the result, and the n-best list of each iteration."""

    result: TuneResult
    lists: tuple[str, ...]


def zaidan2009(workshop: Workshop) -> ZaidanResult:
    """Run it again: on a made-up language, and on public data what needs no judges."""
    plan = workshop.plan
    direction, parses, meanings = made_up(workshop)
    trained = workshop.translator(direction, tuned=False)
    sentences = Sentences.of(workshop, direction.tuning, parses)
    judges = Judges(meanings, plan.seed)
    bleu = toward_bleu(workshop, trained, sentences)
    diversity = measure_diversity(sentences.sources, sentences.parses, bleu.lists)
    asked = find_queries(sentences.sources, sentences.parses, nbest=bleu.lists[-1:])
    labels = labelled(judges, asked, sentences)
    rypt = label_metric(sentences, labels, "labels")
    before, after = coverage(sentences, bleu.lists[-1], rypt)
    choice = chosen(judges, sentences, bleu.lists[-1], rypt, plan.seed)
    loop = toward_rypt(workshop, trained, sentences, judges)
    held_out = compared(
        workshop,
        trained,
        direction.test,
        {
            "before tuning": trained.translator.weights,
            "MERT toward BLEU": bleu.result.weights,
            "MERT toward RYPT": loop.weights,
        },
    )
    real: tuple[PaperTable, ...] = ()
    if workshop.data is not None:
        real = (*captions(workshop), *pilot(workshop.data))
    shares = Counter(judgment.label.value for judgment in labels)
    return ZaidanResult(
        TITLE,
        plan,
        f"generated texts ({_LANGUAGE})" + (", multi30k and the authors' pilot data" * bool(real)),
        Extent(len(sentences.sources), 1),
        {
            "bleu": parse_metric(METRIC).signature(1),
            "rypt": replace(rypt, labels="simulated", parses="generated").signature(0),
        },
        (
            _tuning_table(bleu.result),
            _diversity_table(diversity),
            _lengths_table(diversity),
            *_question_tables(asked, Answers(shares, before, after), "", _OTHER_TEXTS),
            *_preference_tables(choice, len(sentences.sources)),
            loop.table,
            held_out.table,
            *real,
        ),
        figures=(_reuse_figure(diversity, loop),),
        findings=(_finding(choice.votes), held_out.finding),
        left_out=_left_out(workshop.data, bool(real)),
    )


def made_up(workshop: Workshop) -> tuple[Direction, list[str], Meanings]:
    """Return texts of a made-up language, parses of those that are tuned on, and their meanings."""
    from weigh.translator.aligner import align_words
    from weigh.translator.corpus import parallel
    from weigh.translator.generated import generated_parses, generated_synonyms
    from weigh.translator.plan import TranslatorPlan

    plan = workshop.plan
    whole = generated(_LANGUAGE, plan=replace(plan, training=None))[_LANGUAGE]
    direction = Direction(
        _LANGUAGE,
        whole.training.first(plan.training),
        whole.tuning.first(plan.tuning),
        whole.test.first(min(plan.test or _HELD_OUT, _HELD_OUT)),
    )
    size = len(direction.tuning.source)
    # What the reference has for a span is told by links, as in the paper; theirs need much text.
    corpus = parallel(
        [*direction.tuning.source, *whole.training.source],
        [*direction.tuning.target, *whole.training.target],
        TranslatorPlan(),
    )
    rows = align_words(corpus, TranslatorPlan(), threads=workshop.threads)
    links = [
        list(zip(row[::2], row[1::2], strict=True))
        for row in (
            rows.values[rows.offsets[at] : rows.offsets[at + 1]].tolist() for at in range(size)
        )
    ]
    references = spoken(direction.tuning.target)
    meanings = Meanings(generated_synonyms(), references, links)
    return direction, generated_parses(_LANGUAGE, size, 2), meanings


def toward_bleu(workshop: Workshop, trained: Trained, sentences: Sentences) -> Tuned:
    """Tune toward BLEU, decoding again and again."""
    plan = replace(_SEARCH, seed=workshop.plan.seed)
    folder = sentences.folder / f"bleu-{digest(trained.name, plan.seed)}"
    with workshop.stage("tuning toward BLEU") as progress:
        result = tune_decoder(
            ModelDecoder(trained.translator, sentences.sources, plan.size, workshop.threads),
            sentences.test_set,
            METRIC,
            plan,
            start=trained.translator.weights,
            folder=folder,
            threads=workshop.threads,
            progress=progress and (lambda done: progress(done.iteration, plan.iterations)),
        )
    lists = [folder / f"iteration{each.iteration}" / "nbest" for each in result.iterations]
    return Tuned(result, tuple(map(str, lists)))


def labelled(
    judges: Judges, asked: QueriesResult, sentences: Sentences
) -> tuple[EntryJudgment, ...]:
    """Return the labels of all that is asked."""
    return tuple(judges.label(query, sentences.sources[query.line - 1]) for query in asked.queries)


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


class Chosen(NamedTuple):
    """What judges say of pairs of what RYPT and BLEU choose.

    `right` are the numbers of pairs in which RYPT's and BLEU's choice has fewer wrong words,
    `ties` those of sentences in which each has several favourites.
    """

    votes: Votes
    right: tuple[int, int]
    ties: tuple[int, ...]


def chosen(judges: Judges, sentences: Sentences, nbest: str, rypt: Rypt, seed: int) -> Chosen:
    """Let three judges compare what RYPT and BLEU like best, where they differ."""
    plan = PreferencePlan(seed=seed)
    pairs = blind_pairs([nbest], sentences.test_set, [rypt, parse_metric(METRIC)], plan)
    choices = []
    right: Counter[str] = Counter()
    for pair, question in zip(pairs.key.pairs, pairs.questions, strict=True):
        sentence = int(pair.segment)
        for judge in range(1, plan.judges + 1):
            choices.append(judges.prefer(f"judge {judge}", sentence, question))
        left, other = (
            judges.meanings.wrong_words(sentence, text) for text in (question.left, question.right)
        )
        if left != other:
            right[pair.left if left < other else OTHER[pair.left]] += 1
    votes = preference([pairs.key], choices).preferences[0]
    return Chosen(votes, (right["a"], right["b"]), tuple(pairs.key.broken_ties.values()))


class HumanLoop(NamedTuple):
    """Weights tuned toward RYPT with judges in the loop, and what they were asked."""

    weights: Mapping[str, float]
    table: PaperTable
    asked: tuple[int, ...]


def toward_rypt(
    workshop: Workshop, trained: Trained, sentences: Sentences, judges: Judges
) -> HumanLoop:
    """Tune toward RYPT: decode, ask for the labels that are missing, search, decode again.

    What the paper proposes: a label that is known is not asked for again, whichever iteration
    brought it.
    """
    plan = replace(_SEARCH, seed=workshop.plan.seed)
    folder = workshop.folder("zaidan2009", sentences.folder.name, f"rypt-{digest(trained.name)}")
    weights: Mapping[str, float] = trained.translator.weights
    lists: list[str] = []
    labels: list[EntryJudgment] = []
    rows, new = [], []
    with workshop.stage("tuning toward RYPT") as progress:
        for number in range(1, _ROUNDS + 1):
            part = workshop.folder(*folder.relative_to(workshop.out).parts, f"iteration{number}")
            decoder = ModelDecoder(
                trained.translator, sentences.sources, _CANDIDATES, workshop.threads
            )
            path = part / "nbest"
            decoder.decode(weights, part, path)
            lists.append(str(path))
            known = label_metric(sentences, labels, "rypt-labels").labels if labels else None
            asked = find_queries(sentences.sources, sentences.parses, nbest=lists, labels=known)
            added = labelled(judges, asked, sentences)
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
            cells = (asked.found.alternatives, len(added), result.start_score, result.score)
            rows.append(PaperRow((str(number),), tuple(PaperCell(float(value)) for value in cells)))
            weights = result.weights
            if progress is not None:
                progress(number, _ROUNDS)
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
            "The paper proposes this and runs MERT toward BLEU; here judges are simulated, so that "
            "it can be run. Substrings are those of all lists so far; a label is asked for once.",
        ),
    )
    return HumanLoop(weights, table, tuple(new))


class HeldOutComparison(NamedTuple):
    """Weights compared on sentences that none was tuned on: as a table, and in words."""

    table: PaperTable
    finding: str


def compared(
    workshop: Workshop, trained: Trained, texts: Bitext, weights: Mapping[str, Mapping[str, float]]
) -> HeldOutComparison:
    """Compare weights by BLEU and by what is truly right in the translations of other texts."""
    from weigh.comparing.score import score
    from weigh.translator.generated import generated_synonyms
    from weigh.types import Outputs, System

    references = spoken(texts.target)
    meanings = Meanings(generated_synonyms(), references, [()] * len(references))
    rows, wrong = [], {}
    for name, point in weights.items():
        found = workshop.translations(trained, texts.source, weights=point)
        outputs = [each[0].text for each in found]
        bleu = score([System(name, Outputs(outputs))], TestSet([references]), METRIC).scores[0]
        qualities = [meanings.quality(at, text) for at, text in enumerate(outputs)]
        wrong[name] = [meanings.wrong_words(at, text) for at, text in enumerate(outputs)]
        missing = sum(meanings.wrong_in_any_order(at, text) for at, text in enumerate(outputs))
        words = sum(len(meanings.folded(reference)) for reference in references)
        cells = (bleu.score, float(np.mean(qualities)), 100 * (1 - missing / words))
        rows.append(PaperRow((name,), tuple(map(PaperCell, cells))))
    *_, one, other = wrong
    differences = np.array(wrong[one]) - np.array(wrong[other])
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    p_value = sign_test(better, worse)
    table = PaperTable(
        "Further work",
        "tuned weights on other sentences",
        ("Weights",),
        (
            PaperColumn("BLEU"),
            PaperColumn("Truly right %"),
            PaperColumn("in any order %"),
        ),
        tuple(rows),
        (
            "Truly right: 100 less the share of words that are wrong, where a synonym is not. "
            f"{other} has fewer wrong words than {one} in {plural(better, 'sentence')} and more in "
            f"{worse:,} (sign test, p = {probability(p_value)}).",
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
        f"On sentences that it was not tuned on, {other} gets {fixed(by[1], 1)}% right, {how} "
        f"{one} ({fixed(by[0], 1)}%; p = {probability(p_value)}).",
    )


def captions(workshop: Workshop) -> Iterable[PaperTable]:
    """Yield what can be said of real translations without judges: German captions of multi30k."""
    direction = workshop.material().directions["de"]
    trained = workshop.translator(direction, tuned=False)
    sources = spoken(direction.tuning.source)
    sentences = Sentences.of(workshop, direction.tuning, [halved(text) for text in sources])
    bleu = toward_bleu(workshop, trained, sentences)
    of = ", German captions"
    yield _tuning_table(bleu.result, of)
    yield _diversity_table(measure_diversity(sentences.sources, sentences.parses, bleu.lists), of)
    asked = find_queries(sentences.sources, sentences.parses, nbest=bleu.lists[-1:])
    yield from _question_tables(
        asked,
        None,
        of,
        "Captions have no parses: halves of the sentence, halves of these and so on stand for "
        "constituents, so that nodes are of three or four words.",
    )


def halved(text: str) -> str:
    """Return a parse of a text into halves, halves of halves and so on, in brackets.

    >>> halved("a b c")
    '(sentence (word a) (X (word b) (word c)))'
    """
    words = text.split(" ")
    waiting, nodes = [(0, len(words))], []
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = (start + end) // 2
            halves = [(start, middle), (middle, end)]
            nodes += [Node("X", *half) for half in halves if half[1] - half[0] > 1]
            waiting += halves
    return Tree.of(words, nodes).brackets()


def pilot(data: Path) -> Iterable[PaperTable]:
    """Yield what the authors' pilot data give, as far as they are there."""
    folder = data / "rypt"
    files = {
        name: folder / file
        for name, file in (
            ("sources", "newstest2008.de.tok.lc.gz"),
            ("parses", "newstest2008.de.tok.parsed.gz"),
            ("trees", "nbest.out.ZMERT.it6.rand10sen.trees.gz"),
            ("links", "out_SrcCand.align.rand10sen.gz"),
            ("answers", "rypt.amt.results.head.csv"),
        )
    }
    if not all(path.exists() for path in files.values()):
        return
    from weigh.read.text import read_texts
    from weigh.rypt.alignment import align_outputs, phrase_line
    from weigh.rypt.collection import read_judgments

    sources = read_texts(str(files["sources"]))
    trees = [tree for tree in read_trees(str(files["parses"]), sources).trees if tree is not None]
    nodes = sum(len(frontier(tree)) for tree in trees)
    found = find_queries(sources, str(files["parses"]), nbest=[str(files["trees"])]).found
    theirs = read_texts(str(files["links"]))[::2]
    ours = [
        phrase_line(each.candidate.derivation.phrases)
        for each in align_outputs(str(files["trees"]), sources)
    ]
    same = sum(mine == line for mine, line in zip(ours, theirs, strict=True))
    labels = Counter(
        judgment.label.value
        for judgment in read_judgments(str(files["answers"]), sources).batch.judgments
    )
    yield _listed(
        "Pilot",
        "the authors' own data (newstest2008, German), counts",
        (
            ("sentences with a parse", len(trees), None),
            ("candidates of 10 sentences", found.candidates, None),
            ("candidates whose phrase links are the authors'", same, float(len(theirs))),
            *((f"real labels: {name}", labels[name], None) for name in _LABELS),
        ),
        (
            "Parses, and derivations with word links of 10 sentences, are the authors'; labels are "
            "those on ten rows of results, too few to say anything of their shares.",
        ),
        decimals=0,
    )
    yield _listed(
        "Pilot",
        "the authors' own data, sizes",
        (
            ("frontier nodes of a sentence", nodes / len(trees), 14.4),
            ("alternatives of a node", found.alternatives / found.nodes, 3.65),
        ),
        (
            "Published are the 250 sentences that were labelled; ours are all that have a parse, "
            "and for alternatives the 10 sentences of iteration 6.",
        ),
    )


_UNKNOWN = "What was published of this is not known for certain here, so that it is not shown."
_OTHER_TEXTS = (
    "Published numbers are of German news of 2008 translated by Joshua, ours of short sentences of "
    "a made-up language: with less to say there are fewer constituents."
)


def _tuning_table(result: TuneResult, of: str = "") -> PaperTable:
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
            PaperRow(
                (str(each.iteration),),
                tuple(map(PaperCell, (each.candidates, each.new, each.score, each.tuned_score))),
            )
            for each in result.iterations
        ),
    )


def _diversity_table(result: DiversityResult, of: str = "") -> PaperTable:
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
            PaperRow(
                (str(each.number),),
                tuple(
                    map(
                        PaperCell,
                        (
                            float(each.candidates),
                            float(each.new),
                            float(each.entries),
                            100 * each.reusable,
                            each.alternatives,
                        ),
                    )
                ),
            )
            for each in result.iterations
        ),
        (_UNKNOWN,),
    )


def _lengths_table(result: DiversityResult) -> PaperTable:
    published = {result.max_length: (14.4, 3.65)}
    return PaperTable(
        "Section 3",
        "longest span that is asked about",
        ("Words",),
        (PaperColumn("Nodes of a sentence"), PaperColumn("Alternatives of a node")),
        tuple(
            PaperRow(
                (str(each.max_length),),
                tuple(
                    PaperCell(ours, theirs)
                    for ours, theirs in zip(
                        (each.per_sentence, each.per_node),
                        published.get(each.max_length, (None, None)),
                        strict=True,
                    )
                ),
            )
            for each in result.lengths
            if each.max_length <= _LONGEST
        ),
        (
            _OTHER_TEXTS,
            f"The paper asks about spans of at most {result.max_length} words; here alternatives "
            "are those of all iterations.",
        ),
    )


def _question_tables(
    asked: QueriesResult, answers: Answers | None, of: str = "", *notes: str
) -> Iterable[PaperTable]:
    """Yield how much is asked, what was answered where there are answers, and what it costs."""
    found, estimate = asked.found, asked.estimate
    parsed = found.sentences - found.unparsed
    yield _listed(
        "Section 4",
        f"how much is asked{of}",
        (
            ("sentences", parsed, 250.0),
            ("frontier nodes", found.nodes, 3601.0),
            ("HITs", estimate.hits, 3873.0),
            ("labels", estimate.labels, None),
        ),
        (),
        decimals=0,
    )
    yield _listed(
        "Section 4",
        f"what is asked{of}",
        (
            ("nodes of a sentence", found.nodes / parsed, 14.4),
            ("alternatives of a node", found.alternatives / found.nodes, 3.65),
            ("alternatives on a HIT", estimate.queries / estimate.hits, 3.39),
        ),
        notes,
    )
    if answers is not None:
        labels, rest = sum(answers.shares.values()), 100 * (1 - PAPER.yes - PAPER.no)
        shares = {name: 100 * answers.shares[name] / labels for name in _LABELS}
        yield _listed(
            "Section 4",
            "what is answered",
            (
                ("YES %", shares["YES"], 100 * PAPER.yes),
                ("NO %", shares["NO"], 100 * PAPER.no),
                ("NOT SURE %", shares["NOT SURE"], rest),
                ("nodes labelled before percolation %", answers.before, None),
                ("nodes labelled after percolation %", answers.after, 68.04),
            ),
            (
                "Simulated judges call words acceptable that are those of the reference's part, "
                "in its order, but for synonyms and articles; one label in ten is wrong and one in "
                "twenty NOT SURE.",
                "Coverage is that of the nodes of all candidates of the last iteration; published "
                "is only what it is after percolation.",
            ),
        )
    yield _listed(
        "Section 4",
        f"what it costs at the paper's rates{of}",
        (
            ("hours of work", estimate.hours, None),
            ("dollars", estimate.price, 81.44),
            ("seconds for a label", estimate.seconds, SECONDS_PER_LABEL),
            ("labels in an hour", 3600 / estimate.seconds, 426.0),
            ("cents for a label", 100 * estimate.price_per_label, 100 * PRICE_PER_LABEL),
            ("labels for a dollar", 1 / estimate.price_per_label, 161.32),
        ),
        (
            "Nobody was paid: the rates are the paper's, rounded as printed, so that only the "
            "number of labels is ours.",
        ),
    )


def _listed(
    label: str,
    title: str,
    rows: Iterable[tuple[str, float, float | None]],
    notes: tuple[str, ...],
    *,
    decimals: int = 2,
) -> PaperTable:
    """Return a table of single numbers: what each is, ours, and the published one."""
    return PaperTable(
        label,
        title,
        ("What",),
        (PaperColumn("Ours", decimals),),
        tuple(PaperRow((name,), (PaperCell(float(ours), theirs),)) for name, ours, theirs in rows),
        notes,
    )


def _preference_tables(choice: Chosen, size: int) -> Iterable[PaperTable]:
    votes = choice.votes
    judgments = (votes.judgments_a, votes.judgments_b, votes.judgments_neither)
    sides = ("RYPT's choice", "BLEU's choice", "neither")
    total, of = sum(judgments), sum(_PUBLISHED_VOTES)
    yield PaperTable(
        "Table I",
        "judgments for what RYPT and BLEU choose",
        ("Preferred",),
        (PaperColumn("Judgments", 0), PaperColumn("%", 1)),
        tuple(
            PaperRow(
                (side,),
                (
                    PaperCell(float(ours), float(theirs)),
                    PaperCell(100 * ours / total, 100 * theirs / of),
                ),
            )
            for side, ours, theirs in zip(sides, judgments, _PUBLISHED_VOTES, strict=True)
        ),
        (f"Three judges for each of {plural(total // votes.judges_per_pair, 'pair')}.",),
    )
    sentences = (votes.sentences_a, votes.sentences_b, votes.sentences_even)
    sides = ("RYPT's choice", "BLEU's choice", "as many for both")
    theirs_p = sign_test(*_PUBLISHED_SENTENCES[:2])
    yield PaperTable(
        "Table II",
        "sentences by what more judges prefer",
        ("More judgments for",),
        (PaperColumn("Sentences", 0),),
        tuple(
            PaperRow((side,), (PaperCell(float(ours), float(theirs)),))
            for side, ours, theirs in zip(sides, sentences, _PUBLISHED_SENTENCES, strict=True)
        ),
        (
            f"Sign test of sentences: p = {probability(votes.p_value)}, of the published counts "
            f"p = {probability(theirs_p)} (ours too). Judgments of one sentence depend on each "
            "other, so they are not tested themselves.",
            "Judges who never err would prefer RYPT's choice in "
            f"{plural(choice.right[0], 'pair')} and BLEU's in {choice.right[1]:,}.",
            f"RYPT has several favourites in {choice.ties[0]:,} of {plural(size, 'sentence')}, "
            f"BLEU in {choice.ties[1]:,}; of these the model takes one. Candidates that differ "
            "only in the order of constituents are alike to RYPT.",
            "BLEU chooses by the very reference that tells the truth here, but for synonyms: these "
            "languages leave little freedom to say a thing otherwise. Where references are one way "
            "among many, as real ones are, it has no such advantage.",
        ),
    )


def _reuse_figure(diversity: DiversityResult, loop: HumanLoop) -> PaperFigure:
    counts = {
        "substrings of the list": [each.entries for each in diversity.iterations],
        "of them not seen before": [each.entries - each.known for each in diversity.iterations],
        "asked in MERT toward RYPT": list(loop.asked),
    }
    return PaperFigure(
        "Section 3",
        "what is left to ask in each iteration",
        "iteration",
        "substrings",
        tuple(
            PaperCurve(name, tuple(PaperPoint(float(x), float(y)) for x, y in enumerate(values, 1)))
            for name, values in counts.items()
        ),
    )


def _finding(votes: Votes) -> str:
    a, b = votes.sentences_a, votes.sentences_b
    counts = f"{a:,} sentences to {b:,}, p = {probability(votes.p_value)}"
    if votes.p_value > 0.05:
        return (
            "No evidence that simulated judges prefer what RYPT or what BLEU chooses "
            f"({counts}); published were 120 to 88 for RYPT."
        )
    winner = "RYPT" if a > b else "BLEU"
    return (
        f"Simulated judges prefer what {winner} chooses ({counts}); published were 120 to 88 for "
        "RYPT, by people."
    )


def _left_out(data: Path | None, with_pilot: bool) -> tuple[str, ...]:
    said = [
        "the authors' labels and choices of 2009: they are not public but for ten rows, so that "
        "judges are simulated, on texts whose truth is known",
    ]
    if data is not None and not with_pilot:
        said.append("the pilot's parses and derivations: the data have no directory rypt with them")
    return tuple(said)
