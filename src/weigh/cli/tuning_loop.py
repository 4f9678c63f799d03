"""`weigh tune` with a decoder, between its arguments and its report."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from weigh.cli import terminal
from weigh.cli.held_out import HeldOutList, check_held_out
from weigh.cli.tuning import (
    Result,
    chosen_metric,
    held_space,
    result_of,
    say_missing,
    tuner_of,
)
from weigh.errors import InputError, UsageError
from weigh.metrics.registry import key_of
from weigh.metrics.supply import needs_references, needs_sources
from weigh.metrics.words import settled
from weigh.read import read_test_set, read_texts
from weigh.read.weights import read_weights
from weigh.tuning.decoder import Decoder, DecoderError, command_decoder
from weigh.tuning.loop import Iteration, Loop, SpaceOf, best_iteration
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem
from weigh.tuning.tuning import Tuned
from weigh.tuning.weights import WeightSpace, aligned, check_known
from weigh.tuning.zmert import (
    ZmertConfig,
    ZmertDecoder,
    metric_of,
    missing,
    read_config,
    with_weights,
)
from weigh.types import Metric, Outputs, TestSet


def tune_with_decoder(arguments: argparse.Namespace) -> Result:
    """Decode and tune in turn, once or several times."""
    config = None if arguments.zmert is None else read_config(arguments.zmert)
    decoder, arguments = _decoder(arguments, config)
    metric = chosen_metric(arguments)
    check_held_out(arguments, metric)
    test_set = _zmert_test_set(config, metric) if config else _test_set(arguments, metric)
    metric = settled(metric, test_set)  # refused now, as it may be, and not after decoding
    if needs_sources(metric):  # what it reads for them is refused now, and not after decoding
        metric.prepare(test_set).rows(Outputs([], segments=[]))
    held_out = HeldOutList.read(arguments, metric)
    start, space_of = _decoder_space(arguments, config)
    tuner = tuner_of(arguments)
    if config is not None and "normalize" not in arguments.given:
        tuner = replace(tuner, normalisation=config.normalisation)
    sign = 1.0 if metric.higher_is_better else -1.0
    runs: list[Tuned] = []
    all_iterations: list[list[Iteration]] = []
    stores: list[NBest] = []
    for run in range(arguments.runs):
        folder = Path(arguments.dir)
        seed = (arguments.seed + run) % 2**64
        loop = Loop(
            decoder,
            test_set,
            metric,
            tuner,
            space_of,
            folder / f"run{run + 1}" if arguments.runs > 1 else folder,
            arguments.iterations,
            seed,
            _settings(arguments, metric, seed),
            arguments.threads,
        )
        try:
            iterations, store = loop.run(start, _teller(arguments))
        except DecoderError as error:
            for line in error.last_words:
                terminal.say(f"decoder: {line}")
            raise
        best = best_iteration(iterations, sign)
        weights = space_of(store, best.weights).start
        runs.append(Tuned(seed, iterations[0].score, best.score, weights))
        all_iterations.append(iterations)
        stores.append(store)
    chosen = max(range(len(runs)), key=lambda run: sign * runs[run].score)
    names = stores[chosen].feature_names
    if any(store.feature_names != names for store in stores):
        raise InputError("runs have different sparse features; tune them one by one")
    problem = Problem.of(stores[chosen], test_set, metric, threads=arguments.threads)
    say_missing(stores[chosen], test_set)
    for remark in problem.remarks():
        terminal.say(remark)
    space = space_of(stores[chosen], start)
    runs = [replace(run, weights=tuner.normalised(problem, space, run.weights)) for run in runs]
    result = result_of(arguments, tuner, problem, test_set, space, runs, held_out)
    if config is not None and config.final is not None:
        text = config.decoder_config.read_text(encoding="utf-8")
        named = dict(zip(result.report.names, result.report.weights.tolist(), strict=True))
        config.final.write_text(with_weights(text, named), encoding="utf-8")
    return replace(result, report=replace(result.report, iterations=all_iterations[chosen]))


def _decoder(
    arguments: argparse.Namespace, config: ZmertConfig | None
) -> tuple[Decoder, argparse.Namespace]:
    """Return the decoder, and the arguments with what Z-MERT's configuration adds to them."""
    if config is None:
        return command_decoder(arguments.decoder, arguments.size, arguments.src), arguments
    for name in ("ref", "src", "init", "size"):
        if name in arguments.given:
            raise UsageError(f"--{name} is in Z-MERT's configuration; leave it out")
    values = vars(arguments).copy()
    if "metric" not in arguments.given:
        values["metric"] = [metric_of(config)]
    if config.unused:
        terminal.say(f"{config.label}: not used here: {', '.join(config.unused)}")
    for name, value in (
        ("iterations", config.iterations),
        ("starts", config.starts),
        ("seed", config.seed),
    ):
        if name not in arguments.given and value is not None:
            values[name] = value
    return ZmertDecoder(config), argparse.Namespace(**values)


def _test_set(arguments: argparse.Namespace, metric: Metric) -> TestSet:
    needed = needs_references(metric)
    return read_test_set(arguments.ref, arguments.src, references_needed=needed)


def _zmert_test_set(config: ZmertConfig, metric: Metric) -> TestSet:
    """Return the references of a configuration, and its sources where the metric needs them."""
    needed = needs_references(metric)
    if needed and not config.references:
        raise missing(config.label, "-r")
    source = None
    if needs_sources(metric):
        if config.source is None:
            raise missing(config.label, "-s")
        source = config.source
    if not config.interleaved:
        return read_test_set(config.references, source, references_needed=needed)
    lines = read_texts(config.references[0])
    step = config.references_per_segment
    if len(lines) % step:
        raise InputError(
            f"{config.references[0]}: {len(lines):,} lines, but {step} references per segment; "
            "check -rps"
        )
    references = tuple(lines[number::step] for number in range(step))
    sources = None if source is None else read_texts(source)
    return TestSet(references, sources)


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
        return held_space(space, arguments)

    return start, space_of


def _settings(arguments: argparse.Namespace, metric: Metric, seed: int) -> dict[str, object]:
    """Return what makes a loop the same loop when it is started again."""
    return {
        "decoder": arguments.decoder or arguments.zmert,
        "metric": key_of(metric),
        "references": arguments.ref,
        "source": arguments.src,
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
