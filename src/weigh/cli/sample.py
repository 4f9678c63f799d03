"""`weigh sample`: draw a smaller test set from a large one."""

from __future__ import annotations

import argparse
from pathlib import Path

from weigh.cli import terminal
from weigh.cli.arguments import (
    FORCE,
    SEED_OPTION,
    argument,
    positional,
    positive,
    quiet,
    section,
    verb,
)
from weigh.cli.output import check_free
from weigh.files import write_files


@verb(
    "-n N -o DIR [option]... FILE...",
    "weigh sample -n 10 -o small examples/source.de examples/reference.en examples/good.en",
    section(
        "files",
        positional(
            "files FILE",
            "files of the large test set, one segment per line: sources, references, outputs; the "
            "same lines are drawn from all",
            nargs="+",
        ),
        argument(
            "-n --size N",
            "number of segments, or documents, to draw",
            type=positive,
            required=True,
        ),
        argument(
            "--documents FILE",
            "the document of each segment, one per line; draw N whole documents",
        ),
        argument(
            "-o --output DIR",
            "directory to write to: each file under its own name without .gz, and the numbers of "
            "the drawn lines in lines.txt",
            required=True,
        ),
        FORCE,
    ),
    section("execution", SEED_OPTION, quiet("do not report the files written")),
)
def run(arguments: argparse.Namespace) -> None:
    """Draw lines, and write them."""
    from weigh.comparing.sample import sample_files

    drawn = sample_files(
        arguments.files, arguments.size, documents=arguments.documents, seed=arguments.seed
    )
    folder = Path(arguments.output)
    check_free(folder, drawn.contents, force=arguments.force)
    write_files(folder, drawn.contents)
    noun = "segments"
    if arguments.documents is not None:
        noun = f"documents ({len(drawn.segments):,} segments)"
    terminal.remark(
        f"wrote {arguments.size:,} of {drawn.total:,} {noun} to {folder}: "
        f"{', '.join(drawn.contents)}"
    )
