"""`weigh rypt align` as a user runs it."""

from __future__ import annotations

import pytest

NBEST = """\
0 ||| (ROOT{0-4} (S{0-3} official (X{1-2} forecasts) are)) ||| 1 2 ||| -3.5
0 ||| (ROOT{0-4} (S{0-3} (S{0-1} some) (X{1-3} forecasts are))) ||| 1 3 ||| -4
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "src").write_text("offizielle prognosen sind\n")
    (tmp_path / "nbest").write_text(NBEST)
    (tmp_path / "corpus.de").write_text("x y\noffizielle daten sind\nprognosen sind\n")
    (tmp_path / "corpus.en").write_text("x y\nofficial data are\nforecasts are\n")
    (tmp_path / "corpus.al").write_text("0-0\n0-0 2-2\n0-0 1-1\n")


@pytest.mark.usefixtures("files")
def test_phrases_and_words(weigh) -> None:
    done = weigh("rypt", "align", "-s", "src", "nbest")
    assert done.stdout == (
        "1--1 0,2--0,2\n"
        "1-1 0-0 0-2 2-0 2-2\n"
        "0--0 1,2--1,2\n"
        "0-0 1-1 1-2 2-1 2-2\n"
    )  # fmt: skip
    assert done.stderr == (
        "weigh: 2 of 4 phrases have every source word linked to every target word: "
        "no training corpus was given\n"
    )
    assert weigh("rypt", "align", "-s", "src", "nbest", "--quiet").stderr == ""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nbest"], "missing -s/--src"),
        (
            ["-s", "src", "nbest", "--corpus-src", "corpus.de"],
            "a training corpus needs three files: --corpus-src, --corpus-tgt, --corpus-align",
        ),
        (
            ["-s", "corpus.de", "bad"],
            "bad: line 2: sentence 3 (counted from 0), but the source has 3; ",
        ),
        (["-s", "src", "plain", "--write", "nbest"], "plain: line 1: no features after |||, "),
        (["-s", "src", "nbest", "--write", "all"], "write 'all' is unknown; choose from "),
    ],
)
def test_bad_input(weigh, tmp_path, arguments, message) -> None:
    (tmp_path / "bad").write_text("0 ||| (S{0-1} a)\n3 ||| (S{0-1} a)\n")
    (tmp_path / "plain").write_text("(S{0-1} a)\n")
    done = weigh("rypt", "align", *arguments)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
