"""The loop: what each iteration is tuned on and from, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from weigh import TestSet, parse_metric
from weigh.tuning.loop import Loop, best_iteration
from weigh.tuning.problem import Problem
from weigh.tuning.search import Tuned
from weigh.tuning.weights import WeightSpace

START = {"lm_0": 1.0, "tm_0": 1.0}


class Listed:
    """A decoder that writes one list after another, the last again and again."""

    def __init__(self, *lists: str) -> None:
        self.lists = lists
        self.asked: list[dict[str, float]] = []

    def decode(self, weights: Any, folder: Path, nbest: Path) -> None:
        assert folder.is_dir()
        nbest.write_text(self.lists[min(len(self.asked), len(self.lists) - 1)])
        self.asked.append(dict(weights))


@dataclass
class Recorder:
    """An optimizer that adds 1 to the first weight and keeps what it was given."""

    calls: list[tuple[int, list[float], list[list[float]]]] = field(default_factory=list)

    def tune(self, problem: Problem, space: WeightSpace, **given: Any) -> Tuned:
        further = [weights.tolist() for weights in given["further"]]
        self.calls.append((len(problem.nbest), space.start.tolist(), further))
        weights = space.start.copy()
        weights[0] += 1
        return Tuned(given["seed"], 0.0, 50.0, weights)


def looped(folder: Path, decoder: Listed, recorder: Recorder, iterations: int = 5) -> Any:
    test_set = TestSet([["a b c d", "e f g h"]])

    def space_of(nbest, weights):
        return WeightSpace.of(nbest.names, [weights[name] for name in nbest.names])

    loop = Loop(
        decoder,
        test_set,
        parse_metric("bleu:effective_order"),
        recorder,
        space_of,
        folder,
        iterations,
        1,
        {},
    )
    told: list[int] = []
    done, store = loop.run(START, lambda iteration: told.append(iteration.iteration))
    assert told == [iteration.iteration for iteration in done]
    return done, store


def lines(*texts: str) -> str:
    return "".join(
        f"{at % 2} ||| {text} ||| lm= {at} tm= 1 ||| 0\n" for at, text in enumerate(texts)
    )


def test_tuning_starts_from_the_last_and_the_first_weights(tmp_path: Path) -> None:
    decoder = Listed(
        lines("a b", "e f"), lines("a b", "e f", "a b c", "e f g"), lines("a b", "e f")
    )
    recorder = Recorder()
    done, store = looped(tmp_path, decoder, recorder)
    assert [(each.candidates, each.new) for each in done] == [(2, 2), (4, 2), (4, 0)]
    assert recorder.calls == [
        (2, [1.0, 1.0], []),
        (4, [2.0, 1.0], [[1.0, 1.0]]),
    ]
    assert [asked["lm_0"] for asked in decoder.asked] == [1, 2, 3]
    assert len(store) == 4
    assert done[-1].tuned_weights is None  # nothing was new


def test_the_last_allowed_iteration_is_not_tuned(tmp_path: Path) -> None:
    recorder = Recorder()
    done, _ = looped(tmp_path, Listed(lines("a b", "e f")), recorder, iterations=1)
    assert (len(done), recorder.calls) == (1, [])


def test_the_best_decoding_is_the_result_and_not_the_last(tmp_path: Path) -> None:
    decoder = Listed(lines("a x", "e x"), lines("a b c d", "e f g h"), lines("x", "y"))
    done, _ = looped(tmp_path, decoder, Recorder(), iterations=3)
    assert [each.score for each in done][1] == pytest.approx(100)
    assert best_iteration(done, 1.0).iteration == 2
    assert best_iteration(done, -1.0).iteration == 3


def test_what_is_in_the_folder_is_not_done_again(tmp_path: Path) -> None:
    lists = lines("a b", "e f"), lines("a b c", "e f g"), lines("a b c d", "e f g h")
    whole, _ = looped(tmp_path / "whole", Listed(*lists), Recorder(), iterations=4)
    first = Listed(*lists)
    looped(tmp_path / "parts", first, Recorder(), iterations=4)
    (tmp_path / "parts" / "iteration3" / "result.json").unlink()
    for name in ("nbest", "result.json"):
        (tmp_path / "parts" / "iteration4" / name).unlink()
    again, recorder = Listed(lists[2]), Recorder()
    done, _ = looped(tmp_path / "parts", again, recorder, iterations=4)
    assert done == whole
    assert (len(first.asked), len(again.asked), len(recorder.calls)) == (4, 1, 1)
