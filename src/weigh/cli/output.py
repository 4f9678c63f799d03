"""Write results to stdout, and as pages and pictures to disk."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.errors import InputError, WeighError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weigh.report.grid import Depth
    from weigh.report.pictures.picture import Picture
    from weigh.result import Result

_START_OF_PAGE = b"<!doctype html>"


def check(arguments: argparse.Namespace) -> None:
    """Raise an error now, rather than after hours of work, if files cannot be written."""
    if not writes_page(arguments):
        return
    from pathlib import Path

    if arguments.html is not None:
        page = Path(arguments.html)
        if not page.parent.is_dir():
            raise InputError(f"--html {page}: there is no directory {page.parent}; create it first")
        # Pipes and devices cannot be replaced.
        is_other = page.exists() and not page.is_file()
        if is_other or not os.access(page if page.exists() else page.parent, os.W_OK):
            raise InputError(f"--html {page}: cannot be written; name another file")
        if page.exists() and not _is_page(page):
            raise InputError(
                f"--html {page}: exists and is not an HTML page; name another file, or remove it"
            )
    if arguments.plots is not None:
        folder = Path(arguments.plots)
        if folder.exists() and not folder.is_dir():
            raise InputError(f"--plots {folder}: is not a directory; name another")


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(len(_START_OF_PAGE))
    return start.lower() in (_START_OF_PAGE, b"")


def writes_page(arguments: argparse.Namespace) -> bool:
    """Whether a page or pictures are to be written."""
    options = vars(arguments)
    return options.get("html") is not None or options.get("plots") is not None


def present(result: Result, arguments: argparse.Namespace, *, silent: bool = False) -> None:
    """Write the page and the pictures, and print the result."""
    if writes_page(arguments):
        _write_page(result, arguments)
    if not silent:
        _print(result, arguments)


def _print(result: Result, arguments: argparse.Namespace) -> None:
    """Print a result in the chosen format; details of segments only with --details."""
    from weigh.report import formats, view

    options = vars(arguments)
    if arguments.format == "json" and not options.get("details", True):
        result = _without_details(result)
    depth: Depth = "brief" if options.get("brief") else "usual"
    screen = replace(terminal.screen(), depth=depth)
    if arguments.format != "table":
        terminal.write(view.show(result, arguments.format, screen))
        return
    layout = view.view(result)
    if layout.lines is not None:
        _check_lines(layout.lines)
        terminal.write_lines([text for _, text in layout.lines])
    else:
        terminal.write(formats.as_table(layout, screen))


def _without_details(result: Result) -> Result:
    """The result without the evidence that only pages show."""
    if getattr(result, "details", None) is None:
        return result
    return replace(result, details=None)  # type: ignore[type-var]


def _write_page(result: Result, arguments: argparse.Namespace) -> None:
    from pathlib import Path

    from weigh.files import write_whole
    from weigh.report import view

    if arguments.html is not None:
        path = Path(arguments.html)
        write_whole(path, view.show(result, "html").encode("utf-8", "backslashreplace"))
        terminal.remark(f"wrote {path} ({_size(path)})")
    if arguments.plots is not None:
        _write_pictures(view.view(result).pictures(), Path(arguments.plots))


def _check_lines(lines: Sequence[tuple[str, str]]) -> None:
    """Reject texts with line breaks."""
    from weigh.read.text import quoted

    broken = next((name for name, text in lines if "\n" in text), None)
    if broken is not None:
        raise InputError(
            f"the text of sentence {quoted(broken)} has a line break, but the output has one line "
            "per sentence; use --format json"
        )


def _write_pictures(pictures: Sequence[Picture], folder: Path) -> None:
    from weigh.files import write_whole
    from weigh.wording import plural

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WeighError(f"--plots {folder}: {error.strerror}; name another") from None
    for picture in pictures:
        drawn = picture.standalone().encode("utf-8", "backslashreplace")
        write_whole(folder / f"{picture.name}.svg", drawn)
    terminal.remark(f"wrote {plural(len(pictures), 'picture')} into {folder}")


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"


def new_file(name: str | None, arguments: argparse.Namespace) -> Path | None:
    """The path of a file to write, if one is named; an existing one needs --force."""
    from pathlib import Path

    path = None if name is None else Path(name)
    if path is not None and path.exists() and not arguments.force:
        raise InputError(f"{path}: exists; add --force to overwrite it, or name another file")
    return path


def check_free(directory: Path, names: Iterable[str], *, force: bool) -> None:
    """Reject files that exist, unless --force is given."""
    from weigh.read.text import shown

    if directory.exists() and not directory.is_dir():
        raise InputError(f"{shown(str(directory))}: a file, but a directory was expected")
    for name in names:
        if not force and (directory / name).exists():
            raise InputError(
                f"{shown(str(directory / name))}: exists; add --force to overwrite it, or choose "
                "another directory"
            )


def write_weights(name: str, weights: Mapping[str, float]) -> None:
    """Write 'name value' lines to a file, and create its directory."""
    from pathlib import Path

    from weigh.files import write_files
    from weigh.read.weights import weight_lines

    path = Path(name)
    write_files(path.parent, {path.name: weight_lines(weights.items())})
