"""Run a command: from its arguments to its exit code."""

from __future__ import annotations

import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from weigh import __version__
from weigh.cli import INTERRUPTED, defaults, output, terminal
from weigh.cli.arguments import Verb, plan_of
from weigh.cli.parser import HELP, Parser
from weigh.errors import InputError, UsageError, WeighError, WeighWarning, did_you_mean
from weigh.removed import replacement

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Gate

# The sections of `weigh --help` and their verbs. A verb's module is imported when it is needed: its
# `run` is a Verb, or it is a group with VERBS. The last section also lists verbs of other packages.
SECTIONS = {
    "compare and score": {
        "compare": "find out which systems really differ, and how certain that is",
        "score": "score systems by one or more metrics",
        "report": "show a saved result in another format, as a page or as pictures",
    },
    "human evaluation": {
        "human": "plan, check and analyse human judgments",
        "serve": "collect human judgments on a web page",
        "campaign": "list, close, export and back up the campaigns of weigh serve",
        "rypt": "score systems by human labels of translated source constituents",
    },
    "tune": {
        "tune": "tune feature weights on n-best lists, or with a decoder",
        "rerank": "choose candidates from n-best lists, or train a model that does",
    },
    "research and utilities": {
        "validate": "measure how often significance tests are right",
        "sample": "draw a smaller test set from a large one",
        "metrics": "list the metrics, their options and the tokenisers",
        "cite": "print BibTeX for the metrics and tests of a result",
        "sacrebleu": "accept sacreBLEU's arguments and print its output, with sound p-values",
        "completion": "print a completion script for bash, zsh or fish",
    },
}
VERBS = {verb: summary for verbs in SECTIONS.values() for verb, summary in verbs.items()}
# Installed packages add verbs by entry points of this group. "NAME" is a module whose `run` is a
# Verb, or which has SUMMARY and VERBS; "GROUP.NAME" is a Verb that joins one of our groups. The
# lookup is slow, so it is done only if the verb is not one of ours.
ADDED = "weigh.verbs"
# Verbs with another tool's options, which weigh.toml does not change.
_FOREIGN = ("sacrebleu",)

_BROKEN_PIPE = 141  # the exit code that shells report after SIGPIPE


def execute(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; an error becomes one line on stderr."""
    # OpenBLAS starts threads when it is loaded, which takes as long as scoring a system does;
    # weigh multiplies no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return _dispatch(arguments)
    except BrokenPipeError:  # of a reader such as `head`
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except WeighError as error:
        return _fail(str(error), error.exit_code)
    except MemoryError:
        return _fail(_out_of_memory(), 1)
    except RecursionError:
        return _fail("the input is nested too deeply; flatten it", 1)
    except OSError as error:  # such as a name that is too long, or a disk that fails
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 1)
    except (Exception, SystemExit) as error:  # a library may even exit
        if _is_interrupted(error):
            return _fail("interrupted", INTERRUPTED)
        if os.environ.get("WEIGH_DEBUG"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
            1,
        )


def _is_interrupted(error: BaseException | None) -> bool:
    """Whether the error came up while an interrupt was being handled, as argparse's may."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _out_of_memory() -> str:
    """The message for a lack of memory, with the file that was being read."""
    reading = sys.modules.get("weigh.read.text")
    name = None if reading is None else reading.being_read
    if name is None:
        return "not enough memory; give fewer systems or fewer trials at a time"
    return f"{name}: not enough memory to read it; give a smaller file, or fewer at a time"


def _fail(message: str, code: int) -> int:
    terminal.say(message)
    return code


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        _check_verb([])
    if arguments[0] == "help":  # weigh help compare
        arguments = [*arguments[1:], "--help"]
    word, *rest = arguments
    if word in HELP:
        terminal.write(overview(everything=word == "--help-all"))
        return 0
    if word == "--version":
        if rest:
            raise UsageError(f"unexpected argument {rest[0]!r} after --version")
        terminal.write(f"weigh {__version__}")
        return 0
    if word.startswith("-"):
        raise UsageError(f"unknown option {word!r}; {did_you_mean(word, ['--help', '--version'])}")
    if word not in VERBS:
        _check_verb([word])
    if is_group(word):
        if rest[:1] and rest[0] in HELP:
            terminal.write(group_overview(word))
            return 0
        _check_verb(rest, word)
        word, rest = f"{word} {rest[0]}", rest[1:]
    needs_defaults = word not in _FOREIGN and not {*HELP} & {*rest}
    try:
        parsed = parser(word).parse(rest, _defaults(word) if needs_defaults else {})
    except SystemExit:  # argparse, after it has printed the help
        return 0
    is_quiet = bool(getattr(parsed, "quiet", False))
    with _engine(parsed), terminal.quiet(is_quiet), warnings.catch_warnings():
        # The command prints the remarks of results, also for verbs of other packages.
        warnings.simplefilter("ignore", WeighWarning)
        return _perform(find_verb(word), parsed)


def _defaults(name: str) -> dict[str, Any]:
    """Defaults of a verb's options from weigh.toml and from the environment."""
    where, table = defaults.read()
    values = {}
    if table:
        parsers = {name: parser(name)}
        options = parsers[name].options
        if not all(
            key == name or (key in options and not isinstance(value, dict))
            for key, value in table.items()
        ):  # names of other verbs and their options are checked too, which takes longer
            parsers = {verb: parser(verb) for verb in verbs() if verb not in _FOREIGN}
        values = defaults.select(table, where, parsers, name)
    return values | defaults.from_environment()


def _perform(verb: Verb, arguments: Namespace) -> int:
    """Run a verb, show its result and return the exit code."""
    output.check(arguments)
    if verb.plan is None:
        result = verb.run(arguments)
    else:
        result = verb.run(arguments, plan_of(arguments, verb.plan()))
    if result is None or isinstance(result, int):
        return result or 0
    terminal.warn(getattr(result, "warnings", ()))
    terminal.remark(*getattr(result, "remarks", ()))
    output.present(result, arguments)
    return _exit_code(getattr(result, "gate", None))


_GATES = {
    "pass": (0, "gate passed"),
    "fail": (3, "gate failed"),
    "inconclusive": (4, "gate inconclusive"),
}


def _exit_code(gate: Gate | None) -> int:
    """The exit code; a gate's verdict is explained on stderr, whatever the format."""
    if gate is None:
        return 0
    from weigh.report.findings import gate_reasons

    code, verdict = _GATES[gate.verdict]
    terminal.say(f"{verdict}: {'; '.join(gate_reasons(gate))}")
    return code


def _engine(arguments: Namespace) -> AbstractContextManager[None]:
    """The context in which the verb runs, by --engine."""
    name = getattr(arguments, "engine", "threads")
    if name == "threads":
        return nullcontext()
    from weigh.engine.executors import engine

    return engine(name)


def _check_verb(words: Sequence[str], group: str = "") -> None:
    """Reject words that do not begin with a verb, or with a verb of the group."""
    names = _names(group)
    where, command = (f"{group}: ", f"weigh {group}") if group else ("", "weigh")
    if not words:
        raise UsageError(f"{where}no verb given; {did_you_mean('', names)}; see '{command} --help'")
    [word, *_] = words
    if word not in names:
        raise UsageError(
            replacement(f"{group} {word}".lstrip())
            or f"{where}unknown verb {word!r}; {did_you_mean(word, names)}"
        )


# Verbs, our own and those of other packages


def _names(group: str = "") -> list[str]:
    """The names of all verbs, or of a group's; imports no other package."""
    names = _module(group).VERBS if group else VERBS
    return [*dict.fromkeys([*names, *_entries(group)])]


def _entries(group: str) -> dict[str, str]:
    """The entry points of verbs that packages add at the top or to a group, by the verb's name."""
    from weigh import plugins

    entries = {entry: entry.rpartition(".") for entry in plugins.entries(ADDED)}
    return {name: entry for entry, (within, _, name) in entries.items() if within == group}


@cache
def _added_verbs(group: str = "") -> dict[str, Any]:
    """Verbs that installed packages add, at the top or to a group, without faulty ones."""
    ours = _module(group).VERBS if group else VERBS
    added: dict[str, Any] = {}
    for name, entry in _entries(group).items():
        try:
            if name in ours:
                raise InputError(f"{_origin(entry)} is not used: weigh has its own")
            added[name] = _load(entry)
        except WeighError as error:
            terminal.say(str(error))
    return added


def _origin(entry: str) -> str:
    from weigh import plugins

    return f"verb {entry!r} of {plugins.package_of(ADDED, entry)}"


def _load(entry: str) -> Any:
    """Import a verb, or the module of a verb or of a group, from another package."""
    from weigh import plugins

    loaded = plugins.load(ADDED, entry)
    if "." in entry:
        is_valid, problem = isinstance(loaded, Verb), "is not a Verb"
    else:
        is_group = hasattr(loaded, "VERBS") and hasattr(loaded, "SUMMARY")
        is_valid = is_group or isinstance(getattr(loaded, "run", None), Verb)
        problem = "has neither a Verb called run, nor SUMMARY and VERBS"
    if is_valid:
        return loaded
    raise InputError(f"{_origin(entry)} {problem}; repair or uninstall the package")


def _module(name: str) -> Any:
    """The module of a verb or of a group of verbs, our own or another package's."""
    return import_module(f"weigh.cli.{name}") if name in VERBS else _load(name)


def is_group(name: str) -> bool:
    """Whether this is a group of verbs, such as `human`."""
    return hasattr(_module(name), "VERBS")


def find_verb(name: str) -> Verb:
    """The verb of a name, such as `score` or `human rank`."""
    group, _, member = name.partition(" ")
    module = _module(group)
    if not member:
        return cast(Verb, module.run)
    return cast(Verb, module.VERBS.get(member) or _load(f"{group}.{member}"))


def parser(name: str) -> Parser:
    """The parser of a verb's arguments."""
    return Parser(name, find_verb(name), VERBS.get(name, ""))


def summaries(group: str = "") -> dict[str, str]:
    """All verbs, or those of a group, with their summaries."""
    names = {name: verb.summary for name, verb in _module(group).VERBS.items()} if group else VERBS
    return names | {name: _summary(loaded) for name, loaded in _added_verbs(group).items()}


def _summary(loaded: Any) -> str:
    if isinstance(loaded, Verb):
        return loaded.summary
    return str(loaded.SUMMARY if hasattr(loaded, "VERBS") else loaded.run.summary)


def verbs() -> dict[str, str]:
    """All verbs and verbs of groups, such as `score` and `human rank`, with their summaries."""
    listed: dict[str, str] = {}
    for name, summary in summaries().items():
        if is_group(name):
            listed |= {f"{name} {member}": line for member, line in summaries(name).items()}
        else:
            listed[name] = summary
    return listed


def sections() -> dict[str, list[str]]:
    """The names of verbs by section of the help."""
    listed = {title: list(names) for title, names in SECTIONS.items()}
    listed["research and utilities"] += [name for name in summaries() if name not in VERBS]
    return listed


def overview(*, everything: bool = False) -> str:
    """The text of `weigh --help`; with `everything`, it lists the verbs of groups too."""
    lines = verbs() if everything else summaries()
    listed = {
        title: {name: text for name, text in lines.items() if name.split(" ")[0] in names}
        for title, names in sections().items()
    }
    return _listing(
        "weigh",
        "Find out which systems really differ, and which ranks hold.",
        listed,
        "'weigh VERB --help' explains a verb, 'weigh --help-all' also lists the verbs of each\n"
        "group, and 'weigh --version' prints the version.",
    )


def group_overview(group: str) -> str:
    """The text of `--help` after a group of verbs."""
    summary = VERBS.get(group) or _summary(_module(group))
    return _listing(
        f"weigh {group}",
        f"{summary[0].upper()}{summary[1:]}.",
        {"verbs": summaries(group)},
        f"'weigh {group} VERB --help' explains a verb.",
    )


def _listing(command: str, about: str, verbs: Mapping[str, Mapping[str, str]], closing: str) -> str:
    """The help of a command that is followed by a verb: the verbs by section."""
    longest = max(len(name) for lines in verbs.values() for name in lines)
    sections = "\n".join(
        f"{title}:\n" + "".join(f"  {name:<{longest}}  {text}\n" for name, text in lines.items())
        for title, lines in verbs.items()
    )
    return f"usage: {command} VERB ...\n\n{about}\n\n{sections}\n{closing}\n"
