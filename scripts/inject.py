"""Faults at the writes of every verb that writes: a full disk, a failing device, Ctrl-C, kill -9.

    python scripts/inject.py               at each write of every verb
    python scripts/inject.py --places 3    at three of them
    python scripts/inject.py --only train  the verbs with this word in their name

Afterwards a file must be complete or as it was before, and no other file may be left unless the
program was killed. The program must say why in one line and exit as documented, and the same
command must succeed when it runs again. Needs Linux and a C compiler. Exit code 1: a check failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.writes import FAULTS, VERBS, Injection, loaded


def main() -> int:
    """Run all verbs with all faults, and print a summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--places", type=int, help="so many writes of each verb (all)")
    parser.add_argument("--only", default="", metavar="WORD", help="verbs with this in their name")
    parser.add_argument(
        "--fault", default="", metavar="WORD", help="faults with this in their name"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="tell of every verb")
    arguments = parser.parse_args()
    code = loaded(__file__, sys.argv[1:])
    if code is not None:
        return code
    with tempfile.TemporaryDirectory() as folder:
        injection = Injection(Path(folder))
        injection.prepare()
        for verb in (verb for verb in VERBS if arguments.only in verb.name):
            for fault in (fault for fault in FAULTS if arguments.fault in fault):
                start = time.monotonic()
                injection.attack(verb, fault, arguments.places)
                if arguments.verbose:
                    runs, seconds = injection.runs[verb.name, fault], time.monotonic() - start
                    print(f"{verb.name}, {fault}: {runs} in {seconds:.1f} s", flush=True)
    for each in injection.wrong:
        print(f"== {each}")
    verbs = {verb for verb, _ in injection.runs}
    faults = {fault for _, fault in injection.runs}
    print(
        f"{injection.runs.total():,} runs of {len(verbs)} commands that write, each with one of "
        f"{len(faults)} faults at one of its writes; {len(injection.wrong)} went wrong."
    )
    return 1 if injection.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
