from __future__ import annotations

import json

import pytest

from weigh.metrics.registry import (
    Catalogue,
    MetricDescription,
    OptionDescription,
    TokenizerDescription,
    catalogue,
    describe,
)
from weigh.report.grid import Screen
from weigh.report.view import restored, show

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


def test_table() -> None:
    assert show(CATALOGUE).split("\n") == [
        "match",
        "  Match (Nobody 1999).",
        "  Share of segments that match.",
        "    tokenize=fine  tokeniser",
        "    mode=a|b       how (a|b, c)",
        "    strict=false   be strict",
        "    floor          lowest value",
        "",
        "plain",
        "  Nobody 2001.",
        "  No options.",
        "",
        "Tokenisers",
        "    fine    small parts",
        "    coarse  large parts",
    ]


def test_a_narrow_screen_wraps_the_texts() -> None:
    words = "word " * 40
    made = Catalogue((MetricDescription("m", words, "s", ()),), (TokenizerDescription("t", words),))
    lines = show(made, "table", Screen(columns=70)).split("\n")
    assert max(map(len, lines)) <= 70
    assert "".join(lines).count("word") == 80


def test_markdown() -> None:
    text = show(CATALOGUE, "markdown")
    assert "### match\n" in text
    assert "| mode     | str   | a\\|b    | how (a\\|b, c) |\n" in text
    assert "| floor    | float |         | lowest value  |\n" in text


def test_tsv_has_a_row_for_every_option_and_for_metrics_without() -> None:
    rows = [line.split("\t") for line in show(CATALOGUE, "tsv").split("\n")]
    assert [row[:2] for row in rows[1:]] == [
        ["match", "tokenize"],
        ["match", "mode"],
        ["match", "strict"],
        ["match", "floor"],
        ["plain", ""],
    ]


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


@pytest.mark.parametrize("form", ["json", "tsv", "markdown", "latex", "html"])
def test_every_format_names_all(form: str) -> None:
    text = show(CATALOGUE, form)
    assert all(name in text for name in ("match", "plain", "tokenize", "strict", "floor"))


def test_the_catalogue_of_all_metrics_reads_back() -> None:
    whole = catalogue()
    assert [each.metric for each in whole.metrics] == [each.metric for each in describe()]
    assert restored(whole.to_json(), "r") == whole
