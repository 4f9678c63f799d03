"""From candidates to HITs, answers and fewer questions, with the installed command."""

from __future__ import annotations

import csv
import html
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

FILES = {
    "source": "das haus steht\nein <b>baum</b>\nohne baum\n",
    "parses": "(S (NP (D das) (N haus)) (V steht))\n(NP (D ein) (N <b>baum</b>))\nnull\n",
    "reference": "the house stands\na tree\nwithout a tree\n",
    "reference.align": "0-0 1-1 2-2\n0-0 1-1\n0-0 1-2\n",
    "list": (
        "0 ||| the house is standing ||| f= 1 ||| 1 ||| 0-0 1-1 2-2 2-3\n"
        "0 ||| house the stands ||| f= 1 ||| 1 ||| 0-1 1-0 2-2\n"
        "0 ||| that house stands ||| f= 1 ||| 1 ||| 0-0 1-1 2-2\n"
        "1 ||| a <script>hacked=1</script> ||| f= 1 ||| 1 ||| 0-0 1-1\n"
        "1 ||| one fine tree ||| f= 1 ||| 1 ||| 0-0 1-2\n"
    ),
    "one.out": "the house stands\na tree\nno tree\n",
    "one.out.align": "0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n",
}
ARGUMENTS = ("rypt", "queries", "-s", "source", "--parses", "parses")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_from_candidates_to_labels(weigh: Run, folder: Path) -> None:
    arguments = (*ARGUMENTS, "--nbest", "list", "--format", "json")
    output = (
        "-o",
        "hits",
        "--export",
        "mturk",
        "-r",
        "reference",
        "--ref-align",
        "reference.align",
    )
    done = weigh(*arguments, *output, "--max-length", "2", "--judges", "2", "--seconds", "18")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "weigh: 3 HITs in hits: hits.csv, hit.html, preview.html\n"
    made = json.loads(done.stdout)
    assert (made["schema"], made["command"]) == ("weigh/2", "rypt queries")
    # By hand. Line 1: three alternatives for "das haus", two for "steht"; line 2: two for all.
    found = made["found"]
    assert [found[name] for name in ("sentences", "unparsed", "candidates", "nodes")] == [
        3,
        1,
        5,
        3,
    ]
    assert [found[name] for name in ("alternatives", "gapped", "labelled")] == [7, 1, 0]
    estimate = made["estimate"]
    assert [estimate[name] for name in ("queries", "hits", "labels")] == [7, 3, 14]
    assert estimate["hours"] == pytest.approx(14 * 18 / 3600)
    assert estimate["price"] == pytest.approx(14 * 0.0062)
    # Judges answer; what most of them say is not asked again.
    header: list[str] = []
    answered = []
    for row in rows(folder / "hits" / "hits.csv"):
        labels = {
            f"Answer.label_{number}": "YES" if row[f"substring_{number}"] else ""
            for number in range(1, 11)
        }
        for worker in ("A1", "A2"):
            line = {f"Input.{name}": value for name, value in row.items()} | labels
            line |= {"HITId": row["hit"], "WorkerId": worker, "AssignmentStatus": "Approved"}
            line |= {
                "SubmitTime": "Mon Jun 01 05:00:09 PDT 2009",
                "WorkTimeInSeconds": "36",
            }
            header = list(line)
            answered.append(line)
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(answered[:-1])
    done = weigh("rypt", "labels", "import", "labels.db", "results.csv")
    assert done.stderr.endswith(": 12 labels added, 0 there before\n")
    done = weigh(*arguments, "--max-length", "2", "--labels", "labels.db")
    made = json.loads(done.stdout)
    assert made["found"]["labelled"] == 7
    assert made["found"]["queries"] == made["estimate"]["hits"] == 0
    assert made["queries"] == []
    # A YES on all nodes but the sentence decides all nodes but the sentence of line 1.
    assert made["found"]["covered"] == made["found"]["places"] - 3
    done = weigh(*arguments, "--labels", "labels.db", "--sweep", "2")
    swept = json.loads(done.stdout)["sweep"]
    # Words alone: two each for "das" and "steht", one for "haus"; two for both of line 2.
    assert [each["nodes"] for each in swept] == [5, 3]
    assert [each["alternatives"] for each in swept] == [9, 7]
    assert [(each["labelled"], each["labelled_yes"]) for each in swept] == [(2, 2), (7, 7)]
    done = weigh(*arguments, "--max-length", "2", "--labels", "labels.db", "-o", "none")
    assert (done.returncode, (folder / "none").exists()) == (0, False)


def test_systems_and_lists_together(weigh: Run, folder: Path) -> None:
    done = weigh(
        *(*ARGUMENTS, "--alignments", "{system}.align", "one.out", "--nbest", "list", "--flat"),
        *("--format", "json", "-o", "hits", "--most", "3", "--per-hit", "2", "--top", "2"),
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["found"]["candidates"] == 8
    assert made["estimate"]["queries"] == 3
    assert len(made["queries"]) == 2
    lines = (folder / "hits" / "hits.jsonl").read_text().split("\n")[:-1]
    hits = [json.loads(line) for line in lines]
    assert sum(len(hit["alternatives"]) for hit in hits) == 3
    assert max(len(hit["alternatives"]) for hit in hits) <= 2
    again = weigh(*ARGUMENTS, "--nbest", "list", "-o", "hits")
    assert again.returncode == 1
    assert "hits/hits.jsonl: exists; add --force to overwrite it" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rypt", "queries"], 2, "no src given; add --src FILE"),
        (["rypt", "queries", "-s", "source"], 2, "no parses given; add --parses FILE"),
        ([*ARGUMENTS], 2, "no candidates; add --nbest FILE, or systems with --alignments FILE"),
        ([*ARGUMENTS, "one.out"], 2, "systems and --alignments belong together; give both"),
        ([*ARGUMENTS, "--nbest", "list", "--ref-align", "x"], 2, "--ref-align is for a reference"),
        (
            [*ARGUMENTS, "--nbest", "list", "--price-per-hit", "1", "--price-per-label", "1"],
            2,
            "price-per-hit and price-per-label; give one of them",
        ),
        (
            [*ARGUMENTS, "--alignments", "one.out.align", "one.out", "A=one.out"],
            2,
            "--alignments: one.out.align is one file for several systems; tell them apart by",
        ),
        (
            [*ARGUMENTS, "--nbest", "list", "--seconds", "0"],
            2,
            "seconds 0: give a number at least 0.01",
        ),
        (
            [*ARGUMENTS, "--nbest", "list", "--per-hit", "11"],
            2,
            "per-hit 11: give a number at least 1 and at most 10",
        ),
        ([*ARGUMENTS, "--nbest", "list", "--labels", "no.db"], 1, "no.db: no such file; check"),
        ([*ARGUMENTS, "--nbest", "no"], 1, "no: no such file; check the path"),
        ([*ARGUMENTS, "--nbest", "list", "--export", "mturk"], 2, "--export is for HITs that are"),
        ([*ARGUMENTS, "--nbest", "list", "--force"], 2, "--force is for HITs that are written"),
        (
            [*ARGUMENTS, "--nbest", "list", "-r", "list"],
            1,
            "list: 5 lines, but the source has 3 sen",
        ),
    ],
)
def test_wrong_commands(
    arguments: list[str], code: int, message: str, weigh: Run, folder: Path
) -> None:
    done = weigh(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"weigh: {message}")
    assert done.stderr.count("\n") == 1
    assert {path.name for path in folder.iterdir()} == set(FILES)


def test_the_page_of_a_hit(weigh: Run, folder: Path, chromium: Any) -> None:
    weigh(
        *(*ARGUMENTS, "--nbest", "list", "-o", "hits", "--export", "mturk"),
        *("-r", "reference", "--ref-align", "reference.align"),
    )
    layout = (folder / "hits" / "hit.html").read_text()
    for row in rows(folder / "hits" / "hits.csv"):
        page = layout
        for name, value in row.items():
            page = page.replace(f"${{{name}}}", value)
        path = folder / f"{row['hit']}.html"
        # The site puts the layout into a form of its own.
        path.write_text(f"<!doctype html><meta charset=utf-8><form>{page}</form>")
        view = chromium.new_page()
        complaints: list[str] = []
        requests: list[str] = []
        view.on("console", lambda message, told=complaints: told.append(message.text))
        view.on("pageerror", lambda error, told=complaints: told.append(str(error)))
        view.on("request", lambda request, told=requests: told.append(request.url))
        view.goto(path.as_uri())
        asked = [row[f"substring_{number}"] for number in range(1, 11)]
        size = sum(map(bool, asked))
        assert view.locator("li").count() == size
        marked = view.locator(".candidate").evaluate_all(
            "all => all.map(one => [...one.querySelectorAll('mark')].map(m => m.textContent))"
        )
        assert [" [GAP] ".join(parts) for parts in marked] == [
            html.unescape(text) for text in asked[:size]
        ]
        colours = view.evaluate(
            "['.candidate mark', '.reference mark'].map("
            "q => getComputedStyle(document.querySelector(q)).backgroundColor)"
        )
        assert colours[0] != colours[1]
        assert not view.evaluate("document.forms[0].checkValidity()")
        keys = ["y", "n", "u"]
        for number in range(size):
            view.keyboard.press(keys[number % 3])
        assert view.locator(".progress").text_content() == f"{size} of {size} judged"
        given = view.evaluate("Object.fromEntries(new FormData(document.forms[0]))")
        assert given == {
            f"label_{number + 1}": ("YES", "NO", "NOT SURE")[number % 3] for number in range(size)
        }
        assert view.evaluate("document.forms[0].checkValidity()")
        # Back to the first line, and another answer there.
        for _ in range(size):
            view.keyboard.press("ArrowUp")
        view.keyboard.press("u")
        given = view.evaluate("Object.fromEntries(new FormData(document.forms[0]))")
        assert given["label_1"] == "NOT SURE"
        assert view.evaluate("window.hacked") is None
        assert (complaints, requests) == ([], [path.as_uri()])
        view.close()


def test_programs_get_all_queries(weigh: Run, tmp_path: Path) -> None:
    words = [f"w{place}" for place in range(14)]
    (tmp_path / "many").write_text(" ".join(words) + "\n")
    (tmp_path / "trees").write_text("(S " + " ".join(f"(X {word})" for word in words) + ")\n")
    links = " ".join(f"{place}-{place}" for place in range(14))
    (tmp_path / "list").write_text(f"0 ||| {' '.join(words)} ||| a= 1 ||| 1 ||| {links}\n")
    arguments = ("rypt", "queries", "-s", "many", "--parses", "trees", "--nbest", "list")
    # The words are asked about; the sentence is longer than four words.
    for top, count in (((), 14), (("--top", "3"), 3)):
        made = json.loads(weigh(*arguments, *top, "--format", "json").stdout)
        assert len(made["queries"]) == count
        rows = weigh(*arguments, *top, "--format", "tsv").stdout.split("\n")
        assert len(rows) - 2 == count


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ([], ["hits.jsonl"]),
        (["--export", "jsonl"], ["hits.jsonl"]),
        (["--export", "mturk"], ["hit.html", "hits.csv", "preview.html"]),
        (
            ["--export", "mturk", "--export", "jsonl"],
            ["hit.html", "hits.csv", "hits.jsonl", "preview.html"],
        ),
    ],
)
def test_only_what_is_asked_for_is_exported(
    weigh: Run, folder: Path, given: list[str], files: list[str]
) -> None:
    done = weigh(*ARGUMENTS, "--nbest", "list", "-o", "hits", *given)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (folder / "hits").iterdir()) == files
