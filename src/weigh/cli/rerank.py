"""`weigh rerank`: choose candidates of n-best lists, train what chooses them, see the limits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import lists, options, terminal
from weigh.cli.directory import write_files
from weigh.cli.parser import Parser, choice, number, positive
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.report.reranking import MetricShown, OracleReport, TrainingReport
    from weigh.tuning.rerank import Choice
    from weigh.types import Metric, TestSet

USAGE = "--nbest FILE... {--weights FILE | --model FILE | --train | --oracle} [option]..."
EXAMPLE = "weigh rerank --nbest examples/nbest.txt --oracle -r examples/reference.en"

_TASKS = ("weights", "model", "train", "oracle")
# Options that only some tasks have a use for.
_FOR_TRAINING = ("gold", "phrases", "cutoff", "gamma", "folds", "per_round", "output")
_GOLD = ("corpus", "sentence")  # as weigh.tuning.examples has them, which is not imported here
_FOR_SCORES = ("ref", "src", "metric")
_WITH_WEIGHTS = ("json", "tsv")  # formats that show all weights of a trained model


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    task = parser.add_argument_group("what to do, one of these")
    task.add_argument(
        "--weights",
        metavar="FILE",
        help="choose candidates by weights, one 'name value' on each line; write one line per "
        "sentence",
    )
    task.add_argument(
        "--model",
        metavar="FILE",
        help="choose candidates by a model that --train has written; write one line per sentence",
    )
    task.add_argument(
        "--train",
        action=argparse.BooleanOptionalAction,
        help="train a log-linear model to find the candidates that the metric finds best",
    )
    task.add_argument(
        "--oracle",
        action=argparse.BooleanOptionalAction,
        help="tell the best, average and worst scores that the candidates allow",
    )
    files = parser.add_argument_group("files")
    lists.add_lists(files)
    files.add_argument(
        "-o", "--output", metavar="FILE", help="write the model here: 'name value' lines"
    )
    parser.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu"],
        help="metric with options (default: bleu); --oracle takes several",
    )
    _add_training(parser)
    options.add_output(parser)
    options.add_work(parser)


def _add_training(parser: Parser) -> None:
    group = parser.add_argument_group("training")
    group.add_argument(
        "--gold",
        metavar="HOW",
        type=lambda value: choice(value, "gold", _GOLD),
        default="corpus",
        help="learn from the candidates that score best together (corpus, the default), or from "
        "each sentence's best by itself (sentence)",
    )
    group.add_argument(
        "--phrases",
        metavar="N,...",
        type=_whole_numbers,
        default=(),
        help="make a feature of every phrase of so many words, such as 2,3 (default: none)",
    )
    group.add_argument(
        "--cutoff",
        metavar="N",
        type=positive,
        default=2,
        help="drop sparse features that vary in fewer sentences than this (default: 2)",
    )
    group.add_argument(
        "--gamma",
        metavar="G,...",
        type=_strengths,
        default=(),
        help="strength of the L1 regularisation; of several the best by cross-validation "
        "(default: a path from the largest that selects anything)",
    )
    group.add_argument(
        "--folds",
        metavar="N",
        type=positive,
        default=5,
        help="number of parts of the cross-validation (default: 5)",
    )
    group.add_argument(
        "--per-round",
        metavar="N",
        type=positive,
        default=1000,
        help="features that one round of the selection may add (default: 1000)",
    )


def _whole_numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted({positive(part.strip()) for part in text.split(",")}))


def _strengths(text: str) -> tuple[float, ...]:
    values = tuple(number(part.strip()) for part in text.split(","))
    if not all(0 < value < float("inf") for value in values):
        raise argparse.ArgumentTypeError(f"expected numbers above 0, not {text!r}")
    return values


def run(arguments: argparse.Namespace) -> int:
    """Do the one thing that was asked for."""
    asked = [task for task in _TASKS if getattr(arguments, task)]
    if len(asked) != 1:
        found = "none" if not asked else " and ".join(f"--{task}" for task in asked)
        raise UsageError(
            f"{found} given; say what to do by one of {', '.join(f'--{task}' for task in _TASKS)}"
        )
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE")
    _check_use(arguments, asked[0])
    if asked[0] == "train":
        _show(arguments, _train(arguments))
    elif asked[0] == "oracle":
        _show(arguments, _oracle(arguments))
    else:
        _write_choices(arguments)
    return 0


def _check_use(arguments: argparse.Namespace, task: str) -> None:
    """Refuse options that the task has no use for."""
    useless: tuple[str, ...] = () if task == "train" else _FOR_TRAINING
    if task in ("weights", "model"):
        useless += _FOR_SCORES
    for name in useless:
        if name in arguments.given:
            uses = "--train" if name in _FOR_TRAINING else "--train and --oracle"
            raise UsageError(f"--{name.replace('_', '-')} is for {uses}; leave it out")


def _show(arguments: argparse.Namespace, report: TrainingReport | OracleReport) -> None:
    from weigh.report.reranking import FORMATS, as_table

    terminal.show(report, arguments.format, as_table, FORMATS)


def _write_choices(arguments: argparse.Namespace) -> None:
    from weigh.tuning.rerank import in_order

    _check_format(arguments.format)
    choices, missing = in_order(_choices(arguments))
    lists.say_missing(missing, len(choices) + len(missing))
    show_choices(choices, arguments.format)


def _check_format(name: str) -> None:
    from weigh.report.reranking import CHOICES

    if name not in ("table", *CHOICES):
        raise UsageError(
            f"{name} does not fit for chosen candidates; use --format "
            f"{' or '.join(CHOICES)}, or leave it out for plain lines"
        )


def show_choices(choices: Sequence[Choice], format_name: str) -> None:
    """Write the candidates that were chosen."""
    from weigh.read.stream import quoted
    from weigh.report.reranking import CHOICES

    _check_format(format_name)
    if format_name != "table":
        terminal.write(CHOICES[format_name](choices))
        return
    broken = next((choice.id for choice in choices if "\n" in choice.text), None)
    if broken is not None:
        raise InputError(
            f"the text of sentence {quoted(broken)} has a line break, but one line per sentence "
            "is written; use --format json"
        )
    terminal.write_lines([choice.text for choice in choices])


def _choices(arguments: argparse.Namespace) -> Sequence[Choice]:
    from weigh.read.stream import shown
    from weigh.read.weights import read_weights
    from weigh.tuning.rerank import choose, rerank

    if arguments.model is not None:
        from weigh.tuning.parts import read_parts

        model = read_weights(arguments.model).named
        if model is None:
            raise InputError(
                f"{shown(arguments.model)}: numbers without names, but a model of 'name value' "
                "lines was expected; plain weights are for --weights"
            )
        return rerank(read_parts(arguments.nbest), model, shown(arguments.model))
    from weigh.tuning.gather import read_nbest
    from weigh.tuning.weights import weight_space

    nbest = read_nbest(arguments.nbest)
    weights = weight_space(nbest, read_weights(arguments.weights)).start
    return choose(nbest, nbest.scores(weights))


def _test_set(arguments: argparse.Namespace, metrics: Sequence[Metric]) -> TestSet:
    from weigh.metrics.supply import needs_references
    from weigh.read import read_test_set

    needed = any(map(needs_references, metrics))
    return read_test_set(arguments.ref, arguments.src, references_needed=needed)


def _oracle(arguments: argparse.Namespace) -> OracleReport:
    from weigh.metrics.registry import parse_metrics
    from weigh.metrics.words import settled_all
    from weigh.report.reranking import OracleReport
    from weigh.tuning.gather import read_nbest
    from weigh.tuning.nbest import without_candidates
    from weigh.tuning.oracle import extremes
    from weigh.tuning.problem import Problem

    metrics = parse_metrics(arguments.metric)
    test_set = _test_set(arguments, metrics)
    metrics = settled_all(metrics, test_set)
    nbest = read_nbest(arguments.nbest, test_set)
    lists.say_missing(without_candidates(nbest.ids, test_set), len(test_set))
    problems = [
        Problem.of(nbest, test_set, metric, threads=arguments.threads) for metric in metrics
    ]
    for problem in problems:
        for remark in problem.remarks():
            terminal.say(remark)
    found = list(map(extremes, problems))
    shown = _shown_metrics(metrics, test_set)
    return OracleReport(
        list(zip(shown, found, strict=True)),
        len(nbest.ids),
        len(nbest),
        len(test_set.references),
    )


def _train(arguments: argparse.Namespace) -> TrainingReport:
    from weigh.metrics.registry import parse_metrics
    from weigh.metrics.words import settled_all
    from weigh.read.weights import weight_lines
    from weigh.report.reranking import TrainingReport
    from weigh.tuning.blocks import SpooledBlocks
    from weigh.tuning.examples import collect
    from weigh.tuning.nbest import without_candidates
    from weigh.tuning.parts import read_parts
    from weigh.tuning.training import Plan, train

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
    plan = Plan(arguments.seed, arguments.gamma, arguments.folds, arguments.per_round)
    test_set = _test_set(arguments, metrics)
    metrics = settled_all(metrics, test_set)
    with SpooledBlocks() as blocks:
        examples = collect(
            read_parts(arguments.nbest, test_set),
            test_set,
            metrics[0],
            blocks,
            orders=arguments.phrases,
            cutoff=arguments.cutoff,
            gold=arguments.gold,
            threads=arguments.threads,
        )
        lists.say_missing(without_candidates(examples.ids, test_set), len(test_set))
        training = train(examples, metrics[0], plan, threads=arguments.threads)
    if arguments.output is not None:
        path = Path(arguments.output)
        write_files(path.parent, {path.name: weight_lines(training.weights.items())})
    report = TrainingReport(
        _shown_metrics(metrics, test_set)[0],
        training,
        len(examples.ids),
        len(test_set.references),
        examples.candidates,
        len(examples.names),
        examples.dropped,
        arguments.folds,
        arguments.seed,
        examples.gold,
        examples.gold_score,
    )
    for warning in report.warnings:
        terminal.say(f"WARNING: {warning}")
    return report


def _shown_metrics(metrics: Sequence[Metric], test_set: TestSet) -> list[MetricShown]:
    from weigh.metrics.registry import key_of
    from weigh.report.reranking import MetricShown

    decimals = options.decimals(metrics)
    return [
        MetricShown(
            key_of(metric),
            metric.name,
            metric.signature(len(test_set.references)),
            metric.higher_is_better,
            decimals[key_of(metric)],
        )
        for metric in metrics
    ]
