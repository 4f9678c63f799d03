"""HTML, written so that no text can become markup."""

from __future__ import annotations

import html

from weigh.report.grid import visible

# Elements that have no content and no end tag.
_VOID = frozenset(("meta", "input"))


class Markup(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Return text as HTML, with control characters and those that reorder a line made visible.

    >>> print(escape('<b> & "b"'))
    &lt;b&gt; &amp; &quot;b&quot;
    """
    return text if isinstance(text, Markup) else Markup(html.escape(visible(text)))


def element(tag: str, *children: str, **attributes: str | bool | None) -> Markup:
    """Return an element; attributes that are None or false are left out.

    Underscores in the attributes' names are hyphens; one at the end is dropped.

    >>> print(element("p", "1 < 2", class_="remark", hidden=True))
    <p class="remark" hidden>1 &lt; 2</p>
    """
    start = tag
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        start += f" {name.rstrip('_').replace('_', '-')}"
        if value is not True:
            start += f'="{escape(value)}"'
    if tag in _VOID:
        return Markup(f"<{start}>")
    return Markup(f"<{start}>{''.join(map(escape, children))}</{tag}>")


def joined(*parts: str) -> Markup:
    """Return parts behind each other."""
    return Markup("".join(map(escape, parts)))
