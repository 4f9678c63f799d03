"""GTM: CPU time of one system, references included; the limit is 0.1 s.

    python bench/gtm.py [--data DIR] [--write]

DIR holds ref.en.gz and sys/*.en.gz (default: ../shared/data/wmt13/es-en, 3,000 segments). The
time is that of the slowest system. --write puts the table into bench/gtm.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from clock import cpu_time
from weigh import Gtm, Outputs, System, TestSet
from weigh.metrics.statistics import statistics
from weigh.read import read_texts

HERE = Path(__file__).resolve().parent
LIMIT = 0.1


def time_of(metric: Gtm, test_set: TestSet, texts: tuple[str, ...]) -> float:
    """Return the time from texts to rows."""
    system = System("A", Outputs(texts))
    return cpu_time(lambda: statistics([system], test_set, metric, threads=1), 5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt13/es-en")
    parser.add_argument("--write", action="store_true", help="write bench/gtm.md")
    arguments = parser.parse_args()
    reference_path = arguments.data / "ref.en.gz"
    if not reference_path.exists():
        sys.exit(f"{reference_path} is missing; name another folder with --data")
    paths = sorted((arguments.data / "sys").glob("*.en.gz"))
    reference = read_texts(str(reference_path))
    outputs = [read_texts(str(path)) for path in paths]
    table = [
        f"{len(reference):,} segments, CPU seconds, one thread, minimum of five runs, the slowest "
        f"of {len(paths)} systems; the limit is {LIMIT} s.",
        "",
        "| references | exponent | seconds |",
        "|---:|---:|---:|",
    ]
    slowest = 0.0
    for references in (1, 4):
        # Outputs of other systems serve as further references.
        test_set = TestSet([reference, *outputs][:references])
        for exponent in (1.0, 1.5, 2.0):
            seconds = max(time_of(Gtm(exponent), test_set, texts) for texts in outputs)
            table.append(f"| {references} | {exponent:g} | {seconds:.3f} |")
            slowest = max(slowest, seconds)
    text = "\n".join(table) + "\n"
    print(text, end="")
    if arguments.write:
        (HERE / "gtm.md").write_text(text)
    return slowest > LIMIT


if __name__ == "__main__":
    sys.exit(main())
