"""`weigh compare` as installed, on the test set in examples/."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SYSTEMS = ("good.en", "middling.en", "poor.en")
FEW = ("--trials", "200")


@pytest.fixture
def examples(root: Path) -> Path:
    return root / "examples"


@pytest.fixture
def compare(weigh: Run, examples: Path) -> Run:
    """Return a function that compares systems of examples/ with few trials."""

    def run(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        return weigh("compare", "-r", "reference.en", *FEW, *arguments, cwd=examples, **options)

    return run


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode in (0, 3, 4), done.stderr
    return json.loads(done.stdout)


def test_all_pairs_in_json(compare: Run) -> None:
    done = compare(
        "-m", "bleu,ter", "--format", "json", "--test", "randomization,bootstrap", *SYSTEMS
    )
    made = document(done)
    # So few trials leave a pair open, which is said.
    assert done.stderr == "".join(f"weigh: {warning}\n" for warning in made["warnings"])
    assert (made["schema"], made["command"]) == ("weigh/3", "compare")
    assert len(made["scores"]) == 6
    assert all(
        low < each["score"] < high for each in made["scores"] for low, high in [each["interval"]]
    )
    keys = [(e["metric"], e["test"], e["a"], e["b"]) for e in made["comparisons"]]
    assert len(set(keys)) == len(keys) == 2 * 2 * 3
    order = {name.removesuffix(".en"): at for at, name in enumerate(SYSTEMS)}
    for each in made["comparisons"]:
        assert order[each["a"]] < order[each["b"]]
        assert each["family_size"] == 3
        assert each["p_value"] <= each["p_adjusted"] <= 3 * each["p_value"] + 1e-12
        assert each["difference"] == pytest.approx(each["score_a"] - each["score_b"])
        assert (each["metric"] == "bleu") == (each["difference"] > 0)
        assert each["significant"]
        assert (each["seed"], each["trials"], each["adjust"]) == (12345, 200, "holm")
    assert {json.dumps(each["clusters"]) for each in made["rankings"]} == {
        json.dumps([[name.removesuffix(".en")] for name in SYSTEMS])
    }


def test_python_gives_the_same_numbers(compare: Run, examples: Path) -> None:
    import weigh
    from weigh.read import read_inputs

    made = document(compare("-m", "chrf", "--format", "json", "--seed", "0", *SYSTEMS))
    test_set, systems = read_inputs(
        [str(examples / name) for name in SYSTEMS], [str(examples / "reference.en")]
    )
    result = weigh.compare(systems, test_set, [weigh.Chrf()], trials=200, seed=0)
    assert [e["p_value"] for e in made["comparisons"]] == [c.p_value for c in result.comparisons]
    assert [e["interval"] for e in made["comparisons"]] == [
        list(c.interval or ()) for c in result.comparisons
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (("--baseline", "middling.en", "good.en", "middling.en"), 0, "pass"),
        (("--baseline", "good.en", "good.en", "middling.en"), 3, "fail"),
        (("--baseline", "good.en", "--margin", "bleu=90", "good.en", "middling.en"), 0, "pass"),
        (("--baseline", "good.en", "--margin", "bleu=5", "good.en", "middling.en"), 3, "fail"),
        (("--baseline", "good.en", "--margin", "bleu=31.6", "good.en", "poor.en"), 3, "fail"),
        (("--baseline", "good.en", "--margin", "bleu=31.6", "good.en", "middling.en"), 4,
         "inconclusive"),
        (("--baseline", "good.en", "--margin", "bleu=31.6", "good.en", "middling.en", "poor.en"), 3,
         "fail"),
    ],
)  # fmt: skip
def test_the_gate(arguments: tuple[str, ...], code: int, verdict: str, compare: Run) -> None:
    done = compare("-m", "bleu", "--gate", "--quiet", "--format", "json", *arguments)
    assert done.returncode == code, done.stderr
    gate = json.loads(done.stdout)["gate"]
    assert gate["verdict"] == verdict
    words = {0: "passed", 3: "failed", 4: "inconclusive"}[code]
    lines = [line for line in done.stderr.split("\n") if "gate" in line]
    assert [line.startswith(f"weigh: gate {words}: ") for line in lines] == [True]
    systems = {text.partition(" by ")[0] for text in gate["reasons"] if f": {verdict} (" in text}
    assert all(name in line for line in lines for name in systems)
    shown = compare("-m", "bleu", "--gate", *arguments)
    assert shown.returncode == code
    assert shown.stdout.startswith(f"▌ Gate: {verdict}")


def heads(examples: Path, folder: Path, lines: int) -> list[str]:
    """Write the first lines of the examples; return the arguments that name them."""
    for name in ("reference.en", *SYSTEMS):
        text = (examples / name).read_text(encoding="utf-8").split("\n")[:lines]
        (folder / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return ["-r", str(folder / "reference.en"), str(folder / "good.en"), str(folder / "poor.en")]


@pytest.mark.parametrize("options", [(), ("--margin", "bleu=1", "--margin", "ter=1")])
def test_one_segment_has_no_interval_and_passes_no_gate(
    options: tuple[str, ...], weigh: Run, examples: Path, tmp_path: Path
) -> None:
    """It had the interval [+9.73, +9.73] and "Gate: pass"."""
    arguments = ["compare", "-m", "bleu,ter", "--baseline", "poor.en", "--gate", *options]
    arguments += heads(examples, tmp_path, 1)
    done = weigh(*arguments, "--format", "json")
    made = json.loads(done.stdout)
    assert (done.returncode, made["gate"]["verdict"]) == (4, "inconclusive")
    assert "only 1 segment" in done.stderr
    for entry in [*made["scores"], *made["comparisons"]]:
        assert entry["interval"] is None
    assert {one["detectable"] for one in made["comparisons"]} == {None}
    for form in ("table", "markdown", "latex", "tsv"):
        done = weigh(*arguments, "--format", form)
        assert done.returncode == 4
        assert "[" not in done.stdout.split("Question:")[0].replace("[!", "")
        assert "would have been found" not in done.stdout


def plain(text: str) -> str:
    """Text on one line, without the bar beside a verdict."""
    return " ".join(text.replace("▌", " ").split())


def test_too_few_segments_for_a_gate(weigh: Run, examples: Path, tmp_path: Path) -> None:
    arguments = ["compare", "-m", "chrf", "--baseline", "good.en", "--gate"]
    arguments += heads(examples, tmp_path, 8)
    few = weigh(*arguments)
    assert few.returncode == 4
    assert "only 8 segments; a gate needs at least 10" in plain(few.stdout)


def test_without_a_gate_a_significant_loss_is_no_failure(compare: Run) -> None:
    assert compare("-m", "bleu", "--baseline", "good.en", "good.en", "poor.en").returncode == 0


def test_margins_and_sizes(compare: Run) -> None:
    made = document(
        compare(
            *("-m", "bleu:lowercase=true,chrf", "--margin", "bleu:lowercase=100"),
            *("--detect", "chrf=0.5", "--format", "json", "good.en", "poor.en"),
        )
    )
    bleu, chrf = made["comparisons"]
    assert (bleu["margin"], bleu["equivalent"], "units_needed" in bleu) == (100.0, True, False)
    assert chrf["units_needed"] > 40
    assert "margin" not in chrf


def test_documents_slices_and_warnings(compare: Run) -> None:
    done = compare(
        *("-m", "bleu", "--documents", "documents.txt", "--slices", "domains.txt"),
        *("--format", "json", "good.en", "poor.en"),
    )
    made = document(done)
    assert (made["unit"], made["units"], made["test_set"]["documents"]) == ("document", 4, 4)
    assert [e.get("slice") for e in made["comparisons"]] == [
        None,
        "news",
        "everyday",
        "(macro mean)",
    ]
    whole = made["comparisons"][0]  # ahead in all documents: 2 of 2^4 exchanges are as extreme
    assert (whole["exact"], whole["trials"], whole["p_stderr"]) == (True, 0, 0)
    assert whole["p_value"] == 2 / 2**4
    assert done.stderr == "".join(f"weigh: {warning}\n" for warning in made["warnings"])
    assert "only 4 documents" in done.stderr


RUNS = ("a@1=good.en", "a@2=middling.en", "b@1=middling.en", "b@2=poor.en")


def test_runs_as_a_sample(compare: Run, weigh: Run, tmp_path: Path) -> None:
    done = compare("-m", "chrf", "--format", "json", "--runs-as-sample", *RUNS, "a@3=poor.en")
    made = document(done)
    [one] = made["comparisons"]
    assert [one[name] for name in ("test", "trials", "count", "p_stderr")] == ["runs-t", 0, 0, 0]
    assert "|runs:3,2|" in made["tests"][0]["signature"]
    assert "only two runs of b" in done.stderr
    assert "3 runs of a and 2 runs of b, treated as" in made["methods"]
    saved = tmp_path / "result.json"
    saved.write_text(done.stdout)
    assert weigh("report", saved, "--format", "json").stdout == done.stdout
    assert "satterthwaite-1946" in weigh("cite", saved).stdout
    assert "satterthwaite-1946" in weigh("cite", "--runs-as-sample").stdout


@pytest.mark.parametrize(
    "options",
    [("--test", "randomization"), ("--test", "bootstrap")],
)
def test_runs_as_a_sample_beside_what_takes_them_as_they_are(options, compare: Run) -> None:
    done = compare("-m", "chrf", "--runs-as-sample", *options, *RUNS)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert options[0] in done.stderr


def test_a_test_of_the_defaults_gives_way_to_runs_as_a_sample(weigh: Run, examples, tmp_path):
    (tmp_path / "weigh.toml").write_text('test = "bootstrap"\ninterval = "bca"\ntrials = 200\n')
    runs = [f"{name}={examples / path}" for name, path in (one.split("=") for one in RUNS)]
    given = ("-m", "chrf", "-r", examples / "reference.en", "--format", "json", *runs)
    made = document(weigh("compare", "--runs-as-sample", *given, cwd=tmp_path))
    assert made["plan"]["tests"] == ["runs-t"]
    assert document(weigh("compare", *given, cwd=tmp_path))["plan"]["tests"] == ["bootstrap"]
    refused = weigh("compare", "--runs-as-sample", "--interval", "bca", *given, cwd=tmp_path)
    assert refused.returncode == 2


def test_settings_for_texts_do_not_disturb_scores(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text(
        'ref = "missing"\nmetric = "bleu"\n[compare]\ntrials = 50\n'
    )
    for name in "ab":
        (tmp_path / name).write_text("1\n2\n3\n4\n5\n6\n7\n")
    made = document(weigh("compare", "a", "b", "--format", "json"))
    assert made["plan"]["trials"] == 50


def interrupted(arguments: list[str], cwd: Path) -> tuple[int, str, float]:
    """Run weigh on a terminal, interrupt it when its bar appears, and wait."""
    main, other = pty.openpty()
    running = subprocess.Popen(
        [Path(sys.executable).with_name("weigh"), *arguments],
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=other,
        env={**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(other)
    text = ""
    while "left" not in text:
        text += os.read(main, 4096).decode(errors="replace")
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    code = running.wait(timeout=30)
    seconds = time.monotonic() - sent
    while True:
        try:
            chunk = os.read(main, 4096)
        except OSError:  # all of the terminal's users have left
            break
        if not chunk:
            break
        text += chunk.decode(errors="replace")
    os.close(main)
    return code, text, seconds


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_an_interrupt_stops_the_resampling_at_once(test: str, examples: Path) -> None:
    code, text, seconds = interrupted(
        ["compare", "-r", "reference.en", "-m", "bleu", "--trials", "100000000", "--test", test,
         "good.en", "middling.en"],
        examples,
    )  # fmt: skip
    assert code == 130
    assert seconds < 20  # all trials take minutes
    last = re.split(r"\r\x1b\[K", text.replace("\r\n", "\n"))[-1]
    assert last == "weigh: interrupted\n"
    assert "comparing" in text


def test_references_in_weigh_toml_are_for_texts(weigh: Run, tmp_path: Path, root: Path) -> None:
    examples = root / "examples"
    (tmp_path / "weigh.toml").write_text(f'[compare]\nref = "{examples / "reference.en"}"\n')
    texts = weigh("compare", examples / "good.en", examples / "poor.en", "--brief", cwd=tmp_path)
    assert "1 reference" in texts.stdout
    logs = weigh("compare", examples / "logs", "--brief", "--quiet", cwd=tmp_path)
    assert "5 systems, 200 items" in logs.stdout
    assert "lm-eval logs" not in logs.stderr


def test_the_command_line_is_heard_before_the_file_of_defaults(
    weigh: Run, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "weigh.toml").write_text("[compare]\nbrief = true\n", encoding="utf-8")
    files = [str(root / "examples" / name) for name in ("reference.en", *SYSTEMS)]
    given = ["compare", "-r", *files[:1], *files[1:], "-m", "chrf", *FEW]
    texts = [weigh(*given, *flag, cwd=tmp_path).stdout for flag in ([], ["--no-brief"])]
    assert "Methods" not in texts[0]
    assert "Methods" in texts[1]
