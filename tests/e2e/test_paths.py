"""No result names the directories of the machine that made it."""

from __future__ import annotations

import json
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
        assert_nowhere(done.stderr, folder)
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


@pytest.mark.parametrize("case", VERBS)
def test_of_every_kind_of_result(case: str, weigh: Run, folder: Path) -> None:
    arguments = absolute(VERBS[case], folder)
    assert any(str(folder) in each or str(ROOT) in each for each in arguments)
    done = weigh(*arguments, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert_nowhere(done.stdout, folder)
    if case.startswith("rypt"):
        html = folder / "page.html"
        done = weigh(*arguments, "--html", html, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert_nowhere(html.read_text(encoding="utf-8"), folder)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: " ".join(study[:3]))
def test_of_studies(study: tuple[str, ...], weigh: Run, folder: Path) -> None:
    check(weigh, absolute(study, folder), folder, "json", "table", page=study[1] == "rank")


def test_of_tables_and_logs(weigh: Run, folder: Path) -> None:
    rows = [f"{name},{item},{item % 2}" for name in "AB" for item in range(20)]
    (folder / "table.csv").write_text("\n".join(["model,id,passed", *rows[:-1]]) + "\n")
    table = ["compare", f"{folder}/table.csv", "--allow-missing", "--trials", "99"]
    check(weigh, table, folder, "json", "table", page=True)
    logs = []
    for name in ("one", "two"):
        (folder / name).mkdir()
        sample = {"id": "1", "epoch": 1, "input": "x"}
        log = {
            "version": 2,
            "status": "error",
            "eval": {"model": name, "task": "t"},
            "samples": [
                {**sample, "id": str(at), "scores": {"s": {"value": float(at % 3 == 0)}}}
                for at in range(20)
            ],
        }
        (folder / name / "log.json").write_text(json.dumps(log))
        logs.append(f"{folder}/{name}/log.json")
    check(weigh, ["compare", *logs, "--trials", "99"], folder, "json", "table", page=False)
    done = weigh("compare", *logs, "--trials", "99")
    assert "weigh: one/log.json: its status is 'error'" in done.stderr
    assert "weigh: two/log.json: its status is 'error'" in done.stderr


def test_of_files_that_are_written(weigh: Run, folder: Path) -> None:
    hits = ["human", "plan", "--hits", "1", *TEXTS, "-o", f"{folder}/hits", "--quiet"]
    check(weigh, [*hits, "--force"], folder, "json", "table", page=False)
    store = f"{folder}/labels.db"
    assert weigh("rypt", "labels", "import", store, f"{folder}/labels.tsv").returncode == 0
    check(weigh, ["rypt", "labels", "show", store], folder, "json", "table", page=True)


def test_of_scores_and_comparisons(weigh: Run, folder: Path) -> None:
    given = [f"{folder}/A.scores", f"{folder}/B.scores"]
    check(weigh, ["compare", *given, *QUICK], folder, "json", "latex", page=True)
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


def test_namesakes_among_answers(weigh: Run, folder: Path) -> None:
    lines = FILES["judged.jsonl"].splitlines()
    paths = []
    for name in ("one", "two"):
        (folder / name).mkdir()
        paths.append(f"{folder}/{name}/judged.jsonl")
        Path(paths[-1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = weigh("human", "rank", *paths, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert_nowhere(done.stdout, folder)
    assert "two/judged.jsonl: rows 1, 2" in done.stdout


def test_an_error_names_the_path_as_it_was_given(weigh: Run, folder: Path) -> None:
    (folder / "judged.tsv").write_text("judge\tsystem\tsegment\tvalue\na\tA\t1\tmany\n")
    done = weigh("human", "rank", folder / "judged.tsv")
    assert done.returncode == 1
    assert f"weigh: {folder}/judged.tsv: row 2: the score is 'many'" in done.stderr


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
