"""`weigh tune`: weights for the features of n-best lists, toward any metric."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import lists, options, saving, terminal
from weigh.cli.directory import write_files
from weigh.cli.parser import Parser, choice, number, positive
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.cli.tuning import Result

USAGE = "{--nbest FILE... | --decoder COMMAND | --zmert CONFIG} [-r REF]... [option]..."
EXAMPLE = "weigh tune --nbest examples/nbest.txt -r examples/reference.en -m bleu -o weights.txt"

OPTIMIZERS = ("mert", "pro", "mira")
SMOOTHINGS = ("none", "average", "minimum")
NORMS = ("none", "l1", "l2", "max")
# Options of line search, which other optimizers do not have.
_FOR_MERT = ("starts", "directions", "smooth", "window", "regularize")


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    _add_files(parser)
    _add_decoder(parser)
    _add_search(parser)
    runs = parser.add_argument_group("runs")
    runs.add_argument(
        "--runs",
        metavar="N",
        type=positive,
        default=1,
        help="tune so many times with different seeds and show how much the results differ "
        "(default: 1)",
    )
    runs.add_argument(
        "--average",
        action=argparse.BooleanOptionalAction,
        help="take the average of the runs' weights instead of those of the best run",
    )
    runs.add_argument(
        "--heldout",
        metavar="FILE",
        action="extend",
        nargs="+",
        default=[],
        help="another n-best list, on which the result is scored and compared with the start",
    )
    lists.add_references(runs, "--heldout-ref", help="file of references of the held-out list")
    runs.add_argument("--heldout-src", metavar="SRC", help="file of source texts of that list")
    runs.add_argument(
        "--heldout-parses",
        metavar="FILE",
        help="parses of these sources, for rypt, whose labels must have some of these sources too",
    )
    output = options.add_output(parser)
    output.add_argument("-o", "--output", metavar="WEIGHTS", help="write the weights here")
    output.add_argument(
        "--texts",
        metavar="DIR",
        help="write the texts that the start and each run choose here, for 'weigh compare': those "
        "of the held-out list if there is one",
    )
    saving.add_arguments(output, "pictures of the search")
    options.add_work(parser)


def _add_files(parser: Parser) -> None:
    files = parser.add_argument_group("candidates and references")
    lists.add_lists(files, also=", or a FEATSTAT")
    files.add_argument(
        "--scorestat", metavar="FILE", help="Moses' SCORESTAT, where --nbest is a FEATSTAT"
    )
    files.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu"],
        help="metric with options (default: bleu); several with --combine",
    )
    files.add_argument(
        "--combine",
        metavar="W,W",
        help="maximise the sum of the metrics by these weights, such as 0.5,-0.5 for -m bleu,ter",
    )
    files.add_argument(
        "--init",
        metavar="FILE",
        help="start weights: 'name value' lines, or Moses' init.opt without names, whose second "
        "and third lines bound random starts (default: 1 for every feature)",
    )


def _add_decoder(parser: Parser) -> None:
    group = parser.add_argument_group("a decoder instead of lists")
    group.add_argument(
        "--decoder",
        metavar="COMMAND",
        help="command that reads {weights} and writes {nbest}, where {size} and {source}, that of "
        "--src, may stand too; without {nbest} it is given Moses' options",
    )
    group.add_argument("--zmert", metavar="CONFIG", help="configuration of Z-MERT, used as it is")
    group.add_argument(
        "--dir",
        metavar="DIR",
        default="tuning",
        help="folder of all iterations; what is there already is not done again (default: tuning)",
    )
    group.add_argument(
        "--iterations",
        metavar="N",
        type=positive,
        default=15,
        help="most iterations of decoding and tuning (default: 15)",
    )
    group.add_argument(
        "--size",
        metavar="N",
        type=positive,
        default=100,
        help="candidates per sentence that the decoder is asked for (default: 100)",
    )


def _add_search(parser: Parser) -> None:
    group = parser.add_argument_group("search")
    group.add_argument(
        "--optimizer",
        metavar="WHICH",
        type=lambda value: choice(value, "optimizer", OPTIMIZERS),
        default="mert",
        help="mert (exact line search), pro or mira for hundreds of features (default: mert)",
    )
    group.add_argument(
        "--starts",
        metavar="N",
        type=positive,
        default=20,
        help="number of starts: the given one and random ones (default: 20)",
    )
    group.add_argument(
        "--directions",
        metavar="N",
        type=int,
        default=420,
        help="lines per feature along which every six starts are annealed together; 0 for none "
        "(default: 420)",
    )
    group.add_argument(
        "--smooth",
        metavar="HOW",
        type=lambda value: choice(value, "smoothing", SMOOTHINGS),
        default="none",
        help="average or minimum over neighbouring steps of the error surface (default: none)",
    )
    group.add_argument(
        "--window",
        metavar="N",
        type=positive,
        default=1,
        help="neighbours on either side that --smooth takes in (default: 1)",
    )
    group.add_argument(
        "--regularize",
        metavar="X",
        type=number,
        default=0.0,
        help="points of the metric that a squared distance of 1 from the start costs (default: 0)",
    )
    group.add_argument(
        "--fix",
        metavar="NAME",
        action="append",
        default=[],
        help="keep this feature's start weight; repeat it for more",
    )
    group.add_argument(
        "--bound",
        metavar="NAME=LOW:HIGH",
        action="append",
        default=[],
        help="keep this feature's weight between two numbers, either of which may be left out; "
        "repeat it for more",
    )
    group.add_argument(
        "--normalize",
        metavar="HOW",
        type=lambda value: choice(value, "norm", NORMS),
        default="l1",
        help="bring the l1, l2 or max norm of the weights shown and written to 1, or none "
        "(default: l1; none where --fix or --bound holds weights; as Z-MERT's configuration says)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, tune, report."""
    _check(arguments)
    saving.check(arguments)
    if arguments.nbest:
        from weigh.cli.tuning import tune_lists

        with Progress("tuning", quiet=arguments.quiet) as progress:
            result = tune_lists(arguments, progress)
    else:
        from weigh.cli.tuning_loop import tune_with_decoder

        result = tune_with_decoder(arguments)
    _write(arguments, result)
    from weigh.report.tuning import FORMATS, as_table

    terminal.show(result.report, arguments.format, as_table, FORMATS)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    ways = [name for name in ("nbest", "decoder", "zmert") if getattr(arguments, name)]
    if len(ways) != 1:
        found = " and ".join(f"--{name}" for name in ways) or "neither"
        raise UsageError(f"give one of --nbest, --decoder and --zmert, not {found}")
    if arguments.optimizer != "mert":
        for name in _FOR_MERT:
            if name in arguments.given:
                raise UsageError(f"--{name} is for --optimizer mert; leave it out")
    if arguments.scorestat is not None and (arguments.ref or len(arguments.nbest) != 1):
        raise UsageError(
            "--scorestat goes with one FEATSTAT as --nbest and needs no references; give only these"
        )
    for name in ("ref", "src", "parses"):
        if getattr(arguments, f"heldout_{name}") and not arguments.heldout:
            raise UsageError(f"--heldout and --heldout-{name} go together; give both")
    scales = "normalize" in arguments.given and arguments.normalize != "none"
    if scales and (arguments.fix or arguments.bound):
        raise UsageError("--normalize would change what --fix and --bound hold; leave it out")
    if "window" in arguments.given and arguments.smooth == "none":
        raise UsageError("--window is for --smooth average or minimum; give one of these too")
    if arguments.average and arguments.runs == 1:
        raise UsageError("--average needs several --runs; give at least 2")
    if arguments.nbest:
        for name in ("dir", "iterations", "size"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for a decoder; leave it out")


def _write(arguments: argparse.Namespace, result: Result) -> None:
    """Write the files that were asked for."""
    report = result.report
    if arguments.output is not None:
        from weigh.read.weights import weight_lines

        path = Path(arguments.output)
        pairs = zip(report.names, report.weights.tolist(), strict=True)
        write_files(path.parent, {path.name: weight_lines(pairs)})
    if arguments.texts is not None:
        texts = {name: "".join(f"{text}\n" for text in own) for name, own in result.texts.items()}
        write_files(Path(arguments.texts), texts)
    if saving.is_wanted(arguments):
        from weigh.report.page.tuning import tuning_page
        from weigh.report.pictures.tuning import tuning_pictures

        views = result.views()
        drawn = tuning_pictures(report, views)
        saving.save(
            report,
            arguments,
            lambda report: tuning_page(report, drawn, views.segment),
            lambda _: drawn.all(),
        )
