"""The papers behind weigh, run again: puts tables of theirs at the end of docs/papers.md.

    python scripts/make_papers.py DATA [NAME]... [--out DIR]

DATA holds the data sets that the page names. It takes some minutes and is no part of the tests.
What takes long is kept in DIR, where a second run finds it. With names, only the sections of these
papers are written anew.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from weigh_lab.papers.plan import PAPERS

_MARK = "\n<!-- paper: "
_MARKDOWN = ("--quiet", "--format", "markdown")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
# The tables on the page, by how their headings begin; the commands print the others.
TABLES = {
    "koehn2004": ("Table 3:", "Table 4:"),
    "riezler2005": ("Table 1:", "Table 2:"),
    "zaidan2009": (
        "Section 4: what is asked\n",
        "Section 4: what is answered\n",
        "Table I:",
        "Table II:",
        "Pilot: the authors' own data, sizes",
    ),
    "graham2014": (
        "Tables 1 and 2: es-en, accuracy of tests, people's level that of the tests",
        "Tables 1 and 2: en-es, accuracy of tests, people's level that of the tests",
        "Figures 5 and 6:",
    ),
}


def run(name: str, *arguments: str) -> str:
    """Return what a paper's command prints as Markdown, whose headings are of the third level."""
    done = subprocess.run(
        [sys.executable, "-m", "weigh", "paper", name, *arguments, *_MARKDOWN],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def section(name: str, data: Path, out: str) -> str:
    """Return the tables of a paper that are on the page."""
    _, *parts = f"\n{run(name, '--data', str(data), '--out', out)}".split("\n### ")
    title = PAPERS[name][0].removeprefix("run the experiments of ").partition(" again: ")[0]
    tables = [part.rstrip() for part in parts if part.startswith(TABLES[name])]
    return "\n\n### ".join([f"\n## {title}: tables", *tables]) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"papers: {', '.join(PAPERS)}")
    parser.add_argument("--out", help="keep translators and their outputs here")
    chosen = parser.parse_args(arguments)
    kept = tempfile.TemporaryDirectory() if chosen.out is None else nullcontext(chosen.out)
    text, *parts = PAGE.read_text(encoding="utf-8").split(_MARK)
    known = {name: said for name, _, said in (part.partition(" -->\n") for part in parts)}
    with kept as out:
        known |= {name: section(name, chosen.data, out) for name in chosen.names or PAPERS}
    tables = [f"{_MARK}{name} -->\n{known[name]}" for name in PAPERS if name in known]
    PAGE.write_text("".join([text, *tables]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
