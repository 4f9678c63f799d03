"""Plans of tuning and training: what they accept, and what they cost to import."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from weigh.errors import UsageError
from weigh.tuning.plan import TrainPlan, TunePlan, bound_text, bounds_of


def test_plans_are_imported_without_numpy() -> None:
    code = "import sys, weigh.tuning.plan; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_bounds_are_read_and_written() -> None:
    texts = ["lm_0=0:1", "a=b=:2.5", "tm_0=-1:"]
    bounds = bounds_of(texts)
    assert bounds == {"lm_0": (0, 1), "a=b": (None, 2.5), "tm_0": (-1, None)}
    assert [bound_text(name, ends) for name, ends in bounds.items()] == texts
    assert bounds_of(["x=-inf:inf"]) == {"x": (None, None)}


@pytest.mark.parametrize("text", ["lm_0", "lm_0=1", "=", "x=a:b", "x=nan:1"])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME=LOW:HIGH"):
        bounds_of([text])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"optimizer": "powell"}, "optimizer 'powell' is unknown; choose from mert, mira, pro"),
        ({"smooth": "mean"}, "smooth 'mean' is unknown"),
        ({"normalize": "l3"}, "normalize 'l3' is unknown"),
        ({"starts": 0}, "starts 0: give a number of at least 1"),
        ({"directions": -1}, "directions -1: give a number of at least 0"),
        ({"regularize": float("nan")}, "regularize nan"),
        ({"average": True}, "--average needs several --runs"),
        ({"bound": {"x": (2.0, 1.0)}}, "--bound x=2:1: the lower end is not below the upper"),
        ({"normalize": "l1", "fix": ("x",)}, "--normalize would change"),
    ],
)
def test_mistakes_in_tuning(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        TunePlan(**options)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gold": "sentences"}, "gold 'sentences' is unknown; did you mean 'sentence'?"),
        ({"gamma": (1.0, 0.0)}, "gamma 0: give a number above 0"),
        ({"gamma": (float("inf"),)}, "gamma inf"),
        ({"phrases": (0,)}, "phrases 0: give a number of at least 1"),
        ({"folds": 0}, "folds 0"),
    ],
)
def test_mistakes_in_training(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        TrainPlan(**options)
    assert str(caught.value).startswith(said)
