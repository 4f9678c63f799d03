"""Plain text: one segment per line."""

from __future__ import annotations

from weigh.errors import InputError
from weigh.read.stream import LONGEST, blocks, decode, shown


def read_texts(path: str) -> tuple[str, ...]:
    r"""Return the lines of a UTF-8 file (gzip too; `-` is standard input).

    A line ends with `\n` and nothing else; a `\r` before it is dropped, and so is a byte order
    mark at the start. The last line need not end. Whole blocks are decoded and split at once,
    so that the texts are in memory once; lines are counted only to report an error.
    """
    name = shown(path)
    texts: list[str] = []
    rest = b""
    for block in blocks(path):
        end = block.rfind(b"\n") + 1
        if end:
            _append_lines(texts, rest + block[:end], name)
            rest = block[end:]
        else:
            rest += block
            if len(rest) > 4 * LONGEST + 4:  # UTF-8 has at most 4 bytes per character
                raise _too_long(name, len(texts) + 1)
    if rest:
        _append_lines(texts, rest, name)
    if not texts:
        raise InputError(f"{name}: empty, but one segment per line was expected")
    return tuple(texts)


def _append_lines(texts: list[str], data: bytes, name: str) -> None:
    text = decode(data, name, len(texts) + 1)
    if not texts:
        text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if len(text) > LONGEST:
        for number, line in enumerate(lines, len(texts) + 1):
            if len(line) > LONGEST:
                raise _too_long(name, number)
    texts += lines


def _too_long(name: str, number: int) -> InputError:
    return InputError(
        f"{name}: line {number:,} has more than {LONGEST:,} characters; "
        "one segment per line was expected"
    )
