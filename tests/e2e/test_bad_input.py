"""Every mistake gives one clear line and the right exit code, never a traceback."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.test_bad_comparisons import DATA, USAGE, check

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a directory with a good test set of three segments and many bad files."""
    good = "one two three\nfour five six\nseven eight nine\n"
    texts = {
        "ref": good.encode(),
        "sys": good.encode(),
        "two-lines": b"one\ntwo\n",
        "empty": b"",
        "latin-1": "one\ncafé\nthree\n".encode("latin-1"),
        "nul": b"one\nt\0wo\nthree\n",
        "long-line": b"one\n" + b"x" * 1_000_001 + b"\nthree\n",
        "broken.gz": gzip.compress(good.encode())[:-12],
        "labels": b"a\nb\n",
        "same/sys": good.encode(),
        "table.tsv": b"key\ttext\n1\tone\n",
        "rows.jsonl": b'{"id": 1, "text": "one"\n',
        "entities.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><dataset>&a;</dataset>',
    }
    for name, content in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ("-r ref two-lines", DATA, ["two-lines: 2 lines", "ref has 3", "missing last line"]),
        ("-r ref empty", DATA, ["empty"]),
        ("-r empty sys", DATA, ["empty"]),
        ("-r ref", USAGE, ["no system"]),
        ("sys", USAGE, ["no reference", "sys", "-r FILE"]),
        ("x=sys table.tsv", USAGE, ["no reference", " sys;", "text", "-r FILE"]),
        ("-m bleu table.tsv", USAGE, ["table.tsv", "-r REF", "--columns"]),
        ("results.cvs", DATA, ["results.cvs: no such file"]),
        ("same", DATA, ["same/: no logs"]),
        ("-r ref missing", DATA, ["missing: no such file"]),
        ("-r missing sys", DATA, ["missing: no such file"]),
        ("-r ref same", DATA, ["same: a directory"]),
        ("-r ref latin-1", DATA, ["latin-1", "line 2", "UTF-8"]),
        ("-r ref nul", DATA, ["nul", "line 2", "NUL"]),
        ("-r ref long-line", DATA, ["long-line", "line 2", "1,000,000"]),
        ("-r ref broken.gz", DATA, ["broken.gz", "gzip"]),
        ("-r ref --slices labels sys", DATA, ["labels: 2 lines"]),
        ("-r ref --documents missing sys", DATA, ["missing: no such file"]),
        ("-r table.tsv table.tsv", DATA, ["table.tsv", "'id'", "--id"]),
        ("-r rows.jsonl rows.jsonl", DATA, ["rows.jsonl: row 1", "JSON"]),
        ("-r entities.xml sys", DATA, ["entities.xml"]),
        ("-r ref -m blue sys", USAGE, ["'blue'", "did you mean 'bleu'?"]),
        ("-r ref -m bleu:lowercsae sys", USAGE, ["lowercsae", "did you mean 'lowercase'?"]),
        ("-r ref -m bleu:tokenize=intel sys", USAGE, ["intel", "did you mean 'intl'?"]),
        ("-r ref -m chrf:word_order=two sys", USAGE, ["two", "number"]),
        ("-r ref a=sys a=same/sys", USAGE, ["a: two systems"]),
        ("-r ref sys sys", USAGE, ["sys: two systems"]),
        ("-r ref other=ref --ref nobody=ref sys", USAGE, ["nobody", "no system"]),
        ("-r ref --json sys", USAGE, ["'--json'", "--format json"]),
        ("-r ref -o page.html sys", USAGE, ["'-o'", "--html FILE"]),
        ("-r ref --segmets sys", USAGE, ["did you mean '--segments'?"]),
        ("-r ref --format tabel sys", USAGE, ["did you mean 'table'?"]),
    ],
)
def test_one_line_and_the_right_exit_code(
    arguments: str, code: int, parts: list[str], weigh: Run, files: Path
) -> None:
    check(weigh("score", *arguments.split(), cwd=files), code, parts)


def test_an_empty_reference_line_is_fine(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("one two three four\n\n")
    (tmp_path / "sys").write_text("one two three four\nfive\n")
    done = weigh("score", "-r", "ref", "-m", "bleu,chrf,ter,nist,wer,per,cder", "sys")
    assert done.returncode == 0, done.stderr


def test_hostile_names_stay_on_their_line(weigh: Run, tmp_path: Path) -> None:
    name = "evil\x1b[31m\nname"
    (tmp_path / "ref").write_text("one two three four\n")
    (tmp_path / name).write_text("one two three four\n")
    done = weigh("score", "-r", "ref", name)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert r"evil\x1b[31m\nname" in done.stdout
    missing = weigh("score", "-r", "ref", "no" + name)
    assert missing.returncode == 1
    assert missing.stderr.count("\n") == 1
    assert "\x1b" not in missing.stderr


def test_an_undecodable_file_name(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("one two three four\n")
    (tmp_path / "sys\udcff").write_text("one two three four\n")
    for style in ("table", "json", "tsv", "markdown", "latex"):
        done = weigh("score", "-r", "ref", "sys\udcff", "--format", style)
        assert done.returncode == 0, done.stderr
        assert "udcff" in done.stdout


def test_a_bad_settings_file(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text("refs = 1\n")
    done = weigh("score", "x")
    assert done.returncode == 2
    assert done.stderr == "weigh: weigh.toml: unknown key 'refs'; did you mean 'ref'?\n"
