"""The bytes of a file, of a gzip file or of standard input, and their strict decoding."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from weigh.errors import InputError

STDIN = "-"
LONGEST = 1_000_000
"""The most characters that one segment may have."""

# Small enough to stay in the processor's cache and, without a long line, below LONGEST.
_BLOCK = 1 << 18
_GZIP = b"\x1f\x8b"
_stdin_taken: object = None


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def shown(text: str) -> str:
    """Return a name as it stands in a message, quoted only if it would break the line.

    >>> print(shown("sys.en"), shown("sys\\n.en"))
    sys.en 'sys\\n.en'
    """
    return text if text and text.isprintable() else repr(text)


def quoted(text: str) -> str:
    """Return text of unknown origin for a message: on one line and not longer than that."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "…"


def exists(path: str) -> bool:
    """Return whether `path` names something that can be opened, standard input included."""
    return path == STDIN or os.path.exists(path)  # noqa: PTH110, Path.exists fails on NUL


def blocks(path: str) -> Iterator[bytes]:
    """Yield the content of a file in blocks, uncompressed whatever the file's name."""
    import zlib
    from gzip import BadGzipFile

    name = shown(path)
    try:
        with _opened(path) as stream:
            while block := stream.read(_BLOCK):
                yield block
    except (EOFError, zlib.error, BadGzipFile) as error:
        raise InputError(f"{name}: broken gzip data ({error}); copy or compress it again") from None
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{name}: a directory, but a file was expected") from None
    except PermissionError:
        raise InputError(f"{name}: permission denied; make the file readable") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError:  # the path holds a NUL
        raise InputError(f"{name}: not a path; check it") from None


@contextmanager
def _opened(path: str) -> Iterator[_Readable]:
    if path == STDIN:
        stream = io.BufferedReader(_standard_input())
        try:
            yield _uncompressed(stream, must=False)
        finally:
            stream.detach()  # or standard input would be closed with it
    else:
        with open(path, "rb") as stream:  # noqa: PTH123, a Path would lose a leading "./"
            yield _uncompressed(stream, must=path.lower().endswith(".gz"))


def _standard_input() -> Any:
    global _stdin_taken
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise InputError("-: standard input is closed; give a file")
    if sys.stdin is _stdin_taken:
        raise InputError("-: standard input can be read only once; give files for the rest")
    _stdin_taken = sys.stdin
    return stream


def _uncompressed(stream: io.BufferedReader, must: bool) -> _Readable:
    start = stream.peek(2)[:2]
    # No UTF-8 text begins with these bytes; an empty file is reported as such, not as broken.
    if start == _GZIP or (must and start):
        from gzip import GzipFile

        return GzipFile(fileobj=stream)
    return stream


def decode(data: bytes, name: str, line: int = 1) -> str:
    """Decode UTF-8 strictly; `line` is the number of the first line, for the error."""
    at = data.find(b"\0")
    if at >= 0:
        number = line + data.count(b"\n", 0, at)
        raise InputError(f"{name}: line {number:,} contains a NUL byte; text was expected")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = line + data.count(b"\n", 0, error.start)
        position = error.start - data.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{name}: line {number:,} is not UTF-8 (byte 0x{data[error.start]:02x} at "
            f"position {position:,}); convert the file to UTF-8"
        ) from None


def read_whole(path: str, *, lenient: bool = False) -> str:
    """Return the text of a file in one piece, without a byte order mark.

    `lenient` is for readers that find what is no text themselves: bytes that are not UTF-8 become
    surrogates, as `os.fsdecode` makes them.
    """
    data = b"".join(blocks(path))
    text = data.decode("utf-8", "surrogateescape") if lenient else decode(data, shown(path))
    return text.removeprefix("\ufeff")
