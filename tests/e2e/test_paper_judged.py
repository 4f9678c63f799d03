"""`weigh paper` for the papers in which people judge, on a few generated sentences."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import weigh as library
from golden.numbers.cases import without_meteor
from golden.numbers.paths import differences, numbers
from golden.numbers.record import recorded
from pickling import PicklingExecutor
from weigh_lab.papers.graham2014 import GrahamResult

Run = Callable[..., "subprocess.CompletedProcess[str]"]
# As in tests/golden/numbers.
FEW = ("--training", "160", "--tuning", "12", "--test", "30", "--trials", "99", "--quiet")


def test_graham2014(weigh: Run, elsewhere: PicklingExecutor, tmp_path: Path) -> None:
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    files = ("--html", page, "--plots", pictures)
    done = weigh(
        *("paper", "graham2014", *FEW, "--engine", "dask"),
        *("--format", "json", *files),
    )
    assert done.returncode == 0, done.stderr
    assert elsewhere.tasks > 1
    document = json.loads(done.stdout)
    # As in one process, whose numbers are recorded.
    before = recorded("paper")["paper/graham2014"]
    assert not differences(before, numbers(without_meteor(document)))
    found = Counter(each["metric"] for each in document["systems"][0]["comparisons"])
    assert set(found.values()) == {66}  # the pairs of 12 systems
    assert {"bleu", "nist", "ter"} <= found.keys()  # and METEOR where WordNet is installed
    text = page.read_text(encoding="utf-8")
    for title in ("Figure 5", "Figure 6", "Figure 7", "Figure 8"):
        assert title in text
    names = [path.name for path in pictures.iterdir()]
    assert any(name.startswith("pair1-heat") for name in names)
    (tmp_path / "result.json").write_text(done.stdout, encoding="utf-8")
    assert isinstance(library.load(tmp_path / "result.json"), GrahamResult)
    markdown = weigh("report", tmp_path / "result.json", "--format", "markdown").stdout
    assert "Left out: the paper's own judgments" in markdown


def test_zaidan2009(weigh: Run, elsewhere: PicklingExecutor, tmp_path: Path) -> None:
    arguments = ("paper", "zaidan2009", *FEW, "--out", tmp_path / "work", "--format", "json")
    done = weigh(*arguments)
    assert done.returncode == 0, done.stderr
    made = numbers({"exit": 0, **json.loads(done.stdout)})
    assert not differences(recorded("paper")["paper/zaidan2009"], made)
    # What was translated is not translated again, and nothing else changes.
    assert weigh(*arguments, "--engine", "dask").stdout == done.stdout
    assert elsewhere.tasks > 1
    tables = {table["label"]: table for table in json.loads(done.stdout)["tables"]}
    published = [row["cells"][0]["published"] for row in tables["Table I"]["rows"]]
    assert published == [346, 270, 134]
    assert "Pilot" not in tables
    # Texts, lists and labels stay for other commands: all that was asked is answered.
    (labels,) = (tmp_path / "work").glob("zaidan2009/*/labels.jsonl")
    last = max(labels.parent.glob("bleu-*/iteration*/nbest"))
    files = ("-s", "source", "--parses", "parses", "--nbest", last, "--labels", labels)
    asked = weigh("rypt", "queries", *files, "--format", "json", cwd=labels.parent)
    found = json.loads(asked.stdout)["found"]
    assert found["labelled"] == len(labels.read_text(encoding="utf-8").split("\n")) - 1
    assert found["queries"] == 0
