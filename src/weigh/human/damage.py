"""Damage to texts, which shows whether a judge looks at what is judged.

Two ways are in use: `crowd-alone` deletes a span (Graham et al. 2015), `appraise` puts a span of
another text in its place (the WMT campaigns). How long the span is depends on the number of words;
a text without spaces is counted in characters, and the span is twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from weigh.errors import InputError
from weigh.human.draws import Draws
from weigh.human.plan import Unit

# Text, references, number of the text's own reference, unit, draws.
Damage = Callable[[str, Sequence[str], int, Unit, Draws], str]

# Scripts that set no spaces between words: Thai and Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_ENDS_STAY_ABOVE = 3


def unit_of(texts: Iterable[str]) -> Unit:
    """Unit of text length: characters if most letters are of scripts without spaces.

    >>> unit_of(["It is raining."]), unit_of(["雨が降っている。"])
    ('words', 'characters')
    """
    letters = unspaced = 0
    for text in texts:
        for character in text:
            if character.isalpha():
                letters += 1
                unspaced += any(low <= ord(character) <= high for low, high in _UNSPACED)
    return "characters" if 2 * unspaced > letters else "words"


def deleted_length(size: int, unit: Unit = "words") -> int:
    """Number of words or characters that `crowd-alone` deletes from N > 1.

    2–3: 1; 4–5: 2; 6–8: 3; 9–15: 4; 16–20: 5; more: N/5, rounded up. Twice that for characters,
    of which the first and the last stay as words do.

    >>> [deleted_length(size) for size in (2, 4, 8, 15, 20, 21)]
    [1, 2, 3, 4, 5, 5]
    """
    length = _stepped(size, ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5))) or -(-size // 5)
    if unit == "words":
        return length
    return min(2 * length, size - 2 if size > _ENDS_STAY_ABOVE else size - 1)


def replaced_length(size: int, unit: Unit = "words") -> int:
    """Number of words or characters that `appraise` replaces.

    1: 1; 2–5: 2; 6–8: 3; 9–15: 4; 16–20: 5; more: 6. Twice that for characters, all at most.

    >>> [replaced_length(size) for size in (1, 5, 8, 15, 20, 21)]
    [1, 2, 3, 4, 5, 6]
    """
    length = _stepped(size, ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))) or 6
    return length if unit == "words" else min(2 * length, size)


def _stepped(size: int, steps: Sequence[tuple[int, int]]) -> int:
    return next((length for most, length in steps if size <= most), 0)


def with_deletion(
    text: str, references: Sequence[str], segment: int, unit: Unit, draws: Draws
) -> str:
    """Return a text without one span, as preset `crowd-alone` damages it.

    The first and the last word stay if there are more than three; a text of one word becomes
    another word, from one of the references.
    """
    parts = _parts(text, unit)
    if len(parts) == 1:
        return _with_replacement(parts, 1, references, segment, unit, draws)
    length = deleted_length(len(parts), unit)
    inner = 1 if len(parts) > _ENDS_STAY_ABOVE else 0
    start = inner + draws.below(len(parts) - length - 2 * inner + 1)
    return _joined([*parts[:start], *parts[start + length :]], unit)


def with_replacement(
    text: str, references: Sequence[str], segment: int, unit: Unit, draws: Draws
) -> str:
    """Return a text with one span replaced by one of a reference, as `appraise` damages it."""
    parts = _parts(text, unit)
    length = replaced_length(len(parts), unit)
    return _with_replacement(parts, length, references, segment, unit, draws)


def _with_replacement(
    parts: Sequence[str],
    length: int,
    references: Sequence[str],
    segment: int,
    unit: Unit,
    draws: Draws,
) -> str:
    """Replace a span by an equally long one of another reference, which is not the same."""
    start = draws.below(len(parts) - length + 1)
    before, span, after = parts[:start], parts[start : start + length], parts[start + length :]
    for number in draws.order(len(references)):
        other = [] if number == segment else _parts(references[number], unit)
        spans = [other[at : at + length] for at in range(len(other) - length + 1)]
        different = [other for other in spans if other != span]
        if different:
            return _joined([*before, *draws.choice(different), *after], unit)
    raise InputError(
        f"bad references: no other reference with {length:,} {unit} in a row to replace some of "
        f"{_joined(parts, unit)[:60]!r}; give a larger test set"
    )


def is_damageable(text: str) -> bool:
    """Whether a text can be damaged."""
    return bool(text.strip())


def _parts(text: str, unit: Unit) -> list[str]:
    return text.split() if unit == "words" else list(text.strip())


def _joined(parts: Sequence[str], unit: Unit) -> str:
    return (" " if unit == "words" else "").join(parts)


DAMAGES: dict[str, Damage] = {"crowd-alone": with_deletion, "appraise": with_replacement}
"""How each preset damages a text."""


def place_of_damage(text: str, damaged: str, unit: Unit) -> tuple[int, int]:
    """Characters of a damaged text that differ from the original, widened to whole words.

    Where a span was deleted it is the place between the words that were left, of no width.

    >>> place_of_damage("It is raining now", "It is snowing now", "words")
    (6, 13)
    >>> place_of_damage("It is raining now", "It now", "words")
    (3, 3)
    """
    parts, changed = _parts(text, unit), _parts(damaged, unit)
    most = min(len(parts), len(changed))
    before = next((at for at in range(most) if parts[at] != changed[at]), most)
    remaining = most - before
    after = next((at for at in range(remaining) if parts[-1 - at] != changed[-1 - at]), remaining)
    start = len(_joined([*changed[:before], ""], unit)) if before else 0
    width = len(_joined(changed[before : len(changed) - after], unit))
    return min(start, len(damaged)), min(start + width, len(damaged))
