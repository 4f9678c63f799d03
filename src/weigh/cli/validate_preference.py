"""`weigh validate preference`: people choose between what two metrics choose, without knowing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import judgments, lists, options, terminal
from weigh.cli.parser import Parser, positive
from weigh.errors import InputError, UsageError, WeighError

if TYPE_CHECKING:
    from weigh.tuning.nbest import NBest, Reals

USAGE = (
    "{--nbest FILE... -m METRIC -m METRIC [-r REF]... -o PAIRS | --answers FILE...} --key FILE..."
)
EXAMPLE = (
    "weigh validate preference --nbest examples/nbest.txt -r examples/reference.en "
    "-s examples/source.de -m chrf -m bleu -o pairs.jsonl --key key.json"
)
_WRITERS = (".jsonl", ".csv")
_MAKING = ("nbest", "metric", "ref", "src", "weights", "judges", "show_reference", "output")
_COUNTING = ("answers", "only", "bad_rows")


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    making = parser.add_argument_group("making pairs")
    lists.add_lists(making)
    making.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=[],
        help="metric with options; give two, whose favourite candidates are compared",
    )
    making.add_argument(
        "--weights",
        metavar="FILE",
        help="weights of the model, one 'name value' on each line: of candidates with equal "
        "scores the model's favourite is taken (default: the total scores of the list, or its "
        "order where it has none)",
    )
    making.add_argument(
        "--judges",
        metavar="N",
        type=positive,
        default=3,
        help="number of judges of each pair (default: 3)",
    )
    making.add_argument(
        "--show-reference",
        action=argparse.BooleanOptionalAction,
        help="show the judges the first reference too",
    )
    making.add_argument(
        "-o", "--output", metavar="PAIRS", help="write the pairs here: .jsonl, or .csv for MTurk"
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        action="append",
        default=[],
        help="file that tells whose choice stands where: written with the pairs, read with the "
        "answers; keep it from the judges; with --answers repeat it for more sets of pairs",
    )
    counting = parser.add_argument_group("counting answers")
    counting.add_argument(
        "--answers",
        metavar="FILE",
        action="extend",
        nargs="+",
        default=[],
        help="file of answers with the columns pair, judge and choice (left, right or neither), "
        "as CSV, TSV or JSON lines, or an MTurk batch",
    )
    counting.add_argument(
        "--only",
        metavar="COL=VALUE",
        action="append",
        default=[],
        help="count only answers with this value in a column, such as country=DE; repeat it for "
        "more conditions",
    )
    judgments.add_bad_rows(counting)
    options.add_output(parser)
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make pairs or count the answers to them."""
    if not arguments.key:
        raise UsageError("no key given; name its file with --key FILE")
    if arguments.answers:
        _refuse(arguments, _MAKING, "is for making pairs and not for --answers")
        _count(arguments)
    else:
        _refuse(arguments, _COUNTING, "is for counting --answers")
        _make(arguments)
    return 0


def _refuse(arguments: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if name in arguments.given:
            raise UsageError(f"--{name.replace('_', '-')} {why}; leave it out")


def _make(arguments: argparse.Namespace) -> None:
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE, or --answers FILE")
    if arguments.output is None:
        raise UsageError("no file for the pairs given; name one with -o PAIRS")
    if len(arguments.key) != 1:
        raise UsageError(f"{len(arguments.key)} keys; give one file for the key of the pairs")
    files = [Path(arguments.output), Path(arguments.key[0])]
    if files[0].suffix not in _WRITERS:
        raise UsageError(f"-o {files[0]}: name it .jsonl or .csv, which tells the format")
    for path in files:
        _check_free(path)

    import numpy as np

    from weigh.metrics.registry import parse_metrics
    from weigh.metrics.supply import needs_references
    from weigh.read import read_test_set
    from weigh.report.validation_preference import (
        PAIRS_FORMATS,
        PairsReport,
        key_document,
        pairs_as_table,
    )
    from weigh.tuning.gather import candidates_for, gather
    from weigh.tuning.nbest import without_candidates
    from weigh.tuning.problem import Problem
    from weigh.validate.preference import Totals, as_csv, as_jsonl, experiment

    metrics = parse_metrics(arguments.metric)
    if len(metrics) != 2:
        raise UsageError(f"{len(metrics)} metrics given; give two with -m")
    test_set = read_test_set(
        arguments.ref, arguments.src, references_needed=any(map(needs_references, metrics))
    )
    totals = Totals()
    nbest = gather(totals.noted(candidates_for(arguments.nbest, test_set)))
    lists.say_missing(without_candidates(nbest.ids, test_set), len(test_set))
    first, second = (
        Problem.of(nbest, test_set, metric, threads=arguments.threads) for metric in metrics
    )
    weights = _weights(arguments, nbest)
    model = totals.of(nbest) if weights is None else nbest.scores(weights)
    made = experiment(
        first,
        second,
        np.zeros(len(nbest)) if model is None else model,
        test_set,
        judges=arguments.judges,
        show_reference=bool(arguments.show_reference),
        seed=arguments.seed,
    )
    if not made.questions:
        raise InputError("both metrics choose the same text everywhere; there is nothing to judge")
    writer = as_csv if files[0].suffix == ".csv" else as_jsonl
    _write(files[1], key_document(made.key))
    _write(files[0], writer(made.questions))
    terminal.say(f"wrote {files[0]} for the judges and {files[1]}, which they must not see")
    report = PairsReport(
        made.key,
        len(made.key.pairs),
        len(test_set.references),
        by_model=model is not None,
    )
    terminal.show(report, arguments.format, pairs_as_table, PAIRS_FORMATS)


def _weights(arguments: argparse.Namespace, nbest: NBest) -> Reals | None:
    from weigh.read.weights import read_weights
    from weigh.tuning.weights import weight_space

    if arguments.weights is None:
        return None
    return weight_space(nbest, read_weights(arguments.weights)).start


def _check_free(path: Path) -> None:
    if path.exists():
        raise InputError(f"{path}: exists; name another file, since its answers may be under way")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no directory {path.parent}; make it first")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise WeighError(f"{path}: cannot be written: {error.strerror}") from None


def _count(arguments: argparse.Namespace) -> None:
    from weigh.read.choices import read_choices
    from weigh.read.stream import read_whole, shown
    from weigh.report.validation_preference import FORMATS, VotesReport, as_table, restored_key
    from weigh.validate.preference_votes import count_votes

    only = dict(_condition(text) for text in arguments.only)
    keys = [restored_key(read_whole(path), shown(path)) for path in arguments.key]
    answers = read_choices(arguments.answers, only, arguments.bad_rows)
    for remark in answers.remarks:
        terminal.say(remark)
    votes = count_votes(keys, answers.choices)
    segment_of = {pair.pair: pair.segment for key in keys for pair in key.pairs}
    judged = {segment_of[choice.pair] for choice in answers.choices}
    report = VotesReport(votes, len(judged), answers.omissions)
    terminal.show(report, arguments.format, as_table, FORMATS)


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise UsageError(f"--only {text!r}: expected COLUMN=VALUE, such as country=DE")
    return column, value
