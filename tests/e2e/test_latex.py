"""What `--format latex` writes, given to LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from weigh.report import latex

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# All that LaTeX acts upon, and letters that pdfLaTeX knows or is told how to set.
HOSTILE = r"""#$%&~_^\{}[*]<>|"`'---,,''``  é Šidák ß βΩ − ≤ \input{x} \end{tabular}"""
LONG = "newstest2013.University-of-Somewhere.es-en.{}"
FILES = ["good.en", "middling.en", "poor.en"]
NAMES = ["Online-B", "UEdin", "JHU"]
COMPARE = ["--trials", "50", "-m", "bleu,ter"]


@pytest.fixture(scope="module")
def pdflatex() -> str:
    found = shutil.which("pdflatex")
    if found is None:
        pytest.skip("pdflatex is not installed")
    assert found is not None
    styles = subprocess.run(
        ["kpsewhich", "booktabs.sty"], capture_output=True, encoding="utf-8", check=False
    )
    if not styles.stdout:
        pytest.skip("LaTeX's package booktabs is not installed")
    return found


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("score", []),
        ("score", ["--interval", "bca", "--trials", "50", "--slices", "domains.txt"]),
        ("compare", COMPARE),
        ("compare", [*COMPARE, "--baseline", HOSTILE, "--test", "randomization,bootstrap"]),
        ("compare", [*COMPARE, "--slices", "domains.txt"]),
        ("compare", [*COMPARE, "--adjust", "sidak", "-m", "chrf:word_order=2,nist"]),
        ("metrics", []),
    ],
)
def test_it_is_typeset(
    verb: str, options: list[str], weigh: Run, pdflatex: str, root: Path, tmp_path: Path
) -> None:
    arguments = [verb, *options, "--format", "latex"]
    if verb != "metrics":
        systems = [f"{HOSTILE}=good.en", "[2ex]=middling.en", "*=poor.en"]
        arguments += ["-r", "reference.en", *systems]
    done = weigh(*arguments, cwd=root / "examples")
    assert done.returncode == 0, done.stderr
    typeset(done.stdout, pdflatex, tmp_path)


@pytest.mark.parametrize(
    ("options", "tables"),
    [
        (["score", "-m", "bleu,chrf,ter"], 1),
        (["score", "-m", "bleu,chrf,ter", "--interval", "percentile", "--trials", "50"], 1),
        (["score", "-m", "bleu,chrf,ter,wer,per,cder,nist,gtm"], 1),
        (["compare", "-m", "bleu,chrf,ter", "--trials", "50"], 1),
        (["compare", "-m", "bleu,chrf,ter", "--trials", "50", "--baseline", LONG.format(1)], 1),
    ],
)
def test_wide_tables_fit_the_page(
    options: list[str], tables: int, weigh: Run, pdflatex: str, root: Path, tmp_path: Path
) -> None:
    """Twelve systems with names as those of shared tasks are."""
    systems = [f"{LONG.format(at)}={file}" for at, file in enumerate(FILES * 4)]
    done = weigh(
        *options, "--format", "latex", "-r", "reference.en", *systems, cwd=root / "examples"
    )
    assert done.returncode == 0, done.stderr
    first, *_ = done.stdout.split(r"\end{table")
    assert first.count(r"\begin{tabular}") == tables
    log = typeset(done.stdout, pdflatex, tmp_path)
    assert "Overfull" not in log
    assert "Float too large" not in log


def test_tables_that_fit_are_not_divided(
    weigh: Run, pdflatex: str, root: Path, tmp_path: Path
) -> None:
    options = ("-m", "bleu,chrf", "--trials", "50", "--format", "latex", "-r", "reference.en")
    done = weigh("compare", *options, *FILES, cwd=root / "examples")
    assert done.stdout.count(r"\begin{tabular}") == 1
    assert "Overfull" not in typeset(done.stdout, pdflatex, tmp_path)


@pytest.mark.parametrize(
    ("metrics", "brief"),
    [("bleu", []), ("bleu,chrf,ter,wer", []), ("bleu,chrf,ter,wer", ["--brief"])],
)
def test_four_metrics_fit_one_of_two_columns(
    metrics: str, brief: list[str], weigh: Run, pdflatex: str, root: Path, tmp_path: Path
) -> None:
    systems = [f"{name}={file}" for name, file in zip(NAMES, FILES, strict=True)]
    options = ("-m", metrics, "--format", "latex", *brief, "-r", "reference.en", *systems)
    done = weigh("compare", *options, cwd=root / "examples")
    assert done.stdout.count(r"\begin{tabular}") == 1
    assert "table*" not in done.stdout
    assert (r"\begin{table}" in done.stdout) is not bool(brief)
    assert "Overfull" not in typeset(done.stdout, pdflatex, tmp_path, "twocolumn")


@pytest.mark.parametrize(("metrics", "ranks"), [("bleu,chrf", 2), ("bleu,chrf,ter", 0)])
def test_a_column_without_room_has_no_ranks_rather_than_broken_names(
    metrics: str, ranks: int, weigh: Run, root: Path
) -> None:
    """The ranks by BLEU alone were kept, and names were broken for them."""
    systems = [f"Unbabel-Tower{at}B={file}" for at, file in enumerate(FILES)]
    options = ("-m", metrics, "--format", "latex", "-r", "reference.en", *systems)
    done = weigh("compare", *options, cwd=root / "examples")
    assert r"\begin{table}" in done.stdout
    assert done.stdout.count("& Rank") == ranks
    assert "Unbabel-Tower0B &" in done.stdout


@pytest.mark.parametrize(
    ("verb", "options"),
    [("quality", []), ("rank", []), ("rank", ["--preset", "wmt21", "--by", "raw"])],
)
def test_long_tables_and_long_texts_fit_the_page(
    verb: str, options: list[str], weigh: Run, pdflatex: str, tmp_path: Path
) -> None:
    """Many judges, most of whom always give one score, and names as those of shared tasks are."""
    rows = ["judge\thit\tpair\tkind\tsystem\tsegment\tvalue"]
    for judge in range(60):
        name = f"A{judge}EXAMPLE-of-a-crowd"
        for segment in range(12):
            for system in range(3):
                value = 50 if judge % 3 else 40 + (7 * segment + 11 * judge) % 50 - 9 * system
                about = f"de-en\tsystem\t{LONG.format(system)}\t{segment}"
                rows.append(f"{name}\th{judge}\t{about}\t{value}")
            about = f"de-en\tbad\t{LONG.format(0)}\t{segment}"
            rows.append(f"{name}\th{judge}\t{about}\t{50 if judge % 3 else segment}")
    (tmp_path / "judgments.tsv").write_text("\n".join(rows) + "\n")
    done = weigh("human", verb, "judgments.tsv", *options, "--quiet", "--format", "latex")
    assert done.returncode == 0, done.stderr
    log = typeset(done.stdout, pdflatex, tmp_path)
    assert "Overfull" not in log
    assert "Float too large" not in log
    if verb == "quality":
        assert all(f"\njudge {judge} & " in done.stdout for judge in range(1, 61))


@pytest.mark.parametrize(("size", "em"), [("normalsize", 10), ("footnotesize", 8.5)])
def test_widths_are_those_of_latex(size: str, em: float, pdflatex: str, tmp_path: Path) -> None:
    """Columns are broken or moved by estimated widths, which must not be too small or too large."""
    texts = ["[50.50, 66.31]", "[ 1.07,  2.41]", "1–3", "−0.52", "p ≤ .05", "50% of R&D", "Šidák"]
    texts += ["chrF2", "TER", "judge 2, judge 3, judge 11", LONG.format(7), "System", "a_b_c"]
    cells = [latex.escape(text) for text in texts]
    boxes = [rf"\sbox0{{{cell}}}\typeout{{width:\the\wd0}}" for cell in cells]
    log = typeset("\n".join([rf"Here.\{size}", *boxes, ""]), pdflatex, tmp_path)
    measured = [float(width) for width in re.findall(r"^width:(.*)pt$", log, re.MULTILINE)]
    for text, width in zip(texts, measured, strict=True):
        assert width - 0.5 <= em * latex.ems(text) <= 1.15 * width, text


def typeset(table: str, pdflatex: str, tmp_path: Path, options: str = "") -> str:
    """Return what LaTeX says of a document with the table."""
    (tmp_path / "document.tex").write_text(
        f"\\documentclass[{options}]{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n"
        f"{table}\\end{{document}}\n",
        encoding="utf-8",
    )
    made = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "document"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
        check=False,
    )
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "document.pdf").stat().st_size > 1000
    log = (tmp_path / "document.log").read_text(encoding="latin-1")
    assert "Missing character" not in log
    return log
