"""Record the numbers of the questions in cases.py, and print what changed.

`python tests/golden/numbers/record.py --only 'compare/*'` records only the questions whose names
match.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from golden.numbers.cases import CASES, SHARED, prepare  # noqa: E402
from golden.numbers.paths import Numbers, differences, numbers  # noqa: E402


def recorded(group: str) -> dict[str, Numbers]:
    """The numbers of a group of questions by their names."""
    path = HERE / f"{group}.json"
    found: dict[str, Numbers] = json.loads(path.read_text()) if path.exists() else {}
    return found


def main(arguments: list[str]) -> None:
    """Ask the questions and write their numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*", metavar="PATTERN")
    pattern = parser.parse_args(arguments).only
    groups: dict[str, dict[str, Numbers]] = {case.group: {} for case in CASES.values()}
    for group in groups:
        groups[group] = {
            key: found for key, found in recorded(group).items() if key.partition(" (")[0] in CASES
        }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder)
        for name, case in CASES.items():
            if not fnmatch.fnmatch(name, pattern):
                continue
            if case.shared and not SHARED.is_dir():
                print(f"{name}: not recorded, since ../shared is not here")
                continue
            found = numbers(case.ask(folder))
            before = groups[case.group].get(case.key)
            changes = ["new"] if before is None else differences(before, found)
            for change in changes:
                print(f"{name}: {change}")
            groups[case.group][case.key] = found
    for group, found_of in groups.items():
        (HERE / f"{group}.json").write_text(_written(found_of))


def _written(group: dict[str, Any]) -> str:
    """A group as JSON with one line for each record."""
    cases = []
    for name in sorted(group):
        records = ",\n".join(
            f"  {json.dumps(record)}: {json.dumps(fields, separators=(',', ':'))}"
            for record, fields in group[name].items()
        )
        cases.append(f" {json.dumps(name)}: {{\n{records}\n }}")
    return "{\n" + ",\n".join(cases) + "\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
