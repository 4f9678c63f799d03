"""`weigh rypt labels`: what people said, in a store and in files."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import judgments, labelled, options, terminal
from weigh.cli.parser import Parser, number
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.report.view import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.rypt.labels import Batch, EntryJudgment

USAGE = "(show | import | export | merge) STORE [FILE]... [option]..."
EXAMPLE = "weigh rypt labels import labels.db Batch_1_batch_results.csv"
ACTIONS = ("show", "import", "export", "merge")
_LINES_AT_ONCE = 10_000


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
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
    labelled.add_aggregate(group)
    group.add_argument(
        "--paid",
        metavar="AMOUNT",
        type=number,
        help="with show: what all labels cost, so that the cost of one is told",
    )
    output = options.add_output(parser)
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
    for option, owner in (
        ("paid", "show"),
        ("aggregate", "show"),
        ("src", "import"),
        ("output", "export"),
        ("force", "export"),
    ):
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
        _check_store(action, place)
        read = (
            _read_files(others, arguments.src)
            if action == "import"
            else (_read_stores(place, others), [])
        )
        _add(place, *read, arguments)
    return 0


def _check_store(action: str, place: str) -> None:
    """Refuse a name that every reader takes for a file of labels."""
    from weigh.read.stream import shown
    from weigh.rypt.collection import is_file_of_labels

    if is_file_of_labels(place):
        raise UsageError(
            f"{action}: {shown(place)} is the name of a file of labels, not of a store; "
            "name the store first, such as labels.db"
        )


def _read_files(paths: list[str], src: str | None) -> tuple[list[Batch], list[str]]:
    """Return the judgments of files, and what to say of them."""
    from weigh.read import read_texts
    from weigh.report.number import plural
    from weigh.rypt.collection import read_judgments

    sources = None if src is None else read_texts(src)
    batches: list[Batch] = []
    remarks: list[str] = []
    used = False
    for path in paths:
        read = read_judgments(path, sources)
        used |= read.used_sources
        batches.append(read.batch)
        remarks += read.remarks
        remarks += (
            f"left out, {plural(each.count, 'answer')}: {each.why}" for each in read.omissions
        )
    if sources is not None and not used:
        raise UsageError("--src is for results of the paper's own HITs; leave it out")
    return batches, remarks


def _read_stores(into: str, others: list[str]) -> list[Batch]:
    from weigh.rypt.labels import Batch
    from weigh.rypt.store import open_store

    if into in others:
        raise UsageError(f"merge: {into!r} is named twice; name another store")
    stores = [open_store(place) for place in others]
    return [Batch(store.name, list(store.judgments())) for store in stores]


def _add(
    place: str, batches: list[Batch], remarks: list[str], arguments: argparse.Namespace
) -> None:
    from weigh.report.number import plural
    from weigh.rypt.labels import without_contradictions
    from weigh.rypt.store import open_store

    without_contradictions(batches, {})  # before a store is made that would stay empty
    store = open_store(place, create=True)
    added = store.add_batches(batches)
    if not arguments.quiet:
        for remark in remarks:
            terminal.say(remark)
        terminal.say(
            f"{store.name}: {plural(added.new, 'label')} added, {added.known:,} there before"
            + (f", {added.repeated:,} given more than once" if added.repeated else "")
        )


def _judgments(place: str) -> tuple[str, Iterator[EntryJudgment]]:
    """Return the name of a store, or of a file of labels, and what is in it."""
    from weigh.rypt.collection import is_file_of_labels, read_judgments
    from weigh.rypt.store import open_store

    if is_file_of_labels(place):
        batch = read_judgments(place).batch
        return batch.name, iter(batch.judgments)
    store = open_store(place)
    return store.name, store.judgments()


def _show(place: str, arguments: argparse.Namespace) -> None:
    if arguments.paid is not None and not 0 <= arguments.paid < 1e12:
        raise UsageError(f"--paid {arguments.paid:g}; give a number from 0 to 1e12")
    from weigh.human.agreement import kappas
    from weigh.report.rypt_labels import FORMATS, LabelsReport, as_table
    from weigh.rypt.collection import collected
    from weigh.rypt.labels import Label

    name, found = _judgments(place)
    counted = collected(list(found), arguments.aggregate)
    code = {label: at for at, label in enumerate(Label)}
    units = (
        {judge: code[label] for judge, label in by_judge.items()}
        for by_judge in counted.given.values()
    )
    report = LabelsReport.of(name, counted, kappas(units), arguments.paid)
    terminal.show(report, arguments.format, as_table, FORMATS)


def _export(place: str, arguments: argparse.Namespace) -> None:
    from weigh.rypt.collection import as_jsonl, as_tsv

    if arguments.output is None:
        lines = as_jsonl(_judgments(place)[1])
        while some := list(islice(lines, _LINES_AT_ONCE)):
            terminal.write_lines(some)
        return
    target = Path(arguments.output)
    write = {".jsonl": as_jsonl, ".tsv": as_tsv}.get(target.suffix.lower())
    if write is None:
        raise UsageError(f"-o {target}: unknown format; name a file that ends in .jsonl or .tsv")
    if target.exists() and not arguments.force:
        raise InputError(f"{target}: exists; add --force to overwrite it, or name another file")
    name, found = _judgments(place)
    written = list(write(found))
    write_whole(target, "".join(f"{line}\n" for line in written))
    if not arguments.quiet:
        from weigh.report.number import plural

        count = len(written) - (write is as_tsv)  # the line of column names is no label
        terminal.say(f"{name}: {plural(count, 'label')} written to {target}")
