"""Small results of the verbs that `weigh.report.rypt` shows, for a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from weigh.read.trees import Node
from weigh.result import Extent, Result
from weigh.rypt.collection import CollectedLabels, LabelsResult
from weigh.rypt.explanation import ExplainedOutput, ExplanationResult, explain
from weigh.rypt.hits import number_of_hits
from weigh.rypt.label_scores import LabelScore, LabelScoreResult
from weigh.rypt.labels import Entry, EntryJudgment, Label
from weigh.rypt.plan import AGGREGATES, CollectionPlan, QueryPlan
from weigh.rypt.pools import Pool
from weigh.rypt.queries import Estimate, QueriesResult, make_queries
from weigh.rypt.tree import Tree
from weigh_lab.rypt.diversity import CandidateSets, DiversityResult, iterations_of, sweep_entries
from weigh_lab.rypt.inferred import InferResult, infer_systems
from weigh_lab.rypt.label_evidence import evidence_of
from weigh_lab.rypt.plan import InferPlan

SYSTEMS = ("good", "<b>&amp;", "日本|\\_x", "= a,b\u2028")
WORDS = ("the", "<i>cat", "$x_1$", "|pipe|", "&lt;", "日本", "[GAP]")
SIGNATURE = "nrefs:0|labels:l.db|parses:p.mrg|version:weigh"


def _tree(draw: random.Random) -> Tree:
    source = [f"s{place}" if draw.random() < 0.7 else "<s>" for place in range(6)]
    return Tree.of(source, [Node("NP", 0, 2), Node("<VP>", 2, 5), Node("", 3, 5)])


def _pool(draw: random.Random, size: int) -> Pool:
    pool = Pool()
    for line in range(size):
        words = [draw.choice(WORDS[:-1]) for _ in range(draw.randint(1, 6))]
        links = sorted({(draw.randrange(6), draw.randrange(len(words))) for _ in range(5)})
        pool.add(" ".join(words), " ".join(f"{s}-{t}" for s, t in links), "<list>", line + 1)
    return pool


def _labels(draw: random.Random, tree: Tree, pool: Pool) -> dict[tuple[int, int, str], Label]:
    """Return labels of what some candidates say for nodes."""
    queries = make_queries([tree], [pool], {}).queries
    return {
        (one.start, one.end, one.substring): draw.choice(list(Label))
        for one in queries
        if draw.random() < 0.6
    }


def of_score(seed: int) -> LabelScoreResult:
    """Return one to three systems, with runs and without, some without any label."""
    draw = random.Random(seed)
    scores = []
    for number, name in enumerate(SYSTEMS[: 1 + seed % 3]):
        yes, no = (draw.randint(0, 30) * (seed % 5 > 0) for _ in range(2))
        direct = draw.randint(0, yes + no)
        reach = draw.randint(direct, yes + no)
        run = f"<{number}>" if seed % 2 else None
        rest = (draw.randint(0, 5), draw.randint(0, 40))
        scores.append(LabelScore(name, run, yes, no, *rest, direct, reach, seed % 4))
    uneven = "RYPT: 90% of <a>, which favours one" if seed % 3 == 1 else None
    warnings = ("a <remark>",) if seed % 2 else ()
    return LabelScoreResult(Extent(40, 0), SIGNATURE, tuple(scores), uneven, warnings)


def of_explanation(seed: int) -> ExplanationResult:
    """Return the tree of one to three outputs, labelled here and there."""
    draw = random.Random(seed)
    tree = _tree(draw)
    outputs, nodes = [], []
    for name in SYSTEMS[: 1 + seed % 3]:
        pool = _pool(draw, 1)
        labels = _labels(draw, tree, pool)
        outputs.append(ExplainedOutput(name, pool.texts[0]))
        nodes += explain(tree, pool.aligned(tree.words), labels, name)
    return ExplanationResult(
        Extent(9, 0), 1 + seed % 9, tree.words, SIGNATURE, tuple(outputs), tuple(nodes)
    )


def of_inference(seed: int) -> InferResult:
    """Return what is expected of two systems, with hidden labels and without."""
    draw = random.Random(seed)
    evidence = []
    for _ in range(4):
        tree = _tree(draw)
        pool = _pool(draw, 2)
        while len(pool.texts) < 2:
            pool = _pool(draw, 2)
        votes = {
            entry: [label] * (1 + (seed % 2)) for entry, label in _labels(draw, tree, pool).items()
        }
        votes |= {(0, 1, word): [Label.YES] for word in WORDS}
        evidence.append(evidence_of(tree, pool.aligned(tree.words), votes))
    plan = InferPlan(held_out=0.4 if seed % 2 else None, draws=2, seed=seed)
    result = infer_systems(SYSTEMS[:2], evidence, plan)
    remarks = ["1 of 5 sentences without a <parse>, left out"] * (seed % 2)
    return replace(
        result,
        test_set=Extent(5, 0),
        labels="<l>.db",
        parses="p.mrg",
        unparsed=seed % 2,
        warnings=(*remarks, *result.warnings),
    )


def of_queries(seed: int) -> QueriesResult:
    """Return queries with labels and without, many or none, and with prices of either kind."""
    draw = random.Random(seed)
    tree = _tree(draw)
    pool = _pool(draw, 4 if seed % 5 else 1)
    labels = {" ".join(tree.words): _labels(draw, tree, pool)} if seed % 2 else {}
    plan = QueryPlan(
        seconds=5.0 if seed % 2 else None,
        price_per_hit=0.5 if seed % 3 == 0 else None,
        judges=1 + seed % 3,
        top=2 if seed % 4 == 0 else None,
    )
    trees, pools = [tree, None], [pool, Pool()]
    found = make_queries(trees, pools, labels, 3)
    return QueriesResult(
        Extent(2, 0),
        3,
        "weighted" if labels else None,
        found.tally,
        Estimate.of(len(found.queries), number_of_hits(found.queries), plan),
        tuple(make_queries(trees, pools, labels, n).tally for n in (1, 2)) if seed % 2 else (),
        plan.top or 10,
        tuple(found.queries[: plan.top]),
        ("<hits>/hits.jsonl",) if seed % 3 else (),
    )


def of_labels(seed: int) -> LabelsResult:
    """Return labels of one to twenty judges, timed and not, paid and not, corrected and not."""
    draw = random.Random(seed)
    judgments = []
    for number in range(40):
        start = draw.randrange(3)
        entry = Entry("s0 <s1> s2 s3", start, start + 1, draw.choice(WORDS[:-1]))
        judgments.append(
            EntryJudgment(
                entry,
                draw.choice(list(Label)),
                f"judge {draw.randrange(1 + seed % 21)}",
                f"2009-06-01T12:00:{number:02d}.000000Z",
                draw.random() * 9 if seed % 3 and number % 4 else None,
            )
        )
    plan = CollectionPlan(AGGREGATES[seed % 3], 81.44 if seed % 2 else None)
    return LabelsResult(CollectedLabels.of("<store>.db", judgments, plan))


def of_diversity(seed: int) -> DiversityResult:
    """Return one to three iterations, with labels and without."""
    draw = random.Random(seed)
    tree = _tree(draw)
    pools = [_pool(draw, 1 + draw.randrange(4)) for _ in range(1 + seed % 3)]
    labels = _labels(draw, tree, pools[0]) if seed % 2 else None
    sentences = [CandidateSets.of(tree, pools, labels)]
    return DiversityResult(
        Extent(3, 0),
        "p.mrg",
        "<l>.db" if seed % 2 else None,
        "majority" if seed % 2 else None,
        1,
        3,
        tuple(iterations_of(sentences, [f"<{n}>.nbest" for n in range(len(pools))], 3)),
        tuple(sweep_entries(sentences, range(1, 5))),
        ("left out, 2 sentences with candidates: without a <parse>",) if seed % 2 else (),
    )


MADE: dict[str, Callable[[int], Result]] = {
    "rypt score": of_score,
    "rypt explain": of_explanation,
    "rypt infer": of_inference,
    "rypt queries": of_queries,
    "rypt labels": of_labels,
    "rypt diversity": of_diversity,
}
