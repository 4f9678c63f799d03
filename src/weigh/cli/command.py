"""One command, from its arguments to its exit code and to what is said when it fails."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from weigh.cli import INTERRUPTED, defaults, terminal
from weigh.cli.parser import Parser
from weigh.errors import UsageError, WeighError, did_you_mean

# Every verb is the module of that name; it is imported when it is needed.
VERBS = {
    "score": "score systems against references",
    "compare": "tell which systems differ, and how sure that is",
    "tune": "tune the weights of n-best lists, or of a decoder, toward any metric",
    "rerank": "choose candidates of n-best lists, or learn to",
    "sample": "draw a small test set that is spread over a large one",
    "metrics": "list the metrics, their options and the tokenisers",
}

_BROKEN_PIPE = 141  # what shells report of a program that SIGPIPE has ended


class Verb(Protocol):
    """What the module of a verb offers."""

    USAGE: str
    EXAMPLE: str

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
    try:
        return _dispatch(arguments)
    except SystemExit:  # argparse, after it has printed the help
        return 0
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except WeighError as error:
        return _fail(str(error), error.exit_code)
    except MemoryError:
        return _fail("not enough memory; give fewer systems or fewer trials at a time", 1)
    except Exception as error:
        if os.environ.get("WEIGH_DEBUG"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
            1,
        )


def _fail(message: str, code: int) -> int:
    terminal.say(message)
    return code


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        raise UsageError(f"no verb given; {did_you_mean('', VERBS)}")
    word, *rest = arguments
    if word in ("-h", "--help"):
        terminal.write(overview())
        return 0
    if word == "--version":
        raise UsageError(f"unexpected argument {rest[0]!r} after --version")
    if word.startswith("-"):
        raise UsageError(f"unknown option {word!r}; {did_you_mean(word, ['--help', '--version'])}")
    if word not in VERBS:
        raise UsageError(f"unknown verb {word!r}; {did_you_mean(word, VERBS)}")
    where, table = defaults.read()
    values = {}
    if table:
        values = defaults.select(table, where, {verb: parser(verb) for verb in VERBS}, word)
    values |= defaults.from_environment()
    return _verb(word).run(parser(word).parse(rest, values))


def _verb(name: str) -> Verb:
    return cast(Verb, import_module(f"weigh.cli.{name}"))


def parser(name: str) -> Parser:
    """Return the parser of a verb's arguments."""
    verb = _verb(name)
    made = Parser(name, VERBS[name], verb.USAGE, verb.EXAMPLE)
    verb.add_arguments(made)
    return made


def overview() -> str:
    """Return what `weigh --help` prints."""
    longest = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{longest}}  {summary}" for verb, summary in VERBS.items())
    return f"""\
usage: weigh VERB ...

Is one text generation system really better than another?

verbs:
{verbs}

'weigh VERB --help' explains a verb, 'weigh --version' prints the version.
"""
