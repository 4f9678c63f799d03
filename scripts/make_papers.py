"""The papers behind weigh, run again: writes docs/papers.md.

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

from weigh.papers.plan import PAPERS

_MARK = "\n<!-- paper: "
_MARKDOWN = ("--quiet", "--format", "markdown")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
HEAD = """# The papers, run again

Four papers stand behind weigh. `weigh paper NAME` runs the experiments of one of them again, as far
as public data allow, and shows its published numbers beside ours, with what differs and why.

    weigh paper graham2014                      on texts of made-up languages, in a minute
    weigh paper graham2014 --data DATA          on public data
    weigh paper graham2014 --out work --html graham2014.html

Without `--data` nothing is needed: translators are trained on texts that weigh generates from a
grammar of its own, and judges are simulated. `DATA` holds a directory for each data set:

- `multi30k`: `train`, `val` and `test_…` in de, fr, cs and en, in files such as `train.de.gz`;
- `wmt12`: `es-en` and `en-es`, each with `ref.LANGUAGE.gz`, the systems in `sys/` and
  `human-rnk.tsv.gz`;
- `rypt`: the pilot data of Zaidan & Callison-Burch.

In Python: `weigh.paper("graham2014", data="DATA")`.

Published numbers stand in columns of that name; one that is not known for certain is left out.
Other texts and other systems give other numbers: what should come out again is what they say, not
their digits.

This page is written by `python scripts/make_papers.py DATA`.
"""


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
    head = f"## {title}\n\n`weigh paper {name} --data DATA`: {about}."
    return f"\n{head}\n\n{with_data.rstrip()}\n{said}"


def sections() -> dict[str, str]:
    """Return what the page says now, by the names of papers."""
    if not PAGE.exists():
        return {}
    parts = PAGE.read_text(encoding="utf-8").split(_MARK)[1:]
    return {name: text for name, _, text in (part.partition(" -->\n") for part in parts)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"papers: {', '.join(PAPERS)}")
    parser.add_argument("--out", help="keep translators and their outputs here")
    chosen = parser.parse_args(arguments)
    kept = tempfile.TemporaryDirectory() if chosen.out is None else nullcontext(chosen.out)
    known = sections()
    with kept as out:
        known |= {name: section(name, chosen.data, out) for name in chosen.names or PAPERS}
    parts = [f"{_MARK}{name} -->\n{known[name]}" for name in PAPERS if name in known]
    PAGE.write_text("".join([HEAD, *parts]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
