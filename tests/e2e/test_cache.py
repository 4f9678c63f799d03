"""`--cache`: statistics of texts are kept from one command to the next."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def compare(root: Path, weigh: Run) -> Run:
    """Return what compares two of the examples by two metrics."""
    texts = ("-r", "reference.en", "-m", "bleu,ter", "good.en", "middling.en")

    def run(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = ("--trials", "100", "--format", "json", *options, *texts)
        return weigh("compare", *given, cwd=root / "examples", **variables)

    return run


def entries(folder: Path) -> int:
    return len(list(folder.glob("*.entry")))


def test_the_same_result_with_and_without(compare: Run, tmp_path: Path) -> None:
    plain = compare()
    for _ in range(2):
        kept = compare("--cache", XDG_CACHE_HOME=str(tmp_path))
        assert (kept.returncode, kept.stdout, kept.stderr) == (0, plain.stdout, "")
        assert entries(tmp_path / "weigh") == 4


def test_the_variable_asks_for_it_and_the_option_forbids_it(compare: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    plain = compare("--no-cache", WEIGH_CACHE=str(folder))
    assert not folder.exists()
    kept = compare(WEIGH_CACHE=str(folder))
    assert (kept.returncode, kept.stdout) == (0, plain.stdout)
    assert entries(folder) == 4


def test_settings_ask_for_it(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text("cache = true\n")
    for name, text in (("ref", "a b c d\n"), ("sys", "a b c e\n")):
        (tmp_path / name).write_text(text)
    done = weigh("score", "-r", "ref", "-m", "bleu", "sys", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 0
    assert entries(tmp_path / "weigh") == 1


def test_a_folder_that_cannot_be_used_is_no_error(compare: Run, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    plain = compare()
    done = compare(WEIGH_CACHE=str(file))
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr.count("\n") == 1
    assert f"{file}: the cache cannot be written" in done.stderr
    assert file.read_text() == "mine"
