"""Training of rerankers: CPU time to a given gap, memory, and what carries over to other lists.

    python bench/reranking.py [--data DIR] [--write]

1. 2,000 sentences × 100 candidates × 50,000 sparse features, 4.4 M non-zeros, made at random:
   incremental feature selection against L-BFGS-B over all columns, to a relative gap of 1e-6.
2. The memory of a fit whose blocks stand on disk, as the list grows.
3. A real list in halves, by even and odd numbers and five times at random: weights found on one
   half, scored on the other. γ is chosen by cross-validation within the half that is learnt from.
   DIR holds nbest.gz, ref.0 and init.opt (default: ../shared/data/nbest/multi30k-de-en-1014x100).

--write puts the tables into bench/reranking.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from weigh.metrics.bleu import Bleu
from weigh.read import read_texts
from weigh.read.nbest import read_candidates
from weigh.tuning.examples import Block, SpooledBlocks, collect
from weigh.tuning.gather import gather
from weigh.tuning.loglinear import fit, gradient
from weigh.tuning.mert import MertPlan, best_result, mert
from weigh.tuning.model import train
from weigh.tuning.plan import TrainPlan
from weigh.tuning.problem import Problem
from weigh.tuning.ranked import mira, pro
from weigh.tuning.rerank import by_model
from weigh.tuning.weights import WeightSpace
from weigh.types import TestSet

HERE = Path(__file__).resolve().parent
SENTENCES, CANDIDATES, FEATURES, PER_CANDIDATE = 2000, 100, 50_000, 22
GAMMA = 2.6
GAP = 1e-6


def made_block(seed: int, sentences: int = SENTENCES) -> Block:
    """Return candidates whose features are as frequent as words are, 600 of them with a weight."""
    generator = np.random.default_rng(seed)
    shares = 1 / np.arange(1, FEATURES + 1) ** 0.7
    size = sentences * CANDIDATES
    counts = generator.poisson(PER_CANDIDATE, size)
    columns = generator.choice(FEATURES, size=counts.sum(), p=shares / shares.sum())
    rows = np.repeat(np.arange(size), counts)
    features = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, FEATURES))
    features.sum_duplicates()
    truth = np.zeros(FEATURES)
    planted = np.random.default_rng(0)
    truth[planted.choice(5000, 600, replace=False)] = planted.normal(size=600)
    scores = (features @ truth + generator.gumbel(size=size)).reshape(sentences, CANDIDATES)
    best = np.zeros(size, dtype=bool)
    best[np.arange(sentences) * CANDIDATES + scores.argmax(axis=1)] = True
    starts = np.arange(0, size + 1, CANDIDATES)
    return Block(starts, np.zeros((size, 0)), features, best)


def all_columns(block: Block, target: float) -> tuple[float, int]:
    """Minimise over all columns at once until the objective is at the target."""
    evaluations = 0

    def objective(parts):
        nonlocal evaluations
        evaluations += 1
        loss, slope = gradient([block], parts[:FEATURES] - parts[FEATURES:])
        return loss + GAMMA * parts.sum(), np.concatenate([slope, -slope]) + GAMMA

    def enough(intermediate_result):
        if intermediate_result.fun <= target:
            raise StopIteration

    found = minimize(
        objective,
        np.zeros(2 * FEATURES),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * FEATURES),
        callback=enough,
        options={"maxiter": 10_000, "maxfun": 20_000, "maxcor": 20, "ftol": 0.0, "gtol": 0.0},
    )
    return float(found.fun), evaluations


def speed() -> list[str]:
    block = made_block(1)
    start = time.process_time()
    found = fit([block], GAMMA, np.zeros(FEATURES), tolerance=GAP)
    grafted = time.process_time() - start
    start = time.process_time()
    objective, evaluations = all_columns(block, found.objective * (1 + GAP))
    full = time.process_time() - start
    used = np.count_nonzero(found.weights)
    rounds = " → ".join(f"{count:,}" for count in found.active)
    return [
        f"{SENTENCES:,} sentences × {CANDIDATES} candidates × {FEATURES:,} features, "
        f"{block.features.nnz / 1e6:.2f} M non-zeros, γ = {GAMMA}: {used:,} features have a "
        "weight. CPU seconds, one thread, one run.",
        "",
        "| | CPU s | objective | gap | |",
        "|---|---:|---:|---:|---|",
        f"| incremental selection | {grafted:.1f} | {found.objective:.4f} | {found.gap:.0e} "
        f"(proved) | {len(found.active)} rounds: {rounds} active |",
        f"| L-BFGS-B on all columns | {full:.1f} | {objective:.4f} | "
        f"{objective / found.objective - 1:.0e} (to the other) | {evaluations} gradients |",
    ]


def resident(parts: int) -> None:
    """Print the size of blocks on disk and this process's memory (run in a process of its own)."""
    made = [made_block(seed, sentences=500) for seed in range(4)]
    size = sum(b.features.data.nbytes + b.features.indices.nbytes for b in made) / len(made)
    with SpooledBlocks(in_memory=1 << 26) as blocks:
        for part in range(parts):
            blocks.append(made[part % len(made)])
        found = fit(blocks, GAMMA * 20 * parts / 4, np.zeros(FEATURES), tolerance=1e-4)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(parts * 500 * CANDIDATES, parts * size / 2**20, peak, np.count_nonzero(found.weights))


def memory() -> list[str]:
    lines = [
        "Blocks beyond 64 MB stand in a temporary file; what grows with the list are the active "
        "columns and three numbers per candidate.",
        "",
        "| candidates | features on disk | peak memory | features selected |",
        "|---:|---:|---:|---:|",
    ]
    for parts in (8, 32, 96):
        command = [sys.executable, __file__, "--resident", str(parts)]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
        candidates, size, peak, used = done.stdout.split()
        lines.append(
            f"| {int(candidates):,} | {float(size):,.0f} MB | {float(peak):,.0f} MB | {used} |"
        )
    return lines


def transfer(data: Path) -> list[str]:
    metric = Bleu(tokenize="none")
    test_set = TestSet([read_texts(str(data / "ref.0"))])
    candidates = list(read_candidates(str(data / "nbest.gz")))
    start = np.array([float(n) for n in (data / "init.opt").read_text().split("\n")[0].split()])

    def by_weights(weights):
        return lambda problem: problem.score(weights)

    def chosen_by(model):
        def score(problem: Problem) -> float:
            places = [choice.place - 1 for choice in by_model([problem.nbest], model, "model")]
            return problem.score_of(problem.nbest.offsets[:-1] + places)

        return score

    last = []

    def log_linear(problem: Problem, _):
        with SpooledBlocks() as blocks:
            examples = collect([problem.nbest], test_set, metric, blocks)
            last[:] = [train(examples, metric, TrainPlan(seed=1))]
        return chosen_by(last[0].weights)

    def fit_alone(*_):
        """Take what was trained just before."""
        [training] = last
        weight = training.weights.get(training.length, 0.0) - training.shift
        return chosen_by({**training.weights, training.length: weight})

    def line_search(problem: Problem, space: WeightSpace):
        plan = MertPlan(starts=6)
        results = mert(problem, space, plan, threads=1)
        return by_weights(best_result(results, problem, space, plan).weights)

    methods = {
        "first candidates": lambda _, space: by_weights(space.start),
        "MERT, 6 starts": line_search,
        "PRO": lambda problem, space: by_weights(pro(problem, space, 1)),
        "MIRA": lambda problem, space: by_weights(mira(problem, space, 1)),
        "log-linear": log_linear,
        "log-linear without the search for length": fit_alone,
    }
    found = {name: [] for name in methods}
    size = len(test_set)
    divisions = [np.arange(size)] + [np.random.default_rng(s).permutation(size) for s in range(5)]
    for division in divisions:
        half = division % 2
        stores = [gather(c for c in candidates if half[int(c.id)] == number) for number in (0, 1)]
        problems = [Problem.of(store, test_set, metric) for store in stores]
        for here, there in (problems, problems[::-1]):
            space = WeightSpace.of(here.nbest.feature_names, start)
            for name, method in methods.items():
                before = time.process_time()
                score = method(here, space)
                spent = time.process_time() - before
                gain = score(there) - there.score(start)
                found[name].append((score(here), score(there), gain, spent))
    lines = [
        f"{data.name}, 14 features: BLEU on the half that was learnt from and on the other, mean "
        "of six divisions (even and odd, five at random) in both directions; the mean, standard "
        "deviation and least of the twelve gains over the first candidates of the other half; CPU "
        "seconds for one. The last row is the one before it without its last step.",
        "",
        "| | learnt from | other half | gain | least gain | CPU s |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, results in found.items():
        here, there, gain, spent = np.mean(results, axis=0)
        spread, least = np.std(results, axis=0)[2], np.min(results, axis=0)[2]
        lines.append(
            f"| {name} | {here:.2f} | {there:.2f} | {gain:+.2f} ({spread:.2f}) | {least:+.2f} "
            f"| {spent:.1f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser()
    default = HERE.parents[1] / "shared" / "data" / "nbest" / "multi30k-de-en-1014x100"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--resident", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.resident:
        resident(arguments.resident)
        return
    parts = [speed(), memory()]
    if arguments.data.is_dir():
        parts.append(transfer(arguments.data))
    text = "\n\n".join("\n".join(lines) for lines in parts) + "\n"
    print(text)
    if arguments.write:
        (HERE / "reranking.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
