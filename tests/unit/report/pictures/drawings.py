"""Reading pictures: what an XML parser sees of them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from weigh.report.pictures.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture) -> ET.Element:
    """Return the picture as an XML parser sees its file; all places must be numbers."""
    root = ET.fromstring(picture.standalone())
    for element in root.iter():
        for name in ("x", "y", "cx", "cy", "d"):
            value = element.get(name, "")
            assert "nan" not in value
            assert "inf" not in value
    return root


def of_class(root: ET.Element, wanted: str) -> list[ET.Element]:
    return [each for each in root.iter() if wanted in each.get("class", "").split()]


def title(element: ET.Element) -> str:
    return element.findtext(f"{SVG}title") or ""


def texts(root: ET.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def is_straight(places: Sequence[tuple[float, float]], slack: float = 0.11) -> bool:
    """Return whether coordinates are a linear function of values, up to how they are rounded."""
    (low, first), (high, last) = min(places), max(places)
    if high == low:
        return all(math.isclose(first, at, abs_tol=slack) for _, at in places)
    slope = (last - first) / (high - low)
    return all(abs(first + slope * (value - low) - at) <= slack for value, at in places)
