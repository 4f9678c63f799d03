"""Write the parts of the documentation that come from the program itself.

    python scripts/make_docs.py           write the pages on the command line and on Python, the map
                                          and pictures of the architecture, and the output shown in
                                          README.md and docs/
    python scripts/make_docs.py --check   write nothing; fail if anything is out of date

It runs the `weigh` that this Python imports, and refuses one that is not that of src/.
"""

from __future__ import annotations

import ast
import filecmp
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from docs_pictures import pictures
from docs_reference import reference_page

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (weigh .*)\n(?:(?!\$ ).*\n)*", re.MULTILINE)
NOTE = "<!-- Written by scripts/make_docs.py. -->"
COMMAND_LINE = f"""\
# The command line

{NOTE}

A command is `weigh`, a verb, what it works on, and options. `weigh VERB --help` prints what the
pages below show, and `weigh --version` the version. Options that you want always may stand in a
[`weigh.toml`](formats.md#settings).

"""


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


def cli_pages() -> dict[Path, str]:
    """Return docs/cli.md, which lists the verbs, and a page with the help of each."""
    from weigh.cli.command import GROUPS, VERBS, overview, parser, verbs

    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    listed = [f"- [weigh {verb}](cli/{verb}.md): {about}\n" for verb, about in VERBS.items()]
    made = {ROOT / "docs/cli.md": f"{COMMAND_LINE}{''.join(listed)}"}
    for verb in VERBS:
        helps = {f"# weigh {verb}\n\n{NOTE}": overview(verb)} if verb in GROUPS else {}
        for each in sorted(verbs()):
            if each == verb:
                helps[f"# weigh {each}\n\n{NOTE}"] = parser(each).format_help()
            elif each.startswith(f"{verb} "):
                helps[f"## weigh {each}"] = parser(each).format_help()
        page = "\n".join(
            f"{title}\n\n```text\n{text.rstrip()}\n```\n" for title, text in helps.items()
        )
        made[ROOT / f"docs/cli/{verb}.md"] = page
    return made


def metrics_page() -> str:
    """Return docs/metrics.md: what is written there by hand, then the registry."""
    by_hand = (ROOT / "docs/metrics.md").read_text(encoding="utf-8").partition(NOTE)[0]
    return f"{by_hand}{NOTE}\n\n{run('weigh metrics --format markdown')}"


def map_of_modules() -> str:
    """Return every package with what it is for, and the modules in it."""
    package = ROOT / "src" / "weigh"
    lines = ["src/weigh/"]
    for path in sorted(package.glob("*.py")):
        name = path.name if path.stem == "__init__" else f"{path.stem}.py"
        lines.append(f"  {name:<14}{first_line(path)}")
    for folder in sorted(each.parent for each in package.glob("*/__init__.py")):
        lines.append(f"  {folder.name + '/':<14}{first_line(folder / '__init__.py')}")
        lines += wrapped(modules_in(folder))
        for inner in sorted(each.parent for each in folder.glob("*/__init__.py")):
            lines += wrapped([f"{inner.name}/:", *modules_in(inner)])
    return "```\n" + "\n".join(lines) + "\n```\n"


def modules_in(folder: Path) -> list[str]:
    """Return the names of a package's modules."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def wrapped(names: list[str]) -> list[str]:
    """Return names in lines that are set in."""
    return textwrap.wrap(" ".join(names), 84, initial_indent=" " * 16, subsequent_indent=" " * 16)


def first_line(path: Path) -> str:
    """Return the first sentence of a module's docstring, without its full stop."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].rstrip(".")


def with_map(text: str) -> str:
    """Return the page of the architecture with the map of what is on disk."""
    start, end = "<!-- Modules: written by scripts/make_docs.py. -->\n", "<!-- End of modules. -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{map_of_modules()}\n{end}{after}"


def with_output(text: str) -> str:
    """Return a page with the present output after every `$ weigh …` of its console blocks."""

    def answered(block: re.Match[str]) -> str:
        return COMMAND.sub(lambda found: f"$ {found[1]}\n{run(found[1])}", block[0])

    return CONSOLE.sub(answered, text)


def pages() -> dict[Path, str]:
    """Return every page and picture as it should be."""
    docs = ROOT / "docs"
    made = cli_pages() | {
        docs / "metrics.md": metrics_page(),
        docs / "python-reference.md": reference_page(NOTE),
    }
    made |= {docs / "pictures" / name: text for name, text in pictures(ROOT).items()}
    written = [path for path in (ROOT / "README.md", *docs.rglob("*.md")) if path not in made]
    made |= {path: with_output(path.read_text(encoding="utf-8")) for path in sorted(written)}
    map_page = docs / "architecture.md"
    return made | {map_page: with_map(made[map_page])}


def differing() -> list[str]:
    """Return the modules of src/ that the imported `weigh` lacks or has otherwise."""
    import weigh

    source, imported = ROOT / "src" / "weigh", Path(weigh.__file__).parent
    names = [str(path.relative_to(source)) for path in source.rglob("*.py")]
    _, other, missing = filecmp.cmpfiles(source, imported, names, shallow=False)
    return sorted(other + missing)


def main() -> int:
    """Write the pages or check them."""
    if differ := differing():
        print(
            f"the weigh that is imported differs from src/ in {len(differ)} modules, such as "
            f"{differ[0]}; install it again, or set PYTHONPATH to src",
            file=sys.stderr,
        )
        return 1
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
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"written: {names or 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
