"""The words of a tokenised text, as parses and alignments count them."""

from __future__ import annotations

# What bracketed parses and Moses' tokeniser write for characters that mean something to them.
_ESCAPES = {
    "-lrb-": "(",
    "-rrb-": ")",
    "-lsb-": "[",
    "-rsb-": "]",
    "-lcb-": "{",
    "-rcb-": "}",
    "*lrb*": "(",
    "*rrb*": ")",
    "``": '"',
    "''": '"',
}
_WITHIN = {
    "\\/": "/",
    "\\*": "*",
    "&quot;": '"',
    "&apos;": "'",
    "&#124;": "|",
    "&#91;": "[",
    "&#93;": "]",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",  # the last, or &amp;lt; would become <
}


def words_of(text: str) -> list[str]:
    r"""Return what stands between spaces and tabs.

    Other white space belongs to words: Moses' tokeniser leaves U+00A0 in numbers.

    >>> words_of("10\xa0000  euro")
    ['10\xa0000', 'euro']
    """
    if "\t" in text:
        text = text.replace("\t", " ")
    words = text.split(" ")
    return [word for word in words if word] if "" in words else words


def same_word(one: str, other: str) -> bool:
    """Return whether two files mean the same word, whatever its case and its escapes.

    >>> same_word("Haus", "haus"), same_word("-LRB-", "("), same_word("Haus", "Maus")
    (True, True, False)
    """
    return one == other or plain_word(one) == plain_word(other)


def plain_word(word: str) -> str:
    """Return a word without case and escapes: that of all words that mean the same."""
    word = word.casefold()
    if "\\" in word or "&" in word:
        for written, meant in _WITHIN.items():
            word = word.replace(written, meant)
    return _ESCAPES.get(word, word)
