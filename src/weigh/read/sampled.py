"""The numbers of the lines that `weigh sample` drew from a large test set.

One number on each line, from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.text import is_line_number, quoted, read_texts, shown


@dataclass(frozen=True, slots=True)
class SampledLines:
    """The numbers of lines in the order of the sample."""

    name: str
    numbers: tuple[int, ...]

    def segment(self, key: str) -> str:
        """The line number in the large test set of a segment of the sample."""
        at = int(key) if is_line_number(key) else 0
        if not 1 <= at <= len(self.numbers):
            raise InputError(
                f"{self.name}: {len(self.numbers):,} lines, but the segment {quoted(key)} was "
                "judged; give the lines.txt that weigh sample wrote with the judged segments"
            )
        return str(self.numbers[at - 1])


def lines_text(numbers: Sequence[int]) -> str:
    """The content of `lines.txt`.

    >>> lines_text([4, 9])
    '4\\n9\\n'
    """
    return "".join(f"{number}\n" for number in numbers)


def read_lines(path: str) -> SampledLines:
    """Read the numbers of lines that were drawn."""
    numbers: list[int] = []
    for at, line in enumerate(read_texts(path), 1):
        if not is_line_number(line):
            raise InputError(
                f"{shown(path)}:{at}: {quoted(line)}, but a line number was expected; give the "
                "lines.txt that weigh sample wrote"
            )
        numbers.append(int(line))
    if not numbers or len(set(numbers)) < len(numbers):
        fault = "one line twice" if numbers else "no lines"
        raise InputError(f"{shown(path)}: {fault}; give the lines.txt that weigh sample wrote")
    return SampledLines(shown(path), tuple(numbers))
