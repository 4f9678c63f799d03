"""`weigh rerank`: choose candidates from n-best lists, train a reranker, find the limits."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser, switch
from weigh.errors import UsageError
from weigh.files import write_files
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.tuning.model import TrainingResult
    from weigh.tuning.oracle import OracleResult
    from weigh.tuning.rerank import ChoicesResult

USAGE = "--nbest FILE... {--weights FILE | --model FILE | --train | --oracle} [option]..."
EXAMPLE = "weigh rerank --nbest examples/nbest.txt --oracle -r examples/reference.en"

# Options that apply to some tasks only.
_FOR_TRAINING = ("gold", "phrases", "cutoff", "gamma", "folds", "per_round", "output")
_FOR_SCORES = ("ref", "src", "metric")
_WITH_WEIGHTS = ("json", "tsv")  # formats that show all weights of a trained model


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    from weigh.tuning.plan import TrainPlan

    task = parser.add_argument_group("task, one of these")
    task.add_argument(
        "--weights",
        metavar="FILE",
        help="choose candidates by these weights ('name value' lines); print one line per sentence",
    )
    task.add_argument(
        "--model",
        metavar="FILE",
        help="choose candidates by a model of --train; print one line per sentence",
    )
    switch(
        task,
        "--train",
        "train a log-linear model to choose the best candidates by the metric",
    )
    switch(task, "--oracle", "report the best, average and worst possible scores")
    files = parser.add_argument_group("files")
    options.add_lists(files)
    files.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the trained model to this file, as 'name value' lines",
    )
    files.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu"],
        help="metric with options (default: bleu); --oracle takes several",
    )
    add_options(parser.add_argument_group("training"), TrainPlan)
    saving.add_arguments(options.add_output(parser), "all tables")
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen task."""
    asked = [task for task in _TASKS if getattr(arguments, task)]
    if len(asked) != 1:
        found = "none" if not asked else " and ".join(f"--{task}" for task in asked)
        raise UsageError(f"{found} given; give one of {', '.join(f'--{task}' for task in _TASKS)}")
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE")
    _check_use(arguments, asked[0])
    saving.check(arguments)
    result = _TASKS[asked[0]](arguments)
    for remark in result.remarks:
        terminal.say(remark)
    if asked[0] == "train":
        _write(arguments, cast("TrainingResult", result))
    saving.present(result, arguments)
    return 0


def _check_use(arguments: argparse.Namespace, task: str) -> None:
    """Reject options that do not apply to the task."""
    useless: tuple[str, ...] = () if task == "train" else _FOR_TRAINING
    if task in ("weights", "model"):
        useless += _FOR_SCORES
    for name in useless:
        if name in arguments.given:
            uses = "--train" if name in _FOR_TRAINING else "--train and --oracle"
            raise UsageError(f"--{name.replace('_', '-')} applies to {uses} only; leave it out")


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
    from weigh.tuning.plan import TrainPlan

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
    plan = plan_of(arguments, TrainPlan(), seed=arguments.seed)
    test_set = inputs.read_references(arguments.ref, arguments.src, metrics)
    return train_reranker(arguments.nbest, test_set, metrics[0], plan, threads=arguments.threads)


_TASKS: dict[str, Callable[[argparse.Namespace], ChoicesResult | TrainingResult | OracleResult]] = {
    "weights": _choose,
    "model": _choose,
    "train": _train,
    "oracle": _oracle,
}


def _write(arguments: argparse.Namespace, result: TrainingResult) -> None:
    if arguments.output is not None:
        from weigh.read.weights import weight_lines

        path = Path(arguments.output)
        write_files(path.parent, {path.name: weight_lines(result.weights.items())})
    for warning in result.warnings:
        terminal.say(f"WARNING: {warning}")
