"""Problems whose statistics another program has counted: Moses' FEATSTAT and SCORESTAT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError
from weigh.metrics.registry import key_of
from weigh.metrics.words import AUTO
from weigh.options import Chosen
from weigh.read.nbest import Candidate
from weigh.read.nbest_statistics import read_statistics
from weigh.read.stream import shown
from weigh.tuning.gather import gather
from weigh.tuning.problem import Problem

if TYPE_CHECKING:
    from weigh.types import Metric, Rows

# Scorers whose statistics are edits and reference words, as those of our metric are.
_RATES = {"TER": "ter", "WER": "wer", "CDER": "cder"}


def read_problem(features: str, scores: str, metric: Metric) -> Problem:
    """Read candidates with their statistics; the metric must be the one that they are of.

    Moses' scorers count what stands between spaces.
    """
    if getattr(metric, "tokenize", None) == AUTO:
        fields: Any = metric  # a dataclass
        metric = replace(fields, tokenize=Chosen("none"))
    scorers: set[str] = set()

    def candidates() -> Iterator[Candidate]:
        for scorer, candidate in read_statistics(features, scores):
            scorers.add(scorer)
            yield candidate

    nbest = gather(candidates())
    rows = np.array(nbest.extra["statistics"])
    if len(scorers) > 1:
        raise InputError(f"{shown(scores)}: several scorers in one file; extract them one by one")
    return Problem(nbest, _rows(rows, scorers.pop(), metric, shown(scores)), metric)


def _rows(rows: Rows, scorer: str, metric: Metric, label: str) -> Rows:
    """Return Moses' statistics in the columns of our metric."""
    ours = key_of(metric).partition(":")[0]
    whole = np.ascontiguousarray(rows, dtype=np.int64) if not (rows % 1).any() else rows
    if scorer == "BLEU" and ours == "bleu" and rows.shape[1] == 9:
        # Moses: matches and totals of each order in turn, then the reference's length.
        matches, totals = whole[:, 0:8:2], whole[:, 1:8:2]
        return np.ascontiguousarray(np.hstack([totals[:, :1], whole[:, 8:], matches, totals]))
    if _RATES.get(scorer) == ours and rows.shape[1] == 2:
        return whole
    known = ", ".join(["BLEU", *_RATES])
    raise InputError(
        f"{label}: statistics of {scorer or 'an unnamed scorer'} in {rows.shape[1]} columns, which "
        f"-m {ours} cannot score; use one of {known} and the metric of that name"
    )
