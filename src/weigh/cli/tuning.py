"""What `weigh tune` does, between its arguments and its report."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weigh.cli import lists, options, terminal
from weigh.cli.held_out import HeldOutList, check_held_out, weights_here
from weigh.errors import UsageError
from weigh.metrics.combine import Combine
from weigh.metrics.registry import key_of, parse_metrics
from weigh.metrics.supply import needs_references
from weigh.metrics.words import settled
from weigh.read import read_test_set
from weigh.read.weights import read_weights
from weigh.report.tuning import TuneReport
from weigh.tuning.gather import read_nbest
from weigh.tuning.mert import MertPlan
from weigh.tuning.nbest import without_candidates
from weigh.tuning.problem import Problem
from weigh.tuning.statistics import read_problem
from weigh.tuning.tuning import Tuned, Tuner, average
from weigh.tuning.views import Views
from weigh.tuning.weights import Normalisation, WeightSpace, weight_space
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from weigh.cli.progress import Progress
    from weigh.tuning.nbest import NBest


@dataclass(frozen=True, slots=True)
class Result:
    """The report, the texts that the start and the runs choose, and what pictures are made of."""

    report: TuneReport
    texts: Mapping[str, Sequence[str]]
    problem: Problem

    def views(self) -> Views:
        """Return what is to be seen from the result."""
        return Views.of(self.problem, self.report.weights)


def tune_lists(arguments: argparse.Namespace, progress: Progress) -> Result:
    """Tune on fixed lists, once or several times."""
    metric = chosen_metric(arguments)
    check_held_out(arguments, metric)
    if arguments.scorestat is not None:
        if isinstance(metric, Combine):
            raise UsageError("a SCORESTAT holds one metric's statistics; give one -m")
        problem = read_problem(arguments.nbest[0], arguments.scorestat, metric)
        test_set = None
    else:
        test_set = read_test_set(
            arguments.ref, arguments.src, references_needed=needs_references(metric)
        )
        metric = settled(metric, test_set)  # for the held-out list too
        nbest = read_nbest(arguments.nbest, test_set)
        say_missing(nbest, test_set)
        problem = Problem.of(nbest, test_set, metric, threads=arguments.threads)
        for remark in problem.remarks():
            terminal.say(remark)
    nbest = problem.nbest
    file = None if arguments.init is None else read_weights(arguments.init)
    space = held_space(weight_space(nbest, file), arguments)
    held_out = HeldOutList.read(arguments, metric)
    tuner = tuner_of(arguments)
    if tuner.optimizer == "mert" and nbest.sparse.names:
        terminal.say(
            f"{len(nbest.sparse.names):,} sparse features keep their start weights under mert; "
            "tune them with --optimizer pro or mira"
        )
    runs = []
    for run in range(arguments.runs):

        def tell(done: int, size: int, run: int = run) -> None:
            progress(run * size + done, arguments.runs * size)

        seed = (arguments.seed + run) % 2**64
        runs.append(tuner.tune(problem, space, seed=seed, threads=arguments.threads, progress=tell))
    return result_of(arguments, tuner, problem, test_set, space, runs, held_out)


def chosen_metric(arguments: argparse.Namespace) -> Metric:
    """Return the metric to tune toward: the one that is given, or the sum of several."""
    metrics = parse_metrics(arguments.metric)
    if arguments.combine is None:
        if len(metrics) > 1:
            raise UsageError(
                f"{len(metrics)} metrics; say how to combine them, as in --combine 0.5,-0.5"
            )
        return metrics[0]
    try:
        weights = [float(part) for part in arguments.combine.split(",")]
    except ValueError:
        raise UsageError(
            f"--combine {arguments.combine}: not numbers with commas between; give 0.5,-0.5, say"
        ) from None
    if not any(weights):
        raise UsageError(f"--combine {arguments.combine}: all weights are 0; give one that is not")
    return Combine(metrics, weights)


def say_missing(nbest: NBest, test_set: TestSet) -> None:
    """Say which segments of the test set a list leaves out."""
    lists.say_missing(without_candidates(nbest.ids, test_set), len(test_set))


def tuner_of(arguments: argparse.Namespace) -> Tuner:
    """Return the optimizer that the options describe."""
    plan = MertPlan(
        starts=arguments.starts,
        directions=arguments.directions,
        smoothing=arguments.smooth,
        window=arguments.window,
        regularise=arguments.regularize,
    )
    given = "normalize" in arguments.given
    return Tuner(arguments.optimizer, plan, Normalisation(arguments.normalize) if given else None)


def held_space(space: WeightSpace, arguments: argparse.Namespace) -> WeightSpace:
    """Return the space with what --fix and --bound say."""
    bounds = {}
    for text in arguments.bound:
        name, equals, rest = text.rpartition("=")
        low, colon, high = rest.partition(":")
        try:
            if not (equals and colon):
                raise ValueError
            bounds[name] = (float(low or "-inf"), float(high or "inf"))
        except ValueError:
            raise UsageError(f"--bound {text}: not NAME=LOW:HIGH; give lm_0=0:1, say") from None
        if not bounds[name][0] < bounds[name][1]:
            raise UsageError(f"--bound {text}: the lower end is not below the upper; swap them")
    return space.bounded(bounds).fixed(arguments.fix)


def result_of(
    arguments: argparse.Namespace,
    tuner: Tuner,
    problem: Problem,
    test_set: TestSet | None,
    space: WeightSpace,
    runs: list[Tuned],
    held_out: HeldOutList | None,
) -> Result:
    """Return what the runs found, and what it is worth on a held-out list if there is one."""
    best = max(range(len(runs)), key=lambda run: problem.sign * runs[run].score)
    weights, score, mean_score = runs[best].weights, runs[best].score, None
    if len(runs) > 1:
        mean = tuner.normalised(problem, space, average(runs, space))
        mean_score = problem.score(mean)
        if arguments.average:
            weights, score = mean, mean_score
    metric = problem.metric
    references = 1 if test_set is None else len(test_set.references)
    report = TuneReport(
        metric=key_of(metric),
        name=metric.name,
        signature=metric.signature(references),
        higher_is_better=metric.higher_is_better,
        segments=len(problem.nbest.ids),
        references=references,
        left_out=0 if test_set is None else len(test_set) - len(problem.nbest.ids),
        candidates=len(problem.nbest),
        optimizer=arguments.optimizer,
        names=space.names,
        start=tuner.normalised(problem, space, space.start),
        runs=runs,
        best=best,
        weights=weights,
        score=score,
        is_average=bool(arguments.average),
        average_score=mean_score,
        decimals=options.decimals([metric])[key_of(metric)],
    )
    shown = problem
    if held_out is not None:
        shown = held_out.problem
        scored = held_out.scored(report, seed=arguments.seed, threads=arguments.threads)
        report = replace(report, held_out=scored)
    return Result(report, _chosen(report, shown), problem)


def _chosen(report: TuneReport, problem: Problem) -> dict[str, list[str]]:
    """Return the texts that the start and each run choose, by file name, and their alignments."""
    runs = [("start.txt", report.start)]
    runs += [(f"tuned.{number}.txt", run.weights) for number, run in enumerate(report.runs, 1)]
    files = {}
    for name, weights in runs:
        here = weights_here(report, weights, problem)
        files[name] = problem.nbest.best_texts(here)
        alignments = problem.nbest.best_alignments(here)
        if alignments is not None:
            files[f"{name}.align"] = alignments
    return files
