"""`weigh translate`, and what takes its outputs: tuning, reranking and RYPT."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weigh_lab.translator.generated import generated_corpus, generated_parses

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LANGUAGE = "verb-last"
UNSEEN = 40


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with parallel texts, texts never seen, and a model."""
    from weigh_lab import train_translator

    folder = tmp_path_factory.mktemp("translate")
    for name, size, seed in (("train", 800, 1), ("test", UNSEEN, 2)):
        sources, targets = generated_corpus(LANGUAGE, size, seed)
        write(folder / f"{name}.src", sources)
        write(folder / f"{name}.en", targets)
    write(folder / "test.parses", generated_parses(LANGUAGE, UNSEEN, 2))
    train_translator(folder / "train.src", folder / "train.en", folder / "model")
    return folder


@pytest.fixture(scope="module")
def nbest(trained: Path) -> Path:
    """Return n-best lists in the form of Moses."""
    from e2e.in_process import run_inside

    done = run_inside(
        "translate", "decode", "--model", trained / "model", "-s", trained / "test.src",
        "--nbest", "20", cwd=trained,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (trained / "test.nbest").write_text(done.stdout, encoding="utf-8")
    return trained / "test.nbest"


def ok(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert done.returncode == 0, done.stderr
    return done


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return what one line on stderr says of input that is refused."""
    assert done.returncode in (1, 2), (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.count("\n") <= 2
    assert "bug in weigh" not in done.stderr
    return done.stderr


def test_from_parallel_text_to_translations(weigh: Run, trained: Path, tmp_path: Path) -> None:
    sides = ("-s", trained / "train.src", "-t", trained / "train.en")
    done = ok(weigh("translate", "train", *sides, "-o", "model", "--order", "2"))
    assert "model: 800 sentence pairs" in done.stderr
    assert {each.name for each in (tmp_path / "model").iterdir()} == {
        "model.json", "phrases.gz", "language.arpa.gz", "weights", "compiled.npz",
    }  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == ["model"]
    done = ok(weigh("translate", "decode", "--model", "model", "-s", trained / "test.src"))
    assert done.stdout.count("\n") == UNSEEN
    found, expected = done.stdout.split(), (trained / "test.en").read_text().split()
    assert len(set(found) & set(expected)) > 0.6 * len(set(expected))


def test_models_are_replaced_only_when_asked_and_nothing_else_is(
    weigh: Run, tmp_path: Path
) -> None:
    write(tmp_path / "a", ["x y z", "x z"])
    arguments = ("translate", "train", "-s", "a", "-t", "a", "-o")
    ok(weigh(*arguments, "model"))
    before = (tmp_path / "model" / "model.json").read_text()
    assert "--force" in refused(weigh(*arguments, "model"))
    ok(weigh(*arguments, "model", "--force", "--order", "2"))
    assert (tmp_path / "model" / "model.json").read_text() != before
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis").write_text("years")
    assert "not replaced" in refused(weigh(*arguments, "precious", "--force"))
    assert "not replaced" in refused(weigh(*arguments, "a", "--force"))
    assert (tmp_path / "precious" / "thesis").read_text() == "years"
    assert {each.name for each in tmp_path.iterdir()} == {"a", "model", "precious"}


def test_the_model_itself_is_tuned(weigh: Run, trained: Path, tmp_path: Path) -> None:
    done = ok(
        weigh(
            "tune", "--model", trained / "model", "-s", trained / "test.src",
            "-r", trained / "test.en", "-m", "bleu:tokenize=none", "--iterations", "2",
            "--size", "20", "--starts", "2", "--regularize", "20", "--dir", "work", "-o", "tuned",
            "--format", "json",
        )
    )  # fmt: skip
    assert json.loads(done.stdout)["command"] == "tune"
    decode = ("translate", "decode", "--model", trained / "model", "-s", trained / "test.src")
    before, after = ok(weigh(*decode)), ok(weigh(*decode, "--weights", "tuned"))
    scores = []
    for name, each in (("before", before), ("after", after)):
        (tmp_path / name).write_text(each.stdout, encoding="utf-8")
        scored = ok(
            weigh("score", "-r", trained / "test.en", "-m", "bleu:tokenize=none", name,
                  "--format", "json")
        )  # fmt: skip
        scores.append(json.loads(scored.stdout)["scores"][0]["score"])
    assert scores[1] > scores[0]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (["one sentence"], ["ein satz"]),
        (["a", "a", "a"], ["a", "a", "a"]),
        (["a ||| b", "<s> x </s> <unk>"] * 3, ["c ||| d", "</s> <s> y ||| <unk>"] * 3),
        (["tabs\tbetween words", "x\u00a0y \u2028 z"], ["( round ) brackets)", "a\rb {0-1}"]),
        (["(X{0-1} a)", "b) (S{0-1}"], ["(X{0-1} a)", "b) (S{0-1}"]),
    ],
)
@pytest.mark.parametrize("scheme", ["none", "intl"])
def test_odd_texts_pass_through_every_form(
    weigh: Run, tmp_path: Path, source: list[str], target: list[str], scheme: str
) -> None:
    write(tmp_path / "s", source)
    write(tmp_path / "t", target)
    ok(weigh("translate", "train", "-s", "s", "-t", "t", "-o", "m", "--tokenize", scheme))
    decode = ("translate", "decode", "--model", "m", "-s", "s", "--nbest", "5")
    listed = ok(weigh(*decode)).stdout
    (tmp_path / "list").write_text(listed, encoding="utf-8", newline="\n")
    # What was compiled is what the texts say.
    (tmp_path / "m" / "compiled.npz").unlink()
    assert ok(weigh(*decode)).stdout == listed
    (tmp_path / "w").write_text((tmp_path / "m" / "weights").read_text())
    chosen = ok(weigh("rerank", "--nbest", "list", "--weights", "w")).stdout.split("\n")[:-1]
    assert len(chosen) == len(source)
    trees = ok(weigh(*decode, "--write", "derivations")).stdout
    from weigh.read.alignment import parse_derivation

    for line, row in zip(trees.split("\n")[:-1], listed.split("\n")[:-1], strict=True):
        derivation = parse_derivation(line.split(" ||| ")[1], "here")
        assert len(derivation.words) == len(row.split(" ||| ")[1].split(" "))


def test_what_cannot_be_used_is_refused(weigh: Run, trained: Path, tmp_path: Path) -> None:
    write(tmp_path / "one", ["a"])
    write(tmp_path / "two", ["a", "b"])
    write(tmp_path / "empty lines", ["", ""])
    write(tmp_path / "long", ["fine", "word " * 300])
    (tmp_path / "nul").write_bytes(b"a\0b\n")
    train = ("translate", "train", "-o", "new")
    assert "1 line" in refused(weigh(*train, "-s", "one", "-t", "two"))
    assert "no sentence pairs are left" in refused(weigh(*train, "-s", "two", "-t", "empty lines"))
    assert "no such file" in refused(weigh(*train, "-s", "none", "-t", "two"))
    assert "NUL" in refused(weigh(*train, "-s", "nul", "-t", "one"))
    assert "--tgt" in refused(weigh(*train, "-s", "one"))
    assert "--output" in refused(weigh("translate", "train", "-s", "one", "-t", "one"))
    links = ("-s", "one", "-t", "one", "--alignment", "links")
    write(tmp_path / "links", ["0-0"])
    assert "--rounds" in refused(weigh(*train, *links, "--rounds", "3"))
    write(tmp_path / "links", ["0-7"])
    assert "links: line 1" in refused(weigh(*train, *links))
    write(tmp_path / "links", [""])
    assert "no phrases" in refused(weigh(*train, *links))
    assert not (tmp_path / "new").exists()
    assert not [*tmp_path.glob("*.part")]
    decode = ("translate", "decode", "--model", trained / "model")
    assert "long: line 2: 300 words" in refused(weigh(*decode, "-s", "long"))
    (tmp_path / "weights").write_text("lm_0 1\nlm_9 1\n")
    said = refused(weigh(*decode, "-s", "one", "--weights", "weights"))
    assert "no feature 'lm_9'" in said
    assert "no translator" in refused(weigh("translate", "decode", "--model", ".", "-s", "one"))
    assert "leave out --nbest" in refused(
        weigh(*decode, "-s", "one", "--nbest", "3", "--write", "text")
    )


def test_a_model_that_cannot_be_written_to_is_read(
    weigh: Run, trained: Path, tmp_path: Path
) -> None:
    """A file in the place of the numbers stands for a directory that takes no files."""
    model = tmp_path / "model"
    shutil.copytree(trained / "model", model)
    (model / "compiled.npz").unlink()
    (model / "compiled.npz").mkdir()
    (model / "compiled.npz" / "full").touch()
    write(tmp_path / "x", (trained / "test.src").read_text().split("\n")[:3])
    done = ok(weigh("translate", "decode", "--model", "model", "-s", "x"))
    assert done.stdout.count("\n") == 3
    assert not [*model.glob("*.npz.*")]


def test_interrupted_training_leaves_nothing(tmp_path: Path) -> None:
    sources, targets = generated_corpus(LANGUAGE, 6000, 3)
    write(tmp_path / "s", sources)
    write(tmp_path / "t", targets)
    process = subprocess.Popen(
        [sys.executable, "-m", "weigh", "translate", "train", "-s", "s", "-t", "t", "-o", "model",
         "--rounds", "100"],
        cwd=tmp_path, env=os.environ, stderr=subprocess.PIPE,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not [*tmp_path.glob("model.*.part")] and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert {each.name for each in tmp_path.iterdir()} == {"s", "t"}
