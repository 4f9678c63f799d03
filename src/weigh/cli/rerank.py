"""`weigh rerank`: choose candidates from n-best lists, train a reranker, find the limits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

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
from weigh.cli.inputs import read_references
from weigh.cli.output import write_weights
from weigh.errors import UsageError
from weigh.tuning.plan import TrainPlan

if TYPE_CHECKING:
    from weigh.result import Result

_FOR_TRAINING = "gold phrases cutoff gamma folds per_round output"
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
def run(arguments: argparse.Namespace) -> Result:
    """Run the chosen task."""
    chosen = [task for task in ("weights", "model", "train", "oracle") if getattr(arguments, task)]
    if len(chosen) != 1:
        conflict = " and ".join(f"--{task}" for task in chosen)
        raise UsageError(
            f"{conflict or 'no task'} given; give one of --weights FILE, --model FILE, --train and "
            "--oracle"
        )
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE")
    if not arguments.train:
        refuse(arguments, _FOR_TRAINING, "applies to --train only")
    if arguments.train:
        return _train(arguments)
    if arguments.oracle:
        return _oracle(arguments)
    refuse(arguments, "ref src metric", "applies to --train and --oracle only")
    from weigh.tuning.rerank import rerank

    return rerank(arguments.nbest, arguments.weights, model=arguments.model)


def _oracle(arguments: argparse.Namespace) -> Result:
    from weigh.metrics.registry import parse_metrics
    from weigh.tuning.oracle import oracle

    metrics = parse_metrics(arguments.metric)
    test_set = read_references(arguments.ref, arguments.src, metrics)
    return oracle(arguments.nbest, test_set, metrics, threads=arguments.threads)


def _train(arguments: argparse.Namespace) -> Result:
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
    test_set = read_references(arguments.ref, arguments.src, metrics)
    result = train_reranker(arguments.nbest, test_set, metrics[0], plan, threads=arguments.threads)
    if arguments.output is not None:
        write_weights(arguments.output, result.weights)
    return result
