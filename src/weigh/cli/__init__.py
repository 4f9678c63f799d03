"""The command line; the only package that prints or exits."""

from __future__ import annotations

import os
import sys

from weigh import __version__

TYPE_CHECKING = False  # typing's own constant, without the cost of importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

INTERRUPTED = 130  # the exit code that shells report after SIGINT


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Without `argv` it runs the process's own arguments, and the process is expected to end after
    it.
    """
    if argv is not None:
        return _run(list(argv))
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        return _run(arguments)
    import gc

    # Millions of rows are not garbage, and collecting them again and again takes long.
    gc.set_threshold(100_000, 20, 100)
    try:
        _handle_interrupts()
        code = _run(arguments, is_process=True)
    except KeyboardInterrupt:  # outside `execute`, which reports others
        _say_interrupted()
        code = INTERRUPTED
    _prepare_exit(code)
    return code


def _run(arguments: list[str], *, is_process: bool = False) -> int:
    if arguments == ["--version"] and _print_version():
        return 0
    from weigh.cli.app import execute
    from weigh.cli.terminal import reserve_stdout

    with reserve_stdout(arguments, to_the_end=is_process):
        return execute(arguments)


def _print_version() -> bool:
    """Print the version before anything else is imported; False if it cannot be written."""
    try:
        print(f"weigh {__version__}", flush=True)
    except OSError:  # `execute` tries again and reports the error
        return False
    return True


def _handle_interrupts() -> None:
    """Let Ctrl-C raise KeyboardInterrupt once; the second one ends the process.

    Where Python would print a traceback and go on, the first one ends the process: during an
    import, which may swallow the exception, and in finalisers and callbacks.
    """
    import signal

    def interrupt(_: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                _end_interrupted()
            frame = frame.f_back
        raise KeyboardInterrupt

    def report(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            _end_interrupted()
        sys.__unraisablehook__(unraisable)

    # A parent process may have set SIGINT to be ignored, which stays.
    if signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.default_int_handler):
        sys.unraisablehook = report
        signal.signal(signal.SIGINT, interrupt)


def _say_interrupted() -> None:
    # The handler calls this while modules are being imported, so it imports none.
    try:  # noqa: SIM105
        os.write(2, b"weigh: interrupted\n")
    except OSError:  # stderr is closed
        pass


def _end_interrupted() -> None:
    _say_interrupted()
    os._exit(INTERRUPTED)


def _prepare_exit(code: int) -> None:
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done and its exit code stands
    gc.freeze()  # memory goes with the process
    threading = sys.modules.get("threading")
    if code == INTERRUPTED and threading is not None and threading.active_count() > 1:
        # Python would wait for threads that are deep in the core, or crash.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
