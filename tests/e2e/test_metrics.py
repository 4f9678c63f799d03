"""`weigh metrics` as installed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from weigh.metrics.registry import metric_names
from weigh.tokenize import TOKENIZERS

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_json(weigh: Run) -> None:
    done = weigh("metrics", "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["schema"], made["command"]) == ("weigh/2", "metrics")
    assert [each["metric"] for each in made["metrics"]] == metric_names()
    assert [each["tokenizer"] for each in made["tokenizers"]] == list(TOKENIZERS)
    bleu = {each["metric"]: each for each in made["metrics"]}["bleu"]
    assert {"name": "tokenize", "default": "auto"}.items() <= bleu["options"][0].items()


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "tsv"])
def test_every_format_names_every_metric_and_option(style: str, weigh: Run) -> None:
    document = json.loads(weigh("metrics", "--format", "json").stdout)
    done = weigh("metrics", "--format", style)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.replace(r"\allowbreak{}", "").replace(r"\_", "_")
    for metric in document["metrics"]:
        assert metric["metric"] in shown
        assert all(option["name"] in shown for option in metric["options"])
