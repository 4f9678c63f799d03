"""Files of weights: `name value` lines, or Moses' init.opt without names.

Also `Name= v v` lines as in the weight section of moses.ini, which stand for Name_0 and Name_1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.nbest import FeatureNames, finite
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
    if all(_is_number(token) for _, tokens in lines for token in tokens):
        return _read_unnamed(label, lines)
    named: dict[str, float] = {}
    for where, tokens in lines:
        for name, value in _pairs(tokens, where):
            if name in named:
                raise InputError(f"{where} gives {quoted(name)} a second weight; give it one")
            named[name] = value
    return WeightsFile(label, named)


def _read_unnamed(label: str, lines: list[tuple[str, list[str]]]) -> WeightsFile:
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
    rows = tuple(tuple(finite(tokens, where, "weight")) for where, tokens in lines)
    return WeightsFile(label, None, rows)


def _pairs(tokens: list[str], where: str) -> list[tuple[str, float]]:
    if tokens[0].endswith("=") and len(tokens[0]) > 1 and len(tokens) > 1:
        names = FeatureNames().expand([(tokens[0][:-1], len(tokens) - 1)], where)
        return list(zip(names, finite(tokens[1:], where, "weight"), strict=True))
    if len(tokens) < 2:
        raise InputError(f"{where} has one word, but a name and a value were expected")
    return [(" ".join(tokens[:-1]), finite(tokens[-1:], where, "weight")[0])]


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def weight_lines(weights: Iterable[tuple[str, float]]) -> str:
    """Write `name value` lines with all digits, so that reading gives the same weights."""
    return "".join(f"{name} {value!r}\n" for name, value in weights)
