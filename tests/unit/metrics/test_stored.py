"""Statistics on disk: what is read is what was written, and nothing that is out of date."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from every_metric import spaced
from strategies import corpora
from unit.comparing.systems import corpus as four_systems
from weigh import (
    Bleu,
    InputError,
    Nist,
    Outputs,
    ParsedText,
    ParsedWord,
    System,
    Ter,
    TestSet,
    UsageError,
    WeighError,
    compare,
    parse_metric,
    score,
)
from weigh.comparing.measure import measure_stored, measure_texts, statistics_of
from weigh.metrics.registry import key_of
from weigh.metrics.segment import Segment
from weigh.metrics.statistics import fingerprints, statistics
from weigh.metrics.stored import StoredStatistics, check_writable, read_statistics, save_statistics

METRICS = [spaced(metric) for metric in (Bleu(), Nist(), Ter())]
in_folder = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(systems, test_set, metrics=METRICS, path: str = "s.npz") -> StoredStatistics:
    save_statistics(statistics_of(measure_texts(systems, test_set, metrics)), path)
    return read_statistics([path])


def small() -> tuple[list[System], TestSet]:
    systems = [System("A", Outputs(["a b", "c d"])), System("B", Outputs(["a x", "c d"]), "1")]
    return systems, TestSet([["a b", "c e"]], sources=["u", "v"])


@in_folder
@given(corpus=corpora(), labels=st.booleans(), data=st.data())
def test_what_is_read_is_what_was_written(corpus, labels, data) -> None:
    texts, references = corpus
    own = data.draw(st.booleans())
    name = data.draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
    column = [f"label\n{at}" for at in range(len(texts))] if labels else None
    systems = [
        System(name, Outputs(texts), run, references=references if own else ())
        for run in (None, "0", "1")
    ]
    test_set = TestSet(
        [] if own else references, documents=column, slices=column, ids=column or texts_ids(texts)
    )
    stored = save(systems, test_set)
    stored.check(systems, test_set)
    for metric in METRICS:
        expected = statistics(systems, test_set, metric)
        for system, rows in zip(systems, expected, strict=True):
            found = stored.find(metric, system, len(references))
            assert found is not None
            assert found.dtype == rows.dtype
            np.testing.assert_array_equal(found, rows)
    assert [key_of(one) for one in stored.choose(None)] == ["bleu", "nist", "ter"]
    again = measure_stored(stored)
    assert (again.documents, again.slices) == ((tuple(column),) * 2 if labels else (None, None))
    assert (again.names, again.runs) == ((name,), ((None, "0", "1"),))


def texts_ids(texts: list[str]) -> list[str]:
    return [f"id{at}" for at in range(len(texts))]


def test_results_are_the_same_without_texts() -> None:
    systems, test_set = four_systems()
    test_set = replace(test_set, slices=["x", "y"] * (len(test_set) // 2))
    stored = save(systems, test_set)
    plain = compare(systems, test_set, METRICS, trials=200)
    again = compare(measure_stored(stored), trials=200)
    assert again.comparisons == plain.comparisons
    assert again.scores == plain.scores
    assert again.test_set == plain.test_set


def test_only_what_is_not_stored_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    systems, test_set = small()
    stored = save(systems, test_set, [Bleu()])
    seen: list[str] = []
    rows = Outputs.part

    def part(self: Outputs, start: int, stop: int) -> Outputs:
        seen.extend(self.texts[start:stop])
        return rows(self, start, stop)

    monkeypatch.setattr(Outputs, "part", part)
    added = [*systems, System("C", Outputs(["new", "one"]))]
    expected = score(added, test_set, [Bleu(), Ter()])
    seen.clear()
    found = score(measure_texts(added, test_set, [Bleu()], stored=stored))
    assert seen == ["new", "one"]
    assert found.scores == expected.scores[:3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s, t: (s, replace(t, references=[["a b", "c E"]])),
         "reference 1 has changed in segment 2;"),
        (lambda s, t: (s, replace(t, references=[["a", "c"]])),
         r"reference 1 has changed in segment 1 \(and 1 more\);"),
        (lambda s, t: (s, replace(t, references=[["a b", "c e"]] * 2)),
         "references were 1 and are 2;"),
        (lambda s, t: (s, replace(t, sources=["u", "w"])),
         "the source has changed in segment 2;"),
        (lambda s, t: ([s[0], replace(s[1], outputs=Outputs(["a x ", "c d"]))], t),
         "B has changed in segment 1;"),
        (lambda s, t: ([replace(s[0], references=[["a", "b"]])], t),
         "A, references were 0 and are 1;"),
        (lambda s, t: (s[:0], replace(t, references=[["a b"]], sources=None)),
         "statistics of 2 segments, but the test set has 1;"),
    ],
)  # fmt: skip
def test_what_is_out_of_date_is_refused(change, message: str) -> None:
    systems, test_set = small()
    stored = save(systems, test_set)
    stored.check(systems[:1], replace(test_set, sources=None))
    with pytest.raises(InputError, match=rf"^s\.npz: .*{message} compute them again"):
        stored.check(*change(systems, test_set))


def test_other_settings_and_versions_are_refused() -> None:
    systems, test_set = small()
    made = statistics_of(measure_texts(systems, test_set, [Bleu()]))
    old = made.metrics["bleu"]
    other = replace(old, signature=old.signature.replace("weigh-", "weigh-0."))
    save_statistics(replace(made, metrics={"bleu": other}), "s.npz")
    stored = read_statistics(["s.npz"])
    with pytest.raises(InputError, match=r"s\.npz: out of date, as bleu was .*weigh-0\..* and is"):
        measure_texts(systems, test_set, [Bleu()], stored=stored)
    with pytest.raises(InputError, match=r"s\.npz: out of date, as bleu was .*weigh-0\..* and is"):
        measure_stored(stored)
    assert stored.find(Bleu(lowercase=True), systems[0], 1) is None


def test_given_scores_that_change_are_refused() -> None:
    Path("scores").write_text("1\n2\n")
    metric = Segment("scores")
    systems, test_set = small()
    system = replace(systems[0], outputs=Outputs(["a", "b"], extra={metric.column: [1.0, 2.0]}))
    stored = save([system], test_set, [metric])
    assert score(measure_stored(stored, [metric]))[0].score == 1.5
    other = replace(system, outputs=Outputs(["a", "b"], extra={metric.column: [1.0, 3.0]}))
    with pytest.raises(InputError, match="out of date, as what segment:file=scores reads of A"):
        stored.find(metric, other, 1)


def test_files_of_one_test_set_are_one() -> None:
    systems, test_set = small()
    save(systems[:1], test_set, [Bleu(), Ter()], "a.npz")
    save(systems[1:], test_set, [Ter(), Bleu()], "b.npz")
    save(systems, test_set, [Nist()], "c.npz")
    stored = read_statistics(["a.npz", "b.npz", "c.npz"])
    assert stored.label == "a.npz, b.npz, c.npz"
    assert [key_of(one) for one in stored.choose(None)] == ["bleu", "ter", "nist"]
    metrics = stored.choose([Ter(), Nist()])
    assert score(measure_stored(stored, metrics)) == score(systems, test_set, metrics)
    other = [replace(systems[0], outputs=Outputs(["a b", "other"]))]
    save(other, test_set, [Bleu()], "d.npz")
    with pytest.raises(InputError, match=r"a\.npz and d\.npz: .* A has changed in segment 2"):
        read_statistics(["a.npz", "d.npz"])
    save(systems[1:], test_set, [Nist()], "e.npz")
    apart = read_statistics(["a.npz", "e.npz"])
    with pytest.raises(InputError, match="no metric has statistics of all systems"):
        apart.choose(None)
    with pytest.raises(InputError, match="NIST of A: neither statistics nor texts"):
        apart.rows_of(spaced(Nist()), ("A", None), 1)
    with pytest.raises(UsageError, match="no statistics of nist for all systems"):
        measure_stored(apart, [Nist()])


def test_metrics_that_are_not_there() -> None:
    systems, test_set = small()
    stored = save(systems, test_set)
    with pytest.raises(UsageError, match=r"s\.npz: no statistics of wer .* did you mean 'ter'"):
        stored.choose([parse_metric("wer")])

    class Mine:
        def statistics(self, hypothesis, references):
            return [len(hypothesis), len(references)]

        def score(self, sums):
            return sums[..., 0]

    mine = save(systems, test_set, [Mine()])
    assert list(mine.metrics) == ["Mine"]
    with pytest.raises(InputError, match=r"s\.npz: Mine is not a metric that is installed here"):
        mine.choose(None)


@in_folder
@given(data=st.data())
def test_damaged_files_are_refused_in_one_line(data) -> None:
    systems, test_set = small()
    stored = save(systems, test_set)
    content = bytearray(Path("s.npz").read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content) - 1))
            content[at] = data.draw(st.integers(0, 255))
    Path("t.npz").write_bytes(content)
    message, made = "", None
    try:
        made = read_statistics(["t.npz"])
    except WeighError as error:
        message = str(error)
    if made is None:
        assert message.startswith("t.npz: ")
        assert "\n" not in message
        return
    for key, metric in stored.metrics.items():  # what was changed tells nothing
        for name, rows in metric.rows.items():
            np.testing.assert_array_equal(made.metrics[key].rows[name], rows)


def test_foreign_files() -> None:
    np.save("one.npy", np.zeros(3))
    np.savez("other.npz", a=np.zeros(3))
    np.savez("pickled.npz", about=np.array([{"a": 1}], dtype=object))
    with zipfile.ZipFile("plain.zip", "w") as archive:
        archive.writestr("a", "b")
    Path("text").write_text("hello\n")
    Path("empty").write_text("")
    Path("folder").mkdir()
    for name in ("one.npy", "other.npz", "pickled.npz", "plain.zip", "text", "empty"):
        with pytest.raises(InputError, match=rf"^{name}: not a file that weigh score --save"):
            read_statistics([name])
    for name in ("one.npy", "other.npz", "plain.zip", "text", "folder", "/dev/full"):
        with pytest.raises(InputError, match=f"{name}: exists and is no file of statistics"):
            check_writable(name)
    check_writable("empty")  # nothing is lost
    with pytest.raises(InputError, match="/dev/full: not a file that weigh score --save"):
        read_statistics(["/dev/full"])  # which can be read without end
    with pytest.raises(InputError, match="missing: no such file"):
        read_statistics(["missing"])
    with pytest.raises(InputError, match="folder: cannot be read"):
        read_statistics(["folder"])
    with pytest.raises(InputError, match="no such directory"):
        check_writable("nowhere/s.npz")


@pytest.mark.parametrize(
    ("key", "damage", "message"),
    [
        ("bleu", lambda rows: rows[:, 1:], r"of A are not such as bleu makes, .* write it again"),
        ("ter", lambda rows: np.c_[rows, rows], "of A are not such as ter makes"),
        ("bleu", lambda rows: -rows - 1, "of A are not such as bleu makes"),
        ("combine:bleu=1:nist=1", lambda rows: rows[:, 1:], "not such as combine:bleu=1:nist=1"),
        ("nist", lambda rows: rows * [[1], [np.nan]], "NIST of A: segment 2 has a number that is"),
        ("nist", lambda rows: rows / 0.0, "NIST of A: segment 1 has a number that is"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_rows_that_the_metric_cannot_have_made(key: str, damage, message: str) -> None:
    systems, test_set = small()
    metric = parse_metric(key)
    save(systems, test_set, [metric])
    with np.load("s.npz") as arrays:
        content = dict(arrays)
    content["rows/0/0"] = np.ascontiguousarray(damage(content["rows/0/0"]))
    np.savez("s.npz", **content)
    stored = read_statistics(["s.npz"])
    with pytest.raises(InputError, match=rf"^s\.npz: .*{message}"):
        measure_texts(systems, test_set, [metric], stored=stored)
    with pytest.raises(InputError, match=rf"^s\.npz: .*{message}"):
        measure_stored(stored, [metric])


def test_other_formats_are_named() -> None:
    systems, test_set = small()
    save(systems, test_set)
    with np.load("s.npz") as arrays:
        content = dict(arrays)
    about = json.loads(content["about"].tobytes())
    about["schema"] = "weigh-statistics/2"
    content["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez("s.npz", **content)
    with pytest.raises(InputError, match=r"s\.npz: in the format weigh-statistics/2, but this"):
        read_statistics(["s.npz"])
    check_writable("s.npz")


def test_nothing_is_left_of_a_failed_write(monkeypatch: pytest.MonkeyPatch) -> None:
    systems, test_set = small()
    save(systems, test_set)
    before = Path("s.npz").read_bytes()

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(WeighError, match=r"s\.npz: cannot be written: No space left on device"):
        save(systems, test_set)
    assert [path.name for path in Path().iterdir()] == ["s.npz"]
    assert Path("s.npz").read_bytes() == before


@given(st.lists(st.text()))
def test_fingerprints_tell_texts_apart(texts: list[str]) -> None:
    numbers = fingerprints(texts)
    for at, one in enumerate(texts):
        for other, two in enumerate(texts):
            assert (numbers[at] == numbers[other]) == (one == two)


def test_a_parse_is_part_of_the_fingerprint() -> None:
    one, two, same = (
        ParsedText("a b", [ParsedWord("a", "a", 2, relation), ParsedWord("b", "b", 0, "root")])
        for relation in ("det", "nsubj", "det")
    )
    assert len(set(fingerprints([one, two, "a b"]).tolist())) == 3
    assert len(set(fingerprints([one, same]).tolist())) == 1
