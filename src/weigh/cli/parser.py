"""Parse the arguments of a verb: help in sections, one-line errors."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from weigh.cli import terminal
from weigh.cli.arguments import Argument, Verb
from weigh.errors import UsageError, did_you_mean, plural
from weigh.removed import replacement

HELP = ("-h", "--help", "--help-all")


class Parser(argparse.ArgumentParser):
    """The parser of a verb; options and other arguments may be mixed."""

    def __init__(self, name: str, verb: Verb, summary: str = "") -> None:
        summary = summary or verb.summary
        super().__init__(
            prog=f"weigh {name}",
            usage=f"weigh {name} {verb.usage}",
            description=f"{summary[:1].upper()}{summary[1:]}.",
            formatter_class=_Help,
            allow_abbrev=name == "sacrebleu",  # as there
            add_help=False,
        )
        self.verb = name
        self._example = verb.example
        self.declared: dict[argparse.Action, Argument] = {}
        super().add_argument(*HELP, action=_ShowHelp, help="explain the verb")
        for section in verb.sections:
            group = self.add_argument_group(section.title, section.about or None)
            for argument in section.arguments:
                action = group.add_argument(*argument.names, **argument.settings)
                self.declared[action] = argument
                vars(action)["is_on"] = argument.is_on

    @property
    def options(self) -> dict[str, argparse.Action]:
        """Every option by its long name, without the dashes."""
        return {
            next(name for name in action.option_strings if name.startswith("--"))[2:]: action
            for action in self.declared
            if action.option_strings
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
            action.required = action.required and action.dest not in defaults
        self._check_removed(arguments)
        parsed, unknown = self.parse_known_intermixed_args(arguments)
        if unknown:
            raise UsageError(self._explain(unknown[0]))
        on_line = frozenset(vars(parsed))
        return argparse.Namespace(
            **(values | vars(parsed)), given=on_line, chosen=on_line | frozenset(defaults)
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
        proposal = did_you_mean(name, [f"--{option}" for option in self.options])
        if proposal.startswith("known:"):
            proposal = f"see '{self.prog} --help-all'"
        return f"unknown option {name!r}; {proposal}"

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError instead of exiting."""
        message = message.replace("the following arguments are required:", "missing")
        raise UsageError(f"{message.removeprefix('argument ')}; see '{self.prog} --help'")

    def format_help(self, *, everything: bool = False) -> str:
        """The help: usage, sections and an example; without `everything`, no advanced options."""
        hidden = [a for a, argument in self.declared.items() if argument.advanced]
        if everything:
            hidden = []
        formatter = _Help(self.prog)
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            visible = [a for a in group._group_actions if a in self.declared and a not in hidden]
            if visible:
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(visible)
                formatter.end_section()
        if hidden:
            number = plural(len(hidden), "more option")
            formatter.add_text(f"'{self.prog} --help-all' explains {number}.")
        return f"{formatter.format_help()}\nexample:\n  {self._example}\n"

    def print_help(self, file: object = None, *, everything: bool = False) -> None:
        """Print the help like any other output."""
        del file
        terminal.write(self.format_help(everything=everything))


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


class _Help(argparse.HelpFormatter):
    """Help that reads the same under every version of Python."""

    def __init__(self, prog: str) -> None:
        # With a given width, argparse does not import shutil to find it.
        super().__init__(prog, max_help_position=26, width=terminal.columns(sys.stdout) - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in self._split_lines(text, width))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return str(action.metavar)
        if _is_switch(action) and not vars(action).get("is_on"):
            names = action.option_strings[0]
        return names if action.nargs == 0 else f"{names} {action.metavar}"


def _is_switch(action: argparse.Action) -> bool:
    """Whether the option is on or off; its last name is `--no-NAME`."""
    return isinstance(action, argparse.BooleanOptionalAction)
