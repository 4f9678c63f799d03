"""Broad samples: a small test set spread over a large one (Koehn 2004 §3.3).

Neighbouring sentences come from the same document and resemble each other. A block of consecutive
sentences therefore represents the whole less well than equally many sentences spread over it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from weigh.errors import InputError


def broad_sample(size: int, count: int, seed: int) -> list[int]:
    """Draw `count` of the numbers from 0 to `size` − 1, in order and spread over the whole range.

    The range is divided into `count` consecutive intervals whose sizes differ by at most one, and
    one number is drawn from each. (Koehn takes every k-th sentence; drawing within intervals avoids
    any pattern that recurs with that period.)

    >>> broad_sample(9, 3, seed=1)
    [0, 5, 8]
    """
    if not 1 <= count <= size:
        raise InputError(
            f"cannot draw a sample of {count:,} from {size:,}; give a size from 1 to {size:,}"
        )
    # Python guarantees the sequence for a seed across versions only for random().
    draw = random.Random(seed).random
    starts = [number * size // count for number in range(count + 1)]
    return [start + int(draw() * (stop - start)) for start, stop in pairwise(starts)]


def broad_document_sample(documents: Sequence[str], count: int, seed: int) -> list[int]:
    """Draw `count` whole documents, spread over all of them, and return their segments.

    `documents` holds the document of each segment. Documents are drawn as `broad_sample` draws
    numbers, in order of first appearance; the segments of a document need not be adjacent.

    >>> broad_document_sample(["a", "a", "b", "c", "c"], 3, seed=1)
    [0, 1, 2, 3, 4]
    """
    names = list(dict.fromkeys(documents))
    chosen = {names[number] for number in broad_sample(len(names), count, seed)}
    return [segment for segment, name in enumerate(documents) if name in chosen]
