"""The parser of one verb's arguments: help in sections, mistakes answered with one line."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

from weigh.cli import terminal
from weigh.errors import UsageError, did_you_mean
from weigh.options import parse_whole
from weigh.removed import replacement

_MOST = 1_000_000_000  # of anything that is counted


class Group(argparse._ArgumentGroup):
    """A section of the help; its `advanced` options are shown by --help-all only."""

    def add_argument(self, *names: Any, advanced: bool = False, **settings: Any) -> argparse.Action:
        """Add an argument to the section."""
        action = super().add_argument(*names, **settings)
        vars(action)["advanced"] = advanced
        return action


class Parser(argparse.ArgumentParser):
    """A verb's parser; options may stand before, between and after the other arguments."""

    def __init__(self, verb: str, summary: str, usage: str, example: str) -> None:
        super().__init__(
            prog=f"weigh {verb}",
            usage=f"weigh {verb} {usage}",
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=_Help,
            allow_abbrev=False,
            add_help=False,
        )
        self.verb = verb
        self._example = example
        self.add_argument("-h", "--help", "--help-all", action=_ShowHelp, help="explain the verb")

    def add_argument_group(self, *titles: Any, **settings: Any) -> Group:
        """Add a section to the help."""
        group = Group(self, *titles, **settings)
        self._action_groups.append(group)
        return group

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

        In the result, `given` holds the names of the options on the command line, `chosen` those
        on the command line or in the defaults.
        """
        values = {action.dest: action.default for action in self._actions} | dict(defaults)
        # Without a default, an option that is not given is absent from the namespace. Values of
        # a repeated option then replace its default instead of extending it.
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
            return f"unknown option {name!r}; write a page with --html FILE, or text with > FILE"
        known = [f"--{option}" for option in self.options]
        return f"unknown option {name!r}; {did_you_mean(name, known)}"

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError instead of exiting."""
        raise UsageError(f"{message.removeprefix('argument ')}; see '{self.prog} --help'")

    def format_help(self, *, everything: bool = False) -> str:
        """The help: usage, sections, the names of the options left out, and the example."""
        hidden = [] if everything else [a for a in self._actions if _is_advanced(a)]
        formatter = _Help(self.prog, hidden=hidden)
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        if hidden:
            names = ", ".join(action.option_strings[-1 - _is_switch(action)] for action in hidden)
            formatter.start_section(f"more options, explained by '{self.prog} --help-all'")
            formatter.add_wrapped(names)
            formatter.end_section()
        formatter.add_text(f"example:\n  {self._example}")
        return formatter.format_help()

    def print_help(self, file: object = None, *, everything: bool = False) -> None:
        """Print the help like any other output."""
        del file
        terminal.write(self.format_help(everything=everything))


class Subverb(NamedTuple):
    """One of the verbs of a group, such as `rank` of `weigh human`."""

    summary: str
    USAGE: str
    EXAMPLE: str
    add_arguments: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], int]


class _ShowHelp(argparse._HelpAction):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _: argparse.Namespace,
        __: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, Parser)
        parser.print_help(everything=option_string == "--help-all")
        parser.exit()


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that reads the same under every version of Python."""

    def __init__(self, prog: str, hidden: Sequence[argparse.Action] = ()) -> None:
        # With a given width, argparse does not import shutil to find it.
        super().__init__(prog, max_help_position=26, width=terminal.columns(sys.stdout) - 2)
        self._hidden = hidden

    def add_argument(self, action: argparse.Action) -> None:
        if action.dest != "help" and action not in self._hidden:
            super().add_argument(action)

    def add_wrapped(self, text: str) -> None:
        """Add text that is wrapped, unlike descriptions and examples."""
        self._add_item(self._wrap, [text])

    def _wrap(self, text: str) -> str:
        import textwrap

        lines = textwrap.wrap(text, self._width - self._current_indent, break_on_hyphens=False)
        return textwrap.indent("\n".join(lines), " " * self._current_indent) + "\n\n"

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return str(action.metavar)
        if _is_switch(action) and not vars(action).get("is_on"):
            names = action.option_strings[0]
        return names if action.nargs == 0 else f"{names} {action.metavar}"


def _is_advanced(action: argparse.Action) -> bool:
    return bool(vars(action).get("advanced"))


def _is_switch(action: argparse.Action) -> bool:
    """Whether `--no-NAME` turns it off; it is the last of its names."""
    return isinstance(action, argparse.BooleanOptionalAction)


def switch(group: Group, name: str, help: str, *, advanced: bool = False) -> None:
    """Add an option that is on or off: --NAME or --no-NAME."""
    group.add_argument(name, action=argparse.BooleanOptionalAction, help=help, advanced=advanced)


def repeated(group: Group, *names: str, metavar: str, help: str, advanced: bool = False) -> None:
    """Add an option that may be given several times, each time with one text."""
    group.add_argument(
        *names, metavar=metavar, action="append", default=[], help=help, advanced=advanced
    )


def choice(value: str, what: str, known: Sequence[str]) -> str:
    """Check that `value` is known, or propose the nearest one."""
    if value not in known:
        raise UsageError(f"unknown {what} {value!r}; {did_you_mean(value, known)}")
    return value


def one_of(what: str, known: Iterable[str]) -> Callable[[str], str]:
    """A parser of values that must be one of `known`, such as the names of presets."""
    return partial(choice, what=what, known=[*known])


def positive(value: str) -> int:
    """Parse a whole number of at least 1."""
    return parse_whole(value, 1, _MOST)


def counts(value: str) -> tuple[int, ...]:
    """Parse whole numbers of at least 1, separated by commas."""
    return tuple(positive(part.strip()) for part in value.split(","))


def seed(value: str) -> int:
    """Parse the seed of a random generator."""
    return parse_whole(value, 0, 2**64 - 1, "from 0 to 2^64 - 1")


def number(value: str) -> float:
    """Parse a number, which may be infinite."""
    try:
        return float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not {value!r}") from None
