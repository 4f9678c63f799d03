"""The directory of a translator: written whole or not at all, read from its text or its numbers.

It holds `model.json` (version, settings, how much it was trained on), `phrases.gz` and
`language.arpa.gz`, which people and other programs can read, `weights`, and `compiled.npz`, which
is the same in numbers. Where that does not fit the others, or is missing, it is made again from
them, if it can be written.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from weigh import __version__
from weigh.errors import InputError, WeighError
from weigh.files import write_arrays
from weigh.read.text import quoted, shown
from weigh.read.weights import weight_lines
from weigh.result import decode
from weigh_lab.translator.corpus import Ragged, Vocabulary
from weigh_lab.translator.ngrams import LanguageModel, read_arpa, write_arpa
from weigh_lab.translator.phrases import PhraseTable, read_table, write_table
from weigh_lab.translator.plan import TranslatorPlan

FORMAT = "weigh-translator/1"
MODEL, PHRASES, LANGUAGE = "model.json", "phrases.gz", "language.arpa.gz"
WEIGHTS, COMPILED = "weights", "compiled.npz"
_ROWS = ("sources", "targets", "links")


@dataclass(frozen=True, slots=True)
class Model:
    """What a translator has learned."""

    plan: TranslatorPlan
    phrases: PhraseTable
    language: LanguageModel
    sources: Vocabulary
    targets: Vocabulary


def check_place(folder: Path, *, force: bool) -> None:
    """Refuse a place that is taken; to be replaced, it must be a translator or empty."""
    name = shown(str(folder))
    try:
        if not force and os.path.lexists(folder):
            raise InputError(f"{name}: exists; add --force to replace it, or name another")
        if os.path.lexists(folder) and not _is_ours(folder):
            raise InputError(
                f"{name}: not a translator's directory, so it is not replaced; name another one"
            )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid path"
        raise InputError(f"{name}: cannot be accessed ({reason}); name another directory") from None


def _is_ours(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    names = {file.name for file in folder.iterdir()}
    return not names or names.issuperset({MODEL, PHRASES, LANGUAGE})


@contextmanager
def new_directory(folder: Path, *, force: bool) -> Iterator[Path]:
    """Yield a directory to write to, which becomes `folder` if all goes well.

    If anything fails, or on Ctrl-C, it is removed and an earlier `folder` stays.
    """
    name = shown(str(folder))
    place = folder.absolute()
    unfinished = place.with_name(f"{place.name}.{os.getpid()}.part")
    replaced = place.with_name(f"{place.name}.{os.getpid()}.old")
    try:
        unfinished.mkdir(parents=True)
        yield unfinished
        check_place(folder, force=force)
        if os.path.lexists(place):
            place.rename(replaced)
        try:
            unfinished.rename(place)
        except BaseException:
            if replaced.exists() and not os.path.lexists(place):
                replaced.rename(place)
            raise
    except OSError as error:
        raise WeighError(f"{name}: cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def write_model(folder: Path, model: Model, weights: Mapping[str, float], sentences: int) -> None:
    """Write all files of a translator trained on a number of sentence pairs."""
    write_table(folder / PHRASES, model.phrases, model.sources, model.targets)
    write_arpa(folder / LANGUAGE, model.language)
    (folder / WEIGHTS).write_text(weight_lines(weights.items()), encoding="utf-8", newline="\n")
    about = {
        "format": FORMAT,
        "weigh": __version__,
        "plan": asdict(model.plan),
        "sentences": sentences,
        "phrases": len(model.phrases.pairs),
        "ngrams": len(model.language.ngrams),
    }
    text = json.dumps(about, indent=1) + "\n"
    (folder / MODEL).write_text(text, encoding="utf-8", newline="\n")
    write_compiled(folder, model)


def read_model(folder: Path) -> tuple[Model, bool]:
    """Read a translator's files; also whether the compiled form was used."""
    plan = _read_plan(folder)
    model = _read_compiled(folder, _digest(folder), plan)
    if model is not None:
        return model, True
    language = read_arpa(folder / LANGUAGE)
    targets = Vocabulary()
    phrases, sources = read_table(folder / PHRASES, targets)
    return Model(plan, phrases, language, sources, targets), False


def _read_plan(folder: Path) -> TranslatorPlan:
    name = shown(str(folder / MODEL))
    try:
        about = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{shown(str(folder))}: no translator; give the directory that weigh translate "
            "train wrote"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{name}: cannot be read; train the model again") from None
    form = about.get("format") if isinstance(about, dict) else None
    if form != FORMAT or not isinstance(about.get("plan"), dict):
        raise InputError(
            f"{name}: a model of format {quoted(str(form))}, but this version reads {FORMAT!r}; "
            "train it again"
        )
    return decode(TranslatorPlan, about["plan"], f"{name}: plan")


def _digest(folder: Path) -> str:
    """Fingerprint of the readable files."""
    digest = blake2b(digest_size=16)
    for name in (PHRASES, LANGUAGE):
        try:
            with (folder / name).open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise InputError(
                f"{shown(str(folder / name))}: cannot be read ({error.strerror}); train the model "
                "again"
            ) from None
    return digest.hexdigest()


def write_compiled(folder: Path, model: Model) -> None:
    """Keep a model in numbers, for the next time; where that cannot be done it is read again."""
    phrases, language = model.phrases, model.language
    rows = {name: getattr(phrases, name) for name in _ROWS}
    arrays: dict[str, Any] = {f"{name}_values": rows[name].values for name in _ROWS}
    arrays |= {f"{name}_offsets": rows[name].offsets for name in _ROWS}
    arrays |= {
        "source_words": _as_bytes("\n".join(model.sources.words[1:])),
        "target_words": _as_bytes("\n".join(model.targets.words[1:])),
        "ngrams": _as_bytes("\n".join(map(" ".join, language.ngrams))),
        "chances": language.chances,
        "backoffs": language.backoffs,
        "order": np.array(language.order),
        "pairs": phrases.pairs,
        "scores": phrases.scores,
        "counts": phrases.counts,
    }
    arrays |= {"digest": _digest(folder), "checksum": _checksum(arrays)}
    with suppress(WeighError):
        write_arrays(folder / COMPILED, arrays)


def _as_bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _checksum(arrays: Mapping[str, Any]) -> str:
    """Fingerprint of arrays, their types and shapes."""
    digest = blake2b(digest_size=16)
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _read_compiled(folder: Path, digest: str, plan: TranslatorPlan) -> Model | None:
    """A compiled model; None if it is missing, damaged, or of other files."""
    try:
        with (
            (folder / COMPILED).open("rb") as file,
            np.load(file, allow_pickle=False) as archive,
        ):
            if str(archive["digest"]) != digest:
                return None
            kept = {name: archive[name] for name in archive.files}
        del kept["digest"]
        if str(kept.pop("checksum")) != _checksum(kept):
            return None

        def lines(name: str) -> list[str]:
            return bytes(kept[name]).decode().split("\n")

        sources, targets, links = (
            Ragged(kept[f"{name}_values"], kept[f"{name}_offsets"]) for name in _ROWS
        )
        return Model(
            plan,
            PhraseTable(sources, targets, links, kept["pairs"], kept["scores"], kept["counts"]),
            LanguageModel(
                int(kept["order"]),
                tuple(tuple(line.split(" ")) for line in lines("ngrams")),
                kept["chances"],
                kept["backoffs"],
            ),
            Vocabulary(lines("source_words")),
            Vocabulary(lines("target_words")),
        )
    except Exception:  # whatever a damaged archive or header leads to: the text is there too
        return None
