"""Features made from the words of candidates: their phrases (Riezler & Maxwell 2005, section 2).

A phrase of n words counts how often these words stand next to each other in the hypothesis;
phrases overlap and do not end where the decoder's phrases end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

PREFIX = "phrase:"


def phrases(text: str, orders: Sequence[int]) -> Iterator[str]:
    """Yield the names of a text's phrases, as often as they occur.

    >>> list(phrases("a b a b", (3, 2)))
    ['phrase:a b a', 'phrase:b a b', 'phrase:a b', 'phrase:b a', 'phrase:a b']
    """
    words = text.split()
    for order in orders:
        for start in range(len(words) - order + 1):
            yield PREFIX + " ".join(words[start : start + order])
