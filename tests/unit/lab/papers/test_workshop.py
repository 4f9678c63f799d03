"""Where papers are run again: what is kept is what was made, and nothing else is taken for it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from weigh.errors import InputError
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import (
    Workshop,
    multi30k,
    read_translations,
    tokenised_texts,
)
from weigh_lab.translator.translator import Translator


def test_translations_are_read_as_they_were_made(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    direction = next(iter(workshop.material().directions.values()))
    trained = workshop.translator(direction)
    texts = direction.test.source[:5]
    made = trained.translator.decode(texts, threads=1)
    assert workshop.translations(trained, texts) == made
    monkeypatch.setattr(Translator, "decode", _fail)
    assert workshop.translations(trained, texts) == made
    with pytest.raises(AssertionError, match="decoded again"):
        workshop.translations(trained, texts, nbest=2)
    weights = {**trained.translator.weights, "lm_0": 2.0}
    with pytest.raises(AssertionError, match="decoded again"):
        workshop.translations(trained, texts, weights=weights)


def _fail(*_: Any, **__: Any) -> None:
    raise AssertionError("decoded again")


def laid_out(folder: Path, lines: int = 3) -> Path:
    """Write a tiny data set as multi30k is laid out, some of it compressed."""
    home = folder / "multi30k"
    home.mkdir(parents=True)
    for language in ("de", "fr", "cs", "en"):
        for part in ("train", "val", "test_2016_flickr", "test_2018_flickr"):
            text = "".join(f"{part} {language} {n}\n" for n in range(lines))
            if part == "train":
                (home / f"{part}.{language}").write_text(text)
            else:
                (home / f"{part}.{language}.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_multi30k_is_read_from_its_files(tmp_path: Path) -> None:
    directions = multi30k(laid_out(tmp_path))
    assert list(directions) == ["de", "fr", "cs"]
    assert directions["fr"].training.source == ("train fr 0", "train fr 1", "train fr 2")
    assert directions["fr"].test.target[2:4] == ("test_2016_flickr en 2", "test_2018_flickr en 0")
    cut = Workshop(PaperPlan(), tmp_path / "out", tmp_path).material()
    assert cut.name == "multi30k"
    assert cut.references == tokenised_texts(directions["de"].test.target)


def test_missing_and_uneven_data_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no directory multi30k; give one that has it"):
        multi30k(tmp_path)
    laid_out(tmp_path)
    (tmp_path / "multi30k" / "train.fr").write_text("one\n")
    with pytest.raises(InputError, match="1 lines of fr and 3 of en in train"):
        multi30k(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"{", mtime=0),
        gzip.compress(b"[[1]]", mtime=0),
        gzip.compress(b"[]\n", mtime=0)[:-9],
    ],
)
def test_damaged_files_are_named(tmp_path: Path, content: bytes) -> None:
    kept = tmp_path / "kept.jsonl.gz"
    kept.write_bytes(content)
    with pytest.raises(InputError, match=r"kept\.jsonl\.gz: not a file of saved .*delete it"):
        read_translations(kept)
