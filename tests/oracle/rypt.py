"""RYPT (Zaidan & Callison-Burch 2009) in plain Python, one node and one output at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from weigh.rypt.tree import Tree


def substring(
    words: Sequence[str], links: Iterable[tuple[int, int]], start: int, end: int
) -> str | None:
    """What an output says for a span: its words from the first to the last."""
    covered = {target for source, target in links if source in range(start, end)}
    if not covered:
        return None
    parts = []
    for place in range(min(covered), max(covered) + 1):
        if place in covered:
            parts.append(words[place])
        elif place - 1 in covered:  # the first of a run of other words
            parts.append("[GAP]")
    return " ".join(parts)


def percolated(
    parents: Sequence[int], labels: Sequence[str | None], no_first: bool = True
) -> list[str | None]:
    """The labels after percolation: each given NO climbs, each given YES is carried down.

    With `no_first` false, the passes are in the other order.
    """
    found = list(labels)
    nodes = range(len(parents))

    def is_below(node: int, other: int) -> bool:
        while node not in (-1, other):
            node = parents[node]
        return node == other

    def climb() -> None:
        for start in nodes:
            if labels[start] == "NO":
                node = parents[start]
                while node != -1 and labels[node] not in ("YES", "NO"):
                    found[node] = "NO"
                    node = parents[node]

    def carry_down() -> None:
        for start in nodes:
            if labels[start] == "YES":
                for node in nodes:
                    below = [other for other in nodes if is_below(other, node)]
                    if is_below(node, start) and not any(labels[one] == "NO" for one in below):
                        found[node] = "YES"

    for go in (climb, carry_down) if no_first else (carry_down, climb):
        go()
    return found


def counted(
    tree: Tree,
    words: Sequence[str],
    links: Iterable[tuple[int, int]],
    labels: Mapping[tuple[int, int, str], str],
) -> list[int]:
    """Nodes that are YES, NO, NOT SURE, unlabelled after percolation, labelled before, in reach."""
    links = list(links)
    given = []
    for start, end in zip(tree.starts, tree.ends, strict=True):
        said = substring(words, links, start, end)
        given.append(None if said is None else labels.get((start, end, said)))
    found = percolated(tree.parents, given)
    hoped = percolated(tree.parents, ["YES" if one in ("YES", "NO") else None for one in given])
    return [
        found.count("YES"),
        found.count("NO"),
        found.count("NOT SURE"),
        found.count(None),
        given.count("YES") + given.count("NO"),
        hoped.count("YES"),
    ]
