"""What docs/other-tools.md says of other tools is what they do: the quick part of its script."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def script(root: Path) -> ModuleType:
    pytest.importorskip("MeCab")
    spec = importlib.util.spec_from_file_location("other_tools", root / "scripts/other_tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(version("sacrebleu") != "2.6.0", reason="the page is on sacreBLEU 2.6.0")
@pytest.mark.parametrize("name", ["same", "japanese"])
def test_the_page_has_what_the_tools_say_now(
    name: str, script: ModuleType, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        script, "PAIRWISE", [each for each in script.PAIRWISE if "compare-mt" not in each]
    )
    page = (root / "docs" / "other-tools.md").read_text(encoding="utf-8")
    rows = getattr(script, name)().split("\n")
    assert [row for row in rows if row not in page] == []


def test_few_segments_that_differ_are_too_much_for_one_tool_and_not_for_ours(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three segments all point one way in a quarter of cases, which is no evidence."""
    monkeypatch.setattr(script, "TRIALS", 99)
    monkeypatch.setattr(script, "SEGMENTS", 30)
    found = {}
    for name, p_values in (
        ("theirs", script.sacrebleu("ar")),
        ("ours", script.ours("randomization")),
    ):
        world = script.World(2)
        found[name] = sum(
            p_values(world.references, world.exchanged(2, 3), seed)[0] < 0.05 for seed in range(40)
        )
    assert found["theirs"] > 4
    assert found["ours"] == 0
