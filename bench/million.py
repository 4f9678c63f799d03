"""A million segments: time and peak memory by size, each size in a process of its own.

    python bench/million.py [--write]

The texts are made on the spot. Beside the peak stand what is unavoidable: the texts as Python
holds them, once, and the rows. --write puts the table into bench/million.md.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (125_000, 250_000, 500_000, 1_000_000)
METRICS = ("bleu", "chrf", "ter")
HERE = Path(__file__).resolve().parent


def make(folder: Path, size: int) -> None:
    """Write a reference and a system's output of so many segments."""
    import numpy as np

    rng = np.random.default_rng(7)
    vocabulary = np.array([f"word{i}" for i in range(50_000)], dtype=object)
    with (folder / "ref").open("w") as ref, (folder / "out").open("w") as out:
        for _ in range(0, size, 5_000):
            lengths = rng.integers(5, 40, 5_000)
            for length in lengths:
                places = (rng.pareto(1.1, length) * 3).astype(int) % len(vocabulary)
                words = list(vocabulary[places])
                ref.write(" ".join(words) + ".\n")
                words[::4] = vocabulary[rng.integers(0, 1000, len(words[::4]))]
                out.write(" ".join(words) + ".\n")


def measure(folder: Path, metric: str) -> None:
    """Print seconds, peak, and the sizes of texts and rows in MB: run in a process of its own."""
    import weigh
    from weigh.metrics.statistics import statistics
    from weigh.read import read_texts

    weigh.parse_metric(metric)
    import numpy  # noqa: F401  (its memory is not ours)

    base = peak()
    start = time.process_time()
    texts = [read_texts(str(folder / name)) for name in ("ref", "out")]
    held = sum(sys.getsizeof(text) + 8 for column in texts for text in column)
    [rows] = statistics(
        [weigh.System("A", weigh.Outputs(texts[1]))],
        weigh.TestSet([texts[0]]),
        weigh.parse_metric(metric),
        threads=1,
    )
    seconds = time.process_time() - start
    print(seconds, peak() - base, held / 1e6, rows.nbytes / 1e6)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(Path(arguments.measure[0]), arguments.measure[1])
        return
    table = [
        "Reading and counting one system against one reference, CPU seconds, one thread.",
        "",
        "| metric | segments | seconds | µs each | peak MB | texts + rows MB | peak over both |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            make(Path(name), size)
            for metric in METRICS:
                command = [sys.executable, __file__, "--measure", name, metric]
                printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                seconds, peak_mb, texts, rows = map(float, printed.split())
                table.append(
                    f"| {metric} | {size:,} | {seconds:.2f} | {1e6 * seconds / size:.2f} | "
                    f"{peak_mb:.0f} | {texts:.0f} + {rows:.0f} | {peak_mb / (texts + rows):.2f} |"
                )
                print(table[-1], flush=True)
    if arguments.write:
        (HERE / "million.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
