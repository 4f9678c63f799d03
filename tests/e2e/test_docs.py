"""The documentation says what the program does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import weigh
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
        exec(compile(block, page, "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out


def test_python_for_clusters_is_python(root: Path) -> None:
    """What needs machines that are not here is at least what Python takes."""
    text = (root / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        compile(block, "docs/scale.md", "exec")


def test_the_page_on_python_shows_every_function(root: Path) -> None:
    page = (root / "docs" / "python.md").read_text(encoding="utf-8")
    names = {f"weigh.{name}" for name in weigh.__all__} | {f"rypt.{name}" for name in dir(rypt)}
    functions = {name for name in names if name.partition(".")[2][0].islower()}
    shown = set(re.findall(r"(?:weigh|rypt)\.\w+", page))
    assert functions - shown == {"rypt.open_store", "weigh.option"}


def test_the_reference_has_every_public_name(root: Path) -> None:
    page = (root / "docs" / "python-reference.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^### weigh\.(\S+)$", page, re.MULTILINE))
    names = {f"rypt.{name}" for name in dir(rypt) if name not in weigh.__all__}
    assert shown == names | {*weigh.__all__} - {"__version__"}


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
            assert re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)", measured), said


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
    for page in (root / "README.md", *(root / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            place = page.parent / target if target else page
            assert place.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(place), f"{page.name}: {target}#{anchor}"
