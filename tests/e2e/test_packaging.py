"""What pyproject.toml, CITATION.cff and docs/licenses.md say of one another."""

from __future__ import annotations

import re
import tomllib

import weigh
from e2e.conftest import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = SETTINGS["project"]["optional-dependencies"]


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", text)[0].lower().replace(".", "-") for text in requirements}


def test_all_is_every_extra_but_the_one_under_the_lgpl():
    [wanted] = EXTRAS["all"]
    assert set(wanted.removeprefix("weigh[").removesuffix("]").split(",")) == (
        EXTRAS.keys() - {"all", "postgres"}
    )


def test_every_package_has_its_licence_in_the_list():
    page = (ROOT / "docs" / "licenses.md").read_text("utf-8")
    listed = set(re.findall(r"^\| ([\w.-]+) \|", page, re.MULTILINE))
    wanted = names(SETTINGS["project"]["dependencies"]).union(*map(names, EXTRAS.values()))
    assert wanted - {"weigh"} <= listed


def test_wheels_are_built_for_the_versions_of_python_that_are_promised():
    promised = re.findall(r"Python :: 3\.(\d+)", str(SETTINGS["project"]["classifiers"]))
    built = SETTINGS["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp3{minor}-*" for minor in promised]
    assert SETTINGS["project"]["requires-python"] == f">=3.{promised[0]}"


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {weigh.__version__}\n" in citation
