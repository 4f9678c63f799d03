"""The options of a metric: dataclass fields that know their help text and their choices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, field, fields, is_dataclass
from typing import Any

from weigh.errors import UsageError, did_you_mean


class Chosen(str):
    """What was chosen where a default leaves it open; the metric goes by its name as before."""

    __slots__ = ()


def option(default: Any, help: str, *, choices: Iterable[str] = ()) -> Any:
    """Declare a field of a metric's dataclass as an option that users may set."""
    return field(default=default, metadata={"help": help, "choices": tuple(choices)})


def options_of(metric: Any) -> tuple[Field[Any], ...]:
    """Return the options of a metric or of its class."""
    known = fields(metric) if is_dataclass(metric) else ()
    return tuple(f for f in known if "help" in f.metadata)


def kind_of(chosen: Field[Any]) -> str:
    """Return the kind of an option's value, whether its annotation is a text or a type."""
    return chosen.type.__name__ if isinstance(chosen.type, type) else str(chosen.type)


def check_choices(metric: Any) -> None:
    """Raise UsageError if an option has a value that is not among its choices."""
    for chosen in options_of(metric):
        choices = chosen.metadata["choices"]
        value = getattr(metric, chosen.name)
        if choices and value not in choices:
            raise UsageError(
                f"{type(metric).__name__}: {chosen.name}={value!r} is unknown; "
                f"{did_you_mean(str(value), choices)}"
            )


# No text has longer n-grams that tell anything, and tables of them would fill the memory.
_LONGEST_ORDER = 100


def check_positive(metric: Any, *names: str, lowest: int = 1) -> None:
    """Raise UsageError if one of these options is lower than `lowest`, or an order too long."""
    for name in names:
        value = getattr(metric, name)
        if name.endswith("order") and value > _LONGEST_ORDER:
            raise UsageError(
                f"{type(metric).__name__}: {name}={value} is too large; "
                f"give {_LONGEST_ORDER} or less"
            )
        if value is not None and value < lowest:
            raise UsageError(
                f"{type(metric).__name__}: {name}={value} is too small; give {lowest} or more"
            )


def number_text(value: float) -> str:
    """Return a number with all its digits, and a whole one without a point.

    >>> number_text(2.0), number_text(2.4), number_text(1 / 3)
    ('2', '2.4', '0.3333333333333333')
    """
    return repr(float(value)).removesuffix(".0")


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
