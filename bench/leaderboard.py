"""A leaderboard: 134 systems × 500 items, all 8,911 pairs, from a CSV file to the printed ranking.

    python bench/leaderboard.py [--write]

The data are made here: abilities on a line, items of different difficulty. CPU time of whole
commands on one thread, the least of five runs, beside the start of Python with NumPy and SciPy's
exact test of the same pairs. --write puts the table into bench/leaderboard.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import sysconfig
import tempfile
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one thread for everyone

import numpy as np
from scipy.stats import binomtest

from clock import command_time, cpu_time

HERE = Path(__file__).resolve().parent
SYSTEMS, ITEMS = 134, 500
RUNS = 5


def scores() -> tuple[np.ndarray, np.ndarray]:
    """Return pass/fail and real-valued scores, systems × items."""
    rng = np.random.default_rng(1)
    ability, difficulty = np.linspace(-1.5, 1.5, SYSTEMS), rng.normal(0, 1.2, ITEMS)
    chance = 1 / (1 + np.exp(difficulty - ability[:, None]))
    passed = rng.random(chance.shape) < chance
    return passed.astype(int), chance + rng.normal(0, 0.3, chance.shape)


def write_table(path: Path, values: np.ndarray) -> Path:
    rows = [
        f"system {s},item {i},{value!r}\n"
        for s, row in enumerate(values.tolist())
        for i, value in enumerate(row)
    ]
    path.write_text("model,item,score\n" + "".join(rows))
    return path


def mcnemar_tests(passed: np.ndarray) -> list[float]:
    """Return SciPy's exact p-value of every pair."""
    p_values = []
    for a, b in combinations(passed, 2):
        wins, losses = int((a > b).sum()), int((a < b).sum())
        p_values.append(binomtest(wins, wins + losses).pvalue if wins + losses else 1.0)
    return p_values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write bench/leaderboard.md")
    arguments = parser.parse_args()
    weigh = str(Path(sysconfig.get_path("scripts")) / "weigh")
    passed, real = scores()
    with tempfile.TemporaryDirectory() as folder:
        pass_fail = str(write_table(Path(folder) / "passed.csv", passed))
        real_valued = str(write_table(Path(folder) / "real.csv", real))
        page = str(Path(folder) / "page.html")

        def compare(table: str, *options: str) -> float:
            return command_time([weigh, "compare", table, "--threads", "1", *options], RUNS)

        rows = {
            "start of Python with NumPy": command_time(
                [sys.executable, "-c", "import numpy"], RUNS
            ),
            "pass/fail, `--brief`": compare(pass_fail, "--brief"),
            "pass/fail": compare(pass_fail),
            "pass/fail, `--format json`": compare(pass_fail, "--format", "json"),
            "pass/fail, `--html`": compare(pass_fail, "--html", page),
            "real-valued, `--brief`": compare(real_valued, "--brief"),
            "SciPy: exact test of the 8,911 pass/fail pairs alone": cpu_time(
                lambda: mcnemar_tests(passed), 1
            ),
        }
        size = Path(page).stat().st_size / 1e6
    lines = [
        f"{SYSTEMS} systems × {ITEMS} items, all {SYSTEMS * (SYSTEMS - 1) // 2:,} pairs tested, "
        f"with intervals and ranks. CPU seconds of whole commands, one thread, least of {RUNS}. "
        f"The page has {size:.2f} MB.",
        "",
        "| | seconds |",
        "|---|---:|",
        *(f"| {name} | {seconds:.2f} |" for name, seconds in rows.items()),
    ]
    print("\n".join(lines))
    if arguments.write:
        (HERE / "leaderboard.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
