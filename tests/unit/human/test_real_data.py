"""Published campaigns: the numbers that their organisers printed come out again."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from math import fsum
from pathlib import Path

import pytest

from reading import read_judgments
from shared_data import SHARED, lines
from weigh.human.judgments import judged_names
from weigh.human.plan import PRESETS
from weigh.human.quality import QualityResult, quality
from weigh.human.rank import rank
from weigh.human.rank_result import HumanRanking
from weigh.human.scores import HumanScore, standardise
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.types import Judgment

DATA = SHARED / "data"
RUN_A = DATA / "da-pipeline-eacl2017" / "runA"
WMT21 = ["wmt21/cs-en", "wmt21/de-en", "wmt22/liv-en"]

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared, with data that may not be published, is not here"
)


@cache
def run_a() -> Judgments:
    return read_judgments([str(path) for path in sorted(RUN_A.glob("Batch_*.csv.gz"))])


@cache
def quality_of_run_a() -> QualityResult:
    return quality(run_a().judgments)


def rows(path: Path) -> list[dict[str, str]]:
    header, *rest = (line.split("\t") for line in lines(path))
    return [dict(zip(header, row, strict=True)) for row in rest]


class TestEacl2017:
    def test_counts_at_every_step(self) -> None:
        steps = [(step.judgments, step.judges) for step in quality_of_run_a().steps]
        assert steps == [(10_500, 46), (9_500, 44), (7_700, 29)]
        assert run_a().omissions == ()

    def test_scores_of_segments_and_documents(self) -> None:
        keys = [line.split() for line in lines(RUN_A / "seg-key-enes.gz")[1:]]
        documents = [f"{source} {target}" for source, target, *_ in keys]
        # Published standard scores are of judges alone (preset weigh fits systems too).
        result = rank(run_a(), PRESETS["wmt21"], quality="crowd-alone", documents=documents)
        found = {row.segment: row for row in result.segment_scores}
        assert len(found) == len(keys) == 1_051
        for _, _, line, number, z, raw, count in keys:
            row = found[number]
            assert (row.line, row.judgments) == (int(line), int(count))
            assert row.score == pytest.approx(float(z), abs=1e-6)
            assert row.raw == pytest.approx(float(raw), abs=1e-9)
        expected = {
            f"{source} {target}": (float(z), float(raw), int(count))
            for source, target, z, raw, count in map(
                str.split, lines(RUN_A / "doc-key-enes.csv")[1:]
            )
        }
        assert len(result.document_scores) == len(expected) == 62
        for each in result.document_scores:
            z_mean, raw_mean, number_of = expected[each.document]
            assert each.judgments == number_of
            assert each.score == pytest.approx(z_mean, abs=1e-6)
            assert each.raw == pytest.approx(raw_mean, abs=1e-9)

    def test_the_judgments_that_the_pipeline_extracted(self) -> None:
        kinds = {"SYSTEM": "system", "REPEAT": "repeat", "REF": "reference", "BAD_REF": "bad"}
        expected = {
            (row["HITId"], row["WorkerId"], row["rid"]): (
                kinds[row["type"]], row["sid"], float(row["score"])
            )
            for row in rows(RUN_A / "ad-latest.csv.gz")
        }  # fmt: skip
        found = {
            (one.hit, one.judge, one.item): (one.kind, one.segment, one.value)
            for one in run_a().judgments
        }
        assert found == expected

    def test_p_values_and_verdicts_of_every_judge(self) -> None:
        p_values = {
            name: (float(p), int(n))
            for name, p, _, n in (line.split() for line in lines(RUN_A / "ad-trk-stats.csv"))
        }
        verdicts = dict(line.split() for line in lines(RUN_A / "ad-trk-stats.class"))
        tested = {each.judge: each for each in quality_of_run_a().judges}
        assert len(p_values) == len(verdicts) == 44
        for name, (p, controls) in p_values.items():
            assert tested[name].p_value == pytest.approx(p, rel=1e-5)
            assert tested[name].controls == controls
            assert tested[name].kept == (verdicts[name] == "good")
        refused = set(tested) - set(p_values)
        assert all(tested[name].reasons[0].endswith("hits rejected") for name in refused)

    def test_conduct_and_flags(self) -> None:
        header, *table = (line.split() for line in lines(RUN_A / "ad-wrkr-stats.csv"))
        conducts = {each.judge: each for each in quality_of_run_a().judges}
        for row in (dict(zip(header, cells, strict=True)) for cells in table):
            conduct = conducts[row["wid"]]
            assert conduct.hits == int(row["hit.count"])
            names = ("mean.bad.ref", "mean.sys.out", "mean.ref")
            means = (conduct.mean_bad, conduct.mean_system, conduct.mean_reference)
            for mean, name in zip(means, names, strict=True):
                assert mean == pytest.approx(float(row[name]), abs=0.051)
            assert conduct.least_seconds == pytest.approx(float(row["min.hit.time"]), abs=0.051)
            assert conduct.longest_run == int(row["max.const.seq.len"])
            flags = " ".join(conduct.flags)
            assert ("hit below" in flags) == (row["time.flag"] != "-")
            assert ("run of" in flags) == (row["seq.flag"] != "-")
            assert ("rejected" in flags) == (row["reject.flag"] != "-")
            if "≥" in flags:  # theirs knows a further reason, references that score low
                assert row["scores.flag"] != "-"

    def test_standard_scores(self) -> None:
        result = standardise(quality_of_run_a().kept)
        found = {
            (one.hit, one.judge, one.item): z
            for one, z in zip(result.judgments, result.z, strict=True)
        }
        expected = {
            (row["HITId"], row["WorkerId"], row["rid"]): float(row["score"])
            for row in rows(RUN_A / "ad-enes-good-stnd.csv.gz")
        }
        assert len(expected) == 7_700
        assert found == pytest.approx(expected, abs=1e-6)


@cache
def wmt(name: str) -> tuple[Judgment, ...]:
    return read_judgments([str(DATA / name / "human-da.tsv.gz")]).judgments


@cache
def ranking(name: str) -> HumanRanking:
    [one] = rank(wmt(name), PRESETS["wmt21"]).rankings
    return one


def published(name: str) -> tuple[list[list[str]], dict[tuple[str, str], float]]:
    """The ranking as printed, and the p-values, by the systems' names."""
    table = [line.split() for line in lines(DATA / name / "published-ranking.txt") if line]
    names = {row[4]: row[5] for row in table}
    wilcoxon = [line.split() for line in lines(DATA / name / "published-wilcoxon.txt") if line]
    header, *matrix = wilcoxon
    p_values = {
        (names[row[0]], names[column]): float(p)
        for row in matrix
        for column, p in zip(header, row[1:], strict=True)
        if row[0] != column
    }
    return table, p_values


@pytest.mark.parametrize("name", WMT21)
class TestDirectAssessment:
    def test_standard_scores(self, name: str) -> None:
        result = standardise(wmt(name))
        assert result.judgments == wmt(name)
        assert result.remarks == ()
        expected = [float(row["z"]) for row in rows(DATA / name / "human-da.tsv.gz")]
        assert result.z == pytest.approx(expected, abs=1e-5)

    def test_the_order_of_systems_and_their_scores(self, name: str) -> None:
        table, _ = published(name)
        scores = ranking(name).scores
        assert [one.system for one in scores] == [row[5] for row in table]
        for one, (raw, z, segments, judgments, *_) in zip(scores, table, strict=True):
            assert isinstance(one, HumanScore)
            assert one.score == pytest.approx(float(z), abs=0.00051)
            assert one.segments == int(segments)
            # Raw means and counts were printed before judges without variance were left out.
            assert one.judgments <= int(judgments)
            if one.judgments == int(judgments):
                assert one.raw == pytest.approx(float(raw), abs=0.051)

    def test_every_published_p_value_below_05(self, name: str) -> None:
        _, p_values = published(name)
        found = {(one.a, one.b): one for one in ranking(name).comparisons}
        assert set(found) == set(p_values)
        below = [pair for pair, p in p_values.items() if p < 0.05]
        assert below
        for pair in below:
            assert found[pair].p_value == pytest.approx(p_values[pair], abs=1e-3)
        assert {pair for pair, one in found.items() if one.significant} == set(below)


def test_esa_leaves_out_controls_and_flagged_rows() -> None:
    path = DATA / "wmt24" / "en-cs" / "human-esa.tsv.gz"
    read = read_judgments([str(path)])
    table = rows(path)
    assert len(table) == len(read.judgments) + sum(each.count for each in read.omissions)
    by_system: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    seen = set()
    for row in table:
        cells = tuple(row.values())
        if row["type"] == "TGT" and not row["flag"] and cells not in seen:
            seen.add(cells)
            by_system[row["system"]][row["seg"]].append(float(row["score"]))
    means = {
        system: fsum(fsum(v) / len(v) for v in segments.values()) / len(segments)
        for system, segments in by_system.items()
    }
    [one] = rank(read.judgments).rankings
    assert one.by == "raw"
    assert len(one.scores) == 16
    assert {each.system: each.score for each in one.scores} == pytest.approx(means)
    assert [each.system for each in one.scores] == sorted(means, key=lambda name: -means[name])


@pytest.mark.parametrize(("pair", "systems", "screens"), [("es-en", 12, 1141), ("en-es", 11, 1475)])
def test_relative_rankings_of_2012(pair: str, systems: int, screens: int) -> None:
    path = DATA / "wmt12" / pair / "human-rnk.tsv.gz"
    read = read_answers([str(path)])
    assert isinstance(read, Preferences)
    table = rows(path)
    assert len(table) == screens
    ranked = [sum(row[f"rank{n}"] != "-1" for n in range(1, 6)) for row in table]
    assert len(read.preferences) == sum(n * (n - 1) // 2 for n in ranked)
    assert sum(each.count for each in read.omissions) == sum(5 - n for n in ranked)
    [one] = rank(read.preferences, PRESETS["graham2014"]).rankings
    assert len(one.scores) == systems
    assert len(one.comparisons) == systems * (systems - 1)
    if pair == "es-en":  # as another program counted
        assert sum(each.significant for each in one.comparisons) == 44


def test_preferences_of_2013() -> None:
    read = read_answers([str(DATA / "wmt13" / "cs-en" / "human-pairwise-rnk.tsv.gz")])
    assert isinstance(read, Preferences)
    assert len(read.preferences) == 85_469
    [one] = rank(read.preferences).rankings
    assert len(one.scores) == 11


def test_appraise_has_controls_of_every_judge() -> None:
    read = read_judgments([str(DATA / "wmt22-liv-seglevel" / "SegLvlLivSrc.csv.gz")])
    assert len(read.judgments) == 5_327
    assert {one.pair for one in read.judgments} == {"eng-liv", "liv-eng"}
    verdicts = quality(read.judgments, "appraise").judges
    assert all(each.p_value is not None for each in verdicts)


@pytest.mark.parametrize(("pair", "systems", "items"), [("es-en", 17, 840), ("cs-en", 12, 70)])
def test_means_of_2013_are_ranked_as_they_are(pair: str, systems: int, items: int) -> None:
    path = DATA / "wmt13" / pair / "human-da-segmean.tsv"
    [ranking] = rank(str(path), bad_rows="refuse").rankings
    means = defaultdict(list)
    for row in rows(path):
        means[row["system"]].append(float(row["z_mean"]))
    assert (ranking.by, len(ranking.scores)) == ("z", systems)
    assert sum(len(each) for each in means.values()) == items
    for score in ranking.scores:
        assert isinstance(score, HumanScore)
        values = means[score.system]
        assert score.score == pytest.approx(fsum(values) / len(values), abs=1e-12)


def test_systems_of_2013_are_found_by_the_names_of_their_files() -> None:
    folder = DATA / "wmt13" / "cs-en"
    judged = {row["system"] for row in rows(folder / "human-da-segmean.tsv")}
    files = [path.name.removesuffix(".gz") for path in folder.glob("sys/*.gz")]
    found = judged_names(files, judged)
    assert set(found.values()) == judged
    assert all(f"{name}.en" == file for file, name in found.items())
