"""Dataclass fields that are options: of metrics, and of plans.

A field declares its help text, choices and range once. The options of the command, `weigh.toml`,
the defaults in the help, metric specifications and the checks are derived from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import Field, field, fields, is_dataclass
from numbers import Integral, Real
from typing import Any

from weigh.errors import UsageError, did_you_mean


class Chosen(str):
    """A tokeniser that weigh chose by the references (`tokenize=auto`).

    The metric's specification leaves it out, as the user did.
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
    shown: str | None = None,
    advanced: bool = False,
) -> Any:
    """Declare a dataclass field as an option that users may set.

    `flag` is the option's name on the command line, if it is not the field's name. Numbers lie
    between `least` and `most` (inclusive), or between `above` and `below` (exclusive). `shown`
    replaces the default in the help. `--help` leaves `advanced` options to `--help-all`.
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
        "shown": shown,
        "advanced": advanced,
    }
    if isinstance(default, list | dict | set):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


_LONGEST_VALUE = 40  # in messages
LEAST_SHARE = 1e-12
"""Smaller shares are useless and lead to floating-point overflow."""


def share(default: float | tuple[float, ...], help: str, **more: Any) -> Any:
    """Declare an option between 0 and 1, such as a significance level."""
    return option(default, help, metavar="SHARE", least=LEAST_SHARE, above=0, below=1, **more)


def count(default: int | tuple[int, ...] | None, help: str, *, least: int = 1, **more: Any) -> Any:
    """Declare an option that is a count."""
    return option(default, help, metavar="N", least=least, **more)


def options_of(owner: Any) -> tuple[Field[Any], ...]:
    """The options of a metric or a plan, or of its class."""
    all_fields = fields(owner) if is_dataclass(owner) else ()
    return tuple(field for field in all_fields if "help" in field.metadata)


def kind_of(option: Field[Any]) -> str:
    """The type of an option's value, as it is written in the source."""
    return option.type.__name__ if isinstance(option.type, type) else str(option.type)


def check_metric_options(metric: Any) -> None:
    """Raise UsageError if an option of a metric has an invalid value.

    Messages name the option as Python and `-m` do; `check_plan_options` checks plans.
    """
    for option in options_of(metric):
        choices, least, most = (option.metadata[name] for name in ("choices", "least", "most"))
        value = getattr(metric, option.name)
        wrong = ""
        if choices and value not in choices:
            wrong = f"is unknown; {did_you_mean(str(value), choices)}"
        elif most is not None and value > most:
            wrong = f"is too large; give {most} or less"
        elif least is not None and value is not None and value < least:
            wrong = f"is too small; give {least} or more"
        if wrong:
            raise UsageError(
                f"{type(metric).__name__}: {option.name}={_short(repr(value))} {wrong}"
            )


def convert(text: str, kind: str, where: str) -> Any:
    """Turn an option's text into a value of its kind: `bool`, `int`, `float` or `str`."""
    base = kind.removesuffix(" | None")
    if base == "bool":
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise UsageError(f"{where}={_short(text)}: expected true or false")
    if base in ("int", "float"):
        try:
            value = int(text) if base == "int" else float(text)
        except ValueError:
            raise UsageError(f"{where}={_short(text)}: expected a number") from None
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError(f"{where}={_short(text)}: expected a finite number")
        return value
    return text


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


# Plans


def flag_of(option: Field[Any]) -> str:
    """The option's name on the command line, without dashes."""
    return option.metadata["flag"] or option.name.replace("_", "-")


def base_kind(option: Field[Any]) -> str:
    """The type of a single value of an option, such as `int` for `tuple[int, ...] | None`."""
    return kind_of(option).removesuffix(" | None").removeprefix("tuple[").removesuffix(", ...]")


def holds_several(kind: str) -> bool:
    """Whether an option of this kind may be given several times."""
    return kind.endswith(", ...]") or kind.startswith(("Mapping", "Sequence"))


def check_plan_options(plan: Any) -> None:
    """Raise UsageError if an option of a plan has an invalid value.

    Messages name the option as the command does; `check_metric_options` checks metrics.
    """
    for option in options_of(plan):
        value = getattr(plan, option.name)
        several = holds_several(kind_of(option))
        if several and isinstance(value, str):
            raise UsageError(f"{flag_of(option)} {value!r}: expected a tuple or list, not a string")
        for entry in value if several and value is not None else [value]:
            if entry is not None and not isinstance(value, Mapping):
                check_option(entry, option)


_NUMBERS = {"int": (Integral, "a whole number"), "float": (Real, "a number")}


def check_option(value: Any, option: Field[Any]) -> None:
    """Raise UsageError if the value of a plan option is invalid."""
    choices, name = option.metadata["choices"], flag_of(option)
    if choices and value not in choices:
        noun = "adjustment" if name == "adjust" else name
        raise UsageError(f"{noun} {value!r} is unknown; {did_you_mean(str(value), choices)}")
    base = base_kind(option)
    if base in _NUMBERS:
        kind, word = _NUMBERS[base]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise UsageError(f"{name} {value!r}: give {word}")
    if unfit := range_text(option, value):
        raise UsageError(f"{name} {value:g}: give a number {unfit}")


def range_text(option: Field[Any], value: Any) -> str:
    """Describe the range of an option if the value lies outside it; otherwise an empty text."""
    least, most, above, below = (
        option.metadata.get(end) for end in ("least", "most", "above", "below")
    )
    fits = (
        (least is None or value >= least)
        and (most is None or value <= most)
        and (above is None or value > above)
        and (below is None or value < below)
    )
    if fits:
        return ""
    if least is not None and above is not None:  # one of these ends explains the error
        least, above = (least, None) if above < value < least else (None, above)
    if least is not None and most is not None:
        return f"from {least:g} to {most:g}"
    if below == math.inf:
        if value == math.inf:
            return "that is finite"
        below = None
    if above is not None and below is not None:
        return f"between {above:g} and {below:g}"
    ends = {"of at least": least, "of at most": most, "above": above, "below": below}
    return " and ".join(f"{word} {end:g}" for word, end in ends.items() if end is not None)


def default_text(value: Any) -> str:
    """A default as the help shows it.

    >>> default_text(0.05), default_text(10000), default_text(("a", "b"))
    ('.05', '10000', 'a, b')
    """
    if isinstance(value, float):
        return f"{value:g}".removeprefix("0") if 0 < value < 1 else f"{value:g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(default_text, value))
    return "" if isinstance(value, Mapping) else str(value)
