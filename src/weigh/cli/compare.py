"""`weigh compare`: which systems differ, and how sure that is."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser, switch
from weigh.cli.progress import Progress
from weigh.comparing.plan import DEFAULT_TESTS, Plan
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh compare -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/middling.en"
)

_GATE_CODES = {"pass": 0, "fail": 3, "inconclusive": 4}
_QUESTIONS = ("margin", "detect", "gate")
_INTERVALS = ("interval", "level")


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    systems = parser.add_argument_group("systems")
    options.add_systems(systems)
    add_options(systems, Plan, only=["baseline"])
    options.add_choice(systems)
    options.add_metrics(parser)
    options.add_inputs(parser)
    tests = parser.add_argument_group("tests")
    add_options(tests, Plan, without=("baseline", *_QUESTIONS, *_INTERVALS))
    add_options(parser.add_argument_group("further questions"), Plan, only=_QUESTIONS)
    add_options(parser.add_argument_group("intervals"), Plan, only=_INTERVALS)
    output = options.add_output(parser)
    options.add_brief(output, "the ranking alone")
    saving.add_arguments(output)
    switch(
        output,
        "--details",
        "with --format json, add distributions and segments, so that 'weigh report' can show them",
    )
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, report."""
    if arguments.details and arguments.format != "json":
        raise UsageError("--details is for --format json; use --html for a page with them")
    saving.check(arguments)
    plan = _plan(arguments)
    from weigh.comparing.compare import check_plan, compare

    with Progress("comparing", quiet=arguments.quiet) as progress:
        dataset = inputs.read_dataset(arguments, progress, lambda *known: check_plan(plan, *known))
        result = compare(
            dataset,
            plan=plan,
            details=bool(arguments.details) or saving.is_wanted(arguments),
            threads=arguments.threads,
            progress=progress,
        )
    terminal.warn(result.warnings)
    saving.write(result, arguments)
    saving.print_result(result if arguments.details else replace(result, details=None), arguments)
    return 0 if result.gate is None else _GATE_CODES[result.gate.verdict]


def _plan(arguments: argparse.Namespace) -> Plan:
    settled: dict[str, Any] = {}
    if arguments.runs_as_sample or arguments.anytime:  # what weigh.toml says of these gives way
        for name, default in (("tests", DEFAULT_TESTS), ("interval", Plan().interval)):
            if name.removesuffix("s") not in arguments.given:
                settled[name] = default
    return plan_of(
        arguments,
        Plan(),
        key=inputs.metric_key,
        seed=arguments.seed,
        **settled,
    )
