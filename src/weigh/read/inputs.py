"""Everything that one evaluation reads: the test set and the systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.text import (
    STDIN,
    Frame,
    Role,
    TextSet,
    ending,
    exists,
    less_gz,
    quoted,
    read_texts,
    shortest_endings,
    shown,
)
from weigh.types import Outputs, System, TestSet, run_label

if TYPE_CHECKING:
    from weigh.read.columns import Head, Kind

# Forms of file arguments: `path`, `path#PART`, `NAME=path`, `NAME@RUN=path`.

_WMT = (".xml", ".sgm", ".sgml")
# An ending such as .en or .jsonl, but not the ".0" of a version.
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z-]*[0-9]?")


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The names of the columns (or keys) that hold a segment's id and its text."""

    id: str = "id"
    text: str = "text"


@dataclass(frozen=True, slots=True)
class FileArgument:
    """A file; the set inside it and the system to which it belongs, if they are named."""

    path: str
    part: str | None = None
    name: str | None = None
    run: str | None = None

    @classmethod
    def parse(cls, argument: str) -> FileArgument:
        """Parse an argument; of several interpretations, the first whose file exists wins.

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
        """Parse an argument that names no system."""
        return cls._existing(argument) or cls(argument)

    @classmethod
    def _existing(cls, argument: str) -> FileArgument | None:
        if exists(argument):
            return cls(argument)
        pieces = argument.split("#")
        for count in range(1, len(pieces)):
            path = "#".join(pieces[:count])
            if ending(path) in _WMT and exists(path):
                return cls(path, "#".join(pieces[count:]))
        return None

    def read(self, role: Role, columns: TextColumns, expected: int | None = None) -> list[TextSet]:
        """Read the file in the format of its ending; a WMT file may hold several sets.

        Plain text is not read to its end if it has far more lines than `expected`.
        """
        form = ending(self.path)
        if form in _WMT:
            from weigh.read.wmt import read_wmt

            return read_wmt(self.path, role, self.part)
        if form in (".tsv", ".jsonl"):
            return [_read_rows(self.path, columns)]
        if form == ".conllu":
            from weigh.read.trees import read_conllu

            return [read_conllu(self.path)]
        if form == ".json":
            raise InputError(
                f"{shown(self.path)}: not a file of texts; give one text per line, or compare "
                "scores without -r"
            )
        return [TextSet(shown(self.path), read_texts(self.path, expected))]


def file_names(paths: Sequence[str]) -> list[str]:
    """Short names of files: the base name, or the shortest path ending that tells namesakes apart.

    >>> file_names(["a/out.en.gz", "b/out.en", "other.en"])
    ['a/out.en', 'b/out.en', 'other.en']
    """
    return shortest_endings(["stdin" if path == STDIN else less_gz(path) for path in paths])


def name_systems(paths: Sequence[str]) -> list[str]:
    """Names of systems: those of their files, without the ending that all of them share.

    >>> name_systems(["out/good.en", "out/poor.en.gz"]), name_systems(["gpt-4.0", "gpt-5.0"])
    (['good', 'poor'], ['gpt-4.0', 'gpt-5.0'])
    """
    names = file_names(paths)
    endings = {PurePath(name).suffix for name in names}
    shared = endings.pop() if len(endings) == 1 else ""
    return [name.removesuffix(shared) for name in names] if _ENDING.fullmatch(shared) else names


def find_system(name: str, systems: Iterable[str]) -> str | None:
    """The system that a name means: itself, or the name of its file with the ending.

    >>> find_system("good.en", ["good", "poor"])
    'good'
    """
    names = list(systems)
    stem, suffix = PurePath(name).stem, PurePath(name).suffix
    short = name.removesuffix(suffix) if _ENDING.fullmatch(suffix) and stem else name
    return next((candidate for candidate in (name, short) if candidate in names), None)


def _read_rows(path: str, columns: TextColumns) -> TextSet:
    """Read the ids and texts of a TSV or JSON lines file."""
    import numpy as np

    from weigh.read.plain import read_plain

    name = shown(path)

    def choose(head: Head) -> dict[str, Kind]:
        for column, option in ((columns.id, "--id"), (columns.text, "--text")):
            if column not in head:
                suggestion = did_you_mean(column, [shown(title)[:60] for title in list(head)[:20]])
                raise InputError(
                    f"{name}: no column {quoted(column)}; name one with {option} ({suggestion})"
                )
        return {columns.id: "label", columns.text: "text"}

    table = read_plain(path, choose)
    texts = table.labels(columns.text).cells()
    lacking = next((at for at, text in enumerate(texts) if text is None), None)
    if lacking is not None:
        raise InputError(f"{table.where(lacking)}: {quoted(columns.text)} is missing; give a text")
    ids = table.required_labels(columns.id, "id").at(np.arange(len(table)))
    return TextSet(name, tuple(text or "" for text in texts), ids)


def read_inputs(
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None = None,
    documents: str | None = None,
    slices: str | None = None,
    id_column: str = "id",
    text_column: str = "text",
    *,
    references_needed: bool = True,
) -> tuple[TestSet, tuple[System, ...]]:
    """Read a test set and its systems, each file once.

    A reference is a path, or `NAME=path` for the system NAME (or NAME@RUN) only. If all references
    are of that kind, the segments are those of the source or of the first reference. If no
    references are needed or given, they are those of the first system.
    """
    if references_needed:
        _check_given(references)
    columns = TextColumns(id_column, text_column)
    common, own_arguments = _split_references(references)
    own_references = _read_own(own_arguments, columns)
    reference_sets = _read_references(common, columns)
    spare = [text_set for sets in own_references.values() for text_set in sets]
    outputs = None
    if not references_needed and not spare:
        outputs = _read_outputs(systems, columns)
        spare = [texts for _, _, texts in outputs]
    test_set, frame = _read_test_set(reference_sets, source, documents, slices, columns, spare)
    if outputs is None:
        outputs = _read_outputs(systems, columns, frame.size)
    return test_set, _join_systems(outputs, frame, own_references)


def read_test_set(
    references: Sequence[str],
    source: str | None = None,
    documents: str | None = None,
    slices: str | None = None,
    id_column: str = "id",
    text_column: str = "text",
    *,
    references_needed: bool = True,
) -> TestSet:
    """Read references and, if given, the source and labels, one per line.

    Segments are in the order of the first reference, or of the first file with ids. If no
    references are needed, the source alone is enough.
    """
    if references_needed:
        _check_given(references)
    elif not references and source is None:
        raise UsageError("no source texts given; add them with -s FILE")
    columns = TextColumns(id_column, text_column)
    reference_sets = _read_references(map(FileArgument.of_path, references), columns)
    return _read_test_set(reference_sets, source, documents, slices, columns)[0]


def read_systems(
    systems: Sequence[str],
    test_set: TestSet,
    own_references: Mapping[str, Sequence[str]] | None = None,
    id_column: str = "id",
    text_column: str = "text",
) -> tuple[System, ...]:
    """Read systems for a test set: each a path, `NAME=path` or `NAME@RUN=path`.

    `own_references` are paths by the name of their system.
    """
    columns = TextColumns(id_column, text_column)
    arguments = {
        name: [FileArgument.of_path(path) for path in paths]
        for name, paths in (own_references or {}).items()
    }
    frame = Frame.of_test_set(test_set)
    outputs = _read_outputs(systems, columns, frame.size)
    return _join_systems(outputs, frame, _read_own(arguments, columns))


def _check_given(references: Sequence[str]) -> None:
    if not references:
        raise UsageError("no reference given; add one with --ref FILE")


def _split_references(
    references: Iterable[str],
) -> tuple[list[FileArgument], dict[str, list[FileArgument]]]:
    common: list[FileArgument] = []
    by_system: dict[str, list[FileArgument]] = {}
    for reference in references:
        argument = FileArgument.parse(reference)
        if argument.name is None:
            common.append(argument)
        else:
            by_system.setdefault(run_label(argument.name, argument.run), []).append(argument)
    return common, by_system


def _read_own(
    arguments: Mapping[str, Sequence[FileArgument]], columns: TextColumns
) -> dict[str, list[TextSet]]:
    return {name: _read_references(files, columns) for name, files in arguments.items()}


def _read_references(arguments: Iterable[FileArgument], columns: TextColumns) -> list[TextSet]:
    sets: list[TextSet] = []
    for argument in arguments:
        expected = len(sets[0].texts) if sets else None
        sets += argument.read("reference", columns, expected)
    return sets


def _read_test_set(
    reference_sets: Sequence[TextSet],
    source: str | None,
    documents: str | None,
    slices: str | None,
    columns: TextColumns,
    spare: Sequence[TextSet] = (),
) -> tuple[TestSet, Frame]:
    expected = len(reference_sets[0].texts) if reference_sets else None
    source_sets: list[TextSet] = []
    if source is not None:
        source_sets = FileArgument.of_path(source).read("source", columns, expected)
    framing = [*reference_sets, *source_sets] or spare
    frame = Frame.first_of(framing)
    ids = frame.ids
    if ids is None and not reference_sets and not source_sets:
        ids = tuple(map(str, range(1, frame.size + 1)))
    test_set = TestSet(
        references=tuple(frame.join(text_set) for text_set in reference_sets),
        sources=frame.join(source_sets[0]) if source_sets else None,
        documents=_read_labels(documents, frame) if documents is not None else frame.documents,
        ids=ids,
        slices=_read_labels(slices, frame) if slices is not None else None,
    )
    return test_set, frame


def _read_labels(path: str, frame: Frame) -> tuple[str, ...]:
    labels = read_texts(path, frame.size)
    frame.check_lines(shown(path), len(labels))
    return labels


# A system's name and run, and its texts.
_Output = tuple[str, str | None, TextSet]


def _read_outputs(
    systems: Sequence[str], columns: TextColumns, expected: int | None = None
) -> list[_Output]:
    if not systems:
        raise UsageError("no system given; name at least one file with a system's output")
    arguments = [FileArgument.parse(argument) for argument in systems]
    unnamed = [argument.path for argument in arguments if argument.name is None]
    names_of_files = iter(name_systems(unnamed))
    named: list[_Output] = []
    for argument in arguments:
        text_sets = argument.read("system", columns, expected)
        expected = expected or len(text_sets[0].texts)
        if argument.name is None:
            file_name = next(names_of_files)
            named += [(texts.name or file_name, None, texts) for texts in text_sets]
        elif len(text_sets) == 1:
            named.append((argument.name, argument.run, text_sets[0]))
        else:
            parts = ", ".join(shown(texts.name or "") for texts in text_sets)
            raise UsageError(
                f"{shown(argument.path)}: {len(text_sets)} systems ({parts}), but only one "
                f"name, {shown(argument.name)}; select a system with "
                f"{shown(argument.path)}#SYSTEM"
            )
    _check_names([(name, run) for name, run, _ in named])
    return named


def _join_systems(
    outputs: Sequence[_Output], frame: Frame, references: Mapping[str, Sequence[TextSet]]
) -> tuple[System, ...]:
    names = {run_label(name, run) for name, run, _ in outputs} | {name for name, _, _ in outputs}
    references = {find_system(name, names) or name: sets for name, sets in references.items()}
    _check_own_references([(name, run) for name, run, _ in outputs], references)
    return tuple(
        System(
            name,
            Outputs(frame.join(texts)),
            run,
            references=tuple(
                frame.join(text_set) for text_set in _of_system(references, name, run)
            ),
            file_name=PurePath(less_gz(texts.label)).name,
        )
        for name, run, texts in outputs
    )


def _of_system(
    references: Mapping[str, Sequence[TextSet]], name: str, run: str | None
) -> tuple[TextSet, ...]:
    of_run = () if run is None else references.get(run_label(name, run), ())
    return (*references.get(name, ()), *of_run)


def _check_names(names: Sequence[tuple[str, str | None]]) -> None:
    all_of = Counter(name for name, _ in names)
    runs_of = Counter(names)
    for name, run in names:
        if runs_of[name, run] > 1 or (run is None and all_of[name] > 1):
            what = "systems have this name" if run is None else f"runs are called {shown(run)}"
            raise UsageError(
                f"{shown(name)}: two {what}; name each system with NAME=path, "
                "or runs of one system with NAME@RUN=path"
            )


def _check_own_references(
    names: Sequence[tuple[str, str | None]], references: Mapping[str, Sequence[TextSet]]
) -> None:
    labels = {name for name, _ in names} | {run_label(name, run) for name, run in names}
    for name in references:
        if name not in labels:
            raise UsageError(
                f"{shown(name)}: a reference is given for it, but no system has this name; "
                f"{did_you_mean(name, map(shown, labels))}"
            )
    counts = {run_label(name, run): len(_of_system(references, name, run)) for name, run in names}
    fewest = min(counts, key=lambda name: counts[name])
    most = max(counts, key=lambda name: counts[name])
    if counts[fewest] != counts[most]:
        raise InputError(
            f"{shown(fewest)}: {counts[fewest]} references, but {shown(most)} has "
            f"{counts[most]}; give every system the same number"
        )
