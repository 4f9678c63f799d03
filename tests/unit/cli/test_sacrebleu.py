"""`weigh sacrebleu` against sacreBLEU itself: the same scores, keys and layouts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from e2e.in_process import run_inside
from weigh import Bleu, Outputs, TestSet, __version__

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
# One process that runs sacreBLEU once for each list of arguments, since to load it takes longest.
ORACLE = """
import json, os, sys
from sacrebleu import sacrebleu
for name, arguments in json.load(open("cases.json")).items():
    if os.fork() == 0:
        os.dup2(os.open("columns.txt", os.O_RDONLY), 0)
        os.dup2(os.open(f"{name}.out", os.O_WRONLY | os.O_CREAT), 1)
        sys.argv = ["sacrebleu", "--quiet", *arguments.split()]
        try:
            sacrebleu.main()
        except SystemExit:
            pass
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""
SINGLE = {
    "defaults": "ref -i good",
    "all-metrics": "ref -i good -m ter bleu chrf",
    "two-references": "ref ref2 -i good -m bleu chrf ter -w 4",
    "columns-of-references": "both -nr 2 -i good -m bleu chrf -w 4",
    "lower-case": "ref -i poor -lc --chrf-lowercase --ter-case-sensitive -m bleu chrf ter -w 3",
    "floor": "ref -i poor -s floor -sv 0.25 -w 5",
    "add-k": "ref -i poor -s add-k -w 5",
    "no-smoothing": "ref -i nothing -s none",
    "exponential-smoothing": "ref -i rare -w 5",
    "international": "ref -i good -tok intl -w 6",
    "characters": "ref -i good --tokenize char --chrf-word-order 2 -m bleu chrf -w 6",
    "chrf": "ref -i good -m chrf -cc 4 -cw 1 --chrf-beta 3 --chrf-whitespace -w 6",
    "chrf-eps": "ref -i good -m chrf --chrf-eps-smoothing -w 6",
    "ter": "ref -i good -m ter --ter-no-punct --ter-asian-support -w 6",
    "chinese": "ref.zh -i out.zh -l en-zh -w 3",
    "empty-references": "empty -i nothing -w 3",
    "other-metrics-options": "ref -i good -m bleu -cc 0 -w 3",
    "abbreviated": "ref -i good --metric chrf --wid 3",
    "stdin": "ref -m chrf -w 5 -i good",
    "confidence": "ref -i good -m bleu chrf ter -ci -w 2",
    "few-samples": "ref -i good -m bleu -ci -cin 200 -w 2",
}
TESTED = {
    "ar": "ref -i good close middling -m chrf bleu --paired-ar -parn 1000",
    # Of other metrics sacreBLEU has numbers that its JSON cannot hold, with NumPy 2.
    "bs": "ref -i good close --paired-bs",
    "mixed": "ref -i mixed mixture -m bleu chrf ter -par -parn 1000",
    "few-trials": "ref -i good close --paired-ar --paired-ar-n 200",
    "the-same": "ref -i good copy -m bleu chrf ter --paired-ar -parn 1500",
    "the-same-bs": "ref -i good copy -pbs",
    "baseline-twice": "ref -i good close good -par -parn 50",
    "stdin-tested": "ref --paired-ar -m chrf -parn 100",
}
LAYOUTS = {
    "single-text": "ref -i good -f text",
    "aligned": "ref -i good -m bleu chrf ter -f text",
    "short": "ref ref2 -i good -m bleu chrf ter -f text -sh --ter-no-punct",
    "score": "ref -i good -b -f text",
    "scores": "ref -i good -b -f text -m bleu chrf ter -w 3",
    "scores-in-json": "ref -i good -b -m bleu chrf",
    "sentences": "ref -i poor -sl -w 4",
    "sentences-by-ter": "ref -i poor -sl -m ter -b",
    "table": "ref -i good middling poor -m ter chrf bleu -f text -w 2",
    "table-in-json": "ref -i good middling -m ter chrf bleu -w 3",
    "stdin-table": "ref -f text",
    "tested-table": "ref -i good close middling -m bleu chrf -par -parn 100 -f text",
    "tested-bs-table": "ref -i good close middling -m bleu chrf -pbs -pbsn 50 -f text -sh",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with texts, and with what sacreBLEU says of them."""
    made: Path = tmp_path_factory.mktemp("sacrebleu")
    known = {
        name: (EXAMPLES / f"{file}.en").read_text(encoding="utf-8").split("\n")[:-1]
        for name, file in {
            **{"ref": "reference", "ref2": "reference2", "good": "good"},
            **{"middling": "middling", "poor": "poor"},
        }.items()
    }
    pairs = list(zip(known["good"], known["middling"], strict=True))
    known["copy"] = known["good"]
    known["close"] = [b if at % 8 == 0 else a + "  " for at, (a, b) in enumerate(pairs)]
    known["mixed"] = [pair[at % 2] for at, pair in enumerate(pairs)]
    known["mixture"] = [pair[1 - at % 2] for at, pair in enumerate(pairs)]
    known["nothing"] = ["no words of theirs"] * len(pairs)
    known["empty"] = [""] * len(pairs)
    known["rare"] = ["the of and"] * len(pairs)
    both = zip(known["ref"], known["ref2"], strict=True)
    known["both"] = ["\t".join(each) for each in both]
    known["columns.txt"] = ["\t".join(each) for each in pairs]
    known["ref.zh"] = ["我们昨天在学校见面了。", "天气很好。"]
    known["out.zh"] = ["昨天我们在学校见面。", "今天天气很好。"]
    for name, lines in known.items():
        (made / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (made / "cases.json").write_text(json.dumps(SINGLE | TESTED | LAYOUTS))
    subprocess.run([sys.executable, "-c", ORACLE], cwd=made, check=True, capture_output=True)
    return made


def ours(folder: Path, arguments: str, **variables: str) -> str:
    stdin = (folder / "columns.txt").read_text(encoding="utf-8")
    done = run_inside("sacrebleu", *arguments.split(), cwd=folder, stdin=stdin, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def theirs(folder: Path, name: str) -> str:
    text = (folder / f"{name}.out").read_text(encoding="utf-8")
    assert text
    return text.replace("version:2.6.0", f"version:weigh-{__version__}").replace(
        "v:2.6.0", f"v:weigh-{__version__}"
    )


def listed(text: str) -> list[dict[str, Any]]:
    found = json.loads(text)
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("name", SINGLE)
def test_one_system(name: str, folder: Path) -> None:
    printed, expected = ours(folder, SINGLE[name]), theirs(folder, name)
    if "-ci" not in SINGLE[name]:
        assert printed == expected.replace('"2.6.0"', f'"weigh-{__version__}"')
        return
    for found, known in zip(listed(printed), listed(expected), strict=True):
        assert list(found) == list(known)
        drawn = ("confidence_mean", "confidence_var", "confidence", "version")
        assert {k: found[k] for k in found if k not in drawn} == {
            k: known[k] for k in known if k not in drawn
        }
        mean, half = found["confidence_mean"], found["confidence_var"]
        # Two means over independent draws of standard deviation half/1.96, and rounding.
        room = 4 * half / 1.96 * sqrt(2 / int(found["bs"]))
        assert abs(mean - known["confidence_mean"]) < room + 0.01
        assert half == pytest.approx(known["confidence_var"], rel=0.25)
        assert found["confidence"] == f"μ = {mean:.2f} ± {half:.2f}"


@pytest.mark.parametrize("name", TESTED)
def test_several_systems(name: str, folder: Path) -> None:
    printed, expected = ours(folder, TESTED[name]), theirs(folder, name)
    layout = re.compile(r"-?\d+\.\d+(e-\d+)?|\b[01]\b")
    assert layout.sub("X", printed) == layout.sub("X", expected)
    for found, known in zip(listed(printed), listed(expected), strict=True):
        assert found.pop("system") == known.pop("system")
        for metric, entry in found.items():
            other = known[metric]
            assert entry["score"] == pytest.approx(other["score"], rel=1e-12)
            if entry["mean"] is not None:
                room = 4 * entry["ci"] / 1.96 * sqrt(2 / 1000)
                assert abs(entry["mean"] - other["mean"]) < room
                assert entry["ci"] == pytest.approx(other["ci"], rel=0.25)


def p_values(text: str, metric: str) -> list[float]:
    return [system[metric]["p_value"] for system in json.loads(text)[1:]]


@pytest.mark.parametrize("metric", ["BLEU", "chrF2", "TER"])
def test_randomization_agrees_where_no_trial_ties(metric: str, folder: Path) -> None:
    [p] = p_values(ours(folder, TESTED["mixed"]), metric)
    [other] = p_values(theirs(folder, "mixed"), metric)
    assert 0.01 < p < 0.99
    assert abs(p - other) < 4 * sqrt(2 * p * (1 - p) / 1000)


def test_trials_that_tie_count(folder: Path) -> None:
    """Five segments differ, each for the worse: two of their 32 swaps are as extreme."""
    p = p_values(ours(folder, TESTED["ar"]), "BLEU")[0]
    assert abs(p - 2 / 32) < 4 * sqrt(2 / 32 * 30 / 32 / 1000)
    assert p_values(theirs(folder, "ar"), "BLEU")[0] < 0.001  # what is wrong with sacreBLEU's


@pytest.mark.parametrize(
    ("name", "metric"),
    [*(("the-same", each) for each in ("BLEU", "chrF2", "TER")), ("the-same-bs", "BLEU")],
)
def test_a_system_does_not_differ_from_itself(name: str, metric: str, folder: Path) -> None:
    assert p_values(ours(folder, TESTED[name]), metric) == [1.0]
    assert p_values(theirs(folder, name), metric)[0] < 0.001


def test_bootstrap_is_that_of_compare(folder: Path) -> None:
    """SacreBLEU centres sizes of differences, and so rejects too often."""
    arguments = "-r ref -m bleu --test bootstrap --trials 1000 --adjust none --format json"
    done = run_inside("compare", *arguments.split(), "good", "close", cwd=folder)
    expected = json.loads(done.stdout)["comparisons"][0]["p_value"]
    p = p_values(ours(folder, TESTED["bs"]), "BLEU")[0]
    assert p == expected
    assert p > p_values(theirs(folder, "bs"), "BLEU")[0]


def test_bootstrap_of_all_metrics_is_json(folder: Path) -> None:
    systems = listed(ours(folder, "ref -i good close -m bleu chrf ter -pbs -pbsn 50"))
    assert [list(each) for each in systems] == [["system", "BLEU", "chrF2", "TER"]] * 2
    assert all(each["TER"]["ci"] > 0 for each in systems)


def parted(text: str) -> tuple[str, str, str]:
    """Return a table, what is said of its test, and the signatures."""
    table, _, rest = text.partition("\n\n")
    note, _, signatures = rest.partition("Metric signatures\n")
    return table, note, signatures


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, folder: Path) -> None:
    printed, expected = ours(folder, LAYOUTS[name]), theirs(folder, name)
    if name.startswith("tested"):  # the note between table and signatures is our own
        (table, note, signatures), (other, _, expected) = map(parted, (printed, expected))
        drawn = re.compile(r" *\((\d|p = ).*?\)\*? *")
        assert drawn.sub(" X ", table) == drawn.sub(" X ", other)
        assert signatures == expected
        assert "Baseline: good" in note
        return
    assert printed == expected


def test_latex_has_the_cells_of_the_table(folder: Path) -> None:
    text = ours(folder, LAYOUTS["tested-table"].replace("text", "latex"))
    rows = [line.split(" & ") for line in text.split("\n") if line.endswith(r"\\")]
    assert [row[0] for row in rows] == ["System", "Baseline: good", "close", "middling"]
    assert rows[1][1:] == ["57.7", r"75.7 \\"]
    assert re.fullmatch(r"26\.1 \(p = 0\.\d{4}\)\{\*\}", rows[3][1])


def test_the_module_is_the_verb(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "weigh.sacrebleu", *SINGLE["all-metrics"].split()],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == ours(folder, SINGLE["all-metrics"])


def test_the_environment_sets_seed_and_format(folder: Path) -> None:
    arguments = TESTED["few-trials"]
    as_text = ours(folder, arguments, SACREBLEU_FORMAT="TEXT", SACREBLEU_SEED="7")
    assert "|ar:200|seed:7|case:" in as_text
    assert ours(folder, arguments, SACREBLEU_FORMAT="table").startswith("[")
    drawn = [ours(folder, SINGLE["few-samples"], SACREBLEU_SEED="none") for _ in range(2)]
    seeds = {json.loads(text)["seed"] for text in drawn}
    assert len(seeds) == 2
    again = ours(folder, SINGLE["few-samples"], SACREBLEU_SEED=json.loads(drawn[0])["seed"])
    assert again == drawn[0]


def test_settings_of_weigh_are_not_those_of_sacrebleu(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('format = "markdown"\nquiet = true\n')
    given = [str(folder / "ref"), "-i", str(folder / "good")]
    done = run_inside("sacrebleu", *given, cwd=tmp_path, WEIGH_FORMAT="tsv")
    assert json.loads(done.stdout)["name"] == "BLEU"
    (tmp_path / "weigh.toml").write_text("chrf-beta = 3\n")
    done = run_inside("score", "-r", given[0], given[2], cwd=tmp_path)
    assert done.stderr.startswith("weigh: weigh.toml: unknown key 'chrf-beta'")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-t wmt20 -l en-de", "-t: weigh downloads no test sets; save the references"),
        ("ref -i good --detail", "--detail: weigh downloads no test sets"),
        ("--list", "--list: weigh downloads no test sets"),
        ("--cite", "--cite: weigh downloads no test sets"),
        ("-i good", "no references given; name their files before -i"),
        ("ref -i", "-i names no file; give one, or leave -i out"),
        ("ref -i good -tok spm", "--tokenize spm: weigh does not have it; use flores200"),
        ("ref -i good -e latin-1", "--encoding latin-1: only UTF-8 is read; convert"),
        ("ref -i good -e nonsense", "--encoding nonsense: only UTF-8 is read; convert"),
        ("ref -i good -w -1", "-w/--width: expected a whole number from 0 to 100"),
        ("ref ref2 -nr 2 -i good", "--num-refs needs one file with several columns"),
        ("ref -nr 2 -i good", "ref: line 1 has 1 columns, where 2 were expected"),
        ("ref -i good good", "good is given twice; give every system once"),
        ("ref -i good --paired-ar", "a paired test needs at least two systems"),
        ("ref -i good --paired-ar --paired-bs", "--paired-ar and --paired-bs exclude each other"),
        ("ref -i good poor -ci", "--confidence takes one system; use --paired-bs"),
        ("ref -i good poor -sl", "--sentence-level takes one system, not 2; give one"),
        ("ref -i good -sl -ci", "--sentence-level allows no tests"),
        ("ref -i good -sl -m bleu ter", "--sentence-level takes one metric; give one"),
        ("ref -i ref.zh", "ref.zh: 2 segments, but the test set has 40"),
        ("ref -i missing", "missing: no such file; check the path"),
        ("ref -i good -m comet", "unknown metrics 'comet'; choose from bleu, chrf, ter"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: str, said: str, folder: Path) -> None:
    done = run_inside("sacrebleu", *arguments.split(), cwd=folder)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.startswith(f"weigh: {said}")
    assert done.stderr.count("\n") == 1


def test_a_wrong_seed_is_said(folder: Path) -> None:
    done = run_inside("sacrebleu", "ref", "-i", "good", "-ci", cwd=folder, SACREBLEU_SEED="x")
    assert done.stderr.startswith("weigh: SACREBLEU_SEED: expected a whole number")


def test_words_that_cannot_be_found_are_told(folder: Path, tmp_path: Path) -> None:
    done = run_inside("sacrebleu", "ref.zh", "-i", "out.zh", cwd=folder)
    assert "the references are Chinese, which has no spaces between words" in done.stderr
    for quiet in (["-q"], ["-l", "en-zh"], ["-tok", "char"], ["-m", "chrf"]):
        assert run_inside("sacrebleu", "ref.zh", "-i", "out.zh", *quiet, cwd=folder).stderr == ""
    (tmp_path / "tokenised").write_text("It is so .\n" * 100)
    given = ("sacrebleu", "tokenised", "-i", "tokenised")
    assert "end in ' .'" in run_inside(*given, cwd=tmp_path).stderr
    assert run_inside(*given, "--force", cwd=tmp_path).stderr == ""


@pytest.mark.parametrize("method", ["none", "floor", "add-k", "exp"])
def test_the_score_is_the_mean_of_smoothed_precisions(method: str) -> None:
    bleu = Bleu(smooth_method=method, tokenize="none")
    rows = bleu.prepare(TestSet([["a b c d e f"]])).rows(Outputs(["a b c x e f"]))
    precisions = bleu.smoothed_precisions(rows[0])
    assert len(precisions) == 4
    product = 1.0
    for each in precisions:
        product *= each
    assert float(bleu.score(rows[0])) == pytest.approx(product**0.25)
