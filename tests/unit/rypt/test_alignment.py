"""Some of aligned texts, those of several parts, and the words that are linked to a span."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import aligned, aligned_outputs, trees
from weigh.rypt.alignment import AlignedTexts


@given(trees().flatmap(lambda tree: st.tuples(st.just(tree), aligned_outputs(tree))), st.data())
def test_some_texts_and_those_of_several_parts(case, data) -> None:
    tree, outputs = case
    whole = aligned(tree, outputs)
    places = st.lists(st.integers(0, len(outputs) - 1)) if outputs else st.just([])
    some = data.draw(places)
    chosen, alone = whole.chosen(some), aligned(tree, [outputs[place] for place in some])
    joined = AlignedTexts.joined([whole, alone])
    both = aligned(tree, [*outputs, *(outputs[place] for place in some)])
    for found, expected in ((chosen, alone), (joined, both)):
        assert [list(words) for words in found.words] == expected.words
        assert [each.tolist() for each in found.links] == [each.tolist() for each in expected.links]
    for at, output in enumerate(outputs):
        for start, end in tree.spans:
            linked = {target for source, target in output.links if start <= source < end}
            assert whole.places(at, start, end) == tuple(sorted(linked))
