"""A picture: SVG for a page or for a file, with a text alternative, and its colours."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from weigh.report.markup import Markup, element, join

_LIGHT = (
    "--ink:#1b1f24;--faint:#59636e;--line:#d4dae0;--paper:#fff;--accent:#1d5fae;"
    "--good1:#5896d2;--good2:#2a67ad;--good3:#0b2d59;--bad:#b04a12;--bad1:#d57a37;--bad3:#5e2205;"
    "--mark:#a3195b"
)
_DARK = (
    "--ink:#e8ebee;--faint:#a4aeb8;--line:#3a424a;--paper:#15181b;--accent:#7fb4ec;"
    "--good1:#3f7ab4;--good2:#86b8ec;--good3:#e3f0fd;--bad:#f0a06a;--bad1:#a8693a;--bad3:#fde8d8;"
    "--mark:#f58fc2"
)
# The style sheet of inline pictures, needed once on a page. Colours are dark if the reader's system
# or the page's data-theme asks for it, but light in print. Shades and text contrast with the paper
# by at least 3 and 4.5, as WCAG 2.2 requires at level AA.
STYLE = f"""\
:root{{{_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_DARK}}}}}
@media screen{{:root[data-theme=dark]{{{_DARK}}}}}
.picture{{display:block;height:auto}}
.picture text{{fill:var(--ink);font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}}
.picture .small{{font-size:11px}}
.picture .tiny{{font-size:8px}}
.picture .soft{{fill:var(--faint)}}
.picture .marked{{fill:var(--mark)}}
.picture .end{{text-anchor:end}}
.picture .middle{{text-anchor:middle}}
.picture .sheet{{fill:var(--paper)}}
.picture .rule{{stroke:var(--line);fill:none}}
.picture .axis{{stroke:var(--faint);fill:none}}
.picture .dashed{{stroke:var(--mark);stroke-dasharray:4 3;fill:none}}
.picture .actual{{stroke:var(--mark);stroke-width:1.5;fill:none}}
.picture .interval{{stroke:var(--accent);stroke-width:1.5;fill:none}}
.picture .point{{fill:var(--accent);stroke:var(--accent);stroke-width:1.5}}
.picture .against{{fill:var(--bad);stroke:var(--bad)}}
.picture .open{{fill:var(--paper);stroke:var(--faint)}}
.picture .hollow{{fill:var(--paper)}}
.picture .interval.against{{stroke:var(--bad)}}
.picture .interval.open{{stroke:var(--faint)}}
.picture .bars{{fill:var(--faint);stroke:var(--faint);stroke-width:.5;opacity:.5}}
.picture .extreme{{fill:var(--accent);stroke:var(--accent);stroke-width:.5}}
.picture .cell,.picture .swatch{{fill:var(--paper);stroke:var(--line)}}
.picture .self{{fill:var(--line)}}
.picture .pick{{shape-rendering:crispEdges}}
.picture .good1{{fill:var(--good1)}}
.picture .good2{{fill:var(--good2)}}
.picture .good3{{fill:var(--good3)}}
.picture .bad1{{fill:var(--bad1)}}
.picture .bad2{{fill:var(--bad)}}
.picture .bad3{{fill:var(--bad3)}}
.picture .on{{fill:var(--paper)}}
.picture .node{{fill:var(--paper);stroke:var(--line)}}
.picture .node.yes{{stroke:var(--good2);stroke-width:2}}
.picture .node.no{{stroke:var(--bad);stroke-width:2;stroke-dasharray:5 3}}
.picture .node.yes.given{{fill:var(--good2)}}
.picture .node.no.given{{fill:var(--bad);stroke-dasharray:none}}
.picture text.on{{fill:var(--paper)}}
.picture .dashed.first{{stroke:var(--accent)}}
.picture .dashed.against{{stroke:var(--bad)}}
.picture .curve{{stroke:var(--accent);stroke-width:1.5}}
.picture .curve.open{{stroke:var(--faint)}}
.picture :is(.point,.interval,.curve).good1{{stroke:var(--good1)}}
.picture :is(.point,.interval,.curve).good2{{stroke:var(--good2)}}
.picture :is(.point,.interval,.curve).good3{{stroke:var(--good3)}}
.picture .curve.broken{{stroke-dasharray:5 2}}
.picture .curve,.picture .curve.open{{fill:none}}
"""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Caption:
    """The file name of a picture (unique in a report, without suffix) and its title."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with its name, title, text alternative (`description`) and size in pixels.

    `name` is a file name without its suffix, unique in a report. On a narrow page, a picture that
    `keeps_size` is scrolled; others shrink.
    """

    name: str
    title: str
    description: str
    width: float
    height: float
    body: Markup
    keeps_size: bool = False

    @classmethod
    def of(
        cls,
        caption: Caption,
        description: str,
        size: tuple[float, float],
        parts: Iterable[Markup],
        *,
        keeps_size: bool = False,
    ) -> Picture:
        """Build a picture from a caption, a text alternative and the parts of a drawing."""
        return cls(caption.name, caption.title, description, *size, join(parts), keeps_size)

    def inline(self) -> Markup:
        """The SVG element for a page that includes `STYLE`; it shrinks with its container."""
        return self._element(self.body, width="100%", style=f"max-width:{round(self.width)}px")

    def standalone(self) -> str:
        """The content of an SVG file, including the style."""
        sheet = element("rect", width="100%", height="100%", class_="sheet")
        drawn = self._element(
            element("style", Markup(STYLE)),
            sheet,
            self.body,
            xmlns="http://www.w3.org/2000/svg",
            width=self.width,
            height=self.height,
        )
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'

    def _element(self, *content: Markup, **attributes: str | float) -> Markup:
        title, description = f"{self.name}-title", f"{self.name}-desc"
        return element(
            "svg",
            element("title", self.title, id=title),
            element("desc", self.description, id=description),
            *content,
            class_="picture",
            role="img",
            aria_labelledby=f"{title} {description}",
            viewBox=f"0 0 {round(self.width)} {round(self.height)}",
            **attributes,
        )


def name_of(kind: str, number: int, *parts: str | None) -> str:
    """The name of a picture, safe in file names and pages; kind and number make it unique.

    >>> name_of("forest", 1, "bleu:tokenize=intl", None, "<Ä>")
    'forest-1-bleu-tokenize-intl'
    """
    slugs = [re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts if part]
    return "-".join([kind, str(number), *filter(None, slugs)])[:_LONGEST_NAME].rstrip("-")
