"""RYPT in a world whose truth is known: the tables of docs/rypt-truth.md.

    python scripts/simulate_rypt.py           print the tables
    python scripts/simulate_rypt.py --write   put them into the page

It takes about four minutes of processor time. Everything is seeded: the same version makes the
same tables.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

from rypt_world import Judges, Sentence, World
from weigh import Bleu, TestSet
from weigh.read.nbest import Candidate
from weigh.report.formats import pipe_table
from weigh.report.grid import Cell, Column, Grid
from weigh.rypt.percolation import NO, YES, percolate_codes
from weigh.rypt.plan import MAX_LENGTH
from weigh.rypt.tree import frontier
from weigh.tuning.gather import gather
from weigh.tuning.mert import MertPlan
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem
from weigh.tuning.search import Tuner
from weigh.tuning.weights import WeightSpace
from weigh_lab.rypt.hidden_labels import hold_out
from weigh_lab.rypt.label_evidence import LabelEvidence, majority_codes
from weigh_lab.rypt.soft_percolation import Forest, expected, learn

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rypt-truth.md"
SENTENCES = 500
JUDGES = {
    "1, always right": Judges(wrong=0.0, unsure=0.0),
    "1, wrong 10%": Judges(),
    "5, wrong 10%": Judges(each=5),
}
# Which nodes may be asked about: the chance of those off the frontier; and the shares asked.
ASKED = {
    "all": (1.0, (0.5, 1.0)),
    "frontier": (0.0, (1.0,)),
    "frontier, others 10%": (0.1, (1.0,)),
}
# These had no part in choosing the model.
OTHER_WORLDS = {
    "the same, other sentences": World(seed=777),
    "clashes 30%, idioms 10%": World(clash=0.3, idiom=0.1, seed=778),
    "poor output, skill up to 50%": World(skill=0.5, seed=779),
    "good output, skill up to 100%, clashes 2%": World(skill=1.0, clash=0.02, seed=780),
    "sentences of 15 to 40 words": World(shortest=15, longest=40, seed=781),
}
# What is tuned toward, and how much of it is found.
DEV, TEST, CANDIDATES, REPLICATIONS = 150, 300, 50, 10
FEATURES = ("right", "close", "whole", "noise")
WORLDS = {"yes": World(faithful=1.0), "half": World(faithful=0.5), "no": World(faithful=0.0)}
# So many entries off the frontier are asked about that coverage is near the paper's 68%.
OTHERS = 0.2
WORDS = ("May be asked", "Judges", "World", "Method", "BLEU follows", "Tuned toward")
TITLES = {
    "convergence": [
        *("May be asked", "Judges", "Asked", "Labelled %", "Decided %"),
        *("Truth", "strict", "half", "labelled", "expected"),
    ],
    "elsewhere": [
        *("World", "Truth", "half", "labelled", "expected, all 50%", "frontier"),
        *("frontier, others 10%", "Brier, half above inference"),
    ],
    "hidden": ["Judges", "Method", "Right %", "Brier", "Above inference", "Log loss"],
    "tuning": ["BLEU follows", "Tuned toward", "True RYPT", "Gain", "BLEU", "Decided %"],
}


@dataclass(frozen=True, slots=True)
class Share:
    """A metric of two statistics: so many of so many, in per cent."""

    name: str = "share"
    higher_is_better: bool = True
    mean_of_segments: bool = False
    perfect: float | None = 100.0

    def signature(self, references: int) -> str:
        """Return a fixed text."""
        return f"nrefs:{references}"

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Return the share, 0 of nothing."""
        sums = np.asarray(sums, dtype=np.float64)
        return 100 * sums[..., 0] / np.maximum(sums[..., 1], 1e-9)


def likely(sentence: Sentence, others: float) -> np.ndarray:
    """Return how likely each node is asked about: always on the frontier, else as given."""
    chances = np.full(len(sentence.tree), others)
    chances[frontier(sentence.tree, MAX_LENGTH)] = 1.0
    return chances


def statistics(codes: np.ndarray) -> dict[str, np.ndarray]:
    """Return RYPT's two statistics for every way of counting open nodes, one row per output."""
    yes, no = (codes == YES).sum(axis=0), (codes == NO).sum(axis=0)
    nodes = np.full(codes.shape[1], len(codes))
    return {
        "strict": np.column_stack([yes, nodes]),
        "half": np.column_stack([yes + 0.5 * (nodes - yes - no), nodes]),
        "labelled": np.column_stack([yes, yes + no]),
    }


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one output by its labels; shares and scores in per cent."""

    labelled: float
    decided: float
    scores: dict[str, float]
    expected: float
    deviation: float

    @classmethod
    def of(cls, sentences: Sequence[Sentence], judges: Judges, others: float) -> Scored:
        """Ask the judges about the frontiers, and about other nodes at random."""
        counts = [judges.counts(one, likely(one, others)) for one in sentences]
        direct = [majority_codes(each) for each in counts]
        codes = [percolate_codes(one.tree, own) for one, own in zip(sentences, direct, strict=True)]
        sums = {
            way: np.sum([statistics(each)[way][0] for each in codes], axis=0)
            for way in ("strict", "half", "labelled")
        }
        forest = Forest.of([one.tree for one in sentences], counts)
        soft = expected(forest, learn(forest).posterior)
        return cls(
            100 * covered(direct),
            100 * covered(codes),
            {way: float(Share().score(own)) for way, own in sums.items()},
            100 * soft.share,
            100 * soft.deviation,
        )

    def shown(self) -> str:
        """Return the expected score with its deviation."""
        return f"{self.expected:.1f} ± {self.deviation:.1f}"


def truth_of(sentences: Sequence[Sentence]) -> str:
    """Return the true score of the first candidates."""
    return f"{100 * np.concatenate([one.truth[0] for one in sentences]).mean():.1f}"


def convergence() -> Iterator[list[str]]:
    """Yield rows: RYPT of one output, and its true score."""
    sentences = [World().sentence(number, 1) for number in range(SENTENCES)]
    for where, (others, shares) in ASKED.items():
        for name, judges in JUDGES.items():
            for asked in shares:
                found = Scored.of(sentences, replace(judges, asked=asked), others)
                yield [
                    where,
                    name,
                    f"{asked:.2f}",
                    f"{found.labelled:.1f}",
                    f"{found.decided:.1f}",
                    truth_of(sentences),
                    *(f"{score:.1f}" for score in found.scores.values()),
                    found.shown(),
                ]


def elsewhere() -> Iterator[list[str]]:
    """Yield rows: the same in worlds that played no part in choosing the model."""
    for name, world in OTHER_WORLDS.items():
        sentences = [world.sentence(number, 1) for number in range(SENTENCES)]
        some = Scored.of(sentences, Judges(asked=0.5, seed=5), 1.0)
        apart = [Scored.of(sentences, Judges(seed=5), others) for others in (0.0, 0.1)]
        held = hold_out(labelled(world, Judges(seed=6)), 0.2, draws=2)
        brier = {fit.method: fit for fit in held.methods}
        yield [
            name,
            truth_of(sentences),
            *(f"{some.scores[way]:.1f}" for way in ("half", "labelled")),
            *(found.shown() for found in (some, *apart)),
            f"{brier['half'].excess:+.4f} ± {brier['half'].error:.4f}",
        ]


def covered(codes: Sequence[np.ndarray]) -> float:
    """Return the share of nodes that are YES or NO."""
    told = sum(int(((each == YES) | (each == NO)).sum()) for each in codes)
    return told / sum(each.size for each in codes)


def labelled(world: World, judges: Judges) -> list[LabelEvidence]:
    """Return labels of some candidates of other sentences than are scored."""
    sentences = [world.sentence(SENTENCES + number, 5) for number in range(SENTENCES // 2)]
    asking = replace(judges, asked=0.68)
    return [LabelEvidence(one.tree, asking.counts(one), one.entries.T) for one in sentences]


def hidden() -> Iterator[list[str]]:
    """Yield rows: how well hidden labels are predicted."""
    for name, judges in JUDGES.items():
        found = hold_out(labelled(World(), judges), 0.2, draws=2)
        for fit in found.methods:
            yield [
                name,
                fit.method,
                f"{100 * fit.accuracy:.1f}",
                f"{fit.brier:.4f}",
                f"{fit.excess:+.4f} ± {fit.error:.4f}" if fit.excess else "",
                f"{fit.log_loss:.3f}",
            ]


def candidates(sentences: Sequence[Sentence], seed: int) -> NBest:
    """Return an n-best list whose features depend on truth, reference and noise."""
    draw = np.random.Generator(np.random.Philox(key=[seed, 1]))

    def all_of() -> Iterator[Candidate]:
        for number, one in enumerate(sentences):
            size = len(one.choices)
            leaves = np.array([not one.tree.children(node) for node in range(len(one.tree))])
            values = np.column_stack(
                [
                    (one.choices == one.right).mean(axis=1),
                    (one.choices == one.reference).mean(axis=1),
                    one.truth[:, ~leaves].mean(axis=1) if (~leaves).any() else np.zeros(size),
                    np.zeros(size),
                ]
            ) + draw.normal(0, 0.2, (size, len(FEATURES)))
            for at, text in enumerate(one.texts()):
                yield Candidate(str(number), text, FEATURES, values[at].tolist(), {}, at + 1)

    return gather(all_of())


def by_text(nbest: NBest, sentences: Sequence[Sentence], rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return the rows of a list's distinct texts, from those of all candidates."""
    known = {
        (number, text): row
        for number, (one, own) in enumerate(zip(sentences, rows, strict=True))
        for text, row in zip(one.texts(), own, strict=True)
    }
    segments = nbest.text_segments.tolist()
    keys = zip((int(nbest.ids[at]) for at in segments), nbest.texts, strict=True)
    return np.array([known[key] for key in keys], dtype=np.float64)


def truths(sentences: Sequence[Sentence]) -> list[np.ndarray]:
    """Return the number of acceptable nodes and of all nodes of each candidate."""
    return [
        np.column_stack([one.truth.sum(axis=1), np.full(len(one.truth), len(one.tree))])
        for one in sentences
    ]


def problems(
    nbest: NBest, sentences: Sequence[Sentence], judges: Judges
) -> tuple[dict[str, Problem], float]:
    """Return the tuning problems, and the share of nodes that are decided."""
    counts = [judges.counts(one, likely(one, OTHERS)) for one in sentences]
    codes = [
        percolate_codes(one.tree, majority_codes(own))
        for one, own in zip(sentences, counts, strict=True)
    ]
    forest = Forest.of([one.tree for one in sentences], counts)
    soft = forest.by_tree(learn(forest, rounds=50).posterior.yes)
    rows = {
        "truth": truths(sentences),
        "RYPT strict": [statistics(each)["strict"] for each in codes],
        "RYPT half": [statistics(each)["half"] for each in codes],
        "RYPT expected": [
            np.column_stack([each.sum(axis=1), np.full(len(each), each.shape[1])]) for each in soft
        ],
    }
    made = {
        name: Problem(nbest, by_text(nbest, sentences, own), Share()) for name, own in rows.items()
    }
    return {**made, "BLEU": bleu(nbest, sentences)}, covered(codes)


def bleu(nbest: NBest, sentences: Sequence[Sentence]) -> Problem:
    """Return the problem of BLEU."""
    test_set = TestSet([[one.reference_text() for one in sentences]])
    return Problem.of(nbest, test_set, Bleu(tokenize="none"))


def tuned(world: World, seed: int) -> tuple[dict[str, tuple[float, float]], float]:
    """Return true quality and BLEU on other sentences after tuning toward each metric."""
    world = replace(world, seed=seed)
    dev = [world.sentence(number, CANDIDATES) for number in range(DEV)]
    test = [world.sentence(DEV + number, CANDIDATES) for number in range(TEST)]
    dev_list, test_list = candidates(dev, 2 * seed), candidates(test, 2 * seed + 1)
    goals, coverage = problems(dev_list, dev, Judges(seed=seed))
    truth = Problem(test_list, by_text(test_list, test, truths(test)), Share())
    by_bleu = bleu(test_list, test)
    space = WeightSpace.of(FEATURES)
    found = {"start": (truth.score(space.start), by_bleu.score(space.start))}
    tuner = Tuner(plan=MertPlan(starts=5, directions=20))
    for name, problem in goals.items():
        weights = tuner.tune(problem, space, seed=seed).weights
        found[name] = (truth.score(weights), by_bleu.score(weights))
    return found, coverage


def tuning() -> Iterator[list[str]]:
    """Yield rows: true quality after tuning toward each metric."""
    for world_name, world in WORLDS.items():
        runs = [tuned(world, seed) for seed in range(1, REPLICATIONS + 1)]
        coverage = np.mean([coverage for _, coverage in runs])
        for name in runs[0][0]:
            values = np.array([found[name] for found, _ in runs])
            gains = np.array([found[name][0] - found["start"][0] for found, _ in runs])
            error = gains.std(ddof=1) / np.sqrt(len(gains))
            yield [
                world_name,
                "nothing (start)" if name == "start" else name,
                f"{values[:, 0].mean():.2f}",
                "" if name == "start" else f"{gains.mean():+.2f} ± {error:.2f}",
                f"{values[:, 1].mean():.2f}",
                f"{100 * coverage:.1f}" if name.startswith("RYPT") else "",
            ]


def table(titles: Sequence[str], rows: Iterator[list[str]]) -> str:
    """Return a Markdown table, whose columns of WORDS hold texts and the others numbers."""
    columns = [Column(title, kind="key" if title in WORDS else "number") for title in titles]
    return pipe_table(Grid(columns, [[[Cell(text) for text in row] for row in rows]]))


def tables() -> Iterator[tuple[str, str]]:
    """Yield the name and text of each table; the page has places for some."""
    for make in (convergence, elsewhere, hidden, tuning):
        name = make.__name__
        yield name, table(TITLES[name], make())


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put tables into the page")
    is_written = parser.parse_args(arguments).write
    page = PAGE.read_text(encoding="utf-8")
    for name, text in tables():
        start, end = f"<!-- table: {name} -->\n", "<!-- end of table -->\n"
        before, marker, rest = page.partition(start)
        if marker:
            page = f"{before}{start}\n{text}\n\n{end}{rest.partition(end)[2]}"
        if not is_written:
            print(f"## {name}\n\n{text}\n", flush=True)
    if is_written:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
