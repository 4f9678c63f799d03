"""A test, metric, format or verb that is added as docs/architecture.md says: all works with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# The two files of a test: its functions, and its entries in the registry.
FUNCTIONS = """
from dataclasses import replace
from weigh.stats.significance import bootstrap, moses_bootstrap_p, tukey

def shifted(*data, **options):
    return replace(bootstrap(*data, **options), test="shifted")
"""
ENTRIES = """
from weigh.stats import procedures
for entry in (
    procedures.Procedure(
        "shifted", "pairs", "Shifted test", "the shifted test", "Nobody 2026", "is it {unit}s?",
        "the share of {draws} {wide}.", ("koehn-2004-statistical",), "functions:shifted",
    ),
    procedures.Procedure(
        "in-blocks", "blocks", "Blocks", "a test of blocks", "Nobody 2026", "is it the mean?",
        "the probability of that.", ("tukey-1953-problem",), "functions:tukey",
    ),
    procedures.Procedure(
        "old-tool", "flawed", "An old tool's test", citations=("post-2018-call",),
        function="functions:moses_bootstrap_p", flaw="it is old",
    ),
):
    procedures.PROCEDURES[entry.name] = entry
procedures.TESTS += ("shifted",)
procedures.BLOCK_TESTS += ("in-blocks",)
procedures.FLAWED_TESTS += ("old-tool",)
"""
# The two files of a metric: itself, and its line in the registry.
METRIC = """
from dataclasses import dataclass
from typing import ClassVar
from weigh.metrics.edit_rates import Wer

@dataclass(frozen=True, slots=True)
class Errors(Wer):
    name: ClassVar[str] = "errors"
    citations: ClassVar[tuple[str, ...]] = ("snover-etal-2006-study",)
"""
# The one file of a format.
FORMAT = """
from weigh.metrics import registry
from weigh.report import formats
registry._HOMES["errors"] = "metric:Errors"
formats.WRITERS["titles"] = lambda view, screen: view.title
formats.FORMATS += ("titles",)
"""
# The three files of a verb, each in the package where it would stand.
DOMAIN = """
from dataclasses import dataclass
from typing import ClassVar
from weigh.options import check_plan_options, share
from weigh.result import Extent, Result

@dataclass(frozen=True, slots=True)
class CoveragePlan:
    level: float = share(0.95, "confidence level of intervals")

    def __post_init__(self):
        check_plan_options(self)

@dataclass(frozen=True, slots=True)
class CoverageResult(Result):
    command: ClassVar[str] = "validate coverage"
    test_set: Extent
    plan: CoveragePlan

def coverage(segments, plan):
    return CoverageResult(Extent(segments, 0), plan)
"""
VIEW = """
from weigh.report.parts import Note
from weigh.report.view import View, view_of
from weigh.validate.coverage import CoverageResult

@view_of(CoverageResult)
def coverage(result):
    said = f"{result.test_set.segments} segments at {result.plan.level}"
    return View(title="Coverage", parts=[Note([said], "Coverage")])
"""
VERB = """
import weigh.report, weigh.validate
from weigh.cli import validate
from weigh.cli.arguments import output, plan_options, section, verb
weigh.report.__path__.append("{place}/report")
weigh.validate.__path__.append("{place}/validate")
from weigh.validate.coverage import CoveragePlan, coverage

@verb(
    "[option]...",
    "weigh validate coverage",
    section("study", plan_options(CoveragePlan)),
    output(page="the table"),
    summary="tell",
    plan=CoveragePlan,
)
def run(arguments, plan):
    return coverage(7, plan)

validate.VERBS["coverage"] = run
"""
RUN = """
import json, sys
from weigh.cli import main
for name, arguments in json.loads(sys.argv[1]).items():
    with open(name, "w", encoding="utf-8") as sys.stdout:
        assert main(arguments) == 0, arguments
"""
SYSTEMS = ["examples/good.en", "examples/middling.en"]
TEXTS = ["-r", "examples/reference.en", "-m", "chrf"]


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command says of tests that only the registry knows."""
    place = tmp_path_factory.mktemp("registry")
    (place / "functions.py").write_text(FUNCTIONS)
    (place / "metric.py").write_text(METRIC)
    for package, module, source in (
        ("validate", "coverage", DOMAIN),
        ("report", "validate_coverage", VIEW),
    ):
        (place / package).mkdir()
        (place / package / f"{module}.py").write_text(source)
    scores = place / "scores.csv"
    rows = [
        f"{system},{item},{(item * salt) % 7}"
        for salt, system in enumerate("AB", 2)
        for item in range(20)
    ]
    scores.write_text("\n".join(["system,item,score", *rows]))
    tests = ["--test", "shifted,bootstrap"]
    flawed = ["--compat", "old-tool,moses-bs"]
    compare = ["compare", *TEXTS, "--trials", "99", *tests, *SYSTEMS]
    studied = [*TEXTS, *tests, *SYSTEMS, "--format", "json"]
    commands = {
        "table": [*compare, "--format", "markdown", "--html", str(place / "page")],
        "compare": [*compare, "--format", "json"],
        "blocks": ["compare", "--test", "in-blocks,tukey", "--format", "json", str(scores)],
        "type1": ["validate", "type1", *studied, *flawed, "--nulls", "20", "--trials", "199"],
        "power": ["validate", "power", *studied, "--sizes", "10", "--simulations", "10"],
        "validated": ["report", str(place / "type1")],
        "cited": ["cite", str(place / "compare")],
        "score": ["score", *TEXTS[:2], "-m", "errors,wer", "--format", "json", *SYSTEMS],
        "titles": ["score", *TEXTS, "--format", "titles", *SYSTEMS],
        "metrics": ["metrics"],
        "errors": ["cite", str(place / "score")],
        "help": ["compare", "--help"],
        "type1_help": ["validate", "type1", "--help"],
        "type1_cited": ["cite", str(place / "type1")],
        "coverage": [
            *("validate", "coverage", "--level", ".9", "--format", "json"),
            *("--html", str(place / "coverage_page")),
        ],
        "covered": ["report", str(place / "coverage")],
        "covered_page": ["report", str(place / "coverage_page"), "--format", "markdown"],
        "group": ["validate", "--help"],
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            ENTRIES + FORMAT + VERB.replace("{place}", str(place)) + RUN,
            json.dumps({str(place / n): c for n, c in commands.items()}),
        ],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(place), *sys.path])},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found = {name: (place / name).read_text(encoding="utf-8") for name in [*commands, "page"]}
    read = {name: json.loads(text) for name, text in found.items() if text.startswith("{")}
    return found | read


def test_a_test_of_the_registry_is_compared_by(said: dict[str, Any]) -> None:
    p = {each["test"]: each["p_value"] for each in said["compare"]["comparisons"]}
    assert p["shifted"] == p["bootstrap"]
    assert "the shifted test (Nobody 2026;" in said["page"]
    p = {each["test"]: each["p_value"] for each in said["blocks"]["comparisons"]}
    assert p["in-blocks"] == p["tukey"]


def test_a_test_of_the_registry_has_its_pictures(said: dict[str, Any]) -> None:
    assert "Shifted test" in said["page"]
    assert "good and middling by chrF2: shifted" in said["page"]


def test_a_test_of_the_registry_is_validated(said: dict[str, Any]) -> None:
    rejected = {
        (each["test"], each["alternative"], each["alpha"]): each["rejected"]
        for each in said["type1"]["rejections"]
    }
    for (test, side, alpha), count in rejected.items():
        same = {"shifted": "bootstrap", "old-tool": "moses-bs"}.get(test, test)
        assert count == rejected[same, side, alpha]
    assert {test for test, *_ in rejected} == {"shifted", "bootstrap", "old-tool", "moses-bs"}
    assert {"shifted", "bootstrap"} == {each["test"] for each in said["power"]["powers"]}
    assert "old-tool: it is old" in said["validated"]


def test_a_test_of_the_registry_is_cited_and_explained(said: dict[str, Any]) -> None:
    assert "shifted test" in said["cited"]
    assert "old-tool test" in said["type1_cited"]
    helped = " ".join(said["help"].split())
    assert "randomization, bootstrap, paired-bootstrap or shifted" in helped
    assert "tukey, scheffe or in-blocks" in helped
    assert "old-tool" in said["type1_help"]


def test_a_metric_of_the_registry_is_scored_by_listed_and_cited(said: dict[str, Any]) -> None:
    scores = {(each["metric"], each["system"]): each["score"] for each in said["score"]["scores"]}
    for metric, system in scores:
        assert scores[metric, system] == scores["wer", system]
    assert {metric for metric, _ in scores} == {"errors", "wer"}
    assert "errors" in said["metrics"].split("\n")
    assert "% errors\n@inproceedings{snover-etal-2006-study," in said["errors"]


def test_a_format_is_written_and_explained(said: dict[str, Any]) -> None:
    assert len(said["titles"].splitlines()) == 1
    assert "markdown, latex or titles" in " ".join(said["help"].split())


def test_a_verb_is_run_shown_and_read_again(said: dict[str, Any]) -> None:
    assert said["coverage"]["command"] == "validate coverage"
    assert said["coverage"]["plan"] == {"level": 0.9}
    assert "7 segments at 0.9" in said["covered"]
    assert "7 segments at 0.9" in said["covered_page"]
    assert "coverage    tell" in said["group"]
