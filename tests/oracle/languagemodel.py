"""Language models by their definitions: Kneser-Ney estimates, and back-off tables."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

Ngram = tuple[int, ...]
UNKNOWN = 0
NEVER = -99.0


class KneserNey:
    """Interpolated modified Kneser-Ney (Chen & Goodman 1998, section 3.3).

    Words are 1 .. words, the start of a sentence words + 1, its end words + 2.
    """

    def __init__(self, sentences: list[Ngram], order: int, words: int) -> None:
        self.order, self.start, self.end = order, words + 1, words + 2
        self.framed = [(self.start, *sentence, self.end) for sentence in sentences]
        # The end, and the unknown word, may come next; the start may not.
        self.next_words = [UNKNOWN, *range(1, words + 1), self.end]

    @cached_property
    def counts(self) -> list[Counter[Ngram]]:
        """Of every length: counts of the longest n-grams, of shorter ones how many words precede.

        Nothing precedes the start of a sentence, so such n-grams keep their counts.
        """
        occurrences = [
            Counter(
                row[first : first + length]
                for row in self.framed
                for first in range(len(row) - length + 1)
            )
            for length in range(self.order + 1)
        ]
        counts: list[Counter[Ngram]] = [Counter() for _ in occurrences]
        for length in range(1, self.order + 1):
            if length == self.order:
                counts[length] = occurrences[length].copy()
            else:
                counts[length].update(ngram[1:] for ngram in occurrences[length + 1])
                for ngram, count in occurrences[length].items():
                    if ngram[0] == self.start:
                        counts[length][ngram] = count
        del counts[1][(self.start,)]  # which nothing predicts
        return counts

    def discounts(self, length: int) -> list[float]:
        """D1, D2 and D3+; where there are too few n-grams to tell, 0.5, 1 and 1.5."""
        sizes = Counter(self.counts[length].values())
        discounts = [0, 0.5, 1.0, 1.5]
        if sizes[1]:
            share = sizes[1] / (sizes[1] + 2 * sizes[2])
            for count in (1, 2, 3):
                if sizes[count] and sizes[count + 1]:
                    ratio = sizes[count + 1] / sizes[count]
                    discount = count - (count + 1) * share * ratio
                    if 0 < discount <= count:
                        discounts[count] = discount
        return discounts

    def chance(self, context: Ngram, word: int) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        length = len(context) + 1
        lower = self.chance(context[1:], word) if context else 1 / len(self.next_words)
        following = {
            ngram: count for ngram, count in self.counts[length].items() if ngram[:-1] == context
        }
        total = sum(following.values())
        if not total:
            return lower
        discounts = self.discounts(length)
        left = sum(discounts[min(count, 3)] for count in following.values())
        count = following.get((*context, word), 0)
        return (count - discounts[min(count, 3)]) / total + left / total * lower


Table = dict[Ngram, tuple[float, float]]


def backed_off(table: Table, order: int, context: Ngram, word: int) -> float:
    """The log chance of a word in a table of log chances and back-off weights."""
    known = {ngram[0] for ngram in table if len(ngram) == 1}

    def log_chance(context: Ngram, word: int) -> float:
        if (*context, word) in table:
            return table[(*context, word)][0]
        if not context:
            return NEVER
        return table.get(context, (0.0, 0.0))[1] + log_chance(context[1:], word)

    context = context[max(0, len(context) - order + 1) :]
    context = tuple(each if each in known else UNKNOWN for each in context)
    return log_chance(context, word if word in known else UNKNOWN)
