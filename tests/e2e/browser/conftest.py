from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.browser.visit import Visit, compared
from generated import generated
from weigh.comparing.compare_result import CompareResult


@pytest.fixture(scope="session")
def result() -> CompareResult:
    # As many trials as the correction for 66 pairs needs to find anything.
    return compared(*generated(), tests=("randomization", "paired-bootstrap"), trials=4000)


@pytest.fixture(scope="session")
def page_file(result: CompareResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    result.to_html(path)
    return path


@pytest.fixture
def visit(chromium: Any, page_file: Path) -> Iterator[Visit]:
    made = Visit(chromium, page_file)
    yield made
    made.leave()
    assert made.complaints == []
    assert made.requests == [made.address]
