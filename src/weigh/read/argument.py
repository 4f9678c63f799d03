"""What the command line says of files: `path`, `path#PART`, `NAME=path`, `NAME@RUN=path`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from weigh.errors import UsageError
from weigh.read.stream import STDIN, Role, TextSet, exists, read_texts, shown
from weigh.read.table import Columns, read_table

_WMT = (".xml", ".sgm", ".sgml")


@dataclass(frozen=True, slots=True)
class FileArgument:
    """A file, the set inside it and the system that it is given for, where they are named."""

    path: str
    part: str | None = None
    name: str | None = None
    run: str | None = None

    @classmethod
    def parse(cls, argument: str) -> FileArgument:
        """Read an argument; of several readings the first whose file exists wins.

        >>> FileArgument.parse("mine@2=out.en").name
        'mine'
        """
        if cls._existing(argument) or "=" not in argument:
            return cls.of_path(argument)
        name, _, path = argument.partition("=")
        name, at, run = name.rpartition("@") if "@" in name else (name, "", "")
        if not name or not path or (at and not run):
            raise UsageError(
                f"{shown(argument)}: no such file, and not NAME=path or NAME@RUN=path either"
            )
        file = cls.of_path(path)
        return cls(file.path, file.part, name, run or None)

    @classmethod
    def of_path(cls, argument: str) -> FileArgument:
        """Read an argument that names no system."""
        return cls._existing(argument) or cls(argument)

    @classmethod
    def _existing(cls, argument: str) -> FileArgument | None:
        if exists(argument):
            return cls(argument)
        pieces = argument.split("#")
        for count in range(1, len(pieces)):
            path = "#".join(pieces[:count])
            if _format(path) in _WMT and exists(path):
                return cls(path, "#".join(pieces[count:]))
        return None

    def read(self, role: Role, columns: Columns) -> list[TextSet]:
        """Read the file in the format that its name tells; a WMT file may hold several sets."""
        form = _format(self.path)
        if form in _WMT:
            from weigh.read.wmt import read_wmt

            return read_wmt(self.path, role, self.part)
        if form in (".tsv", ".jsonl"):
            return [read_table(self.path, columns, is_json=form == ".jsonl")]
        if form == ".conllu":
            from weigh.read.conllu import read_conllu

            return [read_conllu(self.path)]
        return [TextSet(shown(self.path), read_texts(self.path))]


def file_names(paths: Sequence[str]) -> list[str]:
    """Return short names: the file name, or the shortest path ending that is no other's too.

    >>> file_names(["a/out.en.gz", "b/out.en", "other.en"])
    ['a/out.en', 'b/out.en', 'other.en']
    """
    endings = [_endings(path) for path in paths]
    names = []
    for number, own in enumerate(endings):
        others = [other for at, other in enumerate(endings) if at != number]
        taken = [
            {other[min(depth, len(other) - 1)] for other in others} for depth in range(len(own))
        ]
        names.append(next((e for e, t in zip(own, taken, strict=True) if e not in t), own[-1]))
    return names


def _endings(path: str) -> list[str]:
    if path == STDIN:
        return ["stdin"]
    parts = PurePath(_less_gz(path)).parts or (path,)
    return ["/".join(parts[-depth:]).replace("//", "/") for depth in range(1, len(parts) + 1)]


def _format(path: str) -> str:
    return PurePath(_less_gz(path)).suffix.lower()


def _less_gz(path: str) -> str:
    return path[:-3] if path.lower().endswith(".gz") else path
