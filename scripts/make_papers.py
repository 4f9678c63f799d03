"""The papers behind weigh, run again: puts all their tables at the end of docs/papers.md.

    python scripts/make_papers.py DATA [--out DIR] [NAME]...

DATA holds the data sets that the page names. It takes some minutes and is no part of the tests.
What takes long is kept in DIR, where a second run finds it. With names, only the sections of these
papers are written anew. Only numbers and names of systems are written, no texts.
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
    """Return what the page says of a paper: all of the run on data, and the end of the other."""
    with_data = run(name, "--data", str(data), "--out", out)
    generated = run(name, "--out", out)
    end = generated.partition("### What came of it\n\n")[2].partition("\n\n")[0]
    said = f"\n### Without data\n\n{end}\n" if end else ""
    summary = PAPERS[name][0].removeprefix("run the experiments of ")
    title, _, about = summary.partition(" again: ")
    head = f"## {title}: all tables\n\n`weigh paper {name} --data DATA`: {about}."
    return f"\n{head}\n\n{with_data.rstrip()}\n{said}"


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
