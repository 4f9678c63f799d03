"""`weigh score` as installed, on the test set in examples/."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SYSTEMS = ("good.en", "middling.en", "poor.en")


@pytest.fixture
def examples(root: Path) -> Path:
    return root / "examples"


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_json_agrees_with_sacrebleu(weigh: Run, examples: Path) -> None:
    references = ["reference.en", "reference2.en"]
    arguments = [part for name in references for part in ("-r", name)]
    made = document(
        weigh(
            "score",
            *arguments,
            *("-m", "bleu,chrf,chrf:word_order=2", "-m", "ter"),
            *("--documents", "documents.txt", "--format", "json"),
            *SYSTEMS,
            cwd=examples,
        )
    )
    assert made["schema"] == "weigh/3"
    assert made["command"] == "score"
    assert made["test_set"] == {"segments": 40, "references": 2, "documents": 4}
    oracles = {
        "bleu": sacrebleu.BLEU(),
        "chrf": sacrebleu.CHRF(),
        "chrf:word_order=2": sacrebleu.CHRF(word_order=2),
        "ter": sacrebleu.TER(),
    }
    texts = [lines(examples / name) for name in references]
    expected = [
        (
            metric,
            system.removesuffix(".en"),
            oracle.corpus_score(lines(examples / system), texts).score,
        )
        for metric, oracle in oracles.items()
        for system in SYSTEMS
    ]
    found = [(each["metric"], each["system"], each["score"]) for each in made["scores"]]
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert [each[2] for each in found] == pytest.approx([each[2] for each in expected], abs=1e-9)
    assert [each["lower_is_better"] for each in made["scores"]] == [False] * 9 + [True] * 3
    assert {tuple(each) for each in made["scores"]} == {
        ("metric", "signature", "lower_is_better", "system", "score", "interval", "level")
    }


def test_a_csv_file_beside_references_is_said_to_be_read_as_a_text(
    weigh: Run, examples: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "good.csv"
    copy.write_bytes((examples / "good.en").read_bytes())
    done = weigh("score", "-r", examples / "reference.en", copy)
    assert done.returncode == 0
    assert "good.csv: read as a text" in done.stderr


def test_segments_agree_with_sacrebleu(weigh: Run, examples: Path) -> None:
    made = document(
        weigh(
            *("score", "-r", "reference.en", "-m", "chrf", "--segments", "--format", "json"),
            "good.en",
            cwd=examples,
        )
    )
    oracle = sacrebleu.CHRF()
    pairs = zip(lines(examples / "good.en"), lines(examples / "reference.en"), strict=True)
    expected = [oracle.sentence_score(text, [reference]).score for text, reference in pairs]
    assert made["scores"][0]["segments"] == pytest.approx(expected, abs=1e-9)


def test_standard_input_and_gzip(weigh: Run, examples: Path, tmp_path: Path) -> None:
    text = (examples / "good.en").read_bytes()
    (tmp_path / "packed.en.gz").write_bytes(gzip.compress(text))
    made = document(
        weigh(
            *("score", "-r", examples / "reference.en", "--format", "json", "-m", "bleu"),
            *("packed.en.gz", "piped=-", examples / "good.en"),
            stdin=text.decode(),
        )
    )
    assert [each["system"] for each in made["scores"]] == ["packed", "piped", "good"]
    assert len({each["score"] for each in made["scores"]}) == 1


def test_a_reader_that_leaves_is_no_error(root: Path) -> None:
    script = (
        "set -o pipefail; "
        f"{Path(sys.executable).with_name('weigh')} score --segments -r examples/reference.en "
        "examples/good.en examples/poor.en | head -n 1"
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr == ""
    assert done.stdout == "40 segments, 1 reference\n"


def test_an_interrupt_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ref")
    running = subprocess.Popen(
        [Path(sys.executable).with_name("weigh"), "score", "-r", "ref", "sys"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with (tmp_path / "ref").open("w"):  # opens when weigh has opened it to read
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (130, "", "weigh: interrupted\n")


def test_a_terminal_gets_colour_and_tables_that_fit(examples: Path) -> None:
    main, other = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "WEIGH_FORMAT")}
    done = subprocess.run(
        [
            Path(sys.executable).with_name("weigh"),
            *("score", "-r", "reference.en", "-m", "bleu,chrf,ter,nist,wer,per,cder", *SYSTEMS),
        ],
        cwd=examples,
        stdout=other,
        stderr=other,
        env={**environment, "COLUMNS": "40", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    os.close(other)
    text = os.read(main, 1 << 16).decode().replace("\r\n", "\n")
    os.close(main)
    assert done.returncode == 0, text
    assert "\x1b[1m" in text
    plain = re.sub(r"\x1b\[\d*m", "", text)
    tables = plain.rsplit("\n\n", 1)[0].split("\n")
    assert max(map(len, tables)) <= 40
    assert plain.count("good") > 1


def test_details_of_slices(weigh: Run, examples: Path) -> None:
    texts = ("-r", "reference.en", "--slices", "domains.txt", "good.en", "poor.en")
    common = ("score", "-m", "chrf,nist", "--format", "json", *texts)
    made = json.loads(weigh(*common, "--details", cwd=examples).stdout)["scores"]
    assert [each.get("slice") for each in made[:6]] == [
        None,
        None,
        *["news"] * 2,
        *["everyday"] * 2,
    ]
    lengths = [each["details"]["hypothesis_length"] for each in made[6:]]
    assert lengths[0] == lengths[2] + lengths[4]
    assert "details" not in weigh(*common, cwd=examples).stdout
