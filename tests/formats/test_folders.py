from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from formats import made
from formats.made import column, rows
from weigh import plugins
from weigh.errors import InputError
from weigh.read.formats import Format, find_format, read_folder, stack_logs
from weigh.read.table import Labels, Table

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a log into the folder `logs`, from which paths are relative."""
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()

    def write_log(name: str, log: dict[str, Any] | str, **changes: Any) -> str:
        path = Path("logs") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(log, str):
            path.write_text(log)
        elif name.endswith(".eval"):
            path.write_bytes(made.archive({**log, **changes}))
        else:
            path.write_text(json.dumps({**log, **changes}))
        return str(path)

    return write_log


def refused(call: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_folder_holds_models_and_tasks(write: Write) -> None:
    for model in ("one", "two"):
        for task in ("quiz", "sums"):
            write(f"{task}/{model}.eval", made.inspect_log(model, task))
    write("notes.txt", "no log\n")
    write("numbers.txt", "1\n2\n")
    write(".hidden.json", made.inspect_log("hidden"))
    write(".git/x.json", made.inspect_log("hidden"))
    for path in ("logs", "logs/", "./logs"):
        table = read_folder(path)
        assert table.remarks == (
            "logs/: 4 inspect_ai logs of 2 models and 2 tasks",
            "skipped 2 other files, such as notes.txt",
        )
        assert table.labels("system").names == ["one", "two"]
        assert table.labels("slice").names == ["quiz", "sums"]
        assert {*column(table, "run")} == {"1"}
        assert len(table) == 12
    assert table.where(11) == "./logs/sums/two.eval: sample item-2"


def test_files_beside_samples_are_not_passed_over(tmp_path: Path) -> None:
    made.write_every_format(tmp_path / "all")
    remarks = read_folder(str(tmp_path / "all")).remarks
    assert remarks[0].startswith("all/: ")
    assert "skipped 5 other files, such as BLEU-refA.seg.score" in remarks


def test_repeated_logs_are_runs_in_order_of_their_creation(write: Write) -> None:
    for name, created, grade in (
        ("a", "2026-01-02T00:00:00+00:00", "P"),
        ("b", "2026-01-01T23:30:00-02:00", "C"),
        ("c", "2026-01-01T00:00:00+00:00", "I"),
    ):
        log = made.inspect_log(
            scores=[{"match": grade}] * 4, epochs=2, created=created, eval_id=name
        )
        write(f"{name}.eval", log)
    table = read_folder("logs")
    found = {row for row in rows(table, "run", "score", "item") if row[2] == "item-0"}
    assert {row[:2] for row in found} == {
        *(("1", 0), ("2", 0), ("3", 0.5), ("4", 0.5), ("5", 1), ("6", 1)),
    }
    assert "repeated logs count as runs: 6 of mock/one in quiz" in table.remarks
    assert table.where(0) == "logs/c.eval: sample item-0, epoch 1"


def test_logs_without_a_time_are_runs_in_order_of_their_names(write: Write) -> None:
    for name, value in (("m/x/b", 1.0), ("m/x/a", 0.0)):
        folder, _, last = name.rpartition("/")
        sample = made.lm_eval_sample(0, acc=value)
        write(f"{folder}/{last}/m/samples_quiz.jsonl", made.lines([sample]))
    assert rows(read_folder("logs"), "run", "score") == [("1", 0), ("2", 1)]


def test_logs_of_different_items_are_parts_of_one_run(write: Write) -> None:
    log = made.inspect_log()
    for name, part in (("a", slice(0, 2)), ("b", slice(2, 3))):
        changed = {**log, "samples": log["samples"][part]}
        changed["eval"] = {**log["eval"], "eval_id": name}
        write(f"{name}.eval", changed)
    table = read_folder("logs")
    assert column(table, "item") == ["item-0", "item-1", "item-2"]
    assert {*column(table, "run")} == {"1"}


def test_copies_count_once(write: Write) -> None:
    log = made.inspect_log()
    write("a.eval", log)
    write("a.json", log)
    write("copies/a.eval", log)
    table = read_folder("logs")
    assert len(table) == 3
    assert "copies of other logs, ignored: a.json, a.eval" in table.remarks
    one = find_format("logs/a.eval")
    assert one is not None
    tables = [one.read("logs/a.eval").with_label("system", name) for name in "ab"]
    assert len(stack_logs(tables)) == 6


def test_a_copy_with_more_scorers_replaces_the_log(write: Write) -> None:
    write("a.eval", made.inspect_log(scores=[{"match": "C"}, {"match": "I"}]))
    scored = [{"match": "C", "f1": 0.5}, {"match": "I", "f1": 0.25}]
    write("b-scored.eval", made.inspect_log(scores=scored))
    assert {*column(read_folder("logs"), "metric")} == {"match", "f1"}
    write("b-scored.eval", made.inspect_log(scores=[{"match": "I"}, {"match": "I"}]))
    assert "the same evaluation as logs/a.eval, but with different scores" in refused(
        read_folder, "logs"
    )


def test_logs_that_cannot_be_used_are_named(write: Write) -> None:
    write("a.eval", made.inspect_log("one"))
    write("b.json", made.inspect_log("two"), status="cancelled")
    write("c.json", made.inspect_log("three"), samples=[])
    write("d.json", json.dumps(made.inspect_log("four"))[:-5])
    table = read_folder("logs")
    assert table.labels("system").names == ["one"]
    [remark] = [remark for remark in table.remarks if remark.startswith("skipped")]
    assert remark.startswith("skipped 3 logs: b.json (unfinished), c.json (a log without")
    Path("logs/a.eval").unlink()
    assert "logs/: no finished log, only b.json (unfinished)" in refused(read_folder, "logs/")


def test_a_folder_of_one_log_is_counted_once(write: Write) -> None:
    write("a.eval", made.inspect_log())
    table = stack_logs([read_folder("logs")])
    assert table.remarks == ("1 inspect_ai log of 1 model and 1 task",)


def test_an_empty_folder_is_refused(write: Write) -> None:
    assert refused(read_folder, "logs").startswith("logs/: no logs of evaluation tools")
    write("notes.txt", "nothing")
    assert refused(read_folder, "logs/").startswith("logs/: no logs of evaluation tools")
    assert refused(read_folder, "nowhere").startswith("nowhere: cannot be read")


def test_links_in_a_circle_and_special_files_are_skipped(write: Write) -> None:
    write("a/a.eval", made.inspect_log())
    Path("logs/a/again").symlink_to(Path("logs").absolute())
    Path("logs/nothing").symlink_to("missing")
    os.mkfifo("logs/pipe")
    assert len(read_folder("logs")) == 3


def test_one_name_for_different_items_is_refused(write: Write) -> None:
    write("a.eval", made.inspect_log("one"))
    other = made.inspect_log("two")
    other["samples"][1]["input"] = "Something else?"
    write("b.eval", other)
    message = refused(read_folder, "logs")
    assert message.startswith(
        "logs/b.eval: sample item-1: item 'item-1' in quiz has a different input"
    )


def test_logs_with_other_arguments_are_no_repetitions(write: Write) -> None:
    write("a.eval", made.inspect_log(eval_id="1", task_args_passed={"cot": True}))
    write("b.eval", made.inspect_log(eval_id="2"))
    message = refused(read_folder, "logs")
    assert "but cot is not given and not true; name the systems with NAME=path" in message


def test_given_runs_are_kept(write: Write) -> None:
    paths = [write(f"{name}.eval", made.inspect_log(eval_id=name)) for name in "ab"]
    tables = []
    for path, run in zip(paths, ("x", "y"), strict=True):
        found = find_format(path)
        assert found is not None
        tables.append(found.read(path).with_label("run", run))
    table = stack_logs(tables)
    assert column(table, "run") == ["x"] * 3 + ["y"] * 3
    assert table.remarks == ("2 inspect_ai logs of 1 model and 1 task",)


def test_samples_may_be_in_any_order(write: Write) -> None:
    log = made.inspect_log(scores=[{"match": "C"}, {"match": "I"}, {"match": "P"}] * 2, epochs=2)
    write("a.eval", log)
    before = {*rows(read_folder("logs"), "item", "run", "metric", "score", "seconds")}
    write("a.eval", {**log, "samples": log["samples"][::-1]})
    assert {*rows(read_folder("logs"), "item", "run", "metric", "score", "seconds")} == before


class _Entry:
    name, dist = "mine", None

    def __init__(self, added: object) -> None:
        self._added = added

    def load(self) -> object:
        return self._added


def _read_mine(path: str) -> Table:
    columns = {"system": Labels.of(["mine"]), "item": Labels.of(["1"]), "metric": Labels.of(["m"])}
    return Table(name=path, columns=columns, where=lambda row: f"{path}: {row}")


def test_other_packages_add_formats(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[object] = [
        Format("my log", lambda head: head.start.startswith(b"MINE"), _read_mine)
    ]
    monkeypatch.setattr(plugins, "entries", lambda _: {"mine": [_Entry(added[0])]})
    write("x.mine", "MINE")
    write("a.eval", made.inspect_log())
    table = read_folder("logs")
    assert table.remarks == ("logs/: 1 inspect_ai log and 1 my log of 2 models and 1 task",)
    assert column(table, "system") == ["mock/one"] * 3 + ["mine"]
    added[0] = "no format"
    assert "reader 'mine' of a package is not a Format" in refused(find_format, "logs/a.eval")
