"""Dataclass fields that are options: of metrics, and of plans on the command line.

A field knows its help text, its choices and its bounds once; the command's options, `weigh.toml`,
the defaults in the help, metric specifications and the checks are made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

from weigh.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    import argparse

Plan = TypeVar("Plan")


class Chosen(str):
    """A tokeniser that weigh chose for a metric, since its option left that to the references.

    The specification that names the metric leaves it out, as the user did.
    """

    __slots__ = ()


def option(
    default: Any,
    help: str,
    *,
    choices: Iterable[str] = (),
    metavar: str = "",
    flag: str = "",
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    parse: Callable[[str], Any] | None = None,
    shown: str | None = None,
    advanced: bool = False,
) -> Any:
    """Declare a field of a dataclass as an option that users may set.

    `flag` is the option's name on the command line where it is not the field's. Numbers lie
    between `least` and `most`, both allowed, or between `above` and `below`, both not. `parse`
    turns what was typed into a value where the field's type does not say how; `shown` is what
    the help says of the default where the default itself would not be understood. `--help` leaves
    `advanced` options to `--help-all`.
    """
    metadata = {
        "help": help,
        "choices": tuple(choices),
        "metavar": metavar,
        "flag": flag,
        "least": least,
        "most": most,
        "above": above,
        "below": below,
        "parse": parse,
        "shown": shown,
        "advanced": advanced,
    }
    if isinstance(default, list | dict | set):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


LEAST_SHARE = 1e-12
"""Shares below are of no use to anybody, and what is computed of them is out of range."""


def share(default: float | tuple[float, ...], help: str, **more: Any) -> Any:
    """Declare an option that is a share, such as a level, between 0 and 1."""
    return option(default, help, metavar="SHARE", least=LEAST_SHARE, above=0, below=1, **more)


def count(default: int | tuple[int, ...] | None, help: str, *, least: int = 1, **more: Any) -> Any:
    """Declare an option that counts things."""
    return option(default, help, metavar="N", least=least, **more)


def options_of(owner: Any) -> tuple[Field[Any], ...]:
    """Return the options of a metric, of a plan, or of the class of one."""
    known = fields(owner) if is_dataclass(owner) else ()
    return tuple(f for f in known if "help" in f.metadata)


def kind_of(chosen: Field[Any]) -> str:
    """Return the kind of an option's value, whether its annotation is a text or a type."""
    return chosen.type.__name__ if isinstance(chosen.type, type) else str(chosen.type)


def check_metric_options(metric: Any) -> None:
    """Raise UsageError if an option of a metric has a value that it cannot have.

    Messages name it as Python and `-m` do; `check_plan_options` names options of commands.
    """
    for chosen in options_of(metric):
        known, least, most = (chosen.metadata[name] for name in ("choices", "least", "most"))
        value = getattr(metric, chosen.name)
        wrong = ""
        if known and value not in known:
            wrong = f"is unknown; {did_you_mean(str(value), known)}"
        elif most is not None and value > most:
            wrong = f"is too large; give {most} or less"
        elif least is not None and value is not None and value < least:
            wrong = f"is too small; give {least} or more"
        if wrong:
            raise UsageError(f"{type(metric).__name__}: {chosen.name}={value!r} {wrong}")


def convert(text: str, kind: str, where: str) -> Any:
    """Turn an option's text into a value of its kind: `bool`, `int`, `float` or `str`."""
    base = kind.removesuffix(" | None")
    if base == "bool":
        known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in known:
            return known[text.lower()]
        raise UsageError(f"{where}={text}: expected true or false")
    if base in ("int", "float"):
        try:
            value = int(text) if base == "int" else float(text)
        except ValueError:
            raise UsageError(f"{where}={text}: expected a number") from None
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError(f"{where}={text}: expected a finite number")
        return value
    return text


# Plans on the command line.

# No count has more; Python itself refuses thousands.
_MOST_DIGITS = 40


def flag_of(chosen: Field[Any]) -> str:
    """Return an option's name on the command line, without its dashes."""
    return chosen.metadata["flag"] or chosen.name.replace("_", "-")


def add_options(
    group: argparse._ActionsContainer,
    plan: Any,
    *,
    only: Iterable[str] | None = None,
    without: Iterable[str] = (),
) -> None:
    """Add the options of a plan, or of its class, to a parser or to one of its groups.

    An option that is not given is None, so that `plan_of` leaves what the plan says.
    """
    import argparse

    wanted = {chosen.name for chosen in options_of(plan)} if only is None else set(only)
    wanted -= set(without)
    for chosen in options_of(plan):
        if chosen.name not in wanted:
            continue
        name = f"--{flag_of(chosen)}"
        told = _help(chosen, plan)
        kind = kind_of(chosen)
        if kind == "bool":
            action = group.add_argument(
                name, action=argparse.BooleanOptionalAction, default=None, help=told
            )
            vars(action)["is_on"] = _default(chosen, plan) is True
        else:
            action = group.add_argument(
                name,
                metavar=chosen.metadata["metavar"] or name[2:].upper(),
                type=_parser_of(chosen),
                default=None,
                help=told,
                action="append" if _is_many(kind) else "store",
            )
            # For shells that complete it. By argparse's own choices errors would be its own too.
            vars(action)["known"] = chosen.metadata["choices"]
        vars(action)["advanced"] = chosen.metadata["advanced"]


def plan_of(
    arguments: argparse.Namespace,
    plan: Plan,
    *,
    key: Callable[[str], str] = str,
    **settled: Any,
) -> Plan:
    """Return a plan with what was given on the command line, or in weigh.toml, in place of its own.

    `key` turns a metric as it was typed into its name, for options such as `--margin METRIC=D`;
    what is `settled` is not asked of the arguments.
    """
    values: dict[str, Any] = {}
    for chosen in options_of(plan):
        given = getattr(arguments, flag_of(chosen).replace("-", "_"), None)
        if given is None or chosen.name in settled:
            continue
        kind = kind_of(chosen)
        if kind.startswith("Mapping"):
            values[chosen.name] = by_metric(given, f"--{flag_of(chosen)}", key)
        elif kind.startswith("tuple") and _is_many(kind):
            values[chosen.name] = _parse_list(given, chosen)
        else:
            values[chosen.name] = given
    return replace(plan, **(values | settled))  # type: ignore[type-var]


def check_plan_options(plan: Any) -> None:
    """Raise UsageError if an option of a plan has a value that it cannot have.

    Messages name it as the command does; the options of metrics have `check_metric_options`.
    """
    for chosen in options_of(plan):
        value = getattr(plan, chosen.name)
        many = _is_many(kind_of(chosen))
        if many and isinstance(value, str):
            raise UsageError(f"{flag_of(chosen)} {value!r}: give several, as a tuple")
        for each in value if many and value is not None else [value]:
            if each is not None and not isinstance(value, Mapping):
                _check(each, chosen)


_NUMBERS = {"int": (Integral, "a whole number"), "float": (Real, "a number")}


def _check(value: Any, chosen: Field[Any]) -> None:
    known, name = chosen.metadata["choices"], flag_of(chosen)
    if known and value not in known:
        raise UsageError(f"unknown {name} {value!r}; {did_you_mean(str(value), known)}")
    base = kind_of(chosen).removesuffix(" | None").removeprefix("tuple[").removesuffix(", ...]")
    if base in _NUMBERS:
        kind, word = _NUMBERS[base]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise UsageError(f"{name} {value!r}: give {word}")
    least, most, above, below = (
        chosen.metadata.get(end) for end in ("least", "most", "above", "below")
    )
    fits = (
        (least is None or value >= least)
        and (most is None or value <= most)
        and (above is None or value > above)
        and (below is None or value < below)
    )
    if not fits:
        if least is not None and above is not None:  # one of these ends is enough to tell
            least, above = (least, None) if above < value < least else (None, above)
        ends = [
            f"{word} {end:g}"
            for word, end in (
                ("at least", least),
                ("at most", most),
                ("above", above),
                ("below", below),
            )
            if end is not None
        ]
        raise UsageError(f"{name} {value:g}: give a number {' and '.join(ends)}")


def _is_many(kind: str) -> bool:
    """Return whether an option may be given several times, by the kind of its values."""
    return kind.endswith(", ...]") or kind.startswith(("Mapping", "Sequence"))


def _parser_of(chosen: Field[Any]) -> Callable[[str], Any]:
    own = chosen.metadata["parse"]
    if own is not None:
        return own  # type: ignore[no-any-return]
    base = kind_of(chosen).removesuffix(" | None")
    if base == "int":
        return lambda text: _parse_whole(text, chosen)
    if base == "float":
        return _number
    if base in ("tuple[int, ...]", "tuple[float, ...]"):
        return numerals
    if chosen.metadata["choices"] and not _is_many(base):
        return lambda text: _parse_choice(text, chosen)
    return str


def numerals(text: str) -> str:
    """Return one or several numbers as they were typed; `plan_of` reads them."""
    return text


def _parse_choice(text: str, chosen: Field[Any]) -> str:
    _check(text, chosen)
    return text


def _parse_whole(text: str, chosen: Field[Any]) -> int:
    least = chosen.metadata["least"]
    return parse_whole(text, least, None)


def parse_whole(text: str, least: int | None, most: int | None, range_text: str = "") -> int:
    """Parse a whole number between `least` and `most`; `range_text` describes the range."""
    import argparse

    digits = text.removeprefix("-")
    if text.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        value = int(text)
        if (least is None or value >= least) and (most is None or value <= most):
            return value
        if not range_text and most is not None and value > most:
            range_text = f"of at most {most:,}"
    if not range_text and least is not None:
        range_text = "above 0" if least == 1 else f"of at least {least:g}"
    typed = repr(text if len(text) <= _MOST_DIGITS else f"{text[:_MOST_DIGITS]}…")
    raise argparse.ArgumentTypeError(
        f"expected a whole number {range_text}".rstrip() + f", not {typed}"
    )


def _number(text: str) -> float:
    import argparse

    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, not {text!r}") from None


def _parse_list(given: Iterable[Any], chosen: Field[Any]) -> tuple[Any, ...]:
    """Return values that were given with commas or by repeating an option, each once."""
    import argparse

    texts = dict.fromkeys(part.strip() for text in given for part in str(text).split(","))
    read: dict[str, Callable[[str], Any]] = {
        "tuple[float, ...]": _number,
        "tuple[int, ...]": lambda text: _parse_whole(text, chosen),
    }
    try:
        return tuple(map(read.get(kind_of(chosen), str), texts))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--{flag_of(chosen)}: {error}") from None


def by_metric(given: Iterable[str], name: str, key: Callable[[str], str]) -> dict[str, float]:
    """Return numbers that were given as METRIC=NUMBER; `key` turns METRIC into a metric's name."""
    import argparse

    values: dict[str, float] = {}
    for text in given:
        first, comma, _ = text.partition(",")
        if comma and "=" in first and ":" not in first:
            raise UsageError(f"{name} {text!r}: one metric at a time; repeat {name} for others")
        metric, equals, value = text.rpartition("=")
        if not equals or not metric:
            raise UsageError(f"{name} {text!r}: expected METRIC=NUMBER, such as bleu=0.5")
        try:
            number = _number(value)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"{name} {text!r}: {error}") from None
        metric = key(metric)
        if metric in values:
            raise UsageError(f"{name} {text!r}: given twice for {metric}; give it once")
        values[metric] = number
    return values


def _help(chosen: Field[Any], plan: Any) -> str:
    """Return what the help says of an option, with its default."""
    told, default = str(chosen.metadata["help"]), _default(chosen, plan)
    shown = chosen.metadata["shown"]
    if shown is None:
        shown = "" if default is None or isinstance(default, bool) else default_text(default)
    return f"{told} (default: {shown})" if shown else told


def _default(chosen: Field[Any], plan: Any) -> Any:
    if not isinstance(plan, type):
        return getattr(plan, chosen.name)
    return None if chosen.default is MISSING else chosen.default


def default_text(value: Any) -> str:
    """Return a default as the help shows it.

    >>> default_text(0.05), default_text(10000), default_text(("a", "b"))
    ('.05', '10000', 'a, b')
    """
    if isinstance(value, float):
        return f"{value:g}".removeprefix("0") if 0 < value < 1 else f"{value:g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(default_text, value))
    return "" if isinstance(value, Mapping) else str(value)
