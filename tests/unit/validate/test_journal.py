from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import InputError, WeighError
from weigh.validate import journal
from weigh.validate.journal import Journal, digest

SETTINGS = {"study": "squares", "seed": 1}


class StoppedError(Exception):
    pass


def squares(done: list[int], until: int = 99):
    """Return a task, and what it shares: pieces that were done, and where it is to stop."""
    return squared, (done, until)


def squared(shared: tuple[list[int], int], piece: int) -> list[float]:
    done, until = shared
    if piece >= until:
        raise StoppedError
    done.append(piece)
    return [piece**2 / 3]


RESULT = [[n**2 / 3] for n in range(10)]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stopped_run_goes_on_where_it_was(threads: int, tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    done: list[int] = []
    with pytest.raises(StoppedError):
        Journal(path, SETTINGS).finish(*squares(done, until=4), 10, threads=threads)
    later: list[int] = []
    told: list[tuple[int, int]] = []
    again = Journal(path, SETTINGS)
    found = again.finish(*squares(later), 10, threads=threads, progress=lambda *at: told.append(at))
    assert found == RESULT
    assert sorted(done + later) == list(range(10))
    assert told == [(n, 10) for n in range(len(done) + 1, 11)]
    assert Journal(path, SETTINGS).finish(*squares([], until=0), 10) == RESULT


def test_results_may_call_for_more_pieces(tmp_path: Path) -> None:
    path = str(tmp_path / "state")

    def more(results: list[int]) -> int:
        return 3 if len(results) < 10 else 0

    done: list[int] = []
    assert Journal(path, SETTINGS).finish(*squares(done), 4, more=more, threads=1) == RESULT
    assert done == list(range(10))
    again = Journal(path, SETTINGS)
    assert again.finish(*squares([], until=0), 4, more=more) == RESULT


def test_without_a_file(tmp_path: Path) -> None:
    assert Journal(None, SETTINGS).finish(*squares([]), 10) == RESULT
    assert list(tmp_path.iterdir()) == []


@given(cut=st.integers(0, 1500))
def test_a_file_cut_off_anywhere(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Killed while it wrote: what is whole is used, the rest is done again."""
    path = tmp_path_factory.mktemp("cut") / "state"
    Journal(str(path), SETTINGS).finish(*squares([]), 10, threads=1)
    content = path.read_bytes()
    kept = content[: max(15, len(content) - cut)]
    path.write_bytes(kept)
    done: list[int] = []
    assert Journal(str(path), SETTINGS).finish(*squares(done), 10, threads=1) == RESULT
    assert len(done) == 10 - max(0, kept.count(b"\n") - 1)
    assert sorted(path.read_bytes().split(b"\n")) == sorted(content.split(b"\n"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a text of mine\n", "not the file of a run"),
        (b"a text without an end", "not the file of a run"),
        (b'{"jour', "not the file of a run"),
        (b'{"journal": "mine", "run"', "not the file of a run"),
        (b"[1, 2]\n", "not the file of a run"),
        (b"\xff\xfe\n", "not the file of a run"),
        (b'{"journal": "weigh validate", "run": "another"}\n', "other settings or other data"),
    ],
)
def test_a_foreign_file_is_refused_and_left_alone(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        Journal(str(path), SETTINGS)
    assert path.read_bytes() == content


def test_other_settings_and_damage(tmp_path: Path) -> None:
    path = tmp_path / "state"
    Journal(str(path), SETTINGS).finish(*squares([]), 3)
    with pytest.raises(InputError, match="other settings"):
        Journal(str(path), {**SETTINGS, "seed": 2})
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b'{"piece": "x"}', *lines[1:]]))
    with pytest.raises(InputError, match="line 2 was changed"):
        Journal(str(path), SETTINGS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"[3.0]", b"[4.0]"),
        (b"[3.0]", b"3.0"),
        (b'"piece": 2', b'"piece": 1'),
        (b'"piece": 2', b'"piece": true'),
        (b'"result": [3.0], ', b""),
    ],
)
def test_a_piece_that_was_changed_is_not_believed(old: bytes, new: bytes, tmp_path: Path) -> None:
    path = tmp_path / "state"
    Journal(str(path), SETTINGS).finish(*squares([]), 4)
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    with pytest.raises(InputError, match=r"line \d was changed; name another file"):
        Journal(str(path), SETTINGS)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WeighError, match="cannot be used: No such file or directory"):
        Journal(str(tmp_path / "no" / "state"), SETTINGS)
    with pytest.raises(WeighError, match="cannot be used: Is a directory"):
        Journal(str(tmp_path), SETTINGS)


def test_a_second_run_is_refused_in_one_line_until_the_first_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    first = Journal(path, SETTINGS)
    with pytest.raises(InputError, match="state: another run is using it; wait") as caught:
        Journal(path, SETTINGS)
    assert "\n" not in str(caught.value)
    assert first.finish(*squares([]), 10) == RESULT
    assert Journal(path, SETTINGS).finish(*squares([], until=0), 10) == RESULT


def test_a_run_that_fails_lets_go(tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    with pytest.raises(StoppedError):
        Journal(path, SETTINGS).finish(*squares([], until=4), 10)
    with pytest.raises(InputError, match="other settings"):
        Journal(path, {**SETTINGS, "seed": 2})
    assert Journal(path, SETTINGS).finish(*squares([]), 10) == RESULT


def test_the_lock_of_a_killed_run_ends_with_it(tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    code = (
        "import sys; from weigh.validate.journal import Journal; held = Journal(sys.argv[1], "
        f"{SETTINGS!r}); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, encoding="utf-8", **pipes) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="another run is using it"):
            Journal(path, SETTINGS)
        other.kill()
    assert Journal(path, SETTINGS).finish(*squares([]), 10) == RESULT


def test_without_locks_a_file_beside_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "fcntl", None)
    path = tmp_path / "state"
    first = Journal(str(path), SETTINGS)
    with pytest.raises(InputError, match=r"if no run is left, remove .*state\.lock"):
        Journal(str(path), SETTINGS)
    first.finish(*squares([]), 10)
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    assert Journal(str(path), SETTINGS).finish(*squares([], until=0), 10) == RESULT


def test_digests() -> None:
    assert digest({"a": 1, "b": (2,)}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
