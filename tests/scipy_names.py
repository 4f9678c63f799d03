"""What SciPy called things before, for the lowest version that is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

_VERSION = tuple(int(part) for part in scipy.__version__.split(".")[:2])

# The method of `wilcoxon` that takes the normal distribution.
ASYMPTOTIC = "asymptotic" if _VERSION >= (1, 13) else "approx"


def drawn_by(generator: np.random.Generator) -> dict[str, Any]:
    """Return the argument that names a random generator."""
    return {"rng" if _VERSION >= (1, 15) else "random_state": generator}
