from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report import latex_syntax
from unit.report.pictures.samples import NAMES, made_report, made_result, made_scores, with_score
from weigh.comparing.compare_result import Histogram
from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore
from weigh.report.compared import CompareReport
from weigh.report.grid import Screen, visible
from weigh.report.view import show
from weigh.result import Extent
from weigh.wording import fixed


def entry(system: str, score: float, **fields: object) -> SystemScore:
    common = SystemScore(
        metric="bleu",
        signature="nrefs:1|tok:13a",
        lower_is_better=False,
        system=system,
        score=score,
    )
    return replace(common, **fields)  # type: ignore[arg-type]


METRIC_NAMES = {"bleu": "BLEU", "bleu:tokenize=intl": "BLEU", "ter": "TER", "nist": "NIST"}


def scored(
    *scores: SystemScore, decimals: Mapping[str, int] | None = None, **fields: object
) -> ScoreResult:
    metrics = tuple(
        MetricShown(metric, METRIC_NAMES.get(metric, metric), (decimals or {}).get(metric, 2))
        for metric in dict.fromkeys(entry.metric for entry in scores)
    )
    made = ScoreResult(Extent(3, 1), metrics, scores)
    return replace(made, **fields)  # type: ignore[arg-type]


TER = {
    "metric": "ter",
    "lower_is_better": True,
    "signature": "nrefs:1|case:lc",
}
FOUR = (entry("a", 12.3456), entry("b", 45.6), entry("a", 60.0, **TER), entry("b", 70.0, **TER))
BOTH = scored(*FOUR)


def test_table() -> None:
    assert str(BOTH).split("\n") == [
        "3 segments, 1 reference",
        "",
        "System  BLEU ↑    TER ↓",
        "─" * 25,
        "a        12.35    60.00 *",
        "b        45.60 *  70.00",
        "* best of its column",
        "",
        "BLEU  nrefs:1|tok:13a",
        "TER   nrefs:1|case:lc",
    ]


def test_one_system_or_a_tie_has_no_best() -> None:
    for scores in ([entry("a", 1.0)], [entry("a", 1.0), entry("b", 1.0)]):
        assert "*" not in str(scored(*scores))


def test_what_reads_the_same_as_the_best_is_marked_like_it() -> None:
    close = scored(entry("a", 1.001), entry("b", 1.002), entry("c", 0.5))
    assert close.to_text("markdown").count("**1.00**") == 2


def test_decimals_are_those_of_the_metric() -> None:
    made = scored(*FOUR, decimals={"ter": 4})
    assert str(made).split("\n")[4].split() == ["a", "12.35", "60.0000", "*"]


def test_namesakes_are_headed_by_how_they_were_asked_for() -> None:
    intl = entry("a", 1.0, metric="bleu:tokenize=intl", signature="nrefs:1|tok:intl")
    made = scored(entry("a", 2.0), intl, entry("a", 3.0, **TER))
    assert str(made).split("\n")[2].split("  ") == [
        "System",
        "bleu ↑",
        "bleu:tokenize=intl ↑",
        "TER ↓",
    ]


def test_runs_have_a_column_where_they_are_named() -> None:
    runs = scored(entry("a", 1.0, run="1"), entry("a", 2.0, run="2"))
    lines = str(runs).split("\n")
    assert lines[2].split() == ["System", "Run", "BLEU", "↑"]
    assert [line.split()[:3] for line in lines[4:6]] == [["a", "1", "1.00"], ["a", "2", "2.00"]]
    assert [each["run"] for each in json.loads(runs.to_json())["scores"]] == ["1", "2"]
    assert runs.to_text("tsv").split("\n")[0].split("\t")[:4] == [
        "metric",
        "system",
        "run",
        "score",
    ]


def test_slices_are_blocks_with_a_best_of_their_own() -> None:
    made = scored(
        entry("a", 3.0),
        entry("b", 2.0),
        entry("a", 1.0, slice="news"),
        entry("b", 4.0, slice="news"),
    )
    lines = str(made).split("\n")
    assert [line.split() for line in lines[4:9] if not line.startswith("─")] == [
        ["(all)", "a", "3.00", "*"],
        ["(all)", "b", "2.00"],
        ["news", "a", "1.00"],
        ["news", "b", "4.00", "*"],
    ]
    slices = [each.get("slice") for each in json.loads(made.to_json())["scores"]]
    assert slices == [None, None, "news", "news"]


def test_json_has_the_keys_that_programs_rely_on() -> None:
    document = json.loads(replace(BOTH, test_set=Extent(3, 1, 2)).to_json())
    keys = ["schema", "weigh", "command", "test_set", "metrics", "scores", "warnings"]
    assert list(document) == keys
    assert document["command"] == "score"
    assert document["test_set"] == {"segments": 3, "references": 1, "documents": 2}
    assert document["scores"][0] == {
        "metric": "bleu",
        "signature": "nrefs:1|tok:13a",
        "lower_is_better": False,
        "system": "a",
        "score": 12.3456,
        "interval": None,
        "level": None,
    }
    assert [each["lower_is_better"] for each in document["scores"]] == [False, False, True, True]


def test_numbers_that_json_lacks_are_null_and_a_dash_in_tables() -> None:
    made = scored(entry("a", math.nan), entry("b", 1.0))
    assert json.loads(made.to_json())["scores"][0]["score"] is None
    assert str(made).split("\n")[4].split() == ["a", "–"]


def test_intervals() -> None:
    made = scored(entry("a", 2.0, interval=(1.5, 2.5), level=0.95))
    fields = json.loads(made.to_json())["scores"][0]
    assert fields["interval"] == [1.5, 2.5]
    assert fields["level"] == 0.95
    header, line = (row.split("\t") for row in made.to_text("tsv").split("\n"))
    assert dict(zip(header, line, strict=True))["high"] == "2.5"


@pytest.fixture
def with_segments() -> ScoreResult:
    return scored(
        entry("a", 2.0, segments=np.array([1.0, 2.5, 3.0])),
        entry("b", 3.0, segments=np.array([4.0, math.nan, 3.0])),
        entry("a", 1.0, slice="news"),
        entry("b", 2.0, slice="news"),
        ids=("x", "y", "z"),
    )


def test_segments_in_json(with_segments: ScoreResult) -> None:
    scores = json.loads(with_segments.to_json())["scores"]
    assert [each["segments"] for each in scores[:2]] == [[1.0, 2.5, 3.0], [4.0, None, 3.0]]
    assert not any("segments" in each for each in scores[2:])


def test_segments_in_tsv(with_segments: ScoreResult) -> None:
    rows = [line.split("\t")[1:5] for line in with_segments.to_text("tsv").split("\n")]
    assert rows == [
        ["system", "slice", "segment", "score"],
        ["a", "", "", "2.0"],
        ["a", "", "x", "1.0"],
        ["a", "", "y", "2.5"],
        ["a", "", "z", "3.0"],
        ["b", "", "", "3.0"],
        ["b", "", "x", "4.0"],
        ["b", "", "y", "nan"],
        ["b", "", "z", "3.0"],
        ["a", "news", "", "1.0"],
        ["b", "news", "", "2.0"],
    ]


def test_segments_in_a_table(with_segments: ScoreResult) -> None:
    rows = [line.split() for line in str(with_segments).split("\n\n")[2].split("\n")[3:]]
    assert rows[:4] == [["x", "a", "1.00"], ["x", "b", "4.00"], ["y", "a", "2.50"], ["y", "b", "–"]]
    numbered = str(replace(with_segments, ids=None)).split("\n\n")[2].split("\n")[3:]
    assert [row.split()[0] for row in numbered] == ["1", "1", "2", "2", "3", "3"]


def test_latex_names_the_signatures_under_the_table() -> None:
    text = BOTH.to_text("latex")
    assert r"BLEU: \texttt{nrefs:1\textbar{}\allowbreak{}tok:13a}" in text
    assert r"b & \textbf{45.60} & 70.00 \\" in text


def test_a_colour_terminal_gets_bold() -> None:
    assert "\x1b[1m" in show(BOTH, "table", Screen(colour=True))


HOSTILE = ["a|b", "50%_&#{x}", "t\tab", "new\nline", "\x1b[31mred", "日本語", "\\\\", "1.00 *", "–"]
names = st.lists(
    st.sampled_from(HOSTILE) | st.text(min_size=1),
    min_size=1,
    max_size=5,
    unique_by=lambda name: visible(name).strip(),
)
finite = st.floats(-1e6, 1e6)


@given(st.data())
def test_the_same_numbers_in_every_format(data: st.DataObject) -> None:
    systems = data.draw(names)
    scores = [
        entry(
            system,
            data.draw(finite),
            metric=metric,
            lower_is_better=not higher,
            signature=f"s:{metric}",
        )
        for metric, higher in (("up", True), ("down", False))
        for system in systems
    ]
    made = scored(*scores, decimals={"down": 4})
    exact = {(each.metric, each.system): each.score for each in scores}
    shown = {
        visible(system).strip(): [fixed(exact["up", system], 2), fixed(exact["down", system], 4)]
        for system in systems
    }

    entries = json.loads(made.to_json())["scores"]
    assert {(each["metric"], each["system"]): each["score"] for each in entries} == exact

    header, *lines = (line.split("\t") for line in made.to_text("tsv").split("\n"))
    records = [dict(zip(header, line, strict=True)) for line in lines]
    assert {
        (
            each["metric"],
            each["system"].encode("latin-1", "backslashreplace").decode("unicode_escape"),
        ): float(each["score"])
        for each in records
    } == exact

    assert _rows_of_markdown(made.to_text("markdown")) == shown
    assert _rows_of_latex(made.to_text("latex")) == shown
    assert _rows_of_table(str(made), len(systems)) == list(shown.values())


def _rows_of_markdown(text: str) -> dict[str, list[str]]:
    rows = {}
    for line in text.split("\n\n")[1].split("\n")[2:]:
        # A pipe inside a cell has a backslash before it, not a space.
        name, *cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        rows[re.sub(r"\\(.)", r"\1", name).strip()] = [cell.strip(" *") for cell in cells]
    return rows


def _rows_of_latex(text: str) -> dict[str, list[str]]:
    return {name.strip(): cells for name, *cells in latex_syntax.rows(text)}


def _rows_of_table(text: str, systems: int) -> list[list[str]]:
    lines = text.split("\n")[4 : 4 + systems]
    numbers = re.compile(r"(-?\d+\.\d+)(?: \*)? +(-?\d+\.\d+)(?: \*)?$")
    return [list(numbers.findall(line)[0]) for line in lines]


def test_details_of_one_kind_have_as_many_decimals() -> None:
    details = {"information_1": 5.8512, "information_2": 0.0831, "brevity_penalty": 0.5}
    nist = entry("A", 2.0, metric="nist", details=details)
    text = str(scored(nist, decimals={"nist": 4}))
    assert ["A", "5.8512", "0.0831", "0.5000"] in [line.split() for line in text.split("\n")]
    details = {"precision_1": 50.96, "precision_2": 0.43, "brevity_penalty": 0.5, "length": 7}
    text = str(scored(entry("A", 2.0, details=details)))
    assert ["A", "50.96", "0.43", "0.5000", "7"] in [line.split() for line in text.split("\n")]


def pair(a: str, b: str, metric: str = "bleu") -> Histogram:
    return Histogram(metric, "randomization", a, b, -1.0, 1.0, (1, 1))


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def test_the_best_system_comes_first_whatever_its_direction() -> None:
    report, scores = made_report(), made_scores()
    for metric, sign in (("bleu", -1), ("ter", 1)):
        expected = sorted(NAMES, key=lambda name: sign * mean(scores[metric][name]))
        assert [entry.system for entry in report.ordered(metric)] == expected


def test_neighbours_are_next_to_each_other_in_the_order_of_scores() -> None:
    report = made_report()
    names = [entry.system for entry in report.ordered("ter")]
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert report.is_neighbour(pair(a, b, "ter")) == (abs(i - j) == 1)


def test_with_a_baseline_every_pair_is_asked_about() -> None:
    report = made_report(baseline="west")
    assert all(report.is_neighbour(pair(name, "west")) for name in NAMES if name != "west")


def test_a_system_without_a_score_has_no_place() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    names = [entry.system for entry in report.ordered("bleu")]
    assert "east" not in names
    assert len(names) == len(NAMES) - 1
    assert not report.is_neighbour(pair("east", names[0]))
    assert report.is_neighbour(pair(names[0], names[1]))


def test_slices_follow_the_whole() -> None:
    report = made_report(slices=["x", "y"] * 30)
    assert report.slices[:3] == [None, "x", "y"]
