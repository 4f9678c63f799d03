"""`weigh tune` on real lists: what is claimed is chosen and scored again without weigh.tuning."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from peak import peak_memory
from shared_data import SHARED, needs_shared

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LISTS = SHARED / "data" / "nbest"
BASIC, TUTORIAL = LISTS / "moses-mert-basic", LISTS / "zmert-tutorial"
MULTI30K = LISTS / "multi30k-de-en-1014x100"

pytestmark = needs_shared


def opened(path: Path) -> list[str]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return text.rstrip("\n").split("\n")


def chosen(paths: list[Path], weights: list[float]) -> list[str]:
    """The first candidate of the highest score for each sentence, in plain Python."""
    best: dict[int, tuple[float, str]] = {}
    for path in paths:
        for line in opened(path):
            key, text, features, *_ = (field.strip(" ") for field in line.split("|||"))
            values = [float(word) for word in features.split() if word[-1] not in "=:"]
            total = 0.0
            for weight, value in zip(weights, values, strict=True):
                total += weight * value
            if int(key) not in best or total > best[int(key)][0]:
                best[int(key)] = (total, text)
    return [text for _, (_, text) in sorted(best.items())]


def score(weigh: Run, tmp_path: Path, texts: list[str], references: list[Path]) -> float:
    (tmp_path / "chosen").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    given = [each for path in references for each in ("-r", path)]
    done = weigh("score", *given, "-m", "bleu:tokenize=none", "--format", "json", "chosen")
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
    for weights, claimed in (
        (result["start_weights"], result["start_score"]),
        (result["weights"], result["score"]),
        *((start["weights"], start["score"]) for start in result["starts"]),
    ):
        texts = chosen([nbest], list(weights.values()))
        assert score(weigh, tmp_path, texts, [reference]) == claimed


def test_zmert_tutorial(weigh: Run, tmp_path: Path) -> None:
    lists = [TUTORIAL / f"nbest.out.ZMERT.it{number}" for number in (1, 2, 3)]
    references = [TUTORIAL / f"ref.{number}" for number in range(4)]
    arguments = ["-m", "bleu:tokenize=none", "--format", "json"]
    done = weigh("tune", "--nbest", *lists, "-r", *references, *arguments)
    result = json.loads(done.stdout)
    assert result["score"] >= 51.148
    texts = chosen(lists, list(result["weights"].values()))
    assert score(weigh, tmp_path, texts, references) == result["score"]


def test_moses_own_statistics(weigh: Run) -> None:
    done = weigh(
        *("tune", "--nbest", BASIC / "FEATSTAT.txt.gz", "--scorestat", BASIC / "SCORESTAT.txt.gz"),
        *("--init", BASIC / "INIT", "-m", "bleu:smooth_method=none", "--format", "json"),
    )
    result = json.loads(done.stdout)
    assert result["score"] >= 30.4339
    # Moses' statistics: matches and possible ones of each order in turn, the reference's length.
    sums = [0.0] * 9
    weights = list(result["weights"].values())
    scores = iter(opened(BASIC / "SCORESTAT.txt.gz"))
    best: tuple[float, list[float]] | None = None
    for line in opened(BASIC / "FEATSTAT.txt.gz"):
        statistics = next(scores).split()
        if line.startswith("FEATURES_TXT_BEGIN"):
            best = None
        elif line.startswith("FEATURES_TXT_END"):
            assert best is not None
            sums = [a + b for a, b in zip(sums, best[1], strict=True)]
        else:
            total = 0.0
            for weight, value in zip(weights, map(float, line.split()), strict=True):
                total += weight * value
            if best is None or total > best[0]:
                best = (total, [float(word) for word in statistics])
    product = 1.0
    for order in range(4):
        product *= sums[2 * order] / sums[2 * order + 1]
    brevity = min(1.0, 2.718281828459045 ** (1 - sums[8] / sums[1]))
    assert result["score"] == pytest.approx(100 * brevity * product**0.25, abs=1e-9)
