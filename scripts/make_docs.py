"""Write the parts of the documentation that come from the program itself.

    python scripts/make_docs.py               write the list of verbs, the map of packages, the
                                              pictures of the start page and the output shown in
                                              README.md and docs/
    python scripts/make_docs.py --check       write nothing; fail if anything is out of date
    python scripts/make_docs.py --reference   write docs/reference/, which is part of the site and
                                              not committed: the help of every verb, and every
                                              public name of the Python package

It runs the `weigh` that this Python imports, and stops if that differs from src/.
"""

from __future__ import annotations

import ast
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from docs_pictures import pictures
from docs_reference import reference_page

import weigh

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("weigh", "weigh_lab")
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (weigh .*)\n(?:(?!\$ ).*\n)*", re.MULTILINE)
NOTE = "<!-- Written by scripts/make_docs.py. -->"
REFERENCE = ROOT / "docs" / "reference"
COMMAND_LINE = f"""\
# The command line

{NOTE}

`weigh VERB --help` explains a verb with its common options and an example, `weigh VERB --help-all`
explains all options, and `weigh --help-all` also lists the verbs of each group. Set your own
defaults in [`weigh.toml`](formats.md#settings). `weigh completion bash` prints a completion script
(also for zsh and fish).

weigh writes results to stdout, and messages to stderr.

| exit code | meaning |
|---:|---|
| 0 | the command ran; differences may or may not be significant |
| 1 | bad data |
| 2 | wrong usage |
| 3 | `weigh compare --gate`: a system is significantly worse than the baseline |
| 4 | `weigh compare --gate`: the data cannot decide |
| 130 | interrupted |
| 141 | the program that was reading the output closed the pipe |

With codes 1 to 4, stderr says why, whatever the format.

"""


def run(command: str) -> str:
    """Return the output of a command without colour, 100 columns wide."""
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


def verbs_page() -> str:
    """List the verbs; on the site, each entry links to the help of its verb."""
    from weigh.cli.app import sections, summaries

    about = summaries()
    return COMMAND_LINE + "\n".join(
        f"## {title.capitalize()}\n\n"
        + "".join(f"- `weigh {verb}`: {about[verb]}\n" for verb in verbs)
        for title, verbs in sections().items()
    )


def reference_pages() -> dict[str, str]:
    """Help and JSON Schema of every verb, options of all metrics, and the page on Python."""
    from weigh.cli.app import group_overview, is_group, parser, summaries, verbs

    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    made = {"python.md": reference_page()}
    for verb in summaries():
        helps = {f"# weigh {verb}": group_overview(verb)} if is_group(verb) else {}
        for each in sorted(verbs()):
            if each == verb:
                helps[f"# weigh {each}"] = parser(each).format_help(everything=True)
            elif each.startswith(f"{verb} "):
                helps[f"## weigh {each}"] = parser(each).format_help(everything=True)
        links = []
        for each in sorted(verbs()):
            if each.split()[0] == verb and (schema := schema_text(each)):
                name = f"{each.replace(' ', '-')}.schema.json"
                made[name] = schema
                links.append(f"JSON Schema of the results of `weigh {each}`: [{name}]({name}).\n")
        help_blocks = [
            f"{title}\n\n```text\n{text.rstrip()}\n```\n" for title, text in helps.items()
        ]
        made[f"{verb}.md"] = "\n".join([*help_blocks, *links])
    made["metrics.md"] += f"\n{run('weigh metrics --format markdown')}"
    return made


def schema_text(verb: str) -> str:
    """The JSON Schema of a verb's results; empty if it has none."""
    try:
        return json.dumps(weigh.json_schema(verb), indent=2) + "\n"
    except weigh.UsageError:
        return ""


def map_of_packages() -> str:
    """List every top-level module and package with its purpose."""
    lines = []
    for name in PACKAGES:
        package = ROOT / "src" / name
        lines.append(f"src/{name}/")
        lines += [f"  {path.name:<14}{first_line(path)}" for path in sorted(package.glob("*.py"))]
        for folder in sorted(each.parent for each in package.glob("*/__init__.py")):
            lines.append(f"  {folder.name + '/':<14}{first_line(folder / '__init__.py')}")
    return "```\n" + "\n".join(lines) + "\n```\n"


def first_line(path: Path) -> str:
    """Return the first sentence of a module's docstring, without its full stop."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].rstrip(".")


def with_map(text: str) -> str:
    """Put the current map of packages into the page on the architecture."""
    start, end = "<!-- Map: written by scripts/make_docs.py. -->\n", "<!-- End of map. -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{map_of_packages()}\n{end}{after}"


def with_output(text: str) -> str:
    """Put the current output after every `$ weigh …` of a page's console blocks."""

    def answered(block: re.Match[str]) -> str:
        return COMMAND.sub(lambda found: f"$ {found[1]}\n{run(found[1])}", block[0])

    return CONSOLE.sub(answered, text)


def pages() -> dict[Path, str]:
    """Return every committed page and picture with its current contents."""
    docs = ROOT / "docs"
    made = {docs / "cli.md": verbs_page()}
    made |= {docs / "pictures" / name: text for name, text in pictures().items()}
    by_hand = {ROOT / "README.md", *docs.rglob("*.md")} - {*made, *REFERENCE.glob("*.md")}
    made |= {path: with_output(path.read_text(encoding="utf-8")) for path in sorted(by_hand)}
    map_page = docs / "architecture.md"
    return made | {map_page: with_map(made[map_page])}


def differing() -> list[str]:
    """Return the modules of src/ that the imported packages lack or have in another version."""
    found = []
    for package in PACKAGES:
        source = ROOT / "src" / package
        imported = Path(str(import_module(package).__file__)).parent
        names = [str(path.relative_to(source)) for path in source.rglob("*.py")]
        _, other, missing = filecmp.cmpfiles(source, imported, names, shallow=False)
        found += [f"{package}/{name}" for name in other + missing]
    return sorted(found)


def main() -> int:
    """Write the pages or check them."""
    [option] = sys.argv[1:] or [""]
    if differ := differing():
        print(
            f"the weigh that is imported differs from src/ in {len(differ)} modules, such as "
            f"{differ[0]}; install it again, or set PYTHONPATH to src",
            file=sys.stderr,
        )
        return 1
    if option == "--reference":
        shutil.rmtree(REFERENCE, ignore_errors=True)
        REFERENCE.mkdir()
        for name, text in reference_pages().items():
            (REFERENCE / name).write_text(text, encoding="utf-8")
        return 0
    stale = {
        path: text
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    names = " ".join(str(path.relative_to(ROOT)) for path in stale)
    if option == "--check":
        if stale:
            print(f"out of date: {names}; run python scripts/make_docs.py", file=sys.stderr)
        return bool(stale)
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    print(f"written: {names or 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
