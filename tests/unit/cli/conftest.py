from __future__ import annotations

import sys
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Callable
from types import ModuleType

import pytest

from weigh.cli import command, options
from weigh.cli.parser import Parser


class FakeVerb(ModuleType):
    """A verb that keeps what it was given and does what the test wants."""

    USAGE = "[option]... FILE..."
    EXAMPLE = "weigh fake one two"

    def __init__(self) -> None:
        super().__init__("weigh.cli.fake")
        self.given = Namespace()
        self.work: Callable[[], int] = lambda: 0

    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="*", default=[])
        parser.add_argument("--flag", action=BooleanOptionalAction, help="a flag")
        options.add_metrics(parser)
        options.add_inputs(parser)
        options.add_output(parser)
        options.add_work(parser)

    def run(self, arguments: Namespace) -> int:
        self.given = arguments
        return self.work()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> FakeVerb:
    """Return a verb `fake`, known beside the real ones, in an empty working directory."""
    verb = FakeVerb()
    monkeypatch.setitem(sys.modules, "weigh.cli.fake", verb)
    monkeypatch.setitem(command.VERBS, "fake", "do as the test says")
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))
    for name in ("WEIGH_FORMAT", "WEIGH_DEBUG", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return verb
