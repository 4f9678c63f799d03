"""`weigh validate preference`: blind human choices between the favourites of two metrics."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    WORK,
    argument,
    nbest,
    output,
    plan_of,
    plan_options,
    refuse,
    repeated,
    section,
    several,
    verb,
)
from weigh.cli.inputs import read_references
from weigh.cli.judgments import BAD_ROWS
from weigh.cli.output import check_free
from weigh.errors import InputError, UsageError
from weigh.files import write_files, write_whole
from weigh.validate.plan import PreferencePlan

if TYPE_CHECKING:
    from weigh.result import Result

_ENDINGS = (".jsonl", ".csv")
_KEY, _PAIRS = "key.json", "pairs.jsonl"  # the files of a directory of pairs
_MAKING = "nbest metric ref src weights judges show_reference output"
_COUNTING = "answers only bad_rows"


@verb(
    "(--nbest FILE... -m METRIC -m METRIC -o DIR | --answers FILE...) [option]...",
    "weigh validate preference --nbest examples/nbest.txt -r examples/reference.en "
    "-s examples/source.de -m chrf -m bleu -o pairs",
    section(
        "making pairs",
        nbest(),
        repeated(
            "-m --metric METRIC",
            "metric with options; give two: people compare their favourite candidates",
        ),
        argument(
            "--weights FILE",
            "weights of the model, as 'name value' lines, which break ties between candidates "
            "(default: the total scores of the list, else its order)",
        ),
        plan_options(PreferencePlan),
        argument(
            "-o --output DIR",
            f"directory for {_PAIRS} and {_KEY}; or a file of pairs, .jsonl, or .csv for MTurk, "
            "with its key in --key",
        ),
        repeated(
            "--key FILE",
            "file that records which metric chose which text: written with a file of pairs, read "
            "with --answers (repeatable; not needed with a database). Hide it from the judges",
        ),
    ),
    section(
        "counting answers",
        several(
            "--answers FILE",
            "answers with the columns pair, judge and choice (left, right or neither), as CSV, "
            "TSV or JSON lines; an MTurk batch; or the database of weigh serve",
        ),
        repeated(
            "--only COL=VALUE",
            "count only answers with this value in a column, such as country=DE; repeatable",
        ),
        BAD_ROWS,
    ),
    output(page="the tables"),
    WORK,
    summary="compare two metrics by blind human choices between their favourite candidates",
)
def preference(arguments: argparse.Namespace) -> Result:
    """Make pairs, or count the answers to them."""
    if arguments.answers:
        refuse(arguments, _MAKING, "does not apply with --answers")
        return _count(arguments)
    refuse(arguments, _COUNTING, "needs --answers")
    return _make(arguments)


def _check_key(arguments: argparse.Namespace) -> None:
    if not arguments.key:
        raise UsageError("no key given; name its file with --key FILE")


def _files(arguments: argparse.Namespace) -> tuple[Path, Path]:
    """The paths of the pairs and their key, which must not exist yet."""
    if arguments.output is None:
        raise UsageError(
            "no output given; name a directory with -o DIR, or a file of pairs with -o FILE"
        )
    output = Path(arguments.output)
    if output.suffix not in _ENDINGS and not arguments.key:
        check_free(output, (), force=False)
        pairs, key = output / _PAIRS, output / _KEY
    else:
        _check_key(arguments)
        if len(arguments.key) != 1:
            raise UsageError(f"{len(arguments.key)} keys; give one file for the key of the pairs")
        if output.suffix not in _ENDINGS:
            raise UsageError(
                f"-o {output}: the name must end in .jsonl or .csv; or leave out --key for a "
                "directory with both"
            )
        pairs, key = output, Path(arguments.key[0])
        for path in (pairs, key):
            if not path.parent.is_dir():
                raise InputError(f"{path}: there is no directory {path.parent}; create it first")
    for path in (pairs, key):
        if path.exists():
            raise InputError(
                f"{path}: exists; name another file, in case people are answering its pairs"
            )
    return pairs, key


def _make(arguments: argparse.Namespace) -> Result:
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE, or --answers FILE")
    pairs_file, key_file = _files(arguments)

    from weigh.metrics.registry import parse_metrics
    from weigh.read.weights import read_weights
    from weigh.validate.blinding import as_csv, as_jsonl, as_key, blind_pairs

    plan = plan_of(arguments, PreferencePlan())
    metrics = parse_metrics(arguments.metric)
    test_set = read_references(arguments.ref, arguments.src, metrics)
    pairs = blind_pairs(
        arguments.nbest,
        test_set,
        metrics,
        plan,
        weights=None if arguments.weights is None else read_weights(arguments.weights),
        threads=arguments.threads,
    )
    writer = as_csv if pairs_file.suffix == ".csv" else as_jsonl
    contents = {key_file: as_key(pairs.key), pairs_file: writer(pairs.questions)}
    if arguments.key:
        for path, text in contents.items():
            write_whole(path, text)
    else:
        write_files(key_file.parent, {path.name: text for path, text in contents.items()})
    terminal.say(f"wrote {pairs_file} for the judges and {key_file}, which they must not see")
    return pairs.result


def _count(arguments: argparse.Namespace) -> Result:
    from weigh.read.preferences import read_choices
    from weigh.validate.blinding import read_key
    from weigh.validate.preference import collected_keys, preference

    only = dict(_condition(text) for text in arguments.only)
    keys = collected_keys(arguments.answers, [read_key(path) for path in arguments.key])
    answers = read_choices(arguments.answers, only, arguments.bad_rows)
    for remark in answers.remarks:
        terminal.say(remark)
    return preference(keys, answers)


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise UsageError(f"--only {text!r}: expected COLUMN=VALUE, such as country=DE")
    return column, value
