from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from weigh import __version__
from weigh.cli import main
from weigh.cli.app import parser, verbs
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from conftest import FakeVerb

Captured = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("fake")


def raising(error: BaseException) -> NoReturn:
    raise error


def only_line(capsys: Captured) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("weigh: ")
    return err.removeprefix("weigh: ").rstrip("\n")


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"weigh {__version__}\n"


@pytest.mark.parametrize("verb", [[], ["score"], ["human"], ["human", "rank"]])
def test_help_may_stand_before_the_verb(verb: list[str], capsys: Captured) -> None:
    assert main(["help", *verb]) == 0
    before = capsys.readouterr().out
    assert main([*verb, "--help"]) == 0
    assert capsys.readouterr().out == before


@pytest.mark.parametrize("verb", sorted({*verbs(), "fake"} - {"sacrebleu"}))
def test_help_of_a_verb_ends_with_an_example(verb: str, capsys: Captured) -> None:
    assert main([*verb.split(" "), "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: weigh {verb} ")
    assert out.rstrip("\n").split("\n")[-2] == "example:"
    assert out.rstrip("\n").split("\n")[-1].startswith("  weigh ")
    assert f"weigh {verb}" in out.rstrip("\n").split("\n")[-1]


@pytest.mark.parametrize("verb", sorted({*verbs(), "fake"} - {"sacrebleu"}))
def test_short_help_has_few_options_and_counts_the_others(verb: str, capsys: Captured) -> None:
    assert main([*verb.split(" "), "--help"]) == 0
    short = capsys.readouterr().out
    assert main([*verb.split(" "), "--help-all"]) == 0
    full = capsys.readouterr().out
    described = re.compile(r"^  (?:-., )?--([a-z-]+)", re.MULTILINE)
    shown = described.findall(short)
    assert len(shown) <= 25
    assert {*described.findall(full)} == {*parser(verb).options} >= {*shown}
    more = re.search(rf"'weigh {verb} --help-all' explains (\d+) more options?\.\n", short)
    assert len(shown) + int(more[1] if more else 0) == len(parser(verb).options)
    assert "explains" not in full


def test_the_overview_lists_every_verb_in_one_of_four_sections(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.split("\n")
    titles = ["compare and score:", "human evaluation:", "tune:", "research and helpers:"]
    assert [line for line in lines if line.endswith(":")] == titles
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted({verb.split(" ")[0] for verb in verbs()} - {"fake"})


_DIGITS = "9" * 400


@pytest.mark.parametrize("digits", [_DIGITS, _DIGITS * 13])
@pytest.mark.parametrize(
    ("verb", "option"),
    [
        ("compare", "--trials"),
        ("compare", "--seed"),
        ("compare", "--alpha"),
        ("compare", "--threads"),
        ("compare", "--pass-at"),
        ("compare", "--margin=bleu"),
        ("compare", "--detect=bleu"),
        ("compare", "-rx -mbleu:smooth_value"),
        ("compare", "-rx -mbleu:max_ngram_order"),
        ("human plan", "--count"),
        ("human plan", "--hours"),
        ("sample", "-n"),
        ("serve", "--port"),
        ("serve", "--proxy"),
        ("serve", "--judges"),
    ],
)
def test_numbers_of_many_digits_are_refused_in_one_line(
    verb: str, option: str, digits: str, capsys: Captured
) -> None:
    joined = "=" if "=" in option or ":" in option else " "
    assert main([*verb.split(" "), *f"{option}{joined}{digits}".split(" "), "a", "b"]) == 2
    line = only_line(capsys)
    assert "bug" not in line
    assert len(line) < 700


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "no verb given; known: campaign, cite, compare, completion, demo, fake, human, "
            "metrics, paper, report, rerank, rypt, sacrebleu, sample, score, serve, translate, "
            "tune, validate; see 'weigh --help'",
        ),
        (["scroe"], "unknown verb 'scroe'; did you mean 'score'?"),
        (["--verson"], "unknown option '--verson'; did you mean '--version'?"),
        (["--version", "x"], "unexpected argument 'x' after --version"),
        (["fake", "--metrc", "bleu"], "unknown option '--metrc'; did you mean '--metric'?"),
        (["fake", "a", "--formt=json"], "unknown option '--formt'; did you mean '--format'?"),
        (["fake", "--format", "jsno"], "unknown format 'jsno'; did you mean 'json'?"),
        (["fake", "--ref"], "-r/--ref: expected one argument; see 'weigh fake --help'"),
        (
            ["fake", "--threads", "0"],
            "--threads: expected a whole number from 1 to 1,000,000,000, not '0'; see 'weigh fake --help'",
        ),
        (
            ["fake", "--seed", "-1"],
            "--seed: expected a whole number from 0 to 18,446,744,073,709,551,615, not '-1'; see 'weigh fake --help'",
        ),
        (["metrics", "bleu"], "unexpected argument 'bleu'; see 'weigh metrics --help'"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: Captured) -> None:
    assert main(arguments) == 2
    assert only_line(capsys) == message


def test_options_may_stand_anywhere(fake: FakeVerb) -> None:
    assert main(["fake", "a", "-r", "x", "b", "--flag", "-", "-r", "y", "--", "-c"]) == 0
    assert fake.given.files == ["a", "b", "-", "-c"]
    assert fake.given.ref == ["x", "y"]
    assert fake.given.flag is True


def test_what_was_given_is_known(fake: FakeVerb) -> None:
    Path("weigh.toml").write_text('src = "s"\n')
    assert main(["fake", "-r", "x", "--seed", "0"]) == 0
    assert fake.given.src == "s"
    assert fake.given.seed == 0
    assert fake.given.given >= {"ref", "seed"}
    assert not fake.given.given & {"src", "metric", "threads"}


def test_abbreviations_are_refused(capsys: Captured) -> None:
    assert main(["fake", "--thread", "2"]) == 2
    assert only_line(capsys) == "unknown option '--thread'; did you mean '--threads'?"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("a.en: 2 lines"), 1, "a.en: 2 lines"),
        (UsageError("no such metric"), 2, "no such metric"),
        (InputError("x\x1b[31m\ny\u2028z"), 1, r"x\x1b[31m\ny\u2028z"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "not enough memory; give fewer systems or fewer trials at a time"),
        (
            SystemExit(0),
            1,
            "SystemExit: 0; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
        ),
        (
            KeyError("x\ny"),
            1,
            "KeyError: 'x\\ny'; this is a bug in weigh: "
            "please report it with the traceback that WEIGH_DEBUG=1 shows",
        ),
    ],
)
def test_errors_are_one_line(
    error: BaseException, code: int, message: str, fake: FakeVerb, capsys: Captured
) -> None:
    fake.work = lambda: raising(error)
    assert main(["fake"]) == code
    assert only_line(capsys) == message


def test_an_error_while_an_interrupt_is_handled_is_an_interrupt(
    fake: FakeVerb, capsys: Captured
) -> None:
    def work() -> int:
        try:
            raise KeyboardInterrupt
        finally:
            raise AttributeError("not set yet")

    fake.work = work
    assert main(["fake"]) == 130
    assert only_line(capsys) == "interrupted"


def test_an_interrupt_does_not_end_a_program_with_threads(fake: FakeVerb) -> None:
    """It ended the process of whoever called main, with no word said."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        fake.work = lambda: raising(KeyboardInterrupt())
        assert main(["fake"]) == 130
    finally:
        done.set()
        other.join()


def test_debugging_shows_the_traceback_of_bugs_only(
    fake: FakeVerb, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("WEIGH_DEBUG", "1")
    fake.work = lambda: raising(KeyError("bug"))
    with pytest.raises(KeyError):
        main(["fake"])
    fake.work = lambda: raising(InputError("bad file"))
    assert main(["fake"]) == 1
    assert only_line(capsys) == "bad file"


def test_a_reader_that_leaves_is_no_error(fake: FakeVerb, capsys: Captured) -> None:
    fake.work = lambda: raising(BrokenPipeError())
    assert main(["fake"]) == 141
    assert capsys.readouterr() == ("", "")


def test_flags_win_over_environment_over_file(
    fake: FakeVerb, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["fake"])
    assert (fake.given.format, fake.given.metric, fake.given.flag) == (
        "table",
        ["bleu,chrf"],
        False,
    )
    Path("weigh.toml").write_text('format = "tsv"\nmetric = "ter"\nflag = true\n')
    main(["fake"])
    assert (fake.given.format, fake.given.metric, fake.given.flag) == ("tsv", ["ter"], True)
    monkeypatch.setenv("WEIGH_FORMAT", "latex")
    main(["fake"])
    assert fake.given.format == "latex"
    main(["fake", "--format", "json", "-m", "bleu", "--no-flag"])
    assert (fake.given.format, fake.given.metric, fake.given.flag) == ("json", ["bleu"], False)


def test_a_wrong_format_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("WEIGH_FORMAT", "jsn")
    assert main(["fake"]) == 2
    assert only_line(capsys) == "WEIGH_FORMAT: unknown format 'jsn'; did you mean 'json'?"
