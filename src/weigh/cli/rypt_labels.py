"""`weigh rypt queries` and `labels`: what to ask people, and their answers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from weigh.cli import judgments, options, saving, terminal
from weigh.cli.parser import Parser, one_of, repeated, switch
from weigh.cli.saving import check_free
from weigh.errors import UsageError, did_you_mean, plural
from weigh.files import write_files
from weigh.options import add_options, plan_of
from weigh.rypt.plan import EXPORTS, SHOWN, CollectionPlan, QueryPlan

_LINES_AT_ONCE = 10_000
_FORMS = {".jsonl": "jsonl", ".tsv": "tsv"}


def write_all(lines: Iterator[str]) -> None:
    """Print lines in batches."""
    while some := list(islice(lines, _LINES_AT_ONCE)):
        terminal.write_lines(some)


# `weigh rypt queries`


def add_queries(parser: Parser) -> None:
    """Declare the arguments."""
    _add_candidates(parser)
    _add_sources(parser)
    chosen = parser.add_argument_group("choice")
    add_options(chosen, QueryPlan, only=["max_length", "sweep", "most", "per_hit", "top"])
    rates = parser.add_argument_group("estimate")
    add_options(rates, QueryPlan, only=["judges", "seconds", "price_per_label", "price_per_hit"])
    output = options.add_output(parser)
    saving.add_arguments(output, content="the tables")
    output.add_argument("-o", "--output", metavar="DIR", help="directory to write the HITs to")
    output.add_argument(
        "--export",
        metavar="FORMAT",
        type=one_of("export", EXPORTS),
        action="append",
        default=["jsonl"],
        help="format of the HITs: jsonl, or mturk (CSV, page layout and preview); repeatable "
        "(default: jsonl)",
    )
    switch(output, "--force", "overwrite existing files")
    judgments.add_quiet(output)


def _add_candidates(parser: Parser) -> None:
    group = parser.add_argument_group("candidates")
    options.add_systems(group)
    group.add_argument(
        "--alignments",
        metavar="FILE",
        help="word alignments of each SYS, as 0-0 1-2, or derivations, one line per segment; "
        "{system} stands for the system's name",
    )
    repeated(
        group,
        "--nbest",
        metavar="FILE",
        help="n-best list with alignments, as in ||| 0-0 1-2, or derivations; repeatable",
    )


def _add_sources(parser: Parser) -> None:
    group = parser.add_argument_group("sources")
    group.add_argument("-s", "--src", metavar="SRC", help="tokenised source texts, one per line")
    group.add_argument(
        "--parses", metavar="FILE", help="parses of the sources: brackets, .conllu or .spans"
    )
    add_options(group, QueryPlan, only=["flat"])
    group.add_argument("-r", "--ref", metavar="REF", help="tokenised references to show to judges")
    group.add_argument(
        "--ref-align",
        metavar="FILE",
        help="word alignments of source and reference, as 0-0 1-2, to mark the part in question "
        "in the reference",
        advanced=True,
    )
    group.add_argument(
        "--labels",
        metavar="STORE",
        help="existing labels, which are not asked for again: a store, the database of weigh "
        "serve, or a .jsonl or .tsv file",
    )
    add_options(group, QueryPlan, only=["aggregate"])


def run_queries(arguments: argparse.Namespace) -> int:
    """Find the queries, estimate the effort, and write HITs with -o."""
    _check_queries(arguments)
    saving.check(arguments)
    exports = dict.fromkeys(arguments.export)
    names = [name for export in exports for name in EXPORTS[export]]
    if arguments.output is not None:
        check_free(Path(arguments.output), names, force=bool(arguments.force))
    plan = plan_of(arguments, QueryPlan())
    if plan.top is None and arguments.format not in ("json", "tsv"):
        plan = replace(plan, top=SHOWN)

    from weigh.read import read_systems, read_test_set
    from weigh.read.text import public_path
    from weigh.rypt.hits import hit_files
    from weigh.rypt.queries import find_queries

    test_set = read_test_set([], arguments.src, references_needed=False)
    say_left_out(arguments)
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
        files = tuple(f"{public_path(arguments.output)}/{name}" for name in names)
        result = replace(result, files=files, hits=())  # which are not shown
        if not arguments.quiet:
            count = plural(len(hits), "HIT")
            terminal.say(f"{count} in {arguments.output}: {', '.join(names)}")
    saving.present(result, arguments)
    return 0


def say_left_out(arguments: argparse.Namespace, place: str | None = None) -> None:
    """Report labels that are left out."""
    from weigh.rypt.collection import remarks_on_labels

    place = arguments.labels if place is None else place
    if place is not None and not arguments.quiet:
        for remark in remarks_on_labels(place):
            terminal.say(remark)


def _check_queries(arguments: argparse.Namespace) -> None:
    for name in ("src", "parses"):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; add --{name} FILE")
    if not arguments.systems and not arguments.nbest:
        raise UsageError("no candidates given; add --nbest FILE, or systems with --alignments FILE")
    if bool(arguments.systems) != (arguments.alignments is not None):
        raise UsageError(
            "systems and --alignments need each other; give both, or n-best lists with alignments"
        )
    for name in ("export", "force"):
        if name in arguments.given and arguments.output is None:
            raise UsageError(f"--{name} needs an output directory; add -o DIR")
    if arguments.ref_align is not None and arguments.ref is None:
        raise UsageError("--ref-align needs a reference; add --ref FILE")


# `weigh rypt labels`

ACTIONS = ("show", "import", "export", "merge")
# Options that apply to one action only.
_OWNERS = {
    "paid": "show",
    "aggregate": "show",
    "html": "show",
    "plots": "show",
    "src": "import",
    "output": "export",
    "force": "export",
}


def add_labels(parser: Parser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("labels")
    group.add_argument(
        "what",
        metavar="ACTION STORE FILE",
        nargs="*",
        default=[],
        help="show: summarise a store; import: add the labels of files (JSON lines, TSV or MTurk "
        "results); export: write all labels; merge: add the labels of other stores. STORE is a "
        "SQLite file (created by import and merge) or postgresql://USER@HOST/DATABASE; show and "
        "export also read files of labels; show, export and merge also read the database of weigh "
        "serve",
    )
    group.add_argument(
        "-s",
        "--src",
        metavar="SRC",
        help="with import: source texts, to find the sentences of HITs in the paper's layout",
    )
    add_options(group, CollectionPlan)
    output = options.add_output(parser)
    saving.add_arguments(output, content="the tables")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="with export: file to write, .jsonl or .tsv (default: JSON lines on stdout)",
    )
    switch(output, "--force", "overwrite an existing file")
    judgments.add_quiet(output)


def run_labels(arguments: argparse.Namespace) -> int:
    """Run the action."""
    if not arguments.what:
        raise UsageError(f"no action given; {did_you_mean('', ACTIONS)}")
    action, *places = arguments.what
    if action not in ACTIONS:
        raise UsageError(f"unknown action {action!r}; {did_you_mean(action, ACTIONS)}")
    if not places:
        raise UsageError(f"{action}: no store given; name a file or a postgresql:// URL")
    for option, owner in _OWNERS.items():
        if action != owner and option in arguments.given:
            raise UsageError(f"--{option} applies to {owner} only; leave it out")
    place, *others = places
    if action in ("show", "export"):
        if others:
            raise UsageError(f"{action}: unexpected argument {others[0]!r}; give one store")
        (_show if action == "show" else _export)(place, arguments)
    else:
        if not others:
            what = "file" if action == "import" else "other store"
            raise UsageError(f"{action}: nothing to add; name at least one {what}")
        _add(action, place, others, arguments)
    return 0


def _show(place: str, arguments: argparse.Namespace) -> None:
    saving.check(arguments)
    from weigh.rypt.collection import summarize_labels

    plan = plan_of(arguments, CollectionPlan())
    result = summarize_labels(place, plan)
    say_left_out(arguments, place)
    saving.present(result, arguments)


def _add(action: str, place: str, others: list[str], arguments: argparse.Namespace) -> None:
    from weigh.rypt.collection import import_labels, merge_labels

    addition = (
        import_labels(place, others, arguments.src)
        if action == "import"
        else merge_labels(place, others)
    )
    if not arguments.quiet:
        for remark in addition.remarks:
            terminal.say(remark)
        added = addition.added
        terminal.say(
            f"{addition.store}: {plural(added.new, 'label')} added, {added.known:,} there before"
            + (f", {added.repeated:,} given more than once" if added.repeated else "")
        )


def _export(place: str, arguments: argparse.Namespace) -> None:
    from weigh.rypt.collection import LabelSource, export_labels
    from weigh.rypt.label_files import WRITERS

    say_left_out(arguments, place)
    if arguments.output is None:
        write_all(export_labels(place))
        return
    from weigh.files import write_whole

    target = Path(arguments.output)
    form = _FORMS.get(target.suffix.lower())
    if form is None:
        raise UsageError(f"-o {target}: unknown format; name a file that ends in .jsonl or .tsv")
    saving.new_file(arguments.output, arguments)
    source = LabelSource.read(place)
    labels = list(source.judgments)
    write_whole(target, "".join(f"{line}\n" for line in WRITERS[form](labels)))
    if not arguments.quiet:
        terminal.say(f"{source.name}: {plural(len(labels), 'label')} written to {target}")
