"""The grammar of `-m`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh import UsageError, parse_metric
from weigh.metrics.registry import key_of, parse_metrics

OPTIONS = {
    "bleu": ("tokenize=intl", "lowercase=true", "max_ngram_order=3", r"smooth_method=floor"),
    "chrf": ("word_order=2", "beta=1.5", "whitespace=yes"),
    "segment": (r"file=a\,b\:c=d", "name=comet", "lower=true"),
    "combine": ("bleu=0.5", "ter=-0.5", "gtm=1e-3"),
    "ter": ("normalized=true", "case_sensitive=true"),
}


@st.composite
def specifications(draw: st.DrawFn) -> list[list[str]]:
    """Metrics, each with some of its options."""
    names = draw(st.lists(st.sampled_from(sorted(OPTIONS)), min_size=1, unique=True))
    return [
        [name, *draw(st.lists(st.sampled_from(OPTIONS[name]), min_size=1, unique=True))]
        for name in names
    ]


@given(specifications(), st.data())
def test_options_may_follow_commas_as_well_as_colons(specs, data) -> None:
    expected = [key_of(parse_metric(":".join(spec))) for spec in specs]
    separator = st.sampled_from([":", ",", ", "])
    mixed = [
        spec[0] + "".join(data.draw(separator) + option for option in spec[1:]) for spec in specs
    ]
    assert [key_of(metric) for metric in parse_metrics([",".join(mixed)])] == expected
    assert [key_of(metric) for metric in parse_metrics(mixed)] == expected


def test_bare_words_are_metrics() -> None:
    names = [metric.name for metric in parse_metrics(["bleu:tokenize=intl,lowercase=no,chrf,ter"])]
    assert names == ["BLEU", "chrF2", "TER"]
    said = "unknown metric 'lowercase'; for the option of bleu write :lowercase"
    with pytest.raises(UsageError, match=said):
        parse_metrics(["bleu,lowercase"])


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["bleu,order=3"], "bleu: unknown option 'order'"),
        (["bleu,lowercase=true,lowercase=true"], "bleu: option 'lowercase' is given twice"),
        (["ter", "bleu,,chrf"], "an empty metric in 'bleu,,chrf'; choose from"),
        (["lowercase=true"], "unknown metric 'lowercase=true'"),
        (["COMET-22"], "-m segment:file=FILE:name=comet-22"),
        (["chrF++"], "chrf:word_order=2"),
        (["bleu", "lowercase=true"], "unknown metric 'lowercase=true'"),
    ],
)
def test_an_option_belongs_to_the_metric_before_it(specs: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_metrics(specs)
