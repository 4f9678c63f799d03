"""The questions whose numbers are recorded, named by what is asked and not by the command line.

A question runs in a folder that has `examples`, `made` (the files of material.py) and `shared`, the
data beside the project. It returns a document, whose numbers are recorded.
"""

from __future__ import annotations

import json
import shlex
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from e2e import dummy_decoder
from e2e.in_process import run_inside
from golden.numbers.material import write_material, write_parquet
from weigh.tuning.loglinear import TOLERANCE

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data"
Ask = Callable[[Path], dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """A question, the modules that it needs, and whether it needs the shared data.

    `tolerance` is relative. A solver's answers depend on the processor within its own tolerance.
    Those of a search `by_processor` may be others altogether: the last digit of a sum can decide
    which way it goes. They are recorded for each kind of processor.
    """

    name: str
    ask: Ask
    shared: bool = False
    modules: tuple[str, ...] = ()
    tolerance: float = 1e-9
    by_processor: bool = False

    @property
    def key(self) -> str:
        """The name of the numbers in their file."""
        return f"{self.name} ({processor()})" if self.by_processor else self.name

    @property
    def group(self) -> str:
        """The name of the file that keeps the numbers."""
        return self.name.partition("/")[0]


def processor() -> str:
    """The widest vectors that NumPy computes with here."""
    features = np.show_config("dicts")["SIMD Extensions"]["found"]
    return "AVX-512" if any(name.startswith(("X86_V4", "AVX512")) for name in features) else "AVX2"


# Searches whose way depends on the processor.
BY_PROCESSOR = {"tune/model", "tune/moses", "tune/moses/statistics"}
CASES: dict[str, Case] = {}


def prepare(folder: Path) -> None:
    """Put the files that the questions use into an empty folder."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "made").mkdir()
    write_material(folder / "made")
    if SHARED.is_dir():
        (folder / "shared").symlink_to(SHARED)


def command(
    name: str, line: str, modules: tuple[str, ...] = (), tolerance: float = Case.tolerance
) -> None:
    """Add a question that one command answers with JSON."""
    _add(Case(name, lambda folder: run(folder, line), "shared/" in line, modules, tolerance))


def question(
    name: str, shared: bool = False, modules: tuple[str, ...] = ()
) -> Callable[[Ask], Ask]:
    """Add a question that a function answers."""

    def add(ask: Ask) -> Ask:
        _add(Case(name, ask, shared, modules))
        return ask

    return add


def _add(case: Case) -> None:
    assert case.name not in CASES, case.name
    CASES[case.name] = replace(case, by_processor=case.name in BY_PROCESSOR)


def run(folder: Path, line: str) -> dict[str, Any]:
    """Run a command that prints JSON, and return it with the exit code."""
    done = run_inside(*shlex.split(line), "--format", "json", cwd=folder)
    assert done.stdout.startswith("{"), f"weigh {line}: exit {done.returncode}: {done.stderr}"
    return {"exit": done.returncode, **json.loads(done.stdout)}


def printed(folder: Path, line: str) -> str:
    """Run a command that prints lines, and return them."""
    done = run_inside(*shlex.split(line), cwd=folder)
    assert done.returncode == 0, f"weigh {line}: {done.stderr}"
    return done.stdout


def measures(text: str) -> dict[str, int]:
    """Counts and a checksum of a text."""
    checksum = zlib.crc32(text.encode())
    return {"lines": text.count("\n"), "words": len(text.split()), "checksum": checksum}


EN = "-r examples/reference.en good=examples/good.en middling=examples/middling.en"
THREE = f"{EN} poor=examples/poor.en"
MADE = "-r made/ref.en ash=made/ash.1 birch=made/birch.1 cedar=made/cedar.1"
RUNS = "-r made/ref.en " + " ".join(
    f"{name}@{run}=made/{name}.{run}" for name in ("ash", "birch") for run in (1, 2, 3)
)
TABLE = "--columns system=model,item=item,score=accuracy,slice="
ES = "shared/wmt13/es-en"
WMT13 = f"-r {ES}/ref.en.gz " + " ".join(
    f"{name}={ES}/sys/{file}.en.gz"
    for name, file in (
        ("uedin", "uedin-wmt13.2877"),
        ("jhu", "JHU.2776"),
        ("dcu", "DCU-Prompsit.2880"),
    )
)

# Scores.
command("score/examples/words", f"score -m bleu,chrf,ter,nist,wer,per,cder {THREE}")
command(
    "score/examples/variants",
    "score -m bleu:tokenize=intl:lowercase,chrf:word_order=2,ter:normalized,nist:lowercase,"
    f"bleu:smooth_method=add-k:effective_order,wer:tokenize=13a:lowercase {EN}",
)
command(
    "score/examples/alignments",
    "score -m meteor:stages=exact+stem,meteor:version=2005:stages=exact+stem,gtm,"
    f"gtm:exponent=1.5 {THREE}",
)
command("score/examples/combine", f"score -m combine:bleu=0.5:ter=-0.5,combine:wer=-1 {EN}")
command("score/examples/references", f"score -r examples/reference2.en -m bleu,chrf,ter,nist {EN}")
command("score/examples/segments", f"score -m bleu,chrf,ter --segments {EN}")
command("score/examples/details", f"score -m bleu,chrf,ter --details {EN}")
command("score/made/slices", f"score -m bleu,ter --slices made/slices {MADE}")
command(
    "score/made/joined", "score -m bleu -r made/ref.jsonl ash=made/ash.jsonl --id key --text said"
)
command("score/made/xml", "score -m bleu,ter -r made/ref.xml made/systems.xml")
command("score/made/runs", f"score -m bleu,chrf {RUNS}")
command(
    "score/made/given",
    "score -m segment:file=made/{system}.comet:name=comet --interval percentile " + MADE,
)
command(
    "score/made/dependency",
    "score -m dependency,dependency:labels=false:lemmas -r made/ref.conllu ash=made/ash.conllu "
    "birch=made/birch.conllu",
)
for kind in ("percentile", "bca"):
    command(f"score/examples/{kind}", f"score -m bleu,ter --interval {kind} {EN}")
command("score/examples/level", f"score -m chrf,wer --interval percentile --level .9 {EN}")
command("score/table/t", f"score --interval t {TABLE} made/scores.csv")
command("score/made/documents", f"score -m bleu --interval bca --documents made/documents {MADE}")
command("score/wmt13", f"score -m bleu,chrf,ter,nist --interval percentile {WMT13}")
FOUR = "shared/multeval-4refs/set1"
command(
    "score/multeval-4refs",
    "score -m bleu,ter,cder,meteor:stages=exact+stem "
    + " ".join(f"-r {FOUR}.ref{at}.gz" for at in range(4))
    + f" zero={FOUR}.out.0.gz one={FOUR}.out.1.gz",
)


@question("score/examples/rypt")
def _rypt_score(folder: Path) -> dict[str, Any]:
    made = run(folder, f"score -m {RYPT_METRIC} -s examples/rypt/source.de "
               "-r examples/rypt/reference.en reference=examples/rypt/reference.en")  # fmt: skip
    return {"score": made["scores"][0]["score"]}


RYPT_METRIC = (
    "rypt:labels=examples/rypt/labels.jsonl:parses=examples/rypt/parses.mrg"
    ":alignments=examples/rypt/{system}.align"
)

# Comparisons of texts.
for test in ("randomization", "bootstrap", "paired-bootstrap"):
    command(f"compare/examples/{test}", f"compare -m bleu,chrf,ter --test {test} {THREE}")
    command(f"compare/wmt13/bleu/{test}", f"compare -m bleu --trials 2000 --test {test} {WMT13}")
command("compare/examples/tests", f"compare -m wer --test randomization,bootstrap {EN}")
for adjust in ("bonferroni", "sidak", "bh", "none"):
    command(f"compare/made/{adjust}", f"compare -m bleu,chrf --adjust {adjust} {MADE}")
for alternative in ("better", "worse"):
    for test in ("randomization", "bootstrap", "paired-bootstrap"):
        command(
            f"compare/made/{alternative}/{test}",
            f"compare -m bleu --alternative {alternative} --test {test} --trials 2000 {MADE}",
        )
command("compare/made/baseline", f"compare -m bleu,ter --baseline birch {MADE}")
command("compare/made/alpha", f"compare -m bleu --alpha .2 --level .8 --seed 7 {MADE}")
command("compare/made/documents", f"compare -m bleu,chrf --documents made/documents {MADE}")
command("compare/made/slices", f"compare -m chrf --slices made/slices --trials 2000 {MADE}")
command(
    "compare/examples/documents-and-slices",
    f"compare -m wer --slices examples/domains.txt --documents examples/documents.txt {EN}",
)
command("compare/made/bca", f"compare -m bleu --interval bca {MADE}")
command("compare/made/references", f"compare -m bleu,ter -r made/ref2.en {MADE}")
command(
    "compare/made/own-references",
    "compare -m ter -r ash=made/ref2.en -r birch=made/ref.en ash=made/ash.1 birch=made/birch.1",
)
for test in ("randomization", "bootstrap", "paired-bootstrap"):
    command(f"compare/made/runs/{test}", f"compare -m bleu,wer --test {test} {RUNS}")
command("compare/made/runs-as-sample", f"compare -m bleu,wer --runs-as-sample {RUNS}")
command("compare/made/given", "compare -m segment:file=made/{system}.comet:name=comet " + MADE)
command("compare/made/margin", f"compare -m bleu,ter --margin bleu=3 --margin ter=2 {MADE}")
command("compare/made/detect", f"compare -m bleu,chrf --detect bleu=1 --detect chrf=2 {MADE}")
command("compare/made/gate/worse", f"compare -m bleu --baseline ash --gate {MADE}")
command(
    "compare/made/gate/open",
    "compare -m bleu --baseline ash --gate --margin bleu=1 -r made/ref.en ash=made/ash.2 "
    "other=made/ash.3",
)
command(
    "compare/made/gate/passed",
    "compare -m bleu --baseline cedar --gate --margin bleu=1 -r made/ref.en ash=made/ash.1 "
    "cedar=made/cedar.1",
)
OPT = "shared/multeval-opt-runs"
command(
    "compare/multeval/runs",
    f"compare -m bleu --trials 1000 -r {OPT}/refs.test2010.lc.tok.en.0.gz "
    + " ".join(
        f"{name}@{run}={OPT}/hyps.lc.tok.en.{name}.opt{run}.gz"
        for name in ("baseline", "sys1")
        for run in range(3)
    ),
)
command(
    "compare/ted",
    "compare -m chrf,cder -s shared/ted-slk-en/ted.orig.slk.gz -r shared/ted-slk-en/ted.ref.eng.gz "
    "one=shared/ted-slk-en/ted.sys1.eng.gz two=shared/ted-slk-en/ted.sys2.eng.gz --trials 2000",
)


@question("compare/examples/rypt")
def _rypt_compare(folder: Path) -> dict[str, Any]:
    line = f"compare {OWN_LABELS}:alignments={{system}}.align -s src A B"
    made = run(_rypt_folder(folder), line)
    first = made["comparisons"][0]
    names = ("score_a", "score_b", "difference", "p_value", "interval")
    return {name: first[name] for name in names}


# Comparisons of tables, logs and frames.
for form in ("csv", "tsv", "jsonl"):
    command(f"compare/table/{form}", f"compare {TABLE} made/scores.{form}")
for test in ("tukey", "scheffe", "bootstrap", "paired-bootstrap"):
    command(f"compare/table/{test}", f"compare {TABLE} --test {test} made/scores.csv")
command(
    "compare/table/lower-is-better",
    "compare --columns system=model,item=item,score=seconds:lower,slice= made/scores.csv",
)
command(
    "compare/table/several-scores",
    "compare --columns system=model,item=item,score=accuracy,score=seconds:lower,slice= "
    "made/scores.csv",
)
command(
    "compare/table/slices-and-documents",
    "compare --columns system=model,item=item,score=accuracy,slice=task,document=passage "
    "made/scores.csv",
)
command("compare/table/t", f"compare {TABLE} --interval t made/scores.csv")
command("compare/table/bca", f"compare {TABLE} --interval bca made/scores.csv")
command(
    "compare/table/wide",
    "compare --columns item=item,system=base,system=large,system=tuned made/wide.csv",
)
command("compare/table/missing", f"compare {TABLE} --missing 0 made/gaps.csv")
command("compare/table/allow-missing", f"compare {TABLE} --allow-missing made/gaps.csv")
command("compare/table/margin", f"compare {TABLE} --margin accuracy=.05 made/scores.csv")
command(
    "compare/table/texts",
    "compare -m bleu,ter --columns system=system,item=item,hypothesis=hypothesis,"
    "reference=reference made/outputs.csv",
)
ATTEMPTS = "--columns system=model,item=item,run=run,score=passed made/attempts.csv"
command("compare/table/passed", f"compare {ATTEMPTS}")
command("compare/table/pass-at", f"compare --pass-at 1,3 {ATTEMPTS}")
command("compare/table/passed/runs-as-sample", f"compare --runs-as-sample {ATTEMPTS}")
command("compare/examples/passed", "compare examples/passed.csv --trials 2000")
command(
    "compare/examples/passed/margin",
    "compare --columns system=model,item=item,run=seed,score=passed,slice=,document=passage "
    "--margin passed=.05 --baseline base examples/passed.csv --trials 2000",
)
command("score/examples/pass-at", "score --pass-at 2 examples/passed.csv")
command("score/table/intervals", f"score --interval bca {TABLE} made/scores.csv")


@question("compare/table/parquet", modules=("pyarrow",))
def _parquet(folder: Path) -> dict[str, Any]:
    write_parquet(folder / "made")
    return run(folder, f"compare {TABLE} made/scores.parquet")


@question("compare/frame", modules=("pandas",))
def _frame(folder: Path) -> dict[str, Any]:
    import pandas as pd

    import weigh

    frame = pd.read_csv(folder / "made" / "scores.csv")
    result = weigh.compare(frame, system="model", item="item", score="accuracy", slice="task")
    return dict(json.loads(result.to_json()))


@question("compare/arrays")
def _arrays(_folder: Path) -> dict[str, Any]:
    import weigh

    scores = {
        "A": [(7 * at % 13) / 13 for at in range(40)],
        "B": [(5 * at % 11) / 14 for at in range(40)],
    }
    return dict(json.loads(weigh.compare(scores, tests=["randomization", "bootstrap"]).to_json()))


for name, scores in {
    "few": {"A": [3, 5, 4, 6, 8, 7, 9, 5], "B": [1, 4, 2, 6, 5, 7, 8, 6]},
    "passed": {
        "A": [int(at % 3 > 0) for at in range(45)],
        "B": [int(at % 5 > 1) for at in range(45)],
        "C": [int(at % 3 > 0 and at % 11 > 0) for at in range(45)],
    },
}.items():

    @question(f"compare/arrays/{name}")
    def _small(_folder: Path, scores: dict[str, list[int]] = scores) -> dict[str, Any]:
        import weigh

        return dict(json.loads(weigh.compare(scores).to_json()))


@question("score/lists")
def _lists(folder: Path) -> dict[str, Any]:
    import weigh

    def lines(name: str) -> list[str]:
        return (folder / "examples" / name).read_text(encoding="utf-8").split("\n")[:-1]

    result = weigh.score(
        {"good": lines("good.en"), "poor": lines("poor.en")},
        references=[lines("reference.en"), lines("reference2.en")],
        metrics=["bleu", "ter"],
    )
    return dict(json.loads(result.to_json()))


command("compare/logs/inspect", "compare made/inspect-one.json made/inspect-two.json")
command("compare/logs/inspect/eval", "compare made/inspect-one.eval made/inspect-two.eval")
LM_EVAL = " ".join(
    f"{model}=made/lm-eval/{model}/samples_{task}_2026-01-01T00-00-00.0.jsonl"
    for model in ("alpha", "beta")
    for task in ("quiz", "other")
)
command("compare/logs/lm-eval", f"compare {LM_EVAL}")
command("compare/logs/promptfoo", "compare made/promptfoo.json")

# sacreBLEU's arguments.


def sacrebleu(name: str, line: str) -> None:
    """Add a question in the form of sacreBLEU."""

    def ask(folder: Path) -> dict[str, Any]:
        made = json.loads(printed(folder, f"sacrebleu examples/reference.en {line} -w 6 --quiet"))
        return made if isinstance(made, dict) else {"scores": made}

    _add(Case(name, ask))


sacrebleu("sacrebleu/scores", "-i examples/good.en -m bleu chrf ter")
sacrebleu("sacrebleu/two-references", "examples/reference2.en -i examples/good.en -m bleu chrf")
sacrebleu("sacrebleu/confidence", "-i examples/good.en -m bleu --confidence")
for flag in ("ar", "bs"):
    sacrebleu(
        f"sacrebleu/paired-{flag}",
        f"-i examples/good.en examples/middling.en -m bleu chrf --paired-{flag}",
    )

# Judgments of people.
for name, line in {
    "detect": "--count 5 --detect .2",
    "hours": "--count 3 --hours 40 --rate 20 --power .9",
    "hits": "--count 4 --hits 12 --scale adequacy --scale fluency",
    "esa": "--count 4 --detect .15 --kind esa",
    "mqm": "--count 4 --detect .15 --kind mqm",
    "pair": "--count 4 --detect .15 --kind pair --ties .2",
    "contrastive": "--count 4 --detect .15 --kind contrastive --correlation .4",
    "appraise": "--count 4 --preset appraise --adjust none --kept .5",
}.items():

    @question(f"human/plan/{name}")
    def _plan(folder: Path, line: str = line) -> dict[str, Any]:
        return dict(run(folder, f"human plan {line}")["plan"])


@question("human/plan/texts")
def _hits(folder: Path) -> dict[str, Any]:
    printed(folder, "human plan --hits 3 -r made/ref.en ash=made/ash.1 birch=made/birch.1 "
            "cedar=made/cedar.1 -o hits")  # fmt: skip
    lines = (folder / "hits" / "adequacy.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    items = [item for line in lines for item in json.loads(line)["items"]]
    names = ("kind", "system", "segment", "text")
    shown = "".join(f"{[str(item[name]) for name in names]}\n" for item in items)
    return {"hits": len(lines), "items": measures(shown)}


def judgments(name: str, line: str, verbs: str = "quality rank agreement") -> None:
    """Add the questions that can be asked about judgments."""
    for verb in verbs.split(" "):
        command(f"human/{verb}/{name}", f"human {verb} {line}")


judgments("own", "made/judgments.tsv")
judgments("mturk", "made/batch.csv", "quality rank agreement")
judgments("appraise", "made/appraise.csv")
judgments("esa", "made/esa.tsv", "quality rank agreement")
judgments("mqm", "made/mqm.tsv", "rank agreement")
judgments("pearmut", "made/pearmut.jsonl", "rank agreement")
judgments("long-table", "examples/judgments.csv", "rank agreement")
judgments("pairs", "made/pairs.tsv", "rank")
judgments("rankings", "made/rankings.tsv", "rank agreement")
judgments("arena", "made/arena.csv", "rank agreement")
judgments("arena/examples", "examples/arena.csv", "rank agreement")
command("human/quality/own/appraise", "human quality --preset appraise made/judgments.tsv")
command("human/quality/appraise/appraise", "human quality --preset appraise made/appraise.csv")
command("human/rank/own/controlled", "human rank --quality appraise made/judgments.tsv")
for preset in ("wmt21", "graham2014"):
    command(f"human/rank/own/{preset}", f"human rank --preset {preset} made/judgments.tsv")
for test in ("rank-sum", "signed-rank", "randomization"):
    command(f"human/rank/full/{test}", f"human rank --test {test} made/full.csv")
for adjust in ("bonferroni", "sidak", "bh", "none"):
    command(f"human/rank/full/{adjust}", f"human rank --adjust {adjust} made/full.csv")
command("human/rank/full/raw", "human rank --by raw --level .9 made/full.csv")
command(
    "human/rank/full/judgment",
    "human rank --unit judgment --test rank-sum --alternative better made/full.csv",
)
command("human/rank/full/unranked", "human rank --unranked ash --boundary last made/full.csv")
command("human/rank/full/slices", "human rank --slices made/slices made/full.csv")
command(
    "human/rank/full/with-a-metric",
    "human rank made/full.csv --with made/ash.comet --with made/birch.comet "
    "--with made/cedar.comet",
)
command("human/rank/arena/expected-wins", "human rank --model expected-wins made/arena.csv")
command("human/rank/pairs/bradley-terry", "human rank --model bradley-terry made/pairs.tsv")
command(
    "human/agreement/own/categories",
    "human agreement --categories 5 --weights quadratic made/judgments.tsv",
)
command(
    "human/agreement/own/replicate", "human agreement --replicate made/again.tsv made/judgments.tsv"
)
command(
    "human/metrics/full",
    "human metrics -m bleu,chrf,ter made/full.csv -r made/ref.en --system ash=made/ash.1 "
    "--system birch=made/birch.1 --system cedar=made/cedar.1",
)
FIVE = " ".join(f"{name}=made/{name}.en" for name in ("ash", "birch", "cedar", "elm", "fir"))
command(
    "human/metrics/pairs",
    "human metrics -m bleu,ter made/pairs.tsv -r made/ref.en "
    + " ".join(f"--system {each}" for each in FIVE.split(" ")),
)
command("human/metrics/delta", "human metrics --delta bleu=1.5 --delta chrf=1")
command("human/rank/wmt21", "human rank --preset wmt21 shared/wmt21/cs-en/human-da.tsv.gz")
command("human/rank/wmt22", "human rank shared/wmt22/liv-en/human-da.tsv.gz")
command("human/rank/wmt24/esa", "human rank shared/wmt24/en-cs/human-esa.tsv.gz")
command("human/rank/wmt12", "human rank shared/wmt12/es-en/human-rnk.tsv.gz")
command("human/agreement/wmt12", "human agreement shared/wmt12/es-en/human-rnk.tsv.gz")
LIV = "shared/wmt22-liv-seglevel/SegLvlLivSrc.csv.gz"
command("human/quality/wmt22-liv", f"human quality --preset appraise {LIV}")
command("human/agreement/wmt22-liv", f"human agreement {LIV}")
DA = "shared/da-pipeline-eacl2017/runA"
BATCHES = " ".join(f"{DA}/Batch_{number}_batch_results.csv.gz" for number in (2603232, 2604723))
command("human/quality/eacl2017", f"human quality {BATCHES}")
CS = "shared/wmt21/cs-en"
command(
    "human/metrics/wmt21",
    f"human metrics -m chrf --trials 500 {CS}/human-da.tsv.gz -r {CS}/refA.en.gz "
    + " ".join(
        f"--system {name}={CS}/sys/{name}.en.gz"
        for name in ("Online-A", "Online-B", "Online-G", "Facebook-AI", "CUNI-DocTransformer")
    ),
)


@question("human/campaign")
def _campaign(folder: Path) -> dict[str, Any]:
    """A simulated campaign with controls, by which judges are dropped."""
    printed(
        folder, "demo campaign campaign --systems 3 --segments 100 --hits 12 --judges 8 --quiet"
    )
    file = "campaign/judgments.jsonl"
    return {
        "quality": run(folder, f"human quality {file}"),
        "rank": run(folder, f"human rank --quality crowd-alone {file}"),
        "agreement": run(folder, f"human agreement {file}"),
    }


@question("human/rank/frame", modules=("pandas",))
def _judged_frame(folder: Path) -> dict[str, Any]:
    import pandas as pd

    import weigh

    frame = pd.read_csv(folder / "made" / "full.csv")
    return dict(json.loads(weigh.rank(frame, by="raw").to_json()))


judgments("mturk-pairs", "made/choices.csv", "quality rank agreement")

# Checks of tests.
command(
    "validate/accuracy",
    "validate accuracy -m bleu,ter --trials 999 --alpha .05 --human made/pairs.tsv -r made/ref.en "
    + FIVE,
)
command(
    "validate/accuracy/two-sided",
    "validate accuracy -m chrf --trials 500 --alternative two-sided --adjust holm --alpha .05 "
    "--test randomization --human made/full.csv --unit segment " + MADE,
)
command(
    "validate/samples", f"validate samples -m bleu --sizes 20,40 --samples 30 --trials 200 {MADE}"
)
command("validate/type1", f"validate type1 -m bleu --nulls 60 --trials 200 {MADE}")
command(
    "validate/type1/nbest",
    "validate type1 -m chrf --nulls 40 --trials 200 --compat none --nbest examples/nbest.txt "
    "-r examples/reference.en",
)
command(
    "validate/power",
    f"validate power -m bleu --sizes 40,80 --simulations 40 --trials 200 --detect bleu=5 {EN}",
)
command(
    "validate/power/judgments",
    "validate power --human made/full.csv --sizes 20,60 --simulations 40 ash cedar",
)


@question("validate/preference")
def _preference(folder: Path) -> dict[str, Any]:
    making = run(folder, "validate preference --nbest examples/nbest.txt -r examples/reference.en "
                 "-m nist -m ter -o blind.jsonl --key blind.json")  # fmt: skip
    key = json.loads((folder / "blind.json").read_text(encoding="utf-8"))
    rows = ["pair,judge,choice"]
    for at, pair in enumerate(key["pairs"]):
        first, second = ("left", "right") if pair["left"] == "a" else ("right", "left")
        for judge in range(3):
            choice = "neither" if (at + judge) % 5 == 0 else second if at % 4 == judge else first
            rows.append(f"{pair['pair']},j{judge},{choice}")
    (folder / "choices.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    counted = run(folder, "validate preference --answers choices.csv --key blind.json")
    return {"making": making, "counted": counted}


# Tuning and reranking.
LIST = "--nbest examples/nbest.txt -r examples/reference.en"
command("tune/examples/bleu", f"tune {LIST} -m bleu --starts 4")
command("tune/examples/ter", f"tune {LIST} -m ter --starts 4")
command("tune/examples/combine", f"tune {LIST} -m bleu,ter --combine .5,-.5 --starts 3")
command("tune/examples/smooth", f"tune {LIST} -m chrf --smooth average --window 2 --starts 3")
command("tune/examples/minimum", f"tune {LIST} -m bleu --smooth minimum --starts 3")
command("tune/examples/regularize", f"tune {LIST} -m bleu --regularize .5 --starts 3")
command("tune/examples/unannealed", f"tune {LIST} -m bleu --directions 0 --starts 6")
command("tune/examples/bound", f"tune {LIST} -m bleu --fix lm_0 --bound tm_0=0:2 --starts 3")
command("tune/examples/runs", f"tune {LIST} -m bleu --runs 2 --average --starts 2")
for optimizer in ("pro", "mira"):
    command(f"tune/examples/{optimizer}", f"tune {LIST} -m bleu --optimizer {optimizer}")
command(
    "tune/examples/heldout",
    f"tune {LIST} -m bleu --starts 2 --heldout examples/nbest.txt "
    "--heldout-ref examples/reference2.en",
)
command(
    "tune/moses",
    "tune --nbest shared/nbest/moses-mert-5runs-10x100/nbest.run1.txt.gz "
    "--nbest shared/nbest/moses-mert-5runs-10x100/nbest.run2.txt.gz "
    "-r shared/nbest/moses-mert-5runs-10x100/ref.txt -m bleu:tokenize=none --starts 2",
)
command(
    "tune/moses/statistics",
    "tune --nbest shared/nbest/moses-mert-basic/FEATSTAT.txt.gz "
    "--scorestat shared/nbest/moses-mert-basic/SCORESTAT.txt.gz "
    "--init shared/nbest/moses-mert-basic/INIT --starts 2",
)
command("rerank/oracle", f"rerank {LIST} --oracle -m bleu,ter,chrf,nist")
for name, options in {
    "train": "--train",
    "train/sentence": "--train --gold sentence --gamma 2,6 --folds 3",
    "train/phrases": "--train --phrases 2 --gamma 4 -m ter",
}.items():
    command(f"rerank/{name}", f"rerank {LIST} {options}", tolerance=TOLERANCE)


@question("rerank/weights")
def _rerank(folder: Path) -> dict[str, Any]:
    (folder / "weights").write_text("lm_0 .1\ntm_0 1\nlength_0 .5\n", encoding="utf-8")
    return measures(printed(folder, "rerank --nbest examples/nbest.txt --weights weights"))


# RYPT.
PARSED = "-s examples/rypt/source.de --parses examples/rypt/parses.mrg"
LABELS = "--labels examples/rypt/labels.jsonl"
QUERIES = f"rypt queries {PARSED} --nbest examples/rypt/candidates.nbest"
command("rypt/queries", f"{QUERIES} --sweep 4")
command("rypt/queries/labels", f"{QUERIES} {LABELS} --most 6 --judges 2 --price-per-hit .05")
command("rypt/labels", "rypt labels show examples/rypt/labels.jsonl --paid .10")
command("rypt/labels/any-yes", "rypt labels show examples/rypt/labels.jsonl --aggregate any-yes")
REFERENCE = "--alignments examples/rypt/{system}.align reference=examples/rypt/reference.en"
command("rypt/score", f"rypt score {PARSED} {LABELS} {REFERENCE}")
command("rypt/explain", f"rypt explain {PARSED} {LABELS} {REFERENCE} --segment 1")


RYPT_FILES = "-s src --labels labels.tsv --parses parses.mrg"
OWN_LABELS = "-m rypt:labels=labels.tsv:parses=parses.mrg:unequal"


def _rypt_folder(folder: Path) -> Path:
    """A folder with two systems, an n-best list and labels."""
    place = folder / "rypt"
    if place.exists():
        return place
    place.mkdir()
    rows = [
        ("die katze schläft", 0, 2, "the cat", "YES"),
        ("die katze schläft", 2, 3, "sleeps", "YES"),
        ("die katze schläft", 2, 3, "runs", "NO"),
        ("es regnet", 0, 2, "it rains", "YES"),
        ("es regnet", 1, 2, "pours", "NO"),
        ("der hund", 0, 2, "the dog", "YES"),
        ("der hund", 0, 2, "the cat", "NO"),
        ("der hund", 1, 2, "cat", "NOT SURE"),
        ("es regnet", 0, 2, "it pours", "NO"),
        ("die katze schläft", 0, 3, "the cat runs", "NO"),
        ("die katze schläft", 0, 3, "the cat sleeps", "YES"),
    ]
    lines = ["source\tstart\tend\tsubstring\tlabel", *("\t".join(map(str, row)) for row in rows)]
    files = {
        "labels.tsv": lines,
        "src": ["die katze schläft", "es regnet", "der hund"],
        "parses.mrg": [
            "(S (NP (ART Die) (NN Katze)) (VV schläft))",
            "(S (P es) (V regnet))",
            "(NP (ART der) (NN hund))",
        ],
        "A": ["the cat sleeps", "it rains", "the cat"],
        "B": ["the cat runs", "it pours", "the dog"],
        "list": [
            "0 ||| the cat runs ||| a= 1 b= 0 ||| 1 ||| 0-0 1-1 2-2",
            "0 ||| the cat sleeps ||| a= 0 b= 1 ||| 0 ||| 0-0 1-1 2-2",
            "1 ||| it pours ||| a= 1 b= 0 ||| 1 ||| 0-0 1-1",
            "1 ||| it rains ||| a= 0 b= 1 ||| 0 ||| 0-0 1-1",
            "2 ||| the dog ||| a= 1 b= 0 ||| 1 ||| 0-0 1-1",
            "2 ||| the cat ||| a= 0 b= 1 ||| 0 ||| 0-0 1-1",
        ],
        "A.align": ["0-0 1-1 2-2", "0-0 1-1", "0-0 1-1"],
        "B.align": ["0-0 1-1 2-2", "0-0 1-1", "0-0 1-1"],
    }
    for name, content in files.items():
        text = "".join(f"{line}\n" for line in content)
        (place / name).write_text(text, encoding="utf-8")
    return place


@question("rypt/align")
def _align(folder: Path) -> dict[str, Any]:
    tree = "(ROOT{0-3} (S{0-3} ([NP]{0-2} official forecasts) ([VP]{2-3} are)))"
    (folder / "derivations").write_text(f"0 ||| {tree} ||| 1 ||| -1\n", encoding="utf-8")
    (folder / "derived").write_text("offizielle prognosen sind\n", encoding="utf-8")
    return measures(printed(folder, "rypt align -s derived derivations --write words"))


@question("tune/rypt")
def _rypt_tune(folder: Path) -> dict[str, Any]:
    made = run(_rypt_folder(folder), f"tune --nbest list {OWN_LABELS} -s src --starts 2")
    return {name: made[name] for name in ("start_score", "score", "weights")}


@question("rerank/rypt")
def _rypt_oracle(folder: Path) -> dict[str, Any]:
    made = run(_rypt_folder(folder), f"rerank --oracle --nbest list {OWN_LABELS} -s src")
    return {name: made["scores"][0][name] for name in ("oracle", "first", "average", "worst")}


@question("rypt/score/systems")
def _rypt_systems(folder: Path) -> dict[str, Any]:
    return run(_rypt_folder(folder), f"rypt score {RYPT_FILES} --alignments {{system}}.align A B")


@question("rypt/queries/systems")
def _rypt_queries(folder: Path) -> dict[str, Any]:
    line = "rypt queries -s src --parses parses.mrg --alignments {system}.align A B"
    return run(_rypt_folder(folder), line)


@question("rypt/infer")
def _rypt_infer(folder: Path) -> dict[str, Any]:
    line = f"rypt infer {RYPT_FILES} --alignments {{system}}.align A B --held-out .4"
    return run(_rypt_folder(folder), line)


@question("rypt/diversity")
def _rypt_diversity(folder: Path) -> dict[str, Any]:
    return run(_rypt_folder(folder), f"rypt diversity {RYPT_FILES} list")


@question("rypt/labels/authors", shared=True)
def _authors_labels(folder: Path) -> dict[str, Any]:
    printed(folder, "rypt labels import authors.db shared/rypt/rypt.amt.results.head.csv "
            "-s shared/rypt/newstest2008.de.tok.lc.gz --quiet")  # fmt: skip
    return run(folder, "rypt labels show authors.db")


@question("rypt/align/authors", shared=True)
def _align_authors(folder: Path) -> dict[str, Any]:
    line = (
        "rypt align -s shared/rypt/newstest2008.de.tok.lc.gz "
        "shared/rypt/nbest.out.ZMERT.it6.rand10sen.trees.gz"
    )
    return measures(printed(folder, line))


# Samples of lines.
for name, more in (("plain", ""), ("documents", " --documents examples/documents.txt")):

    @question(f"sample/{name}")
    def _sample(folder: Path, name: str = name, more: str = more) -> dict[str, Any]:
        size = "3" if more else "12"
        printed(folder, f"sample -n {size} -o sample-{name}{more} examples/source.de "
                "examples/reference.en --quiet")  # fmt: skip
        lines = (folder / f"sample-{name}" / "lines.txt").read_text(encoding="utf-8").split()
        return {"lines": [int(line) for line in lines]}


# The translator, and papers run again on texts that it translates.


@question("translate")
def _translate(folder: Path) -> dict[str, Any]:
    printed(folder, "translate train -s made/train.src -t made/train.tgt -o model --quiet")
    decode = "translate decode --model model -s made/test.src --quiet"
    rows = printed(folder, f"{decode} --nbest 5").split("\n")[:-1]
    scores = [float(row.split(" ||| ")[3]) for row in rows]
    aligned = printed(folder, "translate align -s made/train.src -t made/train.tgt --quiet")
    (folder / "decoded").write_text(printed(folder, decode), encoding="utf-8")
    scored = run(folder, "score -m bleu:tokenize=none -r made/test.tgt own=decoded")
    return {
        "candidates": len(rows),
        "scores": scores,
        "alignment": measures(aligned),
        "bleu": scored["scores"][0]["score"],
    }


@question("tune/decoder")
def _tune_decoder(folder: Path) -> dict[str, Any]:
    texts = "".join(f"{line}\n" for line in dummy_decoder.references())
    (folder / "decoder.ref").write_text(texts, encoding="utf-8")
    decoder = (
        f"{sys.executable} -I -S {dummy_decoder.__file__} file {{weights}} {{nbest}} {{size}} "
        "decoder.ref"
    )
    (folder / "decoder.init").write_text("lm_0 0.1\ntm_0 1\ntm_1 .5\n", encoding="utf-8")
    return run(folder, f"tune --decoder '{decoder}' -r decoder.ref --init decoder.init --size 10 "
               "-m bleu:tokenize=none --starts 3 --iterations 3 --dir decoder-loop")  # fmt: skip


@question("tune/model")
def _tune_model(folder: Path) -> dict[str, Any]:
    printed(folder, "translate train -s made/train.src -t made/train.tgt -o tuned-model --quiet")
    return run(folder, "tune --model tuned-model -s made/test.src -r made/test.tgt -m "
               "bleu:tokenize=none --iterations 2 --starts 2 --size 20 --dir loop")  # fmt: skip


for paper in ("koehn2004", "riezler2005"):
    command(f"paper/{paper}", f"paper {paper} --training 120 --tuning 10 --test 45 --trials 99")
FEW = "--training 160 --tuning 12 --test 30 --trials 99"
command("paper/zaidan2009", f"paper zaidan2009 {FEW}")


@question("paper/graham2014")
def _graham(folder: Path) -> dict[str, Any]:
    return without_meteor(run(folder, f"paper graham2014 {FEW}"))


def without_meteor(made: dict[str, Any]) -> dict[str, Any]:
    """Leave METEOR out, which Graham's paper uses where WordNet is installed."""
    names = {"bleu", "nist", "ter"}
    compared = [each for each in made["systems"][0]["comparisons"] if each["metric"] in names]
    return {"people": made["people"], "comparisons": compared}
