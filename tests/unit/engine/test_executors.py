"""Work elsewhere: the same answers to the last bit, and one line where it fails."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest

import weigh
from pickling import PicklingExecutor
from weigh.comparing.dataset import from_arrays
from weigh.engine import executors
from weigh.engine.executors import Shared, engine, executor, ranges, running_on, spread
from weigh.errors import InputError, UsageError, WeighError
from weigh.validate.plan import PowerPlan, SamplesPlan, Type1Plan
from weigh.validate.power import power
from weigh.validate.samples import samples
from weigh.validate.type1 import type1

EXAMPLES = Path(__file__).parents[3] / "examples"


def texts(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").split("\n")[:-1]


OUTPUTS = {name: texts(f"{name}.en") for name in ("good", "middling", "poor")}
REFERENCES = [texts("reference.en")]
SCORES = {
    name: np.random.default_rng(number).integers(0, 2, (2, 70)).astype(float)
    for number, name in enumerate("ABCD")
}


@pytest.mark.parametrize(
    "options",
    [
        {"tests": ("randomization", "bootstrap", "paired-bootstrap")},
        {"details": True},
        {"alternative": "better", "interval": "bca"},
        {"slices": texts("domains.txt")},
    ],
)
def test_comparisons_of_texts(options: dict[str, object]) -> None:
    elsewhere = PicklingExecutor()
    given = {"references": REFERENCES, "metrics": ["bleu", "ter"], "trials": 500, **options}
    here = weigh.compare(OUTPUTS, **given)
    there = weigh.compare(OUTPUTS, executor=elsewhere, **given)
    assert there.to_json() == here.to_json()
    assert elsewhere.tasks > 2 * len(OUTPUTS)


@pytest.mark.parametrize("options", [{}, {"runs_as_sample": True}])
def test_comparisons_of_runs(options: dict[str, object]) -> None:
    here = weigh.compare(SCORES, trials=500, **options)
    there = weigh.compare(SCORES, trials=500, executor=PicklingExecutor(), **options)
    assert there.to_json() == here.to_json()


def test_intervals_of_scores() -> None:
    given = {"references": REFERENCES, "metrics": ["chrf"], "interval": "percentile"}
    here = weigh.score(OUTPUTS, **given)
    assert weigh.score(OUTPUTS, executor=PicklingExecutor(), **given).to_json() == here.to_json()


def test_studies() -> None:
    pairs = {name: rows[0] for name, rows in SCORES.items()}
    measured = from_arrays({"score": pairs})
    two = from_arrays({"score": {name: pairs[name] for name in "AB"}})
    plans = {
        type1: (measured, Type1Plan(nulls=30, trials=199)),
        samples: (two, SamplesPlan(sizes=(20,), samples=8, trials=99)),
        power: (two, PowerPlan(sizes=(30,), simulations=20, trials=199)),
    }
    for study, (data, plan) in plans.items():
        elsewhere = PicklingExecutor()
        found = study(data, plan, executor=elsewhere)
        assert found.to_json() == study(data, plan).to_json()
        assert elsewhere.tasks > 1


def test_an_executor_is_forgotten_afterwards() -> None:
    chosen = PicklingExecutor()
    with running_on(chosen):
        assert executor() is chosen
        with running_on(None):
            assert executor() is chosen
    assert executor() is None


def failing(_: object, payload: int) -> int:
    if payload == 3:
        raise ZeroDivisionError("nothing to divide by\nand more")
    if payload == 4:
        raise InputError("bad data")
    return payload


def test_a_task_that_fails_is_told_in_one_line() -> None:
    with running_on(PicklingExecutor()):
        assert spread(failing, [1, 2]) == [1, 2]
        with pytest.raises(WeighError, match=r"PicklingExecutor: a task failed .*nothing") as told:
            spread(failing, [1, 3])
        assert "\n" not in str(told.value)
        with pytest.raises(InputError, match="bad data"):
            spread(failing, [4])


def test_what_cannot_be_sent_is_told_in_one_line() -> None:
    with (
        running_on(PicklingExecutor()),
        pytest.raises(WeighError, match=r"a task failed .*module that workers can import"),
    ):
        spread(lambda _, payload: payload, [1])


def test_a_worker_that_ends_is_told_in_one_line() -> None:
    class Killed(PicklingExecutor):
        def submit(self, work, /, *args, **options):  # type: ignore[no-untyped-def]
            future = super().submit(work, *args, **options)
            if self.tasks == 2:
                future = Future()
                future.set_exception(BrokenProcessPool("terminated abruptly"))
            return future

    with (
        running_on(Killed()),
        pytest.raises(WeighError, match=r"Killed: a worker stopped .*lack of memory"),
    ):
        spread(failing, [1, 2])


def test_processes_of_a_pool_read_what_is_shared_from_a_file() -> None:
    class Watched(ProcessPoolExecutor):
        sent = 0

        def submit(self, work, /, *args, **options):  # type: ignore[no-untyped-def]
            self.sent += len(pickle.dumps((work, args, options)))
            return super().submit(work, *args, **options)

    shared = Shared(np.arange(100_000))
    with Watched(1) as pool, running_on(pool):
        assert spread(taken, [3, 5], shared) == [3, 5]
        assert spread(taken, [7], shared) == [7]
        assert pool.sent < 5_000
    path = Path(str(shared._file))
    assert path.stat().st_mode & 0o777 == 0o600
    del shared
    assert not path.exists()


def taken(shared: np.ndarray, place: int) -> int:
    return int(shared[place])


def test_a_worker_with_another_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Older(PicklingExecutor):
        def submit(self, work, /, *args, **options):  # type: ignore[no-untyped-def]
            with monkeypatch.context() as there:
                there.setattr(executors, "__version__", "0.0.1")
                return super().submit(work, *args, **options)

    with (
        running_on(Older()),
        pytest.raises(WeighError, match=r"a worker has weigh 0\.0\.1, .*install the same version"),
    ):
        spread(failing, [1])


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(UsageError, match=r"executor is int; give a concurrent\.futures\.Executor"):
        weigh.compare(SCORES, executor=3)


@pytest.mark.parametrize("name", ["dusk", "dask://", "slurm://host", ""])
def test_unknown_engines_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown engine"), engine(name):
        pass


def test_ranges_cover_everything_once() -> None:
    for size in (0, 1, 63, 64, 65, 1000, 99_999):
        found = [at for start, stop in ranges(size) for at in range(start, stop)]
        assert found == list(range(size))
        assert len(ranges(size)) <= 64


def test_dask_gives_the_same() -> None:
    pytest.importorskip("distributed")
    with engine("dask"):
        chosen = executor()
        assert isinstance(chosen, Executor)
        there = weigh.compare(OUTPUTS, references=REFERENCES, metrics=["bleu"], trials=300)
    here = weigh.compare(OUTPUTS, references=REFERENCES, metrics=["bleu"], trials=300)
    assert there.to_json() == here.to_json()
