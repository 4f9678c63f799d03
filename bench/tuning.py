"""Tuning: what line search costs, what MERT finds, and whether it carries over.

    python bench/tuning.py [--data DIR] [--write]

DIR holds an n-best list (nbest.gz), its references (ref.0) and Moses' start (init.opt); default:
../shared/data/nbest/multi30k-de-en-1014x100. Moses' and Z-MERT's figures were measured apart, on
the same list and start. --write puts the tables into bench/tuning.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import numpy as np

from clock import cpu_time
from weigh import parse_metric
from weigh.read import read_test_set
from weigh.read.nbest import read_candidates
from weigh.read.weights import read_weights
from weigh.tuning.gather import gather, read_nbest
from weigh.tuning.linesearch import LineSearch
from weigh.tuning.mert import MertPlan, mert
from weigh.tuning.problem import Problem
from weigh.tuning.search import Tuner
from weigh.tuning.weights import weight_space

HERE = Path(__file__).resolve().parent
METRIC = "bleu:tokenize=none"
PEERS = """\
| Moses' mert, one start | 40.7506 | | |
| Moses' mert, six starts | 40.7506 | 15.5 | 26 |
| Z-MERT 1.40, three starts | 40.7709 | 31.6 | 611 |"""

# What climbing along random directions found, without annealing, and what annealing the best of six
# climbs alone did; measured apart.
BEFORE = """\
| odd, one climb annealed | 42.0617 | 41.8703 | 42.3040 | 1.72 | 42.2629 |
| even, one climb annealed | 41.1221 | 40.9121 | 41.3622 | 1.92 | 41.3561 |
| odd, without annealing | 41.6607 | 41.2778 | 41.8081 | 1.42 | 42.1446 |
| even, without annealing | 40.7011 | 40.4741 | 40.9251 | 1.63 | 41.0347 |"""


# What six starts find with 186 features of noise too, by the number of lines, and CPU seconds of
# the search alone with other work on the machine; measured apart.
LINES = """\
| 20,000 | 43.10 | 42.96 | 42.71 | 16–19 |
| 42,000 | 42.93 | 42.80 | 43.14 | 23–28 |
| 84,000 | 42.70 | 43.12 | 43.14 | 30–34 |
| 84,000, before scores were carried along | 42.90 | 42.22 | 42.94 | 60–62 |"""


def with_noise(data: Path, folder: Path, count: int) -> Path:
    """Write the list with so many further features, which are noise; return where."""
    rng = np.random.default_rng(1)
    with (
        gzip.open(data / "nbest.gz", "rt", encoding="utf-8") as lines,
        gzip.open(folder / "nbest.gz", "wt", encoding="utf-8", compresslevel=1) as written,
    ):
        for line in lines:
            first, text, features, *rest = line.split(" ||| ")
            noise = " ".join(map("{:.4f}".format, rng.normal(size=count)))
            written.write(" ||| ".join([first, text, f"{features} x= {noise}", *rest]))
    (folder / "ref.0").write_bytes((data / "ref.0").read_bytes())
    start, *bounds = (data / "init.opt").read_text().split("\n")[:3]
    rows = [start + " 0" * count, bounds[0] + " -1" * count, bounds[1] + " 1" * count]
    (folder / "init.opt").write_text("\n".join(rows) + "\n")
    return folder


def whole_command(data: Path, starts: int) -> tuple[float, float, float]:
    """Return the score, CPU seconds and MB of one `weigh tune`."""
    command = Path(sysconfig.get_path("scripts")) / "weigh"
    arguments = ["tune", "--nbest", data / "nbest.gz", "-r", data / "ref.0", "-m", METRIC]
    arguments += ["--init", data / "init.opt", "--starts", str(starts), "--format", "json"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [command, *arguments], stdout=output, cwd=tempfile.gettempdir(), stderr=sys.stderr
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit("weigh tune failed")
        output.seek(0)
        score = json.load(output)["score"]
    return score, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def searches(problem: Problem, weights: np.ndarray) -> tuple[list[float], list[float]]:
    """Return the milliseconds of line searches along each feature, and along random lines."""
    search = LineSearch(problem)
    point = search.scored(weights)
    rng = np.random.default_rng(1)
    along_features = [
        1e3 * cpu_time(lambda axis=axis: search.surface(point, search.scored(axis)), 7)
        for axis in np.eye(len(weights))
    ]
    directions = [
        np.where(rng.random(len(weights)) < 0.25, rng.normal(size=len(weights)), 0.0)
        for _ in range(5)
    ]
    along_random = [
        1e3 * cpu_time(lambda d=d: search.surface(point, search.scored(d)), 7) for d in directions
    ]
    return along_features, along_random


def cross_validated(data: Path, folds: int) -> tuple[float, float]:
    """Return BLEU of all sentences, each chosen by the start and by weights tuned without it."""
    test_set = read_test_set([str(data / "ref.0")])
    metric = parse_metric(METRIC)
    candidates = list(read_candidates(str(data / "nbest.gz")))
    sums = np.zeros((2, 10), dtype=np.int64)
    for fold in range(folds):
        tuned_on, rest = (
            gather(each for each in candidates if (int(each.id) % folds == fold) is held_out)
            for held_out in (False, True)
        )
        space = weight_space(tuned_on, read_weights(str(data / "init.opt")))
        problem = Problem.of(tuned_on, test_set, metric)
        tuned = Tuner(plan=MertPlan(starts=6)).tune(problem, space, seed=12345)
        other = Problem.of(rest, test_set, metric)
        for which, weights in enumerate((space.start, tuned.weights)):
            sums[which] += other.rows[rest.hypotheses[rest.best(weights)]].sum(axis=0)
    before, after = metric.score(sums).tolist()
    return before, after


def halves(data: Path, seeds: int, many: int) -> list[str]:
    """Return what six starts find on the odd and the even sentences, beside very many starts."""
    test_set = read_test_set([str(data / "ref.0")])
    candidates = list(read_candidates(str(data / "nbest.gz")))
    lines = []
    for remainder, name in enumerate(("odd", "even")):
        half = gather(each for each in candidates if int(each.id) % 2 == remainder)
        problem = Problem.of(half, test_set, parse_metric(METRIC))
        space = weight_space(half, read_weights(str(data / "init.opt")))
        found, seconds = [], []
        for seed in range(seeds):
            before = time.process_time()
            results = mert(problem, space, MertPlan(starts=6, seed=seed), threads=1)
            seconds.append(time.process_time() - before)
            found.append(max(result.score for result in results))
        best = max(result.score for result in mert(problem, space, MertPlan(starts=many)))
        lines.append(
            f"| {name} | {np.median(found):.4f} | {min(found):.4f} | {max(found):.4f} | "
            f"{np.mean(seconds):.2f} | {best:.4f} |"
        )
        print(lines[-1], flush=True)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser()
    default = HERE.parents[1] / "shared" / "data" / "nbest" / "multi30k-de-en-1014x100"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    data = arguments.data

    nbest = read_nbest([str(data / "nbest.gz")])
    test_set = read_test_set([str(data / "ref.0")])
    problem = Problem.of(nbest, test_set, parse_metric(METRIC))
    weights = np.array(read_weights(str(data / "init.opt")).rows[0])
    size = f"{len(nbest.ids):,} sentences, {len(nbest):,} candidates, {len(nbest.names)} features"
    lines = [
        f"{size}, BLEU {problem.score(weights):.4f} at the start.",
        "",
        "| whole commands | BLEU found | CPU s | MB |",
        "|---|---:|---:|---:|",
    ]
    for starts in (1, 6, 24):
        score, seconds, memory = whole_command(data, starts)
        name = "one start" if starts == 1 else f"{starts} starts"
        lines.append(f"| `weigh tune`, {name} | {score:.4f} | {seconds:.1f} | {memory:.0f} |")
        print(lines[-1], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        score, seconds, memory = whole_command(with_noise(data, Path(folder), 186), 6)
    row = f"{score:.4f} | {seconds:.1f} | {memory:.0f} |"
    lines.append(f"| `weigh tune`, 6 starts, 186 features of noise too | {row}")
    before, after = cross_validated(data, 5)
    lines += [
        *PEERS.split("\n"),
        "",
        "Does it carry over? Five times tuned on four fifths of the sentences, from six starts, "
        f"and each sentence chosen by the weights tuned without it: BLEU {after:.2f}, "
        f"where the start weights have {before:.2f}.",
    ]
    lines += [
        "",
        "Halves of the list (sentences 1, 3, 5… and 2, 4, 6…), six starts with ten seeds, and 200 "
        "starts with one:",
        "",
        "| half | median | lowest | highest | CPU s of six starts | 200 starts |",
        "|---|---:|---:|---:|---:|---:|",
        *halves(data, seeds=10, many=200),
        *BEFORE.split("\n"),
    ]
    lines += [
        "",
        "With 186 features of noise too, six starts, by the number of lines that are annealed "
        "along (the command goes along 21,000):",
        "",
        "| lines | seed 1 | seed 2 | seed 3 | CPU s |",
        "|---|---:|---:|---:|---:|",
        *LINES.split("\n"),
    ]
    along_features, along_random = searches(problem, weights)
    lines += [
        "",
        "One line search, CPU milliseconds, scoring included:",
        "",
        "| along | mean | slowest |",
        "|---|---:|---:|",
        f"| a feature | {np.mean(along_features):.2f} | {max(along_features):.2f} |",
        f"| a random direction | {np.mean(along_random):.2f} | {max(along_random):.2f} |",
    ]
    for share in (2, 4, 8):
        part = gather(
            each for each in read_candidates(str(data / "nbest.gz")) if int(each.id) % share == 0
        )
        some, _ = searches(Problem.of(part, test_set, parse_metric(METRIC)), weights)
        lines.append(
            f"| a feature, 1/{share} of the sentences | {np.mean(some):.2f} | {max(some):.2f} |"
        )
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.write:
        (HERE / "tuning.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
