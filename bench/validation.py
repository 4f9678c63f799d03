"""`weigh validate` from texts: CPU seconds of all cores, and seconds on the wall.

    python bench/validation.py [--data DIR] [--runs N] [--write]

DIR holds ref.en.gz, sys/*.en.gz and human-rnk.tsv.gz (default: ../shared/data/wmt12/es-en, 12
systems × 3,003 segments). All cores are used, and the least of N runs counts: on a busy machine
the wall says little. METEOR needs WordNet. --write puts the table into bench/validation.md.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from pathlib import Path

import weigh
from clock import command_times, cpu_time
from weigh.engine.threads import available_cores
from weigh.metrics.statistics import statistics
from weigh.read import read_texts

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt12/es-en")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command")
    parser.add_argument("--write", action="store_true", help="write bench/validation.md")
    arguments = parser.parse_args()
    reference = arguments.data / "ref.en.gz"
    if not reference.exists():
        sys.exit(f"{reference} is missing; name another folder with --data")
    paths = {path.name[:-6]: path for path in sorted((arguments.data / "sys").glob("*.en.gz"))}
    texts = read_texts(str(reference))
    systems = [
        weigh.System(name, weigh.Outputs(read_texts(str(path)))) for name, path in paths.items()
    ]
    # A process's first call learns the words, so that only one run tells what a command spends.
    matching = cpu_time(
        lambda: statistics(systems, weigh.TestSet([texts]), weigh.Meteor(), threads=1), 1
    )
    named = [f"{name}={path}" for name, path in paths.items()]
    command = [str(Path(sysconfig.get_path("scripts")) / "weigh"), "validate"]
    shared = ["--quiet", "-r", str(reference)]
    people = ["--human", str(arguments.data / "human-rnk.tsv.gz")]
    lines = [
        f"{len(systems)} systems × {len(texts):,} segments, from texts, {available_cores()} cores, "
        f"the least of runs: {arguments.runs}.",
        "",
        "| `weigh validate` | CPU s | wall s |",
        "|---|---:|---:|",
    ]

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    for name, options in (
        (
            "type1, BLEU: 2,000 pairs, 3 tests and 3 flawed ones",
            ["type1", "-m", "bleu", *named[:2]],
        ),
        ("the same, BLEU and chrF", ["type1", *named[:2]]),
        (
            "accuracy, BLEU, NIST, TER, chrF",
            ["accuracy", *people, "-m", "bleu,nist,ter,chrf", *named],
        ),
        ("the same, with METEOR", ["accuracy", *people, "-m", "bleu,nist,ter,meteor,chrf", *named]),
        (
            "power, BLEU, a difference of 1",
            ["power", "-m", "bleu", "--detect", "bleu=1", *named[:2]],
        ),
    ):
        times = command_times([*command, *options, *shared], arguments.runs)
        say(f"| {name} | {times.cpu:.1f} | {times.wall:.1f} |")
    say("")
    say(f"METEOR's own statistics of all systems take {matching:.1f} CPU seconds of this.")
    if arguments.write:
        (HERE / "validation.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
