"""Metrics that installed packages add."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from weigh import (
    InputError,
    Metric,
    Outputs,
    System,
    TestSet,
    UsageError,
    parse_metric,
    plugins,
    score,
)
from weigh.metrics.registry import describe, key_of

MODULE = '''
"""Metrics for a test."""
from dataclasses import dataclass
from typing import Optional

from weigh.options import option


@dataclass(frozen=True)
class Length:
    """Share of the reference's length.

    And more.
    """

    unit: str = option("char", "what is counted", choices=("char", "word"))
    factor: float = option(1.0, "what to multiply by")
    name = "length"

    def statistics(self, hypothesis, references):
        if hypothesis == "raise":
            raise RuntimeError("out of order")
        size = len if self.unit == "char" else (lambda text: len(text.split()))
        return [size(hypothesis), size(references[0])]

    def score(self, sums):
        return self.factor * sums[..., 0] / sums[..., 1]


class Whole:
    """All methods of a metric, some of them broken."""

    name, higher_is_better, mean_of_segments, perfect = "whole", True, False, None

    def signature(self, references):
        return "nrefs:1|whole"

    def prepare(self, test_set):
        return self

    def rows(self, outputs):
        if outputs.texts[0] == "raise":
            raise RuntimeError("out of rows")
        if outputs.texts[0] == "flat":
            return [1.0]
        return [[len(text)] for text in outputs.texts]

    def score(self, sums):
        if sums[..., 0] == 13:
            raise ValueError("unlucky")
        return sums if sums[..., 0] == 3 else sums[..., 0]

    def segment_scores(self, rows):
        return rows[:, 0]


def from_sacrebleu():
    from sacrebleu.metrics import TER
    return TER()


def broken():
    raise RuntimeError("not today")


def nothing():
    return None


number = 3
'''
ENTRIES = """
[weigh.metrics]
Length = dummy_metrics:Length
whole = dummy_metrics:Whole
theirs = dummy_metrics:from_sacrebleu
broken = dummy_metrics:broken
nothing = dummy_metrics:nothing
number = dummy_metrics:number
absent = dummy_absent:Metric
bleu = dummy_metrics:Length
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package with metrics."""
    install(tmp_path, "dummy-metrics", ENTRIES)
    (tmp_path / "dummy_metrics.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.entries.cache_clear()
    yield tmp_path
    plugins.entries.cache_clear()
    sys.modules.pop("dummy_metrics", None)


def install(folder: Path, name: str, entries: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(entries)


def scored(spec: str, *texts: str) -> float:
    references = ["four", "words of the reference", "x"][: len(texts)]
    system = System("A", Outputs(list(texts)))
    [result] = score([system], TestSet([references]), [parse_metric(spec)], threads=1)
    return result.score


def test_a_package_adds_a_metric() -> None:
    metric = parse_metric("LENGTH:factor=2:unit=word")
    assert isinstance(metric, Metric)
    assert key_of(metric) == "length:unit=word:factor=2"
    assert parse_metric(key_of(metric)) == metric != parse_metric("length")
    assert scored("length", "abc", "de") == pytest.approx(5 / 26)
    assert scored("length:factor=2:unit=word", "abc", "d e") == pytest.approx(2 * 3 / 5)
    assert scored("combine:length=3", "abc", "de") == pytest.approx(15 / 26)
    assert "custom:length|unit:char|factor:1.0" in metric_signature("length")


def metric_signature(spec: str) -> str:
    return parse_metric(spec).signature(1)


def test_weighs_own_metrics_win() -> None:
    assert parse_metric("bleu").name == "BLEU"


def test_whole_metrics_and_those_of_sacrebleu() -> None:
    assert scored("whole", "abcd") == 4
    assert parse_metric("theirs").name == "TER"
    assert not parse_metric("theirs").higher_is_better
    assert scored("theirs", "four", "some of the reference") == pytest.approx(100 / 5)


def test_all_are_described() -> None:
    made = {one.metric: one for one in describe()}
    assert made["length"].summary == "Share of the reference's length."
    assert made["length"].source == "Added by dummy-metrics 1.2."
    options = [(o.name, o.kind, o.default, o.choices) for o in made["length"].options]
    assert options == [("unit", "str", "char", ("char", "word")), ("factor", "float", 1.0, ())]
    assert "cannot be loaded" in made["absent"].summary
    assert [one.metric for one in describe()].count("bleu") == 1


def test_two_packages_with_one_name(package: Path) -> None:
    install(package, "other-metrics", "[weigh.metrics]\nlength = dummy_metrics:Length\n")
    plugins.entries.cache_clear()
    with pytest.raises(
        UsageError, match=r"metric 'length' is provided by .* and .*; uninstall one"
    ):
        parse_metric("length")
    assert any("uninstall one" in one.summary for one in describe())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: scored("length", "a", "raise"), InputError,
         "length: statistics() failed on segment 2 with RuntimeError: out of order; fix"),
        (lambda: scored("whole", "raise"), InputError,
         "whole: rows() failed with RuntimeError: out of rows; fix"),
        (lambda: scored("whole", "flat"), InputError,
         "whole: rows() returned shape (1,) of float64 for 1 texts; it must return one row"),
        (lambda: scored("whole", "a" * 13), InputError,
         "whole: score() failed with ValueError: unlucky; fix"),
        (lambda: scored("whole", "abc"), InputError,
         "whole: score() returned shape (1,) for sums of shape (1,); it must return one score"),
        (lambda: parse_metric("broken"), InputError,
         "broken: broken() failed with RuntimeError: not today; fix"),
        (lambda: parse_metric("nothing"), UsageError, "NoneType: not a metric; give it the"),
        (lambda: parse_metric("number"), InputError,
         "metric 'number' of dummy-metrics 1.2 is a int; its author must announce a class"),
        (lambda: parse_metric("absent"), InputError,
         "metric 'absent' of dummy-metrics 1.2 cannot be loaded (ModuleNotFoundError: No module "
         "named 'dummy_absent'); repair or uninstall the package"),
        (lambda: parse_metric("length:units=word"), UsageError,
         "length: unknown option 'units'; did you mean 'unit'?"),
        (lambda: parse_metric("lenght"), UsageError,
         "unknown metric 'lenght'; did you mean 'length'?"),
    ],
)  # fmt: skip
def test_what_goes_wrong_names_the_metric(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(message)


def test_rows_of_changing_width() -> None:
    class Widening:
        name, higher_is_better, mean_of_segments, perfect = "wide", True, False, None

        def signature(self, references): ...

        def score(self, sums): ...

        def segment_scores(self, rows): ...

        def prepare(self, test_set):
            del test_set
            return self

        def rows(self, outputs):
            return np.ones((len(outputs), 1 + (len(outputs) < 1024)))

    system = System("A", Outputs(["a"] * 1500))
    with pytest.raises(InputError, match=r"wide: rows\(\) returned 2 columns, but 1 before"):
        score([system], TestSet([["a"] * 1500]), [Widening()], threads=1)
