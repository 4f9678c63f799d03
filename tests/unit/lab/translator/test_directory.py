"""The directory of a model: whole or not there, and what is not ours is never replaced."""

from __future__ import annotations

import errno
import gzip
import shutil
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from weigh.errors import InputError, UsageError, WeighError
from weigh_lab import Translator, train_translator
from weigh_lab.translator import directory
from weigh_lab.translator.directory import new_directory, read_model
from weigh_lab.translator.generated import generated_corpus

SOURCES, TARGETS = generated_corpus("verb-last", 120)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("directory") / "model"
    train_translator(SOURCES, TARGETS, folder)
    return folder


@pytest.fixture
def copy(model: Path, tmp_path: Path) -> Path:
    shutil.copytree(model, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.parametrize(
    "damage",
    ["", "PK\x03\x04 and no more", "cut", "of another file", "other types", "other numbers"],
)
def test_numbers_that_do_not_fit_are_made_again(copy: Path, damage: str) -> None:
    compiled = copy / "compiled.npz"
    whole = compiled.read_bytes()
    if damage == "cut":
        compiled.write_bytes(whole[: len(whole) // 2])
    elif damage == "of another file":
        table = "a ||| b ||| 1 1 1 1 ||| 1 1 1 1 1 1 ||| 0-0 ||| 1\n"
        (copy / "phrases.gz").write_bytes(gzip.compress(table.encode()))
    elif damage.startswith("other"):
        with np.load(compiled) as archive:
            arrays = {name: archive[name] for name in archive.files}
        scores = arrays["scores"]
        arrays["scores"] = scores.astype("f4") if damage == "other types" else scores + 1
        np.savez(compiled, **arrays)
    else:
        compiled.write_bytes(damage.encode())
    assert not read_model(copy)[1]
    translator = Translator.load(copy)
    assert read_model(copy)[1]
    if damage == "of another file":
        assert translator.nbest("a")[0].text == "b"
    else:
        assert translator.nbest(SOURCES[0], 5) == Translator.load(copy).nbest(SOURCES[0], 5)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
def test_what_is_interrupted_leaves_the_model_that_was_there(
    copy: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    before = {each.name: each.read_bytes() for each in copy.iterdir()}

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(directory, "write_arpa", fail)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else WeighError
    with pytest.raises(expected):
        train_translator(SOURCES, TARGETS, copy, force=True)
    assert {each.name: each.read_bytes() for each in copy.iterdir()} == before
    with pytest.raises(expected):
        train_translator(SOURCES, TARGETS, copy.parent / "new")
    assert [each.name for each in copy.parent.iterdir()] == ["copy"]


def test_a_full_disk_costs_the_numbers_alone(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copy / "compiled.npz").unlink()

    def fail(file: IO[bytes], *_: object, **__: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    assert Translator.load(copy).nbest(SOURCES[0])
    assert not [*copy.glob("compiled*")]


def test_what_came_between_is_not_replaced(tmp_path: Path) -> None:
    def write() -> None:
        with new_directory(tmp_path / "model", force=False) as unfinished:
            (unfinished / "x").touch()
            (tmp_path / "model").mkdir()

    with pytest.raises(InputError, match="exists"):
        write()
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_texts_that_cannot_be_learned_from_are_refused(tmp_path: Path) -> None:
    for sources, targets, said in (
        (["a", "b"], ["c"], "2 source texts and 1 target text"),
        (["a\0"], ["b"], "NUL"),
        (["a"], ["\ud800"], "surrogate"),
    ):
        with pytest.raises(InputError, match=said):
            train_translator(sources, targets, tmp_path / "model")
    with pytest.raises(UsageError, match="two files"):
        train_translator("file", ["a"], tmp_path / "model")
    assert not [*tmp_path.iterdir()]


def test_weights_that_are_not_given_are_those_of_the_model(copy: Path) -> None:
    (copy / "weights").write_text("lm_0 2.5\nw_0 0\n")
    translator = Translator.load(copy)
    assert (translator.weights["lm_0"], translator.weights["w_0"]) == (2.5, 0.0)
    assert translator.weights["d_0"] == 0.3
    best = translator.nbest(SOURCES[0], weights={"w_0": 0.0})
    assert best == translator.nbest(SOURCES[0])
    for weights, said in (({"lm": 1.0}, "no feature 'lm'"), ({"lm_0": float("nan")}, "nan")):
        with pytest.raises(InputError, match=said):
            translator.nbest(SOURCES[0], weights=weights)
