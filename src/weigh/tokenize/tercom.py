"""TER's text options: case, normalisation, punctuation and Asian scripts.

The rules are those of the reference program tercom as its results show them. sacreBLEU's
reading of them differs in four things: it normalises references twice, keeps `<skipped>`,
leaves kana joined to their neighbours, and has no empty word (see `_without_punctuation`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from weigh.tokenize import lower
from weigh.tokenize.mteval import spread_dashes, western_rules

_RULES = western_rules()
_PUNCTUATION = '.,?:;!"()'
_ASIAN_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff61-\uff65"
    "\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"  # full-width forms
)
_IDEOGRAPHS = (
    "\u2e80-\u2eff"  # CJK radicals
    "\u31c0-\u31ef"  # CJK strokes
    "\u3200-\u33ff"  # enclosed CJK, CJK compatibility
    "\u3400-\u4dbf"  # Extension A
    "\u4e00-\u9fff"  # unified ideographs
    "\uf900-\ufaff\ufe30-\ufe4f"  # compatibility ideographs and forms
)
# Kana keep together in runs of one kind: Hiragana, Katakana, Katakana's extensions. The
# middle dot U+30FB lies among the Katakana but is punctuation.
_ASIAN = re.compile(
    f"([{_IDEOGRAPHS}{_ASIAN_PUNCTUATION}]"
    "|[\u3040-\u309f]+|[\u30a0-\u30fa\u30fc-\u30ff]+|[\u31f0-\u31ff]+)"
)
_WESTERN_MARK = re.compile(f"[{_PUNCTUATION}]")
_ANY_MARK = re.compile(f"[{_PUNCTUATION}{_ASIAN_PUNCTUATION}]")
_JAVA_SPACE = " \t\n\v\f\r"


def tercom_spread(
    texts: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Sequence[str]:
    """Apply TER's options to a batch of texts, so that white space separates the words.

    >>> tercom_spread(["The cat's 3.5% (net)."])
    ["the cat's 3.5% (net)."]
    >>> tercom_spread(["The cat's 3.5% (net)."], normalized=True)[0].split()
    ['the', 'cat', "'s", '3.5', '%', '(', 'net', ')', '.']
    >>> tercom_spread(["日本語のテスト。"], normalized=True, asian_support=True)[0].split()
    ['日', '本', '語', 'の', 'テスト', '。']
    """
    if not case_sensitive:
        texts = lower(texts)
    if normalized:
        texts = [_normalise(text) for text in texts]
        if asian_support:
            texts = [text if text.isascii() else " ".join(_ASIAN.split(text)) for text in texts]
    if no_punct:
        mark = _ANY_MARK if asian_support else _WESTERN_MARK
        if normalized:
            texts = [_without_punctuation(text, mark) for text in texts]
        else:
            texts = [mark.sub("", text) for text in texts]
    return texts


def _normalise(text: str) -> str:
    """Decode entities and set punctuation and the English possessive apart."""
    text = text.replace("<skipped>", "").replace("\n-", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&")
        text = text.replace("&lt;", "<").replace("&gt;", ">")
    text = _RULES.spread_symbols(f" {text} ").replace("'s ", " 's ")
    return spread_dashes(_RULES.spread_stops(text))


def _without_punctuation(text: str, mark: re.Pattern[str]) -> str:
    """Remove punctuation from a normalised text, as tercom does it.

    tercom takes white space off the ends before it removes the marks, not after, and Java's
    split then finds an empty word before the first space: `" a "` has the words `` and `a`,
    `.` has one empty word, `. .` none. White space cannot separate an empty word, so that a
    period stands for it: no other word has one.

    >>> _without_punctuation('" a "', _WESTERN_MARK).split()
    ['.', 'a']
    """
    text = text.strip(_JAVA_SPACE)
    bare = mark.sub("", text)
    if not text or (bare and bare[0] not in _JAVA_SPACE):
        return bare
    return "." + bare if not bare or bare.strip(_JAVA_SPACE) else ""
