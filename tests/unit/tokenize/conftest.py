from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st

from weigh import _core
from weigh.tokenize import tokenizer

# What tokenisers trip over: entities, runs of stops, other scripts' digits, odd white space.
PIECES = """
<skipped> <SKIPPED> &quot; &amp; &lt; &gt; &apos; &amp;quot; &lt;skipped&gt;
's 'S 's. ' ’s - -- — – …
. , .. ., ,.5 ... 1,000.50 5-6 -5 5. .5 0 7 a Z word ! ? " ( ) : ; /
\\ _ + = ~ | # @ % & * [ ] { } < > ^ `
٣ ٣٫٥ ३.५ ² ① ½ Ⅷ 五 “ ” « » ¿ € $ £ © → ∑ ٪ ، ؟
中 文。 ， 《 》 ㈱ ㍿ ⺀ ㇀ ㆠ 豈 テスト の ・ ㇰ ｶ ＡＢ １．５ 、 한국어 𠀀 🀄 😀 👍🏽 👨‍👩‍👧
e\u0301 ı İ ß ς שלום العربية हिन्दी ไทย \u200b \u200d \ufeff \u202e
"""
SPACES = list(" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2009\u2028\u2029\u202f\u3000")
SPACES += ["-\n", "\n-", "\r\n", "'s ", ". ", " ."]


@pytest.fixture(scope="session")
def odd_text() -> st.SearchStrategy[str]:
    piece = st.sampled_from(PIECES.split()) | st.sampled_from(SPACES)
    # NUL ends a text inside MeCab, and reading refuses it
    character = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    return st.lists(piece | character, max_size=14).map("".join)


@pytest.fixture(scope="session")
def words() -> Callable[[str, Sequence[str]], list[list[str]]]:
    """Return the tokens as the metrics get them: through the scheme, then through the core."""

    def tokens(name: str, texts: Sequence[str]) -> list[list[str]]:
        scheme = tokenizer(name)
        if scheme.spread is not None:
            texts = scheme.spread(texts)
        return _core.tokens(texts, scheme.core_scheme)

    return tokens


@pytest.fixture(scope="session")
def golden() -> Path:
    """Return the directory of the reference programs' results."""
    path = Path(__file__).parents[4] / "shared" / "golden"
    if not path.is_dir():
        pytest.skip("the reference values in ../shared/golden are not here")
    return path
