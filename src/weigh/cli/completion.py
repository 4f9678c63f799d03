"""`weigh completion`: shell completion of verbs, options and their values.

The scripts call `weigh completion SHELL -- WORD...`, which prints the completions of the last word,
one per line, with descriptions for shells that show them.
"""

from __future__ import annotations

import argparse
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence

from weigh.cli import app, terminal
from weigh.cli.arguments import files, positional, section, verb
from weigh.cli.parser import HELP, Parser

_LONGEST_HELP = 72
_SCRIPTS = {
    "bash": """\
# Completion of weigh for bash.
_weigh() {
    local IFS=$'\\n'
    COMPREPLY=($(command weigh completion bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
}
# Without candidates, readline completes the names of files.
complete -o default -F _weigh weigh""",
    "zsh": """\
#compdef weigh
# Completion of weigh for zsh.
_weigh() {
    local -a candidates
    candidates=("${(@f)$(command weigh completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$candidates" ]]; then
        _describe -V weigh candidates
    else
        [[ $words[CURRENT] == --*=* ]] && compset -P 1 '*='
        _files
    fi
}
if [[ $funcstack[1] == _weigh ]]; then
    _weigh "$@"
else
    compdef _weigh weigh
fi""",
    "fish": """\
# Completion of weigh for fish.
function __weigh_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -g __weigh_found (command weigh completion fish -- $words[2..] 2>/dev/null)
    test -n "$__weigh_found"
end
complete -c weigh -n __weigh_candidates -f -a '(printf "%s\\n" $__weigh_found)'""",
}


@verb(
    "bash|zsh|fish",
    "weigh completion bash > ~/.local/share/bash-completion/completions/weigh",
    section(
        "shell",
        positional("shell SHELL", "bash, zsh or fish", choices=_SCRIPTS),
        files(
            "words WORD",
            "words of a command line, to print the completions of the last one",
            type=str,
        ),
    ),
)
def run(arguments: argparse.Namespace) -> None:
    """Print the script, or candidates."""
    shell, words = arguments.shell, arguments.words
    if not words:
        terminal.write(_SCRIPTS[shell])
        return
    if shell == "bash":  # one word: the line up to the cursor
        words = _split(words[0])
    completions = candidates(words)
    if shell == "bash":
        # Readline completes what follows the last of = and : in a word.
        skipped = max(words[-1].rfind("="), words[-1].rfind(":")) + 1
        lines = [word[skipped:] for word in completions]
    elif shell == "zsh":
        lines = [
            _describe(word.replace(":", "\\:"), ":", text) for word, text in completions.items()
        ]
    else:
        lines = [_describe(word, "\t", text) for word, text in completions.items()]
    terminal.write_lines(lines)


def _split(line: str) -> list[str]:
    """The words of a line after the command's name; the last one may be empty."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:  # within quotes
        words = line.split()[1:]
    return [*words, ""] if line[-1:].isspace() or not words else words


def _describe(word: str, separator: str, text: str) -> str:
    """A candidate with the first clause of its help."""
    clause = re.split(r"[;(]", text.replace("%%", "%"))[0]
    short = textwrap.shorten(clause, _LONGEST_HELP, placeholder=" …")
    return f"{word}{separator}{short}" if short else word


def candidates(words: Sequence[str]) -> dict[str, str]:
    """Completions of the last word, with descriptions; none where a file is expected."""
    *before, word = words
    names: Mapping[str, str]
    if not before:
        names = app.summaries() | {"--help": "list the verbs", "--version": "print the version"}
        return {name: text for name, text in names.items() if name.startswith(word)}
    if before[0] == "help":
        return candidates([*before[1:], word])
    name = before[0]
    if name not in app.summaries():
        return {}
    if app.is_group(name):
        if len(before) == 1:
            names = app.summaries(name)
            return {member: text for member, text in names.items() if member.startswith(word)}
        name = f"{name} {before[1]}"
        if name not in app.verbs():
            return {}
    return _arguments(app.parser(name), before, word)


def _arguments(parser: Parser, before: Sequence[str], word: str) -> dict[str, str]:
    """Options of a verb, or values of the option before the cursor."""
    options = {name: action for action in parser.declared for name in action.option_strings}
    option, equals, value = word.partition("=")
    if equals and option in options:
        return {
            f"{option}={choice}": text
            for choice, text in _values(parser, options[option], value).items()
        }
    action = options.get(before[-1])
    if action is not None and action.nargs != 0:
        return _values(parser, action, word)
    if word.startswith("-"):
        names = dict.fromkeys(HELP[1:], "explain the verb")
        names |= {name: action.help or "" for name, action in options.items()}
        return {name: text for name, text in names.items() if name.startswith(word)}
    words = [
        choice for a in parser.declared if not a.option_strings for choice in _choices(parser, a)
    ]
    return {choice: "" for choice in words if choice.startswith(word) and choice not in before}


def _values(parser: Parser, action: argparse.Action, word: str) -> dict[str, str]:
    """The values of an option that begin as the word does; after a comma, if it takes several."""
    first, comma, rest = word.rpartition(",") if parser.declared[action].joined else ("", "", word)
    return {
        f"{first}{comma}{choice}": ""
        for choice in _choices(parser, action)
        if choice.startswith(rest)
    }


def _choices(parser: Parser, action: argparse.Action) -> Sequence[str]:
    if action.dest == "metric":
        from weigh.metrics.registry import metric_names

        return list(metric_names())
    return parser.declared[action].choices
