"""Damaged files of every kind that weigh reads, and odd arguments for its kernels.

    python scripts/fuzz.py                      ten inputs of each kind of file
    python scripts/fuzz.py --minutes 30 --seed 7
    python scripts/fuzz.py --only statistics    the kinds whose name has this word in it
    python scripts/fuzz.py --only reranker --replay build/fuzz/reranker-1
    python scripts/fuzz.py --core --minutes 5   arguments for kernels instead of files

weigh writes valid files, a seeded generator (tests/fuzzing) damages them, and this process reads
them. A fault is any exception other than weigh's own errors, more than ten seconds of processor
time or 2 GB, or control characters on the terminal. The input of a fault is kept in a file.
scripts/sanitize.sh --fuzz runs --core under sanitizers, which find errors in memory.
Exit code 1: there were faults.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.attack import Attack, Fault
from fuzzing.files import Kind
from fuzzing.kernels import CASES, attempt

_ROOT = Path(__file__).resolve().parents[1]
_BATCH = 10


def main() -> int:
    """Try inputs until the time is over, and print a summary."""
    arguments = _arguments()
    if arguments.core:
        print(_attack_core(arguments))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        attack = Attack(Path(folder), arguments.seed)
        kinds = [kind for kind in attack.kinds if arguments.only in kind.name]
        if not kinds:
            print(f"no kind of file has {arguments.only!r} in its name", file=sys.stderr)
            return 2
        if arguments.replay:
            faults = attack.replay(kinds, arguments.replay.read_bytes())
        else:
            faults = _tried(attack, kinds, arguments.inputs, arguments.minutes)
        places: Counter[str] = Counter()
        for fault in faults:
            places[fault.place] += 1
            if places[fault.place] == 1:
                kept = _kept(fault, arguments.faults)
                print(f"== {fault.kind}: {kept}\n{fault.said.rstrip()}", flush=True)
    print(_summary(attack, arguments.seed, places))
    return 1 if places else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, help="go on for so long")
    parser.add_argument("--inputs", type=int, default=_BATCH, help="inputs of each kind (10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the damage (1)")
    parser.add_argument("--only", default="", metavar="WORD", help="kinds with this in their name")
    parser.add_argument("--core", action="store_true", help="kernels instead of files")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="read this input alone")
    parser.add_argument(
        "--faults", type=Path, default=_ROOT / "build" / "fuzz", help="folder of inputs at fault"
    )
    return parser.parse_args()


def _tried(
    attack: Attack, kinds: list[Kind], inputs: int, minutes: float | None
) -> Iterator[Fault]:
    """Yield the faults of a number of inputs of every kind, or of as many as the time allows."""
    if minutes is None:
        for kind in kinds:
            yield from attack.inputs(kind, inputs)
        return
    end = time.monotonic() + 60 * minutes
    start = 0
    while time.monotonic() < end:
        for kind in kinds:
            yield from attack.inputs(kind, _BATCH, start)
            if time.monotonic() >= end:
                return
        start += _BATCH


def _attack_core(arguments: argparse.Namespace) -> str:
    """Try arguments for kernels. A file records them first, in case they end the process."""
    end = time.monotonic() + 60 * (arguments.minutes or 0)
    arguments.faults.mkdir(parents=True, exist_ok=True)
    taken = number = 0
    with (arguments.faults / "core").open("w") as last:
        while number < arguments.inputs if arguments.minutes is None else time.monotonic() < end:
            for case in CASES:
                last.seek(0)
                last.write(f"{case} {arguments.seed}/{number}\n")
                last.flush()
                taken += attempt(case, f"{arguments.seed}/{number}")
            number += 1
    tried = number * len(CASES)
    return (
        f"{tried:,} sets of arguments for {len(CASES)} groups of kernels (seed {arguments.seed}): "
        f"{taken:,} were accepted, {tried - taken:,} rejected."
    )


def _kept(fault: Fault, folder: Path) -> Path:
    """Write an input to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"\W+", "-", fault.kind)
    number = 1
    while (path := folder / f"{stem}-{number}").exists():
        number += 1
    path.write_bytes(fault.content)
    return path


def _summary(attack: Attack, seed: int, places: Counter[str]) -> str:
    tried = attack.tried.total()
    read = sum(count for code, count in attack.codes.items() if code not in (1, 2))
    refused = attack.codes[1] + attack.codes[2]
    return (
        f"{tried:,} damaged files of {len(attack.tried)} kinds (seed {seed}): {read:,} were read, "
        f"{refused:,} rejected with a one-line error; {places.total():,} faults in {len(places)} "
        "places."
    )


if __name__ == "__main__":
    sys.exit(main())
