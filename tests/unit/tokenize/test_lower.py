from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weigh.tokenize import lower, lower_ascii


def test_lower_by_definition():
    assert lower(["ÀB ΑΣ", "İ", ""]) == ["àb ας", "i̇", ""]


@given(st.lists(st.text(st.characters() | st.sampled_from("AZ[@`{az"))))
def test_lower_ascii_by_definition(texts):
    table = {ord(upper): ord(upper) + 32 for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    assert lower_ascii(texts) == [text.translate(table) for text in texts]
