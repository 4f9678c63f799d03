"""RYPT as a user runs it: score, compare, tune and rerank by labels."""

from __future__ import annotations

import json

import pytest

SOURCE = "die katze schläft\nes regnet\n"
PARSES = "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\n"
LABELS = """\
source\tstart\tend\tsubstring\tlabel
die katze schläft\t0\t2\tthe cat\tYES
die katze schläft\t2\t3\tsleeps\tYES
die katze schläft\t2\t3\truns\tNO
es regnet\t0\t2\tit rains\tYES
es regnet\t1\t2\tpours\tNO
"""
NBEST = """\
0 ||| the cat runs ||| a= 1 b= 0 ||| 1 ||| 0-0 1-1 2-2
0 ||| the cat sleeps ||| a= 0 b= 1 ||| 0 ||| 0-0 1-1 2-2
1 ||| it pours ||| a= 1 b= 0 ||| 1 ||| 0-0 1-1
1 ||| it rains ||| a= 0 b= 1 ||| 0 ||| 0-0 1-1
"""
OWN = "rypt:labels=labels.tsv:parses=parses.mrg"
SYSTEMS = f"{OWN}:alignments={{system}}.align"


@pytest.fixture(autouse=True)
def files(tmp_path):
    links = "0-0 1-1 2-2\n0-0 1-1\n"
    for name, text in {
        "src": SOURCE,
        "parses.mrg": PARSES,
        "labels.tsv": LABELS,
        "nbest": NBEST,
        "A": "the cat sleeps\nit rains\n",
        "B": "the cat runs\nit pours\n",
        "A.align": links,
        "B.align": links,
        "weights": "a_0 1\nb_0 0.5\n",
    }.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    ("verb", "more"), [("tune", ("--init", "weights")), ("rerank", ("--oracle",))]
)
@pytest.mark.parametrize(
    ("links", "said"),
    [
        ("0-0 1-7", "nbest: line 4: the link 1-7"),
        ("0-0 1-1\n1 ||| it ||| a= 1 b= 2 ||| 0", "rypt: nbest: line 5 has no alignment; give"),
    ],
)
def test_bad_links_of_a_list(weigh, tmp_path, verb, more, links, said) -> None:
    (tmp_path / "nbest").write_text(NBEST.strip().removesuffix("0-0 1-1") + links + "\n")
    done = weigh(verb, *more, "--nbest", "nbest", "-s", "src", "-m", OWN)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("rypt", "rypt: no alignments given; name them, as in rypt:alignments={system}.align"),
        (OWN.replace("mrg", "x") + ":alignments={system}.align", "parses.x: no such file"),
        (SYSTEMS.replace("labels.tsv", "no.db"), "no.db: no such file"),
        (
            f"{SYSTEMS}:unlabelled=most",
            "unlabelled='most' is unknown; choose from half, labelled, ",
        ),
    ],
)
def test_bad_input(weigh, metric, message) -> None:
    done = weigh("score", "-s", "src", "-m", metric, "A")
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize("way", ["", ":unlabelled=labelled", ":unequal"])
def test_systems_without_labels_are_not_compared(weigh, tmp_path, way) -> None:
    (tmp_path / "B").write_text("x y z\nv w\n")
    done = weigh("compare", "-s", "src", "-m", f"{SYSTEMS}{way}", "A", "B", "--trials", "99")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.split("\n")[-2] == (
        "weigh: RYPT: no node of B is labelled YES or NO, so its score means nothing; label "
        "some of its output"
    )
    files = ("--labels", "labels.tsv", "--parses", "parses.mrg", "--alignments", "{system}.align")
    done = weigh("rypt", "score", "-s", "src", *files, "A", "B", "--format", "json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]
    # All of A's labelled nodes are YES; none of B's nodes is labelled.
    assert [one["labelled"] for one in scores] == [100.0, None]
    assert [one["strict"] for one in scores] == [87.5, 0.0]
    assert "but 0.0% of B, which favours one of them; label more\n" in done.stderr
    assert "–" in weigh("rypt", "score", "-s", "src", *files, "A", "B").stdout


@pytest.mark.parametrize("verb", ["score", "infer"])
def test_no_parse_at_all(weigh, tmp_path, verb) -> None:
    (tmp_path / "parses.mrg").write_text("null\nnull\n")
    files = ("--labels", "labels.tsv", "--parses", "parses.mrg", "--alignments", "{system}.align")
    done = weigh("rypt", verb, "-s", "src", *files, "A")
    assert done.returncode == 1
    assert done.stderr.startswith("weigh: parses.mrg: no sentence has a parse; ")
    assert weigh("rypt", verb, "-s", "src", *files, "A", "--flat").returncode == 0


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        (("score", "-m", SYSTEMS, "A"), "rypt: no source texts given; add them with -s FILE"),
        (("tune", "--nbest", "nbest", "-m", OWN, "--init", "weights"), "no source texts given"),
        (("rerank", "--nbest", "nbest", "-m", OWN, "--oracle"), "no source texts given"),
        (("score", "-m", f"bleu,{SYSTEMS}", "A"), "no reference given"),
        (("score", "-s", "src", "-m", f"bleu,{SYSTEMS}", "A"), "no reference given"),
        (("compare", "-s", "src", "A", "B"), "no reference given"),
        (("tune", "--nbest", "nbest", "-s", "src"), "no reference given"),
        (("rerank", "--nbest", "nbest", "-s", "src", "--oracle"), "no reference given"),
        (("validate", "type1", "--nbest", "nbest", "-s", "src"), "no reference given"),
        (("validate", "samples", "-s", "src", "A", "B"), "no reference given"),
        (
            (
                *("validate", "preference", "--nbest", "nbest", "-s", "src"),
                *("-m", OWN, "-m", "bleu", "-o", "pairs.csv", "--key", "key.json"),
            ),
            "no reference given",
        ),
    ],
)
def test_neither_sources_nor_references(weigh, verb, said) -> None:
    done = weigh(*verb)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", ["x", "[1]"])
def test_labels_that_are_no_objects(weigh, tmp_path, line) -> None:
    (tmp_path / "labels.jsonl").write_text(f"{line}\n")
    done = weigh("rypt", "labels", "show", "labels.jsonl")
    assert done.returncode == 1
    assert done.stderr.startswith("weigh: labels.jsonl: row 1 is not ")
    assert done.stderr.endswith("; give one object on each line\n")


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_a_slice_without_a_score(weigh, tmp_path, verb) -> None:
    (tmp_path / "B").write_text("the cat runs\nit rains\n")
    (tmp_path / "slices").write_text("cats\nrain\n")
    arguments = (verb, "-s", "src", "--slices", "slices", "A", "B", "-m")
    metric = f"{SYSTEMS}:unequal"
    assert weigh(*arguments, metric).returncode == 0
    (tmp_path / "parses.mrg").write_text(PARSES.split("\n")[0] + "\nnull\n")
    done = weigh(*arguments, metric)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.split("\n")[-2] == (
        "weigh: RYPT of A, slice rain: no sentence has a parse, so there is no score; give "
        "parses, or treat sentences as flat trees with rypt:flat"
    )
