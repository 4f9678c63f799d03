"""What people answer and metrics score, for a seed."""

from __future__ import annotations

import numpy as np

from weigh.comparing.dataset import Dataset, from_arrays
from weigh.metrics.segment import GivenMean
from weigh.read.answers import Omission
from weigh.types import Judgment, Preference

OMISSIONS = [Omission("file: missing answers (row 3)", 2)]
NAMES = ("<A>", "B|b", "C_c")


def judgments(seed: int, scales: tuple[str, ...] = ("adequacy", "fluency")) -> list[Judgment]:
    """Three systems and five judges, one of whom answers at random and one of whom took no time."""
    rng = np.random.default_rng(seed)
    made = []
    for judge in range(5):
        for scale in scales:
            for segment in range(12):
                for at, system in enumerate(NAMES):
                    value = float(np.clip(rng.normal(60 - 12 * at, 15), 0, 100).round())
                    about = (f"j{judge}", f"h{judge}", "de-en")
                    rest = (system, str(segment))
                    seconds = 3.0 if judge == 1 else 30.0
                    made.append(Judgment(*about, "system", *rest, value, scale, seconds))
                    if segment % 3 == at:
                        again = float(np.clip(value + rng.normal(0, 5), 0, 100).round())
                        made.append(Judgment(*about, "repeat", *rest, again, scale, seconds))
                        bad = 50.0 if judge == 0 else 0.4 * value
                        made.append(Judgment(*about, "bad", *rest, bad, scale, seconds))
    return made


def preferences(seed: int) -> list[Preference]:
    rng = np.random.default_rng(seed)
    made = []
    for n in range(60):
        a, b = sorted(rng.choice(3, 2, replace=False))
        if rng.random() < 0.3:
            a, b = b, a
        tied = bool(rng.random() < 0.2)
        made.append(Preference(NAMES[a], NAMES[b], str(n % 7), tied, f"j{n % 3}"))
    return made


def measured(seed: int, systems: int = 3) -> Dataset:
    """Scores by a metric that wants to be high and one that wants to be low."""
    rng = np.random.default_rng(seed)
    base = rng.normal(50, 8, 60)
    scores = {
        metric: {
            name: base + rng.normal(sign * (2 - at), 6, 60)
            for at, name in enumerate(NAMES[:systems])
        }
        for metric, sign in (("up", 1), ("down", -1))
    }
    return from_arrays(scores, {"down": GivenMean("down", higher_is_better=False)})
