"""`weigh completion`: shell completion of verbs, options and their values.

The script contains all words, so that completion does not start Python.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from weigh.cli import command, terminal
from weigh.cli.parser import Parser, one_of
from weigh.report.formats import FORMATS

USAGE = "bash|zsh|fish"
EXAMPLE = "weigh completion bash > ~/.local/share/bash-completion/completions/weigh"

_LONGEST_HELP = 72
_TOP = ("--help", "--version")


class _Option(NamedTuple):
    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...]
    several: bool  # with commas


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument_group("shell").add_argument(
        "shell", metavar="SHELL", type=one_of("shell", _SCRIPTS), help="bash, zsh or fish"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    options = {verb: _options(command.parser(verb)) for verb in command.verbs()}
    terminal.write(_SCRIPTS[arguments.shell](options))
    return 0


def _options(parser: Parser) -> list[_Option]:
    return [
        _Option(
            tuple(action.option_strings),
            _shorten(action.help or ""),
            action.nargs != 0,
            _values(action),
            action.dest == "metric" or isinstance(action, argparse._AppendAction),
        )
        for action in parser._actions
        if action.option_strings
    ]


def _shorten(text: str) -> str:
    """The first clause of an option's help, on one line."""
    clause = re.split(r"[;(]", text.replace("%%", "%"))[0]
    return textwrap.shorten(clause, _LONGEST_HELP, placeholder=" …")


def _values(action: argparse.Action) -> tuple[str, ...]:
    """The values of an option with a fixed set of them."""
    if known := action.choices or vars(action).get("known"):
        return tuple(map(str, known))
    if action.dest == "format":
        return tuple(FORMATS)
    if action.dest == "metric":
        from weigh.metrics.registry import metric_names

        return tuple(metric_names())
    return ()


def _quote(text: str) -> str:
    """Quote a text for bash or zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _join(words: Iterable[str]) -> str:
    return " ".join(words)


def _options_with_values(options: Mapping[str, Sequence[_Option]]) -> dict[str, _Option]:
    """Options with known values, by the shell pattern of verb and option before the cursor."""
    return {
        "|".join(_quote(f"{verb} {name}") for name in option.names): option
        for verb, known in options.items()
        for option in known
        if option.values
    }


def _bash(options: Mapping[str, Sequence[_Option]]) -> str:
    groups = "\n".join(
        f"        {group}) [ $COMP_CWORD -eq 2 ] && "
        f"words={_quote(_join(command.summaries(group)))}\n"
        '            verb+=" ${COMP_WORDS[2]}" ;;'
        for group in command.groups()
    )
    values = "\n".join(
        f"        {pattern}) words={_quote(_join(option.values))}"
        + ' several=${word%"${word##*,}"}' * option.several
        + " ;;"
        for pattern, option in _options_with_values(options).items()
    )
    names = "\n".join(
        f"            {_quote(verb)}) words="
        f"{_quote(_join(name for option in known for name in option.names))} ;;"
        for verb, known in options.items()
    )
    return f"""\
# Completion of weigh for bash.
_weigh() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} words= several= at=$COMP_CWORD
    # Readline parts words at : and =: --format=json is three, as is bleu:lowercase,chrf.
    [ "$word" = = ] && word=
    while [[ $at -gt 1 && ( $word == *,* || ${{COMP_WORDS[at-2]}} == --* ) &&
        ${{COMP_WORDS[at-1]}} != -* && ${{COMP_WORDS[at-1]}}${{COMP_WORDS[at]}} == *[:=]* ]]; do
        ((at--))
    done
    local before=${{COMP_WORDS[at-1]}}
    [ "$COMP_CWORD" -eq 1 ] && words={_quote(_join([*command.summaries(), *_TOP]))}
    case $verb in
{groups}
    esac
    case "$verb $before" in
{values}
    esac
    if [[ -z $words && $word == -* ]]; then
        case $verb in
{names}
        esac
    fi
    # Without words to choose from, readline completes the names of files.
    COMPREPLY=($(compgen -P "$several" -W "$words" -- "${{word#"$several"}}"))
}}
complete -o default -F _weigh weigh
"""


def _describe(words: Mapping[str, str]) -> str:
    """Words with descriptions for `_describe` of zsh."""
    return " ".join(_quote(f"{word}:{text}") for word, text in words.items())


def _zsh(options: Mapping[str, Sequence[_Option]]) -> str:
    groups = "\n".join(
        f"        ({group}) if (( CURRENT == 3 )); then\n"
        f"                known=({_describe(command.summaries(group))})\n"
        "                _describe verb known\n"
        "                return\n"
        "            fi\n"
        '            verb+=" $words[3]" ;;'
        for group in command.groups()
    )
    values = "\n".join(
        f"        ({pattern}) "
        + "compset -P '*,'; " * option.several
        + f"compadd -- {_join(option.values)}; return ;;"
        for pattern, option in _options_with_values(options).items()
    )
    names = "\n".join(
        f"            ({_quote(verb)}) known=("
        + _describe({name: option.help for option in known for name in option.names})
        + ") ;;"
        for verb, known in options.items()
    )
    return f"""\
#compdef weigh
# Completion of weigh for zsh.
_weigh() {{
    local verb=$words[2]
    local -a known
    if (( CURRENT == 2 )); then
        known=({_describe(command.summaries())})
        _describe verb known
        return
    fi
    case $verb in
{groups}
    esac
    local before=$words[CURRENT-1]
    if [[ $words[CURRENT] == --*=* ]]; then
        before=${{words[CURRENT]%%=*}}
        compset -P 1 '*='
    fi
    case "$verb $before" in
{values}
    esac
    if [[ $words[CURRENT] == -* && $words[CURRENT] != *=* ]]; then
        case $verb in
{names}
        esac
        _describe -o option known
    else
        _files
    fi
}}
if [[ $funcstack[1] == _weigh ]]; then
    _weigh "$@"
else
    compdef _weigh weigh
fi
"""


def _quote_for_fish(text: str) -> str:
    """Quote a text for fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish_option(verb: str, option: _Option) -> str:
    parts = [f"complete -c weigh -n {_quote_for_fish(f'__weigh_after {verb}')}"]
    for name in option.names:
        kind = "-l" if name.startswith("--") else "-s" if len(name) == 2 else "-o"
        parts.append(f"{kind} {name.lstrip('-')}")
    if option.values:
        values = _join(option.values)
        parts.append(
            f"-x -a {_quote_for_fish(f'(__weigh_several {values})' if option.several else values)}"
        )
    elif option.takes_value:
        parts.append("-r")
    return " ".join([*parts, "-d", _quote_for_fish(option.help)])


def _fish(options: Mapping[str, Sequence[_Option]]) -> str:
    lines = [
        f"complete -c weigh -n {_quote_for_fish(f'__weigh_exactly {group}'.rstrip())} -f "
        f"-a {name} -d {_quote_for_fish(text)}"
        for group in ("", *command.groups())
        for name, text in command.summaries(group).items()
    ]
    lines += [_fish_option(verb, option) for verb, known in options.items() for option in known]
    every = "\n".join(lines)
    return f"""\
# Completion of weigh for fish.
function __weigh_exactly
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
function __weigh_after
    set -l words (commandline -opc)
    set -l last (math 1 + (count $argv))
    test "$words[2..$last]" = "$argv"
end
function __weigh_several
    set -l word (commandline -ct)
    set -l before (string replace -r '^(--[^=]*=|-.)' '' -- "$word" | string replace -r '[^,]*$' '')
    printf '%s\\n' "$before"$argv
end
{every}
"""


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
