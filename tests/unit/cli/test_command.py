from __future__ import annotations

import re
import threading
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
    titles = ["compare and score:", "human evaluation:", "tune:", "research and utilities:"]
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
    ("arguments", "parts"),
    [
        ("", ["no verb given", "compare", "fake", "see 'weigh --help'"]),
        ("human", ["no verb given", "agreement", "see 'weigh human --help'"]),
        ("scroe", ["unknown verb 'scroe'; did you mean 'score'?"]),
        ("--verson", ["unknown option '--verson'; did you mean '--version'?"]),
        ("--version x", ["unexpected argument 'x' after --version"]),
        ("fake --metrc bleu", ["unknown option '--metrc'; did you mean '--metric'?"]),
        ("fake --thread 2", ["unknown option '--thread'; did you mean '--threads'?"]),
        ("fake --references x", ["unknown option '--references'; did you mean '--ref'?"]),
        ("fake a --formt=json", ["unknown option '--formt'; did you mean '--format'?"]),
        ("fake --json", ["unknown option '--json'; write --format json"]),
        ("fake --bogus", ["unknown option '--bogus'; see 'weigh fake --help-all'"]),
        ("sample --bogus", ["unknown option '--bogus'"]),  # rather than what is missing
        ("fake -5", ["unknown option '-5'"]),
        ("fake --format jsno", ["unknown format 'jsno'; did you mean 'json'?"]),
        ("fake --ref", ["--ref: expected one argument; see 'weigh fake --help'"]),
        ("fake --flag=1", ["--flag", "takes no value"]),
        ("fake --src=", ["--src: expected a value, not ''"]),
        ("fake --threads 0", ["--threads: expected a whole number", "'0'"]),
        ("fake --seed -1", ["--seed: expected a whole number from 0", "'-1'"]),
        ("metrics bleu", ["unexpected argument 'bleu'; see 'weigh metrics --help'"]),
        ("sample", ["missing -n/--size, -o/--output, FILE; usage: weigh sample -n N -o DIR"]),
        ("campaign backup x", ["missing FILE; usage: weigh campaign backup DATABASE FILE"]),
        ("rerank", ["give one of --weights FILE, --model FILE, --train and --oracle"]),
        ("tune", ["give one of --nbest FILE, --model DIR and --decoder COMMAND"]),
        ("human plan --count 1000000000", ["--count: expected a whole number of at most 10,000"]),
        (f"human rank --bounds 0-{_DIGITS} x", ["--bounds: expected LOW-HIGH, such as 0-100"]),
        ("sacrebleu r -i s -s floor -sv inf", ["--smooth-value: expected a finite number"]),
    ],
)
def test_wrong_usage(arguments: str, parts: list[str], capsys: Captured) -> None:
    assert main(arguments.split()) == 2
    line = only_line(capsys)
    for part in parts:
        assert part in line


@pytest.mark.parametrize("verb", sorted(set(verbs()) - {"fake", "metrics", "cite", "demo"}))
def test_a_verb_without_arguments_says_what_to_give(verb: str, capsys: Captured) -> None:
    if verb.startswith("paper"):  # which need none
        return
    assert main(verb.split(" ")) == 2
    assert re.match(r"(no|missing|give) |.*\bgive\b", only_line(capsys))


def test_options_may_stand_anywhere(fake: FakeVerb) -> None:
    assert main(["fake", "a", "-r", "x", "b", "--flag", "-", "-r", "y", "--", "-c", "--d"]) == 0
    assert fake.given.files == ["a", "b", "-", "-c", "--d"]
    assert fake.given.ref == ["x", "y"]
    assert fake.given.flag is True


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


def test_a_wrong_format_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("WEIGH_FORMAT", "jsn")
    assert main(["fake"]) == 2
    assert only_line(capsys) == "WEIGH_FORMAT: unknown format 'jsn'; did you mean 'json'?"
