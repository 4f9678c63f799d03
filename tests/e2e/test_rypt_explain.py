"""`weigh rypt score` and `weigh rypt explain` as a user runs them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

LABELS = """\
source\tstart\tend\tsubstring\tlabel
die katze schläft\t0\t2\tthe cat\tYES
die katze schläft\t2\t3\truns\tNO
es regnet\t0\t2\tit rains\tYES
es regnet\t1\t2\t<b>pours</b>\tNOT SURE
"""
FILES = ("-s", "src", "--labels", "labels.tsv", "--parses", "parses.mrg")
ALL = (*FILES, "--alignments", "{system}.align")


@pytest.fixture(autouse=True)
def files(tmp_path):
    links = "0-0 1-1 2-2\n0-0 1-1\n\n"
    for name, text in {
        "src": "die katze schläft\nes regnet\nnichts\n",
        "parses.mrg": "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\nnull\n",
        "labels.tsv": LABELS,
        "A": "the cat runs\nit rains\nnothing\n",
        "B": "the cat sleeps\nit <b>pours</b>\nno\n",
        "A.align": links,
        "B.align": links,
    }.items():
        (tmp_path / name).write_text(text)


def test_score_by_dependency_trees(weigh, tmp_path) -> None:
    """`schläft` hangs from `die`, so that what is below `die` does not stand together."""
    rows = [("die", 2), ("katze", 0), ("schläft", 1)]
    words = [
        f"{at}\t{form}\t_\t_\t_\t_\t{head}\tr\t_\t_\n" for at, (form, head) in enumerate(rows, 1)
    ]
    (tmp_path / "trees.conllu").write_text("".join(words))
    (tmp_path / "one").write_text("die katze schläft\n")
    (tmp_path / "C").write_text("the cat runs\n")
    (tmp_path / "C.align").write_text("0-0 1-1 2-2\n")
    done = weigh(
        "rypt", "score", "-s", "one", "--labels", "labels.tsv", "--parses", "trees.conllu",
        "--alignments", "{system}.align", "C", "--format", "json",
    )  # fmt: skip
    [fields] = json.loads(done.stdout)["scores"]
    assert (fields["nodes"], fields["no"]) == (4, 2)  # the words and the sentence
    assert done.stderr == (
        "weigh: trees.conllu: 1 dependency subtree is no node, as its words do not stand together\n"
    )


def test_pictures_and_page_show_hostile_text_as_text(weigh, tmp_path) -> None:
    done = weigh(
        "rypt", "explain", *ALL, "--segment", "2", "A", "B", "--html", "e.html", "--plots", "plots"
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "e.html").read_text()
    assert "<b>pours" not in page
    assert "&lt;b&gt;pours" in page
    pictures = sorted((tmp_path / "plots").iterdir())
    assert [one.name for one in pictures] == ["tree-1-a.svg", "tree-2-b.svg"]
    namespace = "{http://www.w3.org/2000/svg}"
    root = ET.parse(pictures[1]).getroot()
    boxes = [one for one in root.iter(f"{namespace}g") if one.find(f"{namespace}rect") is not None]
    assert len(boxes) == 3
    texts = " ".join(one.text or "" for one in root.iter(f"{namespace}text"))
    assert "NOT SURE" in texts
    assert {"es", "regnet"} <= set(texts.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", *FILES, "A"], "missing --alignments"),
        (["score", "A", "-s", "src"], "missing --parses, --labels, --alignments"),
        (["explain", *ALL, "A"], "missing --segment"),
        (
            ["explain", *ALL, "A", "--segment", "4"],
            "no segment 4: there are 3; give the number of one",
        ),
        (["explain", *ALL, "A", "--segment", "3"], "segment 3 has no parse; choose another, or"),
        (["explain", *ALL, "--segment", "1"], "missing SYS"),
    ],
)
def test_bad_input(weigh, arguments, message) -> None:
    done = weigh("rypt", *arguments)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert done.stdout == ""
