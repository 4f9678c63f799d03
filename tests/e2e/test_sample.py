"""`weigh sample` as installed."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(path: Path) -> list[str]:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


def test_files_stay_aligned(weigh: Run, root: Path, tmp_path: Path) -> None:
    names = ["source.de", "reference.en", "good.en"]
    done = weigh("sample", "-n", "8", "-o", "small", *(root / "examples" / n for n in names))
    assert (done.returncode, done.stdout) == (0, "")
    assert "8 of 40 segments to small: source.de, reference.en, good.en, lines.txt" in done.stderr
    chosen = [int(number) for number in lines(tmp_path / "small" / "lines.txt")]
    assert [(number - 1) // 5 for number in chosen] == list(range(8))
    for name in names:
        whole = lines(root / "examples" / name)
        assert lines(tmp_path / "small" / name) == [whole[number - 1] for number in chosen]


def test_seeds(weigh: Run, root: Path, tmp_path: Path) -> None:
    source = root / "examples" / "source.de"
    for directory, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        weigh("sample", "-n", "10", "-o", directory, "--seed", seed, source)
    drawn = [(tmp_path / each / "lines.txt").read_text() for each in "abc"]
    assert drawn[0] == drawn[1] != drawn[2]


def test_whole_documents(weigh: Run, root: Path, tmp_path: Path) -> None:
    examples = root / "examples"
    done = weigh(
        *("sample", "-n", "2", "-o", "small", "--documents", examples / "documents.txt"),
        examples / "good.en",
    )
    assert done.returncode == 0, done.stderr
    labels = lines(examples / "documents.txt")
    chosen = [int(number) - 1 for number in lines(tmp_path / "small" / "lines.txt")]
    names = {labels[at] for at in chosen}
    assert len(names) == 2
    assert chosen == [at for at, label in enumerate(labels) if label in names]
    assert lines(tmp_path / "small" / "documents.txt") == [labels[at] for at in chosen]
    assert f"2 of 4 documents ({len(chosen)} segments)" in done.stderr


def test_namesakes_gzip_and_force(weigh: Run, tmp_path: Path) -> None:
    for directory in ("one", "two"):
        (tmp_path / directory).mkdir()
        text = "".join(f"{directory} {number}\u2028\n" for number in range(4))
        (tmp_path / directory / "out.gz").write_bytes(gzip.compress(text.encode()))
    arguments = ("sample", "-n", "4", "-o", "small", "--quiet", "one/out.gz", "two/out.gz")
    assert weigh(*arguments).stderr == ""
    assert lines(tmp_path / "small" / "one_out") == [f"one {n}\u2028" for n in range(4)]
    assert lines(tmp_path / "small" / "two_out") == [f"two {n}\u2028" for n in range(4)]
    assert weigh(*arguments).returncode == 1
    assert weigh(*arguments, "--force").returncode == 0


def test_nothing_is_written_outside_of_the_directory(weigh: Run, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for path in (tmp_path / "out", inner / "out"):
        path.write_text("x\n")
    done = weigh("sample", "-n", "1", "-o", "small", "../out", "out", cwd=inner)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"inner", "out"}
    assert len(list((inner / "small").iterdir())) == 3
