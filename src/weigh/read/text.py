"""Text files: their bytes, their lines, and the sets of texts that are joined to a test set."""

from __future__ import annotations

import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, Protocol

from weigh.errors import InputError
from weigh.types import TestSet

STDIN = "-"
Role = Literal["source", "reference", "system"]
"""What a file of texts is for."""

LONGEST = 1_000_000
"""The most characters that one segment may have."""

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as people and programs write it; `1_000` and `nan` are none."""

# Small enough to stay in the processor's cache and, without a long line, below LONGEST.
_BLOCK = 1 << 18
_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_PACKED = (".gz", ".zst")
# Text shrinks to a third or a tenth of its size, decompression bombs to a thousandth.
_RATIO = 200
_RATIO_VARIABLE = "WEIGH_UNPACK_RATIO"
_SMALL = 1 << 24
# At most this many excess lines are read, so that a message can state the number.
_MORE_LINES = 100_000
_stdin_taken: object = None
being_read: str | None = None
"""The file that is being read, named in messages about lack of memory."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def shown(text: str) -> str:
    """A name as messages print it, quoted only if it would break the line.

    >>> print(shown("sys.en"), shown("sys\\n.en"))
    sys.en 'sys\\n.en'
    """
    return text if text and text.isprintable() else repr(text)


def file_label(path: str) -> str:
    """The base name of a file, by which results name it.

    >>> file_label("/home/me/judged.tsv"), file_label("postgresql://…")
    ('judged.tsv', 'postgresql://…')
    """
    return path if "://" in path else shown(shortest_endings([path])[0])


def public_path(path: str) -> str:
    """A relative path unchanged; the base name of an absolute one."""
    return file_label(path) if PurePath(path).is_absolute() else path


def file_labels(paths: Iterable[str]) -> dict[str, str]:
    """The base name of each file, or the shortest path ending that tells namesakes apart.

    >>> file_labels(["/home/me/a/x.db", "/home/me/b/x.db", "y.tsv"]).values()
    dict_values(['a/x.db', 'b/x.db', 'y.tsv'])
    """
    distinct = [*dict.fromkeys(paths)]
    files = [path for path in distinct if "://" not in path]
    endings = dict(zip(files, map(shown, shortest_endings(files)), strict=True))
    return {path: endings.get(path, path) for path in distinct}


def shortest_endings(paths: Sequence[str]) -> list[str]:
    """The base name of each path, or its shortest ending that no other path has."""
    endings = [_endings(path) for path in paths]
    counts = Counter(ending for options in set(map(tuple, endings)) for ending in options)
    return [
        next((option for option in options if counts[option] == 1), options[-1])
        for options in endings
    ]


def _endings(path: str) -> list[str]:
    parts = _parts(path) or [path]
    return ["/".join(parts[-depth:]).replace("//", "/") for depth in range(1, len(parts) + 1)]


def _parts(path: str) -> list[str]:
    """The names in a path, after a slash where it begins with one."""
    path = path.replace(os.sep, "/")
    names = [name for name in path.split("/") if name not in ("", ".")]
    return ["/", *names] if path.startswith("/") else names


def quoted(text: str) -> str:
    """Text of unknown origin as messages print it: quoted, on one line, at most 60 characters."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "…"


def exists(path: str) -> bool:
    """Whether a path can be opened; standard input can."""
    return path == STDIN or os.path.exists(path)  # noqa: PTH110, Path.exists fails on NUL


def less_gz(path: str) -> str:
    """A path without the ending of packed files, `.gz` or `.zst`."""
    return path[: path.rindex(".")] if path.lower().endswith(_PACKED) else path


def ending(path: str) -> str:
    """The ending of a file's name without `.gz` or `.zst`, in lower case.

    >>> ending("results.JSONL.gz"), ending("system")
    ('.jsonl', '')
    """
    return PurePath(less_gz(path)).suffix.lower()


def is_line_number(text: str) -> bool:
    """Whether a text is a line number: a whole number from 1."""
    return re.fullmatch("[1-9][0-9]{0,17}", text) is not None


def blocks(path: str) -> Iterator[bytes]:
    """Yield the uncompressed content of a file in blocks, whatever its name."""
    global being_read
    name = being_read = shown(path)
    try:
        with _open(path) as stream:
            while block := stream.read(_BLOCK):
                yield block
        being_read = None
    except GeneratorExit:  # enough was read
        being_read = None
        raise
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{name}: a directory, but a file was expected") from None
    except PermissionError:
        raise InputError(f"{name}: permission denied; make the file readable") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError:  # the path holds a NUL
        raise InputError(f"{name}: not a valid path; check it") from None


@contextmanager
def _open(path: str) -> Iterator[_Readable]:
    if path == STDIN:
        stream = io.BufferedReader(_standard_input())
        try:
            yield _uncompress(stream, path)
        finally:
            stream.detach()  # or standard input would be closed with it
    else:
        with open(path, "rb") as stream:  # noqa: PTH123, a Path would lose a leading "./"
            yield _uncompress(stream, path)


def _standard_input() -> Any:
    global _stdin_taken
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise InputError("-: standard input is closed; give a file")
    if sys.stdin is _stdin_taken:
        raise InputError("-: standard input can be read only once; give files for the rest")
    _stdin_taken = sys.stdin
    return stream


def _uncompress(stream: io.BufferedReader, path: str) -> _Readable:
    # No UTF-8 text begins with these bytes; an empty file is reported as such, not as broken.
    start = stream.peek(4)[:4]
    kind = path.lower() if start else ""
    if start.startswith(_GZIP) or kind.endswith(".gz"):
        import zlib
        from gzip import BadGzipFile, GzipFile

        return _Unpacked(GzipFile(fileobj=stream), stream, "gzip", (zlib.error, BadGzipFile))
    if start == _ZSTANDARD or kind.endswith(".zst"):
        zstd = _zstandard()
        return _Unpacked(zstd.ZstdFile(stream), stream, "Zstandard", (zstd.ZstdError,))
    return stream


def _zstandard() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def unpack_ratio() -> float:
    """The maximum ratio of unpacked to packed size."""
    setting = os.environ.get(_RATIO_VARIABLE, "")
    try:
        return float(setting or _RATIO)
    except ValueError:
        raise InputError(f"{_RATIO_VARIABLE} is {quoted(setting)}; give a number") from None


def check_unpacked(name: str, unpacked: int, packed: int, ratio: float) -> None:
    """Reject data that unpacks to absurdly more than its size."""
    if unpacked > _SMALL and unpacked > ratio * packed:
        raise InputError(
            f"{name}: unpacks to more than {ratio:g} times its size; if that is expected, set "
            f"{_RATIO_VARIABLE} to a larger number"
        )


class _Unpacked:
    """The content of a packed file."""

    def __init__(
        self,
        content: _Readable,
        packed: io.BufferedReader,
        kind: str,
        errors: tuple[type[Exception], ...],
    ) -> None:
        self._content = content
        self._packed = packed
        self._kind = kind
        self._errors: tuple[type[Exception], ...] = (EOFError, *errors)
        self._ratio = unpack_ratio()
        self._size = 0

    def read(self, size: int, /) -> bytes:
        try:
            block = self._content.read(size)
        except self._errors as error:
            raise InputError(
                f"{being_read}: damaged {self._kind} data ({error}); copy or compress it again"
            ) from None
        self._size += len(block)
        check_unpacked(str(being_read), self._size, self._bytes_read(), self._ratio)
        return block

    def _bytes_read(self) -> int:
        """The packed bytes read so far; for a pipe, which cannot tell, the unpacked ones."""
        try:
            return self._packed.tell()
        except OSError:
            return self._size


def decode(data: bytes, name: str, line: int = 1) -> str:
    """Decode UTF-8 strictly; `line` is the number of the first line, for the error."""
    at = data.find(b"\0")
    if at >= 0:
        number = line + data.count(b"\n", 0, at)
        raise InputError(f"{name}: line {number:,} contains a NUL byte; save it as UTF-8 text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = line + data.count(b"\n", 0, error.start)
        position = error.start - data.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{name}: line {number:,} is not UTF-8 (byte 0x{data[error.start]:02x} at "
            f"position {position:,}); convert the file to UTF-8"
        ) from None


def check_characters(text: str, where: str, error: type[InputError] = InputError) -> None:
    """Reject unpaired surrogates, which JSON can write but UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{where} has an unpaired surrogate; write the complete character") from None


def read_whole(path: str, *, lenient: bool = False) -> str:
    """Read the text of a file in one piece, without its byte order mark.

    `lenient` is for readers that detect invalid text themselves: bytes that are not UTF-8 become
    surrogates, as in `os.fsdecode`.
    """
    data = b"".join(blocks(path))
    text = data.decode("utf-8", "surrogateescape") if lenient else decode(data, shown(path))
    return text.removeprefix("\ufeff")


# Plain text: one segment per line.


def read_texts(path: str, expected: int | None = None) -> tuple[str, ...]:
    r"""Read the lines of a UTF-8 file (gzip and Zstandard too; `-` is standard input).

    A line ends with `\n` and nothing else; a `\r` before it is dropped, and so is a byte order
    mark at the start. The last line needs no end. A file with far more lines than `expected` is not
    read to its end.
    """
    texts: list[str] = []
    for lines in line_blocks(path):
        texts += lines
        if expected is not None and len(texts) > 2 * expected + _MORE_LINES:
            raise InputError(
                f"{shown(path)}: more than {len(texts) - 1:,} lines, but {expected:,} were "
                "expected; check that it belongs to the test set"
            )
    if not texts:
        raise InputError(f"{shown(path)}: empty, but one segment per line was expected")
    return tuple(texts)


def line_blocks(path: str, unit: str = "segment") -> Iterator[list[str]]:
    """Yield the lines of a UTF-8 file block by block, as `read_texts` returns them.

    `unit` names the content of a line in messages. Blocks are decoded and split as a whole, so that
    texts are in memory once; lines are counted only to report an error.
    """
    name = shown(path)
    done = 0
    rest = b""
    for block in blocks(path):
        end = block.rfind(b"\n") + 1
        if end:
            lines = _lines(rest + block[:end], name, done, unit)
            done += len(lines)
            yield lines
            rest = block[end:]
        else:
            rest += block
            if len(rest) > 4 * LONGEST + 4:  # UTF-8 has at most 4 bytes per character
                raise _too_long(name, done + 1, unit)
    if rest:
        yield _lines(rest, name, done, unit)


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines, which end with `\n`; a `\r` before it is dropped.

    >>> split_lines("a\r\nb\u2028c\n")
    ['a', 'b\u2028c']
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _lines(data: bytes, name: str, done: int, unit: str) -> list[str]:
    """Split a block of bytes into lines; `done` lines come before it."""
    text = decode(data, name, done + 1)
    if not done:
        text = text.removeprefix("\ufeff")
    lines = split_lines(text)
    if len(text) > LONGEST:
        for number, line in enumerate(lines, done + 1):
            if len(line) > LONGEST:
                raise _too_long(name, number, unit)
    return lines


def _too_long(name: str, number: int, unit: str) -> InputError:
    return InputError(
        f"{name}: line {number:,} has more than {LONGEST:,} characters; "
        f"one {unit} per line was expected"
    )


# The texts of one source, reference or system in a file, and how they are joined.


@dataclass(frozen=True, slots=True)
class TextSet:
    """One text per segment; `label` names the set in messages, `name` within its file.

    `ids` is None for texts whose segments are identified by order alone; `unit` names a segment of
    the file in messages.
    """

    label: str
    texts: tuple[str, ...]
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    name: str | None = None
    unit: Literal["lines", "sentences"] = "lines"

    def __post_init__(self) -> None:
        if self.ids is None:
            return  # plain lines were checked as they were read
        if not self.texts:
            raise InputError(f"{self.label}: no segments; a test set needs at least one")
        if len(set(self.ids)) < len(self.ids):
            raise InputError(
                f"{self.label}: the id {quoted(_first_duplicate(self.ids))} occurs twice; "
                "give every segment its own id"
            )
        for key, text in zip(self.ids, self.texts, strict=True):
            if len(text) > LONGEST:
                raise InputError(
                    f"{self.label}: the segment {quoted(key)} has more than {LONGEST:,} characters"
                )
            if "\0" in text:
                raise InputError(
                    f"{self.label}: the segment {quoted(key)} contains a NUL; text was expected"
                )


def _first_duplicate(ids: Sequence[str]) -> str:
    seen: set[str] = set()
    for key in ids:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("all are different")


@dataclass(frozen=True, slots=True)
class Frame:
    """The segments of a test set, in order, that other files are joined to.

    Files with ids are joined by them, whatever their order. Plain text has no ids: it is joined
    to plain text by line number, and to WMT files, whose documents have an order; not to tables,
    whose rows have none.
    """

    label: str
    size: int
    ids: Sequence[str] | None = None
    documents: Sequence[str] | None = None

    @classmethod
    def first_of(cls, text_sets: Sequence[TextSet]) -> Frame:
        """Take the segments of the first set that has ids, or else of the first set."""
        chosen = next(
            (text_set for text_set in text_sets if text_set.ids is not None), text_sets[0]
        )
        return cls(chosen.label, len(chosen.texts), chosen.ids, chosen.documents)

    @classmethod
    def of_test_set(cls, test_set: TestSet) -> Frame:
        """Take the segments of a test set."""
        return cls("the test set", len(test_set), test_set.ids, test_set.documents)

    def join(self, texts: TextSet) -> tuple[str, ...]:
        """Put texts into this order, one for every segment."""
        if texts.ids is None:
            return self._join_lines(texts)
        if self.ids is None:
            raise InputError(
                f"{texts.label}: has ids, but {self.label} has none to join them by; "
                "give both with ids or both as plain text"
            )
        if texts.ids == self.ids:
            return texts.texts
        by_id = dict(zip(texts.ids, texts.texts, strict=True))
        missing = [key for key in self.ids if key not in by_id]
        if missing:
            raise InputError(
                f"{texts.label}: no segment {_some(missing)}, but {self.label} has; "
                "give one text for every id"
            )
        if len(by_id) > self.size:
            ids = set(self.ids)
            unknown = [key for key in texts.ids if key not in ids]
            raise InputError(
                f"{texts.label}: the segment {_some(unknown)} is not in {self.label}; "
                "remove it, or check that both belong to the same test set"
            )
        return tuple(by_id[key] for key in self.ids)

    def check_lines(
        self, label: str, count: int, unit: Literal["lines", "sentences"] = "lines"
    ) -> None:
        """Reject a file without exactly one line, or sentence, for every segment."""
        if count != self.size:
            if unit == "sentences":
                remedy = "parse every segment as one sentence"
            elif count == self.size - 1:
                remedy = "look for a missing last line"
            elif label.removesuffix(".gz").removesuffix(".zst").endswith(".csv"):
                remedy = "if it is a table of results, leave out the references (-r)"
            else:
                remedy = "check that both belong to the same test set"
            segments = "" if self.ids is None else " segments"
            counted = f"1 {unit[:-1]}" if count == 1 else f"{count:,} {unit}"
            raise InputError(
                f"{label}: {counted}, but {self.label} has {self.size:,}{segments}; {remedy}"
            )

    def _join_lines(self, texts: TextSet) -> tuple[str, ...]:
        if self.ids is not None and self.documents is None:
            what, remedy = (
                ("plain text", "give it as TSV or JSON lines too")
                if texts.unit == "lines"
                else ("sentences", "give all files as plain text or CoNLL-U")
            )
            raise InputError(
                f"{texts.label}: {what} without ids, but {self.label} is joined by id; {remedy}"
            )
        self.check_lines(texts.label, len(texts.texts), texts.unit)
        return texts.texts


def _some(keys: Sequence[str]) -> str:
    more = f" (and {len(keys) - 1:,} more)" if len(keys) > 1 else ""
    return quoted(keys[0]) + more
