"""Files of statistics: NumPy's .npz with arrays and a description in JSON, never pickles."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.errors import InputError, WeighError
from weigh.metrics.stored import StoredMetric, StoredStatistics, StoredSystem, merge
from weigh.read.stream import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.metrics.fingerprint import Fingerprints
    from weigh.types import Rows

SCHEMA = "weigh-statistics/1"
_ABOUT = "about"


def check_writable(path: str) -> None:
    """Raise WeighError, before the work is done, if a file cannot be written or is another's."""
    file = Path(path)
    if not file.parent.is_dir():
        raise InputError(f"{shown(path)}: no such directory; make it first")
    if file.exists() and not _is_ours(path):
        raise InputError(f"{shown(path)}: exists and is no file of statistics; choose another name")


def _is_ours(path: str) -> bool:
    """Return whether nothing of another's would be lost; an empty file is nobody's."""
    import zipfile

    file = Path(path)
    if not file.is_file():  # a device, say, which may be read without end
        return False
    if not file.stat().st_size:
        return True
    try:
        with zipfile.ZipFile(file) as archive:
            return f"{_ABOUT}.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def save_statistics(statistics: StoredStatistics, path: str) -> None:
    """Write a file of statistics, whole or not at all."""
    import numpy as np

    arrays: dict[str, Any] = _arrays(statistics)
    unfinished = Path(f"{path}.{os.getpid()}.part")
    try:
        with unfinished.open("xb") as stream:
            np.savez(stream, **arrays)
        unfinished.replace(path)
    except (OSError, ValueError) as error:
        unfinished.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise WeighError(f"{shown(path)}: cannot be written: {reason}") from error
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _arrays(statistics: StoredStatistics) -> dict[str, NDArray[Any]]:
    import json

    import numpy as np

    systems = list(statistics.systems.items())
    about = {
        "schema": SCHEMA,
        "weigh": __version__,
        "segments": statistics.segments,
        "references": len(statistics.references),
        "sources": statistics.sources is not None,
        "documents": statistics.documents,
        "slices": statistics.slices,
        "ids": statistics.ids,
        "numbers": statistics.numbers,
        "systems": [
            {"name": name, "run": run, "references": len(stored.references)}
            for (name, run), stored in systems
        ],
        "metrics": [
            {
                "metric": key,
                "signature": stored.signature,
                "systems": [
                    number for number, (name, _) in enumerate(systems) if name in stored.rows
                ],
                "extra": [stored.extra.get(name) for name, _ in systems],
            }
            for key, stored in statistics.metrics.items()
        ],
    }
    text = json.dumps(about, ensure_ascii=True)
    arrays: dict[str, Any] = {_ABOUT: np.frombuffer(text.encode("ascii"), dtype=np.uint8)}
    arrays |= _numbered("reference", statistics.references)
    if statistics.sources is not None:
        arrays["source"] = statistics.sources
    for number, (name, system) in enumerate(systems):
        arrays[f"system/{number}"] = system.texts
        arrays |= _numbered(f"system/{number}/reference", system.references)
        for at, metric in enumerate(statistics.metrics.values()):
            if name in metric.rows:
                arrays[f"rows/{at}/{number}"] = metric.rows[name]
    return arrays


def _numbered(name: str, columns: Sequence[Fingerprints]) -> dict[str, Fingerprints]:
    return {f"{name}/{number}": column for number, column in enumerate(columns)}


def read_statistics(paths: Sequence[str]) -> StoredStatistics:
    """Read files of statistics, all of one test set."""
    return merge([_read(path) for path in paths])


def _read(path: str) -> StoredStatistics:
    import zipfile

    import numpy as np

    name = shown(path)
    try:
        with Path(path).open("rb"):
            _expect(Path(path).is_file())
        with zipfile.ZipFile(path) as archive:
            # As they are written: nothing unfolds into more than the file has.
            _expect(all(one.compress_type == zipfile.ZIP_STORED for one in archive.infolist()))
        with np.load(path, allow_pickle=False) as arrays:
            return _statistics(name, arrays)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the path") from None
    except (IsADirectoryError, PermissionError) as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None
    except WeighError:
        raise
    except Exception:  # whatever a damaged archive, header or description leads to
        raise InputError(
            f"{name}: not a file that weigh score --save-statistics has written, or a damaged one; "
            "write it again"
        ) from None


def _statistics(name: str, arrays: Mapping[str, NDArray[Any]]) -> StoredStatistics:
    import json

    about = json.loads(arrays[_ABOUT].tobytes().decode("ascii"))
    if about["schema"] != SCHEMA:
        raise InputError(
            f"{name}: in the format {shown(str(about['schema']))}, but this weigh reads {SCHEMA}; "
            "write it again with weigh score --save-statistics"
        )
    segments = about["segments"]
    _expect(isinstance(segments, int) and segments > 0)
    given = about["systems"]
    systems = {
        (_text(one["name"]), None if one["run"] is None else _text(one["run"])): StoredSystem(
            _column(arrays[f"system/{number}"], segments),
            tuple(
                _column(arrays[f"system/{number}/reference/{at}"], segments)
                for at in range(one["references"])
            ),
        )
        for number, one in enumerate(given)
    }
    _expect(len(systems) == len(given) > 0)
    names = list(systems)
    return StoredStatistics(
        name,
        segments,
        tuple(_column(arrays[f"reference/{at}"], segments) for at in range(about["references"])),
        systems,
        {
            _text(one["metric"]): StoredMetric(
                _text(one["signature"]),
                {
                    names[at]: _rows(arrays[f"rows/{number}/{at}"], segments)
                    for at in one["systems"]
                },
                dict(zip(names, one["extra"], strict=True)),
            )
            for number, one in enumerate(about["metrics"])
        },
        _column(arrays["source"], segments) if about["sources"] else None,
        _labels(about["documents"], segments),
        _labels(about["slices"], segments),
        _labels(about["ids"], segments),
        _numbers(about.get("numbers"), segments),
    )


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError("not as it is written")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _labels(values: Any, segments: int) -> tuple[str, ...] | None:
    if values is None:
        return None
    _expect(len(values) == segments)
    return tuple(map(_text, values))


def _numbers(values: Any, segments: int) -> tuple[int, ...] | None:
    if values is None:
        return None
    _expect(len(values) == segments and all(type(value) is int for value in values))
    _expect(values[0] > 0 and all(a < b for a, b in pairwise(values)))
    return tuple(values)


def _column(array: NDArray[Any], segments: int) -> Fingerprints:
    import numpy as np

    _expect(array.dtype == np.uint64 and array.shape == (segments,))
    return array


def _rows(array: NDArray[Any], segments: int) -> Rows:
    import numpy as np

    _expect(array.dtype in (np.int64, np.float64) and array.ndim == 2 and len(array) == segments)
    array.flags.writeable = False
    return array
