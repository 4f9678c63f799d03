"""`weigh compare`: which systems really differ."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from weigh.cli.arguments import (
    WORK,
    argument,
    output,
    plan_of,
    plan_options,
    repeatable,
    section,
    switch,
    verb,
)
from weigh.cli.inputs import Inputs, input_sections
from weigh.cli.output import writes_page
from weigh.cli.progress import Progress
from weigh.comparing.plan import Plan
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.result import Result

_MARGINS = "margin strict detect gate"


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS...",
    "weigh compare -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/middling.en",
    *input_sections(
        plan_options(Plan, "baseline"),
        argument("--systems NAME,...", "compare only these systems", dest="systems_chosen"),
        argument(
            "--sets NAME,...",
            "compare on several test sets and their average; {set} in paths is replaced by each "
            "name",
        ),
        repeatable(
            "--only ROLE=LABEL,...",
            "keep only these labels, such as system=A,B or slice=math,law; repeatable",
        ),
        repeatable(
            "--without ROLE=LABEL,...",
            "leave out these labels, such as system=A,B or slice=math,law; repeatable",
            advanced=True,
        ),
        repeatable(
            "--keep-reference NAME",
            "compare this system even if its texts are identical to a reference",
            advanced=True,
        ),
        slices=True,
    ),
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
def run(arguments: argparse.Namespace) -> Result:
    """Read the systems and compare them."""
    if arguments.details and arguments.format != "json":
        raise UsageError("--details needs --format json; a page with --html has the details anyway")
    # What a test needs on the command line wins over another test in weigh.toml.
    fixed: dict[str, Any] = {}
    if arguments.runs_as_sample or arguments.anytime:
        if "test" not in arguments.on_command_line:
            fixed["tests"] = Plan().tests
        if "interval" not in arguments.on_command_line:
            fixed["interval"] = Plan().interval
    plan = plan_of(arguments, Plan(), **fixed)
    from weigh.comparing.compare import check_plan, compare

    with Progress("comparing") as progress:
        dataset = Inputs.of(arguments).read(progress, partial(check_plan, plan))
        return compare(
            dataset,
            plan=plan,
            details=arguments.details or writes_page(arguments),
            threads=arguments.threads,
            progress=progress,
        )
