"""RYPT's statistics: CPU time for 1,000 sentences × 100 candidates × 20 nodes, 100,000 labels.

    python bench/rypt.py [--write]

All of it is made at random: binary trees of about 20 nodes, candidates that keep most words of a
translation and change some, links near the diagonal, and a store in SQLite with labels of what
candidates say. Times are those of whole steps: reading the labels, reading the n-best list, and
statistics of all candidates with reading of trees and labels, which is what `weigh tune` waits for.
Queries are a whole command, its start and all reading included.

--write puts the table into bench/rypt.md.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from clock import command_time, cpu_time
from oracle.rypt import substring
from weigh.read.trees import Node
from weigh.rypt.collection import open_store
from weigh.rypt.labels import Entry, EntryJudgment, Label
from weigh.rypt.metric import Rypt
from weigh.rypt.tree import Tree
from weigh.tuning.gather import read_nbest
from weigh.tuning.nbest import rows_of
from weigh.types import TestSet

HERE = Path(__file__).resolve().parent
SENTENCES, CANDIDATES, LABELS, WORDS = 1000, 100, 100_000, 10
RUNS = 3


def brackets(rng: random.Random, words: list[str]) -> str:
    """Return a binary tree of words, which has about twice as many nodes."""
    if len(words) == 1:
        return f"(W {words[0]})"
    middle = rng.randrange(1, len(words))
    return f"(X {brackets(rng, words[:middle])} {brackets(rng, words[middle:])})"


def spans(tree: str) -> list[Node]:
    from weigh.read.trees import parse_brackets

    parse = parse_brackets(tree, "made")
    assert parse is not None
    return list(parse.nodes)


def make(folder: Path) -> None:
    """Write sources, parses, an n-best list and a store of labels."""
    rng = random.Random(1)
    vocabulary = [f"word{number}" for number in range(5000)]
    sources, parses, nbest, labels = [], [], [], {}
    for sentence in range(SENTENCES):
        words = [f"s{sentence}_{place}" for place in range(WORDS)]
        sources.append(" ".join(words))
        parses.append(brackets(rng, words))
        tree = Tree.of(words, spans(parses[-1]))
        usual = rng.choices(vocabulary, k=WORDS)
        said = set()
        for number in range(CANDIDATES):
            output = [rng.choice(vocabulary) if rng.random() < 0.15 else word for word in usual]
            links = [
                (min(WORDS - 1, max(0, place + rng.choice((-1, 0, 0, 0, 0, 1)))), place)
                for place in range(WORDS)
            ]
            line = " ".join(f"{source}-{target}" for source, target in links)
            text = " ".join(output)
            nbest.append(f"{sentence} ||| {text} ||| a= {number} b= 1 ||| 0 ||| {line}")
            node = rng.randrange(len(tree))
            span = tree.starts[node], tree.ends[node]
            found = substring(output, links, *span)
            if found is not None:
                said.add((*span, found))
        others = ((0, 1, f"unsaid {number}") for number in range(CANDIDATES))
        for key in [*sorted(said), *others][: LABELS // SENTENCES]:
            labels[sources[-1], *key] = rng.choice((Label.YES, Label.NO, Label.NO))
    (folder / "source").write_text("\n".join(sources) + "\n")
    (folder / "parses.mrg").write_text("\n".join(parses) + "\n")
    (folder / "nbest").write_text("\n".join(nbest) + "\n")
    store = open_store(folder / "labels.db", create=True)
    store.add(EntryJudgment(Entry(*key), label) for key, label in labels.items())


def measure(folder: Path) -> str:
    sources = (folder / "source").read_text().split("\n")[:-1]
    test_set = TestSet([], sources=sources)
    metric = Rypt(labels=str(folder / "labels.db"), parses=str(folder / "parses.mrg"))
    nbest = read_nbest([str(folder / "nbest")])
    rows = rows_of(nbest, test_set, metric)
    nodes, size = int(rows.sum()), len(nbest.texts)
    covered = rows[:, :2].sum() / nodes
    store = cpu_time(lambda: open_store(folder / "labels.db").aggregate(sources), RUNS)
    reading = cpu_time(lambda: read_nbest([str(folder / "nbest")]), RUNS)
    counting = cpu_time(lambda: rows_of(nbest, test_set, metric), RUNS)
    asking = command_time(
        [
            *(str(Path(sys.executable).with_name("weigh")), "rypt", "queries"),
            *("-s", str(folder / "source"), "--parses", str(folder / "parses.mrg")),
            *("--nbest", str(folder / "nbest"), "--labels", str(folder / "labels.db")),
        ],
        RUNS,
    )
    return f"""\
{SENTENCES:,} sentences, {size:,} distinct candidates, {nodes / size:.1f} nodes each, {LABELS:,} \
labels in SQLite; {100 * covered:.0f}% of the nodes are labelled after percolation. CPU seconds, \
the least of {RUNS} runs.

| | CPU s |
|---|---:|
| labels from the store | {store:.2f} |
| the n-best list | {reading:.2f} |
| statistics, with trees and labels read | {counting:.2f} |
| list and statistics | {reading + counting:.2f} |
| `weigh rypt queries`, all of it | {asking:.2f} |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write bench/rypt.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        table = measure(Path(folder))
    print(table, end="")
    if arguments.write:
        (HERE / "rypt.md").write_text(table)


if __name__ == "__main__":
    main()
