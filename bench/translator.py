"""The translator: how good, how fast and how large, on Multi30k.

    python bench/translator.py [--data DIR] [--thot PYTHON] [--write]

DIR holds train, val, test_2016_flickr and test_2017_flickr as .de.gz, .fr.gz, .cs.gz and .en.gz;
default: ../shared/data/multi30k. Weights are tuned on the first 500 sentences of val. PYTHON is one
of an environment that has sil-thot: bench/translator_thot.py then runs beside ours, on fewer
sentences, since it is slow. --write puts the tables into bench/translator.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from weigh.read.text import read_texts
from weigh_lab.translator.corpus import tokenised
from weigh_lab.translator.plan import AlignPlan

HERE = Path(__file__).resolve().parent
METRIC = "bleu:tokenize=none"
TUNING = ("--regularize", "20")
TUNED_ON = 500
SHARES = (1, 2, 4, 8)
TESTS = ("test_2016_flickr", "test_2017_flickr")
# Beside sil-thot: sentences that are tuned on and translated, and iterations of tuning.
FEW_TUNED, FEW, FEW_ROUNDS = 100, 200, 2


class Spent(NamedTuple):
    """What a command took: seconds of all cores, and the most memory."""

    cpu: float
    megabytes: float


def run(folder: Path, *arguments: str | Path, output: str = "output") -> Spent:
    """Run a verb of weigh; its output goes to a file."""
    return spent(folder, [sys.executable, "-m", "weigh", *arguments], output)


def spent(folder: Path, command: Sequence[str | Path], output: str = "output") -> Spent:
    with (folder / output).open("wb") as file:
        process = subprocess.Popen(command, stdout=file, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
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


def beside_thot(folder: Path, python: str) -> str:
    """Return BLEU and CPU time of sil-thot and of ours, on the same few sentences."""
    program = [python, str(HERE / "translator_thot.py")]
    for name, source, size in (("few_tune", "val", FEW_TUNED), ("few", TESTS[0], FEW)):
        write(folder / f"{name}.en", read_texts(str(folder / f"{source}.en"))[:size])
        write(folder / f"{name}.de", read_texts(str(folder / f"{source}.de"))[:size])
    for name in ("train.de", "train.en", "val.en", "few_tune.de", "few.de"):
        words = tokenised(read_texts(str(folder / name)), AlignPlan())
        write(folder / f"words.{name}", [" ".join(each) for each in words])
    files = ("words.train.de", "words.train.en", "words.val.en")
    training = spent(folder, [*program, "train", "thot", *files])
    own = ["--model", "model.de", "--quiet"]
    rounds = ["--iterations", str(FEW_ROUNDS), "--size", "50", *TUNING]
    names = (f"thot_{n} {weight}" for n, weight in enumerate(THOT_WEIGHTS))
    write(folder / "thot.start", list(names))
    command = [*program, "decode", "thot", "words.few_tune.de", "{nbest}"]
    command += ["--nbest", "{size}", "--weights", "{weights}"]
    to_bleu = ["-r", "few_tune.en", "-m", METRIC, *rounds, "--quiet", "--dir"]
    run(
        folder,
        *("tune", "--decoder", shlex.join(command), "--init", "thot.start", *to_bleu),
        *("tuning.thot", "-o", "tuned.thot"),
    )
    run(
        folder,
        *("tune", "--model", "model.de", "-s", "few_tune.de", *to_bleu),
        *("tuning.few", "-o", "tuned.few"),
    )
    rows = []
    for weights, thot_weights, own_weights in (
        ("untuned", "thot.start", None),
        ("tuned", "tuned.thot", "tuned.few"),
    ):
        arguments = ["words.few.de", "few.thot", "--nbest", "100", "--weights", thot_weights]
        theirs = spent(folder, [*program, "decode", "thot", *arguments])
        chosen = [] if own_weights is None else ["--weights", own_weights]
        ours = run(
            folder,
            *("translate", "decode", *own, "-s", "few.de", "--nbest", "100", *chosen),
            output="few.ours",
        )
        for name, cost in (("sil-thot", theirs), ("ours", ours)):
            lists = "few.thot" if name == "sil-thot" else "few.ours"
            score, different = best_of(folder, lists)
            rows.append(f"| {name}, {weights} | {score:.2f} | {cost.cpu:.1f} | {different:.1f} |")
    table = "\n".join(rows)
    return f"""
Beside sil-thot, German, the first {FEW} sentences of test_2016, 100-best lists; tuned on \
{FEW_TUNED} sentences of val in {FEW_ROUNDS} iterations by `weigh tune`:

| | BLEU | CPU s | different texts |
|---|---:|---:|---:|
{table}

Training sil-thot on all pairs took {training.cpu:.1f} CPU seconds and {training.megabytes:.0f} MB.
"""


# What sil-thot itself starts with.
THOT_WEIGHTS = (0.000001, 1.0, 1.0, 0.01, 1.0, 1.0, 0.000001, 1.0)


def best_of(folder: Path, name: str) -> tuple[float, float]:
    """Return the BLEU of the first candidates of lists, and how many texts each list has."""
    texts: dict[str, list[str]] = {}
    for line in (folder / name).read_text(encoding="utf-8").split("\n")[:-1]:
        number, text, *_ = line.split(" ||| ")
        texts.setdefault(number, []).append(text)
    write(folder / "few.best", [each[0] for each in texts.values()])
    score = bleu(folder, "few", "few.best")
    return score, sum(len(set(each)) for each in texts.values()) / len(texts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--thot", metavar="PYTHON")
    parser.add_argument("--data", type=Path, default=HERE.parent / "../shared/data/multi30k")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = tables(arguments.data.resolve(), Path(folder))
        tell(made, write_page=arguments.write)  # now: what follows is slow
        if arguments.thot:
            made += beside_thot(Path(folder), arguments.thot)
            tell(made, write_page=arguments.write)


def tell(made: str, *, write_page: bool) -> None:
    """Print what was measured, and put it before what the page has by hand."""
    print(made, flush=True)
    if write_page:
        path = HERE / "translator.md"
        by_hand = path.read_text(encoding="utf-8").partition(NOTE)[2] if path.exists() else ""
        path.write_text(f"{made}{NOTE}{by_hand}", encoding="utf-8")


NOTE = "\n<!-- By hand. -->\n"

if __name__ == "__main__":
    main()
