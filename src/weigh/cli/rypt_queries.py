"""`weigh rypt queries`: what to ask people, what that takes, and the HITs to ask it with."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from weigh.cli import judgments, options, saving, terminal
from weigh.cli.parser import Parser, choice
from weigh.cli.saving import check_free, write_files
from weigh.errors import UsageError, plural
from weigh.options import add_options, plan_of

USAGE = "-s SRC --parses FILE (--nbest FILE... | --alignments FILE SYS...) [option]..."
EXAMPLE = (
    "weigh rypt queries -s source.de --parses source.mrg --nbest list.nbest "
    "--labels labels.db -r reference.en --ref-align source-reference.align "
    "-o hits --export mturk"
)


def export_name(value: str) -> str:
    """Return the name of an export."""
    from weigh.rypt.plan import EXPORTS

    return choice(value, "export", tuple(EXPORTS))


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.rypt.plan import QueryPlan

    _add_candidates(parser)
    _add_sources(parser)
    chosen = parser.add_argument_group("choice")
    add_options(chosen, QueryPlan, only=["max_length", "sweep", "most", "per_hit", "top"])
    rates = parser.add_argument_group("estimate")
    add_options(rates, QueryPlan, only=["judges", "seconds", "price_per_label", "price_per_hit"])
    output = options.add_output(parser)
    saving.add_arguments(output, content="the tables")
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
    from weigh.rypt.plan import QueryPlan

    group = parser.add_argument_group("sources")
    group.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised, one on each line"
    )
    group.add_argument(
        "--parses", metavar="FILE", help="parses of the sources: brackets, .conllu or .spans"
    )
    add_options(group, QueryPlan, only=["flat"])
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
    add_options(group, QueryPlan, only=["aggregate"])


def run(arguments: argparse.Namespace) -> int:
    """Find the queries, estimate, and write HITs if there is a directory for them."""
    _check(arguments)
    saving.check(arguments)
    from weigh.rypt.plan import EXPORTS, SHOWN, QueryPlan

    exports = dict.fromkeys(arguments.export)
    names = [name for export in exports for name in EXPORTS[export]]
    if arguments.output is not None:
        check_free(Path(arguments.output), names, force=bool(arguments.force))
    plan = plan_of(arguments, QueryPlan())
    if plan.top is None and arguments.format not in ("json", "tsv"):
        plan = replace(plan, top=SHOWN)

    from weigh.read import read_systems, read_test_set
    from weigh.rypt.hits import hit_files
    from weigh.rypt.queries import find_queries

    test_set = read_test_set([], arguments.src, references_needed=False)
    result = find_queries(
        test_set.sources or (),
        arguments.parses,
        plan,
        nbest=arguments.nbest,
        systems=read_systems(arguments.systems, test_set) if arguments.systems else (),
        alignments=arguments.alignments or "",
        labels=arguments.labels,
        with_hits=arguments.output is not None,
        reference=arguments.ref,
        reference_alignment=arguments.ref_align,
    )
    hits = result.hits
    if hits:
        write_files(Path(arguments.output), hit_files(hits, exports))
        files = tuple(f"{arguments.output}/{name}" for name in names)
        result = replace(result, files=files, hits=())  # which are not shown
        if not arguments.quiet:
            count = plural(len(hits), "HIT")
            terminal.say(f"{count} in {arguments.output}: {', '.join(names)}")
    saving.present(result, arguments)
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
