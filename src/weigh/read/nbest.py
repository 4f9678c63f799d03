"""N-best lists, one candidate at a time: Moses, Joshua, Z-MERT and JSON lines.

Lists may be larger than memory, since only one block is kept. `.jsonl` files hold one object per
line; all others hold fields between `|||`.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from weigh._core import numbers_in
from weigh.errors import InputError, plural
from weigh.read.json_text import parse_object
from weigh.read.text import check_characters, ending, line_blocks, quoted, shown

# Larger features are refused, so that squares of their products with weights stay finite.
LARGEST = 1e50
# The name under which a store keeps where a candidate with something extra stood.
PLACE = "weigh.place"


class Candidate(NamedTuple):
    """One line of an n-best list.

    `id` names the segment. `names` is the same tuple object for as long as lines have the same
    features. `extra` has other fields: `tree`, `phrases`, `alignment`, further JSON keys. `total`
    is the model's score in the file, if there is one.
    """

    id: str
    text: str
    names: tuple[str, ...]
    values: Sequence[float]
    extra: Mapping[str, Any]
    line: int
    total: str | float | None = None


def read_candidates(path: str, names: FeatureNames | None = None) -> Iterator[Candidate]:
    """Yield the candidates of a file, whose name determines the format.

    Features whose names contain `_` in the file, and all features of Joshua, are sparse: a missing
    one is 0. All others must be on every line, also of all other files read with the same `names`.
    """
    name = shown(path)
    parse_lines = parse_objects if ending(path) == ".jsonl" else parse_fields
    empty = True
    for candidate in parse_lines(numbered_lines(path), name, names or FeatureNames()):
        empty = False
        yield candidate
    if empty:
        raise InputError(f"{name}: empty, but an n-best list was expected")


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, from 1, without holding the file."""
    return enumerate(chain.from_iterable(line_blocks(path, "candidate")), 1)


class FeatureNames:
    """The names of a list's features, and those that every candidate must have.

    `Name= v v` stands for `Name_0 Name_1`, also with one value; a name that contains `_` itself
    is a sparse feature of that name.
    """

    def __init__(self) -> None:
        self._expanded: dict[tuple[str, int], tuple[str, ...]] = {}
        self._required: tuple[str, ...] | None = None

    def expand(self, labels: list[tuple[str, int]], where: str) -> tuple[str, ...]:
        """The names of features, by label and number of values.

        0 means a name without a number, −1 one that may be missing even without `_`.
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


def _compare(expected: tuple[str, ...], names: list[str], where: str) -> None:
    """Reject features that differ from those of the first line; their order does not matter."""
    remedy = (
        "give every candidate the same features; only sparse ones, whose names contain _, may "
        "be left out"
    )
    others = [f"not {quoted(name)}" for name in expected if name not in names]
    others += [f"{quoted(name)} among them" for name in names if name not in expected]
    if others:
        raise InputError(
            f"{where} has {len(names):,} features and {others[0]}, but the first candidate has "
            f"{len(expected):,}; {remedy}"
        )


def finite(texts: Sequence[str | float], where: str, what: str = "feature value") -> list[float]:
    """Parse finite numbers of at most 1e50, or name the first that is not one."""
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
                f"{where}: the {what} {quoted(str(text))} is not a number; give a number"
            ) from None
        if not math.isfinite(value):
            raise InputError(
                f"{where}: the {what} {quoted(str(text))} is not finite; give one that is"
            )
        if abs(value) > LARGEST:
            raise InputError(
                f"{where}: the {what} {quoted(str(text))} is too large; give one of at "
                f"most {LARGEST:g}"
            )
    return values  # which are too large only together


# N-best lists with fields between `|||`: those of Moses, Joshua and Z-MERT.
#
# `id ||| hypothesis ||| features ||| …`, where features are `Name= v v … Other= v` (Moses; older
# ones write `Name:`), `Name=v Name=v` (Joshua) or bare numbers (Z-MERT), named feature_0, … Of
# the fields after them, Moses' phrase and word alignments are kept.

UNNAMED = "feature"
_LABEL = re.compile(r"\([^\s(){}]+\{\d+-\d+\}$")
_DERIVED = re.compile(r"\d+(?:-\d+)?(=)|\d+-\d+(?:\s|$)")
# The mark of a number in a layout, whose other words are longer.
_NUMBER = "#"
_NOT_A_LAYOUT = "not a layout: no field has these words"
_NO_EXTRA: dict[str, Any] = {}


def parse_fields(
    lines: Iterable[tuple[int, str]], name: str, feature_names: FeatureNames
) -> Iterator[Candidate]:
    """Yield the candidates of numbered lines."""
    layout = _Layout(feature_names)
    for number, line in lines:
        fields = line.split("|||")
        if len(fields) < 3:
            raise InputError(
                f"{name}: line {number:,} has {plural(len(fields), 'field')} separated by |||, but "
                "an id, a hypothesis and features were expected"
            )
        segment, text = fields[0].strip(" \t"), fields[1].strip(" \t")
        if not segment:
            raise InputError(f"{name}: line {number:,} has no sentence id; give it one")
        values = layout.values(fields[2], name, number)
        extra = _NO_EXTRA
        if text.startswith("(ROOT{"):
            extra = {"tree": text}
            text = tree_yield(text)
        if len(fields) > 4:
            extra = extra | _alignments(fields[4:]) if extra else _alignments(fields[4:])
        total = fields[3] if len(fields) > 3 else None
        yield Candidate(segment, text, layout.names, values, extra, number, total)


class _Layout:
    """The layout of names and values on a line; most lines repeat the previous one's."""

    def __init__(self, feature_names: FeatureNames) -> None:
        self.names: tuple[str, ...] = ()
        self._feature_names = feature_names
        self._words = _NOT_A_LAYOUT

    def values(self, field: str, name: str, line: int) -> array[float]:
        """The values of a line; `names` are those of the same line."""
        numbers = numbers_in(field, self._words, LARGEST)
        if numbers is not None:
            return array("d", numbers)
        return array("d", self._learn(field.split(), f"{name}: line {line:,}"))

    def _learn(self, tokens: list[str], where: str) -> list[float]:
        """Parse a line whose layout differs from that of the previous one."""
        labels: list[tuple[str, int]] = []
        words: list[str] = []
        texts: list[str] = []
        joined = False
        for token in tokens:
            if token[-1] in "=:" and len(token) > 1:
                labels.append((token[:-1], 0))
                words.append(token)
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
                        f"{where}: {quoted(token)} has no name, but other features have; name "
                        "all features"
                    )
                labels[-1] = (label, count + 1)
                words.append(_NUMBER)
                texts.append(token)
        if not texts:
            raise InputError(f"{where} has no features; give at least one")
        bare = next((label for label, count in labels if count == 0), None)
        if bare is not None:
            raise InputError(f"{where} has no value for the feature {quoted(bare)}; give it one")
        names = self._feature_names.expand(labels, where)
        if names != self.names:
            self.names = names
        self._words = _NOT_A_LAYOUT if joined else " ".join(words)
        return finite(texts, where)


def _alignments(fields: list[str]) -> dict[str, str]:
    """Moses' alignments of phrases (`0-1=0-2`) and of words (`0-0`)."""
    by_name = {}
    for field in fields:
        text = field.strip()
        kind = _DERIVED.match(text)
        if kind is not None:
            by_name["phrases" if kind[1] else "alignment"] = text
        elif not text:  # there may be no links
            by_name.setdefault("alignment", "")
    return by_name


def tree_yield(tree: str) -> str:
    """The words of a derivation that Joshua prints.

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


def moses_labels(names: Sequence[str]) -> list[str]:
    """The label before each value, such that reading gives the same names again."""
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


# N-best lists as JSON lines: `{"id": …, "text": …, "features": {…}, "alignment": …}`.
#
# A feature's value is a number or a list of numbers, which become `Name_0 Name_1` as in Moses'
# lists. Further keys are kept for the metrics that need them.

_OWN = ("id", "text", "features")


def parse_objects(
    lines: Iterable[tuple[int, str]], name: str, feature_names: FeatureNames
) -> Iterator[Candidate]:
    """Yield the candidates of numbered lines."""
    keys: list[tuple[str, int]] = []
    names: tuple[str, ...] = ()
    for number, line in lines:
        where = f"{name}: line {number:,}"
        row = _row(line, where)
        labels, values = _features(row["features"], where)
        if labels != keys or not names:
            keys, names = labels, feature_names.expand(labels, where)
        extra = {
            key: value if isinstance(value, str | int | float) else json.dumps(value)
            for key, value in row.items()
            if key not in _OWN
        }
        segment = _identifier(row["id"], where)
        yield Candidate(segment, row["text"], names, values, extra, number, extra.get("score"))


def _row(line: str, where: str) -> dict[str, Any]:
    row = parse_object(line, where)
    if "id" not in row:
        raise InputError(f"{where}: 'id' is missing; give a string or whole number")
    for key, kind, expected in (("text", str, "a string"), ("features", dict, "an object")):
        if not isinstance(row.get(key), kind):
            fault = "missing" if key not in row else f"not {expected}"
            raise InputError(f"{where}: {key!r} is {fault}; give {expected}")
    if "\\u" in line:
        check_characters(row["text"], where)
    return row


def _identifier(value: Any, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise InputError(f"{where}: the id is not a string or whole number; give it one")


def _features(features: dict[str, Any], where: str) -> tuple[list[tuple[str, int]], list[float]]:
    labels: list[tuple[str, int]] = []
    numbers: list[Any] = []
    for label, value in features.items():
        values = value if isinstance(value, list) else [value]
        labels.append((label, len(value) if isinstance(value, list) else 0))
        for number in values or [None]:
            if not isinstance(number, int | float) or isinstance(number, bool):
                raise InputError(
                    f"{where}: the feature {quoted(label)} is not a number; give a number"
                )
        numbers += values
    if not numbers:
        raise InputError(f"{where} has no features; give at least one")
    return labels, finite(numbers, where)


# Moses' extracted statistics: FEATSTAT and SCORESTAT text files.
#
# `FEATURES_TXT_BEGIN_0 id candidates features names…`, one line of values per candidate, and
# `FEATURES_TXT_END_0`; the same with SCORES and the name of the scorer at the end of the line.


_COUNT = re.compile(r"\d{1,9}")


class MosesBlock(NamedTuple):
    """The candidates of one sentence: `words` end the first line, and rows have line numbers."""

    id: str
    words: tuple[str, ...]
    rows: list[tuple[int, list[float]]]
    line: int


def read_moses_statistics(features: str, scores: str) -> Iterator[tuple[str, Candidate]]:
    """Yield scorers with candidates without texts; `statistics` are in `extra`."""
    score_blocks = _blocks(scores, "SCORES")
    names: tuple[str, ...] | None = None
    width: int | None = None
    for block in _blocks(features, "FEATURES"):
        where = f"{shown(features)}: line {block.line:,}"
        if names is not None and block.words != names:
            raise InputError(
                f"{where} has different features from earlier blocks; give every block the same"
            )
        names = block.words if names is None else names
        other = next(score_blocks, None)
        if other is None or (other.id, len(other.rows)) != (block.id, len(block.rows)):
            count = "no" if other is None else f"{len(other.rows):,} for {quoted(other.id)}"
            raise InputError(
                f"{where} has {len(block.rows):,} candidates for {quoted(block.id)}, but "
                f"{shown(scores)} has {count} scores in its place; extract both together"
            )
        scorer = other.words[0] if other.words else ""
        for (line, values), (score_line, statistics) in zip(block.rows, other.rows, strict=True):
            if len(values) != len(names):
                raise InputError(
                    f"{shown(features)}: line {line:,} has {len(values):,} features, but "
                    f"{len(names):,} have names; give one value for each"
                )
            width = len(statistics) if width is None else width
            if len(statistics) != width:
                raise InputError(
                    f"{shown(scores)}: line {score_line:,} has {len(statistics):,} statistics, "
                    f"but earlier lines have {width:,}; extract it again"
                )
            extra = {"statistics": tuple(statistics)}
            yield scorer, Candidate(block.id, "", names, values, extra, line)
    more = next(score_blocks, None)
    if more is not None:
        raise InputError(
            f"{shown(scores)}: line {more.line:,} has scores for {quoted(more.id)}, but "
            f"{shown(features)} has no features for it; extract both together"
        )


def _blocks(path: str, kind: str) -> Iterator[MosesBlock]:
    name = shown(path)
    lines = numbered_lines(path)
    for number, line in lines:
        words = line.split()
        if not words:
            continue
        where = f"{name}: line {number:,}"
        if words[0] != f"{kind}_TXT_BEGIN_0" or len(words) < 4 or not _COUNT.fullmatch(words[2]):
            raise InputError(
                f"{where} does not begin with {kind}_TXT_BEGIN_0, an id and two numbers; "
                "give the text form that Moses' extractor writes"
            )
        rows = []
        for row_number, row in islice(lines, int(words[2])):
            rows.append((row_number, finite(row.split(), f"{name}: line {row_number:,}")))
        end_number, end = next(lines, (number, ""))
        if end.strip() != f"{kind}_TXT_END_0":
            raise InputError(
                f"{name}: line {end_number:,} is not {kind}_TXT_END_0, though line {number:,} "
                f"announces {int(words[2]):,} candidates; extract it again"
            )
        yield MosesBlock(words[1], tuple(words[4:]), rows, number)
