"""N-best lists with fields between `|||`: those of Moses, Joshua and Z-MERT.

`id ||| hypothesis ||| features ||| …`, where features are `Name= v v … Other= v` (Moses; older
ones write `Name:`), `Name=v Name=v` (Joshua) or bare numbers (Z-MERT), named feature_0, …
Of the fields after them, Moses' phrase and word alignments are kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Literal

from weigh.errors import InputError
from weigh.read.nbest import LARGEST, Candidate, FeatureNames, finite
from weigh.read.stream import quoted

UNNAMED = "feature"
_LABEL = re.compile(r"\([^\s(){}]+\{\d+-\d+\}$")
_DERIVED = re.compile(r"\d+(?:-\d+)?(=)|\d+-\d+(?:\s|$)")
_NO_EXTRA: dict[str, Any] = {}


def parse_lines(
    lines: Iterable[tuple[int, str]], name: str, feature_names: FeatureNames
) -> Iterator[Candidate]:
    """Yield the candidates of numbered lines."""
    layout = _Layout(feature_names)
    for number, line in lines:
        fields = line.split("|||")
        if len(fields) < 3:
            raise InputError(
                f"{name}: line {number:,} has {len(fields):,} fields between |||, but an id, a "
                "hypothesis and features were expected"
            )
        segment, text = fields[0].strip(" \t"), fields[1].strip(" \t")
        if not segment:
            raise InputError(f"{name}: line {number:,} has no sentence id; give it one")
        values = layout.values(fields[2].split(), name, number)
        extra = _NO_EXTRA
        if text.startswith("(ROOT{"):
            extra = {"tree": text}
            text = tree_yield(text)
        if len(fields) > 4:
            extra = extra | _alignments(fields[4:]) if extra else _alignments(fields[4:])
        total = fields[3] if len(fields) > 3 else None
        yield Candidate(segment, text, layout.names, values, extra, number, total)


class _Layout:
    """Where names and values stand on a line; most lines are like the one before."""

    def __init__(self, feature_names: FeatureNames) -> None:
        self.names: tuple[str, ...] = ()
        self._feature_names = feature_names
        self._size = -1
        self._labels_of = self._numbers_of = _all_of([])
        self._labels: tuple[str, ...] = ()

    def values(self, tokens: list[str], name: str, line: int) -> list[float]:
        """Return the values of a line and keep its names."""
        if len(tokens) == self._size and self._labels_of(tokens) == self._labels:
            try:
                values = list(map(float, self._numbers_of(tokens)))
            except ValueError:
                values = [math.nan]
            if math.hypot(*values) < LARGEST:
                return values
        return self._learn(tokens, f"{name}: line {line:,}")

    def _learn(self, tokens: list[str], where: str) -> list[float]:
        """Read a line of another kind than the one before."""
        labels: list[tuple[str, int]] = []
        label_places: list[int] = []
        number_places: list[int] = []
        texts: list[str] = []
        joined = False
        for position, token in enumerate(tokens):
            if token[-1] in "=:" and len(token) > 1:
                labels.append((token[:-1], 0))
                label_places.append(position)
            elif "=" in token:
                label, _, text = token.rpartition("=")
                labels.append((label, -1))
                texts.append(text)
                joined = True
            else:
                if not labels:
                    labels.append((UNNAMED, 0))
                label, count = labels[-1]
                if count < 0:
                    raise InputError(
                        f"{where}: {quoted(token)} has no name, but others have; name all features"
                    )
                labels[-1] = (label, count + 1)
                number_places.append(position)
                texts.append(token)
        if not texts:
            raise InputError(f"{where} has no features; give at least one")
        bare = next((label for label, count in labels if count == 0), None)
        if bare is not None:
            raise InputError(f"{where} has no value for the feature {quoted(bare)}; give it one")
        names = self._feature_names.expand(labels, where)
        if names != self.names:
            self.names = names
        self._size = -1 if joined else len(tokens)
        self._labels_of, self._numbers_of = _all_of(label_places), _all_of(number_places)
        self._labels = self._labels_of(tokens)
        return finite(texts, where)


def _all_of(places: list[int]) -> Callable[[list[str]], tuple[str, ...]]:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda tokens: tuple(tokens[place] for place in places)


def _alignments(fields: list[str]) -> dict[str, str]:
    """Return what Moses says of the derivation: phrases (`0-1=0-2`) and words (`0-0`)."""
    found = {}
    for field in fields:
        text = field.strip()
        kind = _DERIVED.match(text)
        if kind is not None:
            found["phrases" if kind[1] else "alignment"] = text
        elif not text:  # there may be no links
            found.setdefault("alignment", "")
    return found


def tree_yield(tree: str) -> str:
    """Return the words of a derivation such as Joshua prints.

    >>> tree_yield("(ROOT{0-2} (S{0-2} (X{0-1} one) two))")
    'one two'
    """
    words = []
    for token in tree.split():
        if _LABEL.match(token):
            continue
        word = token.rstrip(")")
        words.append(word or ")")
    return " ".join(words)


def write_fields(
    ids: Iterable[str],
    texts: Iterable[str],
    names: Sequence[str],
    rows: Iterable[Iterable[float]],
    totals: Iterable[float],
    style: Literal["moses", "joshua", "zmert"] = "moses",
) -> Iterator[str]:
    """Yield the lines of a list, without line ends: `id ||| text ||| features ||| total`.

    What Moses' style writes as `tm= 1 2` is `tm_0=1 tm_1=2` in Joshua's and `1 2` in Z-MERT's.
    """
    before = {"moses": moses_labels, "joshua": _joshua_labels, "zmert": _no_labels}[style](names)
    for segment, text, row, total in zip(ids, texts, rows, totals, strict=True):
        pairs = zip(before, row, strict=True)
        features = " ".join(f"{label}{float(value)!r}" for label, value in pairs)
        yield f"{segment} ||| {text} ||| {features} ||| {float(total)!r}"


def moses_labels(names: Sequence[str]) -> list[str]:
    """Return what stands before each value, so that reading it gives the same names again."""
    labels = []
    current, position = "", 0
    for name in names:
        label, _, index = name.rpartition("_")
        if label and "_" not in label and index == "0":
            current, position = label, 1
            labels.append(f"{label}= ")
        elif current and name == f"{current}_{position}":
            position += 1
            labels.append("")
        else:
            current = ""
            labels.append(f"{name}= " if "_" in name else f"{name}=")
    return labels


def _joshua_labels(names: Sequence[str]) -> list[str]:
    return [f"{name}=" for name in names]


def _no_labels(names: Sequence[str]) -> list[str]:
    return [""] * len(names)
