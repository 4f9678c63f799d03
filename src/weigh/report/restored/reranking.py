"""Chosen candidates, limits of lists and trained models from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.reranking import (
    FORMATS,
    ChoicesReport,
    MetricShown,
    OracleReport,
    TrainingReport,
    as_table,
    choices_as_json,
    choices_as_tsv,
)
from weigh.report.restored.saved import Saved, checked_decimals, checked_p_value, unfit
from weigh.tuning.grafting import Fit
from weigh.tuning.oracle import Extremes
from weigh.tuning.rerank import Choice
from weigh.tuning.training import Training
from weigh.tuning.validation import Trial

_COMMAND = "rerank"
_NONE = np.empty(0, dtype=np.int64)  # what a list or a test set had, which no document holds


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A document of `weigh rerank --weights` or `--model`."""

    sentences: tuple[Choice, ...]


def _restore_choices(document: Mapping[str, Any], name: str) -> Saved[ChoicesReport]:
    return Saved(
        _COMMAND,
        ChoicesReport(decode(_Chosen, document, name).sentences),
        lambda report, _: "\n".join(each.text for each in report.choices),
        {
            "json": lambda report: choices_as_json(report.choices),
            "tsv": lambda report: choices_as_tsv(report.choices),
        },
    )


@dataclass(frozen=True, slots=True)
class _Metric:
    metric: str
    signature: str
    lower_is_better: bool
    name: str
    decimals: int


def _metric(given: _Metric, name: str) -> MetricShown:
    decimals = checked_decimals(given.decimals, given.metric, name)
    return MetricShown(
        given.metric, given.name, given.signature, not given.lower_is_better, decimals
    )


@dataclass(frozen=True, slots=True)
class _Extremes(_Metric):
    oracle: float
    first: float
    average: float
    worst: float

    @property
    def read(self) -> Extremes:
        return Extremes(self.oracle, self.first, self.average, self.worst, _NONE, _NONE)


@dataclass(frozen=True, slots=True)
class _Limits:
    """A document of `weigh rerank --oracle`."""

    sentences: int
    candidates: int
    references: int
    scores: tuple[_Extremes, ...]


def _restore_oracle(document: Mapping[str, Any], name: str) -> Saved[Any]:
    given = decode(_Limits, document, name)
    report = OracleReport(
        [(_metric(one, name), one.read) for one in given.scores],
        given.sentences,
        given.candidates,
        given.references,
    )
    return Saved(_COMMAND, report, as_table, FORMATS)


@dataclass(frozen=True, slots=True)
class _Trial:
    gamma: float
    score: float
    loss: float
    features: float

    @property
    def read(self) -> Trial:
        return Trial(self.gamma, self.score, self.loss, self.features, _NONE)


@dataclass(frozen=True, slots=True)
class _Trained(_Metric):
    """A document of `weigh rerank --train`."""

    test_set: Extent
    sentences: int
    candidates: int
    features: int
    dropped: int
    seed: int
    folds: int | None
    path: tuple[_Trial, ...]
    gamma: float
    active: tuple[int, ...]
    objective: float
    gap: float
    gold: str
    gold_score: float
    first_score: float
    held_out_score: float
    p_value: float | None
    score: float
    fit_score: float
    length: str | None
    shift: float
    weights: Mapping[str, float]


def _restore_training(document: Mapping[str, Any], name: str) -> Saved[Any]:
    given = decode(_Trained, document, name)
    trials = [one.read for one in given.path]
    trial = None
    if given.folds is not None and given.p_value is not None:
        checked_p_value(given.p_value, name)
        trial = next((one for one in trials if one.gamma == given.gamma), None)
        if trial is None:
            raise unfit(name, f"gamma {given.gamma:g}, which is not on the path")
    fit = Fit(np.empty(0), given.gamma, np.nan, given.objective, given.gap, given.active)
    training = Training(
        fit,
        given.weights,
        given.first_score,
        given.fit_score,
        given.score,
        given.length,
        given.shift,
        trials,
        trial,
        given.p_value,
    )
    report = TrainingReport(
        _metric(given, name),
        training,
        given.sentences,
        given.test_set.references,
        given.candidates,
        given.features,
        given.dropped,
        given.folds or 0,
        given.seed,
        given.gold,
        given.gold_score,
    )
    return Saved(_COMMAND, report, as_table, FORMATS)


def restore_reranking(document: Mapping[str, Any], name: str) -> Saved[Any]:
    """Return what `weigh rerank` has written, whatever it was asked to do."""
    if "path" in document:
        return _restore_training(document, name)
    return (_restore_oracle if "scores" in document else _restore_choices)(document, name)


RESTORERS = {"rerank": restore_reranking}
