"""`weigh score --details` as installed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import sacrebleu

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_every_format_has_them(weigh: Run, root: Path) -> None:
    examples = root / "examples"
    common = ("score", "-r", "reference.en", "-m", "bleu,ter", "--details", "good.en", "poor.en")
    made = json.loads(weigh(*common, "--format", "json", cwd=examples).stdout)
    tsv = weigh(*common, "--format", "tsv", cwd=examples).stdout.rstrip("\n").split("\n")
    rows = [dict(zip(tsv[0].split("\t"), line.split("\t"), strict=True)) for line in tsv[1:]]
    shown = [
        re.sub(r"[ |]+", " ", weigh(*common, "--format", style, cwd=examples).stdout)
        for style in ("table", "markdown")
    ]
    for entry in made["scores"]:
        texts = lines(examples / entry["system"])
        references = [lines(examples / "reference.en")]
        if entry["metric"] == "bleu":
            expected = sacrebleu.BLEU(smooth_method="none").corpus_score(texts, references)
            numbers = [*expected.precisions, expected.bp, expected.ratio]
            numbers += [expected.sys_len, expected.ref_len]
            texts_shown = [*(f"{each:.2f}" for each in expected.precisions)]
            texts_shown += [f"{each:.4f}" for each in (expected.bp, expected.ratio)]
            texts_shown += [str(expected.sys_len), str(expected.ref_len)]
        else:
            ter = sacrebleu.TER().corpus_score(texts, references)
            numbers = [ter.num_edits, ter.ref_length]
            texts_shown = [f"{each:g}" for each in numbers]
        assert list(entry["details"].values()) == pytest.approx(numbers)
        key = (entry["metric"], entry["system"])
        in_tsv = {
            row["detail"]: float(row["score"])
            for row in rows
            if (row["metric"], row["system"]) == key and row["detail"]
        }
        assert in_tsv == entry["details"]
        assert f"{entry['system']} {' '.join(texts_shown)}" in shown[1]
        # On a screen, what is too wide goes on underneath.
        rows_of_system = re.findall(rf"^{re.escape(entry['system'])} (.*)$", shown[0], re.MULTILINE)
        assert " ".join(texts_shown) in " ".join(rows_of_system)


def test_slices(weigh: Run, root: Path) -> None:
    texts = ("-r", "reference.en", "--slices", "domains.txt", "good.en", "poor.en")
    common = ("score", "-m", "chrf,nist", "--format", "json", *texts)
    made = json.loads(weigh(*common, "--details", cwd=root / "examples").stdout)["scores"]
    assert [each.get("slice") for each in made[:6]] == [
        None,
        None,
        *["news"] * 2,
        *["everyday"] * 2,
    ]
    lengths = [each["details"]["hypothesis_length"] for each in made[6:]]
    assert lengths[0] == lengths[2] + lengths[4]
    assert "details" not in weigh(*common, cwd=root / "examples").stdout


@pytest.mark.parametrize(("option", "number"), [("details", "449"), ("segments", "73.49")])
def test_latex_has_tables_of_them(weigh: Run, root: Path, option: str, number: str) -> None:
    done = weigh("score", "-r", "reference.en", f"--{option}", "--format", "latex", "good.en",
                 cwd=root / "examples")  # fmt: skip
    scores, _, more = done.stdout.partition("\n\n% needs")
    assert number not in scores
    assert f"& {number}" in more


def test_reports_show_them_again(weigh: Run, root: Path, tmp_path: Path) -> None:
    common = ("score", "-r", "reference.en", "-m", "bleu,ter", "--details", "good.en", "poor.en")
    result = weigh(*common, "--format", "json", cwd=root / "examples").stdout
    (tmp_path / "result.json").write_text(result, encoding="utf-8")
    for style in ("table", "markdown", "tsv", "json", "latex"):
        shown = weigh(*common, "--format", style, cwd=root / "examples")
        again = weigh("report", "result.json", "--format", style)
        assert again.stdout == shown.stdout != ""
    (tmp_path / "bad.json").write_text(result.replace('"edits": 110', '"edits": "many"'))
    done = weigh("report", "bad.json")
    message = "bad.json.scores[2].details.edits: expected a number, found 'many'; give a file"
    assert (done.returncode, done.stderr) == (1, f"weigh: {message} that weigh has written\n")


def test_tables_are_no_wider_than_text(weigh: Run, root: Path) -> None:
    done = weigh("score", "-r", "reference.en", "-m", "bleu,ter", "--details", "good.en", "poor.en",
                 cwd=root / "examples")  # fmt: skip
    heads = [line for line in done.stdout.split("\n") if "precision" in line or "length" in line]
    assert heads
    assert max(map(len, heads)) <= 100
