"""Language models in the form of ARPA files: n-grams with log chances and back-off weights."""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.text import line_blocks, quoted, shown
from weigh_lab import _translator
from weigh_lab.translator.corpus import Ragged, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
_LOG10 = math.log(10)
_NEVER = -99.0  # log10 of the chance of what is never asked for: the start of a sentence


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """N-grams of words in texts, with natural logarithms of chances and back-off weights."""

    order: int
    ngrams: tuple[tuple[str, ...], ...]
    chances: Reals
    backoffs: Reals

    def compiled(self, words: Vocabulary) -> _translator.LanguageModel:
        """Convert to the form that the decoder uses, with words numbered in a vocabulary."""
        for ngram in self.ngrams:
            if len(ngram) == 1 and ngram[0] not in (START, END, UNKNOWN):
                words.add(ngram[0])
        special = {START: len(words) + 1, END: len(words) + 2, UNKNOWN: 0}
        rows = Ragged.of(
            [
                [special.get(word, 0) or words.number(word) for word in ngram]
                for ngram in self.ngrams
            ]
        )
        return _translator.LanguageModel.from_ngrams(
            *rows, self.chances, self.backoffs, self.order, len(words)
        )


def train_language_model(sentences: Ragged, words: Vocabulary, order: int) -> LanguageModel:
    """Estimate a model by interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998)."""
    model = _translator.LanguageModel.train(*sentences, order, len(words))
    parents, numbers, _, chances, backoffs = model.ngrams()
    names = [*words.words, START, END]
    texts: list[tuple[str, ...]] = [()]
    for parent, number in zip(parents[1:].tolist(), numbers[1:].tolist(), strict=True):
        texts.append((*texts[parent], names[number]))
    # The unknown word and words without sentences were added last; files have them by length.
    order_of = sorted(range(1, len(texts)), key=lambda at: len(texts[at]))
    return LanguageModel(
        order,
        tuple(texts[at] for at in order_of),
        _shortened(chances[order_of]),
        _shortened(backoffs[order_of]),
    )


def _shortened(logarithms: Reals) -> Reals:
    """Natural logarithms rounded as in the file: six decimals to base 10."""
    return np.maximum(_common(logarithms), _NEVER) * _LOG10


def _common(logarithms: Reals) -> Reals:
    return np.round(logarithms / _LOG10, 6)


def write_arpa(path: Path, model: LanguageModel) -> None:
    """Write a model as a compressed ARPA file."""
    sizes = np.bincount([len(ngram) for ngram in model.ngrams], minlength=model.order + 1)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3, newline="\n") as file:
        counts = [f"ngram {length}={sizes[length]}" for length in range(1, model.order + 1)]
        file.write("\n\\data\\\n" + "\n".join(counts) + "\n")
        columns = (model.ngrams, _common(model.chances).tolist(), _common(model.backoffs).tolist())
        last = 0
        for ngram, chance, backoff in zip(*columns, strict=True):
            if len(ngram) != last:
                last = len(ngram)
                file.write(f"\n\\{last}-grams:\n")
            weight = f"\t{backoff!r}" if last < model.order and backoff else ""
            file.write(f"{chance!r}\t{' '.join(ngram)}{weight}\n")
        file.write("\n\\end\\\n")


class _Line(NamedTuple):
    number: int
    text: str


def read_arpa(path: str | Path) -> LanguageModel:
    """Read an ARPA file, compressed or not."""
    name = shown(str(path))
    lines = _lines(str(path))
    sizes = _header(lines, name)
    ngrams: list[tuple[str, ...]] = []
    values: list[tuple[float, float]] = []
    length = 1
    for line in lines:
        text = line.text
        if text.startswith("\\") and "\t" not in text:
            if text == "\\end\\":
                break
            length += 1
            if text != f"\\{length}-grams:" or length > len(sizes):
                raise InputError(
                    f"{name}: line {line.number:,}: {quoted(text)}, but \\{length}-grams: was "
                    "expected"
                )
            continue
        chance, ngram, backoff = _ngram(line, length, name)
        ngrams.append(ngram)
        values.append((chance, backoff))
    else:
        raise InputError(f"{name}: ends without \\end\\; give the whole file")
    if not any(len(ngram) == 1 for ngram in ngrams):
        raise InputError(f"{name}: no words; give a language model")
    counted = Counter(map(len, ngrams))
    for length, size in enumerate(sizes, 1):
        if counted[length] != size:
            raise InputError(
                f"{name}: {counted[length]:,} n-grams of {plural(length, 'word')}, but the "
                f"header says {size:,}; give the whole file"
            )
    table = np.array(values) * _LOG10
    return LanguageModel(len(sizes), tuple(ngrams), table[:, 0].copy(), table[:, 1].copy())


def _lines(path: str) -> Iterator[_Line]:
    number = 0
    for block in line_blocks(path):
        for text in block:
            number += 1
            if text.strip():
                yield _Line(number, text.rstrip(" "))


def _header(lines: Iterator[_Line], name: str) -> list[int]:
    """Read the numbers of n-grams by length, up to the first n-gram line."""
    sizes: list[int] = []
    for line in lines:
        text = line.text
        if text == "\\data\\":
            continue
        if text.startswith("ngram "):
            length, equals, size = (part.strip() for part in text[6:].partition("="))
            is_count = size.isascii() and size.isdecimal() and len(size) < 19
            if not equals or length != str(len(sizes) + 1) or not is_count:
                raise InputError(
                    f"{name}: line {line.number:,}: {quoted(text)} is not a count of n-grams"
                )
            sizes.append(int(size))
            if len(sizes) > 9:
                raise InputError(f"{name}: n-grams of more than 9 words; give a smaller model")
            continue
        if sizes and text == "\\1-grams:":
            return sizes
        raise InputError(f"{name}: line {line.number:,}: {quoted(text)}; this is not an ARPA file")
    raise InputError(f"{name}: no n-grams; give a language model in ARPA format")


def _ngram(line: _Line, length: int, name: str) -> tuple[float, tuple[str, ...], float]:
    fields = line.text.split("\t") if "\t" in line.text else _by_spaces(line.text, length)
    ngram = tuple(fields[1].split(" ")) if len(fields) > 1 else ()
    try:
        chance = float(fields[0])
        backoff = float(fields[2]) if len(fields) == 3 else 0.0
    except ValueError:
        chance = math.nan
        backoff = 0.0
    if len(fields) not in (2, 3) or len(ngram) != length or not all(ngram):
        chance = math.nan
    if not (math.isfinite(chance) and math.isfinite(backoff) and chance <= 0):
        raise InputError(
            f"{name}: line {line.number:,}: {quoted(line.text)}; expected a log probability, "
            f"{length} words and an optional back-off weight"
        )
    return chance, ngram, backoff


def _by_spaces(text: str, length: int) -> Sequence[str]:
    """The fields of a line with spaces instead of tabs."""
    words = text.split()
    return [words[0], " ".join(words[1 : 1 + length]), *words[1 + length :]] if words else [""]
