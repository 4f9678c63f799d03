"""`weigh cite`: BibTeX for a result or a planned comparison."""

from __future__ import annotations

import argparse

from weigh.cli import terminal
from weigh.cli.arguments import METRICS, files, plan_of, plan_options, refuse, section, verb
from weigh.comparing.plan import Plan


@verb(
    "[-m METRIC]... [option]... [RESULT]...",
    "weigh cite -m bleu,ter --test paired-bootstrap",
    section(
        "result",
        files(
            "results RESULT",
            "a result saved with --format json, or a page; '-' is stdin. Without it, the options "
            "below describe a comparison, with the defaults of compare",
        ),
    ),
    METRICS,
    section("comparison", plan_options(Plan, "tests runs_as_sample adjust interval")),
)
def run(arguments: argparse.Namespace) -> None:
    """Print the references of the methods used."""
    from weigh.report.citations import bibtex, combine, used_by_plan

    if arguments.results:
        from weigh.report.view import load, view

        options = "metric test runs_as_sample adjust interval"
        refuse(arguments, options, "does not apply to a saved result")
        methods = combine([view(load(path)).used for path in arguments.results])
    else:
        from weigh.metrics.registry import key_of, parse_metrics

        metrics = [key_of(metric) for metric in parse_metrics(arguments.metric)]
        methods = used_by_plan(metrics, plan_of(arguments, Plan()))
    terminal.write(bibtex(methods))
