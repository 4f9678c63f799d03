"""Tests held against people, samples and equal systems: the tables of docs/validation.md.

    python scripts/validate.py DATA           print the tables
    python scripts/validate.py DATA --write   put them into the page

DATA holds the outputs and rankings of the WMT 2012 as the page describes them. It takes about two
minutes on two cores and runs the `weigh` that is installed beside this Python. Only numbers and
names of systems are written, no texts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"
# METEOR's other stages need WordNet and paraphrases, which not every machine has.
METRICS = "bleu,nist,ter,chrf,meteor:language={}:stages=exact+stem:normalize"
SOURCES = ("cs", "de", "fr")


def systems(data: Path, folder: str, language: str, prefix: str = "") -> list[str]:
    """Return NAME=FILE for every system of a folder, named as people's rankings name it."""
    files = sorted((data / folder / "sys").iterdir())
    ending = f".{language}.gz"
    return [f"{prefix}{path.name.removesuffix(ending)}={path.relative_to(data)}" for path in files]


def commands(data: Path) -> dict[str, list[str]]:
    """Return what makes each table, by the table's name on the page."""
    made = {}
    for pair, language in (("es-en", "en"), ("en-es", "es")):
        folder = f"wmt12/{pair}"
        made[f"accuracy {pair}"] = [
            *("accuracy", "-m", METRICS.format(language), "--human", f"{folder}/human-rnk.tsv.gz"),
            *("-r", f"{folder}/ref.{language}.gz", *systems(data, folder, language)),
        ]
    reference = "wmt12/es-en/ref.en.gz"
    together = systems(data, "wmt12/es-en", "en", "es-")
    for source in SOURCES:
        together += systems(data, f"wmt12-same-reference/{source}-en", "en", f"{source}-")
    made["samples"] = ["samples", "-m", "bleu", "-r", reference, *together]
    pair_of = [f"wmt12/es-en/sys/{name}.en.gz" for name in ("uedin-wmt12", "UPC")]
    made["type1"] = ["type1", "-m", "bleu", "-r", reference, *pair_of]
    return made


def run(data: Path, arguments: Sequence[str]) -> str:
    """Return what a command prints as Markdown."""
    weigh = Path(sys.executable).with_name("weigh")
    done = subprocess.run(
        [weigh, "validate", *arguments, "--format", "markdown"],
        cwd=data,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    # The page has headings of its own above these.
    return done.stdout.replace("### ", "##### ")


def replaced(page: str, name: str, text: str) -> str:
    """Return the page with a table in its place."""
    start, end = f"<!-- table: {name} -->\n", "<!-- end of table -->\n"
    before, found, rest = page.partition(start)
    if not found:
        raise SystemExit(f"{PAGE.name}: no place for the table {name!r}")
    return f"{before}{start}\n{text}\n{end}{rest.partition(end)[2]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    chosen = parser.parse_args(arguments)
    page = PAGE.read_text(encoding="utf-8")
    for name, command in commands(chosen.data).items():
        text = run(chosen.data, command)
        if not chosen.write:
            print(f"## {name}\n\n{text}")
        page = replaced(page, name, text)
    if chosen.write:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
