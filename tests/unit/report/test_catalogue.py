from __future__ import annotations

import json

import pytest

from weigh.metrics.registry import MetricDescription, OptionDescription
from weigh.report.catalogue import FORMATS, Catalogue, as_json, as_markdown, as_table, as_tsv
from weigh.report.table import Screen

CATALOGUE = Catalogue(
    [
        MetricDescription(
            "match",
            "Share of segments that match.",
            "Match (Nobody 1999).",
            (
                OptionDescription("tokenize", "str", "fine", "tokeniser", ("fine", "coarse")),
                OptionDescription("mode", "str", "a|b", "how", ("a|b", "c")),
                OptionDescription("strict", "bool", False, "be strict", ()),
                OptionDescription("floor", "float | None", None, "lowest value", ()),
            ),
        ),
        MetricDescription("plain", "No options.", "Nobody 2001.", ()),
    ],
    {"fine": "small parts", "coarse": "large parts"},
)


def test_table() -> None:
    assert as_table(CATALOGUE).split("\n") == [
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
    made = Catalogue([MetricDescription("m", words, "s", ())], {"t": words})
    lines = as_table(made, Screen(columns=70)).split("\n")
    assert max(map(len, lines)) <= 70
    assert "".join(lines).count("word") == 80


def test_markdown() -> None:
    text = as_markdown(CATALOGUE)
    assert "## match\n" in text
    assert "| mode     | str   | a\\|b    | how (a\\|b, c) |\n" in text
    assert "| floor    | float |         | lowest value  |\n" in text


def test_tsv_has_a_row_for_every_option_and_for_metrics_without() -> None:
    rows = [line.split("\t") for line in as_tsv(CATALOGUE).split("\n")]
    assert [row[:2] for row in rows[1:]] == [
        ["match", "tokenize"],
        ["match", "mode"],
        ["match", "strict"],
        ["match", "floor"],
        ["plain", ""],
    ]


def test_json() -> None:
    made = json.loads(as_json(CATALOGUE))
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


@pytest.mark.parametrize("style", sorted(FORMATS))
def test_every_format_names_all(style: str) -> None:
    text = FORMATS[style](CATALOGUE)
    assert all(name in text for name in ("match", "plain", "tokenize", "strict", "floor"))
