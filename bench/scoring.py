"""Scoring against sacreBLEU: ratios of CPU time in one run, one thread, rows compared.

    python bench/scoring.py [--data DIR] [--quick] [--write]

DIR holds ref.en.gz and sys/*.en.gz (default: ../shared/data/wmt13/es-en, 17 systems × 3,000
segments). Each program prepares the references once and then all systems; sacreBLEU's caches
are emptied before every run. --write puts the table into bench/scoring.md, which README quotes.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from pathlib import Path

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER

import weigh
from clock import command_time, cpu_time
from weigh.metrics.statistics import statistics
from weigh.read import read_texts

HERE = Path(__file__).resolve().parent
# mteval-v13a.pl on one system of this data set, measured apart: Perl, BLEU and NIST together.
MTEVAL_SECONDS = 11.0


def empty_caches() -> None:
    """Forget the tokenised sentences that sacreBLEU keeps between runs."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("sacrebleu.tokenizers"):
            for thing in vars(module).values():
                call = getattr(thing, "__call__", None)  # noqa: B004
                if hasattr(call, "cache_clear"):
                    call.cache_clear()


def compare(metric: weigh.Metric, peer_class, reference, outputs, runs: int, **options):
    """Return both times and the number of rows that differ."""
    systems = [weigh.System(name, weigh.Outputs(texts)) for name, texts in outputs.items()]
    test_set = weigh.TestSet([reference])
    ours = peers = None

    def run_ours() -> None:
        nonlocal ours
        ours = statistics(systems, test_set, metric, threads=1)

    def run_peer() -> None:
        nonlocal peers
        peer = peer_class(references=[reference], **options)
        peers = [peer._extract_corpus_statistics(texts, None) for texts in outputs.values()]

    our_time = cpu_time(run_ours, 5)
    peer_time = cpu_time(run_peer, runs, empty_caches)
    different = sum(
        int((np.asarray(rows) != np.asarray(expected)).any(axis=1).sum())
        for rows, expected in zip(ours, peers, strict=True)
    )
    return our_time, peer_time, different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/data/wmt13/es-en")
    parser.add_argument("--quick", action="store_true", help="two systems only")
    parser.add_argument("--write", action="store_true", help="write bench/scoring.md")
    arguments = parser.parse_args()
    reference_path = arguments.data / "ref.en.gz"
    if not reference_path.exists():
        sys.exit(f"{reference_path} is missing; name another folder with --data")
    paths = sorted((arguments.data / "sys").glob("*.en.gz"))[: 2 if arguments.quick else None]
    reference = read_texts(str(reference_path))
    outputs = {path.name: read_texts(str(path)) for path in paths}

    table = [
        f"{len(paths)} systems × {len(reference):,} segments, CPU seconds, one thread, "
        "minimum of several runs; references prepared once.",
        "",
        "| statistics | weigh | peer | ratio | rows that differ |",
        "|---|---:|---:|---:|---:|",
    ]

    def add(name: str, ours: float, theirs: float, note: str) -> None:
        table.append(f"| {name} | {ours:.3f} | {theirs:.2f} | {theirs / ours:.0f}× | {note} |")
        print(table[-1], flush=True)

    for name, metric, peer, runs, options in (
        ("BLEU, against sacreBLEU", weigh.Bleu(), BLEU, 3, {}),
        ("chrF, against sacreBLEU", weigh.Chrf(), CHRF, 3, {}),
        ("chrF++, against sacreBLEU", weigh.Chrf(word_order=2), CHRF, 3, {"word_order": 2}),
        ("TER, against sacreBLEU", weigh.Ter(), TER, 1, {}),
    ):
        ours, theirs, different = compare(metric, peer, reference, outputs, runs, **options)
        add(name, ours, theirs, f"{different} of {len(paths) * len(reference):,}")

    system = [weigh.System("A", weigh.Outputs(next(iter(outputs.values()))))]
    for name, metric in (
        ("NIST of one system, against mteval's 11 s", weigh.Nist()),
        ("TER as tercom, one system", weigh.Ter(variant="tercom")),
    ):
        ours = cpu_time(
            lambda m=metric: statistics(system, weigh.TestSet([reference]), m, threads=1), 5
        )
        if metric.name == "NIST":
            add(name, ours, MTEVAL_SECONDS, "tested elsewhere")
        else:
            table.append(f"| {name} | {ours:.3f} | | | tested elsewhere |")

    scripts = Path(sysconfig.get_path("scripts"))
    command = [str(scripts / "weigh"), "score", "-m", "bleu", "--threads", "1"]
    ours = command_time([*command, "-r", str(reference_path), str(paths[0])], 9)
    plain = [write_plain(path) for path in (reference_path, paths[0])]
    theirs = command_time([str(scripts / "sacrebleu"), plain[0], "-i", plain[1], "-m", "bleu"], 5)
    add("`weigh score -m bleu`, one system, against `sacrebleu`", ours, theirs, "same score")
    ours = command_time([str(scripts / "weigh"), "--version"], 25)
    bare = command_time([sys.executable, "-c", "pass"], 25)
    table.append(
        f"| `weigh --version`, against a bare Python start | {ours:.3f} | {bare:.3f} | "
        f"{bare / ours:.2f}× | |"
    )
    text = "\n".join(table) + "\n"
    print(text)
    if arguments.write:
        (HERE / "scoring.md").write_text(text)


def write_plain(path: Path) -> str:
    """Unpack a file for a program that does not read gz."""
    import gzip
    import tempfile

    plain = Path(tempfile.gettempdir()) / f"bench-{path.stem}"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    return str(plain)


if __name__ == "__main__":
    main()
