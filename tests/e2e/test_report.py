"""`weigh report`, and the pages and pictures of `weigh compare`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest


@pytest.fixture
def inputs(root: Path) -> list[str]:
    examples = root / "examples"
    names = ["good.en", "middling.en", "poor.en"]
    return ["-r", str(examples / "reference.en"), *(str(examples / name) for name in names)]


def test_a_page_is_written_beside_the_table(installed, weigh, inputs, tmp_path):
    plain = weigh("compare", *inputs)
    done = installed("compare", *inputs, "--html", "report.html")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "wrote report.html" in done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert weigh("compare", *inputs, "--html", "report.html").returncode == 0  # once more


def test_a_saved_result_makes_the_same_page(weigh, inputs, tmp_path):
    weigh("compare", *inputs, "--html", "direct.html")
    saved = weigh("compare", *inputs, "--format", "json", "--details")
    (tmp_path / "result.json").write_text(saved.stdout, encoding="utf-8")
    done = weigh("report", "result.json", "--html", "later.html")
    assert (done.returncode, done.stdout) == (0, "")
    direct, later = (tmp_path / f"{name}.html" for name in ("direct", "later"))
    assert later.read_bytes() == direct.read_bytes()


@pytest.mark.parametrize("format_name", ["table", "json", "tsv", "markdown", "latex"])
def test_a_saved_result_is_shown_as_it_would_have_been(weigh, inputs, format_name):
    saved = weigh("compare", *inputs, "--format", "json").stdout
    direct = weigh("compare", *inputs, "--format", format_name)
    again = weigh("report", "-", "--format", format_name, stdin=saved)
    assert (again.returncode, again.stdout) == (0, direct.stdout)


def test_pictures_are_files_of_their_own(weigh, inputs, tmp_path):
    done = weigh("compare", *inputs, "-m", "bleu,ter", "--plots", "new/plots")
    assert done.returncode == 0
    pictures = sorted((tmp_path / "new/plots").iterdir())
    assert f"wrote {len(pictures)} pictures into new/plots" in done.stderr
    for picture in pictures:
        assert picture.suffix == ".svg"
        assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_details_are_in_json_on_request(weigh, inputs):
    plain = json.loads(weigh("compare", *inputs, "--format", "json", "--html", "x.html").stdout)
    assert "details" not in plain
    whole = json.loads(weigh("compare", *inputs, "--format", "json", "--details").stdout)
    details = whole.pop("details")
    assert whole == plain
    assert details["segments"]["numbers"] == list(range(1, 41))
    assert sum(details["histograms"][0]["counts"]) == 9_999


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report"], 2, "missing RESULT.json"),
        (["report", "a", "b"], 2, "unexpected argument 'b'"),
        (["report", "nowhere.json"], 1, "nowhere.json: no such file"),
        (["report", "text"], 1, "text: not JSON"),
        (["report", "text", "--html", "no/such/page.html"], 1, "there is no directory no/such"),
        (["report", "text", "--html", "text"], 1, "exists and is not an HTML page"),
        (["report", "text", "--plots", "text"], 1, "is not a directory"),
        (["compare", "text", "text", "--details"], 2, "--details needs --format json"),
        (["compare", "text", "other", "-r", "text", "--html", "text"], 1, "is not an HTML page"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_lost(weigh, tmp_path, arguments, code, message):
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "other").write_text("hallo\n")
    done = weigh(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "text").read_text() == "hello\n"


STUDIES = {
    "power": ("--sizes", "20", "--strengths", "0,1", "--simulations", "20", "--trials", "99"),
    "type1": ("--nulls", "20", "--trials", "199"),
    "samples": ("--sizes", "10,20", "--samples", "20", "--trials", "99"),
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_has_a_page_and_pictures(weigh, inputs, tmp_path, study):
    command = ("validate", study, "-m", "bleu", *STUDIES[study], *inputs[:-1])
    plain = weigh(*command)
    done = weigh(*command, "--html", "direct.html", "--plots", "plots")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "wrote direct.html" in done.stderr
    pictures = sorted((tmp_path / "plots").iterdir())
    assert f"wrote {len(pictures)} picture" in done.stderr
    for picture in pictures:
        assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    again = weigh("report", "direct.html", "--html", "later.html")
    assert (again.returncode, again.stdout) == (0, "")
    direct, later = (tmp_path / f"{name}.html" for name in ("direct", "later"))
    assert later.read_bytes() == direct.read_bytes()
    refused = weigh(*command, "--html", "no/such/page.html")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "there is no directory no/such" in refused.stderr
