"""Comparing all pairs of systems against sacreBLEU and against NumPy: ratios in one run.

    python bench/comparing.py [--data DIR] [--write]

DIR holds ref.en.gz and sys/*.en.gz (default: ../shared/data/wmt12/es-en, 12 systems × 3,003
segments: 66 pairs). 10,000 trials, CPU time, one thread, minimum of several runs. --write puts
the table into bench/comparing.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one thread for everyone

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.significance import Result, _paired_ar_test

import weigh
from clock import cpu_time
from numpy_randomization import bleu_by_logs, bleu_by_roots, randomization_counts
from weigh._core import IntegerResampler
from weigh.engine.threads import run_in_parts
from weigh.metrics.statistics import statistics as statistics_of
from weigh.read import read_texts
from weigh.stats.randomization import randomization
from weigh.stats.resample import BLOCK
from weigh.stats.sample import Sample

HERE = Path(__file__).resolve().parent
TRIALS = 10_000


def sacrebleu_pair(reference, outputs, runs: int) -> float:
    """Return the time of sacreBLEU's randomization of one pair, statistics given."""
    metric = BLEU(references=[reference])
    stats = [np.array(metric._extract_corpus_statistics(texts, None)) for texts in outputs[:2]]
    result = metric._aggregate_and_compute(stats[0].tolist())
    metric._extract_corpus_statistics = lambda *_: stats[1].tolist()  # given, not timed
    baseline = {"BLEU": (stats[0], Result(result.score))}
    return cpu_time(
        lambda: _paired_ar_test(baseline, "B", outputs[1], None, {"BLEU": metric}, TRIALS, -1, 1),
        runs,
    )


def kernel_times(rows: np.ndarray, kernel: str) -> list[list[float]]:
    """Return the wall times of a kernel with one thread and with two, in turn many times.

    The library's own size of a part. In turn, because a shared machine's speed drifts; many,
    because two cores are seldom undisturbed at once, so that minima alone flatter one thread.
    """
    resampler = IntegerResampler(rows)

    def work(start: int, stop: int) -> None:
        getattr(resampler, kernel)(1, 0, start, stop - start)

    times: list[list[float]] = [[], []]
    for _ in range(31):
        for threads in (1, 2):
            start = time.perf_counter()
            run_in_parts(work, 4 * TRIALS, BLOCK, threads=threads)
            times[threads - 1].append(time.perf_counter() - start)
    return times


def limit() -> float | None:
    """Return the limit of table additions in billions a second, if there is a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "limit"
        command = ["c++", "-std=c++20", "-O3", str(HERE / "limit.cpp"), "-o", str(program)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def end_to_end(reference: Path, paths: list[Path], *options: str) -> tuple[float, float]:
    """Return CPU seconds and peak memory in MB of the command, from files."""
    weigh_command = str(Path(sysconfig.get_path("scripts")) / "weigh")
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "use = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(use.ru_utime + use.ru_stime, use.ru_maxrss / 1024)"
    )
    command = [sys.executable, "-c", program, weigh_command, "compare", "--quiet", *options]
    command += ["-r", str(reference), *map(str, paths)]
    seconds, memory = [], []
    for _ in range(3):
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds.append(float(out[0]))
        memory.append(float(out[1]))
    return min(seconds), max(memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt12/es-en")
    parser.add_argument("--write", action="store_true", help="write bench/comparing.md")
    arguments = parser.parse_args()
    reference_path = arguments.data / "ref.en.gz"
    if not reference_path.exists():
        sys.exit(f"{reference_path} is missing; name another folder with --data")
    paths = sorted((arguments.data / "sys").glob("*.en.gz"))
    reference = read_texts(str(reference_path))
    outputs = [read_texts(str(path)) for path in paths]
    systems = [weigh.System(p.name, weigh.Outputs(t)) for p, t in zip(paths, outputs, strict=True)]
    pairs = list(combinations(range(len(systems)), 2))
    metric = weigh.Bleu()
    rows = statistics_of(systems, weigh.TestSet([reference]), metric)
    sample = Sample(metric, tuple(s.name for s in systems), tuple((one,) for one in rows))
    lines = [
        f"{len(systems)} systems × {len(reference):,} segments, {len(pairs)} pairs, "
        f"{TRIALS:,} trials, CPU seconds, one thread, minimum of several runs.",
        "",
        "| randomization with BLEU, statistics given | seconds | weigh is faster by |",
        "|---|---:|---:|",
    ]

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    ours = cpu_time(lambda: randomization([sample], pairs, 1, trials=TRIALS, threads=1), 7)
    say(f"| weigh | {ours:.3f} | |")
    for name, bleu in (
        ("one float32 product, batched scores", bleu_by_logs),
        ("the same, with our short cuts in the score", bleu_by_roots),
    ):
        peer = cpu_time(lambda f=bleu: randomization_counts(rows, TRIALS, 1, f), 5)
        say(f"| NumPy ({name}) | {peer:.3f} | {peer / ours:.1f}× |")
    one_pair = sacrebleu_pair(reference, outputs, 2)
    theirs = one_pair * len(pairs)
    say(
        f"| sacreBLEU, one pair ({one_pair:.2f} s) × {len(pairs)} | {theirs:.0f} | "
        f"{theirs / ours:,.0f}× |"
    )

    together = np.ascontiguousarray(np.hstack(rows))
    say("")
    say(f"| kernel, {4 * TRIALS:,} trials of 120 columns, wall | 1 thread | 2 threads | ratio |")
    say("|---|---:|---:|---:|")
    for kernel in ("swapped_sums", "bootstrap_sums"):
        times = kernel_times(together, kernel)
        for kind, pick in (("median", statistics.median), ("minimum", min)):
            one, two = map(pick, times)
            name = f"{kernel}, {kind} of {len(times[0])}"
            say(f"| {name} | {one:.3f} | {two:.3f} | {one / two:.2f}× |")
    best = limit()
    if best is not None:
        resampler = IntegerResampler(together)
        seconds = cpu_time(lambda: resampler.swapped_sums(1, 0, 0, TRIALS), 7)
        additions = TRIALS * -(-len(reference) // 8) * -(-together.shape[1] // 16) / seconds / 1e9
        rate = TRIALS * len(reference) / seconds / 1e9
        say("")
        say(
            f"`swapped_sums` adds {rate:.2f} billion segment-rows of {together.shape[1]} columns a "
            f"second, {additions:.2f} billion table rows: {100 * additions / best:.0f}% of the "
            f"{best:.2f} billion that this machine can add from a table in its first-level cache."
        )
    say("")
    say("| `weigh compare` from files | CPU seconds | peak MB |")
    say("|---|---:|---:|")
    three = ["-m", "bleu,chrf,ter", "--test", "randomization,bootstrap", "--threads", "1"]
    seconds, memory = end_to_end(reference_path, paths, *three)
    say(f"| BLEU, chrF and TER, randomization and bootstrap | {seconds:.2f} | {memory:.0f} |")
    for trials in (100_000, 1_000_000):
        options = ["-m", "bleu", "--trials", str(trials), "--threads", "1"]
        seconds, memory = end_to_end(reference_path, paths[:3], *options)
        say(f"| BLEU, 3 systems, {trials:,} trials | {seconds:.2f} | {memory:.0f} |")
    if arguments.write:
        (HERE / "comparing.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
