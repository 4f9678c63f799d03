"""The lines of a large test set that a small one is made of, as `weigh sample` writes them.

One number on each line, from 1; a tab and a word behind it where the segments were chosen and not
drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.text import is_line_number, quoted, read_texts, shown

BY = ("difference", "diversity")
"""What segments may be chosen by."""


@dataclass(frozen=True, slots=True)
class SampledLines:
    """The numbers of lines in the order of the sample, and what they were chosen by, if by any."""

    name: str
    numbers: tuple[int, ...]
    chosen_by: str | None = None

    def segment(self, key: str) -> str:
        """Return the number, in the large test set, of a segment of the sample."""
        at = int(key) if is_line_number(key) else 0
        if not 1 <= at <= len(self.numbers):
            raise InputError(
                f"{self.name}: {len(self.numbers):,} lines, but the segment {quoted(key)} was "
                "judged; give the lines that weigh sample wrote for what was judged"
            )
        return str(self.numbers[at - 1])


def lines_text(numbers: Sequence[int], chosen_by: str | None = None) -> str:
    """Return what `read_lines` reads.

    >>> lines_text([4, 9], "difference")
    '4\\tdifference\\n9\\tdifference\\n'
    """
    ending = "" if chosen_by is None else f"\t{chosen_by}"
    return "".join(f"{number}{ending}\n" for number in numbers)


def read_lines(path: str) -> SampledLines:
    """Read the numbers of lines that were drawn or chosen."""
    numbers: list[int] = []
    ways: set[str] = set()
    for at, line in enumerate(read_texts(path), 1):
        number, tab, way = line.partition("\t")
        if not is_line_number(number) or (tab and way not in BY):
            raise InputError(
                f"{shown(path)}:{at}: {quoted(line)}, but the number of a line was expected, as "
                "weigh sample writes them into lines.txt"
            )
        numbers.append(int(number))
        if tab:
            ways.add(way)
    if not numbers or len(set(numbers)) < len(numbers):
        fault = "one line twice" if numbers else "no lines"
        raise InputError(f"{shown(path)}: {fault}; give the lines.txt that weigh sample wrote")
    return SampledLines(shown(path), tuple(numbers), min(ways, default=None))
