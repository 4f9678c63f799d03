from __future__ import annotations

import json
import re

import pytest

from unit.report.pictures.drawings import drawn, of_class, texts, title
from weigh.report.pictures.heat_map import HeatCell, LegendLine, heat_map
from weigh.report.pictures.picture import Caption, Picture

CAPTION = Caption("heat-1", "Pairs")
LEGEND = [LegendLine("Row better, p ≤", [("good1", ".05"), ("good3", ".001")]), LegendLine("Blank")]


def square(names: list[str], text: str = "") -> Picture:
    cells = [
        [HeatCell("self" if i == j else "good1", f"{row} & {column}", text)]
        for i, row in enumerate(names)
        for j, column in enumerate(names)
    ]
    size = len(names)
    rows = [[cell for [cell] in cells[at * size : (at + 1) * size]] for at in range(size)]
    return heat_map(names, rows, CAPTION, LEGEND)


@pytest.mark.parametrize("count", [1, 3, 16, 17, 33])
def test_cells_stand_in_the_rows_and_columns_of_their_names(count: int) -> None:
    names = [f"system {at}" for at in range(count)]
    picture = square(names)
    cells = of_class(drawn(picture), "cell")
    assert len(cells) == count**2
    xs = sorted({float(cell.attrib["x"]) for cell in cells})
    ys = sorted({float(cell.attrib["y"]) for cell in cells})
    assert len(xs) == len(ys) == count
    size = float(cells[0].attrib["width"])
    assert size == (24 if count <= 16 else 18 if count <= 32 else 13)
    for cell in cells:
        row = ys.index(float(cell.attrib["y"]))
        column = xs.index(float(cell.attrib["x"]))
        assert title(cell) == f"system {row} & system {column}"
        assert cell.attrib["class"] == ("cell self" if row == column else "cell good1")
    assert xs[-1] + size < picture.width
    assert ys[-1] + size < picture.height


def test_many_cells_are_drawn_as_one_path_for_every_shade() -> None:
    count = 50
    names = [f"system {at}" for at in range(count)]
    root = drawn(square(names))
    [sheet] = of_class(root, "cell")
    [group] = of_class(root, "pick")
    left, top, size = (float(group.attrib[f"data-{key}"]) for key in ("x", "y", "size"))
    assert float(sheet.attrib["width"]) == count * size
    [diagonal] = of_class(root, "self")
    corners = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", diagonal.attrib["d"])
    assert [tuple(map(float, each)) for each in corners] == [
        (pytest.approx(left + size * at, abs=0.06), pytest.approx(top + size * at, abs=0.06), size)
        for at in range(count)
    ]
    shaded = next(each for each in of_class(root, "good1") if each.tag.endswith("path"))
    wide = sum(map(float, re.findall(r"h([\d.]+)v", shaded.attrib["d"])))
    assert wide == pytest.approx(size * count * (count - 1))
    assert json.loads(group.attrib["data-names"]) == names


def test_names_are_escaped_and_the_legend_explains_shades() -> None:
    root = drawn(heat_map(["</svg>&"], [[HeatCell("", "<&>")]], CAPTION, LEGEND))
    assert "</svg>&" in texts(root)
    assert title(of_class(root, "cell")[0]) == "<&>"
    swatches = of_class(root, "swatch")
    assert [each.attrib["class"] for each in swatches] == ["swatch good1", "swatch good3"]
    assert {".05", ".001", "Blank"} <= set(texts(root))
