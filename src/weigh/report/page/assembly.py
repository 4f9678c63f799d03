"""A page as a whole: head, contents, sections, data and scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.report.page.html import Markup, element

if TYPE_CHECKING:
    from weigh.report.page.blocks import Section

# What every page needs.
_SCRIPTS = ("appearance.js", "tables.js")


def assembled(
    title: str,
    subtitle: str,
    sections: Mapping[str, Section],
    data: Sequence[Markup],
    scripts: Sequence[str] = (),
) -> str:
    """Return one HTML file that needs no network and no other file.

    Sections have the names that they are linked with; a "summary" and the button to "save" are
    among them. `data` are elements that are not shown, the document of `embedded` first. The
    files of `scripts`, in this order, are one script with those that every page needs.
    """
    script = _script([*_SCRIPTS, *scripts])
    main = element("main", *(_section(name, made) for name, made in sections.items()))
    body = element(
        "body",
        element("a", "Skip to the summary", href="#summary", class_="skip"),
        _header(title, subtitle),
        element("div", _contents(sections), main, class_="columns"),
        *data,
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


def _header(title: str, subtitle: str) -> Markup:
    return element(
        "header",
        element("h1", title),
        element("p", f"{subtitle}; weigh {__version__}", class_="faint"),
        element("button", "Dark", type="button", id="theme", hidden=True),
    )


def _contents(sections: Mapping[str, Section]) -> Markup:
    items = [
        element("li", element("a", made.title, href=f"#{name}")) for name, made in sections.items()
    ]
    return element("nav", element("ol", *items), aria_label="Contents")


def _section(name: str, made: Section) -> Markup:
    title = element("h2", made.title, id=f"{name}-title")
    return element("section", title, *made.content, id=name, aria_labelledby=f"{name}-title")


def _style() -> str:
    from weigh.report.pictures.picture import STYLE

    return f"{STYLE}\n{_file('style.css')}"


def _script(names: Sequence[str]) -> str:
    parts = "\n".join(map(_file, names))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    from importlib.resources import files

    return files("weigh.report.page").joinpath(name).read_text(encoding="utf-8")
