"""Tunings from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.report import tuning
from weigh.report.decoding import decode
from weigh.report.restored.saved import Saved, checked_decimals, checked_p_value, unfit
from weigh.report.tuning import HeldOut, ReadGain, TuneReport
from weigh.tuning.loop import Iteration
from weigh.tuning.mert import Climb
from weigh.tuning.tuning import Tuned

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Size:
    segments: int
    references: int
    left_out: int
    candidates: int


@dataclass(frozen=True, slots=True)
class _Start:
    start_score: float
    score: float
    weights: Weights


@dataclass(frozen=True, slots=True)
class _Run:
    seed: int
    start_score: float
    score: float
    weights: Weights
    held_out_score: float = float("nan")


@dataclass(frozen=True, slots=True)
class _HeldOut:
    segments: int
    start_score: float
    score: float
    p_value: float | None
    signature: str
    refused: str | None = None
    readings: tuple[ReadGain, ...] = ()
    readings_agree: bool | None = None
    caution: str | None = None


@dataclass(frozen=True, slots=True)
class _Iteration:
    iteration: int
    candidates: int
    new: int
    score: float
    tuned_score: float | None
    weights: Weights

    @property
    def read(self) -> Iteration:
        return Iteration(
            self.iteration,
            self.weights,
            self.candidates,
            self.new,
            self.score,
            self.tuned_score,
            None,
        )


@dataclass(frozen=True, slots=True)
class _Tuned:
    """A document of `weigh tune`."""

    test_set: _Size
    metric: str
    signature: str
    lower_is_better: bool
    name: str
    decimals: int
    optimizer: Literal["mert", "pro", "mira"]
    start_score: float
    score: float
    start_weights: Weights
    weights: Weights
    averaged: bool
    starts: tuple[_Start, ...]
    runs: tuple[_Run, ...]
    average_score: float | None = None
    held_out: _HeldOut | None = None
    iterations: tuple[_Iteration, ...] = ()


def restore_tuning(document: Mapping[str, Any], name: str) -> Saved[TuneReport]:
    """Return what `weigh tune` has written; the surfaces that its page draws are not in it."""
    given = decode(_Tuned, document, name)
    if not given.runs or not given.weights:
        raise unfit(name, "no run, or no weights")
    if len(given.runs) > 1 and given.average_score is None:
        raise unfit(name, "several runs, but no 'average_score'")
    names = tuple(given.weights)

    def array(weights: Weights) -> Reals:
        if weights.keys() != given.weights.keys():
            raise unfit(name, "weights of other features than those of the result")
        return np.array([weights[each] for each in names])

    sign = -1 if given.lower_is_better else 1
    best = max(range(len(given.runs)), key=lambda run: sign * given.runs[run].score)
    unknown = np.full(len(names), np.nan)
    climbs = tuple(
        Climb(unknown, each.start_score, array(each.weights), each.score, 0)
        for each in given.starts
    )
    runs = [
        Tuned(
            each.seed,
            each.start_score,
            each.score,
            array(each.weights),
            climbs if number == best else (),
        )
        for number, each in enumerate(given.runs)
    ]
    report = TuneReport(
        metric=given.metric,
        name=given.name,
        signature=given.signature,
        higher_is_better=not given.lower_is_better,
        segments=given.test_set.segments,
        references=given.test_set.references,
        left_out=given.test_set.left_out,
        candidates=given.test_set.candidates,
        optimizer=given.optimizer,
        names=names,
        start=array(given.start_weights),
        runs=runs,
        best=best,
        weights=array(given.weights),
        score=given.score,
        is_average=given.averaged,
        average_score=given.average_score,
        decimals=checked_decimals(given.decimals, given.metric, name),
        held_out=_held_out(given, name),
        iterations=[each.read for each in given.iterations],
    )
    return Saved(
        "tune",
        report,
        tuning.as_table,
        tuning.FORMATS,
        needs="the error surfaces that its page shows",
    )


def _held_out(given: _Tuned, name: str) -> HeldOut | None:
    held_out = given.held_out
    if held_out is None:
        return None
    return HeldOut(
        held_out.segments,
        held_out.start_score,
        [each.held_out_score for each in given.runs],
        held_out.score,
        None if held_out.p_value is None else checked_p_value(held_out.p_value, name),
        held_out.signature,
        held_out.refused,
        [
            one if one.p_value is None else replace(one, p_value=checked_p_value(one.p_value, name))
            for one in held_out.readings
        ],
        held_out.readings_agree,
        held_out.caution,
    )


RESTORERS = {"tune": restore_tuning}
