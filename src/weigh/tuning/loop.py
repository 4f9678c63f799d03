"""The loop with a decoder: decode, merge the new candidates, tune, decode again.

Everything is kept in a folder, and what is there is not done again: a loop that was killed goes
on where it was and ends as it would have.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError
from weigh.metrics.custom import Definition
from weigh.tuning.decoder import Decoder, check_output, write_whole
from weigh.tuning.gather import merge, read_nbest
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem
from weigh.tuning.tuning import Tuner
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from weigh.types import Metric, TestSet

NBEST, RESULT, SETTINGS = "nbest", "result.json", "settings.json"
_SAME = 1e-9

SpaceOf = Callable[[NBest, Mapping[str, float]], WeightSpace]


@dataclass(frozen=True, slots=True)
class Iteration:
    """What one iteration found.

    `score` is that of the new list's best candidates by the weights that it was decoded with;
    `tuned_score` that of the weights found next, on all candidates, or None if none were sought.
    """

    number: int
    weights: Mapping[str, float]
    candidates: int
    new: int
    score: float
    tuned_score: float | None
    tuned_weights: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Loop:
    """A decoder, what is tuned and how; `folder` holds the files of every iteration."""

    decoder: Decoder
    test_set: TestSet
    metric: Metric | Definition
    tuner: Tuner
    space_of: SpaceOf
    folder: Path
    iterations: int
    seed: int
    settings: Mapping[str, Any]
    threads: int = 0

    def run(
        self, start: Mapping[str, float], tell: Callable[[Iteration], None]
    ) -> tuple[list[Iteration], NBest]:
        """Go on until nothing new comes; return all iterations and all candidates."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._check_settings(start)
        weights = dict(start)
        done: list[Iteration] = []
        store: NBest | None = None
        for number in range(1, self.iterations + 1):
            folder = self.folder / f"iteration{number}"
            new_list = self._decoded(weights, folder)
            before = 0 if store is None else len(store)
            store = new_list if store is None else merge([store, new_list])
            iteration = _load(folder / RESULT)
            if iteration is None:
                decoded = Problem.of(new_list, self.test_set, self.metric, threads=self.threads)
                iteration = Iteration(
                    number,
                    weights,
                    len(store),
                    len(store) - before,
                    decoded.score(self.space_of(new_list, weights).start),
                    None,
                    None,
                )
                # What is not decoded any more is not tested, and so is of no use.
                if iteration.new and number < self.iterations:
                    iteration = self._tuned(iteration, start, store)
                write_whole(folder / RESULT, json.dumps(asdict(iteration), indent=1) + "\n")
            done.append(iteration)
            tell(iteration)
            if iteration.tuned_weights is None or _same(iteration.tuned_weights, weights):
                break
            weights = dict(iteration.tuned_weights)
        if store is None:
            raise InputError("no iterations; allow at least one")
        return done, store

    def _decoded(self, weights: Mapping[str, float], folder: Path) -> NBest:
        folder.mkdir(exist_ok=True)
        path = folder / NBEST
        if not path.exists():
            part = folder / f"{NBEST}.{os.getpid()}.part"
            self.decoder.decode(weights, folder, part)
            check_output(part, folder)
            part.replace(path)
        return read_nbest([str(path)], self.test_set, self.decoder.feature_names)

    def _tuned(self, iteration: Iteration, start: Mapping[str, float], store: NBest) -> Iteration:
        """Tune on all candidates, from the last weights, the first ones and random ones."""
        problem = Problem.of(store, self.test_set, self.metric, threads=self.threads)
        space = self.space_of(store, iteration.weights)
        sequence = np.random.SeedSequence([self.seed, iteration.number])
        tuned = self.tuner.tune(
            problem,
            space,
            seed=int(sequence.generate_state(1, np.uint64)[0]),
            further=() if iteration.number == 1 else (self.space_of(store, start).start,),
            threads=self.threads,
        )
        found = dict(zip(space.names, tuned.weights.tolist(), strict=True))
        return replace(iteration, tuned_score=tuned.score, tuned_weights=found)

    def _check_settings(self, start: Mapping[str, float]) -> None:
        """Refuse a folder in which something else was tuned."""
        path = self.folder / SETTINGS
        text = json.dumps({**self.settings, "start": dict(start)}, indent=1, sort_keys=True) + "\n"
        if not path.exists():
            write_whole(path, text)
        elif path.read_text(encoding="utf-8") != text:
            was, now = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
            other = next((key for key in now if was.get(key) != now[key]), "settings")
            raise InputError(
                f"{self.folder}: holds a loop with another {other!r}; go on with the same, or "
                "choose another folder with --dir"
            )


def best_iteration(iterations: list[Iteration], sign: float) -> Iteration:
    """Return the iteration whose decoding scored best, the first of equals."""
    return max(iterations, key=lambda each: sign * each.score)


def _load(path: Path) -> Iteration | None:
    if not path.exists():
        return None
    return Iteration(**json.loads(path.read_text(encoding="utf-8")))


def _same(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    names = sorted({*a, *b})
    left, right = (np.array([each.get(name, 0.0) for name in names]) for each in (a, b))
    left, right = left / np.linalg.norm(left), right / np.linalg.norm(right)
    return bool(np.abs(left - right).max() < _SAME)
