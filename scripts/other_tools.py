"""Run other tools on data with a known truth: the tables of docs/other-tools.md.

    python scripts/other_tools.py                  print the tables
    python scripts/other_tools.py --write          put them into the page
    python scripts/other_tools.py --nulls 20       a quick look

The installed tools are called: sacreBLEU, and compare-mt if it is installed (`pip install
compare-mt six`; without it `--write` is refused). This takes seven minutes of processor time.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import random
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

import weigh
from weigh.stats.intervals import Proportion

logging.getLogger("sacrebleu").setLevel(logging.ERROR)
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from calibration.nulls import noisy, texts  # noqa: E402

PAGE = ROOT / "docs" / "other-tools.md"
TRIALS = 500
SEGMENTS = 100
DIFFERING = (SEGMENTS, 10, 3)  # segments in which two systems are not the same
SYSTEMS = 10  # beside the baseline, where many are compared
HOLM = "weigh, `randomization`, its default adjustment"
HAS_COMPARE_MT = importlib.util.find_spec("compare_mt") is not None
# Our own words: who, where, what, and what was done.
PARTS = (
    ("私は", "彼女は", "先生は", "子供たちは", "隣の人は", "社長は"),
    ("図書館で", "東京の駅で", "学校の庭で", "新しい店で", "海の近くで"),
    ("本を", "古い写真を", "音楽の話を", "赤い花を", "切符を"),
    ("見つけました", "忘れました", "買いました", "待っていました", "借りました"),
)

Texts = list[str]
# Of references, systems (the first is the baseline) and a seed.
PValues = Callable[[Texts, list[Texts], int], list[float]]


def sacrebleu(kind: str) -> PValues:
    """Return sacreBLEU's p-values of all systems against the first, by `ar` or `bs`."""

    def p_values(references: Texts, systems: list[Texts], seed: int) -> list[float]:
        named = [(str(number), outputs) for number, outputs in enumerate(systems)]
        with patch.dict(os.environ, SACREBLEU_SEED=str(seed)):
            test = PairedTest(named, {"BLEU": BLEU(references=[references])}, None, kind, TRIALS)
            return [float(result.p_value) for result in test()[1]["BLEU"][1:]]

    return p_values


def compare_mt(references: Texts, systems: list[Texts], seed: int) -> list[float]:
    """Return the p-values that compare-mt prints, one for each system against the first."""
    from compare_mt.reporters import ScoreReport
    from compare_mt.scorers import create_scorer_from_profile
    from compare_mt.sign_utils import eval_with_paired_bootstrap

    np.random.seed(seed)  # the generator that it draws from
    words, *outputs = ([line.split() for line in each] for each in (references, *systems))
    scorer = create_scorer_from_profile("bleu")
    pairs = [(0, number) for number in range(1, len(systems))]
    wins, _ = eval_with_paired_bootstrap(
        words, outputs, words, scorer, compare_directions=pairs, num_samples=TRIALS
    )
    report = ScoreReport(scorer, [0.0] * len(systems), [""] * len(systems))
    return [float(report.winstr_pval(won)[1]) for won in wins]


def ours(test: str, adjust: str = "none") -> PValues:
    """Return weigh's p-values of all systems against the first."""

    def p_values(references: Texts, systems: list[Texts], seed: int) -> list[float]:
        result = weigh.compare(
            {str(number): outputs for number, outputs in enumerate(systems)},
            references=references,
            metrics=["bleu"],
            tests=(test,),
            trials=TRIALS,
            seed=seed,
            baseline="0",
            adjust=adjust,
        )
        return [float(pair.p_adjusted) for pair in result.comparisons]

    return p_values


def tools() -> dict[str, PValues]:
    """Return every test by its name on the page."""
    theirs: dict[str, PValues] = {
        f"sacreBLEU {version('sacrebleu')}, `--paired-ar`": sacrebleu("ar"),
        f"sacreBLEU {version('sacrebleu')}, `--paired-bs`": sacrebleu("bs"),
    }
    if HAS_COMPARE_MT:
        theirs[f"compare-mt {version('compare-mt')}, `bootstrap={TRIALS}`"] = compare_mt
    tests = ("randomization", "bootstrap", "paired-bootstrap")
    adjusted = {HOLM: ours("randomization", "holm")}
    return theirs | {f"weigh, `{test}`": ours(test) for test in tests} | adjusted


PAIRWISE = [name for name in tools() if name != HOLM]


class World:
    """References and the outputs of two systems of different quality."""

    def __init__(self, seed: int = 1) -> None:
        """Generate texts of invented words."""
        self.rng = np.random.default_rng(seed)
        words = texts(self.rng, SEGMENTS)
        self.references = [" ".join(each) for each in words]
        self.better, self.worse = (
            [noisy(self.rng, each, rate) for each in words] for rate in (0.25, 0.3)
        )

    def exchanged(self, systems: int = 2, differing: int = SEGMENTS) -> list[Texts]:
        """Return equal systems: for each segment, a coin decides which system gets which output.

        If a number of segments is given, only the first of them differ.
        """
        coins = self.rng.integers(2, size=(systems, SEGMENTS))
        if systems == 2:
            coins[1] = 1 - coins[0]
        coins[:, differing:] = 0
        pairs = list(zip(self.better, self.worse, strict=True))
        return [
            [pair[coin] for pair, coin in zip(pairs, row, strict=True)] for row in coins.tolist()
        ]


def same() -> str:
    """Return p-values of a system against itself, and against itself with few segments changed."""
    world = World()
    rows = []
    for name in PAIRWISE:
        p_values = tools()[name]
        cells = []
        for changed in (0, 1, 2, 4):
            other = world.worse[:changed] + world.better[changed:]
            [p_value] = p_values(world.references, [world.better, other], 1)
            cells.append(f"{p_value:.3f}".lstrip("0"))
        rows.append([name, *cells])
    exact = [f"{exact_p(world, changed):.3f}".lstrip("0") for changed in (0, 1, 2, 4)]
    rows.append(["exact: all swaps tried", *exact])
    return grid(["test", "0 segments differ", "1", "2", "4"], rows)


def exact_p(world: World, changed: int) -> float:
    """Return the share of all swaps of the changed segments with at least as large a difference."""
    bleu = BLEU(references=[world.references])
    differences = []
    for coins in product((0, 1), repeat=changed):
        pairs = list(zip(world.better, world.worse, coins, strict=False))
        sides = [[pair[pair[2] ^ side] for pair in pairs] for side in (0, 1)]
        first, second = (bleu.corpus_score(side + world.better[changed:], None) for side in sides)
        differences.append(abs(first.score - second.score))
    return sum(one >= differences[0] for one in differences) / len(differences)


class Job(NamedTuple):
    """A number of data sets of equal systems that differ in some segments, for one test."""

    test: str
    systems: int
    differing: int
    count: int


def rejected(job: Job) -> int:
    """Count the data sets in which a system is called different from the first at .05."""
    world = World(job.systems)
    p_values = tools()[job.test]
    return sum(
        min(p_values(world.references, world.exchanged(job.systems, job.differing), seed)) < 0.05
        for seed in range(job.count)
    )


def rejections(nulls: int, processes: int) -> tuple[str, str]:
    """Return how often one of two equal systems, and any of many, is called different."""
    counts = {name: nulls // 5 if "compare-mt" in name else nulls for name in PAIRWISE}
    against = [*(name for name in PAIRWISE if "sacreBLEU" in name), HOLM]
    crowds = [Job(name, SYSTEMS + 1, SEGMENTS, nulls // 5) for name in against]
    pairs = [Job(name, 2, few, counts[name]) for few in DIFFERING for name in PAIRWISE]
    with get_context("fork").Pool(processes) as pool:
        found = dict(zip(crowds + pairs, pool.map(rejected, crowds + pairs, 1), strict=True))
    shares = {job: share(each, job.count) for job, each in found.items()}
    two = [
        [name, f"{count:,}", *(shares[Job(name, 2, few, count)] for few in DIFFERING)]
        for name, count in counts.items()
    ]
    heads = [f"all {SEGMENTS} segments differ", *(f"{few} differ" for few in DIFFERING[1:])]
    many = [[job.test, f"{job.count:,}", shares[job]] for job in crowds]
    return (
        grid(["test", "data sets", *heads], two),
        grid(["test", "data sets", f"at least one of {SYSTEMS} is called different"], many),
    )


def japanese() -> str:
    """Return BLEU of Japanese with one other verb, and of a plain `yes`, by tokeniser."""
    draw = random.Random(1)
    references, good, yes = [], [], []
    for number in range(60):
        name = f"Dr. Ann Lee (No. {number}) "
        words = [draw.choice(each) for each in PARTS]
        references.append(f"{name}{''.join(words)}。")
        good.append(f"{name}{''.join(words[:3])}知りません。")
        yes.append(f"{name}はい。")
    words_of = TokenizerJaMecab()
    systems = {"good": good, "tokenised": [words_of(line) for line in good], "yes": yes}
    rows = []
    for said, scheme in (("default (13a)", "13a"), ("`-tok ja-mecab`", "ja-mecab")):
        bleu = BLEU(tokenize=scheme)
        scores = [bleu.corpus_score(each, [references]).score for each in systems.values()]
        rows.append([f"sacreBLEU, {said}", *(f"{score:.1f}" for score in scores)])
    ours = weigh.score(systems, references=references, metrics=["bleu"])
    rows.append(["weigh, default", *(f"{entry.score:.1f}" for entry in ours)])
    return grid(["BLEU by", "good", "good, tokenised", "はい (yes)"], rows)


def share(found: int, of: int) -> str:
    """Return a share with its 95% interval."""
    low, high = Proportion(found, of).interval()
    return f"{found / of:.3f} [{low:.3f}, {high:.3f}]"


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nulls", type=int, default=1000, help="data sets without a difference")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    chosen = parser.parse_args(arguments)
    if chosen.write and not HAS_COMPARE_MT:
        raise SystemExit("compare-mt is not installed, and the page has its numbers")
    two, many = rejections(chosen.nulls, chosen.processes)
    tables = {"same": same(), "rejections": two, "many": many, "japanese": japanese()}
    page = PAGE.read_text(encoding="utf-8")
    for name, text in tables.items():
        print(f"## {name}\n\n{text}\n")
        start, end = f"<!-- table: {name} -->\n", "<!-- end of table -->\n"
        before, found, rest = page.partition(start)
        if not found:
            raise SystemExit(f"{PAGE.name}: no place for the table {name!r}")
        page = f"{before}{start}\n{text}\n\n{end}{rest.partition(end)[2]}"
    if chosen.write:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
