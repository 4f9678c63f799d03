"""Write files atomically: complete, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from weigh.errors import WeighError


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write or replace a file atomically; text is encoded as UTF-8.

    Pipes and devices, such as /dev/stdout, are written to directly.
    """
    with temporary_path(path) as temporary:
        temporary.write_bytes(_encode(content))


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write arrays atomically, for `numpy.load`.

    Before NumPy 2, `savez` leaves its archive open when a write fails, which causes a second error
    later.
    """
    import zipfile

    import numpy as np
    from numpy.lib.format import write_array

    with (
        temporary_path(path) as temporary,
        temporary.open("wb") as stream,
        zipfile.ZipFile(stream, "w") as archive,
    ):
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                write_array(entry, np.asanyarray(array), allow_pickle=False)


@contextmanager
def temporary_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path, which is renamed to `path` when the block ends without an error."""
    target = Path(path)
    with write_errors(target):
        if os.path.lexists(target) and not target.is_file():
            yield target  # a pipe or a device cannot be replaced; a directory fails
            return
        target = Path(os.path.realpath(target))  # keep a link, and replace its target
        temporary = _temporary_name(target)
        try:
            yield temporary
            _keep_mode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def write_files(directory: str | os.PathLike[str], contents: Mapping[str, str | bytes]) -> None:
    """Write files to a directory: all of them, or none.

    If one cannot be written, the new ones are removed again.
    """
    folder = Path(directory)
    renames: dict[Path, Path] = {}
    new: list[Path] = []
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            for name, content in contents.items():
                target = folder / name
                if os.path.lexists(target) and not target.is_file():
                    write_whole(target, content)
                    continue
                target = Path(os.path.realpath(target))
                renames[target] = temporary = _temporary_name(target)
                temporary.write_bytes(_encode(content))
                _keep_mode(target, temporary)
            for target, temporary in renames.items():
                new += [] if os.path.lexists(target) else [target]
                temporary.replace(target)
        except BaseException:
            for target in new:
                target.unlink(missing_ok=True)
            raise
        finally:
            for temporary in renames.values():
                temporary.unlink(missing_ok=True)


def _encode(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _temporary_name(target: Path) -> Path:
    """The temporary path of a file; its name is cut because names have a maximum length."""
    return target.with_name(f"{target.name[:80]}.{os.getpid()}.part")


def _keep_mode(target: Path, temporary: Path) -> None:
    """Give the new file the permissions of the file it replaces."""
    with suppress(OSError):
        temporary.chmod(target.stat().st_mode & 0o777)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn system errors into a WeighError that names the path."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WeighError(f"{_printable(path)}: cannot be written: {reason}") from error


def _printable(path: Path) -> str:
    text = str(path)
    return text if text.isprintable() else repr(text)
