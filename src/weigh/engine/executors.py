"""Independent work through a `concurrent.futures.Executor`: processes, a cluster, or none at all.

Without an executor everything runs in this process's threads. With one, tasks are sent to it, and
what they return is put in its place here: since draws depend on the seed, the trial and the unit
alone, all answers are the same wherever they were computed.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from weigh import __version__
from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import MissingExtraError, UsageError, WeighError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Task = Callable[[Any, Any], Returned]
"""A task for a worker: a function of the shared data and of the task's own data."""

# Largest number of tasks for a range of trials if the number of workers is unknown or may grow;
# and tasks per worker, so that a slow one does not hold up the rest.
_TASKS = 64
_FOR_EACH = 4
# Seconds in which a cluster should have a worker; a queue may take longer.
_FIRST_WORKER = 60
_DASK = "dask"
ENGINES = f"threads, {_DASK}, {_DASK}://HOST:PORT"
# Workers of a local cluster are processes of one thread each, and show no page.
_LOCAL: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}

_current: ContextVar[Executor | None] = ContextVar("executor", default=None)


def executor() -> Executor | None:
    """Executor that work is sent to; None if it stays in this process."""
    return _current.get()


@contextmanager
def running_on(chosen: Executor | None) -> Iterator[None]:
    """Send work to an executor for a while; None leaves it where it was sent before."""
    if chosen is None:
        yield
        return
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


def spreads(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Add the keyword `executor=` to a public function."""

    @wraps(function)
    def spreading(*args: Given.args, **options: Given.kwargs) -> Returned:
        chosen: Any = options.pop("executor", None)
        if chosen is not None and not hasattr(chosen, "submit"):
            raise UsageError(
                f"executor is {type(chosen).__name__}; give a concurrent.futures.Executor, such as "
                "a ProcessPoolExecutor or Dask's client.get_executor()"
            )
        with running_on(chosen):
            return function(*args, **options)

    return spreading


class Packed:
    """A value that is sent as bytes, once.

    What Dask sends piece by piece arrives in arrays that are not aligned in memory and cannot be
    written to, which kernels refuse.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Callable[..., Packed], tuple[Any, ...]]:
        return _unpacked, (_bytes(self.value),)


def _bytes(value: Any) -> bytes:
    """Pickle a value; Dask's way, if it is there, takes what is defined in a notebook along."""
    way: Any = sys.modules.get("cloudpickle", pickle)
    packed: bytes = way.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return packed


def _unpacked(packed: bytes) -> Packed:
    return Packed(pickle.loads(packed))


class Shared(Packed):
    """Data that the tasks of one or several calls of `spread` share.

    A worker unpacks it once and keeps it until something else is shared. Dask also sends it to each
    worker only once, and the processes of a pool, which are on this machine, read it from a file.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._name = os.urandom(8).hex()
        self._packed: bytes | None = None
        self._file: str | None = None
        self._scattered: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[Callable[..., Packed], tuple[Any, ...]]:
        if self._file is not None:
            return _unpack, (self._name, self._file)
        if self._packed is None:
            self._packed = _bytes(self.value)
        return _unpack, (self._name, self._packed)

    def for_tasks(self, chosen: Executor) -> Any:
        """The value to send with tasks: itself, or its copy on the workers of a cluster."""
        client = getattr(chosen, "_client", None)
        if client is None:
            from concurrent.futures import ProcessPoolExecutor

            if isinstance(chosen, ProcessPoolExecutor) and self._file is None:
                self._write()
            return self
        if self._scattered is None or self._scattered[0] is not client:
            _await_workers(client)
            self._scattered = client, client.scatter(self, broadcast=True, hash=False)
        return self._scattered[1]

    def _write(self) -> None:
        """Write it to a file for other processes, as long as this is needed; if there is room."""
        import tempfile
        from weakref import finalize

        packed = _bytes(self.value)
        try:
            file, path = tempfile.mkstemp(prefix="weigh-")
            finalize(self, _remove, path)
            with os.fdopen(file, "wb") as stream:
                stream.write(packed)
        except OSError:
            self._packed = packed  # which is sent with every task
        else:
            self._file = path


def _remove(path: str) -> None:
    with suppress(OSError):
        Path(path).unlink()


def _await_workers(client: Any) -> None:
    """Wait for the first worker of a cluster, but not for ever."""
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER)
    except TimeoutError:
        raise WeighError(
            f"no worker has joined the cluster within {_FIRST_WORKER} seconds; start workers, "
            "or wait for queued ones with Dask's client.wait_for_workers(1)"
        ) from None


# What was shared last, where tasks are sent to.
_kept: dict[str, Shared] = {}


def _unpack(name: str, packed: bytes | str) -> Shared:
    """Unpack what tasks share, or the file that has it, unless the last task had the same."""
    shared = _kept.get(name)
    if shared is None:
        _kept.clear()  # first, so that there is room for both only while one is sent
        content = Path(packed).read_bytes() if isinstance(packed, str) else packed
        _kept[name] = shared = Shared(pickle.loads(content))
    return shared


def ranges(size: int) -> list[tuple[int, int]]:
    """Consecutive ranges of `range(size)`, one per task.

    >>> ranges(3)
    [(0, 1), (1, 2), (2, 3)]
    """
    step = max(1, -(-size // _tasks()))
    return [(start, min(start + step, size)) for start in range(0, size, step)]


def _tasks() -> int:
    """Number of tasks worth sending to an executor."""
    chosen = executor()
    client = getattr(chosen, "_client", None)
    if client is not None:
        cores: int = sum(client.ncores().values())
        return max(_TASKS, _FOR_EACH * cores)
    workers: int = getattr(chosen, "_max_workers", _TASKS)
    return min(_TASKS, _FOR_EACH * workers)


def spread(
    task: Task[Returned],
    payloads: Sequence[Any],
    shared: Any = None,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Returned]:
    """Results of `task(shared, payload)` for every payload, in order.

    `shared` may be a `Shared` that further calls use, too. `progress(done, all)` is told of
    payloads. Elsewhere, tasks run with all that they need in a pickled form, so a task is a
    function of a module.
    """
    results: list[Any] = [None] * len(payloads)
    together = shared if isinstance(shared, Shared) else Shared(shared)
    chosen = executor()
    if chosen is None:

        def work(start: int, stop: int) -> None:
            for at in range(start, stop):
                results[at] = task(together.value, payloads[at])

        run_in_parts(work, len(payloads), 1, threads=threads, progress=progress)
        return results
    from concurrent.futures import as_completed

    try:
        handed = together.for_tasks(chosen)
        places = {
            chosen.submit(_alone, task, handed, Packed(payload), __version__): at
            for at, payload in enumerate(payloads)
        }
    except WeighError:
        raise
    except Exception as error:
        raise _task_error(chosen, error) from error
    try:
        for done, future in enumerate(as_completed(places), 1):
            results[places[future]] = _result(chosen, future)
            if progress is not None:
                progress(done, len(places))
    except BaseException:
        for future in places:
            future.cancel()
        raise
    return results


def _alone(task: Task[Any], shared: Shared, payload: Packed, version: str) -> Packed:
    """Run a task where it was sent to; what it calls stays there."""
    if version != __version__:
        raise WeighError(
            f"a worker has weigh {__version__}, but the work was sent by weigh {version}; install "
            "the same version on both"
        )
    token = _current.set(None)
    try:
        return Packed(task(shared.value, payload.value))
    finally:
        _current.reset(token)


def _result(chosen: Executor, future: Future[Packed]) -> Any:
    try:
        return future.result().value
    except WeighError:
        raise
    except Exception as error:
        raise _task_error(chosen, error) from error


# What pools and Dask raise where the process of a worker is gone.
_ENDED = {"BrokenProcessPool", "CancelledError", "FutureCancelledError", "KilledWorker"}


def _task_error(chosen: Executor, error: Exception) -> WeighError:
    if type(error).__name__ in _ENDED:
        return WeighError(
            f"{type(chosen).__name__}: a worker stopped before its task finished "
            f"({type(error).__name__}), perhaps for lack of memory or time; give workers more "
            "of both, or run fewer per machine"
        )
    message = str(error).partition("\n")[0][:200]
    return WeighError(
        f"{type(chosen).__name__}: a task failed ({type(error).__name__}: {message}); run it "
        "locally to see whether the task or the executor is at fault, and keep custom metrics "
        "in a module that workers can import"
    )


@contextmanager
def engine(name: str) -> Iterator[None]:
    """Send work to an engine by its name: this process's threads, or a cluster of Dask."""
    kind, _, address = name.partition("://")
    if name == "threads":
        yield
        return
    if kind != _DASK or ("://" in name and not address):
        raise UsageError(f"unknown engine {name!r}; give one of {ENGINES}")
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError(
            "--engine dask needs Dask; install it with pip install 'weigh[cluster]'"
        ) from None
    try:
        options = {"address": f"tcp://{address}"} if address else _LOCAL
        client = distributed.Client(**options)
    except (OSError, ValueError) as error:
        raise WeighError(f"{name}: cannot reach a cluster ({error})") from error
    with client, client.get_executor() as chosen, running_on(chosen):
        yield
