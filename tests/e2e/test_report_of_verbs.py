"""`weigh report` of tunings, rerankings, preferences and RYPT: what the verb itself would show."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e import dummy_decoder
from e2e.conftest import ROOT
from unit.report.studies import NAMES, judgments
from weigh.cli import main
from weigh.cli.app import verbs
from weigh.human.judgments import as_jsonl
from weigh.report.formats import FORMATS
from weigh.validate.blinding import Key, Pair, as_key

LIST = """\
0 ||| the cat sat on mat . ||| lm= 3 tm= 1 ||| 4
0 ||| the cat sat on the mat . ||| lm= 1 tm= 2 ||| 3
0 ||| a dog ||| lm= 2 tm= 0 ||| 2
1 ||| it rained ||| lm= 5 tm= 1 ||| 6
1 ||| it rained all day long . ||| lm= 1 tm= 3 ||| 4
2 ||| we went home at night . ||| lm= 0 tm= 2 ||| 2
2 ||| we go home ||| lm= 1 tm= 1.5 ||| 2.5
3 ||| ||| lm= 1 tm= 1 ||| 2
"""


def key(pairs: str, **about: Any) -> str:
    """Return the key of some pairs of the segments 0, 1…, with a's choice always on the left."""
    made = Key(
        "TER", "<WER>", {"TER": "nrefs:1", "<WER>": "nrefs:1|x"}, 4, 1, 0, {"TER": 1, "<WER>": 0},
        pairs=tuple(Pair(pair, str(at), "a") for at, pair in enumerate(pairs)), **about,
    )  # fmt: skip
    return as_key(made)


FILES = {
    "judged.jsonl": as_jsonl(judgments(2, ("adequacy",))),
    "preferred.tsv": "seg\twinner\tloser\tjudge\n1\tA\tB\tx\n1\tA\tB\ty\n2\tB\tA\tx\n",
    "src": "die katze schläft\nes regnet\nso\n",
    "parses.mrg": "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\nnull\n",
    "labels.tsv": """\
source\tstart\tend\tsubstring\tlabel\tjudge\tat\tseconds
die katze schläft\t0\t2\tthe cat\tYES\tone\t2009-06-01T12:00:00Z\t8
die katze schläft\t0\t2\tthe cat\tYES\ttwo\t2009-06-01T12:00:00Z\t9.5
die katze schläft\t2\t3\tsleeps\tYES\tone\t2009-06-01T12:00:00Z\t
die katze schläft\t2\t3\t<b>runs</b>\tNO\tone\t2009-06-01T12:00:00Z\t7
es regnet\t0\t2\tit rains\tYES\tone\t2009-06-01T12:00:00Z\t2
es regnet\t0\t2\tit rains\tNO\ttwo\t2009-06-01T12:00:00Z\t2
es regnet\t1\t2\tpours\tNO\tone\t2009-06-01T12:00:00Z\t2
""",
    "untimed.tsv": "source\tstart\tend\tsubstring\tlabel\nso\t0\t1\tthus\tNOT SURE\n",
    "rypt.list": (
        "0 ||| the cat <b>runs</b> ||| a= 1 ||| 1 ||| 0-0 1-1 2-2\n"
        "0 ||| a cat sleeps ||| a= 0 ||| 0 ||| 0-0 1-1 2-2\n"
        "1 ||| it pours ||| a= 1 ||| 1 ||| 0-0 1-1\n"
    ),
    "A": "the cat sleeps\nit rains\nso\n",
    "B": "the cat <b>runs</b>\nit pours\nso\n",
    "A.align": "0-0 1-1 2-2\n0-0 1-1\n\n",
    "B.align": "0-0 1-1 2-2\n0-0 1-1\n\n",
    "key.json": key("pqr", judges=2, reference_shown=True, seed=7),
    "other.json": key("stu", judges=3, reference_shown=False, seed=8),
    "answers.csv": "pair,judge,choice\np,x,left\np,y,right\nq,x,left\nq,y,left\n",
    "more.csv": "pair,judge,choice\ns,x,neither\nt,y,right\n",
    "list": LIST,
    "ref": "the cat sat on the mat .\nit rained all day long .\nwe went home at night .\n.\n\n",
    "weights": "lm_0 0.5\ntm_0 1\n",
    "decoded": "".join(f"{line}\n" for line in dummy_decoder.references()),
    "init": "lm_0 0.1\ntm_0 1.0\ntm_1 0.5\n",
}
DECODER = (
    f"{sys.executable} {dummy_decoder.__file__} file {{weights}} {{nbest}} {{size}} {{source}}"
)
EXAMPLES = ROOT / "examples"
SOURCES = ("-s", "src", "--parses", "parses.mrg")
LABELS = ("--labels", "labels.tsv")
SYSTEMS = (*SOURCES, *LABELS, "--alignments", "{system}.align")
QUERIES = (*SOURCES, "--nbest", "rypt.list")
LISTS = ("--nbest", "list", "-r", "ref")
PREFERENCES = ("validate", "preference", "--answers", "answers.csv", "--key", "key.json")
# What makes each kind of result; those of one verb differ in what their documents hold.
CASES: dict[str, tuple[str, ...]] = {
    "tune": ("tune", *LISTS, "--starts", "3"),
    "tune, ter": ("tune", *LISTS, "-m", "ter", "--optimizer", "pro"),
    "tune, runs": ("tune", *LISTS, "-m", "nist", "--starts", "2", "--runs", "3"),
    "tune, average": (
        *("tune", *LISTS, "--starts", "2", "--runs", "2", "--average"),
        *("--heldout", "list", "--heldout-ref", "ref"),
    ),
    "tune, decoder": (
        *("tune", "--decoder", DECODER, "-r", "decoded", "-s", "decoded", "--init", "init"),
        *("--dir", "loop", "--iterations", "3", "--starts", "2", "--size", "5", "--quiet"),
    ),
    "validate preference, pairs": (
        *("validate", "preference", "--nbest", f"{EXAMPLES}/nbest.txt", "-m", "nist", "-m", "ter"),
        *("-r", f"{EXAMPLES}/reference.en", "-o", "fresh.jsonl", "--key", "fresh.json"),
    ),
    "validate preference, answers": PREFERENCES,
    "validate preference, two keys": (
        *(*PREFERENCES, "--key", "other.json", "--answers", "more.csv"),
    ),
    # Half of A's nodes are labelled and seven eighths of B's, so that neither is called the best.
    "score, unlike labels": (
        *("score", "-s", "src", "A", "B"),
        *("-m", "rypt:labels=labels.tsv:parses=parses.mrg:alignments={system}.align"),
    ),
    "rypt score": ("rypt", "score", *SYSTEMS, "A", "B"),
    "rypt score, runs": (
        *("rypt", "score", *SOURCES, *LABELS),
        *("--alignments", "{run}.align", "X@A=A", "X@B=B"),
    ),
    "rypt explain": ("rypt", "explain", *SYSTEMS, "--segment", "1", "A", "B"),
    "rypt infer": ("rypt", "infer", *SYSTEMS, "A", "B"),
    "rypt infer, held out": ("rypt", "infer", *SYSTEMS, "A", "B", "--held-out", ".4"),
    "rypt queries": ("rypt", "queries", *QUERIES),
    "rypt queries, many": (
        *("rypt", "queries", "-s", f"{EXAMPLES}/rypt/source.de"),
        *("--parses", f"{EXAMPLES}/rypt/parses.mrg"),
        *("--nbest", f"{EXAMPLES}/rypt/candidates.nbest"),
    ),
    "rypt queries, all": (
        *("rypt", "queries", *QUERIES, *LABELS, "--sweep", "3", "--top", "2", "--most", "9"),
        *("--seconds", "5", "--price-per-hit", ".5", "--judges", "2"),
        *("-o", "hits", "--export", "mturk", "--force", "--quiet"),
    ),
    "rypt diversity": ("rypt", "diversity", *SOURCES, "rypt.list", "rypt.list"),
    "rypt diversity, labels": (
        *("rypt", "diversity", *SOURCES, *LABELS, "rypt.list", "--max-length", "2"),
    ),
    "rypt labels": ("rypt", "labels", "show", "labels.tsv", "--paid", "3"),
    "rypt labels, no times": ("rypt", "labels", "show", "untimed.tsv"),
    "rerank, choices": ("rerank", "--nbest", "list", "--weights", "weights"),
    "rerank, oracle": ("rerank", *LISTS, "--oracle", "-m", "bleu,ter,nist"),
    "rerank, train": ("rerank", *LISTS, "--train", "--folds", "2", "--gamma", "1,4", "-o", "model"),
    "rerank, one gamma": ("rerank", *LISTS, "--train", "--gamma", ".1", "-m", "ter", "-o", "model"),
}  # fmt: skip
cases = pytest.mark.parametrize("case", CASES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("verbs")
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def show(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return what runs the command: exit code, standard output and standard error."""
    monkeypatch.chdir(folder)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        for path in folder.glob("fresh.*"):  # what a verb would not write over
            path.unlink()
        code = main(list(arguments))
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    """What each case writes as JSON, kept since some of them take a while."""
    return {}


@pytest.fixture
def saved(show: Any, documents: dict[str, str]) -> Callable[[str], str]:
    def document(case: str) -> str:
        if case not in documents:
            code, written, said = show(*CASES[case], "--format", "json")
            assert code == 0, said
            documents[case] = written
        return documents[case]

    return document


@cases
def test_shown_as_by_the_verb(case: str, show: Any, saved: Any, folder: Path) -> None:
    """As a table; all other formats are made of the same parts."""
    (folder / "saved.json").write_text(saved(case), encoding="utf-8")
    assert show("report", "saved.json", "--format", "json") == (0, saved(case), "")
    again, direct = show("report", "saved.json"), show(*CASES[case])
    assert again[:2] == direct[:2] == (0, direct[1])
    assert again[2] == ""
    for form in FORMATS:
        code, written, _ = show("report", "saved.json", "--format", form)
        assert (code, bool(written)) in ((0, True), (2, False))


# Segments and references of each verb's test set, where not as here.
SIZES = {
    "tune": (4, 1),
    "tune, decoder": (12, 1),
    "rerank": (4, 1),
    "rerank, choices": (4, 0),
    "validate preference, pairs": (40, 1),
    "validate preference": (2, 0),
    "score": (3, 0),
    "rypt score": (3, 0),
    "rypt explain": (3, 0),
    "rypt infer": (3, 0),
    "rypt queries": (3, 0),
    "rypt queries, many": (2, 0),
    "rypt diversity": (3, 0),
}


OUTPUTS = (f"{EXAMPLES}/good.en", f"{EXAMPLES}/poor.en")
TEXTS = ("-r", f"{EXAMPLES}/reference.en", "-r", f"{EXAMPLES}/reference2.en", "-m", "bleu")
DOCUMENTS = ("--documents", f"{EXAMPLES}/documents.txt")
QUICK = ("--trials", "999", "--quiet")
# Twelve segments were judged; the texts have 40, and four documents.
STUDIES: dict[tuple[str, ...], tuple[int, int, int | None]] = {
    ("human", "quality", "judged.jsonl", "--quiet"): (12, 0, None),
    ("human", "rank", "judged.jsonl", "--quiet"): (12, 0, None),
    ("human", "rank", "preferred.tsv", "--quiet"): (2, 0, None),
    ("human", "agreement", "judged.jsonl", "--quiet"): (12, 0, None),
    ("human", "agreement", "preferred.tsv", "--quiet"): (2, 0, None),
    (
        *("human", "metrics", "judged.jsonl", *TEXTS, *QUICK),
        *(f"--system={name}={OUTPUTS[at > 0]}" for at, name in enumerate(NAMES)),
    ): (40, 2, None),
    (
        *("validate", "accuracy", "--human", "judged.jsonl", *TEXTS, *DOCUMENTS, *QUICK),
        *(f"{name}={OUTPUTS[at > 0]}" for at, name in enumerate(NAMES)),
    ): (40, 2, 4),
    (
        *("validate", "samples", "--samples", "9", "--sizes", "9"),
        *(*TEXTS, *QUICK, *OUTPUTS),
    ): (40, 2, None),
    ("validate", "type1", "--nulls", "9", *TEXTS, *DOCUMENTS, *QUICK, *OUTPUTS): (40, 2, 4),
    (
        *("validate", "power", "--sizes", "20", "--strengths", "0,1", "--simulations", "9"),
        *(*TEXTS, *QUICK, *OUTPUTS),
    ): (40, 2, None),
    (
        *("validate", "power", "--human", "judged.jsonl", *NAMES[:2], "--sizes", "20"),
        *("--strengths", "0,1", "--simulations", "9", "--quiet"),
    ): (12, 0, None),
}  # fmt: skip


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: " ".join(study[:3]))
def test_a_study_names_its_test_set(study: tuple[str, ...], show: Any, folder: Path) -> None:
    code, written, said = show(*study, "--format", "json")
    assert code == 0, said
    test_set = json.loads(written)["test_set"]
    found = (test_set["segments"], test_set["references"], test_set["documents"])
    assert found == STUDIES[study]
    (folder / "saved.json").write_text(written, encoding="utf-8")
    assert show("report", "saved.json", "--format", "json") == (0, written, "")


# All but a store of labels, which is of no test set.
@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("rypt labels")])
def test_a_document_names_its_test_set(case: str, saved: Any) -> None:
    test_set = json.loads(saved(case))["test_set"]
    segments, references = SIZES.get(case, SIZES[case.partition(",")[0]])
    assert (test_set["segments"], test_set["references"]) == (segments, references)
    assert test_set["documents"] is None


@cases
def test_a_broken_file_is_one_line(case: str, show: Any, saved: Any, folder: Path) -> None:
    whole = saved(case)
    for broken in (
        whole[: len(whole) // 2],
        whole.replace(": ", ": NaN, ", 5),
        whole.replace("{", "["),
    ):
        (folder / "broken.json").write_text(broken, encoding="utf-8")
        code, shown, said = show("report", "broken.json")
        assert (code, shown, said.count("\n")) == (1, "", 1)
        assert said.startswith("weigh: broken.json")


def test_the_page_of_trees_is_made_again(show: Any, folder: Path) -> None:
    files = ("--html", "direct.html", "--plots", "direct")
    code, direct, _ = show(*CASES["rypt explain"], *files)
    assert code == 0
    assert show("report", "direct.html") == (0, direct, "")
    assert show("report", "direct.html", "--html", "later.html", "--plots", "later")[:2] == (0, "")
    assert (folder / "later.html").read_bytes() == (folder / "direct.html").read_bytes()
    pictures = {path.name: path.read_bytes() for path in (folder / "direct").iterdir()}
    assert {path.name: path.read_bytes() for path in (folder / "later").iterdir()} == pictures
    assert len(pictures) == 2


def test_every_verb_with_a_document_is_read() -> None:
    """Those of other groups are tried on small results of each, by what holds for all."""
    others = {"report", "cite", "sample", "metrics", "rypt align", "demo", "serve"}
    others |= {"sacrebleu", "completion"}
    groups = ("score", "compare", "human", "validate", "campaign", "paper", "translate")
    tested = {case.partition(",")[0] for case in CASES}
    rest = {verb for verb in set(verbs()) - others if verb.partition(" ")[0] not in groups}
    assert rest | {"validate preference", "score"} == tested
