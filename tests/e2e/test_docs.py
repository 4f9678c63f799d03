"""The documentation says what the program does."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import weigh
import weigh_lab
from weigh import rypt


def test_generated_pages_and_shown_output_are_current(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, root / "scripts" / "make_docs.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_what_the_demo_runs(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    demo = (root / "scripts" / "demo.sh").read_text(encoding="utf-8")
    commands = re.findall(r"^show '(.*)'$", demo, re.MULTILINE)
    assert commands
    for command in commands:
        assert f"$ {command}\n" in readme
    assert "$ bash scripts/test.sh\n" in readme
    assert "exec bash scripts/test.sh\n" in (root / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/tutorial.md",
        "docs/python.md",
        "docs/language-models.md",
        "docs/scale.md",
    ],
)
def test_python_examples_run(
    page: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```$",
        (root / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert blocks
    monkeypatch.chdir(root)
    for block in blocks:
        code = compile(block, page, "exec")
        if "weigh_lab.paper(" in block:  # which test_paper.py does, with less of it
            continue
        exec(code, {"__name__": "__main__"})
        assert capsys.readouterr().out


def test_python_for_clusters_is_python(root: Path) -> None:
    """What needs machines that are not here is at least what Python takes."""
    text = (root / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        compile(block, "docs/scale.md", "exec")


# What files are called in tables of commands, and what stands for them.
_CALLED = {
    "a.en": "good.en",
    "b.en": "middling.en",
    "c.en": "poor.en",
    "ref.en": "reference.en",
    "ref2.en": "reference2.en",
    "src.de": "source.de",
    "docs.txt": "documents.txt",
    "scores.csv": "passed.csv",
    "a1.en": "good.en",
    "a2.en": "middling.en",
    "b1.en": "middling.en",
    "b2.en": "poor.en",
} | {name: name for name in ("domains.txt", "nbest.txt", "judgments.csv", "arena.csv")}
# What a study takes minutes for; its command is tried with less of it.
_LESS = {"type1": ("--nulls", "20")}
# These need another program, or wait for visitors.
_ELSEWHERE = ("--decoder", "serve")


@pytest.mark.parametrize("page", ["docs/which-test.md", "docs/coming-from.md"])
def test_commands_in_tables_run(
    page: str, root: Path, tmp_path: Path, weigh: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for name, example in _CALLED.items():
        shutil.copyfile(root / "examples" / example, tmp_path / name)
    rows = re.findall(r"^\|.*\|$", (root / page).read_text(encoding="utf-8"), re.MULTILINE)
    commands = re.findall(r"`weigh ([^`]*)`", "\n".join(rows))
    assert len(commands) > 12
    for command in commands:
        arguments = shlex.split(command)
        if any(word in arguments for word in _ELSEWHERE):
            helped = weigh(arguments[0], "--help").stdout
            assert all(each in helped for each in arguments if each.startswith("--")), command
            continue
        shutil.rmtree(tmp_path / "hits", ignore_errors=True)
        less = next((_LESS[word] for word in arguments if word in _LESS), ())
        done = weigh(*arguments, *less)
        assert done.returncode == 0, f"weigh {command}: {done.stderr}"
        assert done.stdout, command


def test_the_page_on_python_shows_every_function(root: Path) -> None:
    page = (root / "docs" / "python.md").read_text(encoding="utf-8")
    names = {f"weigh.{name}" for name in weigh.__all__} | {f"rypt.{name}" for name in dir(rypt)}
    names |= {f"weigh_lab.{name}" for name in weigh_lab.__all__}
    functions = {name for name in names if name.partition(".")[2][0].islower()}
    shown = set(re.findall(r"\b(?:weigh|weigh_lab|rypt)\.\w+", page))
    assert functions - shown == {"rypt.open_store", "weigh.option"}


def test_figures_of_performance_are_those_that_were_measured(root: Path) -> None:
    page = root / "docs" / "performance.md"
    lines = re.findall(
        r"^- \[.*\]\((.*\.md)\): (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {Path(target).name for target, _ in lines} == {
        path.name for path in (root / "bench").glob("*.md")
    }
    for target, said in lines:
        measured = (page.parent / target).read_text(encoding="utf-8")
        for figure in re.findall(r"\d[\d.,]*(?<=\d)", said):
            whole = rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)"
            assert re.search(whole, measured), f"performance.md: {figure} is not in {target}"


_HEADINGS = ["Formula", "Assumptions", "When it misleads", "The paper", "How it was checked"]


def test_every_method_is_told_alike_and_names_tests_that_are_there(root: Path) -> None:
    pages = sorted((root / "docs" / "methods").glob("*.md"))
    assert len(pages) > 20
    listed = (root / "docs" / "methods" / "README.md").read_text(encoding="utf-8")
    for page in pages:
        if page.name == "README.md":
            continue
        text = page.read_text(encoding="utf-8")
        assert f"({page.name})" in listed
        assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:5] == _HEADINGS, page.name
        named = re.findall(r"`((?:tests|bench)/[\w/.]+)`", text)
        assert named, page.name
        assert all((root / each).is_file() for each in named), page.name


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of a page, those that come again numbered."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    names: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        name = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        before = names.count(name)
        names += [name, f"{name}-{before}"] if before else [name]
    return set(names)


def test_links_lead_somewhere(root: Path) -> None:
    docs = root / "docs"
    reference = docs / "reference"  # written for the site, which checks its own links
    for page in {root / "README.md", *docs.rglob("*.md")} - {*reference.glob("*.md")}:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            place = page.parent / target if target else page
            assert place.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(place), f"{page.name}: {target}#{anchor}"
