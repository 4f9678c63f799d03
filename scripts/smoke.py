"""Test the installed weigh briefly: the command, Python, both compiled modules.

    python scripts/smoke.py

It needs nothing but weigh. Every wheel passes it before it is released.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import numpy as np

import weigh
from weigh import _core
from weigh_lab import _translator

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def expect(what: str, value: object, expected: object) -> None:
    if value != expected:
        sys.exit(f"{what}: expected {expected}, found {value}")


def command(*arguments: str) -> str:
    program = Path(sysconfig.get_path("scripts")) / "weigh"
    return subprocess.run(
        [str(program), *arguments], check=True, capture_output=True, encoding="utf-8"
    ).stdout


def main() -> None:
    if Path(weigh.__file__).is_relative_to(_EXAMPLES.parent / "src"):
        sys.exit("this is weigh's source and not what is installed")
    expect("version", command("--version").split(), ["weigh", version("weigh")])

    texts = [str(_EXAMPLES / f"{name}.en") for name in ("reference", "good", "middling")]
    options = ("-m", "bleu,chrf,ter", "--format", "json")
    document = json.loads(command("compare", "-r", *texts, *options))
    scores = [round(score["score"], 2) for score in document["scores"]]
    expect("scores", scores, [57.75, 26.14, 75.72, 63.33, 27.57, 52.88])
    expect("counts", [pair["count"] for pair in document["comparisons"]], [0, 0, 0])

    systems = {"A": [0.5 + i % 3 for i in range(40)], "B": [float(i % 2) for i in range(40)]}
    [pair] = weigh.compare(systems).comparisons
    expect("significant", pair.significant, True)

    expect("tokens", _core.tokens(["Done: 3,5."], "13a"), [["Done", ":", "3,5", "."]])
    words, ends = np.array([1, 2, 1, 2], np.int32), np.array([0, 2, 4], np.int64)
    model = _translator.LanguageModel.train(words, ends, 2, 3)
    expect("chances", model.chances(words[:2]).round(4).tolist(), [-0.4568] * 3)
    print(f"weigh {version('weigh')} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
