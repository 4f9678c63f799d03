"""Keywords of public functions: written out in their signatures, and collected into plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from weigh.errors import UsageError, did_you_mean

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def keywords(
    plan: Any = None,
) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Let a function take the fields of a plan as keywords, each written out in its signature.

    The function gets the plan in its argument `plan`. Keywords replace the fields of a plan that
    the caller gives too; other keywords are passed on. An unknown keyword raises TypeError, with
    the nearest name; a value of the wrong kind raises UsageError.
    """

    def decorate(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        arguments = signature(function)
        parameters = arguments.parameters
        choices = plan_keywords(function, plan)

        @wraps(function)
        def call(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
            unknown = next((name for name in options if name not in parameters), None)
            if unknown is not None:
                raise TypeError(
                    f"{function.__name__}() has no keyword {unknown!r}; "
                    f"{did_you_mean(unknown, parameters)}"
                )
            for name, value in options.items():
                check_kind(name, value, parameters[name].annotation)
            if plan is not None and not isinstance(options.get("plan"), plan | None):
                raise UsageError(f"plan is not a {plan.__name__}; give one, or its fields by name")
            values = {name: options.pop(name) for name in choices if name in options}
            if not values:
                return function(*args, **options)
            bound = arguments.bind(*args, **options)
            # None stands for a default that a signature cannot show, such as an empty mapping.
            values = {
                name: value
                for name, value in values.items()
                if value is not None or choices[name] is None
            }
            bound.arguments["plan"] = replace(bound.arguments.get("plan") or plan(), **values)
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate


def plan_keywords(function: Callable[..., Any], plan: Any) -> dict[str, Any]:
    """The fields of a plan that a function takes as keywords, with their defaults."""
    parameters = signature(function).parameters
    return {
        field.name: field.default
        for field in (fields(plan) if plan is not None else ())
        if field.name in parameters and parameters[field.name].kind is Parameter.KEYWORD_ONLY
    }


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _are_names(value: Any) -> bool:
    return _is_list(value) and all(isinstance(name, str) for name in value)


# By annotation: whether a value is of that kind, and what to give instead. Keywords of any other
# annotation are checked where they are used.
_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (
        lambda value: isinstance(value, bool) or type(value).__name__ == "bool",  # also NumPy's
        "True or False",
    ),
    "int": (
        lambda value: isinstance(value, Integral) and not isinstance(value, bool),
        "a whole number",
    ),
    "float": (lambda value: isinstance(value, Real) and not isinstance(value, bool), "a number"),
    "str": (lambda value: isinstance(value, str), "a string"),
    "Columns": (
        lambda value: isinstance(value, str) or _are_names(value),
        "the name of a column, or a list of names",
    ),
    "tuple[str, ...]": (_are_names, "a tuple of names"),
    "Sequence[str]": (_is_list, "a list of strings"),
    "Mapping[str, float]": (
        lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value),
        'numbers by metric, such as {"bleu": 1}',
    ),
}


def check_kind(name: str, value: Any, annotation: str) -> None:
    """Raise UsageError if a keyword's value is not of the kind that its annotation says."""
    kind = _KINDS.get(annotation.removesuffix(" | None"))
    if kind is not None and value is not None and not kind[0](value):
        content = " ".join(f"{value!r:.60}".split())  # an array's spans lines
        raise UsageError(f"{name} {content}; give {kind[1]}")
