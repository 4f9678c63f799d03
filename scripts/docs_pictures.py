"""Draw the pictures of docs/: the one idea, how data flows, and what imports what.

Those of the architecture are read from the code: packages, modules, imports, results and formats.
"""

from __future__ import annotations

import ast
import random
import tomllib
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from docs_reference import classes

import weigh
from weigh.report.formats import FORMATS
from weigh.report.pictures.histogram import bins, extreme_parts, split
from weigh.report.pictures.picture import Box, Picture, Scale
from weigh.report.svg import coordinate, element, line, words, wrapped
from weigh.result import Result

PACKAGE = Path(str(weigh.__file__)).parent  # __path__ of a working copy begins elsewhere
CORE = {"_core", "_translator"}
WIDTH = 740.0


def pictures(root: Path) -> dict[str, str]:
    """Return every picture by the name of its file."""
    drawn = [one_idea(), data_flow(), import_matrix(root)]
    return {f"{picture.name}.svg": picture.standalone() for picture in drawn}


@cache
def imports() -> set[tuple[str, str]]:
    """Return which package imports which other; imports for type checkers do not count."""
    edges = set()
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if not package.startswith("__"):
            edges |= {(package, other) for other in _imported(path) if other != package}
    return edges


def _imported(path: Path) -> set[str]:
    """Return the packages of weigh that a module imports, wherever in it."""
    names = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        pending += ast.iter_child_nodes(node)
    found = {name.split(".")[1] for name in names if name.startswith("weigh.")}
    packages = {each.stem for each in PACKAGE.iterdir()} - {"__init__"}
    return {"core" if name in CORE else name for name in found & (packages | CORE)}


def layers(root: Path) -> list[str]:
    """Return packages from the topmost to the lowest, as import-linter is told, and the core."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = settings["tool"]["importlinter"]["contracts"]
    names = [name for layer in contract["layers"] for name in layer.split(" | ")]
    return [*(name for name in names if name != "__main__"), "core"]


def modules(package: str) -> str:
    """Return the names of a package's modules, and of the packages in it."""
    folder = PACKAGE / package
    inner = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    return " ".join(sorted(inner | {path.stem for path in folder.glob("*.py")} - {"__init__"}))


def verbs(package: str) -> str:
    """Return the verbs whose results are made in a package, without the name of their group."""
    classes()  # imports them all
    kinds, commands = [Result], set()
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind.__module__.startswith(f"weigh.{package}.") and hasattr(kind, "command"):
            group, _, verb = kind.command.partition(" ")
            commands.add(verb if verb and package.startswith(group) else kind.command)
    return ", ".join(sorted(commands))


# Stages from what people have to what they see: packages, and what is told of each.
STAGES = [
    (
        "Files, frames and answers become texts, scores and judgments, texts tokens",
        ("read", "tokenize"),
    ),
    ("Tokens become rows of statistics, and rows conclusions", ("translator", "metrics", "stats")),
    (
        "A function for each verb makes a result, by a plan",
        ("tuning", "comparing", "rypt", "human", "validate", "papers"),
    ),
    ("A view says what is shown of a result", ("report",)),
    ("Every format walks the view; JSON is the result itself", ("formats",)),
]
MARGIN = 156.0  # for what happens at a stage


def data_flow() -> Picture:
    """Draw the stages one below the other; lines are imports from one stage to the next."""
    edges, parts, boxes, y = imports(), [], {}, 4.0
    for number, (what, packages) in enumerate(STAGES, 1):
        lists = [_told(package) for package in packages]
        shares = [len(text) + max(map(len, lists)) for text in lists]
        heading = wrapped(f"{number}. {what}", 21, 6)
        left, bottom = MARGIN, y + 8 + 16 * len(heading)
        for package, text, share in zip(packages, lists, shares, strict=True):
            wide = (WIDTH - MARGIN + 6) * share / sum(shares) - 10
            lines = wrapped(text, int(wide / 6.7), 30)
            boxes[package] = Box(left, y, left + wide, y)
            parts += [
                words(left + 8, y + 34 + 15 * at, each, "small soft")
                for at, each in enumerate(lines)
            ]
            left, bottom = left + wide + 10, max(bottom, y + 30 + 15 * len(lines))
        for package in packages:
            boxes[package] = replace(boxes[package], bottom=bottom)
            parts.insert(0, _frame(boxes[package], package))
        parts += [words(4, y + 17 + 16 * at, text) for at, text in enumerate(heading)]
        y = bottom + 48
    flows = [
        (source, target)
        for (_, above), (_, below) in pairwise(STAGES)
        for source in above
        for target in below
        if (target, source) in edges or target == "formats"
    ]
    said = "; ".join(f"{what}: {', '.join(packages)}" for what, packages in STAGES)
    return Picture(
        name="data-flow",
        title="How data flows through the packages",
        description=f"From top to bottom. {said}. Lines are imports.",
        width=WIDTH,
        height=y - 44,
        body=_lines(flows, boxes) + "".join(parts),
    )


def _told(package: str) -> str:
    """Return what stands in a package's box: verbs where it has results, else modules."""
    if package == "formats":
        return " ".join([*FORMATS, "page", "SVG"])
    listed = "" if package in ("metrics", "report") else verbs(package)
    return listed or modules(package)


def _frame(box: Box, title: str) -> str:
    wide, high = box.right - box.left, box.bottom - box.top
    frame = element("rect", x=box.left, y=box.top, width=wide, height=high, rx=4, class_="cell")
    return frame + words(box.left + 8, box.top + 17, title)


def _lines(flows: list[tuple[str, str]], boxes: dict[str, Box]) -> str:
    """Return curves from boxes down to others, spread over the edges where they begin and end."""

    def place(box: Box, others: list[str], name: str) -> float:
        order = sorted(others, key=lambda other: boxes[other].middle)
        return box.left + (box.right - box.left) * (order.index(name) + 1) / (len(order) + 1)

    drawn = []
    for source, target in flows:
        above, below = boxes[source], boxes[target]
        start = place(above, [each for first, each in flows if first == source], target)
        stop = place(below, [each for each, last in flows if last == target], source)
        middle = (above.bottom + below.top) / 2
        points = [(start, above.bottom), (start, middle), (stop, middle), (stop, below.top)]
        first, *rest = [f"{coordinate(x)} {coordinate(y)}" for x, y in points]
        drawn.append(element("path", d=f"M{first}C{' '.join(rest)}", class_="interval"))
    return "".join(drawn)


def import_matrix(root: Path) -> Picture:
    """Draw which package imports which: all marks stand above the diagonal but one."""
    edges, names = imports(), layers(root)
    cell, left, top = 24.0, 84.0, 74.0
    parts = []
    for row, name in enumerate(names):
        y, x = top + row * cell, left + (row + 0.6) * cell
        turned = f"rotate(-60 {coordinate(x)} {coordinate(top - 6)})"
        parts.append(words(left - 8, y + 16, name, "end"))
        parts.append(element("text", name, x=x, y=top - 6, transform=turned))
        for column, other in enumerate(names):
            downward = "good2" if row < column else "bad2"
            shade = "self" if row == column else downward if (name, other) in edges else ""
            place = {"x": left + column * cell, "y": y, "width": cell, "height": cell}
            parts.append(element("rect", **place, class_=f"cell {shade}".rstrip()))
    upward = sorted(f"{a} of {b}" for a, b in edges if names.index(a) > names.index(b))
    return Picture(
        name="imports",
        title="What imports what",
        description="A row for each package, with a mark in the column of each that it imports. "
        f"All imports are of packages further down, except those by {', '.join(upward) or 'none'}.",
        width=left + len(names) * cell + 44,
        height=top + len(names) * cell + 4,
        body="".join(parts),
    )


def one_idea() -> Picture:
    """Draw one difference on two test sets: chance explains it on the small one alone."""
    parts, told, floor = [], [], 160.0
    for at, segments in enumerate((100, 2500)):
        left = 8 + at * 256.0
        pair, histogram = _compared(segments)
        across, bars = Scale(-3, 3, left, left + 232), bins(histogram)
        up = Scale(0, max(count for *_, count in bars), floor, 60)
        usual, extreme = split(bars, extreme_parts(histogram, pair, pair.difference))
        for class_, drawn in (("bars", usual), ("extreme", extreme)):
            for low, high, count in drawn:
                place = {"x": across(low), "width": across(high) - across(low)}
                high_bar = {"y": up(count), "height": floor - up(count)}
                parts.append(element("rect", **place, **high_bar, class_=class_))
        x = across(pair.difference)
        p_value = f"{pair.p_value:.4f}".lstrip("0")
        conclusion = "B is better" if pair.significant else "no evidence of a difference"
        parts += [
            line(left, floor, left + 232, floor, "axis"),
            line(x, 44, x, floor, "actual"),
            words(left, 18, f"{segments:,} segments"),
            words(x + 6, 52, f"B \u2212 A = +{pair.difference:.1f}", "marked"),
            words(left, 200, f"{pair.count:,} of {pair.trials:,} trials differ as much:", "soft"),
            words(left, 218, f"p = {p_value}, {conclusion}"),
        ]
        for value in range(-2, 3):
            shown = f"{value:+d}".replace("-", "\u2212") if value else "0"
            parts.append(words(across(value), floor + 16, shown, "small soft middle"))
        told.append(f"with {segments:,} segments p = {p_value}: {conclusion}")
    return Picture(
        name="one-idea",
        title="The same difference, on a small and on a large test set",
        description="Histograms of the differences that chance alone makes, and the difference "
        f"that was measured; {'; '.join(told)}.",
        width=504,
        height=228,
        body="".join(parts),
    )


def _compared(segments: int) -> tuple[weigh.Comparison, weigh.comparing.compare_result.Histogram]:
    """Return a test of two systems that differ by 0.8, and what chance alone gives."""
    chance = random.Random(segments)
    noise = [chance.gauss(0, 8) for _ in range(segments)]
    shift = 0.8 - sum(noise) / segments
    a = [round(chance.gauss(50, 15), 3) for _ in range(segments)]
    b = [round(score + each + shift, 3) for score, each in zip(a, noise, strict=True)]
    result = weigh.compare({"B": b, "A": a}, details=True)
    return result["B", "A"], result.details.histograms[0]
