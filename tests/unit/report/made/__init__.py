"""A small result of every kind that verbs make, for a seed: what every test of results is about.

Each module stands for a group of verbs and has `MADE`: a name, mostly the command's, and a
function from a seed to a result. Names and texts in them are hostile on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from unit.report.made import campaign, compare, human, paper, rypt, tune, validate
from weigh.result import Result

# Results cannot be changed, so tests share them.
MADE: dict[str, Callable[[int], Result]] = {
    kind: cache(make)
    for group in (compare, human, validate, tune, rypt, campaign, paper)
    for kind, make in group.MADE.items()
}

# Seeds of results that differ in all that they may; tests share them, since they take longest.
# Among them are all remainders by 2, 3 and 4, which decide on most options, and 4 by 5, 5 by 7.
SEEDS = (0, 1, 2, 19)
