"""Damage to files: bytes, lines, cells, JSON values, members of archives, cells of databases."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_NUMBERS = [
    *("0", "-0", "1", "-1", "2", "1e308", "-1e308", "1e309", "5e-324", "1e155", "1e-320", "nan"),
    *(
        "inf",
        "-inf",
        "2147483648",
        "-2147483649",
        "9223372036854775808",
        "1" * 5_000,
        "0x10",
        "1_0",
    ),
    *("1,5", ".", "+", "٣", "½", "1e999999999", "18446744073709551616", "0.1.2", "1/0", "True"),
]
_PIECES = [
    *(b"\0", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b",", b'"', b"'", b"|||", b"|", b"="),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\x1f\x8b\x08"),
    *("\u2028", "\x85", "\xa0", "\u200b", "\u202e", "\ud7ff", "é", "e\u0301", "漢字", "😀"),
    *("{", "}", "[", "]", "(", ")", "<", ">", "&", "&amp;", "&#0;", "&#x110000;", "<!--", "]]>"),
    *("null", "true", "[]", "{}", '""', "NA", "None", "\\", "\\u0000", "\\ud800", "\\N", "#", "/"),
    *("=cmd()", "../", "%s", "{0}", "\x1b[31m", "-", "_", ":", ";", "@", "-0:", "0-0", "99-0"),
]
_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, -(2**63), 1e308, float("nan"), float("inf"), "", "x"),
    *("nan", "\0", "\ud800", [], {}, [[]], [None], {"": None}, "1", 2**53, [1, 2], {"a": 1}, "é"),
]
_DEEP = 3_000
_LONG = 20_000


def _pick(chance: random.Random, size: int) -> slice:
    """Return a piece of something that has so many parts; most pieces are short."""
    start = chance.randrange(size + 1)
    longest = size if chance.random() < 0.1 else min(size, 16)
    return slice(start, min(size, start + chance.randint(0, longest)))


def _damage_bytes(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return _piece(chance)
    content = bytearray(data)
    place = chance.randrange(len(content))
    where = _pick(chance, len(content))
    kind = chance.randrange(10)
    if kind == 0:
        content[place] ^= 1 << chance.randrange(8)
    elif kind == 1:
        content[place] = chance.choice([0, 1, 9, 10, 13, 32, 34, 127, 128, 255])
    elif kind == 2:
        del content[where]
    elif kind == 3:
        content[place:place] = content[where]
    elif kind == 4:
        content[where] = _piece(chance)
    elif kind == 5:
        content[place:place] = _piece(chance) * chance.choice([1, 1, 1, 2, 3])
    elif kind == 6:
        del content[place:]
    elif kind == 7:
        other = chance.choice(others) if others else b""
        content[place:] = other[chance.randrange(len(other) + 1) :]
    elif kind == 8:
        content[where] = chance.randbytes(chance.randint(1, 8))
    else:
        size = chance.choice([1, 2, 4, 8])
        content[place : place + size] = chance.choice([b"\xff", b"\0", b"\x7f", b"\x80"]) * size
    return bytes(content)


def _piece(chance: random.Random) -> bytes:
    piece = chance.choice([*_PIECES, *_NUMBERS])
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")


def _damage_lines(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(8)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, lines[other])
    elif kind == 2:
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == 3:
        lines.insert(place, b"")
    elif kind == 4:
        lines[place] = b" " * chance.randrange(3)
    elif kind == 5:
        lines[place] += lines[other]
    elif kind == 6:
        lines = lines[:1] + lines[place:]
    else:
        foreign = chance.choice(others).split(b"\n") if others else [b"x"]
        lines[place] = chance.choice(foreign)
    return b"\n".join(lines)


def _damage_cells(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Damage what stands between two separators: a cell, a word, a number, a field."""
    del others
    lines = data.split(b"\n")
    number = chance.choice([0, chance.randrange(len(lines))])
    separator = chance.choice([b"\t", b",", b" ", b" ||| ", b"|", b":", b"=", b'"', b"<", b"-"])
    cells = lines[number].split(separator)
    place, other = chance.randrange(len(cells)), chance.randrange(len(cells))
    kind = chance.randrange(8)
    if kind == 0:
        del cells[place]
    elif kind == 1:
        cells.insert(place, cells[other])
    elif kind == 2:
        cells[place], cells[other] = cells[other], cells[place]
    elif kind == 3:
        cells[place] = b""
    elif kind <= 5:
        cells[place] = chance.choice(_NUMBERS).encode()
    elif kind == 6:
        cells[place] = _piece(chance)
    else:
        cells[place] += _piece(chance)
    lines[number] = separator.join(cells)
    return b"\n".join(lines)


def _damage_bulk(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Make something very long or very deep of it."""
    del others
    lines = data.split(b"\n")
    place = chance.randrange(len(lines))
    line = lines[place]
    cut = chance.randrange(len(line) + 1)
    piece = chance.choice([b"[", b"{", b"(", b'{"a":', b"[[", b"<p>", b"(S ", b"<!--"])
    if chance.random() < 0.5:
        piece = chance.choice([line[:cut] or b"a", b"9", b"a ", b"\t", b",", b'"', b"\xc3\xa9"])
        repeats = _LONG // len(piece) + 1
    else:
        repeats = _DEEP
    lines[place] = line[:cut] + piece * repeats + line[cut:]
    return b"\n".join(lines)


def _damage_json(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Put any value anywhere into a document, or into one of several lines of JSON."""
    lines = data.split(b"\n")
    number = chance.randrange(len(lines))
    try:
        document = json.loads(data)
        whole = True
    except ValueError:
        try:
            document = json.loads(lines[number])
            whole = False
        except ValueError:
            return _damage_cells(data, chance, others)
    changed = json.dumps(damaged_value(document, chance), ensure_ascii=chance.random() < 0.5)
    encoded = changed.encode("utf-8", "surrogatepass")
    if whole:
        return encoded
    lines[number] = encoded
    return b"\n".join(lines)


def damaged_value(document: Any, chance: random.Random) -> Any:
    """Return a value of JSON that differs in one place."""
    if not isinstance(document, dict | list) or not document or chance.random() < 0.05:
        return _other_value(document, chance)
    keys = list(document) if isinstance(document, dict) else list(range(len(document)))
    key = chance.choice(keys)
    copy: Any = document.copy()
    if isinstance(document[key], dict | list) and document[key] and chance.random() < 0.8:
        copy[key] = damaged_value(document[key], chance)
        return copy
    kind = chance.randrange(6)
    if kind == 0:
        del copy[key]
    elif kind == 1:
        copy[key] = document[chance.choice(keys)]
    elif kind == 2 and isinstance(copy, list):
        copy.insert(key, copy[key])
    elif kind == 2:
        copy[f"{key}{chance.choice(['', ' ', 'x'])}"] = copy.pop(key)
    else:
        copy[key] = _other_value(document[key], chance)
    return copy


def _other_value(value: Any, chance: random.Random) -> Any:
    """Return a value that is near to another, or is any."""
    kind = chance.randrange(4)
    if kind == 0 and isinstance(value, int | float) and not isinstance(value, bool):
        return chance.choice([-value, value + 1, value * 1e300, value * 10**12, str(value)])
    if kind == 0 and isinstance(value, str):
        return chance.choice([value + value, value[:-1], value.upper(), [value], f"{value}\n"])
    return chance.choice(_VALUES)


def _damage_gzip(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    try:
        content = gzip.decompress(data)
    except (OSError, EOFError, ValueError, zlib.error):
        return _damage_bytes(data, chance, others)
    return gzip.compress(_damage_text(content, chance, others), mtime=0)


def _damage_archive(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Damage a member of a ZIP archive, its name, or leave it out or have it twice."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    place = chance.randrange(len(members))
    name, content = members[place]
    kind = chance.randrange(8)
    if kind == 0:
        del members[place]
    elif kind == 1:
        members[place] = (chance.choice(members)[0] + chance.choice(["", "x", "/0"]), content)
    elif kind == 2:
        members[place] = (name, chance.choice(members)[1])
    elif kind == 3:
        members[place] = (name, _damage_bytes(content[:128], chance, others) + content[128:])
    elif kind == 4:
        members[place] = (name, _damage_header(content, chance))
    else:
        members[place] = (name, _damage_text(content, chance, others))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for each, inside in dict(members).items():
            archive.writestr(zipfile.ZipInfo(each), inside)
    return written.getvalue()


def _damage_header(content: bytes, chance: random.Random) -> bytes:
    """Say something else of an array's type or shape, in as many bytes as before if possible."""
    types = [b"<f8", b"<i8", b"<f4", b"|O", b"<U9", b">i8", b"|b1", b"<u8", b"<c16", b"<M8", b"|V8"]
    end = content.find(b"\n")
    header = content[:end]
    for before in types:
        if before in header and chance.random() < 0.6:
            header = header.replace(before, chance.choice(types), 1)
            break
    else:
        start = header.find(b"'shape': (") + 10
        stop = header.find(b")", start)
        shape = chance.choice([b"", b"0,", b"1,", b"-1,", b"9" * 12 + b",", b"3, 0", b"2, 2, 2"])
        header = header[:start] + shape + header[stop:]
    padding = end - len(header)
    header = header + b" " * padding if padding >= 0 else header.rstrip(b" ")
    return header + content[end:]


def _damage_database(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Change cells, rows, columns or tables of a SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "db")
        path.write_bytes(data)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            try:
                _damage_tables(connection, chance)
                connection.commit()
            except (sqlite3.Error, OverflowError, IndexError):
                return _damage_bytes(data, chance, others)
        return path.read_bytes()


def _damage_tables(connection: sqlite3.Connection, chance: random.Random) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    filled = [
        name
        for (name,) in found
        if connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
    ]
    table = chance.choice(filled)
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    column = chance.choice(columns)
    row = chance.choice(connection.execute(f'SELECT rowid FROM "{table}"').fetchall())[0]
    kind = chance.randrange(12)
    if kind == 0:
        connection.execute(f'DROP TABLE "{table}"')
    elif kind == 1:
        connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
    elif kind == 2:
        connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
    elif kind == 3:
        connection.execute(f'DELETE FROM "{table}"')
    else:
        [before] = connection.execute(
            f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)
        ).fetchone()
        if isinstance(before, str) and chance.random() < 0.7:
            after: Any = _damage_json(before.encode(), chance, []).decode("utf-8", "replace")
        else:
            after = chance.choice([None, 0, -1, 1e308, "", "x", b"\xff\0", "[]", 2**62, "\x1b"])
        # Text that is no UTF-8 can stand in a database too.
        form = "CAST(? AS TEXT)" if isinstance(after, bytes) and chance.random() < 0.7 else "?"
        connection.execute(
            f'UPDATE "{table}" SET "{column}" = {form} WHERE rowid = ?', (after, row)
        )


Damage = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
_TEXT: list[Damage] = [
    *(_damage_bytes, _damage_lines, _damage_cells, _damage_cells, _damage_json, _damage_json),
]


def _damage_text(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    if chance.random() < 0.03:
        return _damage_bulk(data, chance, others)
    return chance.choice(_TEXT)(data, chance, others)


def mutated(data: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Return a file with some damage, of a kind that suits its format, mostly in one place."""
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        if chance.random() < 0.85:
            # What is damaged already may be no archive any more, in more ways than have names.
            with contextlib.suppress(Exception):
                data = _suited(data)(data, chance, others)
                continue
        data = _damage_bytes(data, chance, others)
    return data


def _suited(data: bytes) -> Damage:
    if data.startswith(b"SQLite format 3\0"):
        return _damage_database
    if data.startswith(b"\x1f\x8b"):
        return _damage_gzip
    if data.startswith(b"PK\3\4"):
        return _damage_archive
    if data.startswith(b"PAR1"):
        return _damage_bytes
    return _damage_text
