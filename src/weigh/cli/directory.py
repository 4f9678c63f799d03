"""Files that a verb writes into a directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from weigh.errors import InputError, WeighError


def check_free(directory: Path, names: Iterable[str], *, force: bool) -> None:
    """Refuse to overwrite files, unless that was asked for."""
    from weigh.read.stream import shown

    if directory.exists() and not directory.is_dir():
        raise InputError(f"{shown(str(directory))}: a file, but a directory was expected")
    for name in names:
        if not force and (directory / name).exists():
            raise InputError(
                f"{shown(str(directory / name))}: exists; add --force to overwrite it, or choose "
                "another directory"
            )


def write_files(directory: Path, contents: Mapping[str, str]) -> None:
    """Write texts as UTF-8 under their names."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (directory / name).write_bytes(text.encode("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WeighError(f"{directory}: cannot be written: {reason}") from error
