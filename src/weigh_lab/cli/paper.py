"""`weigh paper`: the papers behind weigh, run again."""

from __future__ import annotations

import argparse
from functools import partial

from weigh.cli import options, saving
from weigh.cli.parser import Parser, Subverb
from weigh.cli.progress import Progress
from weigh.options import add_options, plan_of
from weigh_lab.papers.plan import PAPERS, PaperPlan

SUMMARY = "reproduce the experiments of a paper, beside its published numbers"


def _add(parser: Parser) -> None:
    group = parser.add_argument_group("texts")
    group.add_argument(
        "--data",
        metavar="DIR",
        help="directory of public data sets, each in a directory of its own name, such as "
        "multi30k (default: texts of made-up languages, which are generated)",
    )
    group.add_argument(
        "--out",
        metavar="DIR",
        help="keep translators and their outputs here, so that a second run is quick",
    )
    add_options(parser.add_argument_group("size of the work"), PaperPlan)
    saving.add_arguments(options.add_output(parser), "tables and pictures")
    options.add_work(parser)


def _run(name: str, arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    plan = plan_of(arguments, PaperPlan(), seed=arguments.seed)
    from weigh_lab.papers.rerun import paper

    result = paper(
        name,
        plan,
        data=arguments.data,
        out=arguments.out,
        threads=arguments.threads,
        stage=partial(Progress, quiet=arguments.quiet),
    )
    saving.present(result, arguments)
    return 0


SUBVERBS = {
    name: Subverb(
        summary,
        "[--data DIR] [--out DIR] [option]...",
        f"weigh paper {name} --out papers",
        _add,
        partial(_run, name),
    )
    for name, (summary, _) in PAPERS.items()
}
