"""Every number that we call published is in print, and every number in print that has a cell here
is in it.

`papers.tsv` lists the numbers of the four papers. It stands beside the project.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from shared_data import GOLDEN, SHARED
from weigh import Bleu, Nist, Outputs, System, TestSet
from weigh.comparing.dataset import Dataset, from_texts
from weigh.validate.accuracy import Agreement
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples import samples
from weigh_lab.papers import graham2014, koehn2004, riezler2005
from weigh_lab.papers.paper_result import PaperTable
from weigh_lab.papers.zaidan2009 import ZaidanResult, figure_2

PAPERS = GOLDEN / "papers.tsv"
needs_papers = pytest.mark.skipif(
    not PAPERS.is_file(), reason="../shared/golden/papers.tsv, the numbers in print, is not here"
)


class Printed(NamedTuple):
    """A line of papers.tsv."""

    paper: str
    table: str
    row: str
    column: str
    value: str
    note: str


class Place(NamedTuple):
    """A cell of one of our tables."""

    table: str
    about: tuple[str, ...]
    column: str


class Number(NamedTuple):
    """A number as it was printed, which may be an upper bound."""

    bound: bool
    value: Decimal


def number(text: str, scale: int = 1) -> Number:
    """The number in our unit; `scale` is 100 for shares of 1 that we show in per cent."""
    return Number(text.startswith("<"), Decimal(text.lstrip("<+").rstrip("%")) * scale)


def in_print(paper: str) -> list[Printed]:
    """The lines of one paper."""
    with PAPERS.open(encoding="utf-8") as file:
        _, *lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [line for line in (Printed(*fields) for fields in lines) if line.paper == paper]


def shown(tables: Iterable[PaperTable]) -> dict[Place, Number]:
    """All published numbers of tables, by place."""
    found = {}
    for table in tables:
        for row in (*table.rows, *table.published):
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell.published is None:
                    continue
                place = Place(f"{table.label}: {table.title}", row.about, column.title)
                found[place] = number(cell.printed)
                assert cell.published == float(found[place].value)
    return found


def check(tables: Iterable[PaperTable], expected: Iterable[tuple[Place, Number]]) -> None:
    """Compare what is shown with what is in print, both ways."""
    ours, theirs = shown(tables), dict(expected)
    assert ours.keys() - theirs.keys() == set(), "shown, and not in print"
    assert theirs.keys() - ours.keys() == set(), "in print, and not shown"
    assert [(place, ours[place]) for place in ours if ours[place] != theirs[place]] == []


def without_cells(lines: Iterable[Printed], tables: set[str], parts: dict[str, set[str]]) -> None:
    """Fail on a line without a cell that is not known to have none.

    Whole `tables` have none, of others the rows or columns that `parts` names.
    """
    assert [
        line
        for line in lines
        if line.table not in tables and not {line.row, line.column} & parts.get(line.table, set())
    ] == []


def measured_texts(names: Iterable[str], size: int) -> Dataset:
    """Made-up systems by NIST and BLEU."""
    rng = np.random.default_rng(1)
    words = np.array(["a", "b", "c", "d"])

    def texts() -> list[str]:
        return [" ".join(rng.choice(words, 8)) for _ in range(size)]

    systems = [System(name, Outputs(texts())) for name in names]
    metrics = [Nist(tokenize="none"), Bleu(tokenize="none")]
    return from_texts(systems, TestSet([texts()]), metrics, threads=1)


def koehn_places(line: Printed) -> Iterator[Place]:
    if line.table == "Table 1":
        title = "Table 1: scores of the systems, and the weight of n-grams in BLEU"
        columns = {"1-gram precision %": "1-grams", "4-gram precision %": "4-grams"}
        yield Place(title, (line.row,), columns.get(line.column, "BLEU"))
    elif line.table == "Table 2":
        size = line.column.removeprefix("n=").replace("inf", "∞")
        title = "Table 2: factors of intervals for the mean of n sentences"
        yield Place(title, (line.row, size), "t, n degrees")
    elif line.table == "Table 3" and "n=3000" not in line.column:
        better, _, worse = line.row.partition(" better than ")
        column = line.column.removeprefix("n=").replace(" ", ": ", 1)
        column = "Difference" if line.column == "BLEU difference %" else column
        title = "Table 3: conclusions at the level 95% by the paired bootstrap"
        yield Place(title, (better, worse), column)
    elif line.table == "Table 4":
        columns = {"conclusions": "Conclusions", "correct %": "Right %"}
        title = "Table 4: share of right conclusions by level"
        yield Place(title, ("all", line.row.replace("-", " to ")), columns[line.column])


@needs_papers
def test_koehn() -> None:
    bleu = Bleu(tokenize="none")
    made = measured_texts("ab", 640)
    measured = replace(made, samples=made.samples[1:])
    plan = SamplesPlan(sizes=(100, 300, 600), samples=2, trials=20)
    study = samples(measured, plan, threads=1)
    tables = (
        koehn2004.score_table(measured, bleu),
        koehn2004.t_table(),
        koehn2004.conclusions_table(study),
        koehn2004.brackets_table(study),
    )
    lines = in_print("koehn2004")
    check(tables, ((p, number(line.value)) for line in lines for p in koehn_places(line)))
    without_cells(
        (line for line in lines if not [*koehn_places(line)]),
        {
            *("Table 1 caption", "Table 3 caption", "Figure 1", "Figure 2 and s3.2"),
            *("Figure 3 and s3.3", "Figure 4 and s3.4", "Figure 5", "Figure 6 and s5"),
            *("Figure 7 and s6", "Figure 8 and s6"),
            *("abstract", "s3.1", "s3.2", "s4", "s7.1", "s7.2"),
        },
        {"Table 3": {"n=3000 right %", "n=3000 wrong %"}},  # more than our test sets have
    )
    [coverage] = (line.value for line in lines if line.column == "truth inside %")
    assert coverage == koehn2004.PRINTED_COVERAGE


def riezler_places(line: Printed) -> Iterator[tuple[Place, int]]:
    """Places, and by how much a number is multiplied to be in our unit."""
    columns = {
        "baseline": "baseline",
        "reranking": "reranked",
        "difference": "difference",
        "NIST difference": "difference",
        "approxrand p": "p, randomization",
        "bootstrap p": "p, bootstrap",
    }
    if line.table in ("Table 1", "s3") and line.value != "-":
        metric = "dependency F" if line.row == "F" else line.row
        scale = 100 if line.row != "NIST" and line.column in ("baseline", "reranking") else 1
        title = (
            "Table 1: a reranker with phrase features against the translator's own first choices"
        )
        yield Place(title, (metric,), columns[line.column]), scale
    elif line.table == "Table 2":
        title = "Table 2: rerankers with a redundant feature against the same one without"
        yield Place(title, ("NIST", line.row), columns[line.column]), 1
    elif line.table == "s4.4" and line.row == "15 systems" and line.column != "p_c":
        title = "§4.4: experiment-wise error of uncorrected tests at .05"
        yield Place(title, ("15",), {"pairs": "pairs", "p_e": "error"}[line.column]), 1


@needs_papers
def test_riezler() -> None:
    names = (riezler2005.BASELINE, riezler2005.RERANKED, riezler2005.PLAIN, "+ noise")
    measured = measured_texts(names, 5)
    tested = [[riezler2005.Tested(0.0, 1.0, 1.0, 1.0, 1.0)]] * 2
    tables = (
        riezler2005.first_table(measured, tested),
        riezler2005.equal_table(measured, tested),
        riezler2005.error_table(),
    )
    lines = in_print("riezler2005")
    expected = [
        (place, number(line.value, scale))
        for line in lines
        for place, scale in riezler_places(line)
    ]
    check(tables, expected)
    without_cells(
        (line for line in lines if not [*riezler_places(line)]),
        {"Table 2 (derived)", "s1", "s2", "s4.3", "Figure 1", "Figure 2"},
        {"Table 1": {"F"}, "s4.4": {"p_c", "5 comparisons"}},
    )


_JUDGMENTS = "Table I: judgments on the choices of RYPT and BLEU"
_SENTENCES = "Table II: sentences by the choice that more judges prefer"
ZAIDAN_PLACES = {
    ("Table I", "Top-1 by RYPT"): (_JUDGMENTS, "RYPT's choice"),
    ("Table I", "Top-1 by BLEU"): (_JUDGMENTS, "BLEU's choice"),
    ("Table I", "Neither"): (_JUDGMENTS, "neither"),
    ("Table II", "RYPT +any"): (_SENTENCES, "RYPT's choice"),
    ("Table II", "BLEU +any"): (_SENTENCES, "BLEU's choice"),
    ("Table II", "+-0"): (_SENTENCES, "tied"),
}
ZAIDAN_COLUMNS = {
    "references shown, unrestricted: judgments": "Judgments",
    "references shown, unrestricted: %": "%",
    "sentences": "Sentences",
}
_LENGTHS = "Section 3: maximum length of the spans in questions"
_MUCH = "Sections 4 and 5: number of questions"
_ASKED = "Sections 4 and 5: size of the questions"
_ANSWERED = "Section 5: answers"
_COST = "Section 4: cost at the paper's rates"
_PILOT = "Pilot: the authors' own data, sizes"
_EXAMPLE = "Figure 2: the score of the example"
ZAIDAN_NUMBERS = {
    ("s4", "sentences labelled"): [Place(_MUCH, ("sentences",), "Ours")],
    ("s5", "frontier subtrees"): [Place(_MUCH, ("frontier nodes",), "Ours")],
    ("s4.1", "HITs"): [Place(_MUCH, ("HITs",), "Ours")],
    ("s5", "subtrees of a sentence"): [
        Place(_ASKED, ("nodes of a sentence",), "Ours"),
        Place(_LENGTHS, ("4",), "Nodes of a sentence"),
        Place(_PILOT, ("frontier nodes of a sentence",), "Ours"),
    ],
    ("s5", "alternatives of a subtree"): [
        Place(_ASKED, ("alternatives of a node",), "Ours"),
        Place(_LENGTHS, ("4",), "Alternatives of a node"),
        Place(_PILOT, ("alternatives of a node",), "Ours"),
    ],
    ("s4.1", "alternatives on a HIT"): [Place(_ASKED, ("alternatives on a HIT",), "Ours")],
    ("s5", "YES %"): [Place(_ANSWERED, ("YES %",), "Ours")],
    ("s5", "NO %"): [Place(_ANSWERED, ("NO %",), "Ours")],
    ("s5", "NOT SURE %"): [Place(_ANSWERED, ("NOT SURE %",), "Ours")],
    ("s5", "coverage before percolation %"): [
        Place(_ANSWERED, ("nodes labelled before percolation %",), "Ours")
    ],
    ("s5", "coverage after percolation %"): [
        Place(_ANSWERED, ("nodes labelled after percolation %",), "Ours")
    ],
    ("s4.1", "hours"): [Place(_COST, ("hours of work",), "Ours")],
    ("s4.1", "total $"): [Place(_COST, ("dollars",), "Ours")],
    ("s4.1", "seconds for a label"): [Place(_COST, ("seconds for a label",), "Ours")],
    ("s4.1", "labels in an hour"): [Place(_COST, ("labels in an hour",), "Ours")],
    ("s4.1", "cents for a label"): [Place(_COST, ("cents for a label",), "Ours")],
    ("s4.1", "labels for a dollar"): [Place(_COST, ("labels for a dollar",), "Ours")],
    ("Figure 2", "nodes"): [Place(_EXAMPLE, ("constituents",), "Ours")],
    ("Figure 2", "YES nodes"): [Place(_EXAMPLE, ("acceptable",), "Ours")],
    ("Figure 2", "RYPT"): [Place(_EXAMPLE, ("RYPT",), "Ours")],
}


def zaidan_places(line: Printed) -> list[Place]:
    place, column = ZAIDAN_PLACES.get((line.table, line.row)), ZAIDAN_COLUMNS.get(line.column)
    if place is not None and column is not None:
        title, about = place
        return [Place(title, (about,), column)]
    return ZAIDAN_NUMBERS.get((line.table, line.column), [])


def test_tables_of_zaidan_name_the_sections_of_their_numbers() -> None:
    for (section, _), places in ZAIDAN_NUMBERS.items():
        for place in places[:1]:
            label, _, _ = place.table.partition(":")
            assert section.startswith("Figure") or section[1] in label


@needs_papers
def test_zaidan(zaidan_result: ZaidanResult, zaidan_pilot: list[PaperTable]) -> None:
    lines = in_print("zaidan2009")
    check(
        (*zaidan_result.tables, *zaidan_pilot, *figure_2(SHARED / "data")),
        ((place, number(line.value)) for line in lines for place in zaidan_places(line)),
    )
    without_cells(
        (line for line in lines if not zaidan_places(line)),
        {"Figure 1", "s2.2", "s4.1 (derived)"},
        {
            "Table I": {
                "Total",
                "not shown, workers in Germany: judgments",
                "not shown, workers in Germany: %",
            },
            "Table II": {
                *("RYPT +3", "RYPT +2", "RYPT +1", "BLEU +1", "BLEU +2", "BLEU +3", "Total"),
                "%",
            },
            "Figure 2": {"maxLen"},
            "s4": {"development set sentences", "pilot sentences", "maxLen"},
            "s4.1": {
                *("cents for a HIT", "alternatives on a HIT, at most", "workers", "days (about)"),
                *("commission $", "wages $", "bonuses $", "bonus for good workers %"),
                "hourly wage $ without commission",
            },
            "s5": {
                "strongly preferred (bottom 2 rows), BLEU",
                "strongly preferred (top 2 rows), RYPT",
                "BLEU loses without reference",
                "RYPT loses without reference",
                "subtrees without candidate substring % (about)",
            },
        },
    )


TESTS = {
    "paired bootstrap": "paired-bootstrap",
    "bootstrap": "bootstrap",
    "approximate randomization": "randomization",
}


def graham_places(line: Printed, right: dict[tuple[str, str], str]) -> Iterator[Place]:
    """Places of a line; `right` are the right conclusions of each row of tables 1 and 2."""
    same = "Tables 1 and 2: {}, accuracy of tests, people at the level of the tests"
    if line.table.startswith("Table "):
        pair, pairs = line.table.split("(")[1].removesuffix(" pairs)").split(", ")
        level, metric, test = line.row.split(" ", 2)
        columns = {"right conclusions": "Agree", "accuracy %": "Accuracy %"}
        column = columns.get(line.column, line.column.removesuffix(" %"))
        yield Place(same.format(pair), (level, metric, TESTS[test]), column)
        if column != "Agree":
            count = f"{right[line.table, line.row]} of {pairs}"
            title = "Tables 1 and 2: published accuracies, and what their counts give"
            yield Place(title, (pair, count), column)
    elif line.table == "s4" and line.column.startswith("pairs "):
        pair = line.column.removeprefix("pairs ")
        for table, row in right:
            if f"({pair}," in table:
                level, metric, test = row.split(" ", 2)
                yield Place(same.format(pair), (level, metric, TESTS[test]), "Pairs")
    elif line.table.startswith(("Figure 5", "Figure 6")):
        metric, _, systems = line.table[10:-1].partition(", ")
        about = (line.table[7], metric, systems.replace(" vs ", " and "), TESTS[line.row])
        yield Place("Figures 5 and 6: trials with a difference as large by chance", about, "Trials")


@needs_papers
def test_graham() -> None:
    names = {name.lower(): name for name in ("BLEU", "NIST", "METEOR", "TER")}
    # Tests that differ by how many differences they find have a row each.
    found = SimpleNamespace(
        plan=SimpleNamespace(human_alpha=0.05, tests=tuple(TESTS.values())),
        same_level=[
            Agreement.of(metric, test, alpha, alpha, (1,) * at + (0,) * (9 - at), (0,) * 9, 0.95)
            for alpha in graham2014.ALPHAS
            for metric in names
            for at, test in enumerate(TESTS.values())
        ],
        fixed_level=[],
    )
    tables = [
        table
        for pair in ("es-en", "en-es", "generated")
        for table in graham2014.accuracy_tables(pair, found, names)
    ]
    tables += [graham2014.published_table(), graham2014.counts_table([], 1000)]
    lines = in_print("graham2014")
    right = {
        (line.table, line.row): line.value for line in lines if line.column == "right conclusions"
    }
    check(tables, ((p, number(line.value)) for line in lines for p in graham_places(line, right)))
    without_cells(
        (line for line in lines if not [*graham_places(line, right)]),
        {"s2", "s4.1", "Figure 7", "Figure 8"},
        {
            "s4": {
                *("adequacy assessments", "fluency assessments"),
                *("adequacy per system es-en", "fluency per system es-en"),
                *("adequacy per system en-es", "fluency per system en-es"),
                *("systems es-en", "systems en-es"),
            }
        },
    )
