"""What `weigh tune` does, between its arguments and its report."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weigh.cli import options, terminal
from weigh.comparing import Plan, compare
from weigh.errors import InputError, UsageError
from weigh.metrics.combine import Combine
from weigh.metrics.registry import key_of, parse_metrics
from weigh.read import read_test_set, read_texts
from weigh.read.weights import read_weights
from weigh.report.tuning import HeldOut, TuneReport
from weigh.report.tuning_page import Pictures
from weigh.tune.decoder import Decoder, DecoderError, command_decoder
from weigh.tune.gather import read_nbest
from weigh.tune.loop import Iteration, Loop, SpaceOf, best_iteration
from weigh.tune.mert import MertPlan
from weigh.tune.nbest import NBest, locate, restricted, without_candidates
from weigh.tune.problem import Problem
from weigh.tune.statistics import read_problem
from weigh.tune.tuning import Tuned, Tuner, average, transferred
from weigh.tune.weights import (
    Normalisation,
    WeightSpace,
    aligned,
    check_known,
    weight_space,
)
from weigh.tune.zmert import ZmertConfig, ZmertDecoder, read_config
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from weigh.cli.progress import Progress
    from weigh.tune.nbest import Reals

_SHOWN_MISSING = 5


@dataclass(frozen=True, slots=True)
class Result:
    """The report, the texts that the start and the runs choose, and what pictures are made of."""

    report: TuneReport
    texts: Mapping[str, Sequence[str]]
    problem: Problem

    def pictures(self) -> Pictures:
        """Return the surfaces around the result and the envelope of one segment."""
        return Pictures.of(self.problem, self.report.weights)


def tune_lists(arguments: argparse.Namespace, progress: Progress) -> Result:
    """Tune on fixed lists, once or several times."""
    metrics = parse_metrics(arguments.metric)
    if arguments.scorestat is not None:
        if len(metrics) > 1:
            raise UsageError("a SCORESTAT holds one metric's statistics; give one -m")
        problem = read_problem(arguments.nbest[0], arguments.scorestat, metrics[0])
        test_set = None
    else:
        nbest = read_nbest(arguments.nbest)
        test_set = read_test_set(arguments.ref, arguments.src)
        _say_missing(nbest, test_set)
        metric = _metric(arguments, metrics)
        problem = Problem.of(nbest, test_set, metric, threads=arguments.threads)
        for remark in problem.remarks():
            terminal.say(remark)
    nbest = problem.nbest
    file = None if arguments.init is None else read_weights(arguments.init)
    space = _held(weight_space(nbest, file), arguments)
    tuner = _tuner(arguments)
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
    return _result(arguments, problem, test_set, space, runs)


def tune_with_decoder(arguments: argparse.Namespace) -> Result:
    """Decode and tune in turn, once or several times."""
    config = None if arguments.zmert is None else read_config(arguments.zmert)
    decoder, arguments = _decoder(arguments, config)
    metrics = parse_metrics(arguments.metric)
    if len(metrics) > 1 or arguments.combine is not None:
        raise UsageError("a decoder is tuned toward one metric; give one -m and no --combine")
    test_set = _zmert_references(config) if config else read_test_set(arguments.ref, arguments.src)
    start, space_of = _decoder_space(arguments, config)
    tuner = _tuner(arguments, config)
    runs: list[Tuned] = []
    all_iterations: list[list[Iteration]] = []
    stores: list[NBest] = []
    for run in range(arguments.runs):
        folder = Path(arguments.dir)
        seed = (arguments.seed + run) % 2**64
        loop = Loop(
            decoder,
            test_set,
            metrics[0],
            tuner,
            space_of,
            folder / f"run{run + 1}" if arguments.runs > 1 else folder,
            arguments.iterations,
            seed,
            _settings(arguments, seed),
            arguments.threads,
        )
        try:
            iterations, store = loop.run(start, _teller(arguments))
        except DecoderError as error:
            for line in error.last_words:
                terminal.say(f"decoder: {line}")
            raise
        best = best_iteration(iterations, 1.0 if metrics[0].higher_is_better else -1.0)
        weights = space_of(store, best.weights).start
        runs.append(Tuned(seed, iterations[0].score, best.score, weights))
        all_iterations.append(iterations)
        stores.append(store)
    sign = 1.0 if metrics[0].higher_is_better else -1.0
    chosen = max(range(len(runs)), key=lambda run: sign * runs[run].score)
    names = stores[chosen].feature_names
    if any(store.feature_names != names for store in stores):
        raise InputError("runs have different sparse features; tune them one by one")
    problem = Problem.of(stores[chosen], test_set, metrics[0], threads=arguments.threads)
    _say_missing(stores[chosen], test_set)
    space = space_of(stores[chosen], start)
    result = _result(arguments, problem, test_set, space, runs)
    if config is not None and config.final is not None:
        from weigh.tune.zmert import with_weights

        text = config.decoder_config.read_text(encoding="utf-8")
        named = dict(zip(result.report.names, result.report.weights.tolist(), strict=True))
        config.final.write_text(with_weights(text, named), encoding="utf-8")
    return replace(result, report=replace(result.report, iterations=all_iterations[chosen]))


def _metric(arguments: argparse.Namespace, metrics: Sequence[Metric]) -> Metric:
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
    return Combine(metrics, weights)


def _tuner(arguments: argparse.Namespace, config: ZmertConfig | None = None) -> Tuner:
    plan = MertPlan(
        starts=arguments.starts,
        directions=arguments.directions,
        smoothing=arguments.smooth,
        window=arguments.window,
        regularise=arguments.regularize,
    )
    normalisation = Normalisation(arguments.normalize)
    if config is not None and "normalize" not in arguments.given:
        normalisation = config.normalisation
    return Tuner(arguments.optimizer, plan, normalisation)


def _held(space: WeightSpace, arguments: argparse.Namespace) -> WeightSpace:
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


def _decoder(
    arguments: argparse.Namespace, config: ZmertConfig | None
) -> tuple[Decoder, argparse.Namespace]:
    """Return the decoder, and the arguments with what Z-MERT's configuration adds to them."""
    if config is None:
        if not arguments.ref:
            raise UsageError("no reference given; add one with --ref FILE")
        return command_decoder(arguments.decoder, arguments.size, arguments.src), arguments
    for name in ("ref", "init", "size"):
        if name in arguments.given:
            raise UsageError(f"--{name} is in Z-MERT's configuration; leave it out")
    if config.unused:
        terminal.say(f"{arguments.zmert}: {', '.join(config.unused)} are not used here")
    values = vars(arguments).copy()
    for name, value in (
        ("metric", [config.metric]),
        ("iterations", config.iterations),
        ("starts", config.starts),
        ("seed", config.seed),
    ):
        if name not in arguments.given and value is not None:
            values[name] = value
    return ZmertDecoder(config), argparse.Namespace(**values)


def _zmert_references(config: ZmertConfig) -> TestSet:
    if not config.interleaved:
        return read_test_set(config.references)
    lines = read_texts(config.references[0])
    step = config.references_per_segment
    if len(lines) % step:
        raise InputError(
            f"{config.references[0]}: {len(lines):,} lines, but {step} references per segment; "
            "check -rps"
        )
    return TestSet(tuple(lines[number::step] for number in range(step)))


def _decoder_space(
    arguments: argparse.Namespace, config: ZmertConfig | None
) -> tuple[dict[str, float], SpaceOf]:
    """Return the start weights by name and what makes a space of a list and weights."""
    if config is None:
        if arguments.init is None:
            raise UsageError("a decoder needs start weights; give 'name value' lines with --init")
        file = read_weights(arguments.init)
        if file.named is None:
            raise InputError(f"{file.label}: weights without names; a decoder needs their names")
        start = dict(file.named)
    else:
        start = {parameter.name: parameter.start for parameter in config.parameters}

    def space_of(nbest: NBest, weights: Mapping[str, float]) -> WeightSpace:
        names = nbest.feature_names
        check_known(names, {name: weights[name] for name in start}, "the start weights")
        space = WeightSpace.of(
            names, aligned(nbest.names, nbest.sparse.names, weights, "the start weights")
        )
        if config is not None:
            by_name = {parameter.name: parameter for parameter in config.parameters}
            own = [by_name[name] for name in names]
            space = replace(
                space,
                low=np.array([each.low if each.free else each.start for each in own]),
                high=np.array([each.high if each.free else each.start for each in own]),
                random_low=np.array([each.random_low for each in own]),
                random_high=np.array([each.random_high for each in own]),
            )
        return _held(space, arguments)

    return start, space_of


def _settings(arguments: argparse.Namespace, seed: int) -> dict[str, object]:
    """Return what makes a loop the same loop when it is started again."""
    return {
        "decoder": arguments.decoder or arguments.zmert,
        "metric": arguments.metric,
        "references": arguments.ref,
        "optimizer": arguments.optimizer,
        "starts": arguments.starts,
        "directions": arguments.directions,
        "smooth": [arguments.smooth, arguments.window],
        "regularize": arguments.regularize,
        "normalize": arguments.normalize,
        "fix": arguments.fix,
        "bound": arguments.bound,
        "iterations": arguments.iterations,
        "size": arguments.size,
        "seed": seed,
    }


def _teller(arguments: argparse.Namespace) -> Callable[[Iteration], None]:
    def tell(iteration: Iteration) -> None:
        if not arguments.quiet:
            tuned = "" if iteration.tuned_score is None else f", tuned {iteration.tuned_score:.2f}"
            terminal.say(
                f"iteration {iteration.number}: {iteration.new:,} new of "
                f"{iteration.candidates:,} candidates, decoded {iteration.score:.2f}{tuned}"
            )

    return tell


def _say_missing(nbest: NBest, test_set: TestSet) -> None:
    missing = without_candidates(nbest, test_set)
    if missing:
        shown = ", ".join(str(segment) for segment in missing[:_SHOWN_MISSING])
        more = ", …" if len(missing) > _SHOWN_MISSING else ""
        terminal.say(
            f"{len(missing):,} of {len(test_set):,} sentences have no candidates and are left out: "
            f"{shown}{more} (from 0)"
        )


def _result(
    arguments: argparse.Namespace,
    problem: Problem,
    test_set: TestSet | None,
    space: WeightSpace,
    runs: list[Tuned],
) -> Result:
    best = max(range(len(runs)), key=lambda run: problem.sign * runs[run].score)
    weights, score, mean_score = runs[best].weights, runs[best].score, None
    if len(runs) > 1:
        mean = average(runs, space)
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
        start=space.start,
        runs=runs,
        best=best,
        weights=weights,
        score=score,
        is_average=bool(arguments.average),
        average_score=mean_score,
        decimals=options.decimals([metric])[key_of(metric)],
    )
    shown = problem
    if arguments.heldout:
        shown, held_out = _held_out(arguments, report)
        report = replace(report, held_out=held_out)
    return Result(report, _chosen(report, shown), problem)


def _chosen(report: TuneReport, problem: Problem) -> dict[str, list[str]]:
    """Return the texts that the start and each run choose, by file name."""
    texts = {"start.txt": problem.nbest.best_texts(_here(report, report.start, problem))}
    for number, run in enumerate(report.runs, 1):
        texts[f"tuned.{number}.txt"] = problem.nbest.best_texts(_here(report, run.weights, problem))
    return texts


def _here(report: TuneReport, weights: Reals, problem: Problem) -> Reals:
    """Return weights for a list of the same features, whatever their order."""
    return transferred(dict(zip(report.names, weights.tolist(), strict=True)), problem)


def _held_out(arguments: argparse.Namespace, report: TuneReport) -> tuple[Problem, HeldOut]:
    """Score the result on another list, and compare all runs with the start there."""
    nbest = read_nbest(arguments.heldout)
    test_set = read_test_set(arguments.heldout_ref)
    _say_missing(nbest, test_set)
    metric = _metric(arguments, parse_metrics(arguments.metric))
    problem = Problem.of(nbest, test_set, metric, threads=arguments.threads)
    order = np.argsort(locate(nbest.ids, test_set))

    def system(name: str, weights: Reals, run: int) -> System:
        texts = nbest.best_texts(_here(report, weights, problem))
        return System(name, Outputs(tuple(texts[segment] for segment in order)), str(run))

    # The start is the same in every run, and tests are stratified over runs.
    systems = [system("start", report.start, run) for run in range(len(report.runs))]
    systems += [system("tuned", run.weights, at) for at, run in enumerate(report.runs)]
    compared = compare(
        systems,
        restricted(test_set, np.sort(locate(nbest.ids, test_set))),
        [metric],
        plan=Plan(seed=arguments.seed),
        threads=arguments.threads,
    )
    return problem, HeldOut(
        segments=len(nbest.ids),
        start_score=problem.score(_here(report, report.start, problem)),
        run_scores=[problem.score(_here(report, run.weights, problem)) for run in report.runs],
        score=problem.score(_here(report, report.weights, problem)),
        p_value=compared.comparisons[0].p_value,
    )
