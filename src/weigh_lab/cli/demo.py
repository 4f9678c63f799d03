"""`weigh demo`: the whole story on data that are made up, and these data alone."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.cli import terminal
from weigh.cli.arguments import (
    SEED,
    SEED_OPTION,
    argument,
    files,
    number,
    positive,
    quiet,
    section,
    switch,
    verb,
)
from weigh.cli.output import check_free
from weigh.errors import UsageError, did_you_mean
from weigh.files import write_files
from weigh.human.plan import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh_lab.simulation import Simulation

DIRECTORY = "weigh-demo"
_TRUTH, _LISTS = "truth.json", "lists"


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the story: what it is about, what it needs, and the commands that tell it.

    `{dir}` in a command stands for the directory of the story.
    """

    about: str
    data: str
    commands: tuple[str, ...]
    runs_on: bool = False  # the last of them, until it is stopped: the story only names it


STEPS = {
    "score": Step(
        "Five systems spoil more or fewer words of a reference. What do metrics say of them?",
        "campaign",
        ("weigh score -r {dir}/reference.txt {dir}/systems/*",),
    ),
    "compare": Step(
        "Which of them differ, and how sure is that? The page has all pairs and all segments.",
        "campaign",
        (
            "weigh compare --brief --html {dir}/comparison.html -r {dir}/reference.txt "
            "{dir}/systems/*",
        ),
    ),
    "people": Step(
        "Forty people have judged, ten of them without looking. Who is believed, and what do "
        "they say?",
        "campaign",
        ("weigh human rank --quality crowd-alone --html {dir}/people.html {dir}/judgments.jsonl",),
    ),
    "accuracy": Step(
        "How often do tests on metrics conclude what people conclude?",
        "campaign",
        (
            "weigh validate accuracy --human {dir}/judgments.jsonl --quality crowd-alone "
            "--alpha .05 -r {dir}/reference.txt {dir}/systems/*",
        ),
    ),
    "tune": Step(
        "A translator lists candidates with features. Which weights choose the best of them, and "
        "are they better on other sentences?",
        "lists",
        (
            "weigh tune --nbest {dir}/lists/nbest.txt -r {dir}/lists/reference.txt "
            "--heldout {dir}/lists/heldout.nbest.txt "
            "--heldout-ref {dir}/lists/heldout.reference.txt "
            "--starts 6 -o {dir}/weights.txt --html {dir}/tuning.html",
        ),
    ),
    "rypt": Step(
        "People have labelled how constituents of the source are translated. The labels score two "
        "translators, and will score others.",
        "lists",
        (
            "weigh rypt score -s {dir}/lists/source.txt --parses {dir}/lists/parses.mrg "
            "--labels {dir}/lists/labels.jsonl --alignments {dir}/lists/'{{system}}.align' "
            "--html {dir}/rypt.html "
            "large={dir}/lists/large.txt small={dir}/lists/small.txt",
        ),
    ),
    "serve": Step(
        "Sheets for people to judge the five systems on, and the page that shows them.",
        "campaign",
        (
            "weigh human plan --hits 6 --force -o {dir}/hits -r {dir}/reference.txt "
            "{dir}/systems/*",
            "weigh serve {dir}/hits --judges 3 --title 'Five systems' --port 0",
        ),
        runs_on=True,
    ),
}
DATA = {
    "campaign": "systems of known quality, HITs, and the answers of judges, some of whom do not "
    "look",
    "lists": "n-best lists of a made-up language, two translators, parses, and labels of judges",
}
# The options of `campaign`, with what they are unless they are given.
_SIZES: Mapping[str, Any] = {
    "systems": 5,
    "segments": 200,
    "hits": 80,
    "judges": 40,
    "dishonest": 0.25,
    "preset": "crowd-alone",
}


@verb(
    "[STEP | all | campaign | lists] [DIR] [option]...",
    "weigh demo",
    section(
        "demo",
        files(
            "what STEP DIR",
            f"a step of the story ({', '.join(STEPS)}) or all, and the directory of its files "
            f"(default: all, in {DIRECTORY}); or campaign or lists, and the directory to write "
            "these data to",
            choices=("all", *STEPS, *DATA),
        ),
    ),
    section(
        "campaign",
        argument("--systems N", "systems, 2 to 10 (default: 5)", type=positive),
        argument("--segments N", "segments (default: 200)", type=positive),
        argument("--hits N", "HITs (default: 80)", type=positive),
        argument("--judges N", "judges (default: 40)", type=positive),
        argument("--dishonest SHARE", "share of careless judges (default: .25)", type=number),
        argument(
            "--preset NAME",
            "how HITs are made: crowd-alone or appraise (default: crowd-alone)",
            choices=CONTROLS,
        ),
    ),
    section(
        "data",
        SEED_OPTION,
        switch("--force", "overwrite existing files; without it, a step uses data that are there"),
        quiet("do not report the files written"),
    ),
    summary="walk through weigh in a minute, on simulated data with known answers",
)
def run(arguments: argparse.Namespace) -> int:
    """Tell the story, or a step of it, or write data."""
    name, *rest = arguments.what or ["all"]
    if name not in (known := ["all", *STEPS, *DATA]):
        raise UsageError(f"unknown demo {name!r}; {did_you_mean(name, known)}")
    if (name in DATA and len(rest) != 1) or len(rest) > 1:
        raise UsageError(f"demo {name}: expected one directory, found {len(rest)}")
    if name != "campaign":
        for option in _SIZES:
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option}: an option of 'weigh demo campaign' alone")
    if name in DATA:
        return _write(name, Path(rest[0]), arguments)
    return _tell([*STEPS] if name == "all" else [name], rest[0] if rest else DIRECTORY, arguments)


def _tell(names: Sequence[str], directory: str, arguments: argparse.Namespace) -> int:
    """Run the commands of steps, each as a user would type it, until one fails."""
    data_options = "".join(f" --{name}" for name in ("force", "quiet") if getattr(arguments, name))
    if arguments.seed != SEED:
        data_options += f" --seed {arguments.seed}"
    fresh = set()
    for place, name in enumerate(names, 1):
        step = STEPS[name]
        alone = len(names) == 1
        terminal.write(f"{'' if alone else f'{place}. '}{step.about}\n")
        commands = [command.format(dir=shlex.quote(directory)) for command in step.commands]
        folder, made = _data(step.data, Path(directory))
        if step.data not in fresh and (arguments.force or not made.exists()):
            commands.insert(0, f"weigh demo {step.data} {shlex.quote(str(folder))}{data_options}")
        elif step.data not in fresh and not arguments.quiet:
            terminal.say(f"{folder}: the data that are there are taken; --force makes them anew")
        fresh.add(step.data)
        for command in commands:
            terminal.write(f"$ {command}")
            if step.runs_on and not alone and command is commands[-1]:
                where = "" if directory == DIRECTORY else f" {shlex.quote(directory)}"
                terminal.write(
                    "It runs until it is stopped, so start it yourself, or by: "
                    f"weigh demo {name}{where}"
                )
                continue
            if code := _run(command):
                return code
            terminal.write("")
    if len(names) > 1:
        pages = ", ".join(str(path) for path in sorted(Path(directory).glob("*.html")))
        terminal.write(f"\nPages to look at: {pages}")
        terminal.write(f"What is true of the five systems and the people: {directory}/{_TRUTH}")
    return 0


def _run(command: str) -> int:
    """Run one of our own commands in this process, with `*` as a shell would take it."""
    from weigh.cli.app import execute

    arguments: list[str] = []
    for word in shlex.split(command)[1:]:
        path = Path(word)
        found = sorted(map(str, path.parent.glob("*"))) if path.name == "*" else [word]
        arguments += found
    return execute(arguments)


def _data(name: str, directory: Path) -> tuple[Path, Path]:
    """Return the directory of a kind of data, and a file that is there where they are."""
    if name == "campaign":
        return directory, directory / _TRUTH
    return directory / _LISTS, directory / _LISTS / "labels.jsonl"


def _write(name: str, directory: Path, arguments: argparse.Namespace) -> int:
    made: Callable[[argparse.Namespace], Mapping[str, Mapping[str, str]]]
    made = _campaign if name == "campaign" else _lists
    folders = made(arguments)
    for folder, contents in folders.items():
        check_free(directory / folder, contents, force=bool(arguments.force))
    for folder, contents in folders.items():
        write_files(directory / folder, contents)
    if not arguments.quiet:
        written = [
            str(Path(folder) / each) for folder, contents in folders.items() for each in contents
        ]
        terminal.say(f"in {directory}: {', '.join(written)}")
    return 0


def _lists(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    from weigh_lab.papers.demo_lists import demo_lists

    return {"": demo_lists(arguments.seed)}


def _campaign(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    from weigh.human.export import Sheet
    from weigh.human.export import as_jsonl as hit_lines
    from weigh.human.judgments import as_jsonl as judgment_lines
    from weigh_lab.simulation import PAIR, simulate

    asked = {name: getattr(arguments, name) for name in _SIZES}
    sizes = {name: _SIZES[name] if value is None else value for name, value in asked.items()}
    made = simulate(**sizes, seed=arguments.seed)
    segments = [str(number) for number in range(1, len(made.test_set) + 1)]
    sheet = Sheet(made.hits, segments, PAIR, sizes["preset"], arguments.seed)
    return {
        "": {
            "reference.txt": _lines(made.test_set.references[0]),
            "hits.jsonl": hit_lines(sheet),
            "judgments.jsonl": judgment_lines(made.judgments),
            _TRUTH: _truth(made, arguments.seed),
        },
        "systems": {each.name: _lines(each.outputs.texts) for each in made.systems},
    }


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _truth(made: Simulation, seed: int) -> str:
    from dataclasses import asdict

    from weigh.result import rendered

    systems = [{"system": name, "quality": made.qualities[name]} for name in made.order]
    judges = [asdict(judge) for judge in made.judges]
    text = rendered("demo campaign", {"seed": seed, "systems": systems, "judges": judges})
    return f"{text}\n"
