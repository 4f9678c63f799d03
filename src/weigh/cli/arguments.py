"""Arguments of verbs, declared as data: by hand, or from the fields of a plan."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from weigh.errors import UsageError, did_you_mean
from weigh.options import (
    base_kind,
    check_option,
    default_text,
    flag_of,
    holds_several,
    kind_of,
    options_of,
    range_text,
)

if TYPE_CHECKING:
    from weigh.result import Result

Plan = TypeVar("Plan")
SEED = 12345
_MOST_DIGITS = 40
_LONGEST_TYPED = 40


@dataclass(frozen=True, slots=True)
class Argument:
    """An option or a positional argument of a verb; `settings` are those of argparse.

    `--help` leaves `advanced` options to `--help-all`. Completion offers the `choices`, several of
    them after commas if `joined`.
    """

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    advanced: bool = False
    choices: tuple[str, ...] = ()
    joined: bool = False
    is_on: bool = False  # a switch whose default is on


def argument(
    spec: str,
    help: str,
    *,
    choices: Iterable[str] = (),
    advanced: bool = False,
    **settings: Any,
) -> Argument:
    """Declare an option by its names and metavar, such as `-s --src SRC`."""
    *names, metavar = spec.split(" ")
    allowed = tuple(choices)
    what = names[-1].lstrip("-").replace("-", " ")
    kind = partial(check_choice, what=what, choices=allowed) if allowed else not_empty
    settings = {"type": kind, "metavar": metavar, "help": help, **settings}
    return Argument(tuple(names), settings, advanced, allowed)


def repeatable(spec: str, help: str, **settings: Any) -> Argument:
    """Declare an option that may be given several times."""
    return argument(spec, help, **{"action": "append", "default": [], **settings})


def several(spec: str, help: str, **settings: Any) -> Argument:
    """Declare an option that takes one or more values, and may be given several times."""
    return argument(spec, help, action="extend", nargs="+", default=[], **settings)


def switch(
    name: str,
    help: str,
    *,
    advanced: bool = False,
    default: bool | None = False,
    is_on: bool = False,
) -> Argument:
    """Declare an option that is on or off: --NAME or --no-NAME."""
    settings = {"action": _Switch, "help": help, "default": default}
    return Argument((name,), settings, advanced, is_on=is_on)


class _Switch(argparse.BooleanOptionalAction):
    def __init__(self, default: bool | None, **settings: Any) -> None:
        super().__init__(**settings)
        self.default = default  # which Python 3.11 and 3.12 would add to the help


def positional(spec: str, help: str, *, choices: Iterable[str] = (), **settings: Any) -> Argument:
    """Declare words that follow the verb, by the attribute that holds them and their metavar."""
    name, _, metavar = spec.partition(" ")
    allowed = tuple(choices)
    kind: Callable[[str], str] = not_empty
    if allowed and "nargs" not in settings:
        kind = partial(check_choice, what=name, choices=allowed)
    settings = {"type": kind, "metavar": metavar, "help": help, **settings}
    return Argument((name,), settings, choices=allowed)


def files(spec: str, help: str, **settings: Any) -> Argument:
    """Declare any number of words that follow the verb."""
    return positional(spec, help, nargs="*", default=[], **settings)


class Section(NamedTuple):
    """A section of the help."""

    title: str
    arguments: tuple[Argument, ...]
    about: str = ""


def section(title: str, *arguments: Argument | Iterable[Argument], about: str = "") -> Section:
    """A section of the help with arguments, and with those of plans."""
    flat: list[Argument] = []
    for part in arguments:
        flat += [part] if isinstance(part, Argument) else part
    return Section(title, tuple(flat), about)


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line: its arguments, and the function that runs it.

    The function takes the parsed arguments, and the plan that they describe if there is a `plan`.
    The command shows the result that it returns. A verb that writes its output itself returns an
    exit code, or None for 0.
    """

    summary: str  # empty for weigh's own verbs outside groups, which `weigh --help` describes
    usage: str
    example: str
    sections: tuple[Section, ...]
    run: Callable[..., Result | int | None]
    plan: type | None = None


def verb(
    usage: str, example: str, *sections: Section, summary: str = "", plan: type | None = None
) -> Callable[[Callable[..., Result | int | None]], Verb]:
    """Turn a function into a verb."""
    return lambda run: Verb(summary, usage, example, sections, run, plan)


# Options of plans


def plan_options(plan: Any, only: str = "", *, without: str = "") -> list[Argument]:
    """Options for the fields of a plan, or of its class: `only` these names, or all `without` some.

    The default of each option is None, so that `plan_of` keeps the plan's value.
    """
    names = only.split() or [option.name for option in options_of(plan)]
    return [
        _plan_option(option, plan)
        for option in options_of(plan)
        if option.name in names and option.name not in without.split()
    ]


def _plan_option(option: Field[Any], plan: Any) -> Argument:
    name, kind, meta = f"--{flag_of(option)}", kind_of(option), option.metadata
    default = option.default if isinstance(plan, type) else getattr(plan, option.name)
    default_help = meta["shown"]
    if default_help is None:
        has_none = default in (None, MISSING) or isinstance(default, bool)
        default_help = "" if has_none else default_text(default)
    help = f"{meta['help']} (default: {default_help})" if default_help else str(meta["help"])
    if kind == "bool":
        return switch(name, help, advanced=meta["advanced"], default=None, is_on=default is True)
    many = holds_several(kind)
    settings = {
        "metavar": meta["metavar"] or name[2:].upper(),
        "help": help,
        "type": str if kind.startswith(("Mapping", "Sequence")) else partial(_parse, option=option),
        "default": None,
        "action": "append" if many else "store",
    }
    return Argument((name,), settings, meta["advanced"], meta["choices"], joined=many)


def _parse(text: str, option: Field[Any]) -> Any:
    """Parse the text of an option of a plan."""
    if kind_of(option).startswith("tuple["):
        return tuple(_parse_value(part.strip(), option) for part in text.split(","))
    return _parse_value(text, option)


def _parse_value(text: str, option: Field[Any]) -> Any:
    base = base_kind(option)
    if base == "int":
        return whole_number(text, option.metadata["least"], option.metadata["most"])
    value: Any = text
    if base == "float":
        value = _any_number(text)
        if unfit := range_text(option, value):
            raise argparse.ArgumentTypeError(f"expected a number {unfit}, not {_shorten(text)}")
    check_option(value, option)
    return value


def plan_of(arguments: argparse.Namespace, plan: Plan, **fixed: Any) -> Plan:
    """A plan with the values of the command line and of weigh.toml in place of its own.

    `fixed` values replace those of the arguments.
    """
    values: dict[str, Any] = {}
    for option in options_of(plan):
        flag = flag_of(option)
        value = getattr(arguments, flag.replace("-", "_"), None)
        if value is None or option.name in fixed:
            continue
        kind = kind_of(option)
        if kind.startswith("Mapping"):
            value = by_metric(value, f"--{flag}")
        elif kind.startswith("tuple[") and isinstance(value, list):
            value = tuple(dict.fromkeys(part for group in value for part in group))
        values[option.name] = value
    if "seed" in arguments and "seed" in {field.name for field in fields(plan)}:  # type: ignore[arg-type]
        values["seed"] = arguments.seed
    return replace(plan, **(values | fixed))  # type: ignore[type-var]


def by_metric(texts: Iterable[str], option: str) -> dict[str, float]:
    """Parse METRIC=NUMBER texts; the keys are those of metrics in results."""
    values: dict[str, float] = {}
    for text in texts:
        first, comma, _ = text.partition(",")
        if comma and "=" in first and ":" not in first:
            raise UsageError(f"{option} {text!r}: one metric at a time; repeat {option} for others")
        metric, equals, value = text.rpartition("=")
        if not equals or not metric:
            raise UsageError(f"{option} {text!r}: expected METRIC=NUMBER, such as bleu=0.5")
        try:
            amount = _any_number(value)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"{option} {text!r}: {error}") from None
        metric = _metric_key(metric)
        if metric in values:
            raise UsageError(f"{option} {text!r}: given twice for {metric}; give it once")
        values[metric] = amount
    return values


def _metric_key(name: str) -> str:
    from weigh.metrics.registry import key_of, parse_metric

    try:
        return key_of(parse_metric(name))
    except UsageError:  # the name of a column of scores, perhaps
        return name


# Values


def not_empty(text: str) -> str:
    """Reject an empty text, such as that of an unset shell variable."""
    if not text:
        raise argparse.ArgumentTypeError("expected a value, not ''")
    return text


def check_choice(text: str, what: str, choices: Iterable[str]) -> str:
    """Raise UsageError, with the nearest choice, unless the text is one of the choices."""
    if text not in choices:
        raise UsageError(f"unknown {what} {text!r}; {did_you_mean(text, choices)}")
    return text


def whole_number(text: str, least: float | None = None, most: float | None = None) -> int:
    """Parse a whole number from `least` to `most`."""
    is_whole = text.isascii() and text.removeprefix("-").isdigit()
    # Python refuses to read very long numbers.
    value = int(text) if is_whole and len(text) <= _MOST_DIGITS else None
    is_low = value is not None and least is not None and value < least
    is_high = value is not None and most is not None and value > most
    if value is not None and not is_low and not is_high:
        return value
    if least not in (None, 1) and most is not None:
        allowed = f" from {least} to {'2^64 - 1' if most == 2**64 - 1 else most}"
    elif is_high or (is_whole and value is None):
        allowed = f" of at most {_MOST_DIGITS} digits" if most is None else f" of at most {most:,}"
    elif least is not None:
        allowed = " above 0" if least == 1 else f" of at least {least:g}"
    else:
        allowed = ""
    raise argparse.ArgumentTypeError(f"expected a whole number{allowed}, not {_shorten(text)}")


def _shorten(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_TYPED else f"{text[:_LONGEST_TYPED]}…")


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    return whole_number(text, 1, 1_000_000_000)


def counts(text: str) -> tuple[int, ...]:
    """Parse whole numbers of at least 1, separated by commas."""
    return tuple(positive(part.strip()) for part in text.split(","))


def seed(text: str) -> int:
    """Parse the seed of a random generator."""
    return whole_number(text, 0, 2**64 - 1)


def number(text: str) -> float:
    """Parse a finite number."""
    value = _any_number(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a finite number, not {_shorten(text)}")
    return value


def _any_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not {_shorten(text)}") from None


def numbers(text: str) -> tuple[float, ...]:
    """Parse numbers, separated by commas."""
    return tuple(number(part.strip()) for part in text.split(","))


def refuse(arguments: argparse.Namespace, names: str, reason: str) -> None:
    """Reject options, given by their attributes, that do not apply here."""
    for name in names.split():
        if name in arguments.on_command_line:
            raise UsageError(f"--{name.replace('_', '-')} {reason}; leave it out")


# Arguments that several verbs share

OUTPUT = (
    "a system's output, one segment per line. NAME=FILE names the system, NAME@RUN=FILE one of its "
    "runs. '-' is stdin; .gz and .zst files are decompressed"
)
OUTPUTS = files("systems SYS", OUTPUT)
COLUMNS_OF_TEXTS = (
    argument(
        "--id COL",
        "TSV column or JSON key by which segments are joined (default: id)",
        default="id",
        advanced=True,
    ),
    argument(
        "--text COL",
        "TSV column or JSON key of the text (default: text)",
        default="text",
        advanced=True,
    ),
)
SOURCES = argument("-s --src SRC", "source texts, one segment per line")
FORCE = switch("--force", "overwrite existing files")


def metrics(help: str = "", default: str = "bleu,chrf") -> Argument:
    """The metrics, with a short help where one is enough."""
    help = help or (
        "metric with options, such as bleu:tokenize=intl:lowercase; separate several with commas "
        "or repeat -m (default: bleu,chrf; 'weigh metrics' lists all)"
    )
    return replace(repeatable("-m --metric METRIC", help, default=[default]), joined=True)


METRICS = section("metrics", metrics())


def nbest(*, also: str = "") -> tuple[Argument, ...]:
    """N-best lists, references and sources; `also` names another format of lists."""
    lists = f"n-best list of Moses, Joshua or Z-MERT, or JSON lines (.jsonl){also}"
    return (
        several("--nbest FILE", f"{lists}; several are merged"),
        several(
            "-r --ref REF",
            "references, one segment per line; give several files for several references",
        ),
        SOURCES,
    )


def quiet(help: str = "print warnings, but no remarks on files and no progress bar") -> Argument:
    """The option that prints less to stderr."""
    return switch("--quiet", help)


SEED_OPTION = argument(
    "--seed N",
    f"random seed; the same seed gives the same result (default: {SEED})",
    type=seed,
    default=SEED,
)
_THREADS = argument(
    "--threads N",
    "number of threads (default: all cores)",
    type=positive,
    default=0,
    advanced=True,
)
_ENGINE = argument(
    "--engine NAME",
    "where to run: threads (this process), dask (a cluster on this machine) or dask://HOST:PORT "
    "(a remote cluster) (default: threads)",
    default="threads",
    advanced=True,
)
WORK = section("execution", SEED_OPTION, _THREADS, _ENGINE, quiet())
LOCAL_WORK = section("execution", _THREADS, quiet())  # without random draws, in this process


def output(*more: Argument, page: str, brief: str = "", last: Iterable[Argument] = ()) -> Section:
    """The section of the output: `page` says what it shows, `brief` what remains."""
    from weigh.report.formats import FORMATS

    arguments = [
        argument(
            "--format FORMAT",
            f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} (default: table, or $WEIGH_FORMAT)",
            choices=FORMATS,
            default="table",
        )
    ]
    if brief:
        arguments.append(switch("--brief", f"show only {brief}"))
    page_options = (
        argument("--html FILE", f"also write a self-contained page with {page}"),
        argument(
            "--plots DIR", "also write the pictures to this directory, as SVG files", advanced=True
        ),
    )
    return section("output", arguments, more, page_options, last)
