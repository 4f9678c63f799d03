"""Long tables: what reading and joining costs, and all pairs of a hundred systems.

    python bench/tables.py [--systems 100] [--write]

The table is made up: systems × 20 data sets × 500 items × 5 runs, passed or not. It is read as CSV
and JSON lines by Python alone and with pyarrow, and as Parquet, beside polars; each reading is a
process of its own.
--write puts the figures into bench/tables.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from clock import cpu_time
from weigh import compare

HERE = Path(__file__).resolve().parent
DATA_SETS, ITEMS, RUNS = 20, 500, 5
TRIALS = 100_000

# What one process does: it prints CPU seconds and the most memory that it took, in MB.
READ = """
import json, sys, time
for name in {absent}:
    sys.modules[name] = None
import weigh
before = time.process_time()
weigh.dataset({path!r})
print(json.dumps(time.process_time() - before))
"""
# The same by polars: items and data sets in rows, systems and runs in columns.
POLARS = """
import json, time
import polars as pl
before = time.process_time()
table = pl.{read}({path!r})
table.pivot(["model", "seed"], index=["dataset", "id"], values="passed")
print(json.dumps(time.process_time() - before))
"""
# Not by getrusage, which counts what the parent had when it started the process.
PEAK = """
lines = open("/proc/self/status").read().split("\\n")
print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")))
"""
COMPARE = """
import json, sys, time
import weigh
before = time.process_time()
weigh.compare({path!r}, system="model", item="id", run="seed", score="passed", slice="",
              trials={trials}, threads=1)
print(json.dumps(time.process_time() - before))
"""


def write_table(systems: int, folder: Path) -> tuple[Path, Path, Path]:
    """Write the table as CSV, JSON lines and Parquet; ids are different in all data sets."""
    import pyarrow
    import pyarrow.csv
    from pyarrow import parquet

    rng = np.random.default_rng(1)
    place = np.arange(systems * DATA_SETS * ITEMS * RUNS)
    run, item = place % RUNS, place // RUNS % (DATA_SETS * ITEMS)
    system = place // (RUNS * DATA_SETS * ITEMS)
    passed = rng.random(len(place)) < 0.4 + 0.2 * system / systems
    columns = {
        "model": [f"model-{number}" for number in system.tolist()],
        "dataset": [f"set-{number}" for number in (item // ITEMS).tolist()],
        "id": item.tolist(),
        "seed": run.tolist(),
        "passed": passed.tolist(),
    }
    lines, columnar = folder / "table.jsonl", folder / "table.parquet"
    parquet.write_table(pyarrow.table(columns), columnar)
    pyarrow.csv.write_csv(pyarrow.table(columns), folder / "table.csv")
    with lines.open("w", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
    return folder / "table.csv", lines, columnar


def measured(code: str) -> tuple[float, float]:
    """Return the CPU seconds and MB of a process."""
    command = [sys.executable, "-c", code + PEAK]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = map(json.loads, done.stdout.split())
    return seconds, peak


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if importlib.util.find_spec("pyarrow") is None:
        raise SystemExit("pyarrow is needed to write the table")
    rng = np.random.default_rng(2)
    few = {name: rng.random(100_000) for name in "ABC"}
    whole = {name: rng.integers(0, 2, 100_000) for name in "ABC"}
    compare({name: scores[:100] for name, scores in few.items()}, threads=1)  # imports
    rows = arguments.systems * DATA_SETS * ITEMS * RUNS
    lines = [
        f"{arguments.systems} systems × {DATA_SETS} data sets × {ITEMS} items × {RUNS} runs, "
        f"{rows:,} rows.",
        "",
        "| | CPU s | peak MB |",
        "|---|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        csv, jsonl, columnar = map(str, write_table(arguments.systems, Path(folder)))
        absent = ("pyarrow", "polars")
        figures = {
            "read and join CSV, Python alone": READ.format(path=csv, absent=absent),
            "read and join CSV, with pyarrow": READ.format(path=csv, absent=()),
            "polars: read and pivot CSV": POLARS.format(path=csv, read="read_csv"),
            "read and join JSON lines, Python alone": READ.format(path=jsonl, absent=absent),
            "read and join JSON lines, with pyarrow": READ.format(path=jsonl, absent=()),
            "polars: read and pivot JSON lines": POLARS.format(path=jsonl, read="read_ndjson"),
            "read and join Parquet": READ.format(path=columnar, absent=()),
            "polars: read and pivot Parquet": POLARS.format(path=columnar, read="read_parquet"),
            f"`compare` all pairs, {TRIALS:,} trials, reading Parquet": COMPARE.format(
                path=columnar, trials=TRIALS
            ),
        }
        for name, code in figures.items():
            seconds, peak = measured(code)
            lines.append(f"| {name} | {seconds:.1f} | {peak:,.0f} |")
            print(lines[-1], flush=True)
    for name, scores in (("real scores", few), ("passed or not", whole)):
        seconds = cpu_time(lambda scores=scores: compare(scores, threads=1), 3)
        lines.append(f"| three arrays of 100,000, {name}, 10,000 trials | {seconds:.1f} | |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if arguments.write:
        (HERE / "tables.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
