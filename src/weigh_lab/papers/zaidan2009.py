"""Zaidan & Callison-Burch 2009, run again: what RYPT asks of people, costs and chooses.

Judges are simulated, on texts of a made-up language: their truth is known, that of others is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from weigh.metrics.registry import parse_metric
from weigh.read.trees import Node
from weigh.result import Extent
from weigh.rypt.queries import find_queries
from weigh.rypt.tree import Tree, frontier, read_trees
from weigh.wording import listed
from weigh_lab.papers.candidates import (
    ALTERNATIVES_PER_NODE,
    LABELS,
    NODES_PER_SENTENCE,
    OTHER_TEXTS,
    Answers,
    Sentences,
    coverage,
    diversity_table,
    label_metric,
    labelled,
    lengths_table,
    listed_table,
    question_tables,
    toward_bleu,
    tuning_table,
)
from weigh_lab.papers.favourites import judged_favourites, preference_finding, preference_tables
from weigh_lab.papers.human_loop import compare_weights, toward_rypt
from weigh_lab.papers.judges import Judges, Meanings
from weigh_lab.papers.paper_result import (
    PaperCurve,
    PaperFigure,
    PaperPoint,
    PaperResult,
    PaperTable,
)
from weigh_lab.papers.workshop import (
    METRIC,
    TEST,
    TUNING,
    Direction,
    Workshop,
    generated,
    tokenised_texts,
)
from weigh_lab.rypt.diversity import measure_diversity

if TYPE_CHECKING:
    from weigh_lab.papers.human_loop import HumanLoop
    from weigh_lab.rypt.diversity import DiversityResult

TITLE = "Zaidan & Callison-Burch 2009"
_LANGUAGE = "verb-last"
_WRONG = "VVPP-HD"  # of the paper's example, the constituent that is not acceptable
_HELD_OUT = 500  # sentences on which tuned weights are compared


@dataclass(frozen=True, slots=True)
class ZaidanResult(PaperResult):
    """Zaidan & Callison-Burch 2009, run again."""

    command: ClassVar[str] = "paper zaidan2009"


def zaidan2009(workshop: Workshop) -> ZaidanResult:
    """Run it again: on a made-up language, and on public data what needs no judges."""
    plan = workshop.plan
    direction, parses, meanings = generated_texts(workshop)
    trained = workshop.translator(direction, tuned=False)
    sentences = Sentences.of(workshop, direction.tuning, parses)
    judges = Judges(meanings, plan.seed)
    bleu = toward_bleu(workshop, trained, sentences)
    diversity = measure_diversity(sentences.sources, sentences.parses, bleu.lists)
    queries = find_queries(sentences.sources, sentences.parses, nbest=bleu.lists[-1:])
    labels = labelled(judges, queries, sentences.sources)
    rypt = label_metric(sentences, labels, "labels")
    before, after = coverage(sentences, bleu.lists[-1], rypt)
    favourites = judged_favourites(judges, sentences, bleu.lists[-1], rypt, plan.seed)
    loop = toward_rypt(workshop, trained, sentences, judges)
    held_out = compare_weights(
        workshop,
        trained,
        direction.test,
        meanings_of(tokenised_texts(direction.test.target), TEST),
        {
            "before tuning": trained.translator.weights,
            "MERT toward BLEU": bleu.result.weights,
            "MERT toward RYPT": loop.weights,
        },
    )
    real: tuple[PaperTable, ...] = ()
    of_authors: tuple[PaperTable, ...] = ()
    if workshop.data is not None:
        real = tuple(captions(workshop))
        of_authors = (*pilot(workshop.data), *figure_2(workshop.data))
    material = [f"generated texts ({_LANGUAGE})"]
    material += ["multi30k"] * bool(real) + ["the authors' pilot data"] * bool(of_authors)
    shares = Counter(judgment.label.value for judgment in labels)
    return ZaidanResult(
        TITLE,
        plan,
        listed(material),
        Extent(len(sentences.sources), 1),
        {
            "bleu": parse_metric(METRIC).signature(1),
            "rypt": replace(rypt, labels="simulated", parses="generated").signature(0),
        },
        (
            tuning_table(bleu.result),
            diversity_table(diversity),
            lengths_table(diversity),
            *question_tables(queries, Answers(shares, before, after), "", OTHER_TEXTS),
            *preference_tables(favourites, len(sentences.sources)),
            loop.table,
            held_out.table,
            *real,
            *of_authors,
        ),
        figures=(_reuse_figure(diversity, loop),),
        findings=(preference_finding(favourites.votes), held_out.finding),
        left_out=_left_out(workshop.data, bool(of_authors)),
    )


def generated_texts(workshop: Workshop) -> tuple[Direction, list[str], Meanings]:
    """Texts of an artificial language, parses of the tuning set, and their meanings."""
    from weigh_lab.translator.aligner import align_words, linked_places
    from weigh_lab.translator.corpus import parallel
    from weigh_lab.translator.generated import generated_parses
    from weigh_lab.translator.plan import TranslatorPlan

    plan = workshop.plan
    whole = generated(_LANGUAGE, plan=replace(plan, training=None))[_LANGUAGE]
    direction = Direction(
        _LANGUAGE,
        whole.training.first(plan.training),
        whole.tuning.first(plan.tuning),
        whole.test.first(min(plan.test or _HELD_OUT, _HELD_OUT)),
    )
    size = len(direction.tuning.source)
    # Links give the reference's words for a span, as in the paper; learning links needs much text.

    corpus = parallel(
        [*direction.tuning.source, *whole.training.source],
        [*direction.tuning.target, *whole.training.target],
        TranslatorPlan(),
    )
    rows = align_words(corpus, TranslatorPlan(), threads=workshop.threads)
    links = [linked_places(rows, number) for number in range(size)]
    references = tokenised_texts(direction.tuning.target)
    return (
        direction,
        generated_parses(_LANGUAGE, size, TUNING),
        meanings_of(references, TUNING, links),
    )


def meanings_of(
    references: Sequence[str], seed: int, links: Sequence[Sequence[tuple[int, int]]] | None = None
) -> Meanings:
    """Meanings of generated sentences; a reference is one of several ways to say them."""
    from weigh_lab.translator.generated import generated_orders, generated_synonyms

    return Meanings(
        generated_synonyms(),
        references,
        links or [()] * len(references),
        generated_orders(len(references), seed),
    )


def captions(workshop: Workshop) -> Iterable[PaperTable]:
    """Yield results on real translations without judges: German captions of multi30k."""
    direction = workshop.material().directions["de"]
    trained = workshop.translator(direction, tuned=False)
    sources = tokenised_texts(direction.tuning.source)
    sentences = Sentences.of(workshop, direction.tuning, [halved(text) for text in sources])
    bleu = toward_bleu(workshop, trained, sentences)
    of = ", German captions"
    yield tuning_table(bleu.result, of)
    yield diversity_table(measure_diversity(sentences.sources, sentences.parses, bleu.lists), of)
    queries = find_queries(sentences.sources, sentences.parses, nbest=bleu.lists[-1:])
    yield from question_tables(
        queries,
        None,
        of,
        "Captions have no parses: recursive halves of the sentence replace constituents, down to "
        "nodes of three or four words.",
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
    """Yield results on the authors' pilot data, as far as they exist."""
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
    from weigh.rypt.derivations import align_outputs, phrase_line
    from weigh.rypt.label_files import read_judgments

    sources = read_texts(str(files["sources"]))
    trees = [tree for tree in read_trees(str(files["parses"]), sources).trees if tree is not None]
    nodes = sum(len(frontier(tree)) for tree in trees)
    tally = find_queries(sources, str(files["parses"]), nbest=[str(files["trees"])]).found
    theirs = read_texts(str(files["links"]))[::2]
    ours = [
        phrase_line(derivation.candidate.derivation.phrases)
        for derivation in align_outputs(str(files["trees"]), sources)
    ]
    same = sum(mine == line for mine, line in zip(ours, theirs, strict=True))
    labels = Counter(
        judgment.label.value
        for judgment in read_judgments(str(files["answers"]), sources).batch.judgments
    )
    yield listed_table(
        "Pilot",
        "the authors' own data (newstest2008, German), counts",
        (
            ("sentences with a parse", len(trees), ""),
            ("candidates of 10 sentences", tally.candidates, ""),
            ("candidates whose phrase links are the authors'", same, ""),
            *((f"real labels: {name}", labels[name], "") for name in LABELS),
        ),
        (
            "Parses, and derivations with word links of 10 sentences, are the authors'. Labels are "
            "those on the rows of results in the data, too few to estimate shares.",
        ),
        decimals=0,
    )
    yield listed_table(
        "Pilot",
        "the authors' own data, sizes",
        (
            ("frontier nodes of a sentence", nodes / len(trees), NODES_PER_SENTENCE),
            ("alternatives of a node", tally.alternatives / tally.nodes, ALTERNATIVES_PER_NODE),
        ),
        (
            "The published numbers are for the 250 labelled sentences. Ours are for all "
            "sentences with a parse; those of alternatives are for the 10 sentences of "
            "iteration 6.",
        ),
    )


def figure_2(data: Path) -> Iterable[PaperTable]:
    """Yield the score of the paper's example, if the authors' parse of it exists."""
    import numpy as np

    from weigh.read.text import read_texts
    from weigh.rypt.percolation import NO, YES, percolate_codes

    source, parse = data / "rypt" / "fig2.source.txt", data / "rypt" / "fig2.parse.mrg"
    if not (source.exists() and parse.exists()):
        return
    [tree] = read_trees(str(parse), read_texts(str(source))).trees
    if tree is None:
        return
    codes = np.zeros((len(tree), 1), dtype=np.int8)
    for node in frontier(tree):
        codes[node] = NO if tree.names[node] == _WRONG else YES
    right = int((percolate_codes(tree, codes) == YES).sum())
    yield listed_table(
        "Figure 2",
        "the score of the example",
        (
            ("constituents", len(tree), "18"),
            ("acceptable", right, "13"),
            ("RYPT", right / len(tree), "0.72"),
        ),
        (
            "The paper does not print the figure's labels: ours are YES for all queries except "
            f"{_WRONG}, whose NO propagates upwards.",
        ),
    )


def _reuse_figure(diversity: DiversityResult, loop: HumanLoop) -> PaperFigure:
    counts = {
        "substrings of the list": [iteration.entries for iteration in diversity.iterations],
        "new substrings of the list": [
            iteration.entries - iteration.known for iteration in diversity.iterations
        ],
        "labels requested in MERT toward RYPT": list(loop.asked),
    }
    return PaperFigure(
        "Section 3",
        "labels still needed in each iteration",
        "iteration",
        "substrings",
        tuple(
            PaperCurve(name, tuple(PaperPoint(float(x), float(y)) for x, y in enumerate(values, 1)))
            for name, values in counts.items()
        ),
    )


def _left_out(data: Path | None, with_pilot: bool) -> tuple[str, ...]:
    sentences = [
        "the authors' judgments: 266 rows of their labels are public and their choices between "
        "RYPT and BLEU are not, so judges are simulated, on texts whose truth is known",
    ]
    if data is not None and not with_pilot:
        sentences.append(
            "the pilot's parses and derivations: the data have no directory rypt with them"
        )
    return tuple(sentences)
