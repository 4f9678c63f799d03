"""Keywords of public functions: written out in their signatures, and collected into plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from weigh.errors import did_you_mean

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def keywords(
    plan: Any = None,
) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Let a function take the fields of a plan as keywords, each written out in its signature.

    The function gets them in its argument `plan`, where they replace those of a plan that was
    given too. Other keywords are passed on, and unknown ones are refused with the likely name.
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
