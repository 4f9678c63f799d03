"""Writing systems of texts: whether spaces separate words, or words have to be found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Classes of characters; letters of other scripts are those that spaces separate into words.
_NO_LETTER, _SPACE, _OTHER, _HAN, _KANA, _THAI, _LAO, _TIBETAN, _BURMESE, _KHMER = range(10)
_CLASSES = 10
_LANGUAGES = {
    _THAI: "Thai", _LAO: "Lao", _TIBETAN: "Tibetan", _BURMESE: "Burmese", _KHMER: "Khmer",
}  # fmt: skip
# Scripts whose letters are written without spaces between words, by their Unicode blocks.
_RANGES = (
    (_HAN, 0x3005, 0x3007),
    (_HAN, 0x3400, 0x4DBF),
    (_HAN, 0x4E00, 0x9FFF),
    (_HAN, 0xF900, 0xFAFF),
    (_HAN, 0x20000, 0x3FFFF),
    (_KANA, 0x3041, 0x30FF),
    (_KANA, 0x31F0, 0x31FF),
    (_KANA, 0xFF66, 0xFF9F),  # half-width
    (_KANA, 0x1AFF0, 0x1B16F),
    (_THAI, 0x0E00, 0x0E7F),
    (_LAO, 0x0E80, 0x0EFF),
    (_TIBETAN, 0x0F00, 0x0FFF),
    (_BURMESE, 0x1000, 0x109F),
    (_BURMESE, 0xA9E0, 0xA9FF),
    (_BURMESE, 0xAA60, 0xAA7F),
    (_KHMER, 0x1780, 0x17FF),
)
_FIRST = min(low for _, low, _ in _RANGES)

_LEAST_KANA = 0.1  # of Han and kana, where these are at least as large a share of all letters
_LEAST_HALF = 0.5  # of all letters
# Words of Chinese have 1.8 letters on average, of Japanese 2.1, of Thai about 3.5; even short
# labels of buttons have 5 and more without a space.
_LONGEST_WORD = 4
_LEAST_WORDS = 2  # in a text: otherwise nothing shows that spaces separate words

# Number of texts examined at a time.
_BATCH = 1 << 14


class Writing(NamedTuple):
    """The language of texts that is written without spaces, or None, which is most of them.

    `spaced` says that white space stands between words all the same, as in text that is already
    tokenised: on average, after every four such letters or fewer, and at least once in a text.
    """

    language: str | None = None
    spaced: bool = True

    @property
    def hides_words(self) -> bool:
        """Whether white space does not tell the words apart."""
        return self.language is not None and not self.spaced


def writing_of(
    columns: Sequence[Sequence[str]], labels: Sequence[str] | None = None
) -> tuple[Writing, dict[str, Writing]]:
    """Writing of all texts together, and of the texts of each label.

    Japanese has at least 10% kana among Han and kana (which are at least 10% of all letters),
    Chinese has at least 50% Han among all letters, and Thai, Lao, Tibetan, Burmese and Khmer have
    at least 50% of their own. A label under which there are no letters says nothing.

    >>> writing_of([["猫が好きです。"], ["ネコが大好きです。"]])[0].language
    'Japanese'
    >>> writing_of([["我喜欢猫。"]])[0], writing_of([["I like 猫."]])[0].language
    (Writing(language='Chinese', spaced=False), None)
    """
    if not any(_is_hiding(batch) for column in columns for batch in _batches(column)):
        return Writing(), {}
    import numpy as np

    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels or ()))}
    owners = np.array([numbers[label] for label in labels or ()], dtype=np.int64)
    if not labels:
        owners = np.zeros(max(map(len, columns)), dtype=np.int64)
    counts = np.zeros((max(1, len(numbers)), _CLASSES), dtype=np.int64)
    words, texts = (np.zeros(len(counts), dtype=np.int64) for _ in range(2))
    for column in columns:
        for place, batch in enumerate(_batches(column)):
            first = place * _BATCH
            _count(batch, owners[first : first + len(batch)], counts, words, texts)
    whole = _classify(counts.sum(axis=0), int(words.sum()), int(texts.sum()))
    assert whole is not None, "there are letters"
    parts = {
        label: _classify(counts[number], int(words[number]), int(texts[number]))
        for label, number in numbers.items()
    }
    return whole, {label: part for label, part in parts.items() if part is not None}


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _BATCH):
        yield texts[start : start + _BATCH]


def _points(text: str) -> NDArray[Any]:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _is_hiding(texts: Sequence[str]) -> bool:
    """Whether any letter belongs to a script without spaces."""
    import numpy as np

    text = "".join(text for text in texts if not text.isascii())
    points = _points(text)
    # Not np.unique, which loads the whole of numpy.ma.
    distinct = np.flatnonzero(np.bincount(points[points >= _FIRST]))
    return any(_class_of(point) > _OTHER for point in distinct.tolist())


def _count(
    texts: Sequence[str],
    owners: NDArray[Any],
    counts: NDArray[Any],
    words: NDArray[Any],
    with_words: NDArray[Any],
) -> None:
    """Add to `counts` the characters of each class, by owner, and to the others words and texts.

    Only words and texts with a letter of a script without spaces count.
    """
    import numpy as np

    points = _points("\n".join([*texts, ""]))
    table = np.bincount(points)  # of the characters that there are, which become their classes
    for point in np.flatnonzero(table).tolist():
        table[point] = _class_of(point)
    classes = table[points]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    place = np.repeat(np.arange(len(texts)), lengths)
    owner = owners[place]
    totals = np.bincount(owner * _CLASSES + classes, minlength=counts.size)
    counts += totals.reshape(counts.shape)
    hiding = np.flatnonzero(classes > _OTHER)
    for total, number in ((words, np.cumsum(classes == _SPACE)), (with_words, place)):
        first = hiding[np.flatnonzero(np.diff(number[hiding], prepend=-1))]
        total += np.bincount(owner[first], minlength=len(total))


@cache
def _class_of(point: int) -> int:
    character = chr(point)
    if character.isspace():
        return _SPACE
    if not character.isalpha():
        return _NO_LETTER
    return next((kind for kind, low, high in _RANGES if low <= point <= high), _OTHER)


def _classify(counts: NDArray[Any], words: int, texts: int) -> Writing | None:
    """Writing of texts with these numbers of characters of each class."""
    letters = int(counts[_OTHER:].sum())
    if not letters:
        return None
    han, kana = int(counts[_HAN]), int(counts[_KANA])
    language = None
    if han + kana >= _LEAST_KANA * letters and kana >= _LEAST_KANA * (han + kana) > 0:
        language = "Japanese"
    elif han >= _LEAST_HALF * letters:
        language = "Chinese"
    elif counts[_THAI:].sum() >= _LEAST_HALF * letters:
        language = _LANGUAGES[_THAI + int(counts[_THAI:].argmax())]
    if language is None:
        return Writing()
    short = letters - int(counts[_OTHER]) <= _LONGEST_WORD * words
    return Writing(language, spaced=short and words >= _LEAST_WORDS * texts)
