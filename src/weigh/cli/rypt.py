"""`weigh rypt`: score systems by human labels of translated source constituents."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    FORCE,
    OUTPUT,
    OUTPUTS,
    Argument,
    Section,
    argument,
    files,
    output,
    plan_of,
    plan_options,
    positional,
    positive,
    refuse,
    repeatable,
    section,
    verb,
)
from weigh.cli.judgments import QUIET
from weigh.cli.output import check_free, new_file
from weigh.errors import UsageError, did_you_mean, plural
from weigh.files import write_files, write_whole
from weigh.rypt.plan import (
    EXPORTS,
    SHOWN,
    AlignPlan,
    CollectionPlan,
    LabelPlan,
    QueryPlan,
)

if TYPE_CHECKING:
    from weigh.result import Result
    from weigh.rypt.metric import Rypt
    from weigh.types import System, TestSet

_LINES_AT_ONCE = 10_000
_FORMS = {".jsonl": "jsonl", ".tsv": "tsv"}
SOURCES = (
    argument("-s --src SRC", "source texts, tokenised as in the labels", required=True),
    argument(
        "--parses FILE", "parses of the sources: Penn brackets, .conllu or .spans", required=True
    ),
    *plan_options(LabelPlan, "flat"),
)


def labels_section(*more: Argument | Iterable[Argument]) -> Section:
    """Declare the systems and the files that are needed to score them."""
    return section(
        "files",
        positional("systems SYS", OUTPUT, nargs="+"),
        SOURCES,
        argument(
            "--labels STORE",
            "store of labels, database of weigh serve, or labels as .jsonl, .tsv or .csv",
            required=True,
        ),
        *more,
        argument(
            "--alignments FILE",
            "word alignments, such as 0-0 1-2, or derivations; {system} in the path stands for the "
            "system's name",
            required=True,
        ),
    )


_EXAMPLE = (
    "-s examples/rypt/source.de --labels examples/rypt/labels.jsonl "
    "--parses examples/rypt/parses.mrg --alignments examples/rypt/{system}.align "
    "reference=examples/rypt/reference.en"
)
_LABELLED = labels_section(plan_options(LabelPlan, "aggregate"))


def read_labelled(arguments: argparse.Namespace) -> tuple[tuple[System, ...], TestSet, Rypt]:
    """Read the systems and their test set, and build the metric."""
    from weigh.read import read_inputs
    from weigh.rypt.metric import Rypt

    plan = plan_of(arguments, LabelPlan())
    metric = Rypt(
        labels=arguments.labels,
        parses=arguments.parses,
        alignments=arguments.alignments,
        aggregate=plan.aggregate,
        flat=plan.flat,
    )
    test_set, systems = read_inputs(arguments.systems, [], arguments.src, references_needed=False)
    return systems, test_set, metric


_CORPUS = ("corpus_src", "corpus_tgt", "corpus_align")


@verb(
    "-s SRC [option]... FILE",
    "weigh rypt align -s examples/rypt/source.de examples/rypt/derivations.txt --write words",
    section(
        "files",
        positional(
            "derivations FILE",
            "Joshua's derivation trees: an n-best list with trees instead of texts, or one tree "
            "per line; '-' is stdin; .gz files are decompressed",
        ),
        argument("-s --src SRC", "tokenised source texts, one per line", required=True),
    ),
    section(
        "training corpus, for word links within phrases",
        argument("--corpus-src FILE", "its source side, one line each"),
        argument("--corpus-tgt FILE", "its target side"),
        argument("--corpus-align FILE", "its word alignment, as 0-0 1-2"),
    ),
    section("output", plan_options(AlignPlan), QUIET),
    summary="align outputs with their sources, from a decoder's derivations",
    plan=AlignPlan,
)
def align(arguments: argparse.Namespace, plan: AlignPlan) -> None:
    """Print the alignments."""
    corpus = [getattr(arguments, name) for name in _CORPUS]
    if any(corpus) and not all(corpus):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in _CORPUS)
        raise UsageError(f"a training corpus needs three files: {options}")
    three_files = (corpus[0], corpus[1], corpus[2]) if all(corpus) else None
    write_all(_lines(arguments, plan.write, three_files))


def _lines(
    arguments: argparse.Namespace, form: str, corpus: tuple[str, str, str] | None
) -> Iterator[str]:
    from weigh.read import read_texts
    from weigh.rypt.derivations import align_outputs

    phrases = crossed = 0
    for aligned in align_outputs(arguments.derivations, read_texts(arguments.src), corpus):
        yield from aligned.lines(form)
        phrases += len(aligned.candidate.derivation.phrases)
        crossed += aligned.links.crossed
    if crossed and form != "phrases":
        why = "no training corpus was given" if corpus is None else "the corpus lacks them"
        terminal.remark(
            f"{crossed:,} of {plural(phrases, 'phrase')} have every source word linked to every "
            f"target word: {why}"
        )


@verb(
    "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS...",
    f"weigh rypt score {_EXAMPLE}",
    _LABELLED,
    output(page="the tables", last=[QUIET]),
    summary="score systems by their labels in three ways, and show how many nodes have labels",
)
def score(arguments: argparse.Namespace) -> Result:
    """Score the systems by their labels."""
    from weigh.rypt.label_scores import score_outputs

    return score_outputs(*read_labelled(arguments))


@verb(
    "-s SRC --labels STORE --parses FILE --alignments FILE --segment N [option]... SYS...",
    f"weigh rypt explain --segment 1 {_EXAMPLE}",
    _LABELLED,
    section(
        "segment",
        argument(
            "--segment N", "number of the segment, starting at 1", type=positive, required=True
        ),
    ),
    output(page="the trees", last=[QUIET]),
    summary="explain the score of a segment: show its tree with the label of every node",
)
def explain(arguments: argparse.Namespace) -> Result:
    """Show the tree of a segment."""
    systems, test_set, metric = read_labelled(arguments)
    report_omissions(arguments.labels)
    from weigh.rypt.explanation import explain_outputs

    return explain_outputs(systems, test_set, metric, arguments.segment)


def write_all(lines: Iterator[str]) -> None:
    """Print lines in batches."""
    while batch := list(islice(lines, _LINES_AT_ONCE)):
        terminal.write_lines(batch)


@verb(
    "-s SRC --parses FILE (--nbest FILE... | --alignments FILE SYS...) [option]...",
    "weigh rypt queries -s examples/rypt/source.de --parses examples/rypt/parses.mrg "
    "--nbest examples/rypt/candidates.nbest -o queries --export mturk",
    section(
        "candidates",
        OUTPUTS,
        argument(
            "--alignments FILE",
            "word alignments of each SYS, as 0-0 1-2, or derivations, one line per segment; "
            "{system} stands for the system's name",
        ),
        repeatable(
            "--nbest FILE",
            "n-best list with alignments, as in ||| 0-0 1-2, or derivations; repeatable",
        ),
    ),
    section(
        "sources",
        argument("-s --src SRC", "tokenised source texts, one per line", required=True),
        argument(
            "--parses FILE", "parses of the sources: brackets, .conllu or .spans", required=True
        ),
        plan_options(QueryPlan, "flat"),
        argument("-r --ref REF", "tokenised references to show to judges"),
        argument(
            "--ref-align FILE",
            "word alignments of source and reference, as 0-0 1-2, to mark the part in question in "
            "the reference",
            advanced=True,
        ),
        argument(
            "--labels STORE",
            "existing labels, which are not asked for again: a store, the database of weigh "
            "serve, or a .jsonl or .tsv file",
        ),
        plan_options(QueryPlan, "aggregate"),
    ),
    section("choice", plan_options(QueryPlan, "max_length sweep most per_hit top")),
    section("estimate", plan_options(QueryPlan, "judges seconds price_per_label price_per_hit")),
    output(
        argument("-o --output DIR", "directory to write the HITs to"),
        repeatable(
            "--export FORMAT",
            "format of the HITs: jsonl, or mturk (CSV, page layout and preview); repeatable "
            "(default: jsonl)",
            choices=EXPORTS,
            default=["jsonl"],
        ),
        FORCE,
        page="the tables",
        last=[QUIET],
    ),
    summary="choose what to ask people, estimate the effort, and create the HITs",
    plan=QueryPlan,
)
def queries(arguments: argparse.Namespace, plan: QueryPlan) -> Result:
    """Find the queries, estimate the effort, and write HITs with -o."""
    _check_queries(arguments)
    exports = dict.fromkeys(arguments.export)
    names = [name for export in exports for name in EXPORTS[export]]
    if arguments.output is not None:
        check_free(Path(arguments.output), names, force=arguments.force)
    if plan.top is None and arguments.format not in ("json", "tsv"):
        plan = replace(plan, top=SHOWN)

    from weigh.read import read_systems, read_test_set
    from weigh.read.text import public_path
    from weigh.rypt.hits import hit_files
    from weigh.rypt.queries import find_queries

    test_set = read_test_set([], arguments.src, references_needed=False)
    report_omissions(arguments.labels)
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
        result = replace(result, files=files, hits=())  # these are not shown
        count = plural(len(hits), "HIT")
        terminal.remark(f"{count} in {arguments.output}: {', '.join(names)}")
    return result


def report_omissions(place: str | None) -> None:
    """Report labels that are left out."""
    if place is not None and not terminal.is_quiet():
        from weigh.rypt.collection import remarks_on_labels

        terminal.remark(*remarks_on_labels(place))


def _check_queries(arguments: argparse.Namespace) -> None:
    if not arguments.systems and not arguments.nbest:
        raise UsageError("no candidates given; add --nbest FILE, or systems with --alignments FILE")
    if bool(arguments.systems) != (arguments.alignments is not None):
        raise UsageError(
            "systems and --alignments need each other; give both, or n-best lists with alignments"
        )
    for name in ("export", "force"):
        if name in arguments.on_command_line and arguments.output is None:
            raise UsageError(f"--{name} needs an output directory; add -o DIR")
    if arguments.ref_align is not None and arguments.ref is None:
        raise UsageError("--ref-align needs a reference; add --ref FILE")


ACTIONS = ("show", "import", "export", "merge")
# The options of each action, which the others refuse.
_OPTIONS = {"show": "paid aggregate html plots", "import": "src", "export": "output force"}


@verb(
    "(show | import | export | merge) STORE [FILE]... [option]...",
    "weigh rypt labels import labels.db examples/rypt/labels.jsonl",
    section(
        "labels",
        files(
            "what ACTION STORE FILE",
            "show: summarise a store; import: add the labels of files (JSON lines, TSV or MTurk "
            "results); export: write all labels; merge: add the labels of other stores. STORE is a "
            "SQLite file (created by import and merge) or postgresql://USER@HOST/DATABASE; show "
            "and export also read files of labels; show, export and merge also read the database "
            "of weigh serve",
            choices=ACTIONS,
        ),
        argument(
            "-s --src SRC",
            "with import: source texts, to find the sentences of HITs in the paper's layout",
        ),
        plan_options(CollectionPlan),
    ),
    output(
        argument(
            "-o --output FILE",
            "with export: file to write, .jsonl or .tsv (default: JSON lines on stdout)",
        ),
        FORCE,
        page="the tables",
        last=[QUIET],
    ),
    summary="show, import, export and merge human labels",
    plan=CollectionPlan,
)
def labels(arguments: argparse.Namespace, plan: CollectionPlan) -> Result | None:
    """Run the action."""
    if not arguments.what:
        raise UsageError(f"no action given; {did_you_mean('', ACTIONS)}")
    action, *places = arguments.what
    if action not in ACTIONS:
        raise UsageError(f"unknown action {action!r}; {did_you_mean(action, ACTIONS)}")
    if not places:
        raise UsageError(f"{action}: no store given; name a file or a postgresql:// URL")
    for owner, options in _OPTIONS.items():
        if action != owner:
            refuse(arguments, options, f"applies to {owner} only")
    place, *others = places
    if action in ("import", "merge"):
        if not others:
            what = "file" if action == "import" else "other store"
            raise UsageError(f"{action}: nothing to add; name at least one {what}")
        _add(action, place, others, arguments)
        return None
    if others:
        raise UsageError(f"{action}: unexpected argument {others[0]!r}; give one store")
    report_omissions(place)
    if action == "export":
        _export(place, arguments)
        return None
    from weigh.rypt.collection import summarize_labels

    return summarize_labels(place, plan)


def _add(action: str, place: str, others: list[str], arguments: argparse.Namespace) -> None:
    from weigh.rypt.collection import import_labels, merge_labels

    addition = (
        import_labels(place, others, arguments.src)
        if action == "import"
        else merge_labels(place, others)
    )
    added = addition.added
    repeated = f", {added.repeated:,} given more than once" if added.repeated else ""
    terminal.remark(
        *addition.remarks,
        f"{addition.store}: {plural(added.new, 'label')} added, {added.known:,} already stored"
        f"{repeated}",
    )


def _export(place: str, arguments: argparse.Namespace) -> None:
    from weigh.rypt.collection import LabelSource, export_labels
    from weigh.rypt.label_files import WRITERS

    if arguments.output is None:
        write_all(export_labels(place))
        return
    target = Path(arguments.output)
    form = _FORMS.get(target.suffix.lower())
    if form is None:
        raise UsageError(f"-o {target}: unknown format; name a file that ends in .jsonl or .tsv")
    new_file(arguments.output, arguments)
    source = LabelSource.read(place)
    labels = list(source.judgments)
    write_whole(target, "".join(f"{line}\n" for line in WRITERS[form](labels)))
    terminal.remark(f"{source.name}: {plural(len(labels), 'label')} written to {target}")


VERBS = {
    "align": align,
    "queries": queries,
    "labels": labels,
    "score": score,
    "explain": explain,
}
