"""HTML and SVG elements as text, with all content escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable

from weigh.report.grid import visible

# Elements without content: in HTML without an end tag, in SVG self-closing.
_VOID = frozenset(("meta", "input"))
_SHAPES = frozenset(("rect", "circle", "path"))
# Characters that XML forbids and Unicode calls noncharacters.
_FORBIDDEN = str.maketrans({"\ufffe": r"\ufffe", "\uffff": r"\uffff"})


class Markup(str):
    """Text that is markup already; all other text is escaped."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Escape text; control characters and characters that reorder a line become visible.

    >>> print(escape('<b> & "b"'))
    &lt;b&gt; &amp; &quot;b&quot;
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(visible(text).translate(_FORBIDDEN)))


def join(parts: Iterable[str]) -> Markup:
    """Concatenate elements and texts, escaping the texts."""
    return Markup("".join(map(escape, parts)))


def coordinate(value: float) -> str:
    """Format a length in pixels, to a tenth.

    >>> coordinate(12.04), coordinate(-0.01), coordinate(7.25)
    ('12', '0', '7.2')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def element(tag: str, *children: str, **attributes: str | float | bool | None) -> Markup:
    """Format an element; None and False attributes are omitted, numbers are coordinates.

    In attribute names, a final underscore is dropped and others become hyphens.

    >>> print(element("p", "1 < 2", class_="remark", hidden=True))
    <p class="remark" hidden>1 &lt; 2</p>
    >>> print(element("rect", x=1.04, class_="cell"))
    <rect x="1" class="cell"/>
    """
    start = tag
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        start += f" {name.rstrip('_').replace('_', '-')}"
        if value is not True:
            start += f'="{escape(value if isinstance(value, str) else coordinate(value))}"'
    if tag in _VOID:
        return Markup(f"<{start}>")
    content = join(children)
    if tag in _SHAPES and not content:
        return Markup(f"<{start}/>")
    return Markup(f"<{start}>{content}</{tag}>")
