"""`weigh demo`: data to try weigh on, made up and with a known truth."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser, choice, number, positive
from weigh.cli.saving import check_free
from weigh.errors import UsageError, did_you_mean
from weigh.files import write_files
from weigh.human.plan import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.human.simulation import Simulation

USAGE = "[campaign DIR] [option]..."
EXAMPLE = "weigh demo campaign trial"
DEMOS = {
    "campaign": "systems of known quality, HITs, and the answers of judges, some of whom do not "
    "look"
}
_REFERENCE, _HITS, _JUDGMENTS, _TRUTH = (
    "reference.txt",
    "hits.jsonl",
    "judgments.jsonl",
    "truth.json",
)
_SYSTEMS = "systems"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    group = parser.add_argument_group("demo")
    group.add_argument(
        "what",
        metavar="DEMO DIR",
        nargs="*",
        default=[],
        help="which demo, and the directory to write it to; without them, demos are listed",
    )
    group.add_argument(
        "--systems", metavar="N", type=positive, default=5, help="systems, 2 to 10 (default: 5)"
    )
    group.add_argument(
        "--segments", metavar="N", type=positive, default=200, help="segments (default: 200)"
    )
    group.add_argument("--hits", metavar="N", type=positive, default=80, help="HITs (default: 80)")
    group.add_argument(
        "--judges", metavar="N", type=positive, default=40, help="judges (default: 40)"
    )
    group.add_argument(
        "--dishonest",
        metavar="SHARE",
        type=number,
        default=0.25,
        help="share of judges who do not look (default: .25)",
    )
    group.add_argument(
        "--preset",
        metavar="NAME",
        type=partial(choice, what="preset", known=[*CONTROLS]),
        default="crowd-alone",
        help="how HITs are made: crowd-alone or appraise (default: crowd-alone)",
    )
    options.add_seed(group)
    group.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite files that exist"
    )
    group.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="do not say what was written"
    )


def run(arguments: argparse.Namespace) -> int:
    """List the demos, or write one."""
    if not arguments.what:
        lines = [f"{name}  {summary}" for name, summary in DEMOS.items()]
        terminal.write("\n".join([*lines, "", "'weigh demo NAME DIR' writes one to a directory."]))
        return 0
    name, *rest = arguments.what
    if name not in DEMOS:
        raise UsageError(f"unknown demo {name!r}; {did_you_mean(name, DEMOS)}")
    if len(rest) != 1:
        raise UsageError(f"demo {name}: expected one directory, found {len(rest)}")
    from weigh.human.simulation import simulate

    made = simulate(
        systems=arguments.systems,
        segments=arguments.segments,
        hits=arguments.hits,
        judges=arguments.judges,
        dishonest=arguments.dishonest,
        preset=arguments.preset,
        seed=arguments.seed,
    )
    directory = Path(rest[0])
    systems = {each.name: _lines(each.outputs.texts) for each in made.systems}
    contents = {
        _REFERENCE: _lines(made.test_set.references[0]),
        _HITS: _hits(made, arguments),
        _JUDGMENTS: _judgments(made),
        _TRUTH: _truth(made, arguments.seed),
    }
    force = bool(arguments.force)
    check_free(directory, contents, force=force)
    check_free(directory / _SYSTEMS, systems, force=force)
    write_files(directory, contents)
    write_files(directory / _SYSTEMS, systems)
    if not arguments.quiet:
        written = [*contents, *(f"{_SYSTEMS}/{name}" for name in systems)]
        terminal.say(f"in {rest[0]}: {', '.join(written)}")
    return 0


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _hits(made: Simulation, arguments: argparse.Namespace) -> str:
    from weigh.human.export import Sheet, as_jsonl
    from weigh.human.simulation import PAIR

    segments = [str(number) for number in range(1, len(made.test_set) + 1)]
    return as_jsonl(Sheet(made.hits, segments, PAIR, arguments.preset, arguments.seed))


def _judgments(made: Simulation) -> str:
    from weigh.human.judgments import as_jsonl

    return as_jsonl(made.judgments)


def _truth(made: Simulation, seed: int) -> str:
    from dataclasses import asdict

    from weigh.result import rendered

    systems = [{"system": name, "quality": made.qualities[name]} for name in made.order]
    judges = [asdict(judge) for judge in made.judges]
    text = rendered("demo campaign", {"seed": seed, "systems": systems, "judges": judges})
    return f"{text}\n"
