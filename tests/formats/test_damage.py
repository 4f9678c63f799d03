"""Damaged files of every format: each is read or refused in one printable line."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from formats import made
from fuzzing.mutation import mutated
from weigh.errors import InputError
from weigh.read.formats import find_format, read_folder, stack_logs
from weigh.read.table import Labels

_TRIES = 20
_FORMATS = 13


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return made.write_every_format(tmp_path_factory.mktemp("good"))


@pytest.mark.parametrize("number", range(_FORMATS))
def test_damaged_files_are_read_or_refused(files: list[Path], number: int) -> None:
    assert len(files) == _FORMATS
    path = files[number]
    good = path.read_bytes()
    found = find_format(str(path))
    assert found is not None
    others = [each.read_bytes() for each in files]
    chance = random.Random(number)
    outcomes = set()
    messages = []
    try:
        for _ in range(_TRIES):
            path.write_bytes(mutated(good, chance, others))
            for find in (find_format, lambda _: found):
                try:
                    reader = find(str(path))
                    table = stack_logs([reader.read(str(path))]) if reader else None
                except InputError as error:
                    outcomes.add("refused")
                    messages.append(str(error))
                    continue
                if table is None:
                    continue
                outcomes.add("read")
                assert len(table) > 0
                for title, cells in table.columns.items():
                    if isinstance(cells, Labels):
                        assert len(cells.codes) == len(table)
                        "".join(cells.names).encode()
                    else:
                        assert not np.isinf(cells).any(), title
                        assert len(cells) == len(table)
                assert table.where(len(table) - 1).isprintable()
                assert all(remark.isprintable() for remark in table.remarks)
    finally:
        path.write_bytes(good)
    assert outcomes == {"read", "refused"}
    assert all(message.isprintable() for message in messages)


def test_a_folder_of_every_format_is_read(files: list[Path]) -> None:
    table = read_folder(str(files[0].parent))
    assert {*table.labels("slice").names} >= {"quiz", "tests", "quiz:subject=law,method=joint"}
