"""Dependency F (Riezler & Maxwell 2005): relations of two trees, paired off one by one.

A row is [hypothesis relations, reference relations, matches] of the reference with the best F, the
first on ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from weigh import ParsedWord


def dependency_row(
    hyp: Sequence[ParsedWord],
    refs: Sequence[Sequence[ParsedWord]],
    labels: bool = True,
    lemmas: bool = False,
) -> list[int]:
    rows = []
    for ref in refs:
        left = relations(ref, labels, lemmas)
        found = relations(hyp, labels, lemmas)
        size = len(left)
        matches = 0
        for relation in found:
            if relation in left:
                left.remove(relation)
                matches += 1
        rows.append([len(found), size, matches])
    return max(rows, key=f_score)  # the first of equals


def f_score(row: Sequence[int]) -> Fraction:
    hypothesis, reference, matches = row
    if not matches:
        return Fraction(0)
    precision, recall = Fraction(matches, hypothesis), Fraction(matches, reference)
    return 2 * precision * recall / (precision + recall)


def relations(words: Sequence[ParsedWord], labels: bool, lemmas: bool) -> list[tuple[str, ...]]:
    """Return head word, relation and dependent word of all words that have a head."""
    found = []
    for word in words:
        if word.head == 0:
            continue
        head = words[word.head - 1]
        ends = (head.lemma, word.lemma) if lemmas else (head.form, word.form)
        found.append((*ends, word.relation) if labels else ends)
    return found
