"""N-best lists, one candidate at a time: Moses, Joshua, Z-MERT and JSON lines.

Lists larger than memory can be read, since no more than one block is kept. `.jsonl` files hold
one object per line (see `weigh.read.nbest_json`); all others hold fields between `|||` (see
`weigh.read.nbest_fields`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from weigh.errors import InputError
from weigh.read.stream import LONGEST, blocks, decode, quoted, shown

# Larger features are refused, so that squares of their products with weights stay finite.
LARGEST = 1e50
# The name under which a store keeps where a candidate with something extra stood.
PLACE = "weigh.place"


class Candidate(NamedTuple):
    """One line of an n-best list.

    `id` names the segment. `names` is one and the same tuple for as long as lines have the same
    features. `extra` holds what else is known: `tree`, `phrases`, `alignment`, further JSON keys.
    `total` is the model's score as it is written, if it is.
    """

    id: str
    text: str
    names: tuple[str, ...]
    values: list[float]
    extra: Mapping[str, Any]
    line: int
    total: str | float | None = None


def read_candidates(path: str, names: FeatureNames | None = None) -> Iterator[Candidate]:
    """Yield the candidates of a file in the format that its name tells.

    Features whose names contain `_` as they are written, and all that Joshua writes, are sparse:
    a line without one means 0. All others must stand on every line, and on every line of all
    files that are read with the same `names`.
    """
    name = shown(path)
    if path.lower().removesuffix(".gz").endswith(".jsonl"):
        from weigh.read.nbest_json import parse_lines
    else:
        from weigh.read.nbest_fields import parse_lines
    empty = True
    for candidate in parse_lines(numbered_lines(path), name, names or FeatureNames()):
        empty = False
        yield candidate
    if empty:
        raise InputError(f"{name}: empty, but an n-best list was expected")


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, from 1, without holding the file."""
    name = shown(path)
    rest, number = b"", 0
    for block in blocks(path):
        end = block.rfind(b"\n") + 1
        if not end:
            rest += block
            if len(rest) > 4 * LONGEST:
                raise InputError(
                    f"{name}: line {number + 1:,} has more than {LONGEST:,} characters; "
                    "one candidate per line was expected"
                )
            continue
        text = decode(rest + block[:end], name, number + 1)
        if not number:
            text = text.removeprefix("\ufeff")
        for line in text[:-1].split("\n"):
            number += 1
            yield number, line.removesuffix("\r")
        rest = block[end:]
    if rest:
        yield number + 1, decode(rest, name, number + 1).removesuffix("\r")


class FeatureNames:
    """The names of a list's features, and which of them no candidate may lack.

    `Name= v v` stands for `Name_0 Name_1`, also with one value; a name that contains `_` itself
    is a sparse feature of that name.
    """

    def __init__(self) -> None:
        self._expanded: dict[tuple[str, int], tuple[str, ...]] = {}
        self._required: tuple[str, ...] | None = None

    def expand(self, labels: list[tuple[str, int]], where: str) -> tuple[str, ...]:
        """Return the names for labels with their numbers of values.

        0 means a name as it is, −1 one that may be left out even without `_`.
        """
        names: list[str] = []
        required: list[str] = []
        for label in labels:
            expanded = self._expanded.get(label)
            if expanded is None:
                expanded = self._expanded[label] = _expand(*label)
            names += expanded
            if "_" not in label[0] and label[1] >= 0:
                required += expanded
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{where} has the feature {quoted(twice)} twice; give it once")
        if self._required is None:
            self._required = tuple(required)
        elif self._required != tuple(required):
            _compare(self._required, required, where)
        return tuple(names)


def _expand(label: str, count: int) -> tuple[str, ...]:
    if count <= 0 or (count == 1 and "_" in label):
        return (label,)
    return tuple(f"{label}_{position}" for position in range(count))


def _compare(expected: tuple[str, ...], found: list[str], where: str) -> None:
    """Refuse other features than those of the first line; their order does not matter."""
    remedy = "give every candidate the same features, in which only names with _ may be left out"
    missing = next((name for name in expected if name not in found), None)
    if missing is not None:
        raise InputError(
            f"{where} has {len(found):,} features and not {quoted(missing)}, but the first "
            f"candidate has {len(expected):,}; {remedy}"
        )
    added = next((name for name in found if name not in expected), None)
    if added is not None:
        raise InputError(
            f"{where} has {len(found):,} features and {quoted(added)} among them, but the first "
            f"candidate has {len(expected):,}; {remedy}"
        )


def finite(texts: Sequence[str | float], where: str) -> list[float]:
    """Return numbers, or say which of them is none."""
    try:
        values = list(map(float, texts))
    except (ValueError, OverflowError):
        values = []
    if len(values) == len(texts) and math.hypot(*values) < LARGEST:
        return values
    for text in texts:
        try:
            value = float(text)
        except OverflowError:  # of a whole number in JSON
            value = math.inf
        except ValueError:
            raise InputError(
                f"{where}: the feature value {quoted(str(text))} is not a number; give a number"
            ) from None
        if not math.isfinite(value):
            raise InputError(
                f"{where}: the feature value {quoted(str(text))} is not finite; give one that is"
            )
        if abs(value) > LARGEST:
            raise InputError(
                f"{where}: the feature value {quoted(str(text))} is too large; give one of at "
                f"most {LARGEST:g}"
            )
    return values  # which are too large only together
