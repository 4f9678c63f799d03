"""The translator: how good, how fast and how large, on Multi30k.

    python bench/translator.py [--data DIR] [--write]

DIR holds train, val, test_2016_flickr and test_2017_flickr as .de.gz, .fr.gz, .cs.gz and .en.gz;
default: ../shared/data/multi30k. Weights are tuned on the first 500 sentences of val. --write puts
the tables into bench/translator.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from weigh.read.text import read_texts
from weigh.translator.corpus import tokenised
from weigh.translator.plan import AlignPlan

HERE = Path(__file__).resolve().parent
METRIC = "bleu:tokenize=none"
TUNING = ("--regularize", "20")
TUNED_ON = 500
SHARES = (1, 2, 4, 8)
TESTS = ("test_2016_flickr", "test_2017_flickr")


class Spent(NamedTuple):
    """What a command took: seconds of all cores, and the most memory."""

    cpu: float
    megabytes: float


def run(folder: Path, *arguments: str | Path, output: str = "output") -> Spent:
    """Run a verb of weigh; its output goes to a file."""
    with (folder / output).open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "weigh", *arguments], stdout=file, cwd=folder
        )
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"weigh {arguments[0]} failed")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def write(path: Path, texts: list[str] | tuple[str, ...]) -> None:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8", newline="\n")


def bleu(folder: Path, test: str, output: str) -> float:
    """Return the BLEU of an output, both sides tokenised and lower-cased."""
    run(folder, "score", "-r", f"{test}.en", "-m", METRIC, output, "--format", "json")
    document = json.loads((folder / "output").read_text())
    return float(document["scores"][0]["score"])


def prepare(data: Path, folder: Path) -> None:
    """Unpack the texts; English ones that are compared with become words."""
    for name in ("train", "val", *TESTS):
        for language in ("de", "fr", "cs", "en"):
            path = data / f"{name}.{language}.gz"
            if path.exists():
                write(folder / f"{name}.{language}", read_texts(str(path)))
    for name in ("val", *TESTS):
        words = tokenised(read_texts(str(folder / f"{name}.en")), AlignPlan())
        write(folder / f"{name}.en", [" ".join(each) for each in words])
    for language in ("de", "en"):
        write(folder / f"tune.{language}", read_texts(str(folder / f"val.{language}"))[:TUNED_ON])


def trained(folder: Path, language: str, size: int | None = None) -> Spent:
    """Train on all, or so many, sentence pairs of a language and English."""
    sides = []
    for side in (language, "en"):
        write(folder / f"part.{side}", read_texts(str(folder / f"train.{side}"))[:size])
        sides.append(f"part.{side}")
    model = f"model.{language}{size or ''}"
    arguments = ("-s", sides[0], "-t", sides[1], "-o", model, "--quiet")
    return run(folder, "translate", "train", *arguments)


def decoded(folder: Path, language: str, test: str, *more: str) -> Spent:
    arguments = ("--model", f"model.{language}", "-s", f"{test}.{language}", "--quiet", *more)
    return run(folder, "translate", "decode", *arguments, output=f"{test}.out")


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of a line through points of log size and log time."""
    xs, ys = [*map(math.log, sizes)], [*map(math.log, seconds)]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    products = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return products / sum((a - x) ** 2 for a in xs)


def tables(data: Path, folder: Path) -> str:
    """Return all that is measured, as Markdown."""
    prepare(data, folder)
    training = trained(folder, "de")
    lists = decoded(folder, "de", TESTS[0], "--nbest", "100")
    kept = {
        tuple(line.split(" ||| ")[:2])
        for line in (folder / f"{TESTS[0]}.out").read_text(encoding="utf-8").split("\n")[:-1]
    }
    best = decoded(folder, "de", TESTS[0])
    (folder / "model.de" / "compiled.npz").unlink()
    from_text = decoded(folder, "de", TESTS[0])
    tune = ("--model", "model.de", "-s", "tune.de", "-r", "tune.en", "-m", METRIC, *TUNING)
    tuning = run(folder, "tune", *tune, "-o", "tuned", "--quiet")
    scores = {}
    for test in TESTS:
        decoded(folder, "de", test)
        scores[test, "untuned"] = bleu(folder, test, f"{test}.out")
        decoded(folder, "de", test, "--weights", "tuned")
        scores[test, "tuned"] = bleu(folder, test, f"{test}.out")
    for language in ("fr", "cs"):
        trained(folder, language)
        decoded(folder, language, TESTS[0])
        scores[language, "untuned"] = bleu(folder, TESTS[0], f"{TESTS[0]}.out")
    pairs = len(read_texts(str(folder / "train.en")))
    sizes = [pairs // share for share in SHARES]
    seconds = [training.cpu, *(trained(folder, "de", size).cpu for size in sizes[1:])]
    rows = "\n".join(f"| {size:,} | {cpu:.1f} |" for size, cpu in zip(sizes, seconds, strict=True))
    return f"""\
{pairs:,} sentence pairs to train on, lower-cased, tokenised by `intl`; BLEU with `tokenize=none`, \
against English tokenised alike.

| BLEU | test | untuned | tuned on {TUNED_ON} sentences of val |
|---|---|---:|---:|
| German | 2016 | {scores[TESTS[0], "untuned"]:.2f} | {scores[TESTS[0], "tuned"]:.2f} |
| German | 2017 | {scores[TESTS[1], "untuned"]:.2f} | {scores[TESTS[1], "tuned"]:.2f} |
| French | 2016 | {scores["fr", "untuned"]:.2f} | |
| Czech | 2016 | {scores["cs", "untuned"]:.2f} | |

Tuned by `weigh tune --model … {" ".join(TUNING)}`; tuning and the choice of 20 saw no test set.

| German, whole commands | CPU s | MB |
|---|---:|---:|
| `weigh translate train` | {training.cpu:.1f} | {training.megabytes:.0f} |
| `weigh translate decode --nbest 100`, 1,000 sentences | {lists.cpu:.1f} | {lists.megabytes:.0f} |
| `weigh translate decode`, 1,000 sentences | {best.cpu:.1f} | {best.megabytes:.0f} |
| the same, read from the model's text | {from_text.cpu:.1f} | {from_text.megabytes:.0f} |
| `weigh tune --model`, {TUNED_ON} sentences | {tuning.cpu:.1f} | {tuning.megabytes:.0f} |

The lists hold {len(kept) / 1000:.1f} different texts for each sentence.

| sentence pairs | CPU s of training |
|---:|---:|
{rows}

Time grows with the power {exponent(sizes, seconds):.2f} of the size.
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=HERE.parent / "../shared/data/multi30k")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = tables(arguments.data.resolve(), Path(folder))
    print(made)
    if arguments.write:
        path = HERE / "translator.md"
        by_hand = path.read_text(encoding="utf-8").partition(NOTE)[2] if path.exists() else ""
        path.write_text(f"{made}{NOTE}{by_hand}", encoding="utf-8")


NOTE = "\n<!-- By hand. -->\n"

if __name__ == "__main__":
    main()
