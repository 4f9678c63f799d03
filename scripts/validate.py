"""Compare tests with people, samples and equal systems: the tables of docs/validate.md.

    python scripts/validate.py DATA           print the tables
    python scripts/validate.py DATA --write   put them into the page

DATA holds the outputs and rankings of the WMT 2012 as the page describes them. It takes about two
minutes on two cores and runs the `weigh` that is installed beside this Python. Only numbers and
names of systems are written, no texts.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validate.md"
# METEOR's other stages need WordNet and paraphrases, which not every machine has.
METRICS = "bleu,nist,ter,chrf,meteor:language={}:stages=exact+stem:normalize"
SOURCES = ("cs", "de", "fr")


def systems(data: Path, folder: str, language: str, prefix: str = "") -> list[str]:
    """NAME=FILE for every system of a folder, with the names that people's rankings use."""
    files = sorted((data / folder / "sys").iterdir())
    ending = f".{language}.gz"
    return [f"{prefix}{path.name.removesuffix(ending)}={path.relative_to(data)}" for path in files]


def commands(data: Path) -> dict[str, list[str]]:
    """The arguments of `weigh validate` for each table of the page."""
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


def run(data: Path, arguments: Sequence[str], form: str) -> str:
    """Run a study and return its output."""
    weigh = Path(sys.executable).with_name("weigh")
    done = subprocess.run(
        [weigh, "validate", *arguments, "--format", form],
        cwd=data,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def accuracy_table(document: Mapping[str, Any]) -> str:
    """Format a study of accuracy: one row per metric, by the randomization test."""
    alphas = document["plan"]["alphas"]
    rows = [row for row in document["same_level"] if row["test"] == "randomization"]
    fixed = [row for row in document["fixed_level"] if row["test"] == "randomization"]

    def numbers(rows: Sequence[Mapping[str, Any]], field: str, metric: str) -> str:
        return ", ".join(str(row[field]) for row in rows if row["metric"] == metric)

    levels = ", ".join(f"{alpha:g}".lstrip("0") for alpha in alphas)
    people = ", ".join(str(row["human_significant"]) for row in rows[: len(alphas)])
    lines = [
        f"{rows[0]['pairs']} pairs of {len(document['systems'])} systems; α = {levels}. People "
        f"find {people} differences.",
        "",
        "| metric | differences found | same conclusion as people, at the same α | people at .05 | "
        "opposite conclusion |",
        "|---|---|---|---|---|",
    ]
    for metric in document["signatures"]:
        name = metric.partition(":")[0]
        lines.append(
            f"| {name} | {numbers(rows, 'significant', metric)} | {numbers(rows, 'agree', metric)}"
            f" | {numbers(fixed, 'agree', metric)} | {numbers(rows, 'wrong_direction', metric)} |"
        )
    return "\n".join(lines) + "\n"


def sections(markdown: str, *titles: str) -> str:
    """The tables and notes of a Markdown document below headings that end with a title."""
    parts = re.split(r"^### ", markdown, flags=re.MULTILINE)
    chosen = [part for part in parts if part.partition("\n")[0].endswith(titles)]
    text = "\n".join(part.partition("\n")[2].strip() + "\n" for part in chosen)
    return re.sub(r"^(- |\*\*Methods).*\n", "", text, flags=re.MULTILINE).rstrip() + "\n"


def two_sided(markdown: str) -> str:
    """Drop the rows of one-sided tests, and the notes on them."""
    one_sided = re.compile(r"^\|[^|]*\|[^|]*\| (doubled|better|worse) .*\n", re.MULTILINE)
    notes = re.compile(r" Doubled: .*|^Too often.*\n", re.MULTILINE)
    return notes.sub("", one_sided.sub("", markdown))


def without_columns(markdown: str, *titles: str) -> str:
    """Drop columns of Markdown tables by their titles."""
    lines, dropped = [], set[int]()
    for line in markdown.splitlines():
        cells = re.split(r"(?<!\\)\|", line.strip())[1:-1] if line.startswith("|") else []
        if cells and not dropped:
            dropped = {at for at, cell in enumerate(cells) if cell.strip() in titles}
        elif not cells:
            dropped = set()
        kept = [cell.strip() for at, cell in enumerate(cells) if at not in dropped]
        lines.append(f"| {' | '.join(kept)} |" if cells else line)
    return "\n".join(lines) + "\n"


def study_table(data: Path, name: str, arguments: Sequence[str]) -> str:
    """Run the study of a table and format what the page shows."""
    if name.startswith("accuracy"):
        return accuracy_table(json.loads(run(data, arguments, "json")))
    markdown = run(data, arguments, "markdown")
    if name == "samples":
        tables = sections(markdown, "scores of samples", "accuracy by level")
        tables = re.sub(r", and how many on pairs [^.]*", "", tables)
        return without_columns(tables, "of", "clear pairs", "SD of differences")
    table = two_sided(sections(markdown, "null hypothesis"))
    return without_columns(table, "Metric", "Alternative", "Remark")


def replace_table(page: str, name: str, text: str) -> str:
    """Put a table into its place on the page."""
    start, end = f"<!-- table: {name} -->\n", "<!-- end of table -->\n"
    before, marker, rest = page.partition(start)
    if not marker:
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
        text = study_table(chosen.data, name, command)
        if not chosen.write:
            print(f"## {name}\n\n{text}")
        page = replace_table(page, name, text)
    if chosen.write:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
