"""Systems' scores by people and by metrics: writes src/weigh/human/deltas.tsv.

    python scripts/make_deltas.py DATA

DATA holds the WMT's data sets that are named below. Only numbers are written: for every system of
a data set what people gave it and what metrics give it, without its name and without any text.
`weigh human metrics --delta` tells from them what a difference of a metric meant to people.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weigh.comparing.score import score
from weigh.human.judgments import read_judgments
from weigh.human.plan import RankPlan
from weigh.human.rank import rankings_of
from weigh.options import number_text
from weigh.read import read_inputs

TABLE = Path(__file__).resolve().parents[1] / "src" / "weigh" / "human" / "deltas.tsv"
METRICS = ("bleu", "chrf", "chrf:word_order=2", "ter", "nist", "wer", "per", "cder")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a data set is, and what was asked of people."""

    folder: str
    people: str
    asked: str
    reference: str = "ref"

    @property
    def name(self) -> str:
        """Its name in the table."""
        return f"{self.folder.replace('/', ' ')} ({self.asked})"


SOURCES = (
    Source("wmt12/es-en", "human-rnk.tsv.gz", "rankings"),
    Source("wmt12/en-es", "human-rnk.tsv.gz", "rankings"),
    Source("wmt13/es-en", "human-pairwise-rnk.tsv.gz", "rankings"),
    Source("wmt13/cs-en", "human-pairwise-rnk.tsv.gz", "rankings"),
    Source("wmt21/cs-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt21/de-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt22/liv-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt24/en-cs", "human-esa.tsv.gz", "ESA", "refA"),
)


def rows(data: Path, source: Source) -> list[list[str]]:
    """Return a row for every system of a data set that people and metrics have scored."""
    folder = data / source.folder
    target = source.folder.rpartition("-")[2]
    answers = read_judgments([str(folder / source.people)])
    [ranking] = rankings_of(answers, RankPlan(least_per_system=1)).rankings
    people = {each.system: each.score for each in ranking.scores}
    files = {
        path.name.removesuffix(f".{target}.gz"): path for path in sorted(folder.glob("sys/*.gz"))
    }
    judged = [name for name in files if name in people]
    test_set, systems = read_inputs(
        [f"{name}={files[name]}" for name in judged],
        [str(folder / f"{source.reference}.{target}.gz")],
    )
    metrics: dict[str, list[float]] = {name: [people[name]] for name in judged}
    for each in score(systems, test_set, METRICS).scores:
        metrics[each.system].append(each.score)
    best_first = sorted(metrics.values(), key=lambda values: -values[0])
    return [
        [source.name, *(number_text(round(value, 6)) for value in values)] for values in best_first
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    chosen = parser.parse_args(arguments)
    lines = [["data", "people", *METRICS]]
    for source in SOURCES:
        lines += rows(chosen.data, source)
    TABLE.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
