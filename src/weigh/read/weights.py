"""Files of weights: `name value` lines, or Moses' init.opt without names.

Also `Name= v v` lines as in the weight section of moses.ini, which stand for Name_0 and Name_1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.nbest import LARGEST, FeatureNames
from weigh.read.text import quoted, read_texts, shown


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """Weights by name, or in the order of the features: a start, lowest and highest starts."""

    label: str
    named: Mapping[str, float] | None
    rows: tuple[tuple[float, ...], ...] = ()


def read_weights(path: str) -> WeightsFile:
    """Read weights in either form; empty lines are skipped."""
    label = shown(path)
    lines = [
        (f"{label}: line {number:,}", line.split())
        for number, line in enumerate(read_texts(path), 1)
        if line.strip()
    ]
    if not lines:
        raise InputError(f"{label}: empty, but weights were expected")
    if all(_number(token) is not None for _, tokens in lines for token in tokens):
        return _unnamed(label, lines)
    named: dict[str, float] = {}
    for where, tokens in lines:
        for name, value in _pairs(tokens, where):
            if name in named:
                raise InputError(f"{where} gives {quoted(name)} a weight again; give it one")
            named[name] = value
    return WeightsFile(label, named)


def _unnamed(label: str, lines: list[tuple[str, list[str]]]) -> WeightsFile:
    if len(lines) not in (1, 3):
        raise InputError(
            f"{label}: {len(lines):,} lines of numbers without names, but one (the start) or three "
            "(the start, lowest and highest random starts) were expected"
        )
    size = len(lines[0][1])
    for where, tokens in lines[1:]:
        if len(tokens) != size:
            raise InputError(
                f"{where} has {len(tokens):,} numbers, but the first has {size:,}; "
                "give one for every feature"
            )
    rows = tuple(tuple(_finite(token, where) for token in tokens) for where, tokens in lines)
    return WeightsFile(label, None, rows)


def _pairs(tokens: list[str], where: str) -> list[tuple[str, float]]:
    if tokens[0].endswith("=") and len(tokens[0]) > 1 and len(tokens) > 1:
        names = FeatureNames().expand([(tokens[0][:-1], len(tokens) - 1)], where)
        return [(n, _finite(t, where)) for n, t in zip(names, tokens[1:], strict=True)]
    if len(tokens) < 2:
        raise InputError(f"{where} has one word, but a name and a value were expected")
    return [(" ".join(tokens[:-1]), _finite(tokens[-1], where))]


def _number(token: str) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None


def _finite(token: str, where: str) -> float:
    value = _number(token)
    if value is None or not math.isfinite(value):
        raise InputError(f"{where}: {quoted(token)} is not a finite number; give a number")
    if abs(value) > LARGEST:
        raise InputError(
            f"{where}: the weight {quoted(token)} is too large; give one of at most {LARGEST:g}"
        )
    return value


def weight_lines(weights: Iterable[tuple[str, float]]) -> str:
    """Return `name value` lines; values are written in full, so that reading gives them again."""
    return "".join(f"{name} {value!r}\n" for name, value in weights)
