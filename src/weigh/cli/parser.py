"""Parsers of one verb's arguments, which answer mistakes with a line instead of a usage page."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

from weigh.cli import terminal
from weigh.errors import UsageError, did_you_mean
from weigh.removed import replacement


class Parser(argparse.ArgumentParser):
    """A verb's parser; options may stand before, between and after the other arguments."""

    def __init__(self, verb: str, summary: str, usage: str, example: str) -> None:
        super().__init__(
            prog=f"weigh {verb}",
            usage=f"weigh {verb} {usage}",
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"example:\n  {example}",
            formatter_class=_Help,
            allow_abbrev=False,
        )
        self.verb = verb

    @property
    def options(self) -> dict[str, argparse.Action]:
        """Every option by its long name, without the dashes."""
        return {
            next(name for name in action.option_strings if name.startswith("--"))[2:]: action
            for action in self._actions
            if action.option_strings and action.dest != "help"
        }

    def parse(self, arguments: Sequence[str], defaults: Mapping[str, Any]) -> argparse.Namespace:
        """Parse the arguments over `defaults`, which win over the options' own defaults.

        `given` in the result tells what stands on the command line itself, `chosen` what stands
        there or in the defaults.
        """
        values = {action.dest: action.default for action in self._actions} | dict(defaults)
        # What is not given leaves no trace in the namespace, so that what is given wins,
        # repeated options too.
        for action in self._actions:
            action.default = argparse.SUPPRESS
        self._check_removed(arguments)
        given, unknown = self.parse_known_intermixed_args(arguments)
        if unknown:
            raise UsageError(self._explain(unknown[0]))
        on_line = frozenset(vars(given))
        return argparse.Namespace(
            **(values | vars(given)), given=on_line, chosen=on_line | frozenset(defaults)
        )

    def _check_removed(self, arguments: Sequence[str]) -> None:
        """Reject options, and values of options, that earlier versions had."""
        for argument, following in itertools.pairwise([*arguments, ""]):
            name, _, value = argument.partition("=")
            if not name.startswith("--"):
                continue
            value = value or following
            keys = [f"{self.verb} {name} {value}", f"{name} {value}"]
            if name[2:] not in self.options:
                keys += [f"{self.verb} {name}", name]
            instead = replacement(*keys)
            if instead is not None:
                raise UsageError(instead)

    def _explain(self, unknown: str) -> str:
        name = unknown.partition("=")[0]
        if not name.startswith("-"):
            return f"unexpected argument {unknown!r}; see '{self.prog} --help'"
        from weigh.report.formats import FORMATS

        if "format" in self.options and name.lstrip("-") in FORMATS:
            return f"unknown option {name!r}; write --format {name.lstrip('-')}"
        if "html" in self.options and name in ("-o", "--output", "--out"):
            return f"unknown option {name!r}; write a page by --html FILE, or text by > FILE"
        known = [f"--{option}" for option in self.options]
        return f"unknown option {name!r}; {did_you_mean(name, known)}"

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError instead of exiting."""
        raise UsageError(f"{message.removeprefix('argument ')}; see '{self.prog} --help'")

    def print_help(self, file: object = None) -> None:
        """Print the help like any other output."""
        del file
        terminal.write(self.format_help())


class Subverb(NamedTuple):
    """One of the verbs of a group, such as `rank` of `weigh human`."""

    summary: str
    USAGE: str
    EXAMPLE: str
    add_arguments: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], int]


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that reads the same under every version of Python."""

    def __init__(self, prog: str, **settings: Any) -> None:
        # Said here, since argparse would load shutil to know it.
        wide = terminal.columns(sys.stdout) - 2
        super().__init__(prog, max_help_position=26, width=wide, **settings)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return str(action.metavar)
        return names if action.nargs == 0 else f"{names} {action.metavar}"


def switch(group: argparse._ActionsContainer, name: str, help: str) -> None:
    """Add an option that is on or off: --NAME or --no-NAME."""
    group.add_argument(name, action=argparse.BooleanOptionalAction, help=help)


def repeated(group: argparse._ActionsContainer, *names: str, metavar: str, help: str) -> None:
    """Add an option that may be given several times, each time with one text."""
    group.add_argument(*names, metavar=metavar, action="append", default=[], help=help)


def choice(value: str, what: str, known: Sequence[str]) -> str:
    """Return `value` if it is known, or say what was meant."""
    if value not in known:
        raise UsageError(f"unknown {what} {value!r}; {did_you_mean(value, known)}")
    return value


def one_of(what: str, known: Iterable[str]) -> Callable[[str], str]:
    """Return what takes the value of an option that is one of these, such as names of presets."""
    return partial(choice, what=what, known=[*known])


def positive(value: str) -> int:
    """Return a whole number of at least 1."""
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, not {value!r}")
    return int(value)


def counts(value: str) -> tuple[int, ...]:
    """Return whole numbers of at least 1, separated by commas."""
    return tuple(positive(part.strip()) for part in value.split(","))


def seed(value: str) -> int:
    """Return a whole number that may start a random generator; 0 is one."""
    if not (value.isascii() and value.isdigit() and int(value) < 2**64):
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 0 to 2^64 - 1, not {value!r}"
        )
    return int(value)


def number(value: str) -> float:
    """Return a number, finite or not: whether it fits is for others to say."""
    try:
        return float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not {value!r}") from None
