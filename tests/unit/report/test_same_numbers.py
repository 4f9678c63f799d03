"""Every format shows the cells of a view, and a comparison's cells are the document's numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.nulls import noisy, texts
from unit.report import latex_syntax
from unit.report.made import MADE
from weigh import Bleu, Outputs, System, Ter, TestSet, compare
from weigh.comparing.compare_result import CompareResult
from weigh.report.formats import align, pipe_table
from weigh.report.grid import Cell, Grid, visible
from weigh.report.view import view

PADDING = re.compile(r"(?<=[\[( ]) +")


def grids(result: Any) -> list[Grid]:
    return [part for part in view(result).parts if isinstance(part, Grid)]


def written(grid: Grid, *, with_labels: bool = False) -> list[list[str]]:
    """The texts of a grid by row; in LaTeX they have labels and superscripts."""
    grid = grid if with_labels else grid.without_labels()
    columns = [
        [
            PADDING.sub("", visible(text + cell.raised * (with_labels and kind != "interval")))
            for text, cell in cells
        ]
        for kind, cells in zip([c.kind for c in grid.columns], grid.texts(), strict=True)
    ]
    return [[text.strip() for text in row] for row in zip(*columns, strict=True)]


def in_order(row: Sequence[str], line: str) -> bool:
    at = 0
    for text in row:
        at = line.find(text, at)
        if at < 0:
            return False
        at += len(text)
    return True


class Rows(HTMLParser):
    """The rows of all tables of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.is_in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.is_in_cell = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.is_in_cell = self.is_in_cell and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self.is_in_cell:
            self.rows[-1][-1] += data


def rows_of_markdown(text: str) -> list[list[str]]:
    rows = []
    for line in text.split("\n"):
        cells = re.findall(r"((?:\\.|[^|\\])*)\|", line)[1:]
        plain = [cell.strip().removeprefix("**").removesuffix("**") for cell in cells]
        rows.append([PADDING.sub("", re.sub(r"\\(.)", r"\1", cell)).strip() for cell in plain])
    return rows


def rows_of_latex(text: str) -> list[list[str]]:
    tabulars = text.split(r"\end{tabular}")[:-1]
    rows = [row for tabular in tabulars for row in latex_syntax.rows(tabular)]
    return [[PADDING.sub("", cell).strip() for cell in row] for row in rows]


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_format_shows_the_cells_of_the_view(kind: str, seed: int) -> None:
    result = MADE[kind](seed)
    rows = Rows(re.sub("<script.*", "", result.to_html())).rows
    page = [[cell.strip() for cell in row] for row in rows]
    papers = []
    for grid in grids(result):
        papers += written(grid, with_labels=True) if grid.paper else []
        shown = grid.without_labels()
        lines = [PADDING.sub("", line) for line in align(shown)[0].split("\n")]
        marked = rows_of_markdown(pipe_table(shown))
        for row in written(grid):
            assert row in page
            assert row in marked
            assert any(in_order(row, line) for line in lines)
    latex = rows_of_latex(result.to_text("latex"))
    assert len(latex) >= len(papers)
    for row in latex:
        assert any(set(row) <= set(paper) for paper in papers)


@st.composite
def results(draw: st.DrawFn) -> CompareResult:
    """A comparison of random systems, by a metric of texts or by given scores."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    segments = draw(st.integers(6, 16))
    names = [f"s{number}" for number in range(1, draw(st.integers(2, 6)) + 1)]
    given_scores, one_sided = draw(st.booleans()), draw(st.booleans())
    tests = draw(st.sampled_from([["randomization"], ["bootstrap", "paired-bootstrap"]]))
    if given_scores and not one_sided and draw(st.booleans()):
        tests = ["randomization", "tukey"]
    options: dict[str, Any] = {
        "tests": tuple(tests),
        "alternative": draw(st.sampled_from(["better", "worse"])) if one_sided else "two-sided",
        "adjust": draw(st.sampled_from(["holm", "bh", "none"])),
        "interval": draw(st.sampled_from(["percentile", "halving", "bca"])),
        "baseline": draw(st.sampled_from([None, names[-1]])),
        "trials": draw(st.sampled_from([19, 60])),
        "slices": draw(st.sampled_from([None, [["news", "chat"][i % 2] for i in range(segments)]])),
        "threads": 1,
    }
    if given_scores:
        spread = draw(st.sampled_from([0.0, 1.0, 3.0]))
        scores = {name: rng.normal(at * spread, 1, segments) for at, name in enumerate(names)}
        return compare(scores, lower_is_better=draw(st.booleans()), **options)
    words = texts(rng, segments)
    systems = [
        System(
            name, Outputs([noisy(rng, line, draw(st.sampled_from([0.1, 0.7]))) for line in words])
        )
        for name in names
    ]
    return compare(
        systems, TestSet([[" ".join(line) for line in words]]), [Bleu(), Ter()], **options
    )


class Document:
    """The scores and pairs of a JSON document, and what follows from them."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.scores = {(e["metric"], e.get("slice"), e["system"]): e for e in document["scores"]}
        self.pairs = {
            (e["metric"], e["test"], e.get("slice"), e["a"], e["b"]): e
            for e in document["comparisons"]
        }
        self.systems = {e["system"] for e in document["scores"]}
        self.lower = {e["metric"]: e["lower_is_better"] for e in document["scores"]}

    def beats(self, pair: Mapping[str, Any]) -> tuple[str, str] | None:
        if not pair["significant"] or pair.get("contradicts"):
            return None
        a_wins = pair["alternative"] == "better"
        if pair["alternative"] == "two-sided":
            a_wins = (pair["difference"] > 0) != self.lower[pair["metric"]]
        return (pair["a"], pair["b"]) if a_wins else (pair["b"], pair["a"])

    def beaten(self, metric: str, test: str, label: Any, name: Any) -> set[str]:
        """The systems that a system beats."""
        pairs = [pair for key, pair in self.pairs.items() if key[:3] == (metric, test, label)]
        return {beats[1] for beats in map(self.beats, pairs) if beats and beats[0] == name}

    def rank(self, metric: str, test: str, label: Any, name: Any) -> object:
        """A system's rank by its definition: losses + 1 to systems − wins."""
        if not any(key[:3] == (metric, test, label) and name in key[3:] for key in self.pairs):
            return ""
        wins = len(self.beaten(metric, test, label, name))
        losses = sum(name in self.beaten(metric, test, label, other) for other in self.systems)
        return losses + 1, len(self.systems) - wins


def cells(grid: Grid) -> list[dict[str, Cell]]:
    titles = [column.title for column in grid.columns]
    return [dict(zip(titles, row, strict=True)) for row in zip(*grid.cells(), strict=True)]


def check_scores(grid: Grid, shown: Document, result: CompareResult) -> set[Any]:
    keys, metric = set(), ""
    test, baseline = result.comparisons[0].test, result.plan.baseline
    titles = {"BLEU": "bleu", "TER": "ter", "score": "score"}
    letters = {row[""].value: row["System"].value for row in cells(grid) if "" in row}
    rows = list(zip(*grid.cells(), strict=True))
    for row, named in zip(rows, cells(grid), strict=True):
        label, name = (named["Slice"].value if "Slice" in named else None), named["System"].value
        for column, cell in zip(grid.columns, row, strict=True):
            metric = titles.get(column.title, metric)
            if column.title in titles:
                keys.add((metric, label, name))
                assert cell.value == shown.scores[metric, label, name]["score"]
                beaten = shown.beaten(metric, test, label, name)
                if baseline is None:
                    assert {letters[letter] for letter in spelled_out(cell.raised)} == beaten
                elif name != baseline:
                    lost = name in shown.beaten(metric, test, label, baseline)
                    assert cell.raised == ("+" if beaten else "−" if lost else "")
            elif column.title.startswith("Rank"):
                assert cell.value == shown.rank(metric, test, label, name)
            elif column.kind == "interval":
                interval = shown.scores[metric, label, name]["interval"]
                assert cell.value == (None if interval is None else _ends(interval))
    return keys


def spelled_out(raised: str) -> list[str]:
    """The letters of a superscript such as `b,d–f`."""
    letters: list[str] = []
    for part in filter(None, raised.split(",")):
        first, _, last = part.partition("–")
        letters += [chr(code) for code in range(ord(first), ord(last or first) + 1)]
    return letters


def _ends(interval: Sequence[float | None]) -> tuple[float, float]:
    """The ends of an interval; those that are infinite are null in JSON."""
    low, high = interval
    return -math.inf if low is None else low, math.inf if high is None else high


def check_pairs(grid: Grid, shown: Document, result: CompareResult) -> set[Any]:
    keys = set()
    baseline, tests = result.plan.baseline, list(dict.fromkeys(p.test for p in result.comparisons))
    titles = {"BLEU": "bleu", "TER": "ter"}
    for row in cells(grid):
        values = {title: cell.value for title, cell in row.items()}
        metric = titles[str(values["Metric"])] if "Metric" in values else result.metrics[0].metric
        place = (metric, values.get("Test", tests[0]), values.get("Slice"))
        first, second = values.get("A", values.get("System")), values.get("B", baseline)
        is_flipped = (*place, first, second) not in shown.pairs
        key = (*place, second, first) if is_flipped else (*place, first, second)
        pair = shown.pairs[key]
        keys.add(key)
        sign = (-1 if is_flipped else 1) * (-1 if shown.lower[metric] else 1)
        assert values["Better by"] == sign * pair["difference"]
        if "A" in values and pair["alternative"] == "two-sided":
            assert values["Better by"] >= 0
        if pair["interval"] is not None:
            low, high = _ends(pair["interval"])
            ends = (low, high) if sign > 0 else (-high, -low)
            assert tuple(values["95% interval"])[:2] == ends
        assert values["p"] == pair["p_value"]
        assert values.get("p adjusted", values["p"]) == pair["p_adjusted"]
        counts = [str(pair[name]) for name in ("wins", "ties", "losses") if name in pair]
        assert (values.get("W/T/L") or "") == "/".join(counts[::-1] if is_flipped else counts)
        check_conclusion(str(values["Conclusion"]), pair, shown.beats(pair), str(first), baseline)
    return keys


def check_conclusion(
    text: str,
    pair: Mapping[str, Any],
    beats: tuple[str, str] | None,
    first: str,
    baseline: str | None,
) -> None:
    if beats is None:
        assert re.match("no evidence|none:", text)
    elif baseline is None and pair["alternative"] != "worse":
        assert text == ("A is better" if beats[0] == first else "B is better")
    else:
        assert text == ("better" if beats[0] == first else "worse")


@settings(deadline=None, max_examples=40)
@given(results())
@pytest.mark.filterwarnings("ignore::weigh.errors.WeighWarning")
def test_the_cells_of_a_comparison_are_the_numbers_of_its_document(result: CompareResult) -> None:
    shown = Document(json.loads(result.to_json()))
    scores, pairs = set(), set()
    for grid in grids(result):
        if "Conclusion" in [column.title for column in grid.columns]:
            pairs |= check_pairs(grid, shown, result)
        else:
            scores |= check_scores(grid, shown, result)
    assert scores == set(shown.scores)
    assert pairs == set(shown.pairs)
    header, *lines = (line.split("\t") for line in result.to_text("tsv").split("\n"))
    for line, pair in zip(lines, shown.pairs.values(), strict=True):
        record = dict(zip(header, line, strict=True))
        assert (record["a"], record["b"], record["test"]) == (pair["a"], pair["b"], pair["test"])
        for name in ("score_a", "score_b", "difference", "p_value", "p_adjusted"):
            assert record.get(name, "") == ("" if pair[name] is None else repr(pair[name]))
