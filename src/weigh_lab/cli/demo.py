"""`weigh demo`: a tour of weigh on simulated data, or the data alone."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    SEED,
    SEED_OPTION,
    files,
    plan_of,
    plan_options,
    quiet,
    refuse,
    section,
    switch,
    verb,
)
from weigh.cli.output import check_free
from weigh.errors import UsageError, did_you_mean
from weigh.files import write_files
from weigh.human.plan import CONTROLS
from weigh.options import count, option, options_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh_lab.simulation import Simulation

DIRECTORY = "weigh-demo"
_TRUTH, _LISTS = "truth.json", "lists"


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step of the tour: a question, the data it needs, and the commands that answer it.

    `{dir}` in a command stands for the directory of the tour.
    """

    about: str
    data: str
    commands: tuple[str, ...]
    serves: bool = False  # the last command runs until it is stopped, so `demo all` only names it


STEPS = {
    "score": TourStep(
        "Five systems output the references with more or fewer errors. How do metrics score them?",
        "campaign",
        ("weigh score -r {dir}/reference.txt {dir}/systems/*",),
    ),
    "compare": TourStep(
        "Which systems really differ? The page shows all pairs and all segments.",
        "campaign",
        (
            "weigh compare --brief --html {dir}/comparison.html -r {dir}/reference.txt "
            "{dir}/systems/*",
        ),
    ),
    "people": TourStep(
        "Forty people judged the systems, and ten of them were careless. Which judges are "
        "reliable, and how do they rank the systems?",
        "campaign",
        ("weigh human rank --quality crowd-alone --html {dir}/people.html {dir}/judgments.jsonl",),
    ),
    "accuracy": TourStep(
        "How often do significance tests of metrics agree with people?",
        "campaign",
        (
            "weigh validate accuracy --human {dir}/judgments.jsonl --quality crowd-alone "
            "--alpha .05 -r {dir}/reference.txt {dir}/systems/*",
        ),
    ),
    "tune": TourStep(
        "A translator lists candidates with features. Which weights choose the best candidates, "
        "and do they help on other sentences?",
        "lists",
        (
            "weigh tune --nbest {dir}/lists/nbest.txt -r {dir}/lists/reference.txt "
            "--heldout {dir}/lists/heldout.nbest.txt "
            "--heldout-ref {dir}/lists/heldout.reference.txt "
            "--starts 6 -o {dir}/weights.txt --html {dir}/tuning.html",
        ),
    ),
    "rypt": TourStep(
        "People labelled translations of source constituents. The labels score two translators, "
        "and can score others later.",
        "lists",
        (
            "weigh rypt score -s {dir}/lists/source.txt --parses {dir}/lists/parses.mrg "
            "--labels {dir}/lists/labels.jsonl --alignments {dir}/lists/'{{system}}.align' "
            "--html {dir}/rypt.html "
            "large={dir}/lists/large.txt small={dir}/lists/small.txt",
        ),
    ),
    "serve": TourStep(
        "Create tasks for judges, and serve them as a web page.",
        "campaign",
        (
            "weigh human plan --hits 6 --force -o {dir}/hits -r {dir}/reference.txt "
            "{dir}/systems/*",
            "weigh serve {dir}/hits --judges 3 --title 'Five systems' --port 0",
        ),
        serves=True,
    ),
}
DATA = {
    "campaign": "systems of known quality, HITs, and answers of judges, some of whom are careless",
    "lists": "n-best lists of an artificial language, two translators, parses, and labels",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a simulated campaign."""

    systems: int = count(5, "number of systems, 2 to 10")
    segments: int = count(200, "number of segments")
    hits: int = count(80, "number of HITs")
    judges: int = count(40, "number of judges")
    dishonest: float = option(0.25, "share of careless judges", metavar="SHARE")
    preset: str = option(
        "crowd-alone", "items of a HIT: crowd-alone or appraise", metavar="NAME", choices=CONTROLS
    )
    seed: int = 12345


@verb(
    "[STEP | all | campaign | lists] [DIR] [option]...",
    "weigh demo",
    section(
        "demo",
        files(
            "what STEP DIR",
            f"a step of the tour ({', '.join(STEPS)}) or all, and a directory for its files "
            f"(default: all, in {DIRECTORY}). campaign and lists only write the data of the tour: "
            f"{DATA['campaign']}; or {DATA['lists']}",
            choices=("all", *STEPS, *DATA),
        ),
    ),
    section("size of the campaign", plan_options(Size)),
    section(
        "data",
        SEED_OPTION,
        switch("--force", "overwrite existing data (default: reuse them)"),
        quiet("do not report the files written"),
    ),
    summary="take a one-minute tour of weigh on simulated data with known answers",
)
def run(arguments: argparse.Namespace) -> int:
    """Run the tour or one step of it, or write data."""
    name, *rest = arguments.what or ["all"]
    if name not in (names := ["all", *STEPS, *DATA]):
        raise UsageError(f"unknown step {name!r}; {did_you_mean(name, names)}")
    if (name in DATA and len(rest) != 1) or len(rest) > 1:
        raise UsageError(f"demo {name}: expected one directory, found {len(rest)}")
    if name != "campaign":
        sizes = " ".join(option.name for option in options_of(Size))
        refuse(arguments, sizes, "applies only to 'weigh demo campaign'")
    if name in DATA:
        return _write(name, Path(rest[0]), arguments)
    return _run_steps(
        [*STEPS] if name == "all" else [name], rest[0] if rest else DIRECTORY, arguments
    )


def _run_steps(names: Sequence[str], directory: str, arguments: argparse.Namespace) -> int:
    """Print and run the commands of steps, until one fails."""
    data_options = "".join(f" --{name}" for name in ("force", "quiet") if getattr(arguments, name))
    if arguments.seed != SEED:
        data_options += f" --seed {arguments.seed}"
    fresh = set()
    for place, name in enumerate(names, 1):
        step = STEPS[name]
        alone = len(names) == 1
        terminal.write(f"{'' if alone else f'{place}. '}{step.about}\n")
        commands = [command.format(dir=shlex.quote(directory)) for command in step.commands]
        folder, marker = _data_paths(step.data, Path(directory))
        if step.data not in fresh and (arguments.force or not marker.exists()):
            commands.insert(0, f"weigh demo {step.data} {shlex.quote(str(folder))}{data_options}")
        elif step.data not in fresh:
            terminal.remark(f"{folder}: using existing data; --force replaces them")
        fresh.add(step.data)
        for command in commands:
            terminal.write(f"$ {command}")
            if step.serves and not alone and command is commands[-1]:
                where = "" if directory == DIRECTORY else f" {shlex.quote(directory)}"
                terminal.write(
                    "This command runs until you stop it. Start it yourself, or run: "
                    f"weigh demo {name}{where}"
                )
                continue
            if code := _run(command):
                return code
            terminal.write("")
    if len(names) > 1:
        pages = ", ".join(str(path) for path in sorted(Path(directory).glob("*.html")))
        terminal.write(f"\nPages written: {pages}")
        terminal.write(f"True qualities of the systems and the judges: {directory}/{_TRUTH}")
    return 0


def _run(command: str) -> int:
    """Run a weigh command in this process; `*` expands as in a shell."""
    from weigh.cli.app import execute

    arguments: list[str] = []
    for word in shlex.split(command)[1:]:
        path = Path(word)
        arguments += sorted(map(str, path.parent.glob("*"))) if path.name == "*" else [word]
    return execute(arguments)


def _data_paths(name: str, directory: Path) -> tuple[Path, Path]:
    """The directory of a kind of data, and a file that exists if the data do."""
    if name == "campaign":
        return directory, directory / _TRUTH
    return directory / _LISTS, directory / _LISTS / "labels.jsonl"


def _write(name: str, directory: Path, arguments: argparse.Namespace) -> int:
    folders = (_campaign if name == "campaign" else _lists)(arguments)
    for folder, contents in folders.items():
        check_free(directory / folder, contents, force=bool(arguments.force))
    for folder, contents in folders.items():
        write_files(directory / folder, contents)
    written = [
        str(Path(folder) / file) for folder, contents in folders.items() for file in contents
    ]
    terminal.remark(f"wrote to {directory}: {', '.join(written)}")
    return 0


def _lists(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    from weigh_lab.papers.demo_lists import demo_lists

    return {"": demo_lists(arguments.seed)}


def _campaign(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    from weigh.human.export import Sheet
    from weigh.human.export import as_jsonl as hit_lines
    from weigh.human.judgments import as_jsonl as judgment_lines
    from weigh_lab.simulation import PAIR, simulate

    size = plan_of(arguments, Size())
    simulation = simulate(**asdict(size))
    segments = [str(number) for number in range(1, len(simulation.test_set) + 1)]
    sheet = Sheet(simulation.hits, segments, PAIR, size.preset, size.seed)
    return {
        "": {
            "reference.txt": _lines(simulation.test_set.references[0]),
            "hits.jsonl": hit_lines(sheet),
            "judgments.jsonl": judgment_lines(simulation.judgments),
            _TRUTH: _truth(simulation, size.seed),
        },
        "systems": {system.name: _lines(system.outputs.texts) for system in simulation.systems},
    }


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _truth(simulation: Simulation, seed: int) -> str:
    from weigh.result import rendered

    systems = [{"system": name, "quality": simulation.qualities[name]} for name in simulation.order]
    judges = [asdict(judge) for judge in simulation.judges]
    text = rendered("demo campaign", {"seed": seed, "systems": systems, "judges": judges})
    return f"{text}\n"
