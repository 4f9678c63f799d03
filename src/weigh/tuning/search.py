"""Tuning on fixed lists: an optimizer, several runs of it, and the result of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from weigh.engine.executors import accepts_executor
from weigh.engine.threads import Progress
from weigh.errors import UsageError
from weigh.keywords import keywords
from weigh.metrics.custom import Definition
from weigh.metrics.words import resolve_tokenizer
from weigh.result import Result, checked, derived, unsaved, warns
from weigh.tuning.gather import Lists, as_nbest, missing_remarks
from weigh.tuning.held_out import HeldOut, HeldOutList, HeldOutScores, Spread
from weigh.tuning.linesearch import Smoothing
from weigh.tuning.mert import MertPlan, StartResult, best_result, mert
from weigh.tuning.nbest import without_candidates
from weigh.tuning.plan import Range, TunePlan
from weigh.tuning.problem import Goal, ListExtent, Problem, resolve_metric
from weigh.tuning.weights import (
    Weights,
    WeightSpace,
    as_file,
    normalised,
    transferred,
    weight_space,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.tuning.nbest import Reals
    from weigh.types import Metric, TestSet

# What is to be said of the data, as soon as it is known.
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of one run; scores are the metric's, evaluated at the weights from scratch."""

    seed: int
    start_score: float
    score: float
    weights: Reals
    results: tuple[StartResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Tuner:
    """How weights are found: an optimizer with its plan and how its result is normalised.

    Unless that is said, the absolute weights sum to 1, so that results stand on one scale; weights
    that are fixed or bounded stay as they are, since scaling would move what is held.
    """

    optimizer: str = "mert"
    plan: MertPlan = field(default_factory=MertPlan)
    norm: str | None = None

    @classmethod
    def of(cls, plan: TunePlan) -> Tuner:
        """Return the optimizer that a plan describes."""
        search = MertPlan(
            starts=plan.starts,
            directions=plan.directions,
            seed=plan.seed,
            smoothing=cast(Smoothing, plan.smooth),  # which the plan has checked
            window=plan.window,
            regularise=plan.regularize,
        )
        return cls(plan.optimizer, search, plan.normalize)

    def tune(
        self,
        problem: Problem,
        space: WeightSpace,
        *,
        seed: int,
        further: tuple[Reals, ...] = (),
        threads: int = 0,
        progress: Progress | None = None,
    ) -> Tuned:
        """Return weights that score no worse than the start, and their score."""
        results: tuple[StartResult, ...] = ()
        if self.optimizer == "mert":
            plan = replace(self.plan, seed=seed)
            results = tuple(
                mert(problem, space, plan, further=further, threads=threads, progress=progress)
            )
            weights = best_result(results, problem, space, plan).weights
        elif self.optimizer == "pro":
            from weigh.tuning.ranked import pro

            weights = pro(problem, space, seed)
        else:
            from weigh.tuning.ranked import mira

            weights = mira(problem, space, seed)
        start_score = problem.score(space.start)
        score = problem.score(weights)
        if problem.sign * score < problem.sign * start_score:
            weights, score = space.start, start_score
        results = tuple(
            replace(result, weights=self.normalised(problem, space, result.weights))
            for result in results
        )
        return Tuned(seed, start_score, score, self.normalised(problem, space, weights), results)

    def normalised(self, problem: Problem, space: WeightSpace, weights: Reals) -> Reals:
        """Return weights on the scale of results, or as they are if their score would change.

        It does where rounding breaks a tie another way.
        """
        scaled = normalised(weights, self.norm or ("none" if space.holds else "l1"))
        return scaled if problem.score(scaled) == problem.score(weights) else weights


def average(runs: Sequence[Tuned], space: WeightSpace) -> Reals:
    """Return the mean of the runs' weights, each of length 1 first unless some are held."""
    norm = "none" if space.holds else "l2"
    mean = np.mean([normalised(run.weights, norm) for run in runs], axis=0)
    return mean if mean.any() else runs[0].weights


@dataclass(frozen=True, slots=True)
class Start:
    """What came of one start of the best run."""

    start_score: float
    score: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """What one run found; `held_out_score` is that of its weights on the held-out list."""

    seed: int
    start_score: float
    score: float
    weights: Mapping[str, float]
    held_out_score: float | None = None


@dataclass(frozen=True, slots=True)
class Iteration:
    """What one iteration with a decoder found.

    `score` is that of the new list's best candidates by the weights that it was decoded with;
    `tuned_score` that of the weights found next, on all candidates, or None if none were sought.
    """

    iteration: int
    candidates: int
    new: int
    score: float
    tuned_score: float | None
    weights: Mapping[str, float]
    tuned_weights: Mapping[str, float] | None = unsaved(None)

    def __str__(self) -> str:
        tuned = "" if self.tuned_score is None else f", tuned {self.tuned_score:.2f}"
        return (
            f"iteration {self.iteration}: {self.new:,} new of {self.candidates:,} candidates, "
            f"decoded {self.score:.2f}{tuned}"
        )


@dataclass(frozen=True, slots=True)
class TuneResult(Goal, Result):
    """Weights, what they score, and how they were found.

    `weights` and `score` are those of the best run, or the average of the runs'. `texts` are
    those that the start and each run choose, by the names of their files.
    """

    command: ClassVar[str] = "tune"

    test_set: ListExtent
    plan: TunePlan
    score: float
    start_weights: Mapping[str, float]
    weights: Mapping[str, float]
    starts: tuple[Start, ...]
    runs: tuple[Run, ...]
    average_score: float | None = None
    held_out: HeldOutScores | None = None
    iterations: tuple[Iteration, ...] = ()
    remarks: tuple[str, ...] = ()
    texts: Mapping[str, Sequence[str]] = unsaved(default_factory=dict)

    def __post_init__(self) -> None:
        Goal.__post_init__(self)
        checked(bool(self.runs and self.weights), "no run, or no weights")
        checked(
            len(self.runs) == 1 or self.average_score is not None,
            "several runs, but no 'average_score'",
        )
        by_start = [start.weights for start in self.starts]
        by_run = [run.weights for run in self.runs]
        for weights in (self.start_weights, *by_start, *by_run):
            checked(
                weights.keys() == self.weights.keys(),
                "weights of other features than those of the result",
            )

    @property
    def best_iteration(self) -> Iteration | None:
        """The iteration whose decoded list scores best, if a decoder was run."""
        return max(self.iterations, key=lambda row: self.sign * row.score, default=None)

    @property
    @derived
    def optimizer(self) -> str:
        """How the weights were sought."""
        return self.plan.optimizer

    @property
    @derived
    def averaged(self) -> bool:
        """Whether the weights are the average of the runs'."""
        return self.plan.average

    @property
    @derived
    def start_score(self) -> float:
        """The score of the start weights."""
        return self.runs[0].start_score

    @property
    @derived
    def spread(self) -> Spread | None:
        """How much several runs differ."""
        return Spread.of([run.score for run in self.runs]) if len(self.runs) > 1 else None

    @property
    def best(self) -> int:
        """The place of the best run, the first of equals."""
        return max(range(len(self.runs)), key=lambda run: self.sign * self.runs[run].score)


@warns
@accepts_executor
@keywords(TunePlan)
def tune(
    lists: Lists | Problem,
    test_set: TestSet | None = None,
    metric: Metric | Definition | str = "bleu",
    plan: TunePlan | None = None,
    *,
    start: Weights | None = None,
    held_out: HeldOut | None = None,
    optimizer: str = "mert",
    starts: int = 20,
    directions: int = 420,
    smooth: str = "none",
    window: int = 1,
    regularize: float = 0.0,
    fix: Sequence[str] = (),
    bound: Mapping[str, Range] | None = None,
    normalize: str | None = None,
    runs: int = 1,
    average: bool = False,
    iterations: int = 15,
    size: int = 100,
    seed: int = 12345,
    threads: int = 0,
    progress: Progress | None = None,
    tell: Tell | None = None,
    executor: Executor | None = None,
) -> TuneResult:
    """Find weights for the features of n-best lists, toward any metric.

    `lists` are files that make one list, a list that was read, or a problem whose statistics
    are known, which needs no test set. `start` are the weights to begin with, or their file; 1
    for every feature unless given. The keywords from `optimizer` to `seed` are the fields of
    `TunePlan`, which explains them; they replace those of a `plan` that is given too.
    Remarks on the data go to `tell` at once, beside the result.
    """
    plan = plan or TunePlan()
    remarks = Remarks(tell)
    if isinstance(lists, Problem):
        problem, test_set = lists, None
    else:
        if test_set is None:
            raise UsageError("no test set; give the references of the n-best list")
        metric = resolve_tokenizer(resolve_metric(metric), test_set)  # for the held-out list too
        nbest = as_nbest(lists, test_set)
        remarks.add(*missing_remarks(without_candidates(nbest.ids, test_set), len(test_set)))
        problem = Problem.of(nbest, test_set, metric, threads=threads)
        remarks.add(*problem.remarks())
    nbest = problem.nbest
    space = held_space(weight_space(nbest, as_file(start, "the start weights")), plan)
    compared = HeldOutList.of(held_out, problem.metric, threads=threads)
    remarks.add(*(() if compared is None else compared.remarks))
    if plan.optimizer == "mert" and nbest.sparse.names:
        remarks.add(
            f"{len(nbest.sparse.names):,} sparse features keep their start weights under mert; "
            "tune them with --optimizer pro or mira"
        )
    tuner = Tuner.of(plan)
    tuned = []
    for run, run_seed in enumerate(seeds(plan)):

        def advance(done: int, size: int, run: int = run) -> None:
            if progress is not None:
                progress(run * size + done, plan.runs * size)

        tuned.append(tuner.tune(problem, space, seed=run_seed, threads=threads, progress=advance))
    return result_of(
        plan,
        tuner,
        problem,
        ListExtent.of(nbest, test_set),
        space,
        tuned,
        compared,
        threads=threads,
        remarks=tuple(remarks.said),
    )


class Remarks:
    """Remarks on the data; they are shown at once, and kept for the result."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self.said: list[str] = []

    def add(self, *remarks: str) -> None:
        """Say something more."""
        for remark in remarks:
            self.said.append(remark)
            if self._tell is not None:
                self._tell(remark)


def seeds(plan: TunePlan) -> list[int]:
    """Return the seed of each run."""
    return [(plan.seed + run) % 2**64 for run in range(plan.runs)]


def held_space(space: WeightSpace, plan: TunePlan) -> WeightSpace:
    """Return the space with the weights that a plan fixes or bounds."""
    bounds = {
        name: (-np.inf if low is None else low, np.inf if high is None else high)
        for name, (low, high) in plan.bound.items()
    }
    return space.bounded(bounds).fixed(plan.fix)


def result_of(
    plan: TunePlan,
    tuner: Tuner,
    problem: Problem,
    test_set: ListExtent,
    space: WeightSpace,
    runs: Sequence[Tuned],
    held_out: HeldOutList | None,
    *,
    threads: int,
    **more: Any,
) -> TuneResult:
    """Weights of the runs, with scores on a held-out list if there is one."""
    best = max(range(len(runs)), key=lambda run: problem.sign * runs[run].score)
    weights, score, mean_score = runs[best].weights, runs[best].score, None
    if len(runs) > 1:
        mean = tuner.normalised(problem, space, average(runs, space))
        mean_score = problem.score(mean)
        if plan.average:
            weights, score = mean, mean_score

    def named(weights: Reals) -> dict[str, float]:
        return dict(zip(space.names, weights.tolist(), strict=True))

    start = named(tuner.normalised(problem, space, space.start))
    by_run = [named(run.weights) for run in runs]
    scored: HeldOutScores | None = None
    run_scores: Sequence[float | None] = [None] * len(runs)
    if held_out is not None:
        scored, run_scores = held_out.scored(
            start, by_run, named(weights), seed=plan.seed, threads=threads
        )
    return TuneResult(
        **asdict(Goal.of(problem.metric, test_set.references)),
        test_set=test_set,
        plan=plan,
        score=score,
        start_weights=start,
        weights=named(weights),
        starts=tuple(
            Start(result.start_score, result.score, named(result.weights))
            for result in runs[best].results
        ),
        runs=tuple(
            Run(run.seed, run.start_score, run.score, run_weights, held_out_score)
            for run, run_weights, held_out_score in zip(runs, by_run, run_scores, strict=True)
        ),
        average_score=mean_score,
        held_out=scored,
        texts=_texts(start, by_run, problem if held_out is None else held_out.problem),
        **more,
    )


def _texts(
    start: Mapping[str, float], runs: Sequence[Mapping[str, float]], problem: Problem
) -> dict[str, Sequence[str]]:
    """Return the texts that the start and each run choose, by file name, and their alignments."""
    chosen = {"start.txt": start} | {
        f"tuned.{number}.txt": weights for number, weights in enumerate(runs, 1)
    }
    files: dict[str, Sequence[str]] = {}
    for name, weights in chosen.items():
        here = transferred(weights, problem.nbest)
        files[name] = problem.nbest.best_texts(here)
        alignments = problem.nbest.best_alignments(here)
        if alignments is not None:
            files[f"{name}.align"] = alignments
    return files
