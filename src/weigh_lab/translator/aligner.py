"""Word alignment of parallel texts: models of both directions, and their links as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import InputError, plural
from weigh.read.alignment import check_links, link_line, parse_links
from weigh.read.text import read_texts, shown
from weigh_lab import _translator
from weigh_lab.translator.corpus import Parallel, Ragged
from weigh_lab.translator.plan import SYMMETRIES, AlignPlan

if TYPE_CHECKING:
    from weigh_lab.translator.corpus import Numbers

_PART = 500  # sentences; the same for any number of threads, so that sums are too


def align_words(
    corpus: Parallel, plan: AlignPlan, *, threads: int = 0, progress: Progress | None = None
) -> Ragged:
    """Return the links of all sentence pairs: rows of source, target, source, target …

    1. t(f | e) by rounds of EM of IBM model 1 (Brown et al. 1993), each direction by itself.
    2. Further rounds of the hidden Markov model (Vogel, Ney & Tillmann 1996).
    3. The likeliest alignments of both directions become one set of links (Och & Ney 2003).
    """
    rounds = 4 * plan.rounds + 2
    done = 0

    def tell(part: int, size: int) -> None:
        if progress is not None:
            progress(done * size + part, rounds * size)

    def direction(from_side: Ragged, to_side: Ragged) -> Numbers:
        nonlocal done
        model = _translator.WordAligner(*from_side, *to_side)
        for with_jumps in [False] * plan.rounds + [True] * plan.rounds:

            def expect(first: int, last: int, with_jumps: bool = with_jumps) -> None:
                model.expect(first, last, with_jumps)

            run_in_parts(expect, len(to_side), _PART, threads=threads, progress=tell)
            model.maximise(with_jumps)
            done += 1
        links = np.empty(len(to_side.values), dtype=np.int32)

        def choose(first: int, last: int) -> None:
            place = slice(to_side.offsets[first], to_side.offsets[last])
            links[place] = model.best(first, last, with_jumps=True)

        run_in_parts(choose, len(to_side), _PART, threads=threads, progress=tell)
        done += 1
        return links

    forward = direction(corpus.source, corpus.target)
    backward = direction(corpus.target, corpus.source)
    offsets, links = _translator.symmetrise(
        forward,
        corpus.target.offsets,
        backward,
        corpus.source.offsets,
        SYMMETRIES.index(plan.symmetry),
    )
    return Ragged(links, 2 * offsets)


def read_alignment(path: str, corpus: Parallel) -> Ragged:
    """Return the links of a file in the form of Pharaoh, one line for each line of the texts."""
    texts = read_texts(path)
    if len(texts) != corpus.size:
        raise InputError(
            f"{shown(path)}: {plural(len(texts), 'line')}, but the texts have {corpus.size:,}; "
            "give one line of links for each"
        )
    name = shown(path)

    def where(at: int) -> str:
        return f"{name}: line {corpus.lines[at] + 1:,}"

    links = parse_links([texts[line] for line in corpus.lines], where)
    sizes = [np.diff(side.offsets).tolist() for side in (corpus.source, corpus.target)]
    check_links(links, sizes[0], sizes[1], where)
    counts = np.bincount(links.owners, minlength=len(corpus.source))
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(2 * counts, out=offsets[1:])
    values = np.stack([links.sources, links.targets], axis=1).astype(np.int32).ravel()
    return Ragged(values, offsets)


def pharaoh_lines(links: Ragged, corpus: Parallel) -> Iterator[str]:
    """Yield one line of links, as 0-0 1-2, for each line of the files; empty for those left out."""
    at = {line: number for number, line in enumerate(corpus.lines)}
    for line in range(corpus.size):
        if line not in at:
            yield ""
            continue
        yield link_line(linked_places(links, at[line]))


def linked_places(links: Ragged, number: int) -> list[tuple[int, int]]:
    """Return the links of one sentence pair: places of source and target words."""
    row = links.row(number)
    return list(zip(row[::2], row[1::2], strict=True))
