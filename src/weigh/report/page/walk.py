"""Views as HTML: a whole page, or what a notebook shows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.report.page.browser import browser, document_element, segments_element
from weigh.report.page.html import (
    Markup,
    Section,
    careful,
    described,
    element,
    figures,
    filtered_table,
    folded,
    kept,
    paragraphs,
    ranked_table,
)
from weigh.report.view import SUMMARY, Part, View

if TYPE_CHECKING:
    from weigh.report.page.html import Section


_UNTITLED = "Results"
# Ids that sections cannot have, since other elements of a page do.
_TAKEN = ("data", "segment-data", "summary", "methods", "document", "save", "theme", "cards")
_FILTER_SCRIPT = "pairs.js"
_BROWSER_SCRIPTS = ("words.js", "cards.js", "ngrams.js", "browser.js")


def as_page(view: View, document: str) -> str:
    """Return a view as one HTML file that holds the result's document too."""
    parts = view.parts_in("html")
    contents = _by_section(parts)
    opening = list(_flow(contents.pop(SUMMARY, []), SUMMARY))
    sections = {"summary": Section(SUMMARY, _summary(view, opening))}
    for number, (title, group) in enumerate(contents.items(), 1):
        sections[_link_name(title, number, sections)] = Section(title, list(_flow(group, title)))
    if view.methods or view.signatures:
        sections["methods"] = Section(
            "Methods and signatures", described(view.methods, view.signatures)
        )
    browsers = [part.browser for part in parts if part.browser is not None]
    more = "; the texts of the segments are beside it" if browsers else ""
    sections["document"] = Section("Data", kept(more))
    scripts = [_FILTER_SCRIPT] if any(part.significant for part in parts) else []
    scripts += _BROWSER_SCRIPTS if browsers else []
    data = [document_element(document), *map(segments_element, browsers)]
    return assembled(view.title, view.subtitle, sections, data, scripts)


def _by_section(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """Return the parts of each section, by its title."""
    contents: dict[str, list[Part]] = {}
    title = ""
    for part in parts:
        title = part.section or title or part.heading or _UNTITLED
        contents.setdefault(title, []).append(part)
    return contents


def _link_name(title: str, number: int, taken: Mapping[str, object]) -> str:
    """Return what a section is linked with: its title, where that is a word of its own."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    is_free = name and name not in _TAKEN and name not in taken
    return name if is_free else f"part-{number}"


def _summary(view: View, opening: Sequence[Markup]) -> list[Markup]:
    """Return the verdict, the conclusions, what the view shows first of all, and cautions."""
    content = []
    if view.alert is not None:
        content.append(element("p", element("strong", f"{view.alert.said}."), class_="gate"))
        reasons = [element("li", reason) for reason in view.alert.reasons]
        content += [element("ul", *reasons)] if reasons else []
    findings = view.findings or [f"{view.title}."]
    return [*content, *paragraphs(findings), *opening, *careful(view.cautions)]


def _flow(parts: Iterable[Part], title: str) -> Iterator[Markup]:
    """Yield the content of a section: neighbours may stand in a row, or be hidden together."""
    for (label, beside), group in groupby(parts, key=lambda part: (part.folded, part.beside)):
        # Under a section, or a label, of the same name a heading would only repeat it.
        content = [_content(part, named=part.heading not in ("", title, label)) for part in group]
        shown = (
            [element("div", *(element("div", *each) for each in content), class_="beside")]
            if beside
            else [markup for each in content for markup in each]
        )
        if label and shown:
            yield folded(label, shown)
        else:
            yield from shown


def _content(part: Part, *, named: bool) -> list[Markup]:
    content = [*figures(part.pictures(), "small" if part.small else "")]
    label = part.heading or "Table"
    if part.grid is not None and part.significant:
        content += filtered_table(part.grid, label, part.significant, part.about)
    elif part.grid is not None:
        content.append(ranked_table(part.grid, label))
    if part.browser is not None:
        content += browser(part.browser)
    content += paragraphs(part.sentences, "faint" if part.grid is not None else None)
    return [*([element("h3", part.heading)] if named else []), *content]


def as_fragment(view: View) -> str:
    """Return the first table with the first picture, for a notebook."""
    parts = view.parts_in("html")
    content: list[Markup] = []
    for part in [part for part in parts if part.grid is not None][:1]:
        if part.grid is not None:
            content.append(ranked_table(part.grid, part.heading or "Table"))
            content += paragraphs(part.sentences)
    for part in parts:
        if pictures := part.pictures():
            content += figures(pictures[:1])
            break
    from weigh.report.pictures.picture import STYLE

    return str(element("div", Markup(f"<style>{STYLE}</style>"), *content, class_="weigh"))


def as_sections(view: View, titles: Collection[str] = ()) -> str:
    """Return the content of some sections, or of all, for a page with `style` and no script.

    What only scripts can work with is left out: lists to be filtered, and segments to be browsed.
    """
    contents = _by_section(view.parts_in("html"))
    return "".join(
        markup
        for title, parts in contents.items()
        if not titles or title in titles
        for markup in _flow(
            (part for part in parts if not part.significant and part.browser is None), ""
        )
    )


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
    among them. `data` are elements that are not shown, the document first. The
    files of `scripts`, in this order, are one script with those that every page needs.
    """
    script = _script([*_SCRIPTS, *scripts])
    main = element("main", *(_shown_section(name, section) for name, section in sections.items()))
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
        Markup(f"<style>{style()}</style>"),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def policy_of(page: str) -> str:
    """Return what a page declares that the browser may do with it."""
    import html

    declared = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    return html.unescape(declared[1]) if declared else "default-src 'none'"


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
        element("li", element("a", section.title, href=f"#{name}"))
        for name, section in sections.items()
    ]
    return element("nav", element("ol", *items), aria_label="Contents")


def _shown_section(name: str, section: Section) -> Markup:
    title = element("h2", section.title, id=f"{name}-title")
    return element("section", title, *section.content, id=name, aria_labelledby=f"{name}-title")


def style() -> str:
    """Return how pages look."""
    from weigh.report.pictures.picture import STYLE

    return f"{STYLE}\n{_file('style.css')}"


def _script(names: Sequence[str]) -> str:
    parts = "\n".join(map(_file, names))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    from importlib.resources import files

    return files("weigh.report.page").joinpath(name).read_text(encoding="utf-8")
