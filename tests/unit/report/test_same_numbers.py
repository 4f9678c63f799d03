"""Every format shows the numbers of the JSON document, rounded as that format rounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from html.parser import HTMLParser
from itertools import takewhile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.nulls import noisy, texts
from unit.report import latex_syntax
from weigh import Bleu, Outputs, System, Ter, TestSet, compare
from weigh.comparing.compare_result import CompareResult
from weigh.report.formats import FORMATS
from weigh.report.page.browser import unpack

DIGITS = {"bleu": 2, "ter": 1, "score": 4}
TITLES = {"bleu": "BLEU", "ter": "TER", "score": "score"}
LABELS = ("news", "chat")
TESTS = ("randomization", "bootstrap", "paired-bootstrap", "tukey")
# Where there are many pairs, text formats do not list all of them.
LEFT_OUT = "--html FILE and --format tsv show all"


@st.composite
def results(draw: st.DrawFn) -> CompareResult:
    """A comparison of random systems, by a metric of texts or by given scores."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    size, segments = draw(st.integers(2, 6)), draw(st.integers(6, 16))
    names = [f"s{number}" for number in range(1, size + 1)]
    given_scores = draw(st.booleans())
    one_sided = draw(st.booleans())
    more_tests = [] if one_sided else [["randomization", "tukey"]] * given_scores
    tests = draw(
        st.sampled_from([["randomization"], ["bootstrap", "paired-bootstrap"], *more_tests])
    )
    options: dict[str, Any] = {
        "tests": tuple(tests),
        "alternative": draw(st.sampled_from(["better", "worse"])) if one_sided else "two-sided",
        "adjust": draw(st.sampled_from(["holm", "bh", "none"])),
        "interval": draw(st.sampled_from(["percentile", "halving", "bca", *["t"] * given_scores])),
        "baseline": draw(st.sampled_from([None, names[-1]])),
        "trials": draw(st.sampled_from([19, 60])),
        "slices": draw(st.sampled_from([None, [LABELS[i % 2] for i in range(segments)]])),
        "threads": 1,
    }
    if given_scores:
        spread = draw(st.sampled_from([0.0, 1.0, 3.0]))
        scores = {name: rng.normal(at * spread, 1, segments) for at, name in enumerate(names)}
        return rounded(compare(scores, lower_is_better=draw(st.booleans()), **options))
    words = texts(rng, segments)
    rates = [draw(st.sampled_from([0.1, 0.2, 0.7])) for _ in names]
    systems = [
        System(name, Outputs([noisy(rng, one, rate) for one in words]))
        for name, rate in zip(names, rates, strict=True)
    ]
    test_set = TestSet([[" ".join(one) for one in words]])
    return rounded(compare(systems, test_set, [Bleu(), Ter()], **options))


def rounded(result: CompareResult) -> CompareResult:
    """Return a result that is shown with as many decimals as `DIGITS` says."""
    metrics = tuple(replace(each, decimals=DIGITS[each.metric]) for each in result.metrics)
    return replace(result, metrics=metrics)


@dataclass
class Table:
    """A table as a reader sees it."""

    heading: str
    titles: list[str]
    rows: list[list[str]]


def tables_of_text(text: str) -> list[Table]:
    tables = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        at = next((i for i, line in enumerate(lines) if line.startswith("─")), None)
        if at is None:
            continue
        written = [line for line in lines if line[:1] not in "─┄"]
        body = list(takewhile(is_row, written[at:]))
        cells = columns_of([written[at - 1], *body])
        tables.append(Table(lines[0] if at == 2 else "", cells[0], cells[1:]))
    return tables


def is_row(line: str) -> bool:
    """Return whether a line is of a table, and not the first sentence under it."""
    first = line.split()[0]
    known = {"(all)", "(macro", *LABELS, *TITLES.values(), *TESTS}
    return first in known or first.isdigit() or re.fullmatch(r"s\d", first) is not None


def columns_of(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of lines; columns are parted by two cells that no line writes in."""
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    blank = "".join(" " if {line[at] for line in padded} == {" "} else "x" for at in range(width))
    spans = [found.span() for found in re.finditer(r"x(?:x| (?! ))*", blank)]
    return [[line[start:end].strip() for start, end in spans] for line in padded]


def tables_of_markdown(text: str) -> list[Table]:
    tables: list[Table] = []
    heading, inside = "", False
    for line in text.split("\n"):
        if line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            row = [re.sub(r"\\(.)", r"\1", cell).strip() for cell in cells]
            if not inside:
                tables.append(Table(heading, row, []))
            elif not set("".join(row)) <= set("-:"):
                tables[-1].rows.append(row)
        elif found := re.fullmatch(r"#+ (.*)|<summary>(.*)</summary>", line):
            heading = (found[1] or found[2]).replace("&#x27;", "'")
        inside = line.startswith("|")
    return tables


class Html(HTMLParser):
    """The tables of a page, and the document that is embedded in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self.document = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append(Table("", [], []))
        elif tag == "tr" and self.tables[-1].titles:
            self.tables[-1].rows.append([])
        elif tag in ("th", "td"):
            self.inside = "cell"
            table = self.tables[-1]
            (table.rows[-1] if table.rows else table.titles).append("")
        elif ("id", "data") in attrs:
            self.inside = "data"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td", "script"):
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "data":
            self.document += data
        elif self.inside == "cell":
            table = self.tables[-1]
            (table.rows[-1] if table.rows else table.titles)[-1] += data


def same(text: str, number: float | None, decimals: int) -> None:
    """Check that a text is the number with so many decimals, rounded to the nearest."""
    if number is None:
        assert text == "–"
        return
    shown = Decimal(text.strip("* "))  # the best of a column is marked
    assert -shown.as_tuple().exponent == decimals
    assert abs(shown - Decimal(number)) <= Decimal(10) ** -decimals * Decimal("0.500001")


def same_interval(text: str, ends: Sequence[float] | None, decimals: int) -> None:
    if ends is None:
        assert text == "–"
        return
    for shown, end in zip(text.strip("[]()† ").split(","), ends, strict=True):
        if end is None:
            assert shown.strip() in ("∞", "−∞")
        elif shown.strip() == "0":  # open at zero
            assert end == 0
        else:
            same(shown.strip(), end, decimals)


def same_p(text: str, p: float, decimals: int = 4) -> None:
    least = Decimal(10) ** -decimals
    if text.startswith("<"):
        assert Decimal(text[1:]) == least
        assert Decimal(p) <= least / 2
    elif text == "1":
        assert Decimal(p) >= 1 - least * Decimal("0.500001")
    else:
        assert text.startswith(".")
        same(f"0{text}", p, decimals)


Place = tuple[str, str | None]


class Expected:
    """What the document says, by what a reader sees it under."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.scores = {(e["metric"], e.get("slice"), e["system"]): e for e in document["scores"]}
        self.pairs = {
            (e["test"], e["metric"], e.get("slice"), e["a"], e["b"]): e
            for e in document["comparisons"]
        }
        self.metrics = list(dict.fromkeys(e["metric"] for e in document["scores"]))
        self.tests = list(dict.fromkeys(e["test"] for e in document["comparisons"]))
        self.lower = {e["metric"]: e["lower_is_better"] for e in document["scores"]}
        self.names = list(dict.fromkeys(e["system"] for e in document["scores"]))
        self.ranked = {e["test"] for e in document["rankings"]}

    def metric(self, text: str) -> str:
        return next(metric for metric in self.metrics if TITLES[metric] == text)

    def detectable(self, pair: Mapping[str, Any]) -> float | None:
        """Return what may be claimed: nothing where no p-value can be small enough."""
        both = pair["alternative"] == "two-sided" and pair["test"] == "paired-bootstrap"
        family = pair["family_size"] if pair["adjust"] == "holm" else 1
        drawn = pair["trials"] > 0
        smallest = (1 + both) / (pair["trials"] + 1)
        return None if drawn and family * smallest > 0.05 else pair["detectable"]

    def beats(self, pair: Mapping[str, Any]) -> tuple[str, str] | None:
        if not pair["significant"] or pair.get("contradicts"):
            return None
        if pair["alternative"] == "two-sided":
            a_wins = (pair["difference"] > 0) != self.lower[pair["metric"]]
        else:
            a_wins = pair["alternative"] == "better"
        return (pair["a"], pair["b"]) if a_wins else (pair["b"], pair["a"])

    def rank(self, test: str, metric: str, label: str | None, name: str) -> str:
        """Return a system's rank by its definition: losses + 1 to systems − wins.

        Where a test compares nothing, as tests of blocks do of macro means, there is none.
        """
        found = [
            self.beats(pair)
            for key, pair in self.pairs.items()
            if key[:3] == (test, metric, label) and name in key[3:]
        ]
        if not found:
            return ""
        wins = sum(pair is not None and pair[0] == name for pair in found)
        losses = sum(pair is not None and pair[1] == name for pair in found)
        low, high = losses + 1, len(self.names) - wins
        return f"{low}" if low == high else f"{low}–{high}"

    def check_rank(self, title: str, text: str, *place: Any) -> None:
        assert text == self.rank(*place)
        adjust = next(pair["adjust"] for key, pair in self.pairs.items() if key[0] == place[0])
        loose = adjust in ("none", "bh") and len(self.pairs) > 1 and len(self.names) > 2
        assert title == ("Rank (uncorrected)" if loose else "Rank")


def check_tables(tables: Sequence[Table], expected: Expected) -> None:
    """Check all numbers of all tables, and that no score or pair is missing."""
    scores, pairs = set(), set()
    for table in tables:
        if "Conclusion" in table.titles:
            pairs |= check_list(table, expected)
        elif table.titles[0] in ("System", "Slice"):
            scores |= check_scores(table, expected)
    assert scores == set(expected.scores)
    assert pairs == set(expected.pairs)


def label_of(row: Mapping[str, str]) -> str | None:
    label = row.get("Slice", "(all)")
    return None if label == "(all)" else label


def check_scores(table: Table, expected: Expected) -> set[Any]:
    found = set()
    for cells in table.rows:
        row = dict(zip(table.titles, cells, strict=True))
        for at, title in enumerate(table.titles):
            if title[-2:] not in (" ↑", " ↓"):
                continue
            metric = expected.metric(title[:-2])
            key = (metric, label_of(row), row["System"])
            entry = expected.scores[key]
            assert (title[-1] == "↓") is entry["lower_is_better"]
            same(cells[at], entry["score"], DIGITS[metric])
            same_interval(cells[at + 1], entry["interval"], DIGITS[metric])
            if table.titles[at + 2 : at + 3] and table.titles[at + 2].startswith("Rank"):
                expected.check_rank(table.titles[at + 2], cells[at + 2], expected.tests[0], *key)
            else:
                assert not expected.ranked
            found.add(key)
    return found


def check_list(table: Table, expected: Expected) -> set[Any]:
    found = set()
    for cells in table.rows:
        row = dict(zip(table.titles, cells, strict=True))
        metric = expected.metric(row["Metric"]) if "Metric" in row else expected.metrics[0]
        test = row["Test"] if "Test" in row else expected.tests[0]
        baseline = next(pair["b"] for pair in expected.pairs.values())
        first, second = (row["A"], row["B"]) if "A" in row else (row["System"], baseline)
        key = (test, metric, label_of(row), first, second)
        flipped = key not in expected.pairs
        key = (*key[:3], second, first) if flipped else key
        pair = expected.pairs[key]
        decimals = DIGITS[metric]
        sign = (-1 if flipped else 1) * (-1 if expected.lower[metric] else 1)
        same(row["Better by"], sign * pair["difference"], decimals)
        if "A" in row and pair["alternative"] == "two-sided":
            assert not row["Better by"].startswith("-")
        ends = pair["interval"]
        if ends is not None and sign < 0:
            ends = [None if end is None else -end for end in reversed(ends)]
        same_interval(row["95% interval"], ends, decimals)
        counts = [str(pair[name]) for name in ("wins", "ties", "losses") if name in pair]
        counts = counts[::-1] if flipped else counts
        assert row.get("W/T/L", "–") == ("/".join(counts) or "–")
        same_p(row["p"], pair["p_value"])
        same_p(row.get("p adjusted") or row["p"], pair["p_adjusted"])
        if row.get("Detectable"):
            same(row["Detectable"], expected.detectable(pair), decimals)
        check_conclusion(row, pair, expected.beats(pair), first)
        found.add(key)
    return found


def check_conclusion(
    row: Mapping[str, str], pair: Mapping[str, Any], beats: tuple[str, str] | None, first: str
) -> None:
    if beats is None:
        assert re.match("no evidence|none:", row["Conclusion"])
    elif "A" in row and pair["alternative"] != "worse":
        assert row["Conclusion"] == ("A is better" if beats[0] == first else "B is better")
    else:
        assert row["Conclusion"] == ("better" if beats[0] == first else "worse")


def check_latex(text: str, expected: Expected, baseline: str | None) -> None:
    """Check scores and superscripts; intervals and ranks stand there if there is room."""
    found = set()
    test = expected.tests[0]
    letters: dict[str, str] = {}
    for made in text.split(r"\end{table}")[:-1]:
        titles = latex_syntax.titles(made)
        for cells in latex_syntax.rows(made):
            row = dict(zip(titles, cells, strict=True))
            name = row["System"]
            letters.setdefault(row.get("", ""), name)
        for cells in latex_syntax.rows(made):
            row = dict(zip(titles, cells, strict=True))
            name, label, metric = row["System"], label_of(row), ""
            for at, title in enumerate(titles):
                if title.startswith("Rank"):
                    assert cells[at] == expected.rank(test, metric, label, name)
                elif title == "95% interval":
                    ends = expected.scores[metric, label, name]["interval"]
                    same_interval(cells[at], ends, DIGITS[metric])
                elif title[-2:] in (" ↑", " ↓"):
                    metric = expected.metric(title[:-2])
                    score, raised = re.fullmatch(r"(–|-?\d+\.\d+)(.*)", cells[at]).groups()  # type: ignore[union-attr]
                    same(score, expected.scores[metric, label, name]["score"], DIGITS[metric])
                    check_superscript(
                        raised, (test, metric, label), name, baseline, letters, expected
                    )
                    found.add((metric, label, name))
    assert found == set(expected.scores)


def check_superscript(
    raised: str,
    place: tuple[str, str, str | None],
    name: str,
    baseline: str | None,
    letters: Mapping[str, str],
    expected: Expected,
) -> None:
    won = [expected.beats(pair) for key, pair in expected.pairs.items() if key[:3] == place]
    if baseline is None:
        beaten = {letters[letter] for letter in spelled_out(raised)}
        assert beaten == {pair[1] for pair in won if pair and pair[0] == name}
    else:
        mark = {(name, baseline): "+", (baseline, name): "−"}
        assert raised == next((mark[pair] for pair in won if pair in mark), "")


def spelled_out(raised: str) -> list[str]:
    """Return the letters of a superscript such as `b,d–f`."""
    letters: list[str] = []
    for part in filter(None, raised.split(",")):
        first, _, last = part.partition("–")
        letters += [chr(code) for code in range(ord(first), ord(last or first) + 1)]
    return letters


def check_tsv(text: str, document: Mapping[str, Any]) -> None:
    header, *lines = (line.split("\t") for line in text.split("\n"))
    for line, pair in zip(lines, document["comparisons"], strict=True):
        record = dict(zip(header, line, strict=True))
        low, high = pair["interval"] or ("", "")
        numbers = {"low": low, "high": high} | {
            name: pair[name]
            for name in ("score_a", "score_b", "difference", "p_value", "p_adjusted", "p_stderr")
        }
        for name, number in numbers.items():
            assert record.get(name, "") == ("" if number in ("", None) else repr(number))
        assert (record["a"], record["b"], record["test"]) == (pair["a"], pair["b"], pair["test"])


def check_json(document: Mapping[str, Any], result: CompareResult) -> None:
    """Check that the document itself holds the numbers that were computed."""
    for entry, score in zip(document["scores"], result.scores, strict=True):
        assert entry["score"] == score.score
        assert entry["interval"] == (None if score.interval is None else list(score.interval))
    for entry, one in zip(document["comparisons"], result.comparisons, strict=True):
        for name in ("difference", "p_value", "p_adjusted", "score_a", "score_b", "detectable"):
            assert entry[name] == getattr(one, name)
        ends = one.interval and [end if math.isfinite(end) else None for end in one.interval]
        assert entry["interval"] == ends


READERS: dict[str, Callable[[CompareResult], list[Table]]] = {
    "table": lambda result: tables_of_text(str(result)),
    "markdown": lambda result: tables_of_markdown(result.to_text("markdown")),
    "html": lambda result: Html(result.to_html()).tables,
}


@settings(deadline=None, max_examples=40)
@given(results())
def test_the_same_numbers_in_every_format(result: CompareResult) -> None:
    document = json.loads(result.to_json())
    expected = Expected(document)
    check_json(document, result)
    check_tsv(result.to_text("tsv"), document)
    check_latex(result.to_text("latex"), expected, result.plan.baseline)
    for form, read in READERS.items():
        if form == "html" or LEFT_OUT not in str(result):
            check_tables(read(result), expected)
    for one in document["rankings"]:
        place = (one["test"], one["metric"], one.get("slice"))
        for name, (low, high) in one["ranks"].items():
            shown = f"{low}" if low == high else f"{low}–{high}"
            assert shown == expected.rank(*place, name)
    in_page = json.loads(unpack(Html(result.to_html()).document))
    assert in_page["comparisons"] == document["comparisons"]


def test_every_format_is_read() -> None:
    assert {*READERS, "json", "tsv", "latex"} == {*FORMATS, "html"}


@pytest.mark.parametrize(
    "check",
    [
        partial(same, "1.23", 1.2361, 2),
        partial(same, "1.2", 1.2, 2),
        partial(same, "+0.50", -0.5, 2),
        partial(same_p, ".0234", 0.0244),
        partial(same_p, "1", 0.9),
        partial(same_p, "<.0001", 0.0001),
        partial(same_interval, "[1.00, 2.00]", [1.0, 2.1], 2),
    ],
)
def test_other_numbers_are_noticed(check: Callable[[], None]) -> None:
    with pytest.raises(AssertionError):
        check()
