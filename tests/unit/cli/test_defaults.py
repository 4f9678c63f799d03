"""Defaults of options in weigh.toml, in pyproject.toml and in the environment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from weigh.cli import app, main

if TYPE_CHECKING:
    from conftest import FakeVerb

_JUDGMENTS = Path(__file__).resolve().parents[3] / "examples" / "judgments.csv"
Captured = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("fake")


def values(fake: FakeVerb, text: str, *arguments: str, name: str = "weigh.toml") -> dict[str, Any]:
    """The arguments that a verb gets with these defaults."""
    Path(name).write_text(text)
    assert main(["fake", *arguments]) == 0
    return vars(fake.given)


def refusal(capsys: Captured, code: int = 2, verb: str = "fake") -> str:
    assert main(verb.split(" ")) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("weigh: ")
    assert err.count("\n") == 1
    return err.removeprefix("weigh: ").rstrip("\n")


def test_values_are_those_of_the_command_line(fake: FakeVerb) -> None:
    text = 'ref = ["a", "b"]\nmetric = "bleu"\nthreads = 3\nflag = true\nsrc = "s"\n'
    typed = ["--ref", "a", "--ref", "b", "-m", "bleu", "--threads", "3", "--flag", "--src", "s"]
    by_file, by_arguments = values(fake, text), values(fake, "", *typed)
    for name in ("ref", "metric", "threads", "flag", "src", "chosen"):
        assert by_file[name] == by_arguments[name]
    assert by_file["on_command_line"] == frozenset()


def test_flags_win_over_environment_over_verb_over_file(
    fake: FakeVerb, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'format = "tsv"\nmetric = "ter"\n'
    assert values(fake, "")["format"] == "table"
    assert values(fake, text)["format"] == "tsv"
    assert values(fake, f'{text}[fake]\nformat = "markdown"\n')["format"] == "markdown"
    assert values(fake, f'{text}[score]\nformat = "markdown"\n')["format"] == "tsv"
    monkeypatch.setenv("WEIGH_FORMAT", "latex")
    assert values(fake, text)["format"] == "latex"
    given = values(fake, text, "--format", "json", "-m", "bleu")
    assert (given["format"], given["metric"]) == ("json", ["bleu"])


@pytest.mark.parametrize("table", ["[human.rank]", '["human rank"]'])
def test_a_verb_of_a_group_has_its_table(table: str, capsys: Captured) -> None:
    Path("weigh.toml").write_text(f'{table}\nformat = "none"\n')
    assert refusal(capsys, verb="human rank x").startswith("weigh.toml: format: unknown format")
    Path("weigh.toml").write_text(f'{table}\nformat = "tsv"\n')
    assert main(["human", "rank", "--quiet", str(_JUDGMENTS)]) == 0
    assert "adequacy\tpoor\t" in capsys.readouterr().out


def test_pyproject_is_read_if_there_is_no_weigh_toml(fake: FakeVerb) -> None:
    text = '[tool.other]\nx = 1\n[tool.weigh]\nformat = "tsv"\n[tool.weigh.fake]\nflag = true\n'
    given = values(fake, text, name="pyproject.toml")
    assert (given["format"], given["flag"]) == ("tsv", True)
    given = values(fake, "threads = 2\n")
    assert (given["format"], given["flag"], given["threads"]) == ("table", False, 2)


@pytest.mark.parametrize("text", ['[project]\nname = "weighing"\n', "[project\n"])
def test_a_project_file_without_settings_is_ignored(text: str, fake: FakeVerb) -> None:
    assert values(fake, text, name="pyproject.toml")["format"] == "table"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("fromat = 1\n", 2, "weigh.toml: unknown key 'fromat'; did you mean 'format'?"),
        ("[scroe]\n", 2, "weigh.toml: unknown key 'scroe'; did you mean 'score'?"),
        ("[fake]\nrfe = 1\n", 2, "weigh.toml [fake]: unknown key 'rfe'; did you mean 'ref'?"),
        ("[human]\nalpha = 0.1\n", 2, "weigh.toml: [human] is a group of verbs; write options"),
        ("[human.rnak]\n", 2, "weigh.toml: unknown key 'human rnak'; did you mean 'human rank'?"),
        ("[human.rank]\nx = 1\n", 2, "weigh.toml [human.rank]: unknown key 'x'; "),
        ("fake = 1\n", 2, "weigh.toml: 'fake' is a verb; write its options under [fake]"),
        ("flag = 1\n", 2, "weigh.toml: flag: expected true or false, found 1"),
        ("ref = [1]\n", 2, "weigh.toml: ref: expected a text, found 1"),
        ("src = ''\n", 2, "weigh.toml: src: expected a value, not ''"),
        ("seed = 2020-01-01\n", 2, "weigh.toml: seed: expected a number or a text"),
        ("threads = 0\n", 2, "weigh.toml: threads: expected a whole number"),
        ('format = "x"\n', 2, "weigh.toml: format: unknown format 'x'; choose from "),
        ("[rerank]\ngamma = true\n", 2, ""),
        ("decoder = 'rm -r'\n", 2, "weigh.toml: 'decoder' names a program to run; give it on the"),
        ("engine = 'dask://example.org:1'\n", 2, "weigh.toml: 'engine' decides where data are"),
        ("threads = 1\nformat =\n", 1, "weigh.toml: cannot be read as TOML: "),
        ("a = " + "[" * 3000 + "]" * 3000, 1, "weigh.toml: nested too deeply; flatten it"),
        ("a = " + "{a=" * 3000 + "1" + "}" * 3000, 1, "weigh.toml: nested too deeply; flatten it"),
        ("seed = " + "9" * 5000, 1, "weigh.toml: cannot be read as TOML: a number is too long"),
        ('format = "\udcff"\n', 1, "weigh.toml: cannot be read as TOML"),
    ],
)
def test_a_mistake_is_one_line(text: str, code: int, message: str, capsys: Captured) -> None:
    Path("weigh.toml").write_bytes(text.encode(errors="surrogateescape"))
    verb = "rerank" if "rerank" in text else "fake"
    assert refusal(capsys, code, verb).startswith(message)


def test_tool_weigh_must_be_a_table(capsys: Captured) -> None:
    Path("pyproject.toml").write_text("[tool]\nweigh = 1\n")
    assert "not a table" in refusal(capsys, 1)


_WRITTEN = ("html", "plots", "output", "payments", "tables", "texts", "dir", "key")
_DANGEROUS = [
    (verb, key)
    for verb in app.verbs()
    for key in ("decoder", *_WRITTEN, "force")
    if key in app.parser(verb).options
]


@pytest.mark.parametrize("key", sorted({key for _, key in _DANGEROUS}))
def test_no_settings_run_a_program_or_write_a_file(key: str, capsys: Captured) -> None:
    value = "true" if key == "force" else '"x"'
    verb = next(verb for verb, name in _DANGEROUS if name == key and verb != "sacrebleu")
    dotted = verb.replace(" ", ".")
    for where, table in (("weigh.toml", ""), (f"weigh.toml [{dotted}]", f"[{dotted}]\n")):
        Path("weigh.toml").write_text(f"{table}{key} = {value}\n")
        line = refusal(capsys)  # whichever verb is called
        assert line.startswith(f"{where}: '{key}' ")
        assert line.endswith("; give it on the command line")


def test_every_option_that_writes_is_refused() -> None:
    for verb in {*app.verbs()} - {"fake"}:
        for key, option in app.parser(verb).options.items():
            text = f" {option.help} "
            if any(word in text for word in (" write the", " write a", " to write", "overwrite")):
                assert (verb, key) in _DANGEROUS
