"""Files that are written whole or not at all, whatever happens on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from weigh.errors import WeighError


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file such that it is there in full or as it was before; a text becomes UTF-8.

    What is no file, such as a pipe or /dev/stdout, is written to as it is.
    """
    with unfinished(path) as place:
        place.write_bytes(_encoded(content))


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write arrays such that `numpy.load` reads them, whole or not at all.

    NumPy's own `savez` leaves its archive open when a write fails (before NumPy 2), and what
    closes it later complains.
    """
    import zipfile

    import numpy as np
    from numpy.lib.format import write_array

    with (
        unfinished(path) as place,
        place.open("wb") as stream,
        zipfile.ZipFile(stream, "w") as archive,
    ):
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                write_array(entry, np.asanyarray(array), allow_pickle=False)


@contextmanager
def unfinished(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield where to write a file, which gets its own name when it is finished."""
    target = Path(path)
    with failures_told(target):
        if os.path.lexists(target) and not target.is_file():
            yield target  # a pipe or a device, which cannot be replaced; a directory fails
            return
        target = Path(os.path.realpath(target))  # of a link, what it leads to is written
        beside = _beside(target)
        try:
            yield beside
            _keep_mode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)


def write_files(directory: str | os.PathLike[str], contents: Mapping[str, str | bytes]) -> None:
    """Write files under their names, which they get when all of them are written.

    Where one cannot be given its name, those that are new are taken away again.
    """
    folder = Path(directory)
    places: dict[Path, Path] = {}
    new: list[Path] = []
    with failures_told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            for name, content in contents.items():
                target = folder / name
                if os.path.lexists(target) and not target.is_file():
                    write_whole(target, content)
                    continue
                target = Path(os.path.realpath(target))
                places[target] = beside = _beside(target)
                beside.write_bytes(_encoded(content))
                _keep_mode(target, beside)
            for target, beside in places.items():
                new += [] if os.path.lexists(target) else [target]
                beside.replace(target)
        except BaseException:
            for target in new:
                target.unlink(missing_ok=True)
            raise
        finally:
            for beside in places.values():
                beside.unlink(missing_ok=True)


def _encoded(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _beside(target: Path) -> Path:
    """Return where a file is written first: its own name may be as long as names can be."""
    return target.with_name(f"{target.name[:80]}.{os.getpid()}.part")


def _keep_mode(target: Path, beside: Path) -> None:
    """Let who may read a file that is replaced read the new one."""
    with suppress(OSError):
        beside.chmod(target.stat().st_mode & 0o777)


@contextmanager
def failures_told(path: Path) -> Iterator[None]:
    """Turn failures of the system, while something is written to a path, into one line."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WeighError(f"{_shown(path)}: cannot be written: {reason}") from error


def _shown(path: Path) -> str:
    text = str(path)
    return text if text.isprintable() else repr(text)
