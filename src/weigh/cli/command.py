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

from weigh import plugins
from weigh.cli import INTERRUPTED, defaults, terminal
from weigh.cli.parser import Parser, Subverb
from weigh.errors import InputError, UsageError, WeighError, WeighWarning, did_you_mean
from weigh.removed import replacement

# Every verb of our own is the module of that name; it is imported when it is needed.
VERBS = {
    "score": "score systems against references",
    "compare": "tell which systems differ, and how sure that is",
    "report": "show a saved result in another format, as a page or as pictures",
    "cite": "print BibTeX for the metrics and tests that were used",
    "tune": "tune the weights of n-best lists, or of a decoder, toward any metric",
    "rerank": "choose candidates of n-best lists, or learn to",
    "sample": "draw a small test set that is spread over a large one",
    "metrics": "list the metrics, their options and the tokenisers",
    "human": "plan, check and use the judgments of people",
    "validate": "check whether tests are right: against people, samples and equal systems",
    "rypt": "score by labels that people give to the translations of source constituents",
    "serve": "let people judge in a web page, and see what their answers mean",
    "campaign": "list, close and export what people judge in the web page",
    "sacrebleu": "take sacreBLEU's arguments, print its output, with the right p-values",
    "completion": "print a script that lets a shell complete commands",
}
# Verbs that are followed by another: their module lists those as SUBVERBS.
GROUPS = ("human", "validate", "rypt", "campaign")
# Installed packages add verbs by entry points of this group. "NAME" is a module with SUMMARY and
# SUBVERBS, or with SUMMARY and what `Verb` has; "GROUP.NAME" is a Subverb of one of our groups.
# Looking them up takes time, so it is done only where no verb of our own is meant.
ADDED = "weigh.verbs"
# Verbs whose options are another tool's, which no weigh.toml changes.
_FOREIGN = ("sacrebleu",)

_BROKEN_PIPE = 141  # what shells report of a program that SIGPIPE has ended


class Verb(Protocol):
    """What the module of a verb offers, or a group of verbs for each."""

    @property
    def USAGE(self) -> str:  # noqa: N802
        """What stands after the verb."""
        ...

    @property
    def EXAMPLE(self) -> str:  # noqa: N802
        """One command that may be tried."""
        ...

    def add_arguments(self, parser: Parser) -> None:
        """Say what the verb takes."""
        ...

    def run(self, arguments: Namespace) -> int:
        """Do the work and return the exit code."""
        ...


def execute(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; an error becomes one line on stderr."""
    # NumPy's algebra library starts threads when it is loaded, which takes as long as scoring a
    # system does; weigh multiplies no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What a command reads it keeps until it ends, so that looking for garbage after every few
    # hundred objects finds none and takes a sixth of the time of large lists.
    gc.set_threshold(100_000)
    try:
        return _dispatch(arguments)
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except WeighError as error:
        return _fail(str(error), error.exit_code)
    except MemoryError:
        return _fail(_out_of_memory(), 1)
    except (Exception, SystemExit) as error:  # nothing that a verb runs may end it unsaid
        if os.environ.get("WEIGH_DEBUG"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
            1,
        )


def _out_of_memory() -> str:
    """Return what to say of a lack of memory: where it was met, if a file was being read."""
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
    if arguments[0] == "help":  # as other programs have it: weigh help compare
        arguments = [*arguments[1:], "--help"]
    word, *rest = arguments
    if word in ("-h", "--help"):
        terminal.write(overview())
        return 0
    if word == "--version":
        raise UsageError(f"unexpected argument {rest[0]!r} after --version")
    if word.startswith("-"):
        raise UsageError(f"unknown option {word!r}; {did_you_mean(word, ['--help', '--version'])}")
    if word not in VERBS and word not in _names():
        instead = replacement(word) or f"unknown verb {word!r}; {did_you_mean(word, _names())}"
        raise UsageError(instead)
    if _is_group(word):
        if rest[:1] in (["-h"], ["--help"]):
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
        # The command prints what results remark on, whichever package the verb belongs to.
        warnings.simplefilter("ignore", WeighWarning)
        return _verb(word).run(parsed)


def _where(arguments: Namespace) -> AbstractContextManager[None]:
    """Return where the work of a verb is done, as --engine says."""
    name = getattr(arguments, "engine", "threads")
    if name == "threads":
        return nullcontext()
    from weigh.engine.executors import engine

    return engine(name)


def _with_subverb(group: str, rest: Sequence[str]) -> list[str]:
    """Return the arguments with the verb and the one after it as one word."""
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
    """The names of all verbs, or of those of a group; no module of another package is loaded."""
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
    """Import a verb of another package and check that it has all that a verb needs."""
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
    """Return all verbs, or those of a group, with a line on each."""
    own = {name: verb.summary for name, verb in _module(group).SUBVERBS.items()} if group else VERBS
    return own | {name: _summary(verb) for name, verb in _added(group).items()}


def _summary(verb: Any) -> str:
    return str(verb.summary if isinstance(verb, Subverb) else verb.SUMMARY)


def groups() -> list[str]:
    """Return the verbs that are followed by another."""
    return [verb for verb in summaries() if _is_group(verb)]


def verbs() -> dict[str, str]:
    """Return all that can be run, such as `score` and `human rank`, with a line on each."""
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
    """Return the parser of a verb's arguments."""
    verb = _verb(name)
    made = Parser(name, VERBS.get(name) or _summary(verb), verb.USAGE, verb.EXAMPLE)
    verb.add_arguments(made)
    return made


def overview(group: str = "") -> str:
    """Return what `weigh --help` prints, or `--help` after a verb that others follow."""
    known = summaries(group)
    longest = max(map(len, known))
    lines = "\n".join(f"  {verb:<{longest}}  {summary}" for verb, summary in known.items())
    start = f"weigh {group}".rstrip()
    about = "Is one text generation system really better than another?"
    if group:
        line = VERBS.get(group) or _summary(_module(group))
        about = f"{line[0].upper()}{line[1:]}."
    version = "" if group else ", 'weigh --version' prints the version"
    return f"""\
usage: {start} VERB ...

{about}

verbs:
{lines}

'{start} VERB --help' explains a verb{version}.
"""
