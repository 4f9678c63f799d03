"""`weigh human agreement`: how far judges agree, with each other and with themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import judgments, options, terminal
from weigh.cli.parser import Parser, choice, positive
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.human.replication import Replication
    from weigh.read.answers import Judgments
    from weigh.report.human_agreement import AgreementReport

USAGE = "[option]... FILE..."
EXAMPLE = "weigh human agreement --categories 5 judgments.jsonl"
WEIGHTS = ("none", "linear", "quadratic")


def weights_name(value: str) -> str:
    """Return the name of a weighting."""
    return choice(value, "weights", WEIGHTS)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    group = parser.add_argument_group("agreement")
    group.add_argument(
        "--categories",
        metavar="N",
        type=positive,
        help="cut the scale into N equal parts and show kappas of these too; preferences have "
        "categories of their own",
    )
    group.add_argument(
        "--weights",
        metavar="KIND",
        type=weights_name,
        default="none",
        help="what neighbouring categories count in Cohen's kappa: none, all disagreements are "
        "equal; linear or quadratic in their distance (default: none)",
    )
    group.add_argument(
        "--replicate",
        metavar="FILE",
        action="append",
        default=[],
        help="judgments of a second run: show how both correlate; repeat it for more files",
    )
    judgments.add_quiet(options.add_output(parser))


def run(arguments: argparse.Namespace) -> int:
    """Read, measure, report."""
    if "weights" in arguments.given and arguments.categories is None:
        raise UsageError("--weights are for kappas of scores; add --categories N")
    from weigh.read.answers import Judgments

    read, names = judgments.read_with_names(arguments)
    if isinstance(read, Judgments):
        report = _of_judgments(read, names, arguments)
    else:
        for name in ("categories", "replicate"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for scores, but these are preferences; leave it out")
        from weigh.human.consensus import preference_consensus
        from weigh.report.human_agreement import AgreementReport

        report = AgreementReport(
            preference_consensus(read.preferences),
            omissions=read.omissions,
            remarks=read.remarks,
            test_set=judgments.judged(read),
        )
    if not arguments.quiet:
        for remark in report.remarks:
            terminal.say(remark)

    from weigh.report.human_agreement import SHOWN

    terminal.show(report, arguments.format, SHOWN.as_table, SHOWN.formats)
    return 0


def _of_judgments(
    read: Judgments, names: Mapping[str, str], arguments: argparse.Namespace
) -> AgreementReport:
    from weigh.human.consensus import consensus
    from weigh.report.human_agreement import AgreementReport

    found = consensus(
        read.judgments,
        categories=arguments.categories,
        bounds=arguments.bounds,
        weights=arguments.weights,
    )
    replications, remarks = _replications(read, names, arguments)
    return AgreementReport(
        found,
        replications,
        arguments.categories,
        arguments.weights,
        read.omissions,
        (*read.remarks, *found.remarks, *remarks),
        judgments.judged(read),
    )


def _replications(
    read: Judgments, names: Mapping[str, str], arguments: argparse.Namespace
) -> tuple[list[Replication], tuple[str, ...]]:
    if not arguments.replicate:
        return [], ()
    from weigh.human.numbering import renamed
    from weigh.human.replication import replications
    from weigh.read.repeats import only_in_second

    # By their names: numbers of one person may differ between the runs.
    first = renamed(read.judgments, names)
    again = argparse.Namespace(**(vars(arguments) | {"files": arguments.replicate, "names": True}))
    second = judgments.with_scores(judgments.read_answers(again))
    remarks = [*judgments.left_out(second), *second.remarks]
    same = len(second.judgments) - len(only_in_second(first, second.judgments))
    if same:
        remarks.append(
            f"{same:,} of {len(second.judgments):,} judgments of the second run are the first's "
            "again, so that the two agree more than two runs would"
        )
    found = replications(first, second.judgments)
    if not found:
        raise InputError(
            f"{arguments.replicate[0]}: no language pair and scale in common with "
            f"{arguments.files[0]}; name the pair with --pair where a file does not"
        )
    return found, tuple(remarks)
