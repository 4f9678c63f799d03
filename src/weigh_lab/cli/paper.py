"""`weigh paper`: reproduce the papers behind weigh."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.arguments import WORK, Verb, argument, output, plan_options, section, verb
from weigh.cli.progress import Progress
from weigh_lab.papers.plan import PAPERS, PaperPlan

if TYPE_CHECKING:
    from weigh_lab.papers.paper_result import PaperResult

SUMMARY = "reproduce the experiments of a paper, beside its published numbers"


def _verb(name: str, summary: str) -> Verb:
    @verb(
        "[--data DIR] [--out DIR] [option]...",
        f"weigh paper {name} --out papers",
        section(
            "texts",
            argument(
                "--data DIR",
                "directory of public data sets, each in a directory of its name, such as "
                "multi30k (default: generate texts of artificial languages)",
            ),
            argument(
                "--out DIR",
                "directory for translators and their outputs, which a second run reuses",
            ),
        ),
        section("sizes", plan_options(PaperPlan)),
        output(page="tables and pictures"),
        WORK,
        summary=summary,
        plan=PaperPlan,
    )
    def run(arguments: argparse.Namespace, plan: PaperPlan) -> PaperResult:
        from weigh_lab.papers.rerun import paper

        return paper(
            name,
            plan,
            data=arguments.data,
            out=arguments.out,
            threads=arguments.threads,
            stage=Progress,
        )

    return run


VERBS = {name: _verb(name, summary) for name, (summary, _) in PAPERS.items()}
