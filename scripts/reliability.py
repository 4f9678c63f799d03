"""Try to break weigh in many ways, and write the results into docs/reliability.md.

    python scripts/reliability.py                 the parts that take minutes
    python scripts/reliability.py writes load     these parts; the others' rows stay as they are
    python scripts/reliability.py lowest threads  those that take half an hour, or compile the core
    python scripts/reliability.py --minutes 10    time for each of the two open-ended parts

The last line with figures that a part prints becomes its row of the table. Exit code 1: a part
failed, and its row says so.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = _ROOT / "docs" / "reliability.md"
_START, _END = "<!-- table: scripts/reliability.py -->\n", "<!-- end of table -->\n"
_HEAD = "| Test | Result | Minutes |\n| --- | --- | ---: |\n"


@dataclass(frozen=True)
class Part:
    """One row of the table: its title, its command, and a pattern for the figures printed."""

    what: str
    command: str
    figures: str
    is_long: bool = False


_PASSED = r"\d+ passed(?:, \d+ skipped)?"
_TESTS = "{python} -m pytest -q -p no:cacheprovider "
PARTS = {
    "files": Part(
        "[Damaged files](#damaged-files) of every kind that is read",
        "{python} scripts/fuzz.py --minutes {minutes} --seed {seed}",
        r"\d[\d,]* damaged files.*",
    ),
    "core": Part(
        "[Odd arguments](#odd-arguments-for-the-core) for the core",
        "{python} scripts/fuzz.py --core --minutes {minutes} --seed {seed}",
        r"\d[\d,]* sets of arguments.*",
    ),
    "writes": Part(
        "[Faults at writes](#faults-at-writes) of every verb that writes",
        "{python} scripts/inject.py",
        r"\d[\d,]* runs of .*",
    ),
    "load": Part(
        "100 people who judge at once, as fast as they are served, on SQLite",
        "{python} bench/serve.py --only sqlite --no-bare --flat-out-only --judgments 5000",
        r"\d+ lost, \d+ double, .*",
    ),
    "kills": Part(
        "`kill -9` of the judgment page while 4 people judge, of `weigh tune --decoder` again and "
        "again, and of programs that write",
        _TESTS + "-k kill tests/unit/web/test_faults.py tests/unit/test_files.py "
        "tests/e2e/test_tune_decoder.py",
        _PASSED,
    ),
    "threads": Part(
        "Races between threads, by the thread sanitizer",
        "bash scripts/sanitize.sh --threads",
        _PASSED,
        is_long=True,
    ),
    "lowest": Part(
        "All tests with the [lowest versions](#lowest-versions) that `pyproject.toml` allows",
        "bash scripts/test_lowest.sh",
        _PASSED,
        is_long=True,
    ),
}


def main() -> int:
    """Run the parts and write their rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}")
    parser.add_argument("--minutes", type=float, default=2.0, help="for files and core each (2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of damage and arguments (1)")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    chosen = arguments.parts or [name for name, part in PARTS.items() if not part.is_long]
    failed = 0
    for name in chosen:
        start = time.monotonic()
        command = PARTS[name].command.format(
            python=sys.executable, minutes=arguments.minutes, seed=arguments.seed
        )
        done = subprocess.run(
            command.split(), cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
        found = re.findall(PARTS[name].figures, done.stdout)
        failed += done.returncode != 0
        said = found[-1].rstrip(".") if found else "nothing"
        result = said if done.returncode == 0 else f"failed: {said}"
        print(f"{name}: {result}", flush=True)
        if done.returncode:
            print(done.stdout[-3000:], flush=True)
        _write(PARTS[name].what, result, (time.monotonic() - start) / 60)
    return 1 if failed else 0


def _write(what: str, result: str, minutes: float) -> None:
    """Replace one row of the table, in the order of the parts."""
    before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_START)
    table, _, after = rest.partition(_END)
    rows = {line.split(" | ")[0][2:]: line for line in table.split("\n") if line.startswith("| ")}
    rows[what] = f"| {what} | {result} | {minutes:.1f} |"
    lines = [rows[part.what] for part in PARTS.values() if part.what in rows]
    page = f"{before}{_START}\n{_HEAD}{chr(10).join(lines)}\n\n{_END}{after}"
    _PAGE.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
