"""Tuning toward RYPT as a user runs it: no reference anywhere, lists that carry alignments."""

from __future__ import annotations

import json
import sys

import pytest

from e2e.test_rypt import LABELS, PARSES, SOURCE
from e2e.test_rypt import OWN as METRIC

# What the decoder knows: text, features and links. By its first weights it lists the worst.
CANDIDATES = [
    [
        ("a dog runs", 2.0, 0.0, "0-0 1-1 2-2"),
        ("the cat runs", 1.5, 0.5, "0-0 1-1 2-2"),
        ("the cat sleeps", 1.0, 1.0, "0-0 1-1 2-2"),
    ],
    [("it pours", 1.0, 0.0, "0-0 1-1"), ("it rains", 0.0, 1.0, "0-0 1-1")],
]
DECODER = f"""\
import sys

contract, *rest = sys.argv[1:]
if contract == "moses":
    weights = [float(word) for word in rest[rest.index("-weight-overwrite") + 1].split()[1::2]]
    output = rest[rest.index("-n-best-list") + 1]
else:
    weights = [float(line.split()[1]) for line in open(rest[0], encoding="utf-8")]
    output = rest[1]
with open(output, "w", encoding="utf-8") as stream:
    for number, own in enumerate({CANDIDATES!r}):
        scored = [(weights[0] * a + weights[1] * b, text, a, b, links) for text, a, b, links in own]
        for total, text, a, b, links in sorted(scored, key=lambda each: -each[0])[:2]:
            fields = (number, text, f"a= {{a}} b= {{b}}", total, links)
            print(*fields, sep=" ||| ", file=stream)
"""


@pytest.fixture(autouse=True)
def files(tmp_path):
    for name, text in {
        "src": SOURCE,
        "ref": "the cat sleeps\nit rains\n",
        "parses.mrg": PARSES,
        "labels.tsv": LABELS,
        "init": "a_0 1\nb_0 0.1\n",
        "decoder.py": DECODER,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def loop(contract: str) -> list[str]:
    places = " {weights} {nbest}" if contract == "file" else ""
    decoder = f"{sys.executable} decoder.py {contract}{places}"
    return ["tune", "--decoder", decoder, "-s", "src", "--init", "init"]


@pytest.mark.parametrize("contract", ["file", "moses"])
def test_a_decoder_is_tuned_without_references(weigh, contract) -> None:
    done = weigh(*loop(contract), "-m", METRIC, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    # Of 8 nodes the first list's best have no YES; "the cat sleeps", which only better weights
    # list at all, has 4 of 5, and "it rains" 3 of 3.
    assert (document["start_score"], document["score"]) == (0.0, 87.5)
    assert document["test_set"]["references"] == 0
    # All three candidates of the first sentence (5 nodes each) and both of the second (3 each):
    # NO of "runs" twice with its S, YES of "the cat" and its words twice, "sleeps"; NO, NO; 3 YES.
    assert "RYPT of all candidates: 76.2% of 21 nodes are labelled\n" in done.stderr


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("bleu", "no reference given; add one with --ref FILE"),
        (METRIC.replace("parses.mrg", "src"), "src: line 1, column 1"),
        (METRIC.replace("labels.tsv", "no.db"), "no.db: no such file"),
    ],
)
def test_what_a_metric_cannot_do_without(weigh, tmp_path, metric, message) -> None:
    done = weigh(*loop("file"), "-m", metric)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "tuning").exists()


def test_a_folder_of_other_sources_is_refused(weigh, tmp_path) -> None:
    assert weigh(*loop("file"), "-m", METRIC, "--iterations", "1").returncode == 0
    (tmp_path / "other").write_text(SOURCE, encoding="utf-8")
    given = [each.replace("src", "other") if each == "src" else each for each in loop("file")]
    done = weigh(*given, "-m", METRIC, "--iterations", "1")
    assert done.returncode == 1
    assert "another 'source'" in done.stderr


HELD_OUT = ("--heldout", "nbest", "--heldout-src", "held.src", "--heldout-parses", "held.mrg")


@pytest.fixture
def held_out(tmp_path):
    """The sentences of the list in another order, with one that it leaves out."""
    lines = [
        f"{number} ||| {text} ||| a= {a} b= {b} ||| 0 ||| {links}"
        for number, own in ((2, CANDIDATES[0]), (0, CANDIDATES[1]))
        for text, a, b, links in own
    ]
    (tmp_path / "nbest").write_text("\n".join(lines) + "\n", encoding="utf-8")
    cat, rain = SOURCE.strip().split("\n")
    (tmp_path / "held.src").write_text(f"{rain}\nso ist es\n{cat}\n", encoding="utf-8")
    cat, rain = PARSES.strip().split("\n")
    (tmp_path / "held.mrg").write_text(f"{rain}\nnull\n{cat}\n", encoding="utf-8")


@pytest.mark.usefixtures("held_out")
@pytest.mark.parametrize("way", ["nbest", "file"])
def test_a_held_out_list(weigh, tmp_path, way) -> None:
    tuned = [*loop("file"), "--seed", "3"]
    if way == "nbest":
        own = (tmp_path / "nbest").read_text().replace("0 ||| it", "1 ||| it")
        (tmp_path / "list").write_text(own.replace("2 |||", "0 |||"))
        tuned = ["tune", "--nbest", "list", "-s", "src", "--init", "init"]
    done = weigh(*tuned, "-m", f"{METRIC}:unequal", *HELD_OUT, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["score"] == 87.5
    assert found["held_out"]["start_score"] == 0.0
    assert found["held_out"]["score"] == 87.5
    assert found["held_out"]["segments"] == 2
    # Two sentences can be swapped in 4 ways, of which 2 differ as much as what was observed.
    assert found["held_out"]["p_value"] == 0.5
    assert "|parses:held.mrg|" in found["held_out"]["signature"]
    assert "held out: RYPT of all candidates: 76.2% of 21 nodes are labelled\n" in done.stderr
    assert "1 of 3 sentences have no candidates" in done.stderr


@pytest.mark.usefixtures("held_out")
@pytest.mark.parametrize(
    ("metric", "given", "message"),
    [
        (
            METRIC,
            HELD_OUT[:4],
            "RYPT strict needs the parses of the held-out sources; add them with",
        ),
        (
            METRIC,
            (*HELD_OUT[:2], *HELD_OUT[4:]),
            "RYPT strict needs the sources of the held-out list; ",
        ),
        (METRIC, HELD_OUT[2:], "--heldout and --heldout-src go together; give both"),
        ("bleu", HELD_OUT, "--heldout-parses is for -m rypt; leave it out"),
        ("bleu", HELD_OUT[:4], "--heldout and --heldout-ref go together; give both"),
        (METRIC, (*HELD_OUT, "--heldout-parses", "parses.mrg"), "parses.mrg: 2 "),
    ],
)
def test_what_a_held_out_list_lacks_is_said_before_tuning(
    weigh, tmp_path, metric, given, message
) -> None:
    done = weigh(*loop("file"), "-r", "ref", "-m", metric, *given)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    if done.returncode == 2:  # for which nothing is read
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "tuning").exists()
