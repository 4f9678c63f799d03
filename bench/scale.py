"""How time and memory grow with segments, systems, trials and candidates, with fitted exponents.

    python bench/scale.py [--large] [--write]

Statistics are drawn and not counted, so that what is measured is comparing and tuning; counting is
in bench/million.md. Every size has a process of its own, one thread, and the least of three runs.
An exponent is the slope of log time over log size, from the three largest sizes: 1 is linear.
--write puts the tables into bench/scale.md, and draws them (bench/growth.py). About three minutes.

--large measures the jobs of bench/large.py instead, each once, with all cores: half an hour on two
idle cores, 12 GB of memory and 6 GB of disk. --job NAME measures those alone whose names hold that.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import large
from clock import cpu_time
from growth import draw, exponent

RUNS = 3
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Job:
    """A comparison by BLEU: both tests, an interval of every pair."""

    segments: int = 2_000
    systems: int = 8
    trials: int = 2_000
    baseline: bool = False


@dataclass(frozen=True)
class Dimension:
    """What grows, in which job, and by which sizes."""

    name: str
    job: Job
    field: str
    sizes: tuple[int, ...]

    def of(self, size: int) -> Job:
        """Return the job of a size."""
        return replace(self.job, **{self.field: size})


COMPARED = (
    Dimension("segments", Job(), "segments", (8_000, 16_000, 32_000, 64_000)),
    Dimension("systems, with a baseline", Job(baseline=True), "systems", (16, 32, 64, 128)),
    Dimension("systems, all pairs", Job(), "systems", (16, 32, 64, 128)),
    Dimension("trials", Job(), "trials", (16_000, 32_000, 64_000, 128_000)),
)
CANDIDATES = (100_000, 200_000, 400_000, 800_000)


def compare(job: Job) -> Callable[[], object]:
    """Return the work of a job on drawn statistics."""
    import numpy as np

    import weigh
    from weigh.comparing.dataset import Dataset
    from weigh.stats.sample import Sample

    rng = np.random.default_rng(7)
    rows = []
    for system in range(job.systems):
        length = rng.integers(5, 40, job.segments)
        totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
        matches = rng.binomial(totals, (0.6 + 0.0005 * system) ** np.arange(1, 5))
        rows.append((np.column_stack([length, length, matches, totals]),))
    names = tuple(f"S{system}" for system in range(job.systems))
    measured = Dataset.of_samples([Sample(weigh.Bleu(), names, tuple(rows))], references=1)
    options: dict[str, Any] = {"baseline": "S0"} if job.baseline else {}
    tests = ("randomization", "bootstrap")
    return lambda: weigh.compare(measured, trials=job.trials, tests=tests, threads=1, **options)


def tune(candidates: int) -> Callable[[], object]:
    """Return the work of MERT on a drawn list of a thousand segments."""
    import numpy as np

    from weigh.metrics.bleu import Bleu
    from weigh.tuning.mert import MertPlan, mert
    from weigh.tuning.nbest import NBest, SparseFeatures
    from weigh.tuning.problem import Problem
    from weigh.tuning.weights import WeightSpace

    rng = np.random.default_rng(7)
    segments, features = 1_000, 8
    names = tuple(f"f{feature}" for feature in range(features))
    length = rng.integers(5, 40, candidates)
    totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
    matches = rng.binomial(totals, 0.6 ** np.arange(1, 5))
    values = np.asfortranarray(rng.normal(matches[:, :1], 6.0, (candidates, features)))
    none = SparseFeatures(
        (), np.zeros(candidates + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    )
    nbest = NBest(
        ids=tuple(map(str, range(segments))),
        offsets=np.linspace(0, candidates, segments + 1).astype(np.int64),
        texts=("",) * candidates,
        text_segments=np.zeros(candidates, np.int64),
        hypotheses=np.arange(candidates, dtype=np.int32),
        names=names,
        features=values,
        sparse=none,
    )
    rows = np.ascontiguousarray(np.column_stack([length, length, matches, totals]))
    problem = Problem(nbest, rows, Bleu())
    plan = MertPlan(starts=2, directions=30)
    return lambda: mert(problem, WeightSpace.of(names), plan, threads=1)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def measure(number: int, size: int) -> None:
    """Print the seconds of a job and the peak of this process's memory, in MB."""
    work = compare(COMPARED[number].of(size)) if number < len(COMPARED) else tune(size)
    work()  # which imports what it needs
    print(cpu_time(work, RUNS), peak())


def measured(number: int, size: int) -> tuple[float, float]:
    command = [sys.executable, __file__, "--measure", str(number), str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def table(title: str, number: int, sizes: tuple[int, ...]) -> list[str]:
    lines = [f"| {title} | CPU seconds | peak MB |", "|---:|---:|---:|"]
    points = []
    for size in sizes:
        seconds, memory = measured(number, size)
        points.append((size, seconds))
        lines.append(f"| {size:,} | {seconds:.2f} | {memory:.0f} |")
        print(title, lines[-1], flush=True)
    found = f"Exponent: {exponent(points[-3:]):.2f}."
    print(found)
    return [*lines, "", found, ""]


LARGE = "## Large jobs\n"


def large_tables(part: str) -> list[str]:
    """Return a table for every large job whose name holds a part."""
    lines = [
        LARGE,
        "Commands on files, all cores (two), each measured once; CPU seconds are of all cores "
        "together, and memory",
        "is the peak of the process (`python bench/scale.py --large`).",
        "",
    ]
    for name, sizes in large.JOBS.items():
        if part not in name:
            continue
        lines += [f"| {name} | CPU seconds | on the wall | peak MB |", "|---:|---:|---:|---:|"]
        points = []
        for size in sizes:
            cost = large.measured(name, size)
            points.append((size, cost.cpu))
            lines.append(f"| {size:,} | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.memory:,.0f} |")
            print(name, lines[-1], flush=True)
        lines += ["", f"Exponent: {exponent(points):.2f}.", ""]
    return lines


def write(lines: list[str], *, is_large: bool) -> None:
    """Put one half of bench/scale.md anew, and draw both."""
    path = HERE / "scale.md"
    first, _, second = path.read_text(encoding="utf-8").partition(LARGE)
    text = "\n".join(lines).rstrip("\n") + "\n"
    halves = (first.rstrip("\n") + "\n", text) if is_large else (text, second and LARGE + second)
    path.write_text("\n".join(filter(None, halves)), encoding="utf-8")
    draw()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--large", action="store_true", help="the large jobs instead")
    parser.add_argument("--job", default="", help="only large jobs whose names hold this")
    parser.add_argument("--measure", nargs=2, type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(*arguments.measure)
        return
    if arguments.large:
        lines = large_tables(arguments.job)
        if arguments.write and not arguments.job:
            write(lines, is_large=True)
        return
    job = Job()
    lines = [
        "# How time and memory grow",
        "",
        f"Comparing {job.systems} systems on {job.segments:,} segments by BLEU with {job.trials:,} "
        "trials of both tests, where nothing else is",
        "said; one thread, the least of three runs. Memory is that of the whole process, of which "
        "Python and NumPy take",
        "about 40 MB. Exponents are of the three largest sizes.",
        "",
    ]
    for number, dimension in enumerate(COMPARED):
        lines += table(dimension.name, number, dimension.sizes)
    lines += ["MERT from two starts on a list of 1,000 segments with 8 features:", ""]
    lines += table("candidates", len(COMPARED), CANDIDATES)
    if arguments.write:
        write(lines, is_large=False)


if __name__ == "__main__":
    main()
