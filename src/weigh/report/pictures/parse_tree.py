"""Parse trees with labelled nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.markup import Markup, element
from weigh.report.pictures.axes import Symbol, legend
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, line, pixels, text_element

_ROW, _BOX, _GAP, _MARGIN = 58.0, 34.0, 8.0, 12.0
_FONT = 11.0
_LONGEST = 16  # characters of a name or a word
_LEGEND = (
    (Symbol("box", "node yes given"), "YES, judged"),
    (Symbol("box", "node yes"), "YES, inferred"),
    (Symbol("box", "node no given"), "NO, judged"),
    (Symbol("box", "node no"), "NO, inferred"),
    (Symbol("box", "node none"), "open"),
)
_LEGEND_WIDTH = 2 * _MARGIN + sum(24 + pixels(text, _FONT) for _, text in _LEGEND)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node over the words from `start` up to `end`, at a `depth` below the root.

    `label` is `yes`, `no` or `none`. The node is filled if its label `is_given` and outlined if the
    label follows from others. `name` and `text` are written in the node; `title` is its tooltip.
    """

    start: int
    end: int
    depth: int
    name: str
    text: str
    title: str
    label: str
    is_given: bool

    @property
    def width(self) -> float:
        """The width that the two lines of text need."""
        return max(pixels(cut(self.name, _LONGEST), _FONT), pixels(self.text, _FONT)) + 12


def parse_tree(source: Sequence[str], nodes: Sequence[TreeNode], caption: Caption) -> Picture:
    """Draw nodes above the words of a sentence; parents must come before their children."""
    widths = _word_widths(source, nodes)
    lefts = [_MARGIN]
    for width in widths:
        lefts.append(lefts[-1] + width + _GAP)
    centres = [(lefts[node.start] + lefts[node.end] - _GAP) / 2 for node in nodes]
    levels = max(node.depth for node in nodes)
    # All nodes over single words go into the bottom row.
    tops = [
        _MARGIN + (levels if node.end - node.start == 1 else node.depth) * _ROW for node in nodes
    ]
    body = [
        line(centres[parent], tops[parent] + _BOX, centres[place], tops[place], "axis")
        for place, parent in enumerate(_parents(nodes))
        if parent >= 0
    ]
    for node, centre, top in zip(nodes, centres, tops, strict=True):
        is_word = node.end - node.start == 1
        width = min(node.width, widths[node.start]) if is_word else node.width
        body.append(_draw(node, centre, top, width))
    bottom = _MARGIN + levels * _ROW + _BOX + 16
    for place, word in enumerate(source):
        middle = lefts[place] + widths[place] / 2
        body.append(text_element(middle, bottom, cut(word, _LONGEST), "middle"))
    body.append(legend(_LEGEND, _MARGIN, bottom + 32, _LEGEND_WIDTH)[0])
    width = max(lefts[-1] - _GAP + _MARGIN, _LEGEND_WIDTH)
    description = "; ".join(node.title for node in nodes)
    size = (width, bottom + 48)
    return Picture.of(caption, f"{description}.", size, body, keeps_size=True)


def _word_widths(source: Sequence[str], nodes: Sequence[TreeNode]) -> list[float]:
    """The width of each column: that of the word or of the node over it alone."""
    widths = [pixels(cut(word, _LONGEST), 12.0) for word in source]
    for node in nodes:
        if node.end - node.start == 1:
            widths[node.start] = max(widths[node.start], node.width)
    return widths


def _parents(nodes: Sequence[TreeNode]) -> list[int]:
    above: list[int] = []
    parents = []
    for place, node in enumerate(nodes):
        del above[node.depth :]
        parents.append(above[-1] if above else -1)
        above.append(place)
    return parents


def _draw(node: TreeNode, centre: float, top: float, width: float) -> Markup:
    kind = f"node {node.label} given" if node.is_given else f"node {node.label}"
    box = element("rect", x=centre - width / 2, y=top, width=width, height=_BOX, rx=4, class_=kind)
    inner = "middle small on" if node.is_given and node.label != "none" else "middle small"
    name = cut(node.name, _LONGEST)
    texts = [
        text_element(centre, top + 14, name, inner),
        text_element(centre, top + 28, node.text, inner),
    ]
    return element("g", element("title", node.title), box, *texts)
