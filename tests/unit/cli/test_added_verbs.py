"""Verbs, views and decoders that installed packages add."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import weigh
from weigh import UsageError, plugins
from weigh.cli import app, main
from weigh.tuning.loop import open_model

MODULE = """
from dataclasses import dataclass
from typing import ClassVar

from weigh.cli.arguments import files, output, section, verb
from weigh.report.parts import Note
from weigh.report.view import View, view_of
from weigh.result import Result


@dataclass(frozen=True, slots=True)
class WordsResult(Result):
    command: ClassVar[str] = "words"
    words: int


@view_of(WordsResult)
def words(result):
    return View(title="Words", parts=[Note([f"{result.words} words."])])


@verb(
    "WORD...",
    "weigh words a b",
    section("words", files("words WORD", "words to count")),
    output(page="the number"),
    summary="count words",
)
def run(arguments):
    return WordsResult(len(arguments.words))


class Group:
    SUMMARY, VERBS = "count things", {"all": run}


def decoder(path, texts, size, threads):
    return path, texts, size, threads
"""
ENTRIES = """
[weigh.verbs]
words = dummy_verbs
things = dummy_verbs:Group
human.words = dummy_verbs:run
score = dummy_verbs
rypt.score = dummy_verbs:run
absent = dummy_absent
hollow = dummy_verbs:decoder
human.hollow = dummy_verbs

[weigh.views]
words = dummy_verbs

[weigh.decoders]
dummy = dummy_verbs:decoder
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package with verbs."""
    info = tmp_path / "dummy_verbs-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dummy-verbs\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "dummy_verbs.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    forget()
    yield tmp_path
    forget()
    sys.modules.pop("dummy_verbs", None)


def forget() -> None:
    plugins.entries.cache_clear()
    app._added_verbs.cache_clear()


def said(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(arguments) == code
    output = capsys.readouterr()
    return output.err if code else output.out


@pytest.mark.parametrize(
    "verb", [["words"], ["things", "all"], ["human", "words"]], ids=lambda verb: verb[0]
)
def test_an_added_verb_runs_and_its_result_is_read_again(
    verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "3 words." in said([*verb, "a", "b", "c"], capsys)
    Path("result.json").write_text(said([*verb, "a", "--format", "json"], capsys))
    assert "1 words." in said(["report", "result.json"], capsys)
    assert weigh.load("result.json").words == 1  # type: ignore[attr-defined]


def test_weigh_toml_sets_options_of_added_verbs(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / "weigh.toml").write_text("[words]\nformat = 'json'\n")
    assert '"words": 2' in said(["words", "a", "b"], capsys)


def test_help_and_completion_have_all_verbs_and_name_faulty_ones_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    assert main(["human", "--help"]) == 0
    assert main(["rypt", "--help"]) == 0
    assert main(["completion", "bash"]) == 0
    output = capsys.readouterr()
    for line in ("  words       count words", "  things      count things", "  words      count"):
        assert line in output.out
    lines = [line.removeprefix("weigh: ") for line in output.err.splitlines()]
    assert len(lines) == 5
    for start in (
        "verb 'absent' of dummy-verbs 1.2 cannot be loaded (ModuleNotFoundError: No module",
        "verb 'hollow' of dummy-verbs 1.2 has neither a Verb called run, nor SUMMARY and VERBS; ",
        "verb 'human.hollow' of dummy-verbs 1.2 is not a Verb; repair or uninstall the package",
        "verb 'rypt.score' of dummy-verbs 1.2 is not used: weigh has its own",
        "verb 'score' of dummy-verbs 1.2 is not used: weigh has its own",
    ):
        assert [line for line in lines if line.startswith(start)], start


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent"], "verb 'absent' of dummy-verbs 1.2 cannot be loaded (ModuleNotFoundError:"),
        (["hollow", "x"], "verb 'hollow' of dummy-verbs 1.2 has neither a Verb called run,"),
        (["human", "hollow"], "verb 'human.hollow' of dummy-verbs 1.2 is not a Verb;"),
        (["word"], "unknown verb 'word'; did you mean 'words'"),
        (["human", "word"], "human: unknown verb 'word'; did you mean 'words'"),
        (["things", "none"], "things: unknown verb 'none'; there is only 'all'"),
        (["score", "--help", "a"], ""),
    ],
)
def test_a_faulty_verb_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(arguments)
    output = capsys.readouterr()
    assert bool(code) == bool(message)
    assert output.err.count("\n") == bool(message)
    assert message in output.err


def test_a_model_is_opened_by_the_decoder_of_its_name() -> None:
    assert open_model("dummy=a=b", ["x"], 5, 2) == ("a=b", ["x"], 5, 2)


def test_a_model_needs_the_name_of_its_decoder_if_there_are_several() -> None:
    with pytest.raises(UsageError, match="NAME=a, where NAME is dummy or translator"):
        open_model("a", [], 5)
    decoders = plugins.entries("weigh.decoders")
    del decoders["translator"]
    assert open_model("a", [], 5) == ("a", [], 5, 0)
    decoders.clear()
    with pytest.raises(UsageError, match="no installed package has a decoder"):
        open_model("a", [], 5)
