"""The tables of a label store; rows are only ever added.

Texts are known by a digest of their own: so two stores that hold the same texts hold the same
keys, and no index has to hold a whole sentence, which PostgreSQL would refuse.
"""

from __future__ import annotations

from hashlib import blake2b

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from weigh.rypt.judgment import LONGEST_NAME
from weigh.rypt.label import Entry, Label

VERSION = 1
"""The version of these tables; a store with a later one is left alone."""

_DIGEST = String(32)
_NAME = String(LONGEST_NAME)
_TIME = String(27)

metadata = MetaData()

schema = Table(
    "rypt_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)
sources = Table(
    "rypt_sources",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("text", Text, nullable=False),
    sqlite_with_rowid=False,
)
spans = Table(
    "rypt_spans",
    metadata,
    Column("source", _DIGEST, ForeignKey(sources.c.id)),
    Column("first_word", Integer),
    Column("end_word", Integer, nullable=False),
    PrimaryKeyConstraint("source", "first_word", "end_word"),
    CheckConstraint("0 <= first_word AND first_word < end_word"),
    sqlite_with_rowid=False,
)
substrings = Table(
    "rypt_substrings",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("source", _DIGEST, nullable=False, index=True),
    Column("first_word", Integer, nullable=False),
    Column("end_word", Integer, nullable=False),
    Column("text", Text, nullable=False),
    ForeignKeyConstraint(
        ["source", "first_word", "end_word"],
        [spans.c.source, spans.c.first_word, spans.c.end_word],
    ),
    sqlite_with_rowid=False,
)
judgments = Table(
    "rypt_judgments",
    metadata,
    Column("substring", _DIGEST, ForeignKey(substrings.c.id)),
    Column("judge", _NAME),
    Column("at", _TIME),
    Column("label", String(8), nullable=False),
    Column("seconds", Float(53)),
    Column("origin", _NAME, nullable=False),
    Column("corrects", _TIME, nullable=False),
    PrimaryKeyConstraint("substring", "judge", "at"),
    CheckConstraint(f"label IN ({', '.join(repr(str(label)) for label in Label)})"),
    sqlite_with_rowid=False,
)


def digest(*parts: object) -> str:
    """Return what texts and numbers are known by; none of them holds a NUL."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def entry_digest(entry: Entry) -> str:
    """Return what an entry is known by."""
    return digest(*entry)
