"""Moses' extracted statistics: FEATSTAT and SCORESTAT text files.

`FEATURES_TXT_BEGIN_0 id candidates features names…`, one line of values per candidate, and
`FEATURES_TXT_END_0`; the same with SCORES and the name of the scorer at the end of the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from weigh.errors import InputError
from weigh.read.nbest import Candidate, finite, numbered_lines
from weigh.read.stream import quoted, shown


class Block(NamedTuple):
    """The candidates of one sentence: `words` end the first line, and rows have line numbers."""

    id: str
    words: tuple[str, ...]
    rows: list[tuple[int, list[float]]]
    line: int


def read_statistics(features: str, scores: str) -> Iterator[tuple[str, Candidate]]:
    """Yield scorers with candidates, whose texts are empty and `statistics` are in `extra`."""
    score_blocks = _blocks(scores, "SCORES")
    names: tuple[str, ...] | None = None
    for block in _blocks(features, "FEATURES"):
        where = f"{shown(features)}: line {block.line:,}"
        if names is not None and block.words != names:
            raise InputError(f"{where} has other features than blocks before; give the same")
        names = block.words if names is None else names
        other = next(score_blocks, None)
        if other is None or (other.id, len(other.rows)) != (block.id, len(block.rows)):
            found = "no" if other is None else f"{len(other.rows):,} for {quoted(other.id)}"
            raise InputError(
                f"{where} has {len(block.rows):,} candidates for {quoted(block.id)}, but "
                f"{shown(scores)} has {found} scores in its place; extract both together"
            )
        scorer = other.words[0] if other.words else ""
        for (line, values), (_, statistics) in zip(block.rows, other.rows, strict=True):
            if len(values) != len(names):
                raise InputError(
                    f"{shown(features)}: line {line:,} has {len(values):,} features, but "
                    f"{len(names):,} have names; give one value for each"
                )
            extra = {"statistics": tuple(statistics)}
            yield scorer, Candidate(block.id, "", names, values, extra, line)
    more = next(score_blocks, None)
    if more is not None:
        raise InputError(
            f"{shown(scores)}: line {more.line:,} has scores for {quoted(more.id)}, but "
            f"{shown(features)} has no features for it; extract both together"
        )


def _blocks(path: str, kind: str) -> Iterator[Block]:
    name = shown(path)
    lines = numbered_lines(path)
    for number, line in lines:
        words = line.split()
        if not words:
            continue
        where = f"{name}: line {number:,}"
        if words[0] != f"{kind}_TXT_BEGIN_0" or len(words) < 4 or not words[2].isdecimal():
            raise InputError(
                f"{where} does not begin with {kind}_TXT_BEGIN_0, an id and two numbers; "
                "give the text form that Moses' extractor writes"
            )
        rows = []
        for _ in range(int(words[2])):
            row_number, row = next(lines, (number, ""))
            rows.append((row_number, finite(row.split(), f"{name}: line {row_number:,}")))
        end_number, end = next(lines, (number, ""))
        if end.strip() != f"{kind}_TXT_END_0":
            raise InputError(
                f"{name}: line {end_number:,} is not {kind}_TXT_END_0, though line {number:,} "
                f"announces {len(rows):,} candidates; extract it again"
            )
        yield Block(words[1], tuple(words[4:]), rows, number)


def statistics_lines(
    kind: str, words: str, ids: list[str], rows: list[list[list[float]]]
) -> Iterator[str]:
    """Yield the lines of a FEATURES or SCORES file: each sentence's rows; `words` are its names."""
    for segment, candidates in zip(ids, rows, strict=True):
        width = len(candidates[0])
        yield f"{kind}_TXT_BEGIN_0 {segment} {len(candidates)} {width} {words}"
        for values in candidates:
            yield " ".join(f"{value:.17g}" for value in values)
        yield f"{kind}_TXT_END_0"
