"""What is asked is what the definitions say, and HITs hold all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import rypt as oracle
from rypt_cases import RYPT, AlignedOutput, aligned_outputs, figure_2, sources, trees
from shared_data import lines, needs_shared
from weigh.errors import InputError, UsageError
from weigh.read.alignment import link_line, words_of
from weigh.read.nbest import read_candidates
from weigh.rypt.hits import make_hits, number_of_hits, read_references
from weigh.rypt.labels import GAP, Label
from weigh.rypt.plan import PAPER, QueryPlan, Shares
from weigh.rypt.pools import Pool, gather
from weigh.rypt.queries import Estimate, Query, make_queries
from weigh.rypt.tree import Tree, frontier, read_trees

SpanLabels = dict[tuple[int, int, str], Label]


def pool_of(outputs: Sequence[AlignedOutput]) -> Pool:
    pool = Pool()
    for line, output in enumerate(outputs, 1):
        pool.add(" ".join(output.words), link_line(sorted(set(output.links))), "x", line)
    return pool


def is_storable(text: str) -> bool:
    words = text.split(" ")
    return (
        GAP not in (words[0], words[-1])
        and f"{GAP} {GAP}" not in text  # which words named like a gap would make
    )


def expected(tree: Tree, outputs: Sequence[AlignedOutput], labels: SpanLabels) -> set[Query]:
    """Every alternative of every frontier node by itself, in one candidate after the other."""
    spans = list(zip(tree.starts, tree.ends, strict=True))
    said = [[oracle.substring(o.words, o.links, *span) for span in spans] for o in outputs]
    found = set()
    for node in frontier(tree):
        for text in {own[node] for own in said} - {None}:
            if (*spans[node], text) in labels or not is_storable(text):
                continue
            having = [place for place, own in enumerate(said) if own[node] == text]
            decided = {"YES": 0, "NO": 0}
            for place in having:
                given_labels = [
                    None if words is None else labels.get((*span, words))
                    for span, words in zip(spans, said[place], strict=True)
                ]
                before = oracle.percolated(tree.parents, given_labels)
                for label in decided:
                    tried = [*given_labels]
                    tried[node] = label
                    after = oracle.percolated(tree.parents, tried)
                    decided[label] += sum(
                        new in ("YES", "NO") and old not in ("YES", "NO")
                        for new, old in zip(after, before, strict=True)
                    )
            if any(decided.values()):
                start, end = spans[node]
                shares = expected_shares(labels, end - start)
                span = " ".join(tree.words[start:end])
                counts = (len(having), *decided.values())
                found.add(Query(1, start, end, span, text, *counts, shares, having[0]))
    return found


def expected_shares(labels: SpanLabels, length: int) -> Shares:
    """The labels of spans as long, and 20 of which 35.1% are YES and 60.1% NO."""
    own = [label.value for (start, end, _), label in labels.items() if end - start == length]
    if not own:
        return PAPER
    return Shares(
        (own.count("YES") + 20 * 0.351) / (len(own) + 20),
        (own.count("NO") + 20 * 0.601) / (len(own) + 20),
    )


@given(st.data())
def test_queries_by_definition(data: st.DataObject) -> None:
    tree = data.draw(trees())
    given_outputs = data.draw(aligned_outputs(tree))
    plain = [AlignedOutput(each.words, tuple(sorted(set(each.links)))) for each in given_outputs]
    outputs = list(dict.fromkeys(plain))  # since a pool holds each candidate once
    spans = list(zip(tree.starts, tree.ends, strict=True))
    said = {
        (*span, text)
        for output in outputs
        for span in spans
        if (text := oracle.substring(output.words, output.links, *span)) is not None
    }
    labels: SpanLabels = {}
    if said:
        keys = st.sampled_from(sorted(said))
        labels = data.draw(st.dictionaries(keys, st.sampled_from(list(Label)), max_size=6))
    made = make_queries([tree], [pool_of(given_outputs)], {" ".join(tree.words): labels})
    assert set(made.queries) == expected(tree, outputs, labels)
    assert len(set(made.queries)) == len(made.queries)
    gains = [
        query.shares.yes * query.if_yes + query.shares.no * query.if_no for query in made.queries
    ]
    assert gains == sorted(gains, reverse=True)
    tally = made.tally
    assert tally.queries == len(made.queries)
    assert len(made.queries) == (tally.alternatives - tally.labelled - tally.decided - tally.unfit)


@needs_shared
def test_the_authors_candidate_of_figure_2() -> None:
    """All that we ask of their first candidate is in their list, with its place and context.

    They have one [Skip] for each skipped word where we have one [GAP] for each run of them.
    """
    tree = figure_2()
    theirs: dict[tuple[int, int, str], tuple[int, str, int]] = {}
    totals: dict[tuple[int, int], int] = {}
    for line in lines(RYPT / "fig2.queries.txt"):
        head, text, count, context, first = (field.strip() for field in line.split("|||"))
        start, last = map(int, head.split(" ")[1].split("_"))
        shown = context.split(" ")[int(first) :]
        assert all(word in ("[Skip]", shown[at]) for at, word in enumerate(text.split(" ")))
        words = [GAP if word == "[Skip]" else word for word in text.split(" ")]
        kept = [word for at, word in enumerate(words) if not (at and word == GAP == words[at - 1])]
        key = (start, last + 1, " ".join(kept))
        before = theirs.get(key, (0, context, int(first)))
        theirs[key] = (before[0] + int(count), *before[1:])
        totals[key[:2]] = totals.get(key[:2], 0) + int(count)
    # Every one of their 81 candidates counts once for a node, or has no word for it.
    assert max(totals.values()) == totals[0, 2] == 81
    candidate = next(read_candidates(str(RYPT / "fig2.nbest.trees")))
    links = lines(RYPT / "fig2.align.txt")[1]
    pool = Pool()
    pool.add(candidate.text, links, "fig2", 1)
    for longest, spans in ((4, 8), (5, 7), (1, 12)):
        queries = make_queries([tree], [pool], {}, longest).queries
        assert len(queries) == spans
        hits = make_hits(queries, [tree.words], [pool])
        for hit in hits:
            [alternative] = hit.alternatives
            count, context, first = theirs[hit.start, hit.end, alternative.query.substring]
            assert count >= 1
            assert context == candidate.text
            assert alternative.places[0] == first


@needs_shared
def test_real_candidates_with_the_authors_links() -> None:
    """Shares that the authors' own files have: 15-16% with a gap, 6-10% of nodes unaligned."""
    pools = [Pool() for _ in sources()]
    listed = read_candidates(str(RYPT / "nbest.out.ZMERT.it6.rand10sen.trees.gz"))
    links = lines(RYPT / "out_SrcCand.align.rand10sen.gz")[1::2]
    for candidate, own in zip(listed, links, strict=True):
        pools[int(candidate.id)].add(candidate.text, own, "x", candidate.line)
    parsed = read_trees(str(RYPT / "newstest2008.de.tok.parsed.gz"), sources()).trees
    made = make_queries(parsed, pools, {})
    tally = made.tally
    assert (tally.sentences, tally.unparsed, tally.candidates) == (2051, 198, 2174)
    assert 0.15 <= tally.gapped / tally.alternatives <= 0.16
    assert 0.06 <= tally.unaligned / tally.cells <= 0.10
    assert len(made.queries) == tally.alternatives
    # The candidates of a node's alternatives are all that have a word for it.
    by_span: dict[tuple[int, int, int], int] = {}
    for query in made.queries:
        span = (query.line, query.start, query.end)
        by_span[span] = by_span.get(span, 0) + query.candidates
    assert sum(by_span.values()) == tally.cells - tally.unaligned


@given(st.data())
def test_hits_hold_every_query_once(data: st.DataObject) -> None:
    tree = data.draw(trees())
    outputs = data.draw(aligned_outputs(tree, 12))
    pool = pool_of(outputs)
    made = make_queries([tree], [pool], {}).queries
    most = data.draw(st.integers(1, 4))
    hits = make_hits(made, [tree.words], [pool], None, most)
    assert Counter(each.query for hit in hits for each in hit.alternatives) == Counter(made)
    assert [hit.gain for hit in hits] == sorted((hit.gain for hit in hits), reverse=True)
    assert len({hit.name for hit in hits}) == len(hits) == number_of_hits(made, most)
    for hit in hits:
        own = [each.query for each in hit.alternatives]
        assert 1 <= len(own) <= most
        assert {(query.start, query.end) for query in own} == {(hit.start, hit.end)}
        assert [query.substring for query in own] == sorted(query.substring for query in own)
        for each in hit.alternatives:
            # The marked words are the substring, and the candidate is the first that has it.
            runs = [
                (GAP if at and place > each.places[at - 1] + 1 else "", each.words[place])
                for at, place in enumerate(each.places)
            ]
            assert " ".join(word for run in runs for word in run if word) == each.query.substring
    # Only the last HIT of a span may have room left.
    for span in {(query.start, query.end) for query in made}:
        sizes = [len(hit.alternatives) for hit in hits if (hit.start, hit.end) == span]
        assert sum(size < most for size in sizes) <= 1


def test_references_are_marked(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("x y z\n")
    (tmp_path / "align").write_text("0-2 1-0 1-2\n")
    read = read_references(str(tmp_path / "ref"), str(tmp_path / "align"), [["a", "b"]])
    assert read.words == [["x", "y", "z"]]
    assert [each.tolist() for each in read.links] == [[0, 0, 0], [0, 1, 1], [2, 0, 2]]
    assert read.places(0, 1, 2) == (0, 2)
    plain = read_references(str(tmp_path / "ref"), None, [["a", "b"]])
    assert plain.places(0, 0, 2) == ()
    with pytest.raises(InputError, match="1 line, but the source has 2 sentences"):
        read_references(str(tmp_path / "ref"), None, [["a"], ["b"]])
    (tmp_path / "align").write_text("0-3\n")
    with pytest.raises(InputError, match="line 1: the link 0-3, but the output has 3 words"):
        read_references(str(tmp_path / "ref"), str(tmp_path / "align"), [["a", "b"]])


def test_candidates_of_lists_and_systems(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "0 ||| a b ||| f= 1 ||| 1 ||| 0-0 1-1\n"
        "0 ||| a b ||| f= 2 ||| 2 ||| 0-0 1-1\n"
        "0 ||| a b ||| f= 2 ||| 2 ||| 0-1\n"
        "1 ||| (ROOT{0-3} (S{0-2} c d)) ||| f= 2 ||| 2\n"
    )
    (tmp_path / "align").write_text("0-0 1-1\n0-0\n")
    pools = gather(2, [str(tmp_path / "list")], [(["a b", "e"], str(tmp_path / "align"))])
    assert [pool.texts for pool in pools] == [["a b", "a b"], ["c d", "e"]]
    assert pools[0].alignments == ["0-0 1-1", "0-1"]
    aligned = pools[1].aligned(["x", "y"])
    assert (aligned.words, pools[1].crossed) == ([["c", "d"], ["e"]], 1)
    assert list(zip(*(each.tolist() for each in aligned.links), strict=True)) == [
        *((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)),
        (1, 0, 0),
    ]
    with pytest.raises(InputError, match="align: 2 lines, but the sources have 3; look for"):
        gather(3, [], [(["a", "b", "c"], str(tmp_path / "align"))])
    with pytest.raises(InputError, match="line 1: the link 1-1, but the output has 1 word;"):
        gather(2, [], [(["a", "e"], str(tmp_path / "align"))])[0].aligned(["x", "y"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 ||| a ||| f= 1", "list: line 2 has no alignment; give a list with a field such as"),
        (
            "7 ||| a ||| f= 1 ||| 1 ||| 0-0",
            "list: line 2 is of sentence '7', but the last of the sources is 1;",
        ),
        (
            "x ||| a ||| f= 1 ||| 1 ||| 0-0",
            "list: line 2 is of sentence 'x', but the last of the sources is 1;",
        ),
    ],
)
def test_lists_that_are_refused(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"0 ||| a ||| f= 1 ||| 1 ||| 0-0\n{line}\n")
    with pytest.raises(InputError) as caught:
        gather(2, [str(tmp_path / "list")])
    assert message in str(caught.value)


def test_the_papers_campaign_is_estimated_as_it_was() -> None:
    # 3,873 HITs of 3.39 labels: $81.44, and 426 labels in an hour.
    estimate = Estimate.of(round(3873 * 3.39), 3873, QueryPlan())
    assert estimate.price == pytest.approx(81.44, abs=0.1)
    assert estimate.labels / estimate.hours == pytest.approx(426, abs=3)
    three = Estimate.of(100, 30, QueryPlan(judges=3, seconds=36, price_per_hit=0.05))
    assert (three.labels, three.hours, three.price) == (300, 3.0, pytest.approx(4.5))


@pytest.mark.parametrize(
    "rates", [{"judges": 0}, {"seconds": 0}, {"price_per_label": -1}, {"price_per_hit": 2e6}]
)
def test_rates_that_make_no_sense(rates: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        QueryPlan(**rates)  # type: ignore[arg-type]


def test_a_source_that_cannot_be_stored() -> None:
    tree = Tree.of(words_of("a\rb c"), ())
    with pytest.raises(InputError, match=r"sentence 1: the source .* has a tab, a line end"):
        make_queries([tree], [pool_of([AlignedOutput(("x",), ((0, 0),))])], {})


def test_a_sentence_that_is_there_again_is_asked_about_once() -> None:
    """Labels are of a source sentence, wherever it stands: both lines have their use of one."""
    tree = Tree.of(["a", "b"], [])
    pools = [Pool(), Pool(), Pool()]
    for pool, texts in zip(pools, (["x y"], ["x z"], ["x y", "u v"]), strict=True):
        for line, text in enumerate(texts):
            pool.add(text, "0-0 1-1", "list", line)
    other = Tree.of(["c", "d"], [])
    found = make_queries([tree, other, tree], pools, {})
    asked = {(one.line - 1, one.substring, one.candidates, one.context) for one in found.queries}
    assert asked == {(0, "x y", 2, 0), (1, "x z", 1, 0), (2, "u v", 1, 1)}
    [both] = [one for one in found.queries if one.substring == "x y"]
    assert (both.if_yes, both.if_no) == (6, 2)  # three nodes, or the highest, of two candidates
    assert (found.tally.candidates, found.tally.alternatives, found.tally.places) == (4, 3, 12)
