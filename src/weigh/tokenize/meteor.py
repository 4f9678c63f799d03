"""METEOR's normaliser: punctuation apart, some of it made alike, lower case.

The rules are those of the reference program METEOR 1.5 as its results show them; they descend
from the tokeniser of Europarl and Moses (Koehn 2005). Substitutions are made from left to right
and take the characters beside a mark with them, so that of `a,b,c` only the first comma is set
apart: that is how the reference program does it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_DIGITS = "0-9"
# The letters that METEOR knows: Latin up to Extended-A, Cyrillic, phonetic extensions.
_LETTERS = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿꙀ-ꙮ꙾-ꚗ"

_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "`": "'", "–": " - "})
_OTHER = re.compile(rf"([^{_DIGITS}{_LETTERS} \t\n\v\f\r.',\-])")
_DOTS = re.compile(r"\.{2,}")
_COMMAS = (
    (re.compile(rf"([^{_DIGITS}]),([^{_DIGITS}])"), r"\1 , \2"),
    (re.compile(rf"([{_DIGITS}]),([^{_DIGITS}])"), r"\1 , \2"),
    (re.compile(rf"([^{_DIGITS}]),([{_DIGITS}])"), r"\1 , \2"),
)
_HYPHEN = re.compile(rf"([{_DIGITS}{_LETTERS}.])-([{_DIGITS}{_LETTERS}])")
_LETTER = re.compile(f"[{_LETTERS}]")
_JAVA_SPACES = re.compile(r"[ \t\n\f\r]+")
_OTHER_SPACES = re.compile("[\xa0\u2000-\u200a\u202f\u205f\u3000]")
_CONTROLS = "".join(map(chr, range(33)))

# An apostrophe stays with what follows in English and with what precedes in French.
_ENGLISH_APOSTROPHES = (
    (re.compile(rf"([^{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_LETTERS}{_DIGITS}])'([{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([{_LETTERS}])"), r"\1 '\2"),
    (re.compile(rf"([{_DIGITS}])'(s)"), r"\1 '\2"),
)
_FRENCH_APOSTROPHES = (
    (re.compile(rf"([^{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_LETTERS}])'([{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTERS}])'([{_LETTERS}])"), r"\1' \2"),
)
_APOSTROPHES = {"en": _ENGLISH_APOSTROPHES, "fr": _FRENCH_APOSTROPHES}
_ANY_APOSTROPHE = ((re.compile("'"), " ' "),)


class Abbreviations(NamedTuple):
    """Words that keep a period after them: always, or only before a number."""

    always: frozenset[str]
    before_number: frozenset[str] = frozenset()


def normalise(
    texts: Sequence[str], language: str = "en", abbreviations: Abbreviations | None = None
) -> list[str]:
    """Normalise a batch of texts, so that spaces separate the words.

    >>> print(*normalise(["The well-known U.S. firm’s “price”: 3.5%."]))
    the well known us firm 's " price " : 3.5 % .
    """
    periods = abbreviations or Abbreviations(frozenset())
    apostrophes = _APOSTROPHES.get(language, _ANY_APOSTROPHE)
    return [_normalise(text, apostrophes, periods) for text in texts]


def _normalise(
    text: str,
    apostrophes: tuple[tuple[re.Pattern[str], str], ...],
    abbreviations: Abbreviations,
) -> str:
    text = f" {text} ".translate(_QUOTES).replace("''", ' " ')
    text = _OTHER.sub(r" \1 ", text)
    if ".." in text:
        text = _DOTS.sub(r" \g<0> ", text)
    if "," in text:
        for pattern, replacement in _COMMAS:
            text = pattern.sub(replacement, text)
    if "-" in text:
        text = _HYPHEN.sub(r"\1 \2", text.replace("--", "-"))
    if "'" in text:
        for pattern, replacement in apostrophes:
            text = pattern.sub(replacement, text)
    words = _JAVA_SPACES.split(text)[1:-1]
    text = " ".join(_period_apart(words, abbreviations)) if "." in text else " ".join(words)
    if not text.isascii():
        text = " ".join(word for word in _OTHER_SPACES.sub(" ", text).split(" ") if word)
    return text.strip(_CONTROLS).lower()


def _period_apart(words: list[str], abbreviations: Abbreviations) -> list[str]:
    """Set the period at the end of words apart, unless a lower-case word follows.

    Acronyms such as `U.S.` lose their periods, abbreviations keep theirs.
    """
    result = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        stem = word[:-1]
        if not stem or word[-1] != "." or word.strip(".") == "":
            result.append(word)
        elif "." in stem and _LETTER.search(stem):
            result.append(stem.replace(".", ""))
        elif (
            stem in abbreviations.always
            or "a" <= following[:1] <= "z"
            or (stem in abbreviations.before_number and "0" <= following[:1] <= "9")
        ):
            result.append(word)
        else:
            result += [stem, "."]
    return result
