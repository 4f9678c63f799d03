"""`weigh sample` as installed."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(path: Path) -> list[str]:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


def test_files_stay_aligned(weigh: Run, root: Path, tmp_path: Path) -> None:
    names = ["source.de", "reference.en", "good.en"]
    done = weigh("sample", "-n", "8", "-o", "small", *(root / "examples" / n for n in names))
    assert (done.returncode, done.stdout) == (0, "")
    assert "8 of 40 segments in small: source.de, reference.en, good.en, lines.txt" in done.stderr
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


EXAMPLES = ("good.en", "middling.en", "poor.en")


def by(root: Path, *options: str | Path, directory: str = "small") -> list[str | Path]:
    examples = root / "examples"
    systems = [each for name in EXAMPLES for each in ("--system", examples / name)]
    texts = ["-r", examples / "reference.en", *systems, examples / "source.de"]
    return ["sample", "-o", directory, *options, *texts]


@pytest.mark.parametrize("way", ["difference", "diversity"])
def test_segments_that_tell_systems_apart(weigh: Run, root: Path, tmp_path: Path, way: str) -> None:
    done = weigh(*by(root, "--by", way, "-n", "8", "-m", "chrf"), "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["by"], result["size"]) == (way, 8)
    written = [line.split("\t") for line in lines(tmp_path / "small" / "lines.txt")]
    assert [int(number) for number, _ in written] == result["numbers"]
    assert {chosen_by for _, chosen_by in written} == {way}
    for name in ("source.de", "reference.en", *EXAMPLES):
        whole = lines(root / "examples" / name)
        assert lines(tmp_path / "small" / name) == [whole[at - 1] for at in result["numbers"]]
    everything, chosen, at_random = result["draws"]
    assert everything["segments"] == 40
    assert chosen["spread"] > at_random["spread"]


def test_chosen_segments_say_what_they_are_not(weigh: Run, root: Path) -> None:
    done = weigh(*by(root, "--by", "difference", "-n", "8"))
    assert "it estimates no score" in done.stdout
    assert "8 of 40 segments in small" in done.stderr


def test_scores_choose_too(weigh: Run, root: Path, tmp_path: Path) -> None:
    scored = weigh(
        *("score", "-m", "chrf", "--segments", "--format", "tsv"),
        *("-r", root / "examples" / "reference.en", *(root / "examples" / n for n in EXAMPLES)),
    )
    (tmp_path / "chrf.tsv").write_text(scored.stdout)
    weigh(*by(root, "--by", "difference", "-n", "8", "-m", "chrf"))
    options = ("--by", "difference", "-n", "8", "-o", "other", "--scores", "chrf=chrf.tsv")
    assert weigh("sample", *options).returncode == 0
    chosen = [(tmp_path / each / "lines.txt").read_text() for each in ("small", "other")]
    assert chosen[0] == chosen[1]
    source = tmp_path / "short.de"
    source.write_text("one\ntwo\n")
    done = weigh("sample", *options, "--force", source)
    assert (done.returncode, done.stdout) == (1, "")
    assert "2 lines, but the segment" in done.stderr


def test_chosen_documents(weigh: Run, root: Path, tmp_path: Path) -> None:
    labels = root / "examples" / "documents.txt"
    done = weigh(*by(root, "--by", "diversity", "-n", "2", "--documents", labels))
    assert done.returncode == 0, done.stderr
    assert "2 of 4 documents" in done.stderr
    assert len({*lines(tmp_path / "small" / "documents.txt")}) == 2


def test_documents_of_a_table_are_those_of_its_items(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "documents").write_text("".join(f"d{at // 10}\n" for at in range(40)))
    rows = [(at, s, (at // 10 == 2) * s * 5 + at % 3) for at in range(1, 41) for s in range(2)]
    numbers = []
    for name, own in (
        ("sorted", rows),
        ("shuffled", sorted(rows, key=lambda row: row[0] * 7 % 41)),
    ):
        cells = [f"{at},{s},{score}" for at, s, score in own]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,system,score", *cells]) + "\n")
        options = ("--by", "difference", "-n", "1", "--documents", "documents", "-o", name)
        done = weigh("sample", *options, "--scores", f"{name}.csv")
        assert done.returncode == 0, done.stderr
        numbers.append([line.split("\t")[0] for line in lines(tmp_path / name / "lines.txt")])
    assert numbers[0] == numbers[1] == [str(at) for at in range(21, 31)]


def test_judgments_of_chosen_segments_are_not_powered(
    weigh: Run, root: Path, tmp_path: Path
) -> None:
    weigh(*by(root, "--by", "difference", "-n", "24"))
    rows = [f"ann\t{name}\t{at}\t{(7 * at) % 90}" for name in "ab" for at in range(1, 25)]
    (tmp_path / "j.tsv").write_text("\n".join(["judge\tsystem\tsegment\tvalue", *rows]) + "\n")
    for name in "ab":
        (tmp_path / f"{name}.m").write_text("".join(f"{n % 7}\n" for n in range(40)))
    rank = ("human", "rank", "j.tsv", "--with", "m=a.m", "--with", "m=b.m", "--quiet")
    done = weigh(*rank, "--lines", "small/lines.txt")
    assert (done.returncode, done.stdout) == (1, "")
    assert "small/lines.txt: segments chosen by difference and not drawn at random" in done.stderr
    weigh("sample", "-n", "24", "-o", "random", root / "examples" / "source.de")
    assert weigh(*rank, "--lines", "random/lines.txt").returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "chrf", "x"], "--metric tells systems apart, which a random draw does not; add"),
        (["--scores", "x", "y"], "--scores tells systems apart"),
        (["--by", "differences"], "unknown --by 'differences'; did you mean 'difference'?"),
        (["--by", "difference"], "give the systems' texts with --system and -r, or segment scores"),
        (["--by", "difference", "--scores", "x", "--system", "y"], "or segment scores with"),
        (["--by", "difference", "--system", "y", "--score-columns", "a=b"], "--score-columns is"),
    ],
)
def test_choices_that_do_not_fit(
    weigh: Run, tmp_path: Path, options: list[str], message: str
) -> None:
    (tmp_path / "y").write_text("a\nb\n")
    done = weigh("sample", "-n", "1", "-o", "small", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
