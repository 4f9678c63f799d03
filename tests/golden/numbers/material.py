"""Files that the questions are asked about, made from fixed seeds."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from generated import sentences, spoilt

SIZE = 60
SYSTEMS = {"ash": 0.1, "birch": 0.13, "cedar": 0.3}


def write_material(folder: Path) -> None:
    """Write texts, tables, logs, judgments and parallel texts."""
    _write_texts(folder)
    _write_marked_up(folder)
    _write_parses(folder)
    _write_tables(folder)
    _write_logs(folder)
    _write_judgments(folder)
    _write_choices(folder)
    _write_corpus(folder)


def _write(path: Path, lines: Iterable[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write_rows(path: Path, rows: Sequence[Sequence[object]], by: str = "\t") -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=by, lineterminator="\n").writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def _header(names: str) -> list[list[object]]:
    """A table that has the names of its columns so far."""
    return [list(names.split())]


def _write_texts(folder: Path) -> None:
    references = sentences(SIZE, 3)
    _write(folder / "ref.en", references)
    _write(folder / "ref2.en", spoilt(references, 0.15, 99))
    _write(folder / "src.xx", spoilt(references, 0.9, 5))
    _write(folder / "documents", (f"d{at // 5}" for at in range(SIZE)))
    _write(folder / "slices", ("news" if at % 3 else "talks" for at in range(SIZE)))
    for number, (name, share) in enumerate(SYSTEMS.items()):
        for run in (1, 2, 3):
            _write(folder / f"{name}.{run}", spoilt(references, share, 10 * number + run))
        chance = random.Random(f"comet of {name}")
        _write(
            folder / f"{name}.comet", (f"{chance.gauss(1 - share, 0.1):.4f}" for _ in references)
        )


def _write_marked_up(folder: Path) -> None:
    """Write the same texts as JSON lines in another order, and as XML of the NIST."""
    documents = []
    for name in ("ref.en", "ash.1", "birch.1"):
        texts = (folder / name).read_text(encoding="utf-8").split("\n")[:-1]
        short = name.partition(".")[0]
        rows = [json.dumps({"key": f"k{at}", "said": text}) for at, text in enumerate(texts)]
        _write(folder / f"{short}.jsonl", rows if short == "ref" else reversed(rows))
        segments = "".join(f'<seg id="{at}">{text}</seg>' for at, text in enumerate(texts, 1))
        kind = "refset" if short == "ref" else "tstset"
        documents.append(
            f'<{kind} setid="s" srclang="xx" trglang="en" sysid="{short}">'
            f'<doc docid="d" sysid="{short}">{segments}</doc></{kind}>'
        )
    _write(folder / "ref.xml", ["<mteval>", documents[0], "</mteval>"])
    _write(folder / "systems.xml", ["<mteval>", *documents[1:], "</mteval>"])


def _write_parses(folder: Path) -> None:
    """Write a chain of words as the parse of every sentence, with relations drawn at random."""
    chance = random.Random(8)
    for name in ("ref.en", "ash.1", "birch.1"):
        lines = []
        for text in (folder / name).read_text(encoding="utf-8").split("\n")[:20]:
            lines.append(f"# text = {text}")
            for at, word in enumerate(text.split(" "), 1):
                relation = "root" if at == 1 else chance.choice(["nsubj", "obj", "det"])
                lines.append(f"{at}\t{word}\t{word.lower()}\tX\t_\t_\t{at - 1}\t{relation}\t_\t_")
            lines.append("")
        _write(folder / f"{name.partition('.')[0]}.conllu", lines)


def _write_tables(folder: Path) -> None:
    chance = random.Random(4)
    header = ["model", "task", "passage", "item", "accuracy", "seconds"]
    rows: list[list[object]] = []
    for item in range(48):
        hard = chance.gauss(0, 0.2)
        for at, model in enumerate(("base", "large", "tuned")):
            score = round(0.4 + 0.06 * at + hard + chance.gauss(0, 0.15), 4)
            task = "reading" if item < 20 else "counting"
            seconds = round(chance.uniform(1, 3 + at), 3)
            rows.append([model, task, f"p{item // 4}", f"i{item}", score, seconds])
    _write_rows(folder / "scores.csv", [header, *rows], ",")
    _write_rows(folder / "scores.tsv", [header, *rows])
    records = [dict(zip(header, row, strict=True)) for row in rows]
    _write(folder / "scores.jsonl", map(json.dumps, records))
    wide: dict[object, dict[object, object]] = {}
    for record in records:
        wide.setdefault(record["item"], {})[record["model"]] = record["accuracy"]
    models = ["base", "large", "tuned"]
    cells = [[item, *(each[model] for model in models)] for item, each in wide.items()]
    _write_rows(folder / "wide.csv", [["item", *models], *cells], ",")
    # Two systems whose items are scored 0 or 1 in five runs, and one item that is missing.
    attempts = [
        [model, f"t{item}", run, int(chance.random() < share)]
        for model, share in (("one", 0.3), ("two", 0.45))
        for item in range(30)
        for run in range(5)
    ]
    _write_rows(folder / "attempts.csv", [["model", "item", "run", "passed"], *attempts], ",")
    gaps = [row for row in rows if (row[0], row[3]) not in {("base", "i3"), ("tuned", "i7")}]
    _write_rows(folder / "gaps.csv", [header, *gaps], ",")
    outputs = [["system", "item", "hypothesis", "reference"]]
    references = (folder / "ref.en").read_text(encoding="utf-8").split("\n")[:30]
    for name in SYSTEMS:
        texts = (folder / f"{name}.1").read_text(encoding="utf-8").split("\n")[:30]
        for at, (text, reference) in enumerate(zip(texts, references, strict=True)):
            outputs.append([name, str(at), text, reference])
    _write_rows(folder / "outputs.csv", outputs, ",")


def write_parquet(folder: Path) -> None:
    """Write the table of scores as Parquet, which needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines = (folder / "scores.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    table = pa.Table.from_pylist([json.loads(line) for line in lines])
    pq.write_table(table, folder / "scores.parquet")


def _write_logs(folder: Path) -> None:
    chance = random.Random(6)
    for model, share in (("mock/one", 0.8), ("mock/two", 0.55)):
        grades = ["C" if chance.random() < share else "I" for _ in range(60)]
        log: dict[str, Any] = {
            "version": 2,
            "status": "success",
            "eval": {"task": "quiz", "model": model, "dataset": {"samples": 30}},
            "samples": [
                {
                    "id": f"item-{at % 30}",
                    "epoch": at // 30 + 1,
                    "input": "What?",
                    "target": "1",
                    "scores": {"match": {"value": grade, "history": []}},
                }
                for at, grade in enumerate(grades)
            ],
        }
        name = model.partition("/")[2]
        _write(folder / f"inspect-{name}.json", [json.dumps(log)])
        with zipfile.ZipFile(folder / f"inspect-{name}.eval", "w") as archive:
            archive.writestr("_journal/start.json", "{}")
            archive.writestr("summaries.json", json.dumps(log["samples"]))
            archive.writestr("header.json", json.dumps({**log, "samples": None}))
    for model, share in (("alpha", 0.7), ("beta", 0.5)):
        for task in ("quiz", "other"):
            samples = [
                {
                    "doc_id": at,
                    "doc": {"question": "Which?"},
                    "target": "1",
                    "arguments": {},
                    "resps": [[["-0.5", "False"]]],
                    "filtered_resps": [["-0.5", "False"]],
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{task}-{at}",
                    "prompt_hash": "p",
                    "target_hash": "t",
                    "acc": float(chance.random() < share),
                }
                for at in range(25)
            ]
            place = folder / "lm-eval" / model / f"samples_{task}_2026-01-01T00-00-00.0.jsonl"
            _write(place, map(json.dumps, samples))
    results = []
    for test in range(30):
        for column, share in ((0, 0.8), (1, 0.5)):
            score = 1.0 if chance.random() < share else round(chance.random() / 2, 3)
            results.append(
                {
                    "promptIdx": column,
                    "testIdx": test,
                    "testCase": {"vars": {"word": f"word {test}"}, "assert": []},
                    "provider": {"id": "echo", "label": ["alpha", "beta"][column]},
                    "prompt": {"raw": "Say a word", "label": "plain: Say {{word}}"},
                    "success": score == 1,
                    "score": score,
                    "namedScores": {},
                    "failureReason": 0 if score == 1 else 1,
                }
            )
    whole = {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": [], "results": results, "stats": {}},
        "config": {},
        "runtimeOptions": {},
    }
    (folder / "promptfoo.json").write_text(json.dumps(whole, indent=2), encoding="utf-8")


def _value(chance: random.Random, judge: int, system: str, kind: str) -> int:
    """A score of a judge, of whom the last does not look."""
    if judge == 5:
        return chance.randint(0, 100)
    mean = {"bad": 25, "reference": 90}.get(kind, 80 - 90 * SYSTEMS[system])
    return max(0, min(100, round(chance.gauss(mean - 4 * judge, 12))))


def _write_judgments(folder: Path) -> None:
    chance = random.Random(7)
    own: list[list[object]] = [["judge", "hit", "pair", "kind", "system", "segment", "value"]]
    again: list[list[object]] = [own[0]]
    appraise = _header(
        "username system itemId itemType srcLang trgLang score docId isDocScore timeStart timeEnd"
    )
    esa = _header("annotator system seg type score doc flag spans_json t_start t_end")
    mqm = _header("system doc seg_id rater source target category severity")
    batch = _header(
        "HITId WorkerId AssignmentStatus SubmitTime WorkTimeInSeconds "
        "Input.src Input.trg Input.item Answer.Q1"
    )
    pearmut = []
    clock = 1_700_000_000.0
    for judge in range(6):
        answers = []
        for at in range(40):
            segment, name = at % 20 + 1, f"w{judge}"
            system = list(SYSTEMS)[(at + judge) % 3]
            kind = "bad" if at % 8 == 7 else "reference" if at % 13 == 12 else "system"
            value = _value(chance, judge, system, kind)
            own.append([name, f"h{judge}", "de-en", kind, system, segment, value])
            if kind == "system" and chance.random() < 0.3:
                more = max(0, min(100, value + chance.randint(-9, 9)))
                own.append([name, f"h{judge}", "de-en", "repeat", system, segment, more])
            again.append([f"v{judge}", f"h{judge}", "de-en", kind, system, segment,
                          _value(chance, judge, system, kind)])  # fmt: skip
            spent = chance.uniform(4, 30)
            letters = {"bad": "BAD", "reference": "REF"}.get(kind, "TGT")
            document = f"d{segment // 5}"
            appraise.append([name, system, segment, letters, "deu", "eng", value, document, "False",
                             clock, clock + spent])  # fmt: skip
            errors = [
                {"start_i": 2 * each, "end_i": 2 * each + 1, "error_type": None,
                 "severity": chance.choice(["minor", "major"])}
                for each in range(chance.randrange(3))
            ]  # fmt: skip
            esa.append([name, system, segment, letters if letters == "BAD" else "TGT", value,
                        document, "", json.dumps(errors), clock, clock + spent])  # fmt: skip
            tag = {"bad": "BAD_REF", "reference": "REF"}.get(kind, "SYSTEM")
            answers.append(f"{system}_{segment}_{tag}_{at}__{value}")
            clock += spent + 1
            if kind == "system":
                for _ in range(chance.randrange(3) or 1):
                    category, severity = chance.choice(
                        [("Accuracy/Omission", "Major"), ("Fluency/Grammar", "Minor"),
                         ("Fluency/Punctuation", "Minor"), ("No-error", "No-error")]
                    )  # fmt: skip
                    target = "some <v>words</v> here" if severity != "No-error" else "some words"
                    mqm.append([system, document, segment, name, "src", target, category, severity])
                pearmut.append(
                    {
                        "annotation": [{system: {"score": value, "error_spans": []}}],
                        "item": [{"item_id": f"segment {segment}", "tgt": {system: "text"}}],
                        "actions": [
                            {"time": clock, "action": "load"},
                            {"time": clock + spent, "action": "submit"},
                        ],
                        "user_id": name,
                        "item_i": at,
                    }
                )
        batch.append([f"H{judge}", name, "Approved", "Mon Nov 21 08:37:58 PST 2016", 900 + judge,
                      "'de'", "'en'", "'ad'", "|".join(answers)])  # fmt: skip
    _write_rows(folder / "judgments.tsv", own)
    _write_rows(folder / "again.tsv", again)
    _write_rows(folder / "appraise.csv", appraise, ",")
    _write_rows(folder / "batch.csv", batch, ",")
    _write(folder / "esa.tsv", ("\t".join(map(str, row)) for row in esa))
    _write(folder / "mqm.tsv", ("\t".join(map(str, row)) for row in mqm))
    _write(folder / "pearmut.jsonl", map(json.dumps, pearmut))
    # Every segment of two systems by three judges, half of the segments of a metric's scores.
    full = [["judge", "system", "segment", "value"]] + [
        [f"w{judge}", system, segment, _value(chance, judge, system, "system")]
        for judge in range(3)
        for system in SYSTEMS
        for segment in range(1, SIZE + 1, 2)
    ]
    _write_rows(folder / "full.csv", full, ",")


def _write_choices(folder: Path) -> None:
    """Write choices of people: winners and losers, rankings of five, and an arena."""
    chance = random.Random(9)
    worth = {"ash": 1.2, "birch": 1.0, "cedar": 0.5, "elm": 0.4, "fir": 0.2}
    pairs: list[list[object]] = [["seg", "winner", "loser"]]
    rankings = _header("seg judge sys1 sys2 sys3 sys4 sys5 rank1 rank2 rank3 rank4 rank5")
    arena: list[list[object]] = [["question_id", "model_a", "model_b", "winner", "judge"]]
    for at in range(240):
        one, other = chance.sample(list(worth), 2)
        first = chance.random() < worth[one] / (worth[one] + worth[other])
        segment = at % SIZE + 1
        pairs.append([segment, one, other] if first else [segment, other, one])
        outcome = "tie" if chance.random() < 0.15 else "model_a" if first else "model_b"
        arena.append([f"q{at}", one, other, outcome, f"u{at % 7}"])
        if at % 3 == 0:
            names = chance.sample(list(worth), 5)
            ranks = [min(5, max(1, round(3.5 - 2 * worth[each] + chance.gauss(0, 1))))
                     for each in names]  # fmt: skip
            rankings.append([segment, f"J{at % 4}", *names, *ranks])
    _write_rows(folder / "pairs.tsv", pairs)
    _write_rows(folder / "rankings.tsv", rankings)
    _write_rows(folder / "arena.csv", arena, ",")
    _write_rows(folder / "choices.csv", _choices(chance, worth), ",")
    references = (folder / "ref.en").read_text(encoding="utf-8").split("\n")[:-1]
    for at, (name, value) in enumerate(worth.items()):
        _write(folder / f"{name}.en", spoilt(references, 0.35 - 0.2 * value, 50 + at))


def _choices(chance: random.Random, worth: dict[str, float]) -> list[list[object]]:
    """Choices between two texts as Mechanical Turk returns them, every fifth one a control."""
    fields = ("left", "right", "sid", "tst", "better")
    header: list[object] = ["HITId", "WorkerId", "AssignmentStatus", "Input.src", "Input.trg"]
    header += ["SubmitTime", "WorkTimeInSeconds"]
    header += [f"Input.{field}_{at}" for at in range(20) for field in fields]
    header += [f"Answer.choice_{at}" for at in range(20)]
    rows = [header]
    for hit in range(8):
        shown: list[object] = []
        answers: list[object] = []
        for at in range(20):
            left, right = chance.sample(list(worth), 2)
            sides = ["left", "right"]
            if at % 5 == 4:
                better = chance.choice(sides)
                shown += [left, left, f"'{at}'", "'BAD_REF'", better]
                answers.append(better if chance.random() < 0.95 else chance.choice(sides))
            else:
                shown += [left, right, f"'{at}'", "'SYSTEM'", ""]
                first = chance.random() < worth[left] / (worth[left] + worth[right])
                answers.append("neither" if chance.random() < 0.1 else sides[not first])
        about = [f"H{hit}", f"W{hit % 4}", "Approved", "'de'", "'en'"]
        when = f"Mon Nov 21 08:{10 + hit}:58 PST 2016"
        rows.append([*about, when, 300 + hit, *shown, *answers])
    return rows


def _write_corpus(folder: Path) -> None:
    """Write parallel texts: each word has another name, and neighbours change places."""
    for name, size, seed in (("train", 500, 21), ("test", 30, 22)):
        targets = [text.rstrip(".?").replace(",", "").lower() for text in sentences(size, seed)]
        sources = []
        for text in targets:
            words = ["".join(reversed(word)) + "o" for word in text.split(" ")]
            for at in range(0, len(words) - 1, 3):
                words[at], words[at + 1] = words[at + 1], words[at]
            sources.append(" ".join(words))
        _write(folder / f"{name}.src", sources)
        _write(folder / f"{name}.tgt", targets)
