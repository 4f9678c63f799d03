"""Scheme `zh`: every Chinese character for itself, then the punctuation rules of 13a."""

from __future__ import annotations

from collections.abc import Sequence

from weigh.tokenize.punctuation import spread_dashes, western_rules

# The characters that sacreBLEU takes for Chinese. Its range for Extension B is written with
# four hexadecimal digits too few and so covers U+2001 to U+2A6D, which also holds dashes,
# curly quotes, arrows and mathematical signs, while Extension B itself is not covered.
_CHINESE = (
    "\u2001-\u2a6d"
    "\u2e80-\u2eff"  # CJK radicals
    "\u2f00-\u2fdf"  # Kangxi radicals
    "\u2ff0-\u2fff"  # ideographic description
    "\u3000-\u303f"  # CJK punctuation
    "\u3100-\u312f"  # Bopomofo
    "\u31a0-\u31bf"  # Bopomofo extended
    "\u31c0-\u31ef"  # CJK strokes
    "\u3200-\u32ff"  # enclosed CJK
    "\u3300-\u33ff"  # CJK compatibility
    "\u3400-\u4db5"  # Extension A
    "\u4e00-\u9fbb"  # unified ideographs
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"  # compatibility ideographs
    "\ufe10-\ufe1f\ufe30-\ufe4f"  # vertical and compatibility forms
    "\uff00-\uffef"  # full-width and half-width forms
)

_RULES = western_rules(_CHINESE)


def spread(texts: Sequence[str]) -> list[str]:
    """Set Chinese characters and punctuation apart; entities are left as they are.

    >>> spread(["中文5.5字，ok."])[0].split()
    ['中', '文', '5.5', '字', '，', 'ok', '.']

    Other than in 13a a text is not padded with spaces, so a period after a number stays.

    >>> spread(["in 1999."])[0].split()
    ['in', '1999.']
    """
    symbols, stops = _RULES.spread_symbols, _RULES.spread_stops
    return [spread_dashes(stops(symbols(text.strip()))) for text in texts]
