"""`weigh compare`: which systems really differ."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from weigh.cli.arguments import (
    COLUMNS_OF_TEXTS,
    METRICS,
    REFERENCES,
    SLICES,
    SYSTEMS,
    TABLES,
    WORK,
    argument,
    output,
    plan_of,
    plan_options,
    repeated,
    section,
    switch,
    verb,
)
from weigh.cli.inputs import Inputs
from weigh.cli.output import writes_page
from weigh.cli.progress import Progress
from weigh.comparing.plan import DEFAULT_TESTS, Plan
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.comparing.compare_result import CompareResult

_MARGINS = "margin strict detect gate"


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS...",
    "weigh compare -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/middling.en",
    section(
        "systems",
        SYSTEMS,
        plan_options(Plan, "baseline"),
        argument("--systems NAME,...", "compare only these systems", dest="systems_chosen"),
        argument(
            "--sets NAME,...",
            "compare on several test sets and their average; {set} in paths is replaced by each "
            "name",
        ),
        repeated(
            "--only ROLE=LABEL,...",
            "keep only these labels, such as system=A,B or slice=math,law; repeatable",
        ),
        repeated(
            "--without ROLE=LABEL,...",
            "leave out these labels, such as system=A,B or slice=math,law; repeatable",
            advanced=True,
        ),
        repeated(
            "--keep-reference NAME",
            "compare this system even if its texts are identical to a reference",
            advanced=True,
        ),
    ),
    METRICS,
    section("references", REFERENCES, SLICES, COLUMNS_OF_TEXTS),
    TABLES,
    section("tests", plan_options(Plan, without=f"baseline {_MARGINS}")),
    section("margins and gates", plan_options(Plan, _MARGINS)),
    output(
        switch(
            "--details",
            "with --format json: add distributions and segments for 'weigh report'",
            advanced=True,
        ),
        page="pictures and segments",
        brief="the verdict and the ranking",
    ),
    WORK,
)
def run(arguments: argparse.Namespace) -> CompareResult:
    """Read the systems and compare them."""
    if arguments.details and arguments.format != "json":
        raise UsageError("--details needs --format json; a page with --html has the details anyway")
    plan = _plan(arguments)
    from weigh.comparing.compare import check_plan, compare

    with Progress("comparing") as progress:
        dataset = Inputs.of(arguments).read(progress, partial(check_plan, plan))
        return compare(
            dataset,
            plan=plan,
            details=bool(arguments.details) or writes_page(arguments),
            threads=arguments.threads,
            progress=progress,
        )


def _plan(arguments: argparse.Namespace) -> Plan:
    """The plan; --runs-as-sample and --anytime win over a test or an interval in weigh.toml."""
    if not (arguments.runs_as_sample or arguments.anytime):
        return plan_of(arguments, Plan())
    defaults = {"tests": DEFAULT_TESTS, "interval": Plan().interval}
    return plan_of(
        arguments,
        Plan(),
        **{
            name: value
            for name, value in defaults.items()
            if name.removesuffix("s") not in arguments.given
        },
    )
