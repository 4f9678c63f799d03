"""Run independent tasks on a `concurrent.futures.Executor` (processes, a cluster) or on threads.

Without an executor, tasks run on this process's threads. With one, they are sent to it and their
results are collected here in order. Random draws depend only on the seed, the trial and the unit,
so results are the same wherever they are computed.
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

P = ParamSpec("P")
R = TypeVar("R")
Task = Callable[[Any, Any], R]
"""A task for a worker: a function of the shared data and the task's own data."""

# Number of tasks for a range of trials if the number of workers is unknown or may grow.
_TASKS = 64
# Several tasks per worker, so that a slow one does not hold up the rest.
_TASKS_PER_WORKER = 4
# Seconds to wait for a cluster's first worker; a queue may take longer.
_WORKER_TIMEOUT = 60
_DASK = "dask"
ENGINES = f"threads, {_DASK}, {_DASK}://HOST:PORT"
# A local cluster runs single-threaded worker processes and no dashboard.
_LOCAL_CLUSTER: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}

_current: ContextVar[Executor | None] = ContextVar("executor", default=None)


def executor() -> Executor | None:
    """The executor in use; None if work stays in this process."""
    return _current.get()


@contextmanager
def running_on(chosen: Executor | None) -> Iterator[None]:
    """Send work to an executor within this context; None keeps the current one."""
    if chosen is None:
        yield
        return
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


def accepts_executor(function: Callable[P, R]) -> Callable[P, R]:
    """Add the keyword `executor=` to a public function."""

    @wraps(function)
    def wrapper(*args: P.args, **options: P.kwargs) -> R:
        chosen: Any = options.pop("executor", None)
        if chosen is not None and not hasattr(chosen, "submit"):
            raise UsageError(
                f"executor is {type(chosen).__name__}; give a concurrent.futures.Executor, such as "
                "a ProcessPoolExecutor or Dask's client.get_executor()"
            )
        with running_on(chosen):
            return function(*args, **options)

    return wrapper


class Packed:
    """A value that is pickled into one block of bytes before it is sent.

    Dask would send its arrays separately. They would arrive read-only and not aligned in memory,
    which kernels refuse.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Callable[..., Packed], tuple[Any, ...]]:
        return _unpack_value, (_pickle(self.value),)


def _pickle(value: Any) -> bytes:
    """Pickle a value, by cloudpickle if Dask has loaded it: it includes notebook definitions."""
    pickler: Any = sys.modules.get("cloudpickle", pickle)
    packed: bytes = pickler.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return packed


def _unpack_value(packed: bytes) -> Packed:
    return Packed(pickle.loads(packed))


class Shared(Packed):
    """Data shared by all tasks of one or more calls of `spread`.

    A worker unpacks it once and keeps it until it receives other shared data. Dask sends it to each
    worker only once. The processes of a pool run on this machine and read it from a file.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._name = os.urandom(8).hex()
        self._packed: bytes | None = None
        self._file: str | None = None
        self._scattered: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[Callable[..., Packed], tuple[Any, ...]]:
        if self._file is not None:
            return _unpack_shared, (self._name, self._file)
        if self._packed is None:
            self._packed = _pickle(self.value)
        return _unpack_shared, (self._name, self._packed)

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
        """Write the data to a temporary file for other processes, if there is room for it."""
        import tempfile
        from weakref import finalize

        packed = _pickle(self.value)
        try:
            file, path = tempfile.mkstemp(prefix="weigh-")
            finalize(self, _remove, path)
            with os.fdopen(file, "wb") as stream:
                stream.write(packed)
        except OSError:
            self._packed = packed  # sent with every task instead
        else:
            self._file = path


def _remove(path: str) -> None:
    with suppress(OSError):
        Path(path).unlink()


def _await_workers(client: Any) -> None:
    """Wait for a cluster's first worker; raise WeighError if none joins in time."""
    try:
        client.wait_for_workers(1, timeout=_WORKER_TIMEOUT)
    except TimeoutError:
        raise WeighError(
            f"no worker has joined the cluster within {_WORKER_TIMEOUT} seconds; start workers, "
            "or wait for queued ones with Dask's client.wait_for_workers(1)"
        ) from None


# On a worker: the shared data of its last task, by name.
_last_shared: dict[str, Shared] = {}


def _unpack_shared(name: str, packed: bytes | str) -> Shared:
    """Unpack shared data from bytes or from the file of this name; reuse that of the last task."""
    shared = _last_shared.get(name)
    if shared is None:
        _last_shared.clear()  # first, so that both are not unpacked in memory at once
        content = Path(packed).read_bytes() if isinstance(packed, str) else packed
        _last_shared[name] = shared = Shared(pickle.loads(content))
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
        return max(_TASKS, _TASKS_PER_WORKER * cores)
    workers: int = getattr(chosen, "_max_workers", _TASKS)
    return min(_TASKS, _TASKS_PER_WORKER * workers)


def spread(
    task: Task[R],
    payloads: Sequence[Any],
    shared: Any = None,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[R]:
    """Results of `task(shared, payload)` for every payload, in order.

    Pass a `Shared` as `shared` to use it in several calls. `progress(done, all)` counts payloads.
    Executors pickle the task and its data, so a task must be a module-level function.
    """
    results: list[Any] = [None] * len(payloads)
    shared_data = shared if isinstance(shared, Shared) else Shared(shared)
    chosen = executor()
    if chosen is None:

        def work(start: int, stop: int) -> None:
            for at in range(start, stop):
                results[at] = task(shared_data.value, payloads[at])

        run_in_parts(work, len(payloads), 1, threads=threads, progress=progress)
        return results
    from concurrent.futures import as_completed

    try:
        sent = shared_data.for_tasks(chosen)
        places = {
            chosen.submit(_run_task, task, sent, Packed(payload), __version__): at
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


def _run_task(task: Task[Any], shared: Shared, payload: Packed, version: str) -> Packed:
    """Run a task on a worker, without sending any part of it to another executor."""
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


# Exceptions of pools and Dask that mean a lost worker process.
_WORKER_LOST = {"BrokenProcessPool", "CancelledError", "FutureCancelledError", "KilledWorker"}


def _task_error(chosen: Executor, error: Exception) -> WeighError:
    if type(error).__name__ in _WORKER_LOST:
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
    """Send work to an engine by its name: this process's threads, or a Dask cluster."""
    kind, _, address = name.partition("://")
    if name == "threads":
        yield
        return
    if kind != _DASK or ("://" in name and not address):
        raise UsageError(f"unknown engine {name!r}; choose from {ENGINES}")
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError(
            "--engine dask needs Dask; install it with pip install 'weigh[cluster]'"
        ) from None
    try:
        options = {"address": f"tcp://{address}"} if address else _LOCAL_CLUSTER
        client = distributed.Client(**options)
    except (OSError, ValueError) as error:
        raise WeighError(f"{name}: cannot reach a cluster ({error})") from error
    with client, client.get_executor() as chosen, running_on(chosen):
        yield
