"""Fields to choose with, which the script shows once it runs."""

from __future__ import annotations

from collections.abc import Mapping

from weigh.report.page.html import Markup, element


def controls(*fields: Markup) -> Markup:
    """Return fields in a row."""
    return element("div", *fields, class_="controls", hidden=True)


def choice(name: str, label: str, options: Mapping[str, str], chosen: str = "") -> Markup:
    """Return a list to choose one from: values and what is shown for them."""
    made = [
        element("option", shown, value=value, selected=bool(chosen) and value == chosen)
        for value, shown in options.items()
    ]
    return element("label", element("span", label), element("select", *made, id=name))


def words(name: str, label: str) -> Markup:
    """Return a field to search with."""
    field = element("input", type="search", id=name, autocomplete="off", spellcheck="false")
    return element("label", element("span", label), field)


def tick(name: str, label: str) -> Markup:
    """Return a box to tick."""
    box = element("input", type="checkbox", id=name)
    return element("label", box, element("span", label), class_="tick")
