"""What was removed says what to use instead."""

from __future__ import annotations

from importlib import import_module

import pytest

import weigh
from weigh.cli.app import execute
from weigh.removed import REMOVED


@pytest.fixture
def removed(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {
        "--gone": "use --kept",
        "compare --lost": "use --kept",
        "--adjust never": "use --adjust holm",
        "vanish": "use score",
        "human vanish": "use human rank",
        "weigh.Vanished": "use weigh.Bleu",
    }
    for key, instead in entries.items():
        monkeypatch.setitem(REMOVED, key, instead)


@pytest.mark.usefixtures("removed")
@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["compare", "a", "--gone"], "--gone"),
        (["score", "a", "--gone=3"], "--gone"),
        (["compare", "a", "--lost", "x"], "compare --lost"),
        (["compare", "a", "--adjust", "never"], "--adjust never"),
        (["compare", "a", "--adjust=never"], "--adjust never"),
        (["vanish", "a"], "vanish"),
        (["human", "vanish", "a"], "human vanish"),
    ],
)
def test_a_removed_option_or_verb_names_its_replacement(
    arguments: list[str], key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert execute(arguments) == 2
    assert f"{key} was removed in 0.3; {REMOVED[key]}" in capsys.readouterr().err


@pytest.mark.usefixtures("removed")
def test_an_option_removed_from_one_verb_is_only_unknown_to_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert execute(["score", "a", "--lost"]) == 2
    assert "removed" not in capsys.readouterr().err


@pytest.mark.usefixtures("removed")
def test_a_removed_name_of_the_package_names_its_replacement() -> None:
    with pytest.raises(AttributeError, match=r"use weigh\.Bleu"):
        _ = weigh.Vanished
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = weigh.Nonsense


@pytest.mark.parametrize("key", [key for key in REMOVED if key.startswith("weigh.")])
def test_every_removed_name_is_gone(key: str) -> None:
    module, _, name = key.rpartition(".")
    with pytest.raises(AttributeError, match=r"was removed in 0\.3"):
        getattr(import_module(module), name)
