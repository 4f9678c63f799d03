"""No result names the directories of the machine that made it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from e2e.conftest import ROOT, Run
from e2e.test_report_of_verbs import CASES as VERBS
from e2e.test_report_of_verbs import FILES, STUDIES

EXAMPLES = ROOT / "examples"
TEXTS = ("-r", f"{EXAMPLES}/reference.en", f"{EXAMPLES}/good.en", f"{EXAMPLES}/poor.en")
QUICK = ("--trials", "99", "--quiet")
SPAN = r"(?<![\w./-]){}(?![\w./-])"
# Verbs that show what they read, or what metrics that read files are called.
CHOSEN = (
    *("score, unlike labels", "rypt score", "rypt explain", "rypt infer", "rypt queries"),
    *("rypt diversity, labels", "rypt labels", "rerank, oracle", "rerank, choices", "tune"),
    *("validate preference, answers", "validate preference, pairs", "tune, average"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "private" / "home of someone"
    made.mkdir(parents=True)
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    # Twice the same row, of which a remark tells, and one whose scores do not vary.
    lines = FILES["judged.jsonl"].splitlines()
    (made / "judged.jsonl").write_text("\n".join([*lines, lines[0]]) + "\n", encoding="utf-8")
    for at, name in enumerate("AB"):
        scores = np.random.default_rng(at).normal(size=40)
        (made / f"{name}.scores").write_text("".join(f"{each}\n" for each in scores))
    return made


def absolute(arguments: tuple[str, ...], folder: Path) -> list[str]:
    """Return arguments with the whole path of every file that they name, in metrics too."""
    inner = [name for name in (*FILES, "{system}.align") if "." in name]
    pattern = re.compile(SPAN.format(f"({'|'.join(map(re.escape, inner))})"))
    return [
        f"{folder}/{one}" if one in FILES else pattern.sub(lambda m: f"{folder}/{m[1]}", one)
        for one in arguments
    ]


def check(weigh: Run, arguments: list[str], folder: Path, *formats: str, page: bool) -> None:
    for form in formats:
        done = weigh(*arguments, "--format", form)
        assert done.returncode == 0, done.stderr
        assert_nowhere(done.stdout, folder)
    if page:
        html = folder / "page.html"
        done = weigh(*arguments, "--html", html)
        assert done.returncode == 0, done.stderr
        assert_nowhere(html.read_text(encoding="utf-8"), folder)


def assert_nowhere(text: str, folder: Path) -> None:
    for place in (folder, folder.parent, ROOT, Path.home() / ".cache"):
        found = text.find(f"{place}/")
        assert found < 0, text[max(0, found - 200) : found + 200]
    assert folder.name not in text


@pytest.mark.parametrize("case", CHOSEN)
def test_of_every_kind_of_result(case: str, weigh: Run, folder: Path) -> None:
    arguments = absolute(VERBS[case], folder)
    assert any(str(folder) in each or str(ROOT) in each for each in arguments)
    check(weigh, arguments, folder, "json", page=case.startswith("rypt"))


@pytest.mark.parametrize(
    "verb", [verb for verb in STUDIES if verb[0] == "human"], ids=lambda verb: verb[1]
)
def test_of_people(verb: tuple[str, ...], weigh: Run, folder: Path) -> None:
    check(weigh, absolute(verb, folder), folder, "json", "table", page=verb[1] == "rank")


def test_of_scores_and_comparisons(weigh: Run, folder: Path) -> None:
    given = [f"{folder}/A.scores", f"{folder}/B.scores"]
    check(weigh, ["compare", "--scores", *given, *QUICK], folder, "json", "latex", page=True)
    metric = f"segment:file={folder}/{{system}}.scores"
    systems = [f"A={EXAMPLES}/good.en", f"B={EXAMPLES}/poor.en"]
    texts = ["-r", f"{EXAMPLES}/reference.en", "-m", f"bleu,{metric}", *systems]
    check(weigh, ["score", *texts], folder, "json", "table", "tsv", page=False)
    check(weigh, ["compare", *texts, *QUICK], folder, "json", "table", "tsv", page=True)


def test_namesakes_keep_what_tells_them_apart(weigh: Run, folder: Path) -> None:
    for at, name in enumerate(("one", "two")):
        (folder / name).mkdir()
        scores = np.random.default_rng(at).normal(size=40)
        (folder / name / "m").write_text("".join(f"{each}\n" for each in scores))
    metrics = ",".join(f"segment:file={folder}/{name}/m" for name in ("one", "two"))
    done = weigh("score", "-r", f"{EXAMPLES}/reference.en", "-m", metrics, f"{EXAMPLES}/good.en")
    assert done.returncode == 0, done.stderr
    assert_nowhere(done.stdout, folder)
    assert "one/m" in done.stdout
    assert "two/m" in done.stdout


def test_texts_that_look_like_paths_stay(weigh: Run, folder: Path) -> None:
    for name in ("ref", "A", "B"):
        (folder / name).write_text(f"see {folder}/{name}\n" * 3, encoding="utf-8")
    done = weigh(
        *("compare", "-r", folder / "ref", folder / "A", folder / "B", *QUICK),
        *("--details", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    for name in ("ref", "A", "B"):
        assert f"see {folder}/{name}" in done.stdout
