from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weigh.errors import WeighError


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    """Writes a file in a fresh working directory and returns its path, which is its name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write_file


@pytest.fixture
def complaint() -> Callable[..., str]:
    """Calls a function that must fail, and returns its message: one printable line."""

    def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
        with pytest.raises(WeighError) as caught:
            function(*arguments, **options)
        message = str(caught.value)
        assert message.isprintable()
        assert caught.value.exit_code in (1, 2)
        return message

    return call


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Puts bytes on standard input."""

    def replace_stdin(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return replace_stdin
