from __future__ import annotations

import re
import unicodedata
from importlib.resources import files

import pytest

from unit.report.made import MADE, SEEDS
from unit.report.made.compare import compare_result, score_result
from weigh.comparing.plan import Plan
from weigh.errors import InputError
from weigh.metrics.registry import metric_names
from weigh.report import citations
from weigh.report.citations import bibtex, combine, used_by_plan
from weigh.report.view import Used, parse_result, view
from weigh.stats.procedures import ADJUSTMENTS, BLOCK_TESTS, FLAWED_TESTS, INTERVALS, TESTS

ENTRY = re.compile(r"@(\w+)\{(\S+),\n((?:  \w+ = \{.*\},?\n)+)\}")
FIELD = re.compile(r"^  (\w+) = \{(.*)\}(,?)$", re.MULTILINE)
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "book": {"author", "title", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "unpublished": {"author", "title", "note", "year"},
}
REFERENCES = files("weigh.report").joinpath("references.bib").read_text(encoding="utf-8")


def keys(text: str) -> list[str]:
    return [key for _, key, _ in ENTRY.findall(text)]


# Scores that are given have authors that we do not know; a sum has those of its metrics.
@pytest.mark.parametrize("name", sorted(set(metric_names()) - {"segment", "combine"}))
def test_every_metric_has_a_citation(name: str) -> None:
    assert keys(bibtex(Used([name])))


def test_pass_at_k_is_cited() -> None:
    text = bibtex(Used(["pass@2", "passed pass@10"]))
    assert keys(text) == ["chen-etal-2021-evaluating"]
    assert "cite its authors" not in text


def test_a_sum_of_metrics_has_their_citations():
    alone = bibtex(Used(["bleu", "ter"]))
    assert bibtex(Used(["combine:bleu=0.5:ter=-0.5"])) == alone
    assert bibtex(Used(["combine:bleu=0.5:ter=-0.5", "bleu"])) == alone


def test_the_first_meteor_has_its_own_citation_alone():
    assert keys(bibtex(Used(["meteor:version=2005"]))) == ["banerjee-lavie-2005-meteor"]


def test_given_scores_are_for_their_authors_to_cite():
    assert "cite its authors" in bibtex(Used(["segment:file=x.tsv"]))


@pytest.mark.parametrize("name", [*TESTS, *BLOCK_TESTS, *FLAWED_TESTS])
def test_every_test_has_a_citation(name: str) -> None:
    assert keys(bibtex(Used([], tests=[name])))


@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_every_correction_has_a_citation(name: str) -> None:
    assert bool(keys(bibtex(Used([], adjustments=[name])))) is (name != "none")


@pytest.mark.parametrize("name", INTERVALS)
def test_every_interval_has_a_citation(name: str) -> None:
    assert keys(bibtex(Used([], intervals=[name])))


def test_every_reference_is_cited_for_something() -> None:
    everything = Used(
        [*metric_names(), "chrf:word_order=2", "pass@2"],
        list(citations.TESTS),
        list(citations.ADJUSTMENTS),
        list(citations.INTERVALS),
        margins=True,
        works=list(citations.WORKS),
    )
    assert keys(bibtex(everything)) == keys(REFERENCES)


# What the results of each verb are cited for at least, whatever their options.
CITED = {
    "human plan": {"graham-etal-2013-continuous", "lehmann-1975-nonparametrics"},
    "human quality": {"graham-etal-2013-continuous"},
    "human rank": {
        "graham-etal-2013-continuous",
        "graham-etal-2014-randomized",
        "graham-etal-2017-crowd",
        "holm-1979-simple",
        "cameron-etal-2011-robust",
        "student-1908-probable",
        "wilcoxon-1945-individual",
    },
    "human rank by strength": {
        "bradley-terry-1952-rank",
        "davidson-1970-extending",
        "davidson-beaver-1977-extending",
        "student-1908-probable",
    },
    "human agreement": {"krippendorff-2011-computing"},
    "human metrics": {
        "deutsch-etal-2023-ties",
        "graham-baldwin-2014-testing",
        "kendall-1938-new",
        "kocmi-etal-2024-navigating",
        "riezler-maxwell-2005-pitfalls",
        "thompson-etal-2024-improving",
        "williams-1959-regression",
    },
    "human metrics, known": {"kocmi-etal-2024-navigating", "popovic-2015-chrf"},
}


CITED |= {
    "validate accuracy": {
        "clopper-pearson-1934-use",
        "cochran-1950-comparison",
        "graham-etal-2014-randomized",
        "koehn-2004-statistical",
        "noreen-1989-computer",
    },
    "validate samples": {"koehn-2004-statistical"},
    "validate type1": {"riezler-maxwell-2005-pitfalls", "koehn-2004-statistical"},
    "validate power": {"clopper-pearson-1934-use", "noreen-1989-computer"},
    "validate power of judgments": {"clopper-pearson-1934-use", "wilcoxon-1945-individual"},
    "validate preference, pairs": {"zaidan-callison-burch-2009-feasibility"},
    "validate preference, answers": {"popovic-2015-chrf"},
}


@pytest.mark.parametrize("kind", CITED)
def test_a_result_is_cited_for_what_it_used(kind: str) -> None:
    seed = 1 if kind == "human metrics" else 2  # with two metrics
    assert CITED[kind] <= set(keys(bibtex(MADE[kind](seed).view().used)))
    for other in SEEDS:
        assert keys(bibtex(MADE[kind](other).view().used))


def test_a_page_can_be_cited_like_its_result() -> None:
    result = MADE["compare texts"](2)
    used = view(result).used
    assert view(parse_result(result.to_html(), "r.html")).used == used
    assert bibtex(combine([used, used])) == bibtex(used)
    both = set(keys(bibtex(combine([used, Used(["nist"])]))))
    assert both == set(keys(bibtex(used))) | set(keys(bibtex(Used(["nist"]))))


def test_references_are_well_formed() -> None:
    assert REFERENCES.isascii()
    entries = ENTRY.findall(REFERENCES)
    assert ENTRY.sub("", REFERENCES).strip("\n") == ""
    assert keys(REFERENCES) == sorted(set(keys(REFERENCES)))
    for kind, key, body in entries:
        found = FIELD.findall(body)
        fields = {name: value for name, value, _ in found}
        assert len(found) == len(fields) == body.count("\n")
        assert [comma for _, _, comma in found] == [","] * (len(found) - 1) + [""]
        assert fields.keys() >= REQUIRED[kind]
        for value in fields.values():
            depth = 0
            for brace in re.findall(r"[{}]", value):
                depth += 1 if brace == "{" else -1
                assert depth >= 0
            assert depth == 0
            assert not re.search(r"(?<!\\)[&%#_$@]", value)
        assert re.fullmatch(r"\d{4}", fields["year"])
        assert re.fullmatch(r"\d+--\d+", fields.get("pages", "1--2"))
        first, last = map(int, fields.get("pages", "1--2").split("--"))
        assert first < last
        assert key.startswith(f"{expected_names(fields['author'])}-{fields['year']}-")
        word = key.rpartition("-")[2]
        plain = re.sub(r"[^a-z]", "", fields["title"].lower())
        assert word in plain


def expected_names(authors: str) -> str:
    """Return the start of a key: one surname, two, or the first and `etal`."""
    surnames = [author.partition(",")[0] for author in authors.split(" and ")]
    plain = [re.sub(r"\\\W|\\[a-z](?=\{)|[{}]", "", name).lower() for name in surnames]
    plain = [re.sub(r"[^a-z-]", "", unicodedata.normalize("NFD", name)) for name in plain]
    return "-".join(plain) if len(plain) < 3 else f"{plain[0]}-etal"


def test_words_make_another_chrf() -> None:
    assert "popovic-2017-chrf" not in bibtex(Used(["chrf"]))
    assert "popovic-2017-chrf" not in bibtex(Used(["chrf:char_order=4"]))
    both = keys(bibtex(Used(["chrf:char_order=4:word_order=2"])))
    assert {"popovic-2015-chrf", "popovic-2017-chrf"} < set(both)


def test_margins_are_two_tests() -> None:
    plan = Plan(margin={"bleu": 1.0})
    assert "schuirmann-1987-comparison" in bibtex(used_by_plan(["bleu"], plan))
    assert "schuirmann-1987-comparison" not in bibtex(used_by_plan(["bleu"], Plan()))


def test_what_draws_nothing_needs_no_random_numbers() -> None:
    assert keys(bibtex(Used([], ["tukey", "scheffe"], intervals=["t"]))) == [
        "scheffe-1953-method",
        "student-1908-probable",
        "tukey-1953-problem",
    ]
    assert "salmon-etal-2011-parallel" in bibtex(Used([], ["tukey"], intervals=["bca"]))


def test_scores_and_comparisons() -> None:
    two = compare_result(["a", "b"], {(0, 1): 0.01}, tests=["bootstrap", "tukey"])
    assert view(two).used == Used(["bleu", "ter"], ["bootstrap", "tukey"], [], ["halving"])
    three = compare_result(["a", "b", "c"], {(0, 1): 0.01, (0, 2): 0.1, (1, 2): 1.0})
    assert set(view(three).used.adjustments) == {"holm"}
    scored = view(score_result(["a"], intervals=True, sliced=True)).used
    assert scored == Used(["bleu", "ter"], intervals=["bca"])
    plain = view(score_result(["a"], intervals=False, sliced=False)).used
    assert plain == Used(["bleu", "ter"], intervals=[])


def test_others_metrics_are_left_to_their_authors() -> None:
    text = bibtex(Used(["bleu", "comët\n@x"]))
    last = "% com\\xebt\\n(at)x: not a built-in metric; cite its authors"
    assert text.split("\n\n")[-1] == last
    assert text.isascii()


def test_methods_of_later_versions_are_not_left_out_silently() -> None:
    with pytest.raises(InputError, match="test 'new' is unknown"):
        bibtex(Used([], tests=["new"]))
