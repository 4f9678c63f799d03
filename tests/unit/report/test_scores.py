from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from unit.report import latex_syntax
from unit.report.pictures.samples import NAMES, made_report, made_result, made_scores, with_score
from weigh.comparing.compare_result import Histogram
from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore
from weigh.report.compared import CompareReport
from weigh.report.grid import visible
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


def test_json_has_the_keys_that_programs_rely_on() -> None:
    document = json.loads(replace(BOTH, test_set=Extent(3, 1, 2)).to_json())
    keys = ["schema", "weigh", "command", "test_set", "metrics", "scores", "warnings", "extras"]
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
    assert str(made).split("\n")[3].split() == ["a", "–"]


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
    lines = text.split("\n")[3 : 3 + systems]
    numbers = re.compile(r"(-?\d+\.\d+)(?: \*)? +(-?\d+\.\d+)(?: \*)?$")
    return [list(numbers.findall(line)[0]) for line in lines]


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


def test_a_system_without_a_score_has_no_place() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    names = [entry.system for entry in report.ordered("bleu")]
    assert "east" not in names
    assert len(names) == len(NAMES) - 1
    assert not report.is_neighbour(pair("east", names[0]))
    assert report.is_neighbour(pair(names[0], names[1]))
