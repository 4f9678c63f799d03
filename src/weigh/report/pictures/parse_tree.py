"""Parse trees whose nodes show the labels that an output has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.picture import Mark, Picture, legend, name_of
from weigh.report.rypt import UNALIGNED, mark, reason
from weigh.report.svg import cut, element, escape, line, pixels, words
from weigh.rypt.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.rypt.explanation import ExplainedNode, ExplainedOutput, ExplanationResult

_ROW, _BOX, _GAP, _MARGIN = 58.0, 34.0, 8.0, 12.0
_FONT = 11.0
_LONGEST = 16  # characters of a name or a word
_LEGEND = (
    (Mark("box", "node yes given"), "YES, said"),
    (Mark("box", "node yes"), "YES, follows"),
    (Mark("box", "node no given"), "NO, said"),
    (Mark("box", "node no"), "NO, follows"),
    (Mark("box", "node none"), "open"),
)
_LEGEND_WIDTH = 2 * _MARGIN + sum(24 + pixels(text, _FONT) for _, text in _LEGEND)


def tree_pictures(result: ExplanationResult) -> list[Picture]:
    """Return a tree for every output: filled where people have said it, open where it follows."""
    return [
        _tree(result, output, name_of("tree", number, output.system))
        for number, output in enumerate(result.outputs, 1)
    ]


def _tree(result: ExplanationResult, output: ExplainedOutput, name: str) -> Picture:
    nodes = result.nodes_of(output.system)
    widths = _widths(result, nodes)
    lefts = [_MARGIN]
    for width in widths:
        lefts.append(lefts[-1] + width + _GAP)
    parents = _parents(nodes)
    centres = [(lefts[node.start] + lefts[node.end] - _GAP) / 2 for node in nodes]
    levels = max(node.depth for node in nodes)
    # Words stand in one row at the bottom, whatever their depth.
    tops = [
        _MARGIN + (levels if node.end - node.start == 1 else node.depth) * _ROW for node in nodes
    ]
    height = _MARGIN + levels * _ROW + _BOX + 64
    body = [
        line(centres[parent], tops[parent] + _BOX, centres[place], tops[place], "axis")
        for place, parent in enumerate(parents)
        if parent >= 0
    ]
    body += map(_node, nodes, centres, tops, [widths] * len(nodes))
    bottom = _MARGIN + levels * _ROW + _BOX + 16
    for place, word in enumerate(result.source):
        middle = lefts[place] + widths[place] / 2
        body.append(words(middle, bottom, cut(word, _LONGEST), "middle"))
    body.append(legend(_LEGEND, _MARGIN, bottom + 32, _LEGEND_WIDTH)[0])
    return Picture(
        name=name,
        title=f"{visible(output.system)}: {visible(output.text)}",
        description=_described(nodes),
        width=max(lefts[-1] - _GAP + _MARGIN, _LEGEND_WIDTH),
        height=height,
        body="".join(body),
        keeps_size=True,
    )


def _widths(result: ExplanationResult, nodes: Sequence[ExplainedNode]) -> list[float]:
    """Return how much room every word needs: for itself and for the node above it."""
    room = [pixels(cut(word, _LONGEST), 12.0) for word in result.source]
    for node in nodes:
        need = max(pixels(cut(node.name, _LONGEST), _FONT), pixels(mark(node), _FONT)) + 12
        if node.end - node.start == 1:
            room[node.start] = max(room[node.start], need)
    return room


def _parents(nodes: Sequence[ExplainedNode]) -> list[int]:
    above: list[int] = []
    parents = []
    for place, node in enumerate(nodes):
        del above[node.depth :]
        parents.append(above[-1] if above else -1)
        above.append(place)
    return parents


def _node(node: ExplainedNode, centre: float, top: float, widths: Sequence[float]) -> str:
    name, said = cut(node.name, _LONGEST), mark(node)
    width = max(pixels(name, _FONT), pixels(said, _FONT)) + 12
    if node.end - node.start == 1:
        width = min(width, widths[node.start])
    label = "yes" if node.label == Label.YES else "no" if node.label == Label.NO else "none"
    kind = f"node {label}{' given' * (node.is_given)}"
    why = reason(node)
    told = f"{node.span}: {mark(node)}{f', {why}' * bool(why)}; " + (
        UNALIGNED if node.substring is None else node.substring
    )
    box = element("rect", x=centre - width / 2, y=top, width=width, height=_BOX, rx=4, class_=kind)
    inner = "middle small on" if node.is_given and label != "none" else "middle small"
    texts = words(centre, top + 14, name, inner) + words(centre, top + 28, said, inner)
    return element("g", element("title", escape(told)) + box + texts)


def _described(nodes: Sequence[ExplainedNode]) -> str:
    """Return the tree in words, for those who do not see it."""
    return "; ".join(f"{node.span} {mark(node)}" for node in nodes) + "."
