"""`weigh rypt labels`: what people said, in a store and in files."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from weigh.cli import judgments, options, saving, terminal
from weigh.cli.parser import Parser
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.options import add_options, plan_of

USAGE = "(show | import | export | merge) STORE [FILE]... [option]..."
EXAMPLE = "weigh rypt labels import labels.db Batch_1_batch_results.csv"
ACTIONS = ("show", "import", "export", "merge")
# What is for one of the actions alone.
_OWNERS = {
    "paid": "show",
    "aggregate": "show",
    "html": "show",
    "plots": "show",
    "src": "import",
    "output": "export",
    "force": "export",
}
_LINES_AT_ONCE = 10_000


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.rypt.plan import CollectionPlan

    group = parser.add_argument_group("labels")
    group.add_argument(
        "what",
        metavar="ACTION STORE FILE",
        nargs="*",
        default=[],
        help="show: what a store holds; import: add the labels of files (JSON lines, TSV or "
        "results of Mechanical Turk); export: write all labels; merge: add the labels of other "
        "stores. STORE is a SQLite file, which import and merge make where there is none, or "
        "postgresql://USER@HOST/DATABASE; show and export also take a file of labels",
    )
    group.add_argument(
        "-s",
        "--src",
        metavar="SRC",
        help="with import: file of source texts, in which results of the paper's own HITs find "
        "their sentences",
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
    output.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite a file that exists"
    )
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for."""
    if not arguments.what:
        raise UsageError(f"no action given; {did_you_mean('', ACTIONS)}")
    action, *places = arguments.what
    if action not in ACTIONS:
        raise UsageError(f"unknown action {action!r}; {did_you_mean(action, ACTIONS)}")
    if not places:
        raise UsageError(f"{action}: no store given; name a file or a postgresql:// URL")
    for option, owner in _OWNERS.items():
        if action != owner and option in arguments.given:
            raise UsageError(f"--{option} is for {owner}; leave it out")
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
    from weigh.rypt.plan import CollectionPlan

    plan = plan_of(arguments, CollectionPlan())
    saving.present(summarize_labels(place, plan), arguments)


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
    from weigh.rypt.collection import WRITERS, LabelSource, export_labels

    if arguments.output is None:
        lines = export_labels(place)
        while some := list(islice(lines, _LINES_AT_ONCE)):
            terminal.write_lines(some)
        return
    from weigh.report.view import write_whole

    target = Path(arguments.output)
    write = WRITERS.get(target.suffix.lower().removeprefix("."))
    if write is None:
        raise UsageError(f"-o {target}: unknown format; name a file that ends in .jsonl or .tsv")
    if target.exists() and not arguments.force:
        raise InputError(f"{target}: exists; add --force to overwrite it, or name another file")
    source = LabelSource.read(place)
    labels = list(source.judgments)
    write_whole(target, "".join(f"{line}\n" for line in write(labels)))
    if not arguments.quiet:
        terminal.say(f"{source.name}: {plural(len(labels), 'label')} written to {target}")
