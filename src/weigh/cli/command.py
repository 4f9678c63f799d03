"""One command, from its arguments to its exit code and to what is said when it fails."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from weigh import __version__, plugins
from weigh.cli import INTERRUPTED, defaults, terminal
from weigh.cli.parser import Parser, Subverb
from weigh.errors import InputError, UsageError, WeighError, WeighWarning, did_you_mean
from weigh.removed import replacement

# The sections of `weigh --help`, and the verbs in each. A verb is the module of that name, which is
# imported when it is needed. Verbs of other packages stand in the last section.
SECTIONS = {
    "compare and score": {
        "compare": "find out which systems really differ, and how certain that is",
        "score": "score systems by one or more metrics",
        "report": "show a saved result in another format, as a page or as pictures",
    },
    "people": {
        "human": "plan, check and analyse human judgments",
        "serve": "collect human judgments in a web page",
        "campaign": "list, close, export and back up the campaigns of weigh serve",
        "rypt": "score systems by human labels of translated source constituents",
    },
    "tune": {
        "tune": "tune feature weights on n-best lists, or with a decoder",
        "rerank": "choose candidates from n-best lists, or train a model that does",
    },
    "lab and helpers": {
        "validate": "measure how often significance tests are right",
        "sample": "draw a smaller test set from a large one",
        "metrics": "list the metrics, their options and the tokenisers",
        "cite": "print BibTeX for the metrics and tests of a result",
        "sacrebleu": "accept sacreBLEU's arguments and print its output, with sound p-values",
        "completion": "print a completion script for bash, zsh or fish",
    },
}
VERBS = {verb: summary for verbs in SECTIONS.values() for verb, summary in verbs.items()}
# Verbs that are followed by another one; SUBVERBS of their module lists those.
GROUPS = ("human", "validate", "rypt", "campaign")
# Installed packages add verbs by entry points of this group. "NAME" is a module with SUMMARY and
# SUBVERBS, or with SUMMARY and the attributes of `Verb`; "GROUP.NAME" is a Subverb of one of our
# groups. The lookup is slow, so it is done only if the verb is not one of ours.
ADDED = "weigh.verbs"
# Verbs with another tool's options, which weigh.toml does not change.
_FOREIGN = ("sacrebleu",)

_BROKEN_PIPE = 141  # the exit code that shells report after SIGPIPE
_HELP = ("-h", "--help", "--help-all")


class Verb(Protocol):
    """The attributes of a verb's module, and of each Subverb of a group."""

    @property
    def USAGE(self) -> str:  # noqa: N802
        """The arguments that follow the verb."""
        ...

    @property
    def EXAMPLE(self) -> str:  # noqa: N802
        """One worked example."""
        ...

    def add_arguments(self, parser: Parser) -> None:
        """Declare the arguments."""
        ...

    def run(self, arguments: Namespace) -> int:
        """Run the verb and return the exit code."""
        ...


def execute(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; an error becomes one line on stderr."""
    # OpenBLAS starts threads when it is loaded, which takes as long as scoring a system does;
    # weigh multiplies no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command keeps what it reads until it ends: frequent collections would find no garbage and
    # take a sixth of the time on large lists.
    gc.set_threshold(100_000)
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
    except (Exception, SystemExit) as error:  # a library may even exit
        if os.environ.get("WEIGH_DEBUG"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
            1,
        )


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
        raise UsageError(f"no verb given; {did_you_mean('', _names())}; see 'weigh --help'")
    if arguments[0] == "help":  # weigh help compare
        arguments = [*arguments[1:], "--help"]
    word, *rest = arguments
    if word in _HELP:
        terminal.write(overview())
        return 0
    if word == "--version":
        if rest:
            raise UsageError(f"unexpected argument {rest[0]!r} after --version")
        terminal.write(f"weigh {__version__}")
        return 0
    if word.startswith("-"):
        raise UsageError(f"unknown option {word!r}; {did_you_mean(word, ['--help', '--version'])}")
    if word not in VERBS and word not in _names():
        instead = replacement(word) or f"unknown verb {word!r}; {did_you_mean(word, _names())}"
        raise UsageError(instead)
    if _is_group(word):
        if rest[:1] and rest[0] in _HELP:
            terminal.write(overview(word))
            return 0
        word, *rest = _with_subverb(word, rest)
    where, table = defaults.read()
    values = {}
    if word not in _FOREIGN:
        if table:
            own = [verb for verb in verbs() if verb not in _FOREIGN]
            values = defaults.select(table, where, {verb: parser(verb) for verb in own}, word)
        values |= defaults.from_environment()
    try:
        parsed = parser(word).parse(rest, values)
    except SystemExit:  # argparse, after it has printed the help
        return 0
    with _where(parsed), warnings.catch_warnings():
        # The command prints the remarks of results, also for verbs of other packages.
        warnings.simplefilter("ignore", WeighWarning)
        return _verb(word).run(parsed)


def _where(arguments: Namespace) -> AbstractContextManager[None]:
    """The context in which the verb runs, by --engine."""
    name = getattr(arguments, "engine", "threads")
    if name == "threads":
        return nullcontext()
    from weigh.engine.executors import engine

    return engine(name)


def _with_subverb(group: str, rest: Sequence[str]) -> list[str]:
    """The arguments with group and subverb joined to one word."""
    if not rest:
        known = _names(group)
        raise UsageError(
            f"{group}: no verb given; {did_you_mean('', known)}; see 'weigh {group} --help'"
        )
    name = rest[0]
    if name not in _module(group).SUBVERBS and name not in _names(group):
        raise UsageError(
            replacement(f"{group} {name}")
            or f"{group}: unknown verb {name!r}; {did_you_mean(name, _names(group))}"
        )
    return [f"{group} {name}", *rest[1:]]


def _names(group: str = "") -> list[str]:
    """The names of all verbs, or of a group's; imports no other package."""
    own = [*_module(group).SUBVERBS] if group else [*VERBS]
    added = (name.rpartition(".") for name in plugins.entries(ADDED))
    return [*dict.fromkeys([*own, *(name for within, _, name in added if within == group)])]


@cache
def _added(group: str = "") -> dict[str, Any]:
    """The verbs that installed packages add, or those of a group; faulty ones are left out."""
    own = _module(group).SUBVERBS if group else VERBS
    found: dict[str, Any] = {}
    for entry in plugins.entries(ADDED):
        within, _, name = entry.rpartition(".")
        if within != group:
            continue
        if name in own:
            package = plugins.package_of(ADDED, entry)
            terminal.say(f"verb {entry!r} of {package} is not used: weigh has its own")
            continue
        try:
            found[name] = _load(entry)
        except WeighError as error:
            terminal.say(str(error))
    return found


def _load(entry: str) -> Any:
    """Import a verb of another package and check its attributes."""
    verb = plugins.load(ADDED, entry)
    if isinstance(verb, Subverb):
        return verb
    needed = ["SUMMARY", "SUBVERBS"]
    if not hasattr(verb, "SUBVERBS"):
        needed = ["SUMMARY", "USAGE", "EXAMPLE", "add_arguments", "run"]
    missing = [name for name in needed if not hasattr(verb, name)]
    if missing or "." in entry:
        reason = f"has no {missing[0]}" if missing else "is no Subverb"
        raise InputError(
            f"verb {entry!r} of {plugins.package_of(ADDED, entry)} {reason}; repair or uninstall "
            "the package"
        )
    return verb


def _module(verb: str) -> Any:
    """The module of a verb or of a group of verbs, our own or another package's."""
    return import_module(f"weigh.cli.{verb}") if verb in VERBS else _load(verb)


def _is_group(verb: str) -> bool:
    return verb in GROUPS if verb in VERBS else hasattr(_module(verb), "SUBVERBS")


def summaries(group: str = "") -> dict[str, str]:
    """All verbs, or those of a group, with a line on each."""
    own = {name: verb.summary for name, verb in _module(group).SUBVERBS.items()} if group else VERBS
    return own | {name: _summary(verb) for name, verb in _added(group).items()}


def _summary(verb: Any) -> str:
    return str(verb.summary if isinstance(verb, Subverb) else verb.SUMMARY)


def groups() -> list[str]:
    """The verbs that are followed by another one."""
    return [verb for verb in summaries() if _is_group(verb)]


def verbs() -> dict[str, str]:
    """Everything that can be run, such as `score` and `human rank`, with a line on each."""
    found: dict[str, str] = {}
    for verb, summary in summaries().items():
        if _is_group(verb):
            found |= {f"{verb} {name}": line for name, line in summaries(verb).items()}
        else:
            found[verb] = summary
    return found


def _verb(name: str) -> Verb:
    group, _, member = name.partition(" ")
    module = _module(group)
    if not member:
        return cast(Verb, module)
    own = cast(Mapping[str, Subverb], module.SUBVERBS)
    return own[member] if member in own else cast(Verb, _load(f"{group}.{member}"))


def parser(name: str) -> Parser:
    """The parser of a verb's arguments."""
    verb = _verb(name)
    made = Parser(name, VERBS.get(name) or _summary(verb), verb.USAGE, verb.EXAMPLE)
    verb.add_arguments(made)
    return made


def sections() -> dict[str, list[str]]:
    """The verbs by section of the help; those of other packages stand in the last one."""
    listed = {title: list(verbs) for title, verbs in SECTIONS.items()}
    listed["lab and helpers"] += [verb for verb in summaries() if verb not in VERBS]
    return listed


def overview(group: str = "") -> str:
    """The text of `weigh --help`, or of `--help` after a group of verbs."""
    known = summaries(group)
    longest = max(map(len, known))
    start = f"weigh {group}".rstrip()
    if group:
        line = VERBS.get(group) or _summary(_module(group))
        about = f"{line[0].upper()}{line[1:]}."
        listed = {"verbs": list(known)}
        version = ""
    else:
        about = "Find out which systems really differ, and which ranks hold."
        listed = sections()
        version = ", 'weigh --version' prints the version"
    listing = "\n".join(
        f"{title}:\n" + "".join(f"  {verb:<{longest}}  {known[verb]}\n" for verb in verbs)
        for title, verbs in listed.items()
    )
    return f"""\
usage: {start} VERB ...

{about}

{listing}
'{start} VERB --help' explains a verb{version}.
"""
