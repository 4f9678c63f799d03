"""Metrics of installed packages and combinations, with the command as installed."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from weigh import plugins

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def blocks(root: Path, language: str) -> list[str]:
    page = (root / "docs" / "custom-metrics.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def package(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the package that docs/custom-metrics.md shows, for this process and for others."""
    [module] = [block for block in blocks(root, "python") if "option(" in block]
    [project] = blocks(root, "toml")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "weigh_overlap.py").write_text(module)
    info = folder / "weigh_overlap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: weigh-overlap\nVersion: 1.0\n")
    [entry] = re.findall(r"^(\w+) = \"(weigh_overlap:\w+)\"$", project, re.MULTILINE)
    (info / "entry_points.txt").write_text(f"[weigh.metrics]\n{entry[0]} = {entry[1]}\n")
    monkeypatch.syspath_prepend(folder)
    plugins.entries.cache_clear()
    yield folder
    plugins.entries.cache_clear()
    sys.modules.pop("weigh_overlap", None)


def replace_module(package: Path, source: str) -> None:
    """Let the package be of other source, also where it was loaded before."""
    (package / "weigh_overlap.py").write_text(source, encoding="utf-8")
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    sys.modules.pop("weigh_overlap", None)
    importlib.invalidate_caches()


def test_the_page_runs(root: Path) -> None:
    scripts = [block for block in blocks(root, "python") if "print(" in block]
    assert len(scripts) == 2
    for script in scripts:
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_a_package_adds_a_metric(installed: Run, root: Path, package: Path) -> None:
    examples = root / "examples"
    listed = json.loads(installed("metrics", "--format", "json", PYTHONPATH=str(package)).stdout)
    found = {each["metric"]: each for each in listed["metrics"]}["overlap"]
    assert found["source"] == "Added by weigh-overlap 1.0."
    assert [each["name"] for each in found["options"]] == ["lowercase"]
    for verb in ("score", "compare"):
        done = installed(
            *(verb, "-r", "reference.en", "-m", "overlap:lowercase", "--format", "json"),
            *("good.en", "poor.en"),
            cwd=examples,
            PYTHONPATH=str(package),
        )
        assert done.returncode == 0, done.stderr
        made = json.loads(done.stdout)
        for each in made["scores"]:
            texts = (examples / f"{each['system']}.en").read_text().lower().rstrip("\n").split("\n")
            references = (examples / "reference.en").read_text().lower().rstrip("\n").split("\n")
            pairs = [
                (word in reference.split())
                for text, reference in zip(texts, references, strict=True)
                for word in text.split()
            ]
            assert each["score"] == pytest.approx(100 * sum(pairs) / len(pairs))
            assert each["metric"] == "overlap:lowercase"


def test_what_a_metric_prints_goes_to_stderr(installed: Run, root: Path, package: Path) -> None:
    """Also what it prints past Python: by a C library, and by a process that it starts."""
    (package / "weigh_overlap.py").write_text(
        "import ctypes, subprocess, sys, threading\n"
        "print('loaded')\n"
        "class Overlap:\n"
        "    def statistics(self, hypothesis, references):\n"
        "        print('counted')\n"
        "        return [1, 2]\n"
        "    def score(self, sums):\n"
        "        thread = threading.Thread(target=print, args=['from a thread'])\n"
        "        thread.start()\n"
        "        thread.join()\n"
        "        ctypes.CDLL(None).puts(b'from C')\n"
        "        subprocess.run([sys.executable, '-c', \"print('from a process')\"])\n"
        "        return sums[..., 0] / sums[..., 1]\n"
    )
    done = installed(
        *("score", "-r", "reference.en", "-m", "overlap", "--format", "json"),
        *("good.en", "poor.en"),
        cwd=root / "examples",
        PYTHONPATH=str(package),
    )
    assert done.returncode == 0, done.stderr
    assert [each["score"] for each in json.loads(done.stdout)["scores"]] == [0.5, 0.5]
    printed = {"loaded", "counted", "from a thread", "from C", "from a process"}
    assert set(done.stderr.split("\n")) == {*printed, ""}


def test_statistics_that_are_not_finite_are_refused_and_scores_are_none(
    weigh: Run, root: Path, package: Path, tmp_path: Path
) -> None:
    examples = root / "examples"
    third = (examples / "poor.en").read_text(encoding="utf-8").split("\n")[2]

    def write(statistics: str, score: str) -> None:
        replace_module(
            package,
            "class Overlap:\n"
            "    def statistics(self, hypothesis, references):\n"
            f"        third = hypothesis == {third!r}\n"
            f"        return {statistics}\n"
            "    def score(self, sums):\n"
            f"        return {score}\n",
        )

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        common = ("-r", "reference.en", "-m", "overlap", "good.en", "poor.en")
        return weigh(*arguments, *common, cwd=examples)

    def refused(*arguments: str) -> str:
        done = ran(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr.removeprefix("weigh: ").removesuffix("\n")

    write("[float('nan') if third else 1.0, 1.0]", "sums[..., 0]")
    for command in ("score", "compare"):
        assert refused(command) == (
            "Overlap of poor: segment 3 has a number that is not finite; look at that segment"
        )

    write("[1.0, 1.0]", "sums[..., 0] * float('nan')")
    shown = ran("score", "--format", "json")
    assert [each["score"] for each in json.loads(shown.stdout)["scores"]] == [None, None]
    assert "weigh: Overlap of good: the score is undefined (0/0, for example)" in shown.stderr
    assert refused("compare") == (
        "Overlap of good: the score is undefined (0/0, for example); leave out the metric or the "
        "system"
    )

    write("[1.0, 0.0 if third else 1.0]", "sums[..., 0] / sums[..., 1]")
    shown = ran("score", "--segments", "--format", "json")
    scores = {each["system"]: each["segments"] for each in json.loads(shown.stdout)["scores"]}
    assert scores == {"good": [1.0] * 40, "poor": [1.0] * 2 + [None] + [1.0] * 37}
    assert ran("compare", "--trials", "99", "--html", str(tmp_path / "page.html")).returncode == 0


def test_combinations(weigh: Run, root: Path) -> None:
    done = weigh(
        *("score", "-r", "reference.en", "-m", "bleu,ter,combine:bleu=0.5:ter=-0.5"),
        *("--format", "json", "good.en", "poor.en"),
        cwd=root / "examples",
    )
    assert done.returncode == 0, done.stderr
    scores = [each["score"] for each in json.loads(done.stdout)["scores"]]
    assert scores[4:] == pytest.approx(
        [(bleu - ter) / 2 for bleu, ter in zip(scores[:2], scores[2:4], strict=True)]
    )
