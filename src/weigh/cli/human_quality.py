"""`weigh human quality`: which judges can be relied on, and why."""

from __future__ import annotations

import argparse
from pathlib import Path

from weigh.cli import judgments, options, saving
from weigh.cli.parser import Parser
from weigh.errors import InputError, WeighError
from weigh.human.plan import CONTROLS

USAGE = "[--preset NAME] [option]... FILE..."
EXAMPLE = "weigh human quality --preset crowd-alone -o kept.jsonl Batch_1_batch_results.csv"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    parser.add_argument_group("control").add_argument(
        "--preset",
        metavar="NAME",
        type=judgments.preset_name,
        default=next(iter(CONTROLS)),
        help="crowd-alone: bad items against those that they were made from, paired t-test, "
        "p at most .05; appraise: against all outputs, Mann-Whitney test, p at most .01, and at "
        "least 600 s per 100 items of every task (default: crowd-alone)",
    )
    output = options.add_output(parser)
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the judgments of the judges who stay to this file, as JSON lines",
    )
    output.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite a file that exists"
    )
    saving.add_arguments(output, content="all of it")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, test every judge, report."""
    target = None if arguments.output is None else Path(arguments.output)
    if target is not None and target.exists() and not arguments.force:
        raise InputError(f"{target}: exists; add --force to overwrite it, or name another file")
    saving.check(arguments)
    from weigh.human.judgments import as_jsonl, renamed, with_scores
    from weigh.human.quality import quality

    answers = with_scores(judgments.read_answers(arguments))
    result = quality(answers, arguments.preset)
    if target is not None:
        _write(target, as_jsonl(renamed(result.kept, answers.names)))
    judgments.present(result, arguments)
    return 0


def _write(path: Path, text: str) -> None:
    """Write as it is, for a pipe or /dev/stdout may be the file."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise WeighError(f"{path}: cannot be written: {error.strerror}") from None
