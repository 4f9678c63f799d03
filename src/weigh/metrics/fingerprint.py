"""Texts by their hashes: enough to tell whether they are the same, without keeping them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.types import ParsedText

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Fingerprints = NDArray[np.uint64]


def fingerprints(texts: Sequence[str]) -> Fingerprints:
    """Return 64 bits for every text.

    >>> one, two, three = fingerprints(["a", "b", "a"])
    >>> one == three != two
    np.True_
    """
    numbers = (int.from_bytes(_hash(text), "big") for text in texts)
    return np.fromiter(numbers, dtype=np.uint64, count=len(texts))


def digest(values: Sequence[Any]) -> str:
    """Return one fingerprint of a whole column of numbers or texts."""
    made = blake2b(digest_size=8)
    for value in values:
        made.update(repr(value).encode("utf-8", "surrogatepass") + b"\n")
    return made.hexdigest()


def _hash(text: str) -> bytes:
    whole = f"{text}\0{text.words!r}" if isinstance(text, ParsedText) else text
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=8).digest()
