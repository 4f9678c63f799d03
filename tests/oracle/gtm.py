"""GTM (Melamed, Green & Turian 2003): runs of words in common, longest first.

A row is [match size, hypothesis length, mean reference length].
"""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    """Equal words: how many, and where in the hypothesis and in all references they begin."""

    length: int
    hyp: int
    ref: int


def gtm_row(hyp: list[str], refs: list[list[str]], exponent: float = 1) -> list[float]:
    mean = sum(map(len, refs)) / len(refs)
    lengths = run_lengths(hyp, refs, min(len(hyp), mean))
    size = sum(length**exponent for length in lengths) ** (1 / exponent)
    return [size, len(hyp), mean]


def gtm_f(row: list[float]) -> float:
    """Return F from precision and recall; 0 without matches."""
    size, hyp_len, ref_len = row
    if not size:
        return 0.0
    precision, recall = size / hyp_len, size / ref_len
    return 2 * precision * recall / (precision + recall)


def run_lengths(hyp: list[str], refs: list[list[str]], limit: float) -> list[float]:
    """Return the lengths of the runs taken: the longest, then the latest, none overlapping.

    All runs are candidates, those inside longer ones too. The last is cut at the limit.
    """
    hyp_taken: set[int] = set()
    ref_taken: set[int] = set()
    lengths: list[float] = []
    for run in sorted(all_runs(hyp, refs), reverse=True):
        hyp_words = range(run.hyp, run.hyp + run.length)
        ref_words = range(run.ref, run.ref + run.length)
        if not hyp_taken.isdisjoint(hyp_words) or not ref_taken.isdisjoint(ref_words):
            continue
        room = limit - sum(lengths)
        if room <= 0:
            break
        hyp_taken.update(hyp_words)
        ref_taken.update(ref_words)
        lengths.append(min(run.length, room))
    return lengths


def all_runs(hyp: list[str], refs: list[list[str]]) -> list[Run]:
    runs = []
    before = 0
    for ref in refs:
        for i in range(len(hyp)):
            for j in range(len(ref)):
                length = 0
                while hyp[i : i + length + 1] == ref[j : j + length + 1]:
                    if i + length == len(hyp) or j + length == len(ref):
                        break
                    length += 1
                    runs.append(Run(length, i, before + j))
        before += len(ref)
    return runs
