"""`weigh rypt queries`: what to ask people, what that takes, and the HITs to ask it with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import judgments, labelled, options, terminal
from weigh.cli.directory import check_free, write_files
from weigh.cli.parser import Parser, choice, number, positive
from weigh.errors import UsageError, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.rypt.candidates import Pool
    from weigh.rypt.hits import Hit
    from weigh.types import System

USAGE = "-s SRC --parses FILE (--nbest FILE... | --alignments FILE SYS...) [option]..."
EXAMPLE = (
    "weigh rypt queries -s source.de --parses source.mrg --nbest list.nbest "
    "--labels labels.db -r reference.en --ref-align source-reference.align "
    "-o hits --export mturk"
)
EXPORTS = {
    "jsonl": ("hits.jsonl",),
    "mturk": ("hits.csv", "hit.html", "preview.html"),
}
_MOST_ALTERNATIVES = 10
_SHOWN = 10  # queries, to people


def export_name(value: str) -> str:
    """Return the name of an export."""
    return choice(value, "export", tuple(EXPORTS))


def per_hit(value: str) -> int:
    """Return how many alternatives stand on a HIT."""
    count = positive(value)
    if count > _MOST_ALTERNATIVES:
        raise argparse.ArgumentTypeError(f"expected 1 to {_MOST_ALTERNATIVES}, not {value!r}")
    return count


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    _add_candidates(parser)
    _add_sources(parser)
    _add_choice(parser)
    _add_rates(parser)
    output = options.add_output(parser)
    output.add_argument("-o", "--output", metavar="DIR", help="directory to write HITs to")
    output.add_argument(
        "--export",
        metavar="FORMAT",
        type=export_name,
        action="append",
        default=["jsonl"],
        help="what -o writes: jsonl, or mturk, which is CSV, the page of a HIT and a preview; give "
        "--export twice for both (default: jsonl alone)",
    )
    output.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite files that exist"
    )
    judgments.add_quiet(output)


def _add_candidates(parser: Parser) -> None:
    group = parser.add_argument_group("candidates")
    options.add_systems(group)
    group.add_argument(
        "--alignments",
        metavar="FILE",
        help="alignment of each SYS with the source, links of words as 0-0 1-2 or derivations, "
        "one line for each segment; {system} stands for the system's name",
    )
    group.add_argument(
        "--nbest",
        metavar="FILE",
        action="append",
        default=[],
        help="n-best list whose candidates carry alignments, as in ||| 0-0 1-2, or derivations; "
        "repeat it for more lists",
    )


def _add_sources(parser: Parser) -> None:
    group = parser.add_argument_group("sources")
    group.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised, one on each line"
    )
    group.add_argument(
        "--parses", metavar="FILE", help="parses of the sources: brackets, .conllu or .spans"
    )
    group.add_argument(
        "--flat",
        action=argparse.BooleanOptionalAction,
        help="take a sentence without a parse as a tree of its words, instead of leaving it out",
    )
    group.add_argument(
        "-r", "--ref", metavar="REF", help="file of references, tokenised, to be shown to judges"
    )
    group.add_argument(
        "--ref-align",
        metavar="FILE",
        help="links of source and reference words as 0-0 1-2, so that the part that is asked "
        "about is marked in the reference",
    )
    group.add_argument(
        "--labels",
        metavar="STORE",
        help="labels that there are, a store or .jsonl or .tsv: what has one is not asked again",
    )
    labelled.add_aggregate(group)


def _add_choice(parser: Parser) -> None:
    group = parser.add_argument_group("choice")
    group.add_argument(
        "--max-length",
        metavar="N",
        type=positive,
        default=4,
        help="most words of a source span that is asked about (default: 4)",
    )
    group.add_argument(
        "--sweep",
        metavar="N",
        type=positive,
        help="show also what each length from 1 to N would give",
    )
    group.add_argument(
        "--most", metavar="N", type=positive, help="ask no more than the N most useful queries"
    )
    group.add_argument(
        "--per-hit",
        metavar="N",
        type=per_hit,
        default=_MOST_ALTERNATIVES,
        help="most alternatives on a HIT, up to 10 (default: 10)",
    )
    group.add_argument(
        "--top",
        metavar="N",
        type=positive,
        help="show so many of the most useful queries (default: 10, and all with --format json "
        "or tsv)",
    )


def _add_rates(parser: Parser) -> None:
    group = parser.add_argument_group("estimate")
    group.add_argument(
        "--judges",
        metavar="N",
        type=positive,
        default=1,
        help="people who judge each HIT (default: 1)",
    )
    group.add_argument(
        "--seconds",
        metavar="N",
        type=number,
        default=8.4,
        help="time that a label takes (default: 8.4, as in the paper)",
    )
    group.add_argument(
        "--price-per-label",
        metavar="AMOUNT",
        type=number,
        default=0.0062,
        help="what a label costs (default: 0.0062, the paper's dollars of 2009)",
    )
    group.add_argument(
        "--price-per-hit",
        metavar="AMOUNT",
        type=number,
        help="what a HIT costs for each judge, instead of the price of a label",
    )


def run(arguments: argparse.Namespace) -> int:
    """Find the queries, estimate, and write HITs if there is a directory for them."""
    _check(arguments)
    names = [name for form in dict.fromkeys(arguments.export) for name in EXPORTS[form]]
    if arguments.output is not None:
        check_free(Path(arguments.output), names, force=bool(arguments.force))
    from weigh.read import read_systems, read_test_set
    from weigh.read.words import words_of
    from weigh.report.rypt_queries import FORMATS, QueriesReport, as_table
    from weigh.rypt.hits import make_hits, number_of_hits, read_references
    from weigh.rypt.metric import read_labels_of
    from weigh.rypt.queries import Estimate, Rates, make_queries, sweep
    from weigh.rypt.tree import read_trees

    rates = Rates(
        arguments.judges, arguments.seconds, arguments.price_per_label, arguments.price_per_hit
    )
    test_set = read_test_set([], arguments.src, references_needed=False)
    systems = read_systems(arguments.systems, test_set) if arguments.systems else ()
    texts = test_set.sources or ()
    sources = [words_of(text) for text in texts]
    trees = read_trees(arguments.parses, texts, flat=bool(arguments.flat))
    references = None
    if arguments.ref is not None:
        references = read_references(arguments.ref, arguments.ref_align, sources)
    labels = (
        {}
        if arguments.labels is None
        else read_labels_of(arguments.labels, texts, arguments.aggregate)
    )
    pools = _pools(arguments, systems, len(texts))
    found = make_queries(trees.trees, pools, labels, arguments.max_length)
    chosen = found.queries[: arguments.most]
    files = []
    if arguments.output is not None and chosen:
        hits = make_hits(chosen, sources, pools, references, arguments.per_hit)
        write_files(Path(arguments.output), _contents(hits, arguments.export))
        files = [f"{arguments.output}/{name}" for name in names]
        if not arguments.quiet:
            terminal.say(f"{plural(len(hits), 'HIT')} in {arguments.output}: {', '.join(names)}")
    top = arguments.top
    if top is None and arguments.format not in ("json", "tsv"):
        top = _SHOWN
    report = QueriesReport(
        found.tally,
        len(found.queries),
        Estimate(len(chosen), number_of_hits(chosen, arguments.per_hit), rates),
        [
            (query, " ".join(sources[query.sentence][query.start : query.end]))
            for query in chosen[:top]
        ],
        arguments.top or _SHOWN,
        arguments.max_length,
        {name for name in ("seconds", "price_per_label") if name not in arguments.given},
        sweep(trees.trees, pools, labels, range(1, (arguments.sweep or 0) + 1)),
        files,
        None if arguments.labels is None else arguments.aggregate,
    )
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    for name in ("src", "parses"):
        if getattr(arguments, name) is None:
            raise UsageError(f"no {name} given; add --{name} FILE")
    if not arguments.systems and not arguments.nbest:
        raise UsageError("no candidates; add --nbest FILE, or systems with --alignments FILE")
    if bool(arguments.systems) != (arguments.alignments is not None):
        raise UsageError(
            "systems and --alignments belong together; give both, or n-best lists that carry "
            "their alignments"
        )
    for name in ("export", "force"):
        if name in arguments.given and arguments.output is None:
            raise UsageError(f"--{name} is for HITs that are written; add -o DIR")
    if arguments.ref_align is not None and arguments.ref is None:
        raise UsageError("--ref-align is for a reference; add --ref FILE")
    if arguments.price_per_hit is not None and "price_per_label" in arguments.given:
        raise UsageError("--price-per-hit and --price-per-label; give one of them")


def _pools(arguments: argparse.Namespace, systems: Sequence[System], sentences: int) -> list[Pool]:
    from weigh.metrics.supply import path_of
    from weigh.rypt.candidates import gather

    aligned = [
        (system.outputs.texts, path_of(arguments.alignments, system, "--alignments"))
        for system in systems
    ]
    paths = [path for _, path in aligned]
    if len(set(paths)) < len(paths):
        raise UsageError(
            "--alignments names one file for several systems; tell them apart by {system}"
        )
    return gather(sentences, arguments.nbest, aligned)


def _contents(hits: Sequence[Hit], exports: Sequence[str]) -> dict[str, str]:
    from weigh.report import rypt_hits

    contents = {}
    if "jsonl" in exports:
        contents["hits.jsonl"] = "".join(f"{line}\n" for line in rypt_hits.as_jsonl(hits))
    if "mturk" in exports:
        contents["hits.csv"] = rypt_hits.as_csv(hits)
        contents["hit.html"] = rypt_hits.layout()
        contents["preview.html"] = rypt_hits.preview(hits[0])
    return contents
