from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from types import ModuleType

import pytest

from weigh.cli import app
from weigh.cli.arguments import METRICS, WORK, files, output, section, switch, verb
from weigh.cli.inputs import REFERENCES


class FakeVerb(ModuleType):
    """A verb that keeps its arguments and does what the test wants."""

    def __init__(self) -> None:
        super().__init__("weigh.cli.fake")
        self.given = Namespace()
        self.work: Callable[[], int] = lambda: 0
        self.run = verb(
            "[option]... FILE...",
            "weigh fake one two",
            section("files", files("files FILE", "files"), switch("--flag", "a flag")),
            METRICS,
            section("references", REFERENCES),
            output(page="tables"),
            WORK,
        )(self._run)

    def _run(self, arguments: Namespace) -> int:
        self.given = arguments
        return self.work()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> FakeVerb:
    """Return a verb `fake`, known beside the real ones, in an empty working directory."""
    verb = FakeVerb()
    monkeypatch.setitem(sys.modules, "weigh.cli.fake", verb)
    monkeypatch.setitem(app.VERBS, "fake", "do as the test says")
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))
    for name in ("WEIGH_FORMAT", "WEIGH_DEBUG", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return verb
