"""A whole campaign with the installed command: plan, HITs, demo, agreement, metrics."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from weigh.cli import main
from weigh.human.plan import KINDS

Run = Callable[..., "subprocess.CompletedProcess[str]"]


SMALL = ("--segments", "100", "--hits", "40", "--judges", "20")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "trial"
    assert main(["demo", "campaign", str(directory), *SMALL, "--quiet"]) == 0
    return directory


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def systems(campaign: Path) -> list[str]:
    return [
        argument
        for path in sorted((campaign / "systems").iterdir())
        for argument in ("--system", str(path))
    ]


def test_the_truth_is_found_again(weigh: Run, campaign: Path) -> None:
    truth = json.loads((campaign / "truth.json").read_text())
    assert (truth["schema"], truth["command"]) == ("weigh/2", "demo campaign")
    files = (campaign / "judgments.jsonl", "--names")
    done = weigh("human", "quality", *files, "--format", "json")
    kept = {each["judge"]: each["kept"] for each in json.loads(done.stdout)["judges"]}
    honest = {each["name"]: each["habit"] == "honest" for each in truth["judges"]}
    assert sum(kept[name] != honest[name] for name in honest) <= 2
    done = weigh(
        *("human", "rank", "--quality", "crowd-alone"),
        *(campaign / "judgments.jsonl", "--format", "json"),
    )
    scores = json.loads(done.stdout)["scores"]
    assert [each["system"] for each in scores] == [each["system"] for each in truth["systems"]]


def test_demo_refuses_and_repeats(weigh: Run, campaign: Path, tmp_path: Path) -> None:
    done = weigh("demo", "campaign", "again", *SMALL)
    assert (done.returncode, done.stdout) == (0, "")
    assert "in again: reference.txt, hits.jsonl, judgments.jsonl, truth.json" in done.stderr
    for path in campaign.rglob("*.*"):
        same = tmp_path / "again" / path.relative_to(campaign)
        assert same.read_bytes() == path.read_bytes()
    done = weigh("demo", "campaign", "again")
    assert done.returncode == 1
    assert "reference.txt: exists; add --force to overwrite it" in done.stderr
    for arguments, message in (
        (["campagin", "x"], "unknown demo 'campagin'; did you mean 'campaign'?"),
        (["campaign"], "demo campaign: expected one directory, found 0"),
        (["campaign", "x", "--systems", "1"], "1 systems; give a number from 2 to 10"),
        (["lists", "x", "y"], "demo lists: expected one directory, found 2"),
        (["score", "x", "--hits", "4"], "--hits: an option of 'weigh demo campaign' alone"),
    ):
        done = weigh("demo", *arguments)
        assert (done.returncode, done.stderr) == (2, f"weigh: {message}\n")


def test_planning_by_number(weigh: Run) -> None:
    done = weigh("human", "plan", "--count", "2", "--detect", ".2", "--format", "json")
    made = json.loads(done.stdout)
    assert (made["schema"], made["command"]) == ("weigh/2", "human plan")
    # By hand: 411 of each kept, 563.01 collected, so 1,126.03 outputs in HITs of 70.
    assert made["plan"]["hits_per_scale"] == 17
    assert made["plan"]["hours"] == pytest.approx(17 * 1600 / 3600)
    assert made["plan"]["enough"] is True
    short = weigh("human", "plan", "--count", "2", "--detect", ".2", "--hours", "4")
    assert "4 hours allow 9 of the 17 HITs that a difference of 0.2 needs" in short.stderr


def test_hits_for_every_platform(weigh: Run, root: Path, tmp_path: Path) -> None:
    names = [str(root / "examples" / f"{name}.en") for name in ("good", "middling", "poor")]
    arguments = ("human", "plan", "--hits", "2", "-r", root / "examples" / "reference.en")
    exports = [each for name in ("mturk", "pearmut") for each in ("--export", name)]
    done = weigh(
        *arguments, "-o", "out", *exports, "--export", "jsonl", "--pair", "de-en", *names,
        *("--scale", "fluency", "--scale", "adequacy", "--format", "json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["plan"]["unit"] == "words"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{scale}{ending}"
        for scale in ("adequacy", "fluency")
        for ending in (".jsonl", ".mturk.csv", ".mturk.html", ".pearmut.json")
    }
    assert len(made["files"]) == 8
    with (tmp_path / "out" / "adequacy.mturk.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    lines = (tmp_path / "out" / "adequacy.jsonl").read_text().rstrip("\n").split("\n")
    for row, line in zip(rows, lines, strict=True):
        shown = [(row[f"sys_{at}"][1:-1], row[f"sid_{at}"][1:-1]) for at in range(100)]
        assert shown == [(item["system"], item["segment"]) for item in json.loads(line)["items"]]
    again = weigh(*arguments, "-o", "out", *names)
    assert again.returncode == 1
    assert "out/adequacy.jsonl: exists; add --force to overwrite it" in again.stderr
    other = weigh(*arguments, "-o", "other", "--seed", "12345", "--preset", "appraise", *names)
    assert other.returncode == 0, other.stderr
    [first, _] = (tmp_path / "other" / "adequacy.jsonl").read_text().rstrip("\n").split("\n")
    kinds = [item["kind"] for item in json.loads(first)["items"]]
    assert [kinds.count(kind) for kind in ("system", "bad", "reference", "repeat")] == [
        80,
        10,
        5,
        5,
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_hits_of_every_kind(kind: str, weigh: Run, root: Path, tmp_path: Path) -> None:
    examples = root / "examples"
    names = [str(examples / f"{name}.en") for name in ("good", "middling", "poor")]
    given = ("-s", examples / "source.de", "--documents", examples / "documents.txt")
    plan = ("human", "plan", "--kind", kind, "--hits", "2", "--rate", "12", "-o", "out", *names)
    done = weigh(*plan, *given, "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    [path] = (tmp_path / "out").iterdir()
    assert made["files"] == [f"out/{path.name}"]
    hits = [json.loads(line) for line in path.read_text("utf-8").rstrip("\n").split("\n")]
    assert {hit["kind"] for hit in hits} == {kind}
    items = [item for hit in hits for item in hit["items"]]
    assert made["plan"]["judgments"] == len(items)
    assert made["plan"]["money"] == pytest.approx(12 * made["plan"]["hours"])
    sources = (examples / "source.de").read_text("utf-8").split("\n")
    documents = (examples / "documents.txt").read_text("utf-8").split("\n")
    for item in items:
        at = int(item["segment"]) - 1
        assert (item["source"], item["document"]) == (sources[at], documents[at])
        assert item["reference"] is None
    short = tmp_path / "short.txt"
    short.write_text("a\nb\n", encoding="utf-8")
    wrong = weigh(*plan, "--force", "-s", examples / "source.de", "--documents", short)
    assert wrong.returncode == 1
    assert wrong.stderr.count("\n") == 1
    assert "2 lines, but" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no systems; name their files, or give their number with --count"),
        (["--count", "1"], "1 system; a comparison needs two at least"),
        (["--count", "3", "-o", "x"], "--count with -o DIR; HITs need the files of systems"),
        (["--count", "3", "a.en"], "both systems and --count; give one of them"),
        (["a", "b", "-o", "x"], "HITs need a reference, for controls too; add one with --ref FILE"),
        (
            ["--count", "3", "--scale", "meaning"],
            "unknown scale 'meaning'; known: adequacy, fluency",
        ),
        (["--count", "3", "--hours", ".1"], "0.1 hours: not enough for one HIT, which takes 0.44"),
        (["--count", "3", "--kind", "pears"], "unknown kind 'pears'; did you mean 'pair'?"),
        (["a", "--kind", "pair"], "1 system; a comparison needs two at least"),
        (["a", "b", "--kind", "esa", "-r", "r", "-o", "x"], "esa: errors are marked beside the"),
        (
            ["a", "b", "--kind", "mqm", "-s", "s", "-o", "x", "--export", "mturk"],
            "--export mturk with kind mqm, which is not judged there; use weigh serve, or --export",
        ),
        (["--count", "3", "--kind", "esa", "--scale", "fluency"], "scale fluency with kind esa"),
        (["--count", "3", "--split", "99"], "split 99: give a number at least 1 and at most 50"),
        (["--count", "3", "--rate", "-1"], "rate -1: give a number at most 1e+09 and above 0"),
    ],
)
def test_wrong_plans(arguments: list[str], message: str, weigh: Run) -> None:
    done = weigh("human", "plan", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"weigh: {message}")
    assert done.stderr.count("\n") == 1


def test_agreement(weigh: Run, campaign: Path) -> None:
    file = campaign / "judgments.jsonl"
    done = weigh(
        "human", "agreement", file, "--categories", "5", "--replicate", file, "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["command"] == "human agreement"
    [scale] = made["agreement"]
    assert scale["judged"] == 500
    assert 0 < scale["alpha_interval"] < scale["alpha_standardised"] < 1
    assert 0 < scale["cohen_kappa"] < 1
    assert made["replication"][0]["r_outputs"] == pytest.approx(1)
    assert {each["repeats"] for each in made["repeats"]} == {20}
    # Those who always give one number cannot be standardised, and that is said.
    truth = json.loads((campaign / "truth.json").read_text())
    assert sum(each["habit"] == "constant" for each in truth["judges"]) == 2


def test_agreement_of_preferences(weigh: Run, tmp_path: Path) -> None:
    rows = ["seg\tjudge\tsys1\tsys2\trank1\trank2"]
    rows += [
        f"{segment}\t{judge}\tA\tB\t1\t{1 + segment % 3}" for segment in range(9) for judge in "xy"
    ]
    (tmp_path / "rnk.tsv").write_text("\n".join(rows) + "\n")
    done = weigh("human", "agreement", "rnk.tsv", "--format", "json")
    assert json.loads(done.stdout)["agreement"][0]["alpha_nominal"] == 1
    done = weigh("human", "agreement", "rnk.tsv", "--categories", "3")
    assert done.returncode == 2
    assert "--categories is for scores, but these are preferences" in done.stderr


def test_what_differences_mean_without_judgments(weigh: Run, tmp_path: Path) -> None:
    done = weigh("human", "metrics", "--delta", "bleu=0.8", "--delta", "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [each["metric"] for each in made["deltas"]] == ["bleu"]
    assert [each["delta"] for each in made["deltas"][0]["asked"]] == [0.8]
    (tmp_path / "r.json").write_text(done.stdout)
    assert "0.8 BLEU: people agreed in 57%" in weigh("report", "r.json").stdout
    both = weigh("human", "metrics", "--delta", "-m", "ter,chrf:word_order=2", "--format", "json")
    assert [each["metric"] for each in json.loads(both.stdout)["deltas"]] == [
        "ter",
        "chrf:word_order=2",
    ]
    for arguments, said in {
        ("--delta", "bleu=x"): "expected a number",
        ("--delta", "bleu=0"): "give a difference above 0",
        ("--delta", "comet=1"): "comet: differences of this metric are not known",
        ("--delta", "some.tsv"): "files stand before a lone --delta",
        ("--delta", "-r", "ref"): "--ref is for judgments of your own",
    }.items():
        done = weigh("human", "metrics", *arguments)
        assert done.returncode == 2
        assert said in done.stderr


def test_metrics_from_texts(weigh: Run, campaign: Path) -> None:
    arguments = (
        *("human", "metrics", campaign / "judgments.jsonl", "--quality", "crowd-alone"),
        *("-r", campaign / "reference.txt", "-m", "bleu,wer", "--trials", "500"),
    )
    done = weigh(*arguments, *systems(campaign), "--format", "json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["command"] == "human metrics"
    assert [each["metric"] for each in made["metrics"]] == ["bleu", "wer"]
    for each in made["metrics"]:
        # The truth of the demo is a word error rate, and people tell it: all orders agree.
        assert each["pearson"] > 0.95
        assert each["accuracy"] == 1
        assert each["soft_accuracy"] > 0.95
    assert made["contests"][0]["p_soft_accuracy"] is None
    for each in made["segments"]:
        assert each["held_out"] > each["chance"] + 0.1
    asked = weigh(*arguments, *systems(campaign), "--delta", "bleu=1", "--format", "json")
    assert "systems, but at least 8 are needed" in asked.stderr


def test_systems_that_do_not_match(weigh: Run, campaign: Path) -> None:
    some = systems(campaign)[:6]
    arguments = ("human", "metrics", campaign / "judgments.jsonl", "-r", campaign / "reference.txt")
    done = weigh(
        *arguments, *some, "--system", f"new={campaign / 'systems' / 'ash'}", "--trials", "9"
    )
    assert done.returncode == 0, done.stderr
    assert "not scored by metrics, so left out: elm, fir" in done.stderr
    assert "not judged by people, so left out: new" in done.stderr
    # The smallest p-value of 9 trials is 1/10: that nothing is significant is no finding.
    assert "9 trials no difference can be significant; use at least" in done.stderr
    done = weigh(*arguments, *some[:4])
    assert done.returncode == 1
    assert "2 systems that both people and metrics have scored" in done.stderr
    done = weigh(*arguments)
    assert (done.returncode, done.stderr) == (
        2,
        "weigh: give the systems' texts with --system, or segment scores with --scores\n",
    )


def test_the_example_of_the_plan_runs(weigh: Run, root: Path) -> None:
    example = weigh("human", "plan", "--help").stdout.rstrip("\n").split("\n")[-1].split()
    changed = [str(root / word) if word.startswith("examples/") else word for word in example[1:]]
    done = weigh(*changed)
    assert done.returncode == 0, done.stderr
