"""Ranks of n-best lists are systems, with the segments that have candidates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh import Bleu, Outputs, System, Ter, TestSet
from weigh.comparing.dataset import from_texts
from weigh.comparing.identical import identical_shares
from weigh.errors import InputError, UsageError
from weigh.metrics.registry import parse_metrics
from weigh.read.nbest import Candidate
from weigh.tuning.gather import gather
from weigh.validate.nbest_systems import measure_list

texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)


@given(st.lists(st.tuples(st.integers(0, 3), texts), min_size=2, max_size=20))
def test_ranks_are_systems(lines):
    references = ["a b", "b c a", "c", "a"]
    own = {}
    for segment, text in lines:
        own.setdefault(segment, {})[text] = None
    nbest = gather(
        Candidate(str(segment), text, ("f",), [float(at)], {}, at)
        for at, (segment, text) in enumerate(lines)
    )
    test_set = TestSet([references])
    most = max(map(len, own.values()))
    metrics = [Bleu(), Ter()]
    if most == 1:
        with pytest.raises(InputError, match="one text for every segment"):
            measure_list(nbest, test_set, metrics)
        return
    kept = sorted(own)
    systems = [
        System(f"candidate {rank + 1}", Outputs([[*own[s]][rank % len(own[s])] for s in kept]))
        for rank in range(most)
    ]
    found = measure_list(nbest, test_set, metrics)
    expected = from_texts(systems, TestSet([[references[s] for s in kept]]), metrics)
    assert found.names == expected.names
    shares = [[one.tolist() for one in identical_shares(each)] for each in (found, expected)]
    assert shares[0] == shares[1]
    for one, other in zip(found.samples, expected.samples, strict=True):
        assert [rows.tolist() for [rows] in one.rows] == [rows.tolist() for [rows] in other.rows]


def test_scores_of_systems_are_not_those_of_candidates():
    nbest = gather(Candidate("0", text, ("f",), [1.0], {}, at) for at, text in enumerate("ab"))
    for metric in parse_metrics(["segment:file=x", "combine:bleu=1:segment=1"]):
        with pytest.raises(UsageError, match="score: files have scores of systems, not of an n"):
            measure_list(nbest, TestSet([["a"]]), [metric])
