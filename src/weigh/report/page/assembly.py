"""The page as a whole: head, contents, sections, data and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.report.number import listed, plural
from weigh.report.page import embedded, sections
from weigh.report.page.html import Markup, element
from weigh.report.scores import size_of_test_set

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport

# In this order they are one script.
_SCRIPTS = ("appearance.js", "tables.js", "words.js", "cards.js", "ngrams.js", "browser.js")


def page(report: CompareReport) -> str:
    """Return one HTML file that needs no network and no other file."""
    systems = plural(len({entry.system for entry in report.result.scores}), "system")
    title = f"{systems} compared by {listed(list(report.titles.values()))}"
    made = sections.sections(report)
    script = _script()
    body = element(
        "body",
        element("a", "Skip to the summary", href="#summary", class_="skip"),
        _header(title, report),
        element("div", _contents(made), element("main", *made.values()), class_="columns"),
        embedded.data(report),
        *_segments(report),
        Markup(f"<script>{script}</script>"),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"weigh {__version__}"),
        element("title", title),
        Markup(f"<style>{_style()}</style>"),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _policy(script: str) -> str:
    """Return what the browser may do with this page: run our script and nothing else."""
    import base64
    import hashlib

    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _header(title: str, report: CompareReport) -> Markup:
    result = report.result
    size = size_of_test_set(result.segments, result.references, result.documents)
    return element(
        "header",
        element("h1", title),
        element("p", f"{size}; weigh {__version__}", class_="faint"),
        element("button", "Dark", type="button", id="theme", hidden=True),
    )


def _contents(made: dict[str, Markup]) -> Markup:
    items = [element("li", element("a", sections.TITLES[name], href=f"#{name}")) for name in made]
    return element("nav", element("ol", *items), aria_label="Contents")


def _segments(report: CompareReport) -> Sequence[Markup]:
    evidence = report.result.evidence
    if evidence is None or not evidence.segments.numbers:
        return []
    return [embedded.segments(report, evidence.segments)]


def _style() -> str:
    from weigh.report.pictures.picture import STYLE

    return f"{STYLE}\n{_file('style.css')}"


def _script() -> str:
    parts = "\n".join(map(_file, _SCRIPTS))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    from importlib.resources import files

    return files("weigh.report.page").joinpath(name).read_text(encoding="utf-8")
