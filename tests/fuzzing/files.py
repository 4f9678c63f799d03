"""A small file of every kind that weigh reads, and the command that reads it."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from campaigns import close_all, first_answers, judge
from formats.made import write_every_format
from weigh.cli import main
from weigh.cli.terminal import say
from weigh.errors import WeighError
from weigh.rypt.label_files import RESULTS
from weigh.web.assignment import Work
from weigh.web.campaigns import start_campaign
from weigh.web.plan import CollectPlan
from weigh.web.tasks import write_demonstration

_ROOT = Path(__file__).resolve().parents[2]
_QUICK = "--trials 20"


@dataclass(frozen=True, slots=True)
class Kind:
    """A file in a folder of good ones, and what reads it: a command, or a function of its path."""

    name: str
    file: str
    reader: str | Callable[[Path], object]

    def read(self, folder: Path) -> int:
        """Read the file; an error of ours that a function raises counts as exit code 1."""
        if callable(self.reader):
            try:
                self.reader(folder / self.file)
            except WeighError as error:
                say(str(error))
                return 1
            return 0
        return main(self.reader.split())


def write_all(folder: Path) -> list[Kind]:
    """Write good files of all kinds into a folder, which becomes the working directory."""
    return [
        *_texts(folder),
        *_tables(folder),
        *_logs(folder),
        *_scores(folder),
        *_judgments(folder),
        *_lists(folder),
        *_labels(folder),
        *_translator(folder),
        *_saved(folder),
        *_campaign(folder),
    ]


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _made(*arguments: str) -> bytes:
    """Return what a command prints."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(said):
        code = main(arguments)
        written.flush()
    assert code == 0, said.getvalue()
    return written.buffer.getvalue()  # type: ignore[attr-defined]


def _lines(name: str, count: int) -> list[str]:
    text = (_ROOT / "examples" / name).read_text(encoding="utf-8")
    return text.split("\n")[:count]


def _joined(lines: Sequence[object]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _rows(rows: Sequence[Mapping[str, object]], separator: str = "\t") -> str:
    """Return a table with the names of its columns."""
    cells = [list(rows[0]), *(row.values() for row in rows)]
    return _joined([separator.join(map(str, each)) for each in cells])


# Texts.

_SGML = """<mteval><refset setid="s" srclang="any" trglang="en">
<doc docid="d1" sysid="ref1" genre="news"><p><seg id="1">one &amp; two</seg>
<seg id="2">three four</seg></p></doc>
<doc docid="d2" sysid="ref1"><hl><seg id="1">five</seg></hl></doc>
</refset><tstset setid="s" sysid="X">
<doc docid="d1"><seg id=1>one <b>two<seg id=2>three</doc><doc docid="d2"><seg id=1>&#53;</doc>
</tstset></mteval>
"""
_XML = """<?xml version="1.0" encoding="utf-8"?>
<dataset id="s"><doc id="d1" origlang="de"><src lang="de"><p><seg id="1">eins</seg></p>
<p><seg id="2">zwei</seg></p></src><ref lang="en" translator="A"><p><seg id="1">one</seg></p>
<p><seg id="2">two</seg></p></ref><hyp system="X" language="en"><p><seg id="1">one</seg></p>
<p><seg id="2">too &lt; two</seg></p></hyp></doc></dataset>
"""
_CONLLU = """# text = The cat sat
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2-3\tcat sat\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\tSpaceAfter=No
3\tsat\tsit\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = 2
1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_
1.1\tdid\t_\t_\t_\t_\t_\t_\t_\t_
2\tslept\tsleep\tVERB\t_\t_\t0\troot\t_\t_
"""


def _texts(folder: Path) -> Iterator[Kind]:
    reference, good, poor = (_lines(name, 4) for name in ("reference.en", "good.en", "poor.en"))
    rows = [
        {"id": f"s{number}", "text": text, "more": [number]} for number, text in enumerate(good)
    ]
    _write(
        folder,
        {
            "ref": _joined(reference),
            "good": _joined(good),
            "poor": _joined(poor),
            "good.gz": gzip.compress(_joined(good).encode(), mtime=0),
            "labels": "a\na\nb\nc\n",
            "t.tsv": _joined(["id\ttext", *(f"{row['id']}\t{row['text']}" for row in rows)]),
            "t.jsonl": _joined([json.dumps(row) for row in rows]),
            "t.sgm": _SGML,
            "t.xml": _XML,
            "t.conllu": _CONLLU,
            "t2.conllu": _CONLLU,
            "settings.toml": 'trials = 20\nseed = 3\nmetric = ["bleu", "chrf"]\n'
            '[compare]\ntest = "randomization"\nalpha = 0.05\n[score]\nformat = "tsv"\n',
        },
    )
    yield Kind("texts", "good", "score -m bleu,chrf,ter,gtm,nist -r ref good")
    yield Kind("texts, compared", "good", f"compare {_QUICK} -m bleu,wer -r ref good poor")
    yield Kind("references", "ref", "score -m chrf:word_order=2,cder --details -r ref good")
    yield Kind("texts, packed", "good.gz", "score -m bleu -r ref good.gz")
    yield Kind("texts, TSV", "t.tsv", "score -m bleu -r t.tsv t.jsonl")
    yield Kind("texts, JSON lines", "t.jsonl", "score -m bleu -r t.tsv t.jsonl")
    yield Kind("texts, SGML", "t.sgm", "score -m bleu -r t.sgm t.sgm")
    yield Kind("texts, XML", "t.xml", "score -m bleu --details -s t.xml -r t.xml t.xml")
    yield Kind("texts, CoNLL-U", "t.conllu", "score -m dependency -r t2.conllu t.conllu")
    yield Kind("documents", "labels", f"compare {_QUICK} --documents labels -r ref good poor")
    yield Kind("slices", "labels", f"compare {_QUICK} --slices labels -r ref good poor")

    def settings(path: Path) -> None:
        shutil.copy(path, folder / "weigh.toml")
        try:
            main(["compare", "-r", "ref", "good", "poor"])
        finally:
            (folder / "weigh.toml").unlink()

    yield Kind("weigh.toml", "settings.toml", settings)


def _tables(folder: Path) -> Iterator[Kind]:
    rows = [
        {"model": model, "item": item, "passed": (item + len(model)) % 2, "run": 1, "task": "q"}
        for model in ("a", "bb", "ccc")
        for item in range(4)
    ]
    wide = [{"id": item, "A": item / 2, "B": 1.5, "C": 0} for item in range(4)]
    _write(
        folder,
        {
            "scores.csv": _rows(rows, ","),
            "scores.jsonl": _joined([json.dumps(row) for row in rows]),
            "scores.json": json.dumps(rows),
            "wide.tsv": _rows(wide),
        },
    )
    yield Kind("table, CSV", "scores.csv", f"compare {_QUICK} scores.csv")
    yield Kind("table, JSON lines", "scores.jsonl", f"compare {_QUICK} scores.jsonl")
    yield Kind("table, JSON", "scores.json", f"compare {_QUICK} --missing 0 scores.json")
    yield Kind("table, wide", "wide.tsv", f"compare {_QUICK} --allow-missing wide.tsv")
    yield Kind("table, pass@k", "scores.csv", f"compare {_QUICK} --pass-at 1 scores.csv")
    with contextlib.suppress(ImportError):
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        parquet.write_table(arrow.Table.from_pylist(rows), folder / "scores.parquet")
        yield Kind("table, Parquet", "scores.parquet", f"compare {_QUICK} scores.parquet")


def _logs(folder: Path) -> Iterator[Kind]:
    for path in write_every_format(folder / "logs"):
        name = str(path.relative_to(folder))
        yield Kind(name.replace("/", ", "), name, f"score --missing 0 {name}")
    yield Kind("logs, folder", "logs/helm/run_spec.json", "score logs/helm")


def _scores(folder: Path) -> Iterator[Kind]:
    pairs = [(system, segment) for system in "AB" for segment in range(1, 5)]
    segments = [{"src": "s", "mt": "t", "COMET": at / 7} for at in range(4)]
    comet = {"A": segments, "B": segments[::-1]}
    _write(
        folder,
        {
            "s.tsv": _joined(["system\tsegment\tscore", *(f"{a}\t{n}\t{n / 3}" for a, n in pairs)]),
            "s.jsonl": _joined(
                [json.dumps({"system_id": a, "id": n, "prediction": n / 2}) for a, n in pairs]
            ),
            "s.json": json.dumps(comet),
            "s.seg.score": _joined([f"{a}\t{n / 5}" for a, n in pairs]),
            "A.numbers": "1\n2.5\n-3\n4e1\n",
            "B.numbers": "1\n2\n3\n4\n",
            "ratio.tsv": _joined(
                ["system\tid\tnumerator\tdenominator", *(f"{a}\t{n}\t{n}\t7" for a, n in pairs)]
            ),
        },
    )
    for name in ("s.tsv", "s.jsonl", "s.json", "s.seg.score"):
        yield Kind(f"scores, {name}", name, f"compare {_QUICK} {name}")
    yield Kind("scores, numbers", "A.numbers", f"compare {_QUICK} A.numbers B.numbers")
    yield Kind("scores, ratio", "ratio.tsv", f"compare {_QUICK} -m segment:name=m:ratio ratio.tsv")
    yield Kind(
        "scores, missing",
        "s.tsv",
        f"compare {_QUICK} --allow-missing -m segment:name=m:lower s.tsv",
    )


# Answers of people.

_MTURK = """\
HITId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,Input.src,Input.trg,Input.item,\
Input.sys_0,Input.sid_0,Input.tst_0,Input.sys_1,Input.sid_1,Input.tst_1,Answer.Q1
H1,W1,Approved,Mon Nov 21 08:37:58 PST 2016,600,'en','es','ad',a,'d_1:2',SYSTEM,a,'d_1:3',REF,\
a_d_1:2_SYSTEM_0__71|a_d_1:3_REF_1__99
H2,W2,Rejected,Mon Nov 21 08:37:58 PST 2016,60,'en','es','ad',b,'d_1:2',SYSTEM,a,'d_1:3',SYSTEM,\
b_d_1:2_SYSTEM_0__11|a_d_1:3_SYSTEM_1__9
"""
_MTURK_PAIRS = """\
HITId,WorkerId,AssignmentStatus,SubmitTime,Input.left_0,Input.right_0,Input.sid_0,Input.tst_0,\
Answer.choice_0,Input.left_1,Input.right_1,Input.sid_1,Input.tst_1,Answer.choice_1
H1,W1,Approved,never,a,b,1,SYSTEM,left,b,a,2,SYSTEM,neither
H1,W2,Submitted,never,a,b,1,SYSTEM,right,b,a,2,SYSTEM,left
"""
_APPRAISE = """\
username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,mqm,timeStart,timeEnd
u1,A,3,TGT,eng,liv,77,d,False,"[{""start_i"": 1, ""end_i"": 4, ""severity"": ""minor""}]",0.5,10.0
u1,B,3,TGT,eng,liv,7,d,False,[],10,77
u2,B,4,BAD,eng,liv,7,d,True,[],10.0,86400.0
"""
_UNNAMED = "u1,A,3,TGT,eng,liv,77,0.5,10.0\nu1,B,3,CHK,eng,liv,7,10,77\nu2,B,4,TGT,eng,liv,7,1,2\n"
_DIRECT = """\
hit worker sys_id system rid type seg raw z hit_seconds
h w A.1 A 9 SYSTEM 1 40 .3 600
h w B.1 B 9 SYSTEM 1 50 .3 600
h v A.1 A 9 REPEAT 2 5 -.3 600
""".replace(" ", "\t")
_ESA = """\
annotator system seg type score doc flag spans_json t_start t_end
u A 1 TGT 90 n.1 ~ [{"start_i":3,"end_i":3,"severity":"minor"}] 1 2
u B 1 TGT 20 n.1 ~ [{"start_i":"missing","end_i":"missing","severity":"major"}] 2 3
v B 1 BAD 20 n.1 bad [] 2 3
""".replace(" ", "\t").replace("~", "")
_MQM = """\
system doc seg_id rater source target category severity
A d 1 r s a<v>b</v>c Accuracy/Mistranslation major
A d 1 r s abc No-error no-error
B d 1 r s a<v>b</v> Fluency/Punctuation minor
""".replace(" ", "\t")
_LONG = [
    {
        "judge": judge,
        "hit": "h",
        "kind": kind,
        "system": system,
        "segment": segment,
        "value": (10 * segment + len(judge) * ord(system) % 7) // (1 + 5 * (kind == "bad")),
        "seconds": 4.5,
        "at": "2024-05-01T10:00:00+02:00",
        "document": "d",
        "slice": "news",
        "spans": [{"start": 0, "end": 2, "severity": "minor"}],
    }
    for judge in ("ann", "bo", "cleo")
    for kind in ("system", "bad", "repeat")
    for system in "ABC"
    for segment in range(1, 5)
]
_MEANS = "system,segment,raw_mean,z_mean\nA,1,70,.2\nA,2,60,.1\nB,1,50,-.2\nB,2,4,-1\n"
_RANKINGS = """\
seg judge sys1 sys2 sys3 rank1 rank2 rank3
5 ann A B C 2 1 -1
5 ben A B C 1 2 2
6 ann A B C 3 1 2
""".replace(" ", "\t")
_ARENA = """\
model_a,model_b,winner,judge,question_id,tstamp
x,y,model_a,j1,1,10
y,x,tie,j1,2,11
x,z,tie (bothbad),j2,3,12
z,y,z,j2,1,13
"""


def _judgments(folder: Path) -> Iterator[Kind]:
    long = [{key: cell for key, cell in row.items() if key != "spans"} for row in _LONG]
    arena = [
        dict(zip(_ARENA.split("\n")[0].split(","), line.split(","), strict=True))
        for line in _ARENA.rstrip("\n").split("\n")[1:]
    ]
    _write(
        folder,
        {
            "lines.txt": _joined(range(24, 2, -1)),
            "metric.tsv": _joined(
                ["system\tsegment\tscore"]
                + [f"{system}\t{at}\t{at % 5 / 4}" for system in "AB" for at in range(1, 25)]
            ),
            "judged.tsv": _rows(
                [
                    {"judge": f"j{at % 3}", "system": system, "segment": at, "value": at * 4 % 9}
                    for system in "AB"
                    for at in range(1, 23)
                ]
            ),
            "mturk.csv": _MTURK,
            "mturk-pairs.csv": _MTURK_PAIRS,
            "appraise.csv": _APPRAISE,
            "unnamed.csv": _UNNAMED,
            "direct.tsv": _DIRECT,
            "esa.tsv": _ESA,
            "mqm.tsv": _MQM,
            "long.tsv": _rows(long),
            "long.jsonl": _joined([json.dumps(row) for row in _LONG]),
            "means.csv": _MEANS,
            "rankings.tsv": _RANKINGS,
            "preferences.tsv": "seg\twinner\tloser\n9\tA\tB\n10\tA\tB\n11\tB\tA\n",
            "arena.csv": _ARENA,
            "arena.json": json.dumps(arena),
        },
    )
    rank = f"human rank {_QUICK}"
    for name in ("mturk", "appraise", "unnamed"):
        yield Kind(f"judgments, {name}", f"{name}.csv", f"{rank} {name}.csv")
    for name in ("direct", "esa", "mqm", "long", "rankings", "preferences"):
        yield Kind(f"judgments, {name}", f"{name}.tsv", f"{rank} {name}.tsv")
    yield Kind("judgments, JSON lines", "long.jsonl", f"{rank} long.jsonl")
    yield Kind("judgments, skipped", "long.jsonl", f"{rank} --bad-rows skip long.jsonl")
    yield Kind("judgments, skipped TSV", "direct.tsv", f"{rank} --bad-rows skip direct.tsv")
    yield Kind("judgments, quality", "long.tsv", "human quality --preset crowd-alone long.tsv")
    yield Kind("judgments, agreement", "esa.tsv", "human agreement esa.tsv")
    yield Kind("judgments, errors", "mqm.tsv", f"{rank} --format json mqm.tsv")
    yield Kind("judgments, means", "means.csv", f"{rank} means.csv")
    yield Kind("pairs, mturk", "mturk-pairs.csv", f"{rank} mturk-pairs.csv")
    yield Kind("pairs, agreement", "rankings.tsv", "human agreement rankings.tsv")
    yield Kind("arena, CSV", "arena.csv", f"{rank} arena.csv")
    yield Kind("arena, JSON", "arena.json", f"{rank} --bad-rows skip arena.json")
    yield Kind(
        "judgments and metrics",
        "long.tsv",
        "human metrics long.tsv -m bleu -r ref --system A=good --system B=poor --system C=ref",
    )
    yield Kind(
        "metric of a sample",
        "metric.tsv",
        f"human rank {_QUICK} --with metric.tsv --lines lines.txt judged.tsv",
    )
    yield Kind(
        "lines of a sample",
        "lines.txt",
        f"human rank {_QUICK} --with metric.tsv --lines lines.txt judged.tsv",
    )


# Lists of candidates, and what is trained from them.

_MOSES = """\
0 ||| a b c ||| lm= -1.5 tm= -2 -0.5 ||| -4 ||| 0-0 1-1 2-2
0 ||| a c ||| lm= -1 tm= -3 -0.1 wi_a=1 ||| -4.1 ||| 0-0 1-1
1 ||| d e ||| lm= -2 tm= -1 -2 ||| -5 ||| 0-0 1-1
1 ||| e d f ||| lm= -0.5 tm= -1 -1 wi_b=2 ||| -2.5 ||| 0-1 1-0
"""
_JOSHUA = """\
0 ||| a b c ||| lm=-1.5 tm=-2 ||| -4
0 ||| a c ||| lm=-1 tm=-3 oov=1 ||| -4.1
1 ||| d e ||| lm=-2 tm=-1 ||| -5
1 ||| e d f ||| lm=-0.5 tm=-1 ||| -2.5
"""
_ZMERT = "0 ||| a b ||| -1 2 ||| 3\n0 ||| a c ||| 2 -.5 ||| 1\n1 ||| d e ||| 1 1 ||| 2\n"
_FEATSTAT = """\
FEATURES_TXT_BEGIN_0 0 2 2 lm_0 tm_0
-1.5 -2
-1 -3
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 1 2 2 lm_0 tm_0
-2 -1
-0.5 -1
FEATURES_TXT_END_0
"""
_SCORESTAT = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
3 3 2 2 1 1 0 0 3
1 2 0 1 0 0 0 0 3
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 1 2 9 BLEU
2 2 1 1 0 0 0 0 2
1 3 0 2 0 1 0 0 2
SCORES_TXT_END_0
"""


def _lists(folder: Path) -> Iterator[Kind]:
    objects = [
        {"id": at // 2, "text": text, "features": {"lm": -at, "tm": at / 3}, "score": -at}
        for at, text in enumerate(("a b c", "a c", "d e", "e d f"))
    ]
    _write(
        folder,
        {
            "ref2": "a b c\nd e f\n",
            "moses": _MOSES,
            "joshua": _JOSHUA,
            "zmert": _ZMERT,
            "list.jsonl": _joined([json.dumps(each) for each in objects]),
            "features.dat": _FEATSTAT,
            "scores.dat": _SCORESTAT,
            "weights": "lm_0 0.5\ntm_0 1\ntm_1 -0.25\nwi_a 1\nwi_b 0\n",
            "init.opt": "1 1 1 0 0\n-1 -1 -1 0 0\n1 1 1 0 0\n",
        },
    )
    train = "rerank --nbest moses -r ref2 --train --folds 2 --cutoff 1 --phrases 1 -o reranker"
    _made(*train.split(), "--quiet")
    for name in ("moses", "joshua", "zmert", "list.jsonl"):
        command = f"tune --nbest {name} -r ref2 -m wer --starts 2 --directions 2 --quiet"
        yield Kind(f"n-best list, {name}", name, command)
    yield Kind("n-best list, oracle", "moses", "rerank --nbest moses -r ref2 --oracle -m bleu")
    mira = "tune --nbest list.jsonl -r ref2 --optimizer mira"
    yield Kind("n-best list, MIRA", "list.jsonl", mira)
    extracted = "tune --nbest features.dat --scorestat scores.dat --starts 1 --directions 1"
    yield Kind("FEATSTAT", "features.dat", extracted)
    yield Kind("SCORESTAT", "scores.dat", extracted)
    yield Kind("weights", "weights", "rerank --nbest moses --weights weights")
    started = "tune --nbest moses -r ref2 --init init.opt --starts 2 --directions 1"
    yield Kind("init.opt", "init.opt", started)
    yield Kind("reranker", "reranker", "rerank --nbest moses --model reranker")


def _labels(folder: Path) -> Iterator[Kind]:
    for path in (_ROOT / "examples" / "rypt").iterdir():
        _write(folder / "rypt", {path.name: path.read_bytes()})
    _write(
        folder / "rypt",
        {
            "source.spans": "0-3 4-8\n0-2 3-6\n",
            "derivations": "(ROOT{0-4} (S{0-3} a (X{1-2} b) c))\n(ROOT{0-3} (S{0-2} d e))\n",
            "three.de": "x y z\nu v\n",
        },
    )
    _made("rypt", "labels", "export", "rypt/labels.jsonl", "-o", "rypt/labels.tsv")
    result = ("H1", "w1", "Approved", "Mon Jun 01 05:00:09 PDT 2009", "25", "das haus", "0", "2")
    result += ("the house", *[""] * (len(RESULTS) - len(result) - 2), "YES")
    _write(folder / "rypt", {"labels.csv": _rows([dict(zip(RESULTS, result, strict=True))], ",")})
    _made("rypt", "labels", "import", "rypt/labels.db", "rypt/labels.jsonl")
    common = "-s rypt/source.de --parses rypt/{parses} --labels rypt/{labels}"
    aligned = "--alignments rypt/reference.align rypt/reference.en"
    usual = common.format(parses="parses.mrg", labels="labels.jsonl")
    yield Kind("parses", "rypt/parses.mrg", f"rypt score {usual} {aligned}")
    yield Kind(
        "parses, spans",
        "rypt/source.spans",
        f"rypt score {common.format(parses='source.spans', labels='labels.jsonl')} {aligned}",
    )
    yield Kind("alignments", "rypt/reference.align", f"rypt score {usual} {aligned}")
    yield Kind("labels", "rypt/labels.jsonl", f"rypt score {usual} {aligned}")
    for name in ("labels.tsv", "labels.csv", "labels.db"):
        yield Kind(f"labels, {name}", f"rypt/{name}", f"rypt labels show rypt/{name}")
    yield Kind("labels, inferred", "rypt/labels.jsonl", f"rypt infer {usual} {aligned}")
    yield Kind(
        "n-best list with alignments",
        "rypt/candidates.nbest",
        f"rypt diversity {usual} rypt/candidates.nbest",
    )
    yield Kind("derivations", "rypt/derivations", "rypt align -s rypt/three.de rypt/derivations")


def _translator(folder: Path) -> Iterator[Kind]:
    source = ["en hunta ser en katta", "en katta har en husa stor", "en manna liker en bloma"] * 3
    target = ["a dog sees a cat", "a cat has a big house", "a man likes a flower"] * 3
    _write(folder, {"train.s": _joined(source), "train.t": _joined(target)})
    _made("translate", "train", "-s", "train.s", "-t", "train.t", "-o", "translator", "--quiet")
    decode = "translate decode --model translator -s train.s"
    for name in ("model.json", "phrases.gz", "language.arpa.gz", "weights", "compiled.npz"):
        yield Kind(f"translator, {name}", f"translator/{name}", decode)
    yield Kind("parallel text", "train.s", "translate align -s train.s -t train.t")


# What weigh itself has written.


def _saved(folder: Path) -> Iterator[Kind]:
    texts = ("-r", "ref", "good", "poor")
    study = ("--trials", "199", *texts)
    documents = {
        "score": ("score", "-m", "bleu", "--segments", *texts),
        "compare": ("compare", "--details", "--trials", "20", *texts),
        "rank": ("human", "rank", "long.tsv"),
        "quality": ("human", "quality", "long.tsv", "--preset", "crowd-alone"),
        "agreement": ("human", "agreement", "long.tsv"),
        "arena": ("human", "rank", "arena.csv"),
        "tune": ("tune", "--nbest", "moses", "-r", "ref2", "-m", "wer", "--starts", "1"),
        "oracle": ("rerank", "--nbest", "moses", "-r", "ref2", "--oracle"),
        "type1": ("validate", "type1", "--nulls", "2", *study),
    }
    for name, arguments in documents.items():
        _write(folder, {f"{name}.result": _made(*arguments, "--format", "json")})
        yield Kind(f"result of {name}", f"{name}.result", f"report {name}.result")
    yield Kind("result as Markdown", "compare.result", "report compare.result --format markdown")
    _made("compare", *study, "--html", "page.html")
    yield Kind("page", "page.html", "report page.html")


def _varied(work: Work) -> dict[str, object]:
    """Answer as somebody does whose scores differ from item to item."""
    answers = first_answers(work)
    if work.role != "work":
        return answers
    place = int(work.item)
    return {name: 10 + place * 7 % 80 if cell == 80 else cell for name, cell in answers.items()}


def _campaign(folder: Path) -> Iterator[Kind]:
    tasks = folder / "tasks"
    tasks.mkdir()
    write_demonstration(tasks, marked=False)
    campaign = start_campaign(tasks, CollectPlan(per_item=2), database=str(folder / "campaign.db"))
    try:
        for name in ("ann", "ben"):
            judge(campaign, name, _varied)
    finally:
        campaign.database.close()
        close_all()
    database = "campaign.db"
    for form in ("jsonl", "tsv"):
        name = f"{form}.export"
        export = ("campaign", "export", database, "--what", "scores", "--form", form, "--quiet")
        _write(folder, {name: _made(*export)})
        yield Kind(f"export, {form}", name, f"human rank {_QUICK} --by raw {name}")
        yield Kind(f"export, {form}, skipped", name, f"human quality --bad-rows skip {name}")
    yield Kind("database, ranked", database, f"human rank {_QUICK} --by raw {database}")
    yield Kind("database, listed", database, f"campaign list {database}")
    yield Kind("database, exported", database, f"campaign export {database} --what scores")
    yield Kind("database, labels", database, f"rypt labels show {database}")

    def begin(path: Path) -> None:
        del path
        begun = start_campaign(tasks, database=str(folder / "begun.db"))
        begun.database.close()

    def resume(path: Path) -> None:
        start_campaign(tasks, database=str(path)).database.close()

    def begin_anew(path: Path) -> None:
        (folder / "begun.db").unlink(missing_ok=True)
        begin(path)

    yield Kind("database, served", database, resume)
    for path in sorted(tasks.iterdir()):
        if path.is_file():
            yield Kind(f"tasks, {path.name}", f"tasks/{path.name}", begin_anew)
