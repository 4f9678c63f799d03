"""From candidates to HITs, answers and fewer questions, with the installed command."""

from __future__ import annotations

import csv
import html
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


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rypt", "queries"], 2, "missing -s/--src, --parses"),
        (["rypt", "queries", "-s", "source"], 2, "missing --parses"),
        (
            [*ARGUMENTS],
            2,
            "no candidates given; add --nbest FILE",
        ),
        ([*ARGUMENTS, "one.out"], 2, "systems and --alignments need each other; give both"),
        ([*ARGUMENTS, "--nbest", "list", "--ref-align", "x"], 2, "--ref-align needs a reference"),
        (
            [*ARGUMENTS, "--nbest", "list", "--price-per-hit", "1", "--price-per-label", "1"],
            2,
            "price-per-hit and price-per-label; give one of them",
        ),
        (
            [*ARGUMENTS, "--alignments", "one.out.align", "one.out", "A=one.out"],
            2,
            "--alignments: one.out.align is one file for several systems; distinguish them with",
        ),
        (
            [*ARGUMENTS, "--nbest", "list", "--seconds", "0"],
            2,
            "--seconds: expected a number from 0.01 to",
        ),
        (
            [*ARGUMENTS, "--nbest", "list", "--per-hit", "11"],
            2,
            "--per-hit: expected a whole number of at most 10",
        ),
        ([*ARGUMENTS, "--nbest", "list", "--labels", "no.db"], 1, "no.db: no such file; check"),
        ([*ARGUMENTS, "--nbest", "no"], 1, "no: no such file; check the path"),
        (
            [*ARGUMENTS, "--nbest", "list", "--export", "mturk"],
            2,
            "--export needs an output",
        ),
        ([*ARGUMENTS, "--nbest", "list", "--force"], 2, "--force needs an output directory"),
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
