"""How Sphinx makes the site of the Markdown that is there: `bash scripts/site.sh`.

The whole project is the source, so that links between docs/, bench/ and its root lead to the same
places here and on a Git host.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

project = "weigh"
extensions = ["myst_parser"]
root_doc = "docs/index"
# Pages whose lists and tables of links are the navigation.
CONTENTS = {root_doc, "docs/cli", "docs/methods/README", "docs/performance"}
include_patterns = ["docs/**.md", "bench/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".*", "build", "scripts", "site", "src", "tests"]
nitpicky = True
smartquotes = False
# Headings are linked to by the names that GitHub gives them.
myst_heading_anchors = 6
suppress_warnings = ["myst.header"]  # tables that weigh wrote have their own level of headings

html_theme = "furo"
html_title = "weigh"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = html_show_copyright = False
html_use_index = False
# Summaries of what was found would be fetched, which browsers forbid for pages in files.
html_show_search_summary = False


def with_contents(_app: Sphinx, page: str, source: list[str]) -> None:
    """Make the navigation of the links with which items and rows of some pages begin.

    On the start page each section is a part of it, named by its heading. What bench/ wrote may have
    no title. The generated reference is part of the site alone, so committed pages do not link it.
    """
    if page == root_doc:
        python = "- [Python reference](reference/python.md): every public name, with its types"
        before = r"^(- \[Command line\].*)$"
        source[0] = re.sub(before, rf"\1\n{python}", source[0], flags=re.MULTILINE)
    if page == "docs/cli":
        linked = r"- [weigh \1](reference/\1.md)"
        source[0] = re.sub(r"^- `weigh (\S+)`", linked, source[0], flags=re.MULTILINE)
    if page.startswith("bench/") and not source[0].startswith("# "):
        source[0] = f"# Figures: {page.removeprefix('bench/')}\n\n{source[0]}"
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE) if page in CONTENTS else ():
        caption = f":caption: {section.partition(chr(10))[0]}\n" if page == root_doc else ""
        links = re.findall(r"^(?:-|\|) \[(.*?)\]\((\S+?\.md)\)", section, re.MULTILINE)
        entries = "\n".join(f"{title} <{target}>" for title, target in links)
        if entries:
            source[0] += f"\n```{{toctree}}\n:hidden:\n{caption}\n{entries}\n```\n"


def write_entrance(app: Sphinx, error: Exception | None) -> None:
    """Lead from the site's own index to the start page."""
    if error is None:
        entrance = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n'
        Path(app.outdir, "index.html").write_text(entrance, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Tell Sphinx of both."""
    app.connect("source-read", with_contents)
    app.connect("build-finished", write_entrance)
