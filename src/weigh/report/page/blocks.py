"""What sections of a page are built of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from weigh.report.page.html import Markup, element

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture


class Section(NamedTuple):
    """A part of a page with a title, which the contents lead to."""

    title: str
    content: Sequence[Markup]


def paragraphs(sentences: Iterable[str], kind: str | None = None) -> list[Markup]:
    """Return a paragraph for every sentence that is not empty."""
    return [element("p", text, class_=kind) for text in sentences if text]


def figures(made: Sequence[Picture], kind: str = "") -> list[Markup]:
    """Return pictures with their titles underneath, side by side where there is room."""
    if not made:
        return []
    shown = [
        element("figure", _scrolled(one) if one.keeps_size else Markup(one.inline()), *captions)
        for one in made
        # The small ones say themselves which pair they are about.
        for captions in [[element("figcaption", one.title)] if kind != "small" else []]
    ]
    if any(one.keeps_size for one in made):
        return shown
    return [element("div", *shown, class_=f"figures {kind}".rstrip())]


def _scrolled(picture: Picture) -> Markup:
    drawn = element("div", Markup(picture.inline()), style=f"width:{round(picture.width)}px")
    return element(
        "div", drawn, class_="scroll", role="region", aria_label=picture.title, tabindex="0"
    )


def folded(label: str, content: Iterable[str]) -> Markup:
    """Return content that is shown when its label is chosen."""
    return element("details", element("summary", label), *content)


def careful(warnings: Iterable[str]) -> list[Markup]:
    """Return what a reader must know before believing the rest, if there is anything."""
    items = [element("li", each) for each in warnings]
    if not items:
        return []
    return [element("h3", "To be careful about"), element("ul", *items, class_="warnings")]


def described(methods: str, signatures: Iterable[tuple[str, str]]) -> list[Markup]:
    """Return a paragraph for a paper and the signatures, all to be copied."""
    rows = []
    for title, signature in signatures:
        rows += [
            element("dt", title),
            element("dd", element("code", signature, class_="copied")),
        ]
    return [
        element("blockquote", element("p", methods, class_="copied")),
        element("dl", *rows, class_="signatures"),
    ]


def kept(more: str = "") -> list[Markup]:
    """Return what is said of the data inside the page, and the button that saves them."""
    said = (
        f"This page holds its numbers, with all digits, as a JSON document{more}. weigh report "
        "reads it from the page as well as from a file."
    )
    return [
        *paragraphs([said]),
        element("button", "Save the JSON document", type="button", id="save", hidden=True),
    ]
