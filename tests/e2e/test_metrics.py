"""`weigh metrics` as installed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from weigh.metrics.registry import metric_names
from weigh.tokenize import TOKENIZERS

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_json(weigh: Run) -> None:
    done = weigh("metrics", "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["schema"], made["command"]) == ("weigh/3", "metrics")
    assert [each["metric"] for each in made["metrics"]] == metric_names()
    assert [each["tokenizer"] for each in made["tokenizers"]] == list(TOKENIZERS)
    bleu = {each["metric"]: each for each in made["metrics"]}["bleu"]
    assert {"name": "tokenize", "default": "auto"}.items() <= bleu["options"][0].items()
