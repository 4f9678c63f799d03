from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weigh.cli import app, defaults
from weigh.errors import InputError, UsageError

pytestmark = pytest.mark.usefixtures("fake")


def selected(text: str, verb: str = "fake", name: str = "weigh.toml") -> dict[str, Any]:
    Path(name).write_text(text)
    where, table = defaults.read()
    return defaults.select(table, where, {each: app.parser(each) for each in app.verbs()}, verb)


def test_no_file() -> None:
    assert defaults.read() == ("", {})


def test_values_as_the_command_line_would_have_them() -> None:
    text = 'ref = ["a", "b"]\nmetric = "bleu"\nthreads = 3\nflag = true\nsrc = "s"\n'
    assert selected(text) == {
        "ref": ["a", "b"],
        "metric": ["bleu"],
        "threads": 3,
        "flag": True,
        "src": "s",
    }


def test_lists_of_numbers_are_numbers() -> None:
    text = "[rerank]\ngamma = [0.5, 1]\nphrases = 2\n"
    assert selected(text, "rerank") == {"gamma": [(0.5,), (1.0,)], "phrases": [(2,)]}
    with pytest.raises(UsageError, match="gamma: expected a number or a text, found True"):
        selected("[rerank]\ngamma = true\n", "rerank")
    assert selected("[compare]\npass-at = [1, 5]\n", "compare") == {"pass_at": (1, 5)}


def test_numbers_of_metrics_may_be_a_table() -> None:
    for text in ("[compare]\nmargin = {bleu = 0.5, ter = 1}\n", "margin = {bleu = 0.5, ter = 1}\n"):
        assert selected(text, "compare") == {"margin": ["bleu=0.5", "ter=1"]}


def test_a_verb_has_its_own_table() -> None:
    text = 'format = "tsv"\nthreads = 1\n[fake]\nformat = "json"\n'
    assert selected(text) == {"format": "json", "threads": 1}
    assert selected(text, "metrics") == {"format": "tsv"}


def test_the_project_file() -> None:
    text = '[tool.other]\nx = 1\n[tool.weigh]\nformat = "tsv"\n[tool.weigh.fake]\nflag = true\n'
    assert selected(text, name="pyproject.toml") == {"format": "tsv", "flag": True}


def test_the_own_file_wins_over_the_project_file() -> None:
    Path("pyproject.toml").write_text('[tool.weigh]\nformat = "tsv"\n')
    assert selected("threads = 2\n") == {"threads": 2}


def test_a_project_file_without_us() -> None:
    Path("pyproject.toml").write_text('[project]\nname = "weighing"\n')
    assert defaults.read()[1] == {}


def test_a_broken_project_file_that_is_not_for_us_is_not_our_business() -> None:
    Path("pyproject.toml").write_text("[project\n")
    assert defaults.read() == ("", {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fromat = 1\n", "weigh.toml: unknown key 'fromat'; did you mean 'format'?"),
        ("[scroe]\n", "weigh.toml: unknown key 'scroe'; did you mean 'score'?"),
        ("[fake]\nrfe = 1\n", "weigh.toml [fake]: unknown key 'rfe'; did you mean 'ref'?"),
        ("[score]\nflga = 1\n", "weigh.toml [score]: unknown key 'flga'; known: "),
        ("flag = 1\n", "weigh.toml: flag: expected true or false, found 1"),
        ("ref = [1]\n", "weigh.toml: ref: expected a text, found 1"),
        ("src = 1\n", "weigh.toml: src: expected a text, found 1"),
        (
            "threads = 0\n",
            "weigh.toml: threads: expected a whole number from 1 to 1,000,000,000, not '0'",
        ),
        ('format = "x"\n', "weigh.toml: format: unknown format 'x'; known: "),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        selected(text)
    assert str(caught.value).startswith(message)


_PROGRAMS = ("decoder",)
_WRITTEN = (
    *("html", "plots", "output", "payments", "tables"),
    *("texts", "dir", "key"),
)
_DANGEROUS = [
    (verb, key)
    for verb in app.verbs()
    for key in (*_PROGRAMS, *_WRITTEN, "force")
    if key in app.parser(verb).options
]


@pytest.mark.parametrize(("verb", "key"), _DANGEROUS)
def test_no_settings_run_a_program_or_write_a_file(verb: str, key: str) -> None:
    value = "true" if key == "force" else '"x"'
    for text, where in (
        (f"{key} = {value}\n", "weigh.toml"),
        (f'["{verb}"]\n{key} = {value}\n', f"weigh.toml [{verb}]"),
    ):
        for run in (verb, "fake"):  # whichever verb is called
            with pytest.raises(UsageError) as caught:
                selected(text, run)
            assert str(caught.value).startswith(f"{where}: '{key}' ")
            assert str(caught.value).endswith("; give it on the command line")
    Path("weigh.toml").unlink()
    with pytest.raises(
        UsageError, match=rf"\[tool.weigh\]: '{key}' .*; give it on the command line"
    ):
        selected(f"[tool.weigh]\n{key} = {value}\n", verb, "pyproject.toml")


def test_what_is_refused_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        selected('decoder = "rm -r"\n')
    assert str(caught.value) == (
        "weigh.toml: 'decoder' names a program to run; give it on the command line"
    )


def test_every_option_that_writes_is_refused() -> None:
    for verb in {*app.verbs()} - {"fake"}:
        for key, option in app.parser(verb).options.items():
            text = f" {option.help} "
            if any(word in text for word in (" write the", " write a", " to write", "overwrite")):
                assert (verb, key) in _DANGEROUS


def test_broken_toml_names_the_line() -> None:
    with pytest.raises(InputError, match=r"weigh\.toml: cannot be read as TOML: .*line 2"):
        selected("threads = 1\nformat =\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = " + "[" * 3000 + "]" * 3000, "nested too deeply; flatten it"),
        ("a = " + "{a=" * 3000 + "1" + "}" * 3000, "nested too deeply; flatten it"),
        ("seed = " + "9" * 5000, "cannot be read as TOML: a number is too long"),
    ],
)
def test_hostile_toml_is_one_line(text: str, reason: str) -> None:
    Path("weigh.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        defaults.read()
    assert str(caught.value) == f"weigh.toml: {reason}"


def test_settings_cannot_send_data_elsewhere() -> None:
    with pytest.raises(UsageError, match="'engine' decides where data are sent"):
        selected('engine = "dask://example.org:1"\n')


def test_text_that_is_not_unicode() -> None:
    Path("weigh.toml").write_bytes(b'format = "\xff"\n')
    with pytest.raises(InputError, match=r"weigh\.toml: cannot be read as TOML"):
        defaults.read()


def test_tool_weigh_must_be_a_table() -> None:
    Path("pyproject.toml").write_text("[tool]\nweigh = 1\n")
    with pytest.raises(InputError, match=r"not a table"):
        defaults.read()
