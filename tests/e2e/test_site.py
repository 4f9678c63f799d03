"""The site: every page is reached, needs nothing from elsewhere, and can be searched in a file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `scripts/site.sh` does: a link or a page that is lost is an error."""
    for module in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(module)
    subprocess.run([sys.executable, root / "scripts" / "make_docs.py", "--reference"], check=True)
    folder = tmp_path_factory.mktemp("site")
    options = [
        "-q",
        "--fail-on-warning",
        "--keep-going",
        "-c",
        "scripts/site",
        "-d",
        folder / "trees",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, ".", folder / "site"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*(?:src|href)=\"(?:https?:)?//")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page.name
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", text), sheet.name


def test_a_phone_without_network_finds_a_page(site: Path, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 800}, offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for name in ("index", "reference/python", "validation", "reference/compare"):
        page.goto((site / "docs" / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
    page.goto(f"{(site / 'search.html').as_uri()}?q=shifted+bootstrap")
    page.wait_for_selector("#search-results li a[href*='methods/bootstrap']")
    context.close()
    assert complaints == []
