"""`weigh rerank` as installed."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peak import peak_memory

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def nbest(root: Path) -> Path:
    return root / "examples" / "nbest.txt"


@pytest.fixture
def reference(root: Path) -> Path:
    return root / "examples" / "reference.en"


def candidates(nbest: Path) -> dict[int, list[tuple[str, list[float]]]]:
    """The list as it stands in the file: texts and the three features."""
    found: dict[int, list[tuple[str, list[float]]]] = {}
    for line in nbest.read_text(encoding="utf-8").split("\n")[:-1]:
        key, text, features, _ = line.split(" ||| ")
        values = [float(word) for word in features.split() if not word.endswith("=")]
        found.setdefault(int(key), []).append((text, values))
    return found


def chosen(nbest: Path, weights: list[float]) -> list[str]:
    """The first candidate of the highest score, sentence by sentence."""
    texts = []
    for _, listed in sorted(candidates(nbest).items()):
        scores = [sum(w * v for w, v in zip(weights, values, strict=True)) for _, values in listed]
        texts.append(listed[scores.index(max(scores))][0])
    return texts


def score(weigh: Run, reference: Path, texts: list[str], tmp_path: Path) -> float:
    output = tmp_path / "scored.en"
    output.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    done = weigh("score", "-r", reference, "-m", "bleu", "--format", "json", output)
    return float(json.loads(done.stdout)["scores"][0]["score"])


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    assert (loaded["schema"], loaded["command"]) == ("weigh/3", "rerank")
    return loaded


def test_a_trained_model_is_applied_and_its_claims_hold(
    weigh: Run, nbest: Path, reference: Path, tmp_path: Path
) -> None:
    trained = document(
        weigh(
            *("rerank", "--train", "--nbest", nbest, "-r", reference, "-o", "model"),
            *("--format", "json", "--seed", "3"),
        )
    )
    model = {}
    for line in (tmp_path / "model").read_text(encoding="utf-8").split("\n")[:-1]:
        name, value = line.split(" ")
        model[name] = float(value)
    assert model == trained["weights"]
    assert list(model) == ["lm_0", "tm_0", "length_0", "length:words"]
    # The list has a feature for the length already: the weights of both add up.
    assert all(
        values[2] == len(text.split())
        for listed in candidates(nbest).values()
        for text, values in listed
    )
    expected = chosen(
        nbest, [model["lm_0"], model["tm_0"], model["length_0"] + model["length:words"]]
    )
    done = weigh("rerank", "--nbest", nbest, "--model", "model")
    assert done.stdout == "".join(f"{text}\n" for text in expected)
    assert trained["score"] == pytest.approx(score(weigh, reference, expected, tmp_path))
    first = [listed[0][0] for _, listed in sorted(candidates(nbest).items())]
    assert trained["first_score"] == pytest.approx(score(weigh, reference, first, tmp_path))
    assert trained["gap"] <= 1e-6
    best = min(trained["path"], key=lambda trial: trial["loss"])
    assert (trained["held_out_score"], trained["gamma"]) == (best["score"], best["gamma"])
    assert 0 < trained["p_value"] <= 1
    limits = document(
        weigh("rerank", "--oracle", "--nbest", nbest, "-r", reference, "--format", "json")
    )
    assert trained["gold_score"] == pytest.approx(limits["scores"][0]["oracle"])


def write_list_without_use(folder: Path, best_first: bool) -> None:
    """Features are chance; the first candidates are better than the others, or are not."""
    rng = random.Random(3)
    with (folder / "list").open("w") as nbest, (folder / "ref").open("w") as reference:
        for sentence in range(40):
            right = [f"w{rng.randrange(10, 100)}" for _ in range(8)]
            reference.write(" ".join(right) + "\n")
            for place in range(6):
                wrong = 0.1 if place == 0 and best_first else 0.4
                text = [f"x{word[1:]}" if rng.random() < wrong else word for word in right]
                values = f"f= {rng.gauss(0, 1):.3f} g= {rng.gauss(0, 1):.3f}"
                nbest.write(f"{sentence} ||| {' '.join(text)} ||| {values}\n")


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_a_model_that_loses_is_written_with_a_loud_warning(
    weigh: Run, tmp_path: Path, metric: str
) -> None:
    write_list_without_use(tmp_path, best_first=True)
    arguments = ("rerank", "--train", "--nbest", "list", "-r", "ref", "-m", metric, "-o", "model")
    done = weigh(*arguments, "--format", "json")
    found = document(done)
    [warning] = found["warnings"]
    assert warning == found["conclusion"]
    assert warning.startswith("The model chooses worse than taking the first candidates (")
    assert "weigh tune" in warning
    loss = found["held_out_score"] - found["first_score"]
    assert loss < 0 if metric == "bleu" else loss > 0
    assert found["p_value"] < 0.05
    assert done.stderr == f"weigh: {warning}\n"
    assert (tmp_path / "model").read_text().startswith("f_0 ")
    (tmp_path / "found.json").write_text(done.stdout, encoding="utf-8")
    shown = weigh(*arguments)
    assert (shown.returncode, shown.stderr) == (0, f"weigh: {warning}\n")
    assert " ".join(shown.stdout.replace("▌", "").split()).startswith(f"WARNING: {warning}")
    assert weigh("report", "found.json").stdout == shown.stdout
    for form, start in (("markdown", ""), ("latex", r"\caption{")):
        shown = weigh("report", "found.json", "--format", form)
        assert f"{start}WARNING: {warning[:50]}" in shown.stdout


def test_a_list_larger_than_memory_trains(tmp_path: Path) -> None:
    """It takes half of its own size at most beyond what the same command takes for a short one."""
    rng = random.Random(1)
    words = [f"word{number}" for number in range(300)]
    wrong = rng.choices(words, k=460)
    path = tmp_path / "list"
    with path.open("w") as nbest, (tmp_path / "ref").open("w") as reference:
        for sentence in range(700):
            right = rng.choices(words, k=400)
            reference.write(" ".join(right) + "\n")
            for _ in range(50):
                damage = rng.randint(0, 60)
                text = " ".join([*right[damage:], *wrong[rng.randrange(400) :][:damage]])
                values = f"lm= {rng.gauss(-damage, 9):.4f} noise= {rng.gauss(0, 1):.4f}"
                nbest.write(f"{sentence} ||| {text} ||| {values} ||| 0\n")
    size = path.stat().st_size
    assert size > 1e8
    for name, count in (("list", 20 * 50), ("ref", 20)):
        with (tmp_path / name).open() as long, (tmp_path / f"short {name}").open("w") as short:
            short.writelines(itertools.islice(long, count))
    peaks = []
    for kind in ("short ", ""):
        files = ["--nbest", f"{kind}list", "-r", f"{kind}ref", "-o", f"{kind}model"]
        peaks.append(peak_memory(["rerank", "--train", *files, "--gamma", "20"], tmp_path)[0])
    path.unlink()
    assert (peaks[1] - peaks[0]) * 1024 < 0.5 * size
    # The feature that tells the damage is found, the other is not.
    model = dict(line.split() for line in (tmp_path / "model").read_text().strip().split("\n"))
    assert float(model["lm_0"]) > 0.05
    assert abs(float(model["noise_0"])) < 0.05


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "no task given; give one of --weights FILE, --model FILE, --train and --oracle"),
        (["--oracle", "--train"], 2, "--train and --oracle given; give one of"),
        (["--oracle"], 2, "no reference given"),
        (["--train", "-r", "ref"], 2, "no file for the model given; name one with -o FILE"),
        (["--train", "-r", "ref", "-o", "m", "-m", "bleu,ter"], 2, "train toward one at a time"),
        (["--oracle", "-r", "ref", "--gold", "corpus"], 2, "--gold applies to --train only"),
        (["--train", "-r", "ref", "-o", "ref/m", "--gamma", "9"], 1, "ref: cannot be written"),
        (["--train", "-r", "ref", "-o", ".", "--gamma", "9"], 2, "-o .: a directory, but a file"),
        (["--weights", "w", "-o", "x"], 2, "--output applies to --train only"),
        (["--weights", "w", "-r", "ref"], 2, "--ref applies to --train and --oracle"),
        (["--oracle", "-r", "ref", "--per-round", "3"], 2, "--per-round applies to --train"),
        (
            ["--weights", "unknown"],
            1,
            "a weight for 'g_0', but the n-best list has no such feature",
        ),
        (["--weights", "empty"], 1, "empty"),
        (["--model", "numbers"], 1, "numbers without names, but a model"),
    ],
)
def test_mistakes(
    weigh: Run, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "list").write_text(
        "0 ||| a b ||| f= 1 ||| 0\n0 ||| a ||| f= 2 ||| 0\n1 ||| c ||| f= 2\n1 ||| d ||| f= 1\n"
    )
    (tmp_path / "ref").write_text("a b\nd\n")
    (tmp_path / "w").write_text("f_0 1\n")
    (tmp_path / "unknown").write_text("f_0 1\ng_0 2\n")
    (tmp_path / "numbers").write_text("1\n")
    (tmp_path / "empty").write_text("")
    done = weigh("rerank", "--nbest", "list", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
