"""Metric objects of sacreBLEU (Post 2018), whose statistics and scores are used as they are."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.types import Rows

_DIRECTIONS = {"BLEU": True, "CHRF": True, "TER": False}


class FromSacrebleu:
    """The definition of a metric by an object of sacreBLEU or of a class derived from its own.

    `higher_is_better` must be said of metrics that are not sacreBLEU's own.

    >>> from sacrebleu.metrics import TER
    >>> FromSacrebleu(TER()).higher_is_better
    False
    """

    def __init__(self, metric: Any, *, higher_is_better: bool | None = None) -> None:
        names = [base.__name__ for base in type(metric).__mro__]
        direction = next((_DIRECTIONS[name] for name in names if name in _DIRECTIONS), None)
        if higher_is_better is None and direction is None:
            raise UsageError(
                f"{names[0]}: sacreBLEU does not say whether higher is better; give "
                "FromSacrebleu(metric, higher_is_better=…)"
            )
        self.name = names[0]
        self.higher_is_better = direction if higher_is_better is None else higher_is_better
        self.scale = None if direction is None else 100.0
        self._metric = metric

    def signature(self, references: int) -> str:
        """The signature that sacreBLEU prints for this number of references."""
        counted = copy(self._metric)
        counted.num_refs = references
        return str(counted.get_signature())

    def statistics(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Return the statistics of one segment."""
        [row] = self._metric._extract_corpus_statistics(
            [hypothesis], [[reference] for reference in references]
        )
        return row

    def score(self, sums: Rows) -> float:
        """Return the score of summed statistics."""
        if sums.ndim > 1:
            raise ValueError("sacreBLEU scores one corpus at a time")
        return float(self._metric._compute_score_from_stats(sums.tolist()).score)
