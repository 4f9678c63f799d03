from __future__ import annotations

import io
import sys

import pytest
from sacrebleu.tokenizers import tokenizer_spm

from weigh.errors import MissingExtraError
from weigh.tokenize import flores200, tokenizer

TEXTS = [
    "The weather was fine, and the ships went out.",
    "  Two  spaces, a tab\tand an ideographic\u3000space \n",
    "die Schiffe fuhren früh aus; 天気がよかった。",
    "",
    "😀",
]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20), model_writer=model, vocab_size=48, minloglevel=2
    )
    path = tmp_path_factory.mktemp("model") / "tiny.model"
    path.write_bytes(model.getvalue())
    return path


@pytest.fixture(autouse=True)
def _no_model(monkeypatch, tmp_path):
    """Point every place where a model is looked for into an empty directory."""
    monkeypatch.delenv("WEIGH_FLORES200_MODEL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("SACREBLEU", raising=False)


def test_pieces_against_sacrebleu(monkeypatch, tmp_path, tiny_model, words):
    place = tmp_path / "models" / "flores200sacrebleuspm"
    place.parent.mkdir()
    place.write_bytes(tiny_model.read_bytes())
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    reference = tokenizer_spm.Flores200Tokenizer()
    monkeypatch.setenv("WEIGH_FLORES200_MODEL", str(tiny_model))
    assert words("flores200", TEXTS) == [reference(text.rstrip()).split() for text in TEXTS]
    assert tokenizer("flores200").signature == reference.signature()


@pytest.mark.parametrize(
    ("variable", "directory", "place"),
    [
        ("XDG_CACHE_HOME", "cache", "cache/weigh"),
        (None, "", ".cache/weigh"),
        ("SACREBLEU", "theirs", "theirs/models"),
        (None, "", ".sacrebleu/models"),
    ],
)
def test_places_of_the_model(monkeypatch, tmp_path, tiny_model, variable, directory, place):
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / directory))
    path = tmp_path / place / "flores200sacrebleuspm"
    path.parent.mkdir(parents=True)
    path.write_bytes(tiny_model.read_bytes())
    assert flores200.find_model() == str(path)


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'weigh\[sentencepiece\]'$"):
        tokenizer("flores200")


def test_a_missing_model_tells_where_to_put_it(tmp_path):
    with pytest.raises(MissingExtraError) as caught:
        tokenizer("flores200")
    message = str(caught.value)
    assert str(tmp_path / ".cache" / "weigh" / "flores200sacrebleuspm") in message
    assert "https://tinyurl.com/flores200sacrebleuspm" in message
    assert "WEIGH_FLORES200_MODEL" in message


def test_a_wrong_path_in_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("WEIGH_FLORES200_MODEL", str(tmp_path / "none.model"))
    with pytest.raises(MissingExtraError, match=r"none\.model: no such file"):
        tokenizer("flores200")


def test_a_file_that_is_no_model(monkeypatch, tmp_path):
    path = tmp_path / "text.model"
    path.write_text("not a model")
    monkeypatch.setenv("WEIGH_FLORES200_MODEL", str(path))
    with pytest.raises(MissingExtraError, match=r"text\.model: not a SentencePiece model"):
        tokenizer("flores200")
