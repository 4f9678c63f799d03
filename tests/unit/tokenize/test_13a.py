from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a


@given(data=st.data())
@settings(max_examples=150)
def test_tokens_against_sacrebleu(odd_text, words, data):
    texts = data.draw(st.lists(odd_text, max_size=3))
    expected = [Tokenizer13a()(text.rstrip()).split() for text in texts]
    assert words("13a", texts) == expected


def test_all_short_texts_against_sacrebleu(words):
    texts = ["".join(letters) for letters in product("a5.,- ", repeat=5)]
    reference = Tokenizer13a()
    assert words("13a", texts) == [reference(text.rstrip()).split() for text in texts]
