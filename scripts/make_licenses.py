"""Write docs/licenses.md: the packages that weigh and its extras install, with their licences.

    bash scripts/list_packages.sh      (an environment with all of them, then this)

A package whose licence requires more than a notice, such as the LGPL, is allowed only in the extra
`postgres`; elsewhere it is an error.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import Distribution, distribution
from itertools import product
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = """# Licences

`weigh` is under the [Apache License 2.0](../LICENSE). The packages that it and its extras install
have the licences below, as they declare them. The extra `all` installs every package except those
that only `postgres` needs.

<!-- Written by scripts/make_licenses.py. -->

| Package | Licence | Needed by |
| --- | --- | --- |
"""


def license_of(package: Distribution) -> str:
    """Return a package's declared licence: an expression, else classifiers, else a free text."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    named = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier") or ()
        if classifier.startswith("License :: ") and not classifier.endswith("OSI Approved")
    ]
    return (
        ", ".join(named) or (metadata.get("License") or "not declared").strip().partition("\n")[0]
    )


def installed_by(requirements: list[str]) -> set[str]:
    """Return the names of all packages that requirements install on this machine."""
    names: set[str] = set()
    waiting = [(text, "") for text in requirements]
    for text, extra in waiting:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            name = canonicalize_name(requirement.name)
            names.add(name)
            pairs = product(distribution(name).requires or (), ["", *requirement.extras])
            waiting += [pair for pair in pairs if pair not in waiting]
    return names


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {
        name: wants for name, wants in project["optional-dependencies"].items() if name != "all"
    }
    wanted_by: dict[str, list[str]] = {
        name: ["weigh"] for name in installed_by(project["dependencies"])
    }
    for extra, requirements in extras.items():
        for name in installed_by(requirements):
            if wanted_by.get(name) != ["weigh"]:
                wanted_by.setdefault(name, []).append(f"`{extra}`")
    licenses = {name: license_of(distribution(name)) for name in sorted(wanted_by)}
    for name, text in licenses.items():
        if re.search("GPL|General Public", text) and wanted_by[name] != ["`postgres`"]:
            sys.exit(f"{name} ({text}) is wanted by {', '.join(wanted_by[name])}")
    rows = [
        f"| {name} | {text} | {', '.join(wanted_by[name])} |" for name, text in licenses.items()
    ]
    (ROOT / "docs" / "licenses.md").write_text(PAGE + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
