"""Readers of texts, tables, logs, judgments and n-best lists.

Files may be packed by gzip, and `-` is stdin. The format of texts is told by the name, less `.gz`:

- `.tsv`, `.jsonl`: rows with an id and a text, joined by id and never by position.
- `.xml`, `.sgm`, `.sgml`: WMT files. Segments are joined by document and segment id; the id of
  a segment is `DOCUMENT:SEGMENT`. A line break inside a segment becomes one space, and the
  white space around a segment is dropped. Documents that are marked as a test suite are left
  out. A reference file gives all its translators, a system file all its systems, under their
  own names; `file.xml#NAME` chooses one of them.
- `.conllu`: dependency parses, one sentence per segment. Texts carry their parses.
- anything else: plain text, one segment per line.

Plain text and CoNLL-U have no ids. They are joined by order to each other and to WMT files, whose
segments have an order; beside tables they are refused.

A system is `path`, `NAME=path`, or `NAME@RUN=path` for one of several runs of a system. Wherever
an argument can be read in two ways, an existing path wins.
"""

from __future__ import annotations

from weigh.read.inputs import read_inputs, read_systems, read_test_set
from weigh.read.text import read_texts

__all__ = ["read_inputs", "read_systems", "read_test_set", "read_texts"]
