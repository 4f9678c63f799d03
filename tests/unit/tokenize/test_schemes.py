from __future__ import annotations

import pickle
from itertools import product

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import _TOKENIZERS, _get_tokenizer

from weigh.errors import UsageError
from weigh.tokenize import TOKENIZERS, mteval, tokenizer

LIVE = ["none", "char", "intl", "zh", "ja-mecab", "ko-mecab"]


def sacrebleu_words(name, texts):
    reference = _get_tokenizer(name)()
    return [reference(text.rstrip()).split() for text in texts]


@pytest.fixture(scope="session")
def disputed():
    """Return the characters that Python and the regex module classify differently."""
    from unicodedata import category

    points = [*range(0xD800), *range(0xE000, 0x110000)]
    everything = "".join(map(chr, points))
    differing = set()
    for kind in "PSN":
        python = {character for character in everything if category(character)[0] == kind}
        differing |= python ^ set(regex.findall(rf"\p{{{kind}}}", everything))
    return dict.fromkeys(map(ord, differing))


@pytest.mark.parametrize("name", LIVE)
@given(data=st.data())
@settings(max_examples=80)
def test_tokens_against_sacrebleu(name, odd_text, words, disputed, data):
    texts = data.draw(st.lists(odd_text, max_size=3))
    if name == "intl":
        texts = [text.translate(disputed) for text in texts]
    assert words(name, texts) == sacrebleu_words(name, texts)


@pytest.mark.parametrize(("name", "letters"), [("zh", "a5.,-中"), ("intl", "a5.’+ ")])
def test_all_short_texts_against_sacrebleu(name, letters, words):
    texts = ["".join(choice) for choice in product(letters, repeat=5)]
    assert words(name, texts) == sacrebleu_words(name, texts)


def test_zh_takes_the_same_characters_as_sacrebleu(words):
    points = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x30000)]))
    texts = ["a".join(points[start : start + 256]) for start in range(0, len(points), 256)]
    assert words("zh", texts) == sacrebleu_words("zh", texts)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("none", " Hello,  world! ", ["Hello,", "world!"]),
        ("char", "a né", ["a", "n", "é"]),
        ("intl", "don’t pay 3,5€ in 1999.", ["don", "’", "t", "pay", "3,5", "€", "in", "1999."]),
        ("intl", "&quot;", ["&", "quot", ";"]),
        ("intl", "٣٫٥ (२.५) x", ["٣٫٥", "(", "२.५", ")", "x"]),
        ("zh", "我有5.5元，ok", ["我", "有", "5.5", "元", "，", "ok"]),
        ("ja-mecab", "これは日本語です。", ["これ", "は", "日本語", "です", "。"]),
        ("ko-mecab", "이것은 책이다", ["이것", "은", "책", "이", "다"]),
    ],
)
def test_tokens_by_definition(name, text, expected, words):
    assert words(name, [text, ""]) == [expected, []]


@pytest.mark.parametrize("name", ["13a", *LIVE])
def test_signature_against_sacrebleu(name):
    assert tokenizer(name).signature == _get_tokenizer(name)().signature()


@pytest.mark.parametrize("name", LIVE)
def test_a_scheme_survives_pickling(name):
    scheme = tokenizer(name)
    again = pickle.loads(pickle.dumps(scheme))
    assert (again.name, again.signature) == (scheme.name, scheme.signature)
    if scheme.spread is not None:
        texts = ["a b. 日本語"]
        assert again.spread(texts) == scheme.spread(texts)


def test_every_name_is_one_of_sacrebleus():
    assert set(TOKENIZERS) <= set(_TOKENIZERS)


def test_every_name_is_described_in_one_line():
    assert all(text and "\n" not in text for text in TOKENIZERS.values())


def test_unknown_name_gets_a_proposal():
    with pytest.raises(UsageError, match="tokeniser 'int' is unknown; did you mean 'intl'"):
        tokenizer("int")


def test_intl_grows_in_many_threads(monkeypatch, words):
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(mteval, "_latest", None)
    marks = "«»¿‘’“”—…€→∑、。〈〉《》「」！？￥،؟٪।॥" * 4
    batches = [[f"a{mark}5", f"5{mark}5", f"{mark}b"] for mark in marks]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda batch: words("intl", batch), batches))
    assert results == [sacrebleu_words("intl", batch) for batch in batches]


def test_intl_looks_only_at_pages_in_use(monkeypatch):
    monkeypatch.setattr(mteval, "_latest", None)
    mteval.spread_international(["a – b"])
    mteval.spread_international(["😀"])
    assert mteval._latest.pages == {0x00, 0x20, 0x1F6}
