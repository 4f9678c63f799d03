"""Numbers of a text that has the words of a layout, in plain Python."""

from __future__ import annotations


def numbers_in(text: str, layout: str, largest: float) -> list[float] | None:
    """Return a number for each word of one character in the layout; None if the rest differs."""
    words, expected = text.split(), layout.split()
    if len(words) != len(expected):
        return None
    numbers = []
    for word, other in zip(words, expected, strict=True):
        if len(other) > 1:
            if word != other:
                return None
            continue
        try:
            number = float(word)
        except ValueError:
            return None
        if not abs(number) <= largest:
            return None
        numbers.append(number)
    return numbers
