from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from weigh.cli import shortening


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    shortening.remember([])


class Named(NamedTuple):
    path: str


@dataclass(frozen=True)
class Report:
    remarks: tuple[str, ...]
    by_name: dict[str, list[str]]
    texts: tuple[str, ...]
    other: object = None


@pytest.mark.parametrize(
    ("arguments", "given", "expected"),
    [
        (["/a/b/x.en"], "/a/b/x.en: bad", "x.en: bad"),
        (["NAME=/a/b/x.en"], "/a/b/x.en", "x.en"),
        (["--ref=/a/b/x.en"], "see /a/b/x.en", "see x.en"),
        (["-r/a/b/x.en"], "(/a/b/x.en)", "(x.en)"),
        (["segment:file=/a/b/{system}.s"], "segment:file=/a/b/A.s", "segment:file=A.s"),
        (["bleu,rypt:labels=/a/l:parses=/b/c/p"], "|l:/a/l|p:/b/c/p|", "|l:l|p:p|"),
        ([r"segment:file=/a/x\:y/m"], "/a/x:y/m", "m"),
        (["/a/b/x", "/a/c/x", "/a/c/y"], "/a/b/x /a/c/x /a/c/y", "b/x c/x c/y"),
        (["/a/b/x", "/a//b/x"], "/a/b/x", "x"),
        (["/a/b/c/x", "/a/b/y"], "/a/b/c/x, /a/b/y", "x, y"),
        (["/a/b/x"], "1/a/b/x and ../a/b/x", "1/a/b/x and ../a/b/x"),
        (["a/b/x", "/x", "-"], "a/b/x /x /", "a/b/x /x /"),
        (["/a/b/"], "/a/b/x", "x"),
    ],
)
def test_what_is_left_of_paths(arguments: list[str], given: str, expected: str) -> None:
    shortening.remember(arguments)
    assert shortening.shortened(given) == expected


def test_everything_in_a_report_but_texts() -> None:
    shortening.remember(["/a/b/x"])
    report = Report(("/a/b/x: r",), {"/a/b/x": ["/a/b/x"]}, ("/a/b/x",), Named("/a/b/x"))
    assert shortening.shortened(report) == Report(("x: r",), {"x": ["x"]}, ("/a/b/x",), Named("x"))
    untouched = Report(("r",), {"k": ["v"]}, (), {1: (2.5, None)})
    assert shortening.shortened(untouched) is untouched
