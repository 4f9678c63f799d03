"""What there is to judge: the directory that the planning verbs wrote, as batches of screens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from weigh.errors import InputError, UsageError
from weigh.files import write_files
from weigh.read.text import read_texts, read_whole, shown
from weigh.web.kinds import Batch, Record, kind_of

TRAINING, CONTROLS = "training.jsonl", "controls.jsonl"
_MOST_JUDGES = 10_000  # of one item
_INSTRUCTIONS, _CONSENT = "instructions.txt", "consent.txt"
_MAKERS = "weigh human plan, weigh rypt queries or weigh validate preference"


@dataclass(frozen=True, slots=True)
class Tasks:
    """All that a directory gives judges to do, and what the organiser tells them.

    `keys` are those of blind pairs, which no judge sees.
    """

    name: str
    batches: tuple[Batch, ...]
    training: tuple[Batch, ...] = ()
    controls: tuple[Batch, ...] = ()
    instructions: str = ""
    consent: str = ""
    keys: tuple[Any, ...] = ()
    digest: str = field(default="", compare=False)

    @property
    def kinds(self) -> list[str]:
        """The kinds of tasks that there are, in order."""
        every = (*self.batches, *self.training, *self.controls)
        return list(dict.fromkeys(batch.kind for batch in every))

    @property
    def pair(self) -> str:
        """The language pair that the tasks name, if they do."""
        return next((batch.pair for batch in self.batches if batch.pair), "")

    @property
    def judges_per_item(self) -> int:
        """How many people are to judge each item, as the tasks were made."""
        return max((int(key.get("judges", 1)) for key in self.keys), default=1)


def read_tasks(directory: str | Path) -> Tasks:
    """Read a directory of tasks; other files are ignored."""
    folder = Path(directory)
    if not folder.is_dir():
        raise InputError(
            f"{shown(str(folder))}: not a directory; give the output directory of {_MAKERS}, "
            "or --demo"
        )
    digest = blake2b(digest_size=16)
    batches: list[Batch] = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.name in (TRAINING, CONTROLS):
            continue
        batches += _batches(path, digest)
    if not batches:
        raise InputError(f"{shown(str(folder))}: no tasks; create them with {_MAKERS} (-o DIR)")
    training = _expected(folder / TRAINING, "training", digest)
    controls = _expected(folder / CONTROLS, "control", digest)
    return Tasks(
        folder.resolve().name,
        tuple(_distinct(batches)),
        training,
        controls,
        _text(folder / _INSTRUCTIONS),
        _text(folder / _CONSENT),
        tuple(_keys(folder, batches)),
        digest.hexdigest(),
    )


def _records(path: Path, digest: Any) -> Iterator[tuple[str, Record]]:
    name = shown(str(path))
    for number, line in enumerate(read_texts(str(path)), 1):
        if not line.strip():
            continue
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        where = f"{name}: line {number:,}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{where}: not JSON; give the file as weigh wrote it") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: not a JSON object; give the file as weigh wrote it")
        if "\\ud" in line.lower() and not _is_whole(record):
            raise InputError(f"{where}: an unpaired surrogate; write the complete character")
        yield where, record


def _is_whole(record: Record) -> bool:
    """Whether all texts of a line can be stored."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _batches(path: Path, digest: Any, role: str = "work") -> Iterator[Batch]:
    for number, (where, record) in enumerate(_records(path, digest), 1):
        kind = kind_of(record)
        if kind is None:
            raise InputError(
                f"{where}: neither a HIT nor a pair; give an output directory of {_MAKERS}, and "
                "keep other files elsewhere"
            )
        try:
            items = tuple(kind.items(record))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise InputError(
                f"{where}: incomplete for a task of {kind.name}; give the file as weigh wrote it"
            ) from None
        if not items or not all(item.screen.questions for item in items):
            raise InputError(f"{where}: nothing to judge in it")
        name = str(record.get("hit") or record.get("pair") or f"{path.stem}-{number}")
        if role == "work" and kind.name == "preference" and not record.get("pair"):
            raise InputError(f"{where}: a pair without its name; give the file as weigh wrote it")
        pair = str(record.get("pair") or "") if "items" in record else ""
        yield Batch(name, kind.name, items, role, pair)


def _expected(path: Path, role: str, digest: Any) -> tuple[Batch, ...]:
    """The batches of a file of training or control items, which have expected answers."""
    if not path.exists():
        return ()
    batches = []
    for batch in _batches(path, digest, role):
        for item in batch.items:
            if not item.expected:
                raise InputError(
                    f"{shown(str(path))}: {batch.name} has no expected answer; add "
                    '"expected" to every line'
                )
        batches.append(batch)
    return tuple(_distinct(batches))


def _distinct(batches: list[Batch]) -> Iterator[Batch]:
    """Yield batches with names that no two of them share."""
    counts = Counter(batch.name for batch in batches)
    seen: Counter[str] = Counter()
    for batch in batches:
        seen[batch.name] += 1
        again = counts[batch.name] > 1
        yield replace(batch, name=f"{batch.name}-{seen[batch.name]}") if again else batch


def _text(path: Path) -> str:
    return read_whole(str(path)).strip() if path.exists() else ""


def _keys(folder: Path, batches: list[Batch]) -> Iterator[dict[str, Any]]:
    """Yield the keys stored beside blind pairs, each complete."""
    pairs = {batch.name for batch in batches if batch.kind == "preference"}
    if not pairs:
        return
    for path in sorted(folder.glob("*.json")):
        try:
            document = json.loads(read_whole(str(path)))
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict) and document.get("command") == "validate preference key":
            try:
                named = {pair["pair"] for pair in document["pairs"]}
                is_key = 1 <= int(document.get("judges", 1)) <= _MOST_JUDGES and _is_whole(document)
            except (KeyError, TypeError, ValueError, OverflowError):
                is_key, named = False, set()
            if not is_key:
                raise InputError(
                    f"{shown(str(path))}: not a key of blind pairs; give the file as weigh wrote it"
                )
            if not named <= pairs:
                raise UsageError(
                    f"{shown(str(path))}: the key of different pairs than those in this "
                    "directory; keep each set of pairs in its own directory"
                )
            yield document


def write_demonstration(directory: str | Path | None = None, *, marked: bool = True) -> Path:
    """Write small tasks of every kind to a directory, a new temporary one unless it is named.

    `marked` says whether errors are to be marked too, for which a judge needs JavaScript.
    """
    folder = Path(mkdtemp(prefix="weigh-demo-") if directory is None else directory)
    tasks = files("weigh.web").joinpath("demo_tasks").iterdir()
    contents = {file.name: file.read_text(encoding="utf-8") for file in tasks}
    if not marked:
        del contents["esa.jsonl"]
    write_files(folder, contents)
    return folder
