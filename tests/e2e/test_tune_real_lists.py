"""`weigh tune` on real lists: what is claimed is chosen and scored again without weigh.tuning."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from peak import peak_memory
from shared_data import SHARED, lines, needs_shared

Run = Callable[..., "subprocess.CompletedProcess[str]"]
MULTI30K = SHARED / "data" / "nbest" / "multi30k-de-en-1014x100"

pytestmark = needs_shared


def chosen(path: Path, several: list[list[float]]) -> list[list[str]]:
    """The first candidate of the highest score for each sentence and weights, in plain Python."""
    best: list[dict[int, tuple[float, str]]] = [{} for _ in several]
    for line in lines(path):
        key, text, features, *_ = (field.strip(" ") for field in line.split("|||"))
        values = [float(word) for word in features.split() if word[-1] not in "=:"]
        for weights, found in zip(several, best, strict=True):
            total = 0.0
            for weight, value in zip(weights, values, strict=True):
                total += weight * value
            if int(key) not in found or total > found[int(key)][0]:
                found[int(key)] = (total, text)
    return [[text for _, (_, text) in sorted(found.items())] for found in best]


def score(weigh: Run, tmp_path: Path, texts: list[str], reference: Path) -> float:
    (tmp_path / "chosen").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    done = weigh("score", "-r", reference, "-m", "bleu:tokenize=none", "--format", "json", "chosen")
    return float(json.loads(done.stdout)["scores"][0]["score"])


def test_multi30k_from_six_starts(weigh: Run, tmp_path: Path) -> None:
    nbest, reference = MULTI30K / "nbest.gz", MULTI30K / "ref.0"
    arguments = ["tune", "--nbest", nbest, "-r", reference, "-m", "bleu:tokenize=none"]
    arguments += ["--init", MULTI30K / "init.opt", "--starts", "6", "--format", "json"]
    peak, output = peak_memory(arguments, tmp_path)
    assert peak < 150_000
    result = json.loads(output)
    assert result["start_score"] == pytest.approx(38.4262, abs=5e-5)
    assert result["score"] >= 40.7506  # Moses', from as many starts
    claims = [
        (result["start_weights"], result["start_score"]),
        (result["weights"], result["score"]),
        *((start["weights"], start["score"]) for start in result["starts"][-1:]),
    ]
    all_texts = chosen(nbest, [[*weights.values()] for weights, _ in claims])
    for texts, (_, claimed) in zip(all_texts, claims, strict=True):
        assert score(weigh, tmp_path, texts, reference) == claimed
