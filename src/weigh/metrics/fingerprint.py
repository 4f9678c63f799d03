"""Texts by their hashes: enough to tell whether they are the same, without keeping them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import System

    Fingerprints = NDArray[np.uint64]


class Fingerprint(str):
    """Stands for a text of which nothing but its hash is known."""

    __slots__ = ()


def fingerprints(texts: Sequence[str]) -> Fingerprints:
    """Return 64 bits for every text.

    >>> one, two, three = fingerprints(["a", "b", "a"])
    >>> one == three != two
    np.True_
    """
    numbers = (
        int(text, 16) if isinstance(text, Fingerprint) else int.from_bytes(_hash(text), "big")
        for text in texts
    )
    return np.fromiter(numbers, dtype=np.uint64, count=len(texts))


def stand_ins(numbers: Fingerprints) -> tuple[Fingerprint, ...]:
    """Return what stands for the texts of these fingerprints."""
    return tuple(Fingerprint(f"{number:016x}") for number in numbers.tolist())


def has_texts(system: System) -> bool:
    """Return whether a system's texts are known, and not only their fingerprints."""
    texts = system.outputs.texts
    return not (len(texts) and isinstance(texts[0], Fingerprint))


def digest(values: Sequence[Any]) -> str:
    """Return one fingerprint of a whole column of numbers or texts."""
    made = blake2b(digest_size=8)
    for value in values:
        made.update(repr(value).encode("utf-8", "surrogatepass") + b"\n")
    return made.hexdigest()


def _hash(text: str) -> bytes:
    words = getattr(text, "words", None)  # of a text that carries its parse
    content = text if words is None else f"{text}\0{words!r}"
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()
