"""Tokens: white space, and mteval's 13a as sacreBLEU has it."""

from __future__ import annotations

from collections.abc import Callable

DIGITS = "0123456789"
# ASCII punctuation but for the apostrophe, the comma, the dash and the period.
SPLIT = '{|}~[\\]^_`!"#$%&()*+:;<=>?@/'


def split_white(text: str) -> list[str]:
    """Split at Unicode white space, as `str.split` defines it."""
    words: list[str] = []
    word = ""
    for character in text:
        if not character.isspace():
            word += character
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def tokenize_13a(text: str) -> list[str]:
    """Tokenise as mteval-v13a does (NIST, 2009); case is kept.

    Each of the four passes goes from left to right and never looks at a character twice, so in
    `a..b` the second period is not seen by the pass that splits at what precedes.
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    # The order counts: `&amp;lt;` becomes `<`. `&apos;` stays.
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    text = f" {text} "
    text = "".join(f" {character} " if character in SPLIT else character for character in text)
    text = _split_pairs(text, lambda a, b: a not in DIGITS and b in ".,", "{} {} ")
    text = _split_pairs(text, lambda a, b: a in ".," and b not in DIGITS, " {} {}")
    text = _split_pairs(text, lambda a, b: a in DIGITS and b == "-", "{} {} ")
    return split_white(text)


def _split_pairs(text: str, matches: Callable[[str, str], bool], spaced: str) -> str:
    """Replace each pair of neighbours that matches; pairs do not overlap."""
    result = ""
    position = 0
    while position < len(text):
        pair = text[position : position + 2]
        if len(pair) == 2 and matches(pair[0], pair[1]):
            result += spaced.format(pair[0], pair[1])
            position += 2
        else:
            result += pair[0]
            position += 1
    return result
