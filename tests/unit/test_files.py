"""Files that are there in full or as they were before: what fails is made to fail for real."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weigh
from weigh.errors import WeighError
from weigh.files import temporary_path, write_arrays, write_files, write_whole


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    write_whole(path, "one\n")
    path.chmod(0o640)
    write_whole(str(path), b"two\n")
    assert path.read_bytes() == b"two\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "there", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_whole(path, "text")
    assert path.read_text() == "text"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        write_whole(pipe, "text")
        assert reader.communicate()[0] == b"text"
    assert pipe.is_fifo()


@pytest.mark.parametrize("old", [None, "old"])
def test_an_exception_leaves_what_was_there(old: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.write_text(old)

    def interrupted() -> None:
        with temporary_path(path) as place:
            place.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if old is None else [old])


def test_a_directory_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(WeighError, match="cannot be written: Is a directory"):
        write_whole(tmp_path, "text")
    with pytest.raises(WeighError, match="No such file"):
        write_whole(tmp_path / "no" / "file", "text")
    with pytest.raises(WeighError, match=r"cannot be written: .*embedded null"):
        write_whole(tmp_path / "a\0b", "text")


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
from weigh.errors import WeighError
from weigh.files import write_files, write_whole
try:
    {work}
except WeighError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize(
    "work",
    [
        "write_whole(sys.argv[1] + '/a', 'x' * 100_000)",
        "write_files(sys.argv[1], {'b': 'x', 'a': 'x' * 100_000})",
    ],
)
def test_where_the_disk_is_full_nothing_is_half_written(work: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(work=work), tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"a": "old"}


def test_a_program_that_is_killed_leaves_no_half_file_under_its_name(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom weigh.files import temporary_path\n"
        "with temporary_path(sys.argv[1] + '/a') as place:\n"
        "    place.write_text('half'); print('now', flush=True); time.sleep(60)"
    )
    (tmp_path / "a").write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"now\n"
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert (tmp_path / "a").read_text() == "old"


def test_several_files_get_their_names_together(tmp_path: Path) -> None:
    write_files(tmp_path / "new", {"a": "1", "b": b"2"})
    assert {each.name: each.read_text() for each in (tmp_path / "new").iterdir()} == {
        "a": "1",
        "b": "2",
    }


def test_of_several_files_new_ones_are_taken_away_if_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "c":
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    (tmp_path / "b").write_text("old")
    with pytest.raises(WeighError, match="cannot be written: Input/output error"):
        write_files(tmp_path, {"a": "1", "b": "2", "c": "3"})
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"b": "2"}


def test_arrays_are_what_numpy_loads(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6).reshape(2, 3), "b": np.array(["x", "é"]), "c": "text"}
    write_arrays(tmp_path / "arrays.npz", arrays)
    with np.load(tmp_path / "arrays.npz") as loaded:
        assert loaded.files == ["a", "b", "c"]
        assert all(np.array_equal(loaded[name], array) for name, array in arrays.items())


def test_arrays_that_cannot_be_written_leave_nothing(tmp_path: Path) -> None:
    class Unwritable:
        def __array__(self, dtype: object = None, copy: object = None) -> object:
            raise OSError(28, "No space left on device")

    with pytest.raises(WeighError, match="No space left on device"):
        write_arrays(tmp_path / "arrays.npz", {"a": np.zeros(1000), "b": Unwritable()})
    assert list(tmp_path.iterdir()) == []


def test_no_other_module_writes_files_by_itself() -> None:
    """Those that do write to a place that gets its name when it is finished, or to a log."""
    source = Path(weigh.__file__).parent.parent
    writes = re.compile(r"""\.write_(?:text|bytes)\(|open\([^)]*["'][wax][bt]?["']|mkstemp\(""")
    found = {
        path.relative_to(source).as_posix()
        for package in ("weigh", "weigh_lab")
        for path in (source / package).rglob("*.py")
        if writes.search(path.read_text(encoding="utf-8"))
    }
    assert found == {
        "weigh/engine/executors.py",  # a temporary file for other processes
        "weigh/files.py",
        "weigh_lab/papers/riezler2005.py",  # a list that is read and removed
        "weigh_lab/translator/directory.py",  # in a directory that gets its name at the end
        "weigh_lab/translator/ngrams.py",
        "weigh_lab/translator/phrases.py",
        "weigh/tuning/loop.py",  # what a decoder says
    }
