"""Training a reranker: from examples to a model, and how much better that chooses.

How strong the regularisation is, cross-validation over sentences decides. Then the weight of length
is put right. A conditional model fits the mean over its candidates: the length that it expects is
that of the gold candidates. What it finds most probable lies further from the average candidate
than its mean does, so its choices are too short where gold is shorter than the average, and the
other way round. An exact line search over the weight of length mends that, by the corpus score of
the choices themselves (Och 2003, section 4, along one line only).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from weigh.engine.executors import Shared, accepts_executor, spread
from weigh.errors import InputError, UsageError
from weigh.keywords import keywords
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.words import resolve_tokenizer
from weigh.result import Extent, Result, checked, checked_p_value, derived, unsaved, warns
from weigh.stats.randomization import randomization
from weigh.stats.sample import Sample
from weigh.tuning.examples import Blocks, Examples, Gold, SpooledBlocks, collect
from weigh.tuning.gather import Lists, missing_remarks, paths_of, read_parts
from weigh.tuning.held_out import ALPHA
from weigh.tuning.linesearch import LineValues
from weigh.tuning.loglinear import PER_ROUND, Fit, Posterior, fit, gradient
from weigh.tuning.nbest import NBest, first_maxima, without_candidates
from weigh.tuning.oracle import placed
from weigh.tuning.plan import TrainPlan
from weigh.tuning.problem import Goal, resolve_metric
from weigh.types import Metric
from weigh.wording import fixed, p_value

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.tuning.nbest import Reals
    from weigh.types import Rows, Scores, TestSet

FOLDS = 5

_TOLERANCE = 1e-4  # of fits whose weights are not kept
_FACTOR = 2.0  # from one γ of the path to the next
_LONGEST = 20
_PATIENCE = 2  # steps down the path without a smaller loss before it ends
_TEST_TRIALS = 10_000

# Narrower intervals, relative to the breakpoint that lies furthest out, may be rounding alone.
_NARROW = 1e-12
_REACH = 1.0  # so far beyond the last breakpoint
_TRIES = 5  # places that are looked at, the most promising first

_REMEDY = (
    "do not use it: train on more sentences, leave γ to the cross-validation (no "
    "--gamma), offer fewer features (no --phrases, a larger --cutoff), or tune the dense ones with "
    "'weigh tune'"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One γ: what models that have not seen a sentence say of it.

    `score` is the metric's, of the candidates chosen (`rows`, one row per sentence), `loss` the
    model's before the weight of length is searched for, per sentence; `features` is the mean
    number of features in a model.
    """

    gamma: float
    score: float
    loss: float
    features: float
    rows: Any = unsaved(None)


@dataclass(frozen=True, slots=True)
class TrainingResult(Goal, Result):
    """A reranker's weights, and its gain over taking the first candidates.

    `path` has a trial of every γ of the cross-validation, which is not done where one γ was given;
    then there is no `p_value` either. `gap` bounds (objective − optimum) / objective, and `active`
    counts features by round. The weight of the candidates' `length`, the name of a feature, was
    changed by `shift` after the fit, whose own choices have `fit_score`.
    """

    command: ClassVar[str] = "rerank"

    test_set: Extent
    plan: TrainPlan
    candidates: int
    features: int
    dropped: int
    path: tuple[Trial, ...]
    gamma: float
    active: tuple[int, ...]
    objective: float
    gap: float
    gold_score: float
    first_score: float
    p_value: float | None
    score: float
    fit_score: float
    length: str | None
    shift: float
    weights: Mapping[str, float]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Goal.__post_init__(self)
        if self.p_value is not None:
            checked_p_value(self.p_value)
            checked(self.trial is not None, f"gamma {self.gamma:g}, which is not on the path")

    @property
    def trial(self) -> Trial | None:
        """The cross-validated trial of the γ chosen, if there was a choice."""
        if self.p_value is None:
            return None
        return next((trial for trial in self.path if trial.gamma == self.gamma), None)

    @property
    def selected(self) -> int:
        """The number of features with a weight."""
        return sum(weight != 0 for weight in self.weights.values())

    @property
    def gain(self) -> float | None:
        """By how much the cross-validated score is above that of the first candidates."""
        return None if self.trial is None else self.trial.score - self.first_score

    @property
    @derived
    def sentences(self) -> int:
        """How many sentences were trained on."""
        return self.test_set.segments

    @property
    @derived
    def seed(self) -> int:
        """The seed of the folds and of the test."""
        return self.plan.seed

    @property
    @derived
    def folds(self) -> int | None:
        """How many parts the cross-validation had."""
        return None if self.trial is None else self.plan.folds

    @property
    @derived
    def gold(self) -> str:
        """Which candidates were learned from."""
        return self.plan.gold

    @property
    @derived
    def held_out_score(self) -> float | None:
        """The score on sentences left out of the training."""
        return None if self.trial is None else self.trial.score

    @property
    @derived
    def conclusion(self) -> str:
        """The model's gain in one sentence, with advice if there is none."""
        if self.trial is None:
            if self._gain(self.score) < 0:
                return (
                    "The model chooses worse than taking the first candidates, even on its "
                    f"training sentences ({self._difference(self.score)}); {_REMEDY}."
                )
            return (
                "Unknown whether the model chooses better than taking the first candidates, "
                "because a single --gamma is not cross-validated; give several, or none."
            )
        evidence = (
            f"({self._difference(self.trial.score)} on sentences held out from training, "
            f"{p_value(self.p_value)})"
        )
        significant = self.p_value is not None and self.p_value <= ALPHA
        if self._gain(self.trial.score) > 0:
            how = "The model chooses" if significant else "No evidence that the model chooses"
            return f"{how} better than taking the first candidates {evidence}."
        how = "chooses worse" if significant else "does not choose better"
        return f"The model {how} than taking the first candidates {evidence}; {_REMEDY}."

    @property
    @derived
    def warnings(self) -> tuple[str, ...]:
        """The conclusion, where it is that the model does not even seem to gain anything."""
        return (self.conclusion,) if self.conclusion.endswith(f"{_REMEDY}.") else ()

    def _gain(self, score: float) -> float:
        """Gain of a score over that of the first candidates."""
        return self.sign * (score - self.first_score)

    def _difference(self, score: float) -> str:
        return f"{self.name} {fixed(score - self.first_score, self.decimals, sign=True)}"


@warns
@accepts_executor
@keywords(TrainPlan)
def train_reranker(
    lists: Lists,
    test_set: TestSet,
    metric: Metric | Definition | str = "bleu",
    plan: TrainPlan | None = None,
    *,
    gold: str = "corpus",
    phrases: tuple[int, ...] = (),
    cutoff: int = 2,
    gamma: tuple[float, ...] = (),
    folds: int = 5,
    per_round: int = 1000,
    seed: int = 12345,
    threads: int = 0,
    executor: Executor | None = None,
) -> TrainingResult:
    """Train a log-linear model to find the candidates of n-best lists that a metric finds best.

    `lists` are files that make one list, or a list that was read; one file may be larger than
    memory. The keywords from `gold` to `seed` are the fields of `TrainPlan`, which explains
    them; they replace those of a `plan` that is given too. The result's `weights` are what `rerank`
    takes as a model.
    """
    plan = plan or TrainPlan()
    metric = resolve_tokenizer(resolve_metric(metric), test_set)
    parts = [lists] if isinstance(lists, NBest) else read_parts(paths_of(lists), test_set)
    with SpooledBlocks() as blocks:
        examples = collect(
            parts,
            test_set,
            metric,
            blocks,
            orders=plan.phrases,
            cutoff=plan.cutoff,
            gold=cast(Gold, plan.gold),  # which the plan has checked
            threads=threads,
        )
        training = train(examples, metric, plan, threads=threads)
    return TrainingResult(
        **asdict(Goal.of(metric, len(test_set.references))),
        test_set=Extent(len(examples.ids), len(test_set.references)),
        plan=plan,
        candidates=examples.candidates,
        features=len(examples.names),
        dropped=examples.dropped,
        path=tuple(training.trials),
        gamma=training.fit.gamma,
        active=training.fit.active,
        objective=training.fit.objective,
        gap=training.fit.gap,
        gold_score=examples.gold_score,
        first_score=training.first_score,
        p_value=training.p_value,
        score=training.score,
        fit_score=training.fit_score,
        length=training.length,
        shift=training.shift,
        weights=training.weights,
        remarks=missing_remarks(without_candidates(examples.ids, test_set), len(test_set)),
    )


@dataclass(frozen=True, slots=True)
class Training:
    """A model and its gain.

    `weights` has every dense feature and those others that are not 0: those of `fit`, with the
    weight of the candidates' `length` (its name, if they differ) changed by `shift`.
    `first_score` is that of the candidates that stand first, `score` that of the model's own, on
    the sentences that it was trained on, and `fit_score` that of `fit` alone. `trial` is the
    cross-validated one of the γ chosen, among all `trials`, and `p_value` that of its difference
    to the first candidates by approximate randomization, two sided. Where only one γ was given,
    there is neither.
    """

    fit: Fit
    weights: Mapping[str, float]
    first_score: float
    fit_score: float
    score: float
    length: str | None = None
    shift: float = 0.0
    trials: Sequence[Trial] = ()
    trial: Trial | None = None
    p_value: float | None = None


def train(
    examples: Examples, metric: Metric | Definition, plan: TrainPlan, *, threads: int = 0
) -> Training:
    """Choose γ by cross-validation, then fit the model to all sentences."""
    metric = as_metric(metric)
    if not examples.names:
        raise InputError(
            "no feature varies within a sentence; give several candidates for each, with features"
        )
    blocks, start = examples.blocks, np.zeros(len(examples.names))
    first = np.concatenate([block.rows[block.starts[:-1]] for block in blocks])
    trials: list[Trial] = []
    trial, p_value = None, None
    if len(plan.gamma) == 1:
        gamma = plan.gamma[0]
    else:
        trials = validate(
            blocks,
            len(examples.names),
            metric,
            length=examples.length,
            gammas=plan.gamma or None,
            folds=plan.folds,
            seed=plan.seed,
            per_round=plan.per_round,
        )
        if not trials:
            raise InputError(
                "no feature tells the best candidates from others; give the list other features"
            )
        trial = chosen(trials)
        gamma = trial.gamma
        p_value = _p_value(metric, trial.rows, first, plan.seed, threads)
    fitted = fit(blocks, gamma, start, per_round=plan.per_round)
    weights, length, shift = fitted.weights, None, 0.0
    if examples.length is not None:
        length = examples.names[examples.length]
        shift = best_shift(blocks, weights, examples.length, metric)
        weights = shifted(weights, examples.length, shift)
    return Training(
        fitted,
        _named(examples, weights),
        float(metric.score(first.sum(axis=0))),
        float(metric.score(chosen_total(blocks, fitted.weights))),
        float(metric.score(chosen_total(blocks, weights))),
        length,
        shift,
        trials,
        trial,
        p_value,
    )


def _named(examples: Examples, weights: Scores) -> dict[str, float]:
    others = {
        name: value for name, value in zip(examples.names, weights.tolist(), strict=True) if value
    }
    return dict.fromkeys(examples.dense, 0.0) | others


def _p_value(metric: Metric, rows: Rows, first: Rows, seed: int, threads: int) -> float:
    sample = Sample(metric, ("reranked", "first"), ((rows,), (first,)))
    [result] = randomization([sample], [(0, 1)], seed, trials=_TEST_TRIALS, threads=threads).tests
    return float(result.p_values["two-sided"][0])


def validate(
    blocks: Blocks,
    features: int,
    metric: Metric,
    *,
    length: int | None = None,
    gammas: Sequence[float] | None = None,
    folds: int = FOLDS,
    seed: int,
    per_round: int = PER_ROUND,
) -> list[Trial]:
    """Try values of γ, from large to small, on sentences left out of the training.

    Without `gammas` the path begins with the largest that selects any feature and halves it
    until the loss has not fallen for two steps. A model sees (folds − 1)/folds of the sentences
    and so of the loss, and its γ is that much smaller. The weight of the column `length` is
    searched for on the sentences that the model sees. Folds are fitted one after another, or each
    where an executor runs it.
    """
    sentences = sum(block.sentences for block in blocks)
    if not 2 <= folds <= sentences:
        raise UsageError(
            f"{folds} folds of {sentences:,} sentences; give a number from 2 to {sentences:,}, "
            "or one --gamma"
        )
    fold_of = np.random.default_rng(seed).permutation(sentences) % folds
    weights = np.zeros((features, folds))
    trials: list[Trial] = []
    shared = Shared(_Folds(blocks, fold_of, metric, length, per_round))
    for gamma in _path(blocks, features) if gammas is None else sorted(gammas, reverse=True):
        choosing = np.zeros_like(weights)
        smaller = gamma * (folds - 1) / folds
        fits = spread(
            _fitted_fold,
            [(fold, smaller, weights[:, fold].copy()) for fold in range(folds)],
            shared,
            threads=1,  # which goes through a file of blocks alone
        )
        for fold, (fitted, choice) in enumerate(fits):
            weights[:, fold], choosing[:, fold] = fitted, choice
        trials.append(_held_out(blocks, weights, choosing, fold_of, metric, gamma))
        best = min(range(len(trials)), key=lambda at: trials[at].loss)
        if gammas is None and len(trials) - 1 - best >= _PATIENCE:
            break
    return trials


@dataclass(frozen=True, slots=True)
class _Folds:
    """The data that the models of all folds are fitted to."""

    blocks: Blocks
    fold_of: NDArray[np.int64]
    metric: Metric
    length: int | None
    per_round: int


def _fitted_fold(shared: _Folds, task: tuple[int, float, Scores]) -> tuple[Scores, Scores]:
    """The weights of the model trained without a fold, and those that it chooses by."""
    fold, gamma, start = task
    kept = shared.fold_of != fold
    fitted = fit(
        shared.blocks,
        gamma,
        start,
        kept=kept,
        per_round=shared.per_round,
        tolerance=_TOLERANCE,
    ).weights
    length = shared.length
    if length is None:
        return fitted, fitted
    shift = best_shift(shared.blocks, fitted, length, shared.metric, kept)
    return fitted, shifted(fitted, length, shift)


def chosen(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the smallest loss, of equals the one with the largest γ.

    Not the one with the best score: that would make the score of the trial chosen too good, and
    with some hundred sentences chance moves scores more than γ does.
    """
    return min(trials, key=lambda trial: (trial.loss, -trial.gamma))


def _path(blocks: Blocks, features: int) -> Iterator[float]:
    steepest = float(np.abs(gradient(blocks, np.zeros(features))[1]).max(initial=0.0))
    if steepest > 0:
        yield from (steepest / _FACTOR**step for step in range(1, _LONGEST + 1))


def _held_out(
    blocks: Blocks, fitted: Rows, choosing: Rows, fold_of: Rows, metric: Metric, gamma: float
) -> Trial:
    """Choose candidates for each fold's sentences by the model trained without them."""
    rows, loss = [], 0.0
    for block, places in placed(blocks):
        folds = np.repeat(fold_of[places], np.diff(block.starts))[:, None]
        scores, final = (
            np.take_along_axis(block.features @ weights, folds, axis=1).ravel()
            for weights in (fitted, choosing)
        )
        loss += Posterior.of(scores, block.starts, block.best).loss
        rows.append(block.rows[first_maxima(final, block.starts)])
    together = np.concatenate(rows)
    score = float(metric.score(together.sum(axis=0)))
    used = float(np.count_nonzero(choosing, axis=0).mean())
    return Trial(gamma, score, loss / len(fold_of), used, together)


def best_shift(
    blocks: Blocks,
    weights: Scores,
    column: int,
    metric: Metric,
    kept: NDArray[np.bool_] | None = None,
) -> float:
    """The change of a length's weight that most improves the corpus score of the choices.

    0 where none does. In memory are the places where a choice changes, a few in each sentence.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    breakpoints, sums = _surface(blocks, weights, column, kept)
    values = sign * np.asarray(metric.score(sums), dtype=np.float64)
    line = LineValues(*_without_slivers(breakpoints, values), -np.inf, np.inf, _REACH)

    def value(place: float) -> float:
        changed = shifted(weights, column, place)
        return sign * float(metric.score(chosen_total(blocks, changed, kept)))

    # What counts are the choices at the very place.
    now = value(0.0)
    steps = islice(line.better(), _TRIES)
    return next((step.place for step in steps if value(step.place) > now), 0.0)


def shifted(weights: Scores, column: int, by: float) -> Scores:
    """The weights with one of them changed."""
    changed = weights.copy()
    changed[column] += by
    return changed


def _surface(
    blocks: Blocks, weights: Scores, column: int, kept: NDArray[np.bool_] | None
) -> tuple[Reals, Rows]:
    """Values of a weight at which choices change, and the sums of rows between them."""
    places, changes, first = [], [], []
    for whole, block_places in placed(blocks):
        block = whole if kept is None else whole.of(kept[block_places])
        if block.sentences:
            slopes = block.features[:, [column]].toarray().ravel()
            breakpoints, sums = _envelope_sums(
                block.features @ weights, slopes, block.starts, block.rows
            )
            places.append(breakpoints)
            changes.append(np.diff(sums, axis=0))
            first.append(sums[0])
    where = np.concatenate(places)
    order = np.argsort(where, kind="stable")
    steps = np.concatenate(changes)[order]
    total = np.sum(first, axis=0)
    return where[order], total + np.concatenate([0 * total[None], np.cumsum(steps, axis=0)])


def _envelope_sums(
    scores: Scores, slopes: Scores, starts: NDArray[np.int64], rows: Rows
) -> tuple[Reals, Rows]:
    from weigh._core import IntegerEnvelopes, RealEnvelopes

    numbers = np.arange(len(rows), dtype=np.int32)
    envelopes = IntegerEnvelopes if rows.dtype == np.int64 else RealEnvelopes
    exact = np.zeros(len(starts) - 1)  # slivers go when all blocks are together
    lines = envelopes(np.ascontiguousarray(rows), numbers, starts)
    return lines.envelope_sums(scores, slopes, exact, exact)


def _without_slivers(breakpoints: Reals, values: Reals) -> tuple[Reals, Reals]:
    if not len(breakpoints):
        return breakpoints, values
    least = _NARROW * float(np.abs(breakpoints).max())
    wide = np.concatenate([[True], np.diff(breakpoints) > least, [True]])
    return breakpoints[wide[1:]], values[wide]


def chosen_total(blocks: Blocks, weights: Scores, kept: NDArray[np.bool_] | None = None) -> Rows:
    """The sum of the rows of the candidates that weights choose."""
    sums = []
    for block, places in placed(blocks):
        rows = block.rows[first_maxima(block.features @ weights, block.starts)]
        sums.append((rows if kept is None else rows[kept[places]]).sum(axis=0))
    total: Rows = np.sum(sums, axis=0)
    return total
