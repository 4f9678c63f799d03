"""Parse the arguments of a verb: help in sections, one-line errors."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from weigh.cli import terminal
from weigh.cli.arguments import Argument, Section, Verb
from weigh.errors import UsageError, plural
from weigh.removed import replacement

HELP = ("-h", "--help", "--help-all")
_NEAR = 0.75  # the least similarity of a mistyped option to the one that is suggested
_WIDEST = 26  # columns for the names of arguments in the help


class _Raising(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise a UsageError instead of exiting."""
        message = message.removeprefix("argument ")
        message = message.replace("ignored explicit argument", "takes no value, but has")
        raise UsageError(f"{message}; see '{self.prog} --help'")


class Parser(_Raising):
    """The parser of a verb; options and other words may be mixed."""

    def __init__(self, name: str, verb: Verb, summary: str = "") -> None:
        # With a given width, argparse does not import shutil to find it.
        formatter = partial(argparse.HelpFormatter, width=80)
        prog = f"weigh {name}"
        abbreviates = name == "sacrebleu"  # as there
        super().__init__(prog, formatter_class=formatter, allow_abbrev=abbreviates, add_help=False)
        # The words that are not options have a parser of their own.
        self._words = _Raising(prog, formatter_class=formatter, add_help=False)
        self._name = name
        self._verb = verb
        self._summary = summary or verb.summary
        self.add_argument(*HELP, action=_ShowHelp)
        self.declared: dict[argparse.Action, Argument] = {}
        self._section_of: dict[argparse.Action, Section] = {}
        for section in verb.sections:
            for argument in section.arguments:
                parser = self if argument.names[0].startswith("-") else self._words
                action = parser.add_argument(*argument.names, **argument.settings)
                self.declared[action] = argument
                self._section_of[action] = section
        self._required = [action for action in self.declared if action.required]

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

        In the result, `on_command_line` holds the names of the options on the command line, and
        `chosen` also those in the defaults. No word after `--` is an option.
        """
        end = list(arguments).index("--") if "--" in arguments else len(arguments)
        if not {*HELP} & {*arguments[:end]}:
            self._check_names(arguments[:end])
        values = {action.dest: action.default for action in self.declared} | dict(defaults)
        # Without a default, an option that is not given is absent from the namespace. Values of
        # a repeated option then replace its default instead of extending it.
        for action in self.declared:
            action.default = argparse.SUPPRESS
        for action in self._required:
            action.required = False  # `_check_required` has a better message
        parsed, words = self.parse_known_args(arguments[:end])
        for word in words:
            if word.startswith("-") and word != "-":
                raise UsageError(self._explain_unknown(word))
        words += arguments[end + 1 :]
        self._check_required(vars(parsed).keys() | defaults.keys(), words)
        if words:
            _, rest = self._words.parse_known_args(["--", *words], parsed)
            for word in rest:
                if word != "--":
                    raise UsageError(f"unexpected argument {word!r}; see '{self.prog} --help'")
        on_line = frozenset(vars(parsed))
        return argparse.Namespace(
            **(values | vars(parsed)), on_command_line=on_line, chosen=on_line | frozenset(defaults)
        )

    def _check_names(self, arguments: Sequence[str]) -> None:
        """Reject unknown options, and options and values that earlier versions had."""
        names = {*HELP, *(name for action in self.declared for name in action.option_strings)}
        for argument, following in itertools.pairwise([*arguments, ""]):
            name, _, value = argument.partition("=")
            if not name.startswith("--"):
                continue
            value = value or following
            keys = [f"{self._name} {name} {value}", f"{name} {value}"]
            if name not in names:
                keys += [f"{self._name} {name}", name]
            instead = replacement(*keys)
            if instead is not None:
                raise UsageError(instead)
            if name not in names and not self.allow_abbrev:
                raise UsageError(self._explain_unknown(name))

    def _explain_unknown(self, option: str) -> str:
        from weigh.report.formats import FORMATS

        option = option.partition("=")[0]
        name = option.lstrip("-")
        if "format" in self.options and name in FORMATS:
            advice = f"write --format {name}"
        elif "html" in self.options and option in ("-o", "--output", "--out"):
            advice = "write a page with --html FILE, or text with > FILE"
        elif near := self._nearest(name):
            advice = f"did you mean '--{near}'?"
        else:
            advice = f"see '{self.prog} --help-all'"
        return f"unknown option {option!r}; {advice}"

    def _nearest(self, name: str) -> str:
        """The option that was probably meant: similar, longer or shorter; or ""."""
        import difflib

        near = []
        if len(name) > 2:
            near = [option for option in self.options if option.startswith(name)]
            near += [option for option in self.options if name.startswith(option)]
        near += difflib.get_close_matches(name.lower(), self.options, n=1, cutoff=_NEAR)
        return near[0] if near else ""

    def _check_required(self, given: Collection[str], words: Sequence[str]) -> None:
        options = [action for action in self._required if action.option_strings]
        places = [action for action in self._required if not action.option_strings]
        missing = ["/".join(a.option_strings) for a in options if a.dest not in given]
        missing += [str(action.metavar) for action in places[len(words) :]]
        if missing:
            raise UsageError(f"missing {', '.join(missing)}; {self._usage()}")

    def _usage(self) -> str:
        return f"usage: {self.prog} {self._verb.usage}"

    def format_help(self, *, everything: bool = False) -> str:
        """The help: usage, sections and an example; without `everything`, no advanced options."""
        width = terminal.columns() - 2
        entries = {
            action: _invocation(action, argument)
            for action, argument in self.declared.items()
            if everything or not argument.advanced
        }
        column = min(max((len(text) for text in entries.values()), default=0) + 4, _WIDEST)
        blocks = [self._usage(), _wrap(f"{self._summary[:1].upper()}{self._summary[1:]}.", width)]
        for section in self._verb.sections:
            lines = [
                _entry(entries[action], action.help or "", column, width)
                for action in self.declared
                if self._section_of[action] is section and action in entries
            ]
            if lines and section.about:
                lines.insert(0, _wrap(section.about, width, indent=2) + "\n")
            if lines:
                blocks.append("\n".join([f"{section.title}:", *lines]))
        hidden = len(self.declared) - len(entries)
        if hidden:
            more = plural(hidden, "more option")
            blocks.append(_wrap(f"'{self.prog} --help-all' explains {more}.", width))
        blocks.append(f"example:\n  {self._verb.example}\n")
        return "\n\n".join(blocks)


class _ShowHelp(argparse._HelpAction):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _: argparse.Namespace,
        __: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, Parser)
        terminal.write(parser.format_help(everything=option_string == "--help-all"))
        parser.exit()


def _invocation(action: argparse.Action, argument: Argument) -> str:
    """An argument as the help shows it, such as `-r, --ref REF`."""
    if not action.option_strings:
        return str(action.metavar)
    if isinstance(action, argparse.BooleanOptionalAction) and not argument.is_on:
        return action.option_strings[0]  # without --no-NAME
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {action.metavar}"


def _entry(name: str, help: str, column: int, width: int) -> str:
    """A name and its help, from `column` on; a long name has a line of its own."""
    text = _wrap(help.replace("%%", "%"), width, indent=column)
    if len(name) + 4 > column:
        return f"  {name}\n{text}"
    return f"  {name}".ljust(column) + text[column:] if text else f"  {name}"


def _wrap(text: str, width: int, *, indent: int = 0) -> str:
    import textwrap

    lines = textwrap.wrap(text, max(width - indent, 11), break_on_hyphens=False)
    return "\n".join(" " * indent + line for line in lines)
