"""`weigh compare`: which systems really differ."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser, switch
from weigh.cli.progress import Progress
from weigh.comparing.plan import DEFAULT_TESTS, Plan
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Gate

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS..."
EXAMPLE = (
    "weigh compare -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/middling.en"
)

_GATE_CODES = {"fail": 3, "inconclusive": 4}
_VERDICTS = {"fail": "gate failed", "inconclusive": "gate inconclusive"}
_MARGINS = ("margin", "strict", "detect", "gate")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    systems = parser.add_argument_group("systems")
    options.add_systems(systems)
    add_options(systems, Plan, only=["baseline"])
    options.add_filters(systems)
    options.add_metrics(parser)
    options.add_inputs(parser)
    tests = parser.add_argument_group("tests")
    add_options(tests, Plan, without=("baseline", *_MARGINS))
    add_options(parser.add_argument_group("margins and gates"), Plan, only=_MARGINS)
    output = options.add_output(parser)
    options.add_brief(output, "the verdict and the ranking")
    saving.add_arguments(output)
    switch(
        output,
        "--details",
        "with --format json: add distributions and segments for 'weigh report'",
        advanced=True,
    )
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, report; the exit code is the gate's verdict."""
    if arguments.details and arguments.format != "json":
        raise UsageError("--details needs --format json; a page with --html has the details anyway")
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
    return _gate_code(result.gate)


def _gate_code(gate: Gate | None) -> int:
    """The exit code; a gate that does not pass is explained on stderr, whatever the format."""
    if gate is None or gate.verdict == "pass":
        return 0
    terminal.say(f"{_VERDICTS[gate.verdict]}: {'; '.join(gate.decisive)}")
    return _GATE_CODES[gate.verdict]


def _plan(arguments: argparse.Namespace) -> Plan:
    settled: dict[str, Any] = {}
    if arguments.runs_as_sample or arguments.anytime:  # which win over weigh.toml
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
