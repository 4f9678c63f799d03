"""N-gram statistics: BLEU, chrF and NIST."""

from __future__ import annotations

from collections import Counter
from math import exp, log, log2

Ngram = tuple[str, ...]
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def ngrams(tokens: list[str], n: int) -> Counter[Ngram]:
    """Count the n-grams of one order."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def clipped(hyp: list[str], refs: list[list[str]], n: int) -> Counter[Ngram]:
    """Count the matches: no n-gram more often than in the reference that has most of it."""
    most: Counter[Ngram] = Counter()
    for ref in refs:
        most |= ngrams(ref, n)
    return ngrams(hyp, n) & most


# BLEU


def bleu_row(hyp: list[str], refs: list[list[str]], order: int = 4) -> list[int]:
    """Return [length, closest reference length, matches 1..n, n-grams 1..n] (Papineni et al. 2002).

    Of two reference lengths that are equally close the shorter counts.
    """
    closest = min((len(ref) for ref in refs), key=lambda size: (abs(size - len(hyp)), size))
    orders = range(1, order + 1)
    matches = [clipped(hyp, refs, n).total() for n in orders]
    totals = [ngrams(hyp, n).total() for n in orders]
    return [len(hyp), closest, *matches, *totals]


# chrF


def chrf_row(
    hyp_text: str,
    ref_texts: list[str],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    whitespace: bool = False,
) -> list[int]:
    """Return [hypothesis, reference, matching n-grams] per order (Popović 2015, 2017).

    Characters first, then words; of the reference with the best F, the first on ties.
    """
    best: list[int] = []
    best_f = -1.0
    for ref_text in ref_texts:
        row: list[int] = []
        for n in range(1, char_order + 1):
            row += _match_counts(
                _characters(hyp_text, whitespace), _characters(ref_text, whitespace), n
            )
        for n in range(1, word_order + 1):
            row += _match_counts(chrf_words(hyp_text), chrf_words(ref_text), n)
        f = chrf_f(row, beta)
        if f > best_f:
            best, best_f = row, f
    return best


def _match_counts(hyp: list[str], ref: list[str], n: int) -> list[int]:
    in_hyp, in_ref = ngrams(hyp, n), ngrams(ref, n)
    # The hypothesis is not charged for an order that the reference has no n-gram of.
    return [in_hyp.total() if in_ref else 0, in_ref.total(), (in_hyp & in_ref).total()]


def _characters(text: str, whitespace: bool) -> list[str]:
    return [character for character in text if whitespace or not character.isspace()]


def chrf_words(text: str) -> list[str]:
    """Split off one ASCII punctuation character: the last of a word, or else the first."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def chrf_f(row: list[int], beta: int) -> float:
    """Return F, from the mean precision and recall over the orders that both sides have.

    The sequence of operations is sacreBLEU's, because the choice of a reference depends on it.
    """
    triples = [row[i : i + 3] for i in range(0, len(row), 3)]
    effective = [triple for triple in triples if triple[0] > 0 and triple[1] > 0]
    if not effective:
        return 0.0
    precision = recall = 0.0
    for in_hyp, in_ref, matches in effective:
        precision += matches / in_hyp
        recall += matches / in_ref
    precision /= len(effective)
    recall /= len(effective)
    if precision + recall == 0:
        return 0.0
    factor = beta**2
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


# NIST


def nist_information(
    references: list[list[str]], order: int = 5, compat: bool = False
) -> dict[Ngram, float]:
    """Return log2(count of the history / count) of every n-gram (Doddington 2002).

    `references` are all references of all segments. The history of a single word is empty, and its
    count is the number of words. With `compat` the history `0` counts as empty too: mteval tests
    it as Perl tests truth.
    """
    counts: Counter[Ngram] = Counter()
    for reference in references:
        for n in range(1, order + 1):
            counts.update(ngrams(reference, n))
    counts[()] = sum(len(reference) for reference in references)
    information: dict[Ngram, float] = {}
    for ngram, count in counts.items():
        if ngram:
            history = ngram[:-1]
            if compat and history == ("0",):
                history = ()
            information[ngram] = log2(counts[history] / count)
    return information


def nist_row(
    hyp: list[str], refs: list[list[str]], information: dict[Ngram, float], order: int = 5
) -> list[float]:
    """Return [information of the matches 1..n, n-grams 1..n, length, mean reference length]."""
    row: list[float] = []
    for n in range(1, order + 1):
        matches = clipped(hyp, refs, n)
        row.append(sum(count * information[ngram] for ngram, count in matches.items()))
    for n in range(1, order + 1):
        row.append(ngrams(hyp, n).total())
    return [*row, len(hyp), sum(len(ref) for ref in refs) / len(refs)]


def nist_score(sums: list[float]) -> float:
    """Score summed rows: information per n-gram, times the brevity penalty."""
    order = (len(sums) - 2) // 2
    information, totals = sums[:order], sums[order : 2 * order]
    length, ref_length = sums[-2:]
    if length == 0:
        return 0.0
    gained = sum(info / total for info, total in zip(information, totals, strict=True) if total)
    if length >= ref_length:
        return gained
    beta = log(2) / log(1.5) ** 2
    return gained * exp(-beta * log(length / ref_length) ** 2)
