from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

from unit.report.pictures.samples import NAMES, made_report, made_result, made_scores, with_score
from weigh.comparing.compare_result import Histogram
from weigh.comparing.score_result import MetricShown, ScoreResult, SystemScore
from weigh.report.compared import CompareReport
from weigh.result import Extent


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


def pair(a: str, b: str, metric: str = "bleu") -> Histogram:
    return Histogram(metric, "randomization", a, b, -1.0, 1.0, (1, 1))


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def test_the_best_system_comes_first_whatever_its_direction() -> None:
    report, scores = made_report(), made_scores()
    for metric, sign in (("bleu", -1), ("ter", 1)):
        expected = sorted(NAMES, key=lambda name: sign * mean(scores[metric][name]))
        assert [entry.system for entry in report.drawable_scores(metric)] == expected


def test_neighbours_are_next_to_each_other_in_the_order_of_scores() -> None:
    report = made_report()
    names = [entry.system for entry in report.drawable_scores("ter")]
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert report.is_neighbour(pair(a, b, "ter")) == (abs(i - j) == 1)


def test_a_system_without_a_score_has_no_place() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    names = [entry.system for entry in report.drawable_scores("bleu")]
    assert "east" not in names
    assert len(names) == len(NAMES) - 1
    assert not report.is_neighbour(pair("east", names[0]))
    assert report.is_neighbour(pair(names[0], names[1]))


def test_further_means_stand_only_beside_what_they_are_means_of() -> None:
    extras = {"seconds": {"a": 1.25, "b": 2.5}}
    sliced = scored(*(entry(name, 1.0, slice=at) for at in (None, "x") for name in "ab"))
    text = str(replace(sliced, extras=extras))
    assert (text.count("1.25"), text.count("2.50")) == (1, 1)
    runs = scored(*(entry("a", 1.0, run=run) for run in "12"), extras=extras)
    assert "Seconds" not in str(runs)
