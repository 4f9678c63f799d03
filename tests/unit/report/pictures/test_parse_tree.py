from __future__ import annotations

import xml.etree.ElementTree as ET

from unit.report.pictures.drawings import SVG, drawn
from weigh.report.pictures.parse_tree import TreeNode, parse_tree
from weigh.report.pictures.picture import Caption, Picture

CAPTION = Caption("tree-1", "A sentence")


def node(
    start: int, end: int, depth: int, name: str, label: str = "none", *, is_given: bool = False
) -> TreeNode:
    title = f"{start}-{end} <{name}>"
    return TreeNode(start, end, depth, name, label.upper(), title, label, is_given)


NODES = [
    node(0, 4, 0, "S", "no"),
    node(0, 2, 1, "NP", "yes", is_given=True),
    node(0, 1, 2, "DT", "yes"),
    node(1, 2, 2, "NN</svg>&", "yes"),
    node(2, 4, 1, "VP", "no", is_given=True),
    node(2, 3, 2, "V"),
    node(3, 4, 2, "ADV"),
]
WORDS = ["the", "cat", "<sleeps>", "now" * 20]


def boxes(picture: Picture) -> dict[str, ET.Element]:
    groups = [
        each for each in drawn(picture).iter(f"{SVG}g") if each.find(f"{SVG}rect") is not None
    ]
    found = {}
    for group in groups:
        box = group.find(f"{SVG}rect")
        assert box is not None
        found[group.findtext(f"{SVG}title") or ""] = box
    return found


def middle(box: ET.Element) -> float:
    return float(box.attrib["x"]) + float(box.attrib["width"]) / 2


def test_nodes_stand_above_their_words_and_below_their_parents() -> None:
    picture = parse_tree(WORDS, NODES, CAPTION)
    found = boxes(picture)
    assert list(found) == [each.title for each in NODES]
    words = [each for each in drawn(picture).iter(f"{SVG}text") if each.get("class") == "middle"]
    places = [float(each.attrib["x"]) for each in words]
    assert len(places) == len(WORDS)
    assert places == sorted(places)
    for each in NODES:
        box = found[each.title]
        assert places[each.start] - 1 <= middle(box) <= places[each.end - 1] + 1
        assert float(box.attrib["x"]) >= 0
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= picture.width
    tops = {each.title: float(found[each.title].attrib["y"]) for each in NODES}
    assert tops[NODES[0].title] < tops[NODES[1].title] < tops[NODES[2].title]
    single = {tops[each.title] for each in NODES if each.end - each.start == 1}
    assert len(single) == 1
