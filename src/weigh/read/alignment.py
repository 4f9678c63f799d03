"""Word alignments in Pharaoh's form: `0-0 1-2`, places of a source and an output word from 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.stream import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

_LINK = r"[0-9]{1,9}-[0-9]{1,9}"
_LINKS = re.compile(rf"[ \t]*(?:{_LINK}(?:[ \t]+|$))*")


class Links(NamedTuple):
    """The links of several outputs: which output, which source word, which of its own words."""

    owners: Integers
    sources: Integers
    targets: Integers


def parse_links(lines: Sequence[str], where: Callable[[int], str]) -> Links:
    """Return the links of one line for each output; `where` names the place of a line.

    >>> parse_links(["0-0 1-2", "", "1-0"], str).owners.tolist()
    [0, 0, 2]
    """
    text = " ".join(lines)
    if not _LINKS.fullmatch(text):
        raise _malformed(lines, where)
    numbers = np.zeros(0, dtype=np.int64)
    if "-" in text:  # NumPy warns of text without a number
        numbers = np.fromstring(text.replace("-", " "), dtype=np.int64, sep=" ")
    sources, targets = np.ascontiguousarray(numbers.reshape(-1, 2).T)
    owners = np.repeat(np.arange(len(lines)), [line.count("-") for line in lines])
    return Links(owners, sources, targets)


def _malformed(lines: Sequence[str], where: Callable[[int], str]) -> InputError:
    place, token = next(
        (place, token)
        for place, line in enumerate(lines)
        for token in line.split(" ")
        if not _LINKS.fullmatch(token)
    )
    return InputError(
        f"{where(place)}: {quoted(token)} is no link; give the places of a source and an output "
        "word from 0, as in 0-0 1-2"
    )


def check_links(
    links: Links, sources: Sequence[int], targets: Sequence[int], where: Callable[[int], str]
) -> None:
    """Refuse links to words that are not there: the outputs' sources and they have so many."""
    for what, places, sizes in (
        ("source", links.sources, sources),
        ("output", links.targets, targets),
    ):
        beyond = np.flatnonzero(places >= np.asarray(sizes, dtype=np.int64)[links.owners])
        if len(beyond):
            first = beyond[0]
            owner = int(links.owners[first])
            raise InputError(
                f"{where(owner)}: the link {links.sources[first]}-{links.targets[first]}, but the "
                f"{what} has {plural(int(sizes[owner]), 'word')}; count from 0, and check that "
                "both belong together"
            )
