"""`weigh human quality`: which judges can be relied on, and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import judgments, options, terminal
from weigh.cli.parser import Parser, choice
from weigh.errors import InputError, WeighError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.types import Judgment

USAGE = "[--preset NAME] [option]... FILE..."
EXAMPLE = "weigh human quality --preset crowd-alone -o kept.jsonl Batch_1_batch_results.csv"


def preset_name(value: str) -> str:
    """Return the name of a preset of quality control."""
    return choice(value, "preset", judgments.PRESETS)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    control = parser.add_argument_group("control")
    control.add_argument(
        "--preset",
        metavar="NAME",
        type=preset_name,
        default="crowd-alone",
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
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, test every judge, report."""
    target = None if arguments.output is None else Path(arguments.output)
    if target is not None and target.exists() and not arguments.force:
        raise InputError(f"{target}: exists; add --force to overwrite it, or name another file")
    answers, names = judgments.read_with_names(arguments)
    read = judgments.with_scores(answers)

    from weigh.human.numbering import renamed
    from weigh.human.quality import PRESETS as PLANS
    from weigh.human.quality import check_quality
    from weigh.report.human_quality import SHOWN, QualityReport

    quality = check_quality(read.judgments, arguments.preset)
    remarks = (*read.remarks, *quality.remarks)
    if not arguments.quiet:
        for remark in remarks:
            terminal.say(remark)
    report = QualityReport(
        quality, PLANS[arguments.preset], read.omissions, remarks, judgments.judged(read)
    )
    if target is not None:
        _write(target, renamed(quality.kept, names))
    terminal.show(report, arguments.format, SHOWN.as_table, SHOWN.formats)
    return 0


def _write(path: Path, kept: Sequence[Judgment]) -> None:
    from weigh.report.human_judgments import as_jsonl

    try:
        path.write_text(as_jsonl(kept), encoding="utf-8", newline="\n")
    except OSError as error:
        raise WeighError(f"{path}: cannot be written: {error.strerror}") from None
