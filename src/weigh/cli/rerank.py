"""`weigh rerank`: choose candidates from n-best lists, train a reranker, find the limits."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import inputs
from weigh.cli.arguments import (
    WORK,
    argument,
    metrics,
    nbest,
    output,
    plan_of,
    plan_options,
    refuse,
    section,
    switch,
    verb,
)
from weigh.cli.output import write_weights
from weigh.errors import UsageError
from weigh.tuning.plan import TrainPlan

if TYPE_CHECKING:
    from weigh.tuning.model import TrainingResult
    from weigh.tuning.oracle import OracleResult
    from weigh.tuning.rerank import ChoicesResult

# Options that apply to some tasks only.
_FOR_TRAINING = "gold phrases cutoff gamma folds per_round output"
_FOR_SCORES = "ref src metric"
_WITH_WEIGHTS = ("json", "tsv")  # formats that show all weights of a trained model


@verb(
    "--nbest FILE... {--weights FILE | --model FILE | --train | --oracle} [option]...",
    "weigh rerank --nbest examples/nbest.txt --oracle -r examples/reference.en",
    section(
        "task, one of these",
        argument(
            "--weights FILE",
            "choose candidates by these weights ('name value' lines); print one line per sentence",
        ),
        argument(
            "--model FILE",
            "choose candidates by a model of --train; print one line per sentence",
        ),
        switch("--train", "train a log-linear model to choose the best candidates by the metric"),
        switch("--oracle", "report the best, average and worst possible scores"),
    ),
    section(
        "files",
        nbest(),
        argument("-o --output FILE", "write the trained model to this file, as 'name value' lines"),
        metrics("metric with options (default: bleu); --oracle takes several", "bleu"),
    ),
    section("training", plan_options(TrainPlan)),
    output(page="all tables"),
    WORK,
)
def run(arguments: argparse.Namespace) -> ChoicesResult | TrainingResult | OracleResult:
    """Run the chosen task."""
    chosen = [task for task in _TASKS if getattr(arguments, task)]
    if len(chosen) != 1:
        names = " and ".join(f"--{task}" for task in chosen) or "none"
        raise UsageError(f"{names} given; give one of {', '.join(f'--{task}' for task in _TASKS)}")
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE")
    [task] = chosen
    if task != "train":
        refuse(arguments, _FOR_TRAINING, "applies to --train only")
    if task in ("weights", "model"):
        refuse(arguments, _FOR_SCORES, "applies to --train and --oracle only")
    return _TASKS[task](arguments)


def _choose(arguments: argparse.Namespace) -> ChoicesResult:
    from weigh.tuning.rerank import rerank

    return rerank(arguments.nbest, arguments.weights, model=arguments.model)


def _oracle(arguments: argparse.Namespace) -> OracleResult:
    from weigh.metrics.registry import parse_metrics
    from weigh.tuning.oracle import oracle

    metrics = parse_metrics(arguments.metric)
    test_set = inputs.read_references(arguments.ref, arguments.src, metrics)
    return oracle(arguments.nbest, test_set, metrics, threads=arguments.threads)


def _train(arguments: argparse.Namespace) -> TrainingResult:
    from weigh.metrics.registry import parse_metrics
    from weigh.tuning.model import train_reranker

    if arguments.output is None:
        if arguments.format not in _WITH_WEIGHTS:
            raise UsageError(
                "no file for the model given; name one with -o FILE, or use --format json"
            )
    elif Path(arguments.output).is_dir():  # rather now than after the training
        raise UsageError(f"-o {arguments.output}: a directory, but a file was expected")
    metrics = parse_metrics(arguments.metric)
    if len(metrics) > 1:
        raise UsageError(f"{len(metrics)} metrics given; train toward one at a time")
    plan = plan_of(arguments, TrainPlan())
    test_set = inputs.read_references(arguments.ref, arguments.src, metrics)
    result = train_reranker(arguments.nbest, test_set, metrics[0], plan, threads=arguments.threads)
    if arguments.output is not None:
        write_weights(arguments.output, result.weights)
    return result


_TASKS: dict[str, Callable[[argparse.Namespace], ChoicesResult | TrainingResult | OracleResult]] = {
    "weights": _choose,
    "model": _choose,
    "train": _train,
    "oracle": _oracle,
}
