"""Files of weights."""

from __future__ import annotations

import pytest

from weigh.errors import InputError
from weigh.read.weights import read_weights, weight_lines


def read(folder, text):
    path = folder / "weights"
    path.write_text(text)
    return read_weights(str(path))


def test_named(tmp_path):
    assert read(tmp_path, "lm 0.5\nfirst model -1e-3\n\ntm_0\t2\n").named == {
        "lm": 0.5,
        "first model": -0.001,
        "tm_0": 2.0,
    }


def test_as_in_moses_ini(tmp_path):
    assert read(tmp_path, "LM0= 0.5\ntm= 0.1 0.2\nd_x= 3\n").named == {
        "LM0_0": 0.5,
        "tm_0": 0.1,
        "tm_1": 0.2,
        "d_x": 3.0,
    }


def test_unnamed(tmp_path):
    assert read(tmp_path, "1 -2.5\n").rows == ((1.0, -2.5),)
    assert read(tmp_path, "1 2\n0 0\n1 1\n").rows == ((1.0, 2.0), (0.0, 0.0), (1.0, 1.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "empty, but weights"),
        ("1 2\n3 4\n", "2 lines of numbers without names"),
        ("1 2\n0 0\n1\n", "line 3 has 1 numbers, but the first has 2"),
        ("lm 1\nlm 2\n", "line 2 gives 'lm' a second weight"),
        ("lm 1\ntm x\n", "line 2: the weight 'x' is not a number"),
        ("lm 1e51\n", "line 1: the weight '1e51' is too large"),
        ("lm inf\n", "line 1: the weight 'inf' is not finite"),
        ("lm 1\ntm\n", "line 2 has one word"),
        ("1 nan\n", "line 1: the weight 'nan' is not finite"),
    ],
)
def test_bad_files(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_what_is_written_is_read(tmp_path):
    weights = {"a b": 0.1 + 0.2, "c": -1e-300}
    assert read(tmp_path, weight_lines(weights.items())).named == weights
