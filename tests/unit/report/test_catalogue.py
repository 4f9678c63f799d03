from __future__ import annotations

import json

from weigh.metrics.registry import (
    Catalogue,
    MetricDescription,
    OptionDescription,
    TokenizerDescription,
    catalogue,
    describe,
)
from weigh.report.view import parse_result, show

CATALOGUE = Catalogue(
    (
        MetricDescription(
            "match",
            "Share of segments that match.",
            "Match (Nobody 1999).",
            (
                OptionDescription("tokenize", "str", "fine", ("fine", "coarse"), "tokeniser"),
                OptionDescription("mode", "str", "a|b", ("a|b", "c"), "how"),
                OptionDescription("strict", "bool", False, (), "be strict"),
                OptionDescription("floor", "float | None", None, (), "lowest value"),
            ),
        ),
        MetricDescription("plain", "No options.", "Nobody 2001.", ()),
    ),
    (TokenizerDescription("fine", "small parts"), TokenizerDescription("coarse", "large parts")),
)


def test_json() -> None:
    made = json.loads(show(CATALOGUE, "json"))
    assert made["command"] == "metrics"
    assert [each["metric"] for each in made["metrics"]] == ["match", "plain"]
    assert made["metrics"][0]["options"][3] == {
        "name": "floor",
        "kind": "float | None",
        "default": None,
        "choices": [],
        "help": "lowest value",
    }
    assert made["tokenizers"][1] == {"tokenizer": "coarse", "summary": "large parts"}


def test_the_catalogue_of_all_metrics_reads_back() -> None:
    whole = catalogue()
    assert [each.metric for each in whole.metrics] == [each.metric for each in describe()]
    assert parse_result(whole.to_json(), "r") == whole
