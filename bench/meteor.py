"""METEOR's time per system, apart from what is done once: CPU seconds, one thread.

    python bench/meteor.py [--data DIR] [--synonyms DIR] [--paraphrases FILE] [--write]

DIR holds ref.en.gz and sys/*.en.gz (default: ../shared/data/wmt13/es-en). The peer, METEOR 1.5, is
a Java program; its times on one system of this data set were measured apart. --write puts the
table into bench/meteor.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import weigh
from clock import cpu_time
from weigh.metrics.meteor import synonyms
from weigh.metrics.meteor.extractor import stemmer
from weigh.read import read_texts

HERE = Path(__file__).resolve().parent
# exact, stem and synonym of one system of 3,000 segments, start-up apart.
JAVA_SECONDS = 6.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt13/es-en")
    parser.add_argument("--synonyms", help="folder of WordNet or of METEOR's synsets")
    parser.add_argument("--paraphrases", help="file of paraphrases in METEOR's format")
    parser.add_argument("--write", action="store_true", help="write bench/meteor.md")
    arguments = parser.parse_args()
    reference_path = arguments.data / "ref.en.gz"
    if not reference_path.exists():
        sys.exit(f"{reference_path} is missing; name another folder with --data")
    reference = read_texts(str(reference_path))
    path = next(iter(sorted((arguments.data / "sys").glob("*.en.gz"))))
    output = weigh.Outputs(read_texts(str(path)))
    test_set = weigh.TestSet([reference])
    table = [
        f"One system of {len(reference):,} segments, CPU seconds, one thread, minimum of several "
        "runs.",
        "",
        "| work | weigh | METEOR 1.5 | ratio |",
        "|---|---:|---:|---:|",
    ]

    def add(name: str, seconds: float, peer: float | None = None) -> None:
        ratio = ("", "") if peer is None else (f"{peer:.1f}", f"{peer / seconds:.0f}×")
        table.append(f"| {name} | {seconds:.3f} | {ratio[0]} | {ratio[1]} |")
        print(table[-1], flush=True)

    folder = synonyms.find_folder(arguments.synonyms)
    add("loading WordNet", cpu_time(lambda: synonyms.synsets_of(folder, "english"), 5))
    words = {word for text in (*reference, *output.texts) for word in text.split()}
    stem = stemmer("english")
    add(f"stemming {len(words):,} words", cpu_time(lambda: [stem(word) for word in words], 2))
    # The first call learns the words, so that the minimum is without stemming.
    for name, options, peer in (
        ("rows, exact", {"stages": "exact"}, None),
        ("rows, exact+stem+synonym", {}, None),
        ("the same, with `normalize`", {"normalize": True}, JAVA_SECONDS),
        ("the same, with `aligner=exact`", {"normalize": True, "aligner": "exact"}, None),
        ("METEOR of 2005, with `normalize`", {"normalize": True, "version": "2005"}, None),
    ):
        given = None if options.get("stages") == "exact" else arguments.synonyms
        metric = weigh.Meteor(synonyms=given, **options)
        extractor = metric.prepare(test_set)
        extractor.rows(output)
        add(name, cpu_time(lambda made=extractor: made.rows(output), 5), peer)
    if arguments.paraphrases:
        metric = weigh.Meteor(
            normalize=True, synonyms=arguments.synonyms, paraphrases=arguments.paraphrases
        )
        made = []
        seconds = cpu_time(lambda: made.append(metric.prepare(test_set)), 1)
        add("preparing with paraphrases", seconds)
        made[0].rows(output)
        add("rows of all four stages, `normalize`", cpu_time(lambda: made[0].rows(output), 2))
    text = "\n".join(table) + "\n"
    if arguments.write:
        (HERE / "meteor.md").write_text(text)


if __name__ == "__main__":
    main()
