"""Broad samples: a small test set that is spread over a large one (Koehn 2004 §3.3).

Neighbouring sentences come from one document and resemble each other, so that a stretch of them
says less about the whole than as many that are spread over it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from weigh.errors import InputError


def broad_sample(size: int, count: int, seed: int) -> list[int]:
    """Return `count` of the numbers from 0 to `size` − 1, in order and spread over all of them.

    The numbers are divided into `count` consecutive intervals whose sizes differ by one at most,
    and one number is drawn from each. (Koehn takes every k-th sentence; drawing within the
    intervals keeps clear of anything that recurs with that period.)

    >>> broad_sample(9, 3, seed=1)
    [0, 5, 8]
    """
    if not 1 <= count <= size:
        raise InputError(
            f"a sample of {count:,}, but there are only {size:,} to draw from; "
            f"ask for 1 to {size:,}"
        )
    # random() is the method whose sequence Python promises to keep for a seed.
    draw = random.Random(seed).random
    starts = [number * size // count for number in range(count + 1)]
    return [start + int(draw() * (stop - start)) for start, stop in pairwise(starts)]


def broad_document_sample(documents: Sequence[str], count: int, seed: int) -> list[int]:
    """Return the segments of `count` whole documents that are spread over all of them.

    `documents` holds the document of each segment. Documents are drawn like single segments, in
    the order in which they begin; a document's segments need not stand together.

    >>> broad_document_sample(["a", "a", "b", "c", "c"], 3, seed=1)
    [0, 1, 2, 3, 4]
    """
    names = list(dict.fromkeys(documents))
    chosen = {names[number] for number in broad_sample(len(names), count, seed)}
    return [segment for segment, name in enumerate(documents) if name in chosen]
