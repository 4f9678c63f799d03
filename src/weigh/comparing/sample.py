"""Draw a smaller test set from a large one, the same lines of every file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.errors import InputError, UsageError
from weigh.read.inputs import file_names
from weigh.read.sampled import lines_text
from weigh.read.text import Frame, ending, read_texts, shown
from weigh.stats.broad import broad_document_sample, broad_sample

LINES = "lines.txt"
"""Name of the file that lists the numbers of the drawn lines."""
# Formats that are joined by id, or whose lines are not segments.
_NOT_LINES = (".tsv", ".jsonl", ".xml", ".sgm", ".sgml")


@dataclass(frozen=True, slots=True)
class SmallTestSet:
    """The drawn segments, the total number of segments or documents, and the new files by name."""

    segments: tuple[int, ...]
    total: int
    contents: dict[str, str]


def sample_files(
    files: Sequence[str], size: int, *, documents: str | None = None, seed: int = 12345
) -> SmallTestSet:
    """Draw `size` segments, or whole documents, spread over the files.

    `documents` is a file with the document of each segment; its lines are drawn as well.
    """
    paths = list(files)
    if documents is not None and documents not in paths:
        paths.append(documents)
    names = _output_names(paths)
    texts = _read(paths)
    if documents is None:
        total = len(texts[0])
        segments = broad_sample(total, size, seed)
    else:
        labels = texts[paths.index(documents)]
        total = len(set(labels))
        segments = broad_document_sample(labels, size, seed)
    contents = {
        name: "".join(f"{lines[at]}\n" for at in segments)
        for name, lines in zip(names, texts, strict=True)
    }
    contents[LINES] = lines_text([at + 1 for at in segments])
    return SmallTestSet(tuple(segments), total, contents)


def _read(paths: Sequence[str]) -> list[tuple[str, ...]]:
    texts: list[tuple[str, ...]] = []
    for path in paths:
        if ending(path) in _NOT_LINES:
            raise InputError(f"{shown(path)}: not plain text; convert it to one segment per line")
        texts.append(read_texts(path))
        Frame(shown(paths[0]), len(texts[0])).check_lines(shown(path), len(texts[-1]))
    return texts


def _output_names(paths: Sequence[str]) -> list[str]:
    """A file name for each path; paths with the same file name get part of their directories."""
    names = [_flat(name) for name in file_names(paths)]
    for path, name in zip(paths, names, strict=True):
        if name == LINES or names.count(name) > 1:
            other = "the list of line numbers" if name == LINES else "another file"
            raise UsageError(
                f"{shown(path)} would be written as {shown(name)}, like {other}; rename it, or "
                "give it only once"
            )
    return names


def _flat(name: str) -> str:
    """Turn the end of a path into a file name without directories."""
    return "_".join("up" if part == ".." else part for part in name.split("/") if part)
