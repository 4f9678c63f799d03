"""Write the parts of the documentation that come from the program itself.

    python scripts/make_docs.py           write docs/cli.md, docs/metrics.md and the output shown
                                          in README.md and docs/
    python scripts/make_docs.py --check   write nothing; fail if anything is out of date

It runs the `weigh` that is installed beside this Python.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (weigh .*)\n(?:(?!\$ ).*\n)*", re.MULTILINE)
NOTE = "<!-- Written by scripts/make_docs.py. -->"


def run(command: str) -> str:
    """Return what a command prints, as it looks in a file, with help 100 columns wide."""
    unset = {"FORCE_COLOR", "WEIGH_FORMAT", "WEIGH_DEBUG"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**environment, "COLUMNS": "100", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout


def cli_page() -> str:
    """Return docs/cli.md: the help of every verb."""
    from weigh.cli.command import GROUPS, verbs

    pages = [f"# The command line\n\n{NOTE}\n\n```text\n{run('weigh --help')}```\n"]
    pages += [
        f"## weigh {verb}\n\n```text\n{run(f'weigh {verb} --help')}```\n"
        for verb in sorted([*GROUPS, *verbs()])
    ]
    return "\n".join(pages)


def metrics_page() -> str:
    """Return docs/metrics.md: what is written there by hand, then the registry."""
    by_hand = (ROOT / "docs/metrics.md").read_text(encoding="utf-8").partition(NOTE)[0]
    return f"{by_hand}{NOTE}\n\n{run('weigh metrics --format markdown')}"


def with_output(text: str) -> str:
    """Return a page with the present output after every `$ weigh …` of its console blocks."""

    def answered(block: re.Match[str]) -> str:
        return COMMAND.sub(lambda found: f"$ {found[1]}\n{run(found[1])}", block[0])

    return CONSOLE.sub(answered, text)


def pages() -> dict[Path, str]:
    """Return every page as it should be."""
    made = {ROOT / "docs/cli.md": cli_page(), ROOT / "docs/metrics.md": metrics_page()}
    written = [path for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")) if path not in made]
    return made | {path: with_output(path.read_text(encoding="utf-8")) for path in sorted(written)}


def main() -> int:
    """Write the pages or check them."""
    stale = {
        path: text
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    names = " ".join(str(path.relative_to(ROOT)) for path in stale)
    if sys.argv[1:] == ["--check"]:
        if stale:
            print(f"out of date: {names}; run python scripts/make_docs.py", file=sys.stderr)
        return bool(stale)
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    print(f"written: {names or 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
