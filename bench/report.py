"""The page of a comparison: how large it is, and what it costs beyond the comparison itself.

    python bench/report.py [--data DIR] [--write]

DIR holds ref.en.gz and sys/*.en.gz (default: ../shared/data/wmt12/es-en, 12 systems × 3,003
segments). BLEU, chrF and TER, 10,000 trials, CPU time, minimum of several runs. --write puts the
table into bench/report.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy

import weigh
from clock import cpu_time
from weigh.comparing.compare_result import CompareResult
from weigh.read import read_texts
from weigh.report.view import parse_result

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt12/es-en")
    parser.add_argument("--write", action="store_true", help="write bench/report.md")
    arguments = parser.parse_args()
    reference = arguments.data / "ref.en.gz"
    if not reference.exists():
        sys.exit(f"{reference} is missing; name another folder with --data")
    paths = sorted((arguments.data / "sys").glob("*.en.gz"))
    systems = [weigh.System(p.name, weigh.Outputs(read_texts(str(p)))) for p in paths]
    test_set = weigh.TestSet([read_texts(str(reference))])
    metrics = [weigh.Bleu(), weigh.Chrf(), weigh.Ter()]

    def compare(details: bool) -> CompareResult:
        return weigh.compare(systems, test_set, metrics, details=details, threads=1)

    result = compare(True)
    saved = result.to_json()
    plain, whole = (cpu_time(lambda d=d: compare(d), 3) for d in (False, True))
    made = cpu_time(result.to_html, 3)
    lines = [
        f"{len(systems)} systems × {len(test_set):,} segments × {len(metrics)} metrics, 10,000 "
        "trials, CPU seconds, one thread, minimum of three.",
        "",
        "| | seconds |",
        "|---|---:|",
        f"| comparison alone | {plain:.2f} |",
        f"| details for the page | {whole - plain:.2f} |",
        f"| making the page, {len(result.to_html().encode()) / 1e6:.1f} MB | {made:.2f} |",
        f"| all of it | {whole + made:.2f} |",
        f"| writing the JSON with details, {len(saved.encode()) / 1e6:.1f} MB | "
        f"{cpu_time(result.to_json, 3):.2f} |",
        f"| reading it back | {cpu_time(lambda: parse_result(saved, 'result'), 3):.2f} |",
    ]
    print("\n".join(lines))
    if arguments.write:
        (HERE / "report.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
