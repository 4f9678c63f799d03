from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from unit.human.judgments import one
from weigh.human.quality import PRESETS, check_quality
from weigh.human.rank import HumanResult, RankPlan, rank, rank_preferences
from weigh.read.answers import Omission
from weigh.report import human_quality, human_rank
from weigh.report.human_judgments import as_jsonl
from weigh.report.human_quality import QualityReport
from weigh.report.human_rank import RankReport
from weigh.types import Judgment, Preference

OMISSION = Omission("file: missing answers (row 3)", 2)


def campaign(systems: int = 3, scale: str = "adequacy") -> list[Judgment]:
    """Systems of which the first is clearly best, and the others alike."""
    return [
        one(f"S{at}", segment, 60 - 30 * (at > 0) + (7 * segment + 3 * at) % 13, scale=scale)
        for at in range(systems)
        for segment in range(40)
    ]


def report_of(result: HumanResult) -> RankReport:
    return RankReport(result, "none", result.steps, [OMISSION], ["a remark"])


class TestRank:
    @pytest.mark.parametrize(("adjust", "called"), [("holm", "the adjusted p"), ("none", "the p")])
    def test_numbers_of_the_matrix_are_called_what_they_are(self, adjust: str, called: str) -> None:
        text = human_rank.SHOWN.as_table(report_of(rank(campaign(6), RankPlan(adjust=adjust))))
        assert f"a number is {called} of a pair" in " ".join(text.split())

    def test_clusters_are_blocks(self) -> None:
        text = human_rank.SHOWN.as_table(report_of(rank(campaign())))
        lines = text.split("\n")
        assert lines[0] == "de-en, adequacy: 3 systems"
        titles = ["Rank", "System", "z ↑", "95% interval", "Raw", "Judgments", "Segments"]
        assert re.split(" {2,}", lines[1]) == titles
        assert [line.split()[:2] for line in lines[3:7] if not line.startswith("─")] == [
            ["1", "S0"],
            ["2–3", "S2"],
            ["2–3", "S1"],
        ]
        assert lines[2].startswith("─")
        assert lines[4].startswith("─")
        assert "S0 is better" in text
        assert "no evidence of a difference" in text
        assert "Left out before, 2 answers: file: missing answers (row 3)." in text
        assert "test:rank-sum|unit:segment|alt:two-sided|adjust:holm|family:3|" in text

    def test_many_systems_are_a_matrix(self) -> None:
        text = human_rank.SHOWN.as_table(report_of(rank(campaign(6))))
        assert "> the row's system is better than the column's" in text
        assert text.count(" >") == 5

    def test_one_sided_matrices_are_whole(self) -> None:
        plan = RankPlan(alternative="better", adjust="none")
        text = human_rank.SHOWN.as_table(report_of(rank(campaign(4), plan)))
        assert "one-sided, both directions tried" in text
        assert text.count(" >") == 3

    def test_two_scales(self) -> None:
        answers = [*campaign(), *campaign(scale="fluency")]
        text = human_rank.SHOWN.as_table(report_of(rank(answers)))
        assert "de-en, adequacy, then fluency: 3 systems" in text
        assert "fluency decides, with its p-value" in text

    def test_one_system_is_not_compared(self) -> None:
        text = human_rank.SHOWN.as_table(report_of(rank(campaign(1))))
        assert "clusters" not in text
        assert "test:" not in text

    def test_preferences(self) -> None:
        answers = [Preference("A", "B", f"{n}") for n in range(9)]
        text = human_rank.SHOWN.as_table(report_of(rank_preferences(answers)))
        assert "Expected wins" in text
        assert "Sign test of the preferences that are not ties, two-sided" in text

    def test_json_is_what_was_found(self) -> None:
        result = rank(campaign())
        made = json.loads(human_rank.SHOWN.as_json(report_of(result)))
        assert (made["schema"], made["command"]) == ("weigh/1", "human rank")
        [ranking] = result.rankings
        assert [entry["system"] for entry in made["scores"]] == [s.system for s in ranking.scores]
        assert [entry["score"] for entry in made["scores"]] == [s.score for s in ranking.scores]
        assert [entry["rank"] for entry in made["scores"]] == [[1, 1], [2, 3], [2, 3]]
        assert [entry["p_value"] for entry in made["comparisons"]] == [
            each.p_value for each in ranking.conclusions
        ]
        assert made["rankings"][0]["clusters"] == [["S0"], ["S2", "S1"]]
        assert made["steps"][0] == {"step": "to be ranked", "judgments": 120, "judges": 1}
        assert made["omissions"] == [{"why": OMISSION.why, "count": 2}]
        assert made["remarks"] == ["a remark"]

    def test_tsv_has_a_row_per_system(self) -> None:
        result = rank(campaign())
        header, *rows = (
            line.split("\t") for line in human_rank.SHOWN.as_tsv(report_of(result)).split("\n")
        )
        records = [dict(zip(header, row, strict=True)) for row in rows]
        assert [record["cluster"] for record in records] == ["1", "2", "2"]
        assert [float(record["score"]) for record in records] == [
            score.score for score in result.rankings[0].scores
        ]
        assert (records[1]["rank_low"], records[1]["rank_high"]) == ("2", "3")

    def test_names_are_escaped(self) -> None:
        answers = [
            Judgment(each.judge, each.hit, "a|b", each.kind, "x_&\x1b" + each.system,
                     each.segment, each.value)
            for each in campaign()
        ]  # fmt: skip
        report = report_of(rank(answers))
        assert r"a\|b" in human_rank.SHOWN.as_markdown(report)
        latex = human_rank.SHOWN.as_latex(report)
        assert r"x\_\&" in latex
        for text in (
            latex,
            human_rank.SHOWN.as_markdown(report),
            human_rank.SHOWN.as_table(report),
        ):
            assert "\x1b" not in text


def judged() -> QualityReport:
    answers = []
    for judge, gap in (("good", 30), ("po|or", 0)):
        for n in range(10):
            answers.append(one("A", n, 60 + n % 4, judge))
            answers.append(one("A", n, 60 + n % 3 - gap, judge, "bad"))
    return QualityReport(check_quality(answers), PRESETS["crowd-alone"], [OMISSION], ["a remark"])


class TestQuality:
    def test_table(self) -> None:
        text = human_quality.SHOWN.as_table(judged())
        assert text.startswith("1 judge kept, 1 dropped\n")
        assert "fails the test" in text
        assert "A judge stays if p ≤ .05 by a one-sided paired t-test" in text
        assert "judges who pass the test" in text
        assert "preset:crowd-alone|test:paired-t|alpha:.05|" in text

    def test_all_that_can_be_said_of_a_judge_fits_a_terminal(self) -> None:
        kinds = [("bad", 90.0), ("system", 80.0), ("reference", 70.0)]
        answers = [
            replace(one("A", n, value, "A1B2C3D4E5F6G7", kind), item=f"{20 * at + n}")
            for at, (kind, value) in enumerate(kinds)
            for n in range(20)
        ]
        answers = [replace(each, seconds=1.0, rejected=True) for each in answers]
        quality = check_quality(answers, "appraise")
        [verdict] = quality.verdicts
        text = human_quality.SHOWN.as_table(QualityReport(quality, PRESETS["appraise"]))
        assert max(map(len, text.split("\n"))) <= 100
        assert len(verdict.reasons) == 3
        assert len(verdict.conduct.flags) == 5
        rows = [line.split("  ") for line in text.split("\n") if line.endswith("A1B2C3D4E5F6G7")]
        assert [row[0] for row in rows] == [
            *verdict.reasons,
            *(f"[{flag}]" for flag in verdict.conduct.flags),
        ]

    def test_long_lists_of_judges_are_continued(self) -> None:
        names = [f"judge-{n:02}" for n in range(30)]
        answers = [
            one("A", n, 60 + n % 4, name, kind)
            for name in names
            for n in range(12)
            for kind in ("system", "bad")
        ]
        report = QualityReport(check_quality(answers), PRESETS["crowd-alone"])
        text = human_quality.SHOWN.as_table(report).partition("Reasons\n")[2]
        assert max(map(len, text.split("\n"))) <= 100
        assert re.search(r"^fails the test +30  judge-00, ", text, re.MULTILINE)
        named = re.findall(r"judge-\d\d", text)
        assert named[:30] == names

    def test_json(self) -> None:
        report = judged()
        made = json.loads(human_quality.SHOWN.as_json(report))
        assert made["command"] == "human quality"
        assert [(e["judge"], e["kept"]) for e in made["judges"]] == [
            ("good", True),
            ("po|or", False),
        ]
        assert [e["p_value"] for e in made["judges"]] == [
            each.p_value for each in report.quality.verdicts
        ]
        assert made["steps"][-1]["judges"] == 1
        assert made["omissions"][0]["count"] == 2

    def test_tsv(self) -> None:
        header, good, poor = human_quality.SHOWN.as_tsv(judged()).split("\n")
        assert header.split("\t")[:3] == ["judge", "kept", "p_value"]
        assert good.split("\t")[:2] == ["good", "true"]
        assert poor.split("\t")[:2] == ["po|or", "false"]

    def test_markdown_and_latex(self) -> None:
        assert r"po\|or" in human_quality.SHOWN.as_markdown(judged())
        assert human_quality.SHOWN.as_latex(judged()).count(r"\begin{table}") == 3

    def test_the_time_that_appraise_asks_for_is_told(self) -> None:
        answers = [one("A", n, 50 + n, kind="system" if n % 2 else "bad") for n in range(10)]
        report = QualityReport(check_quality(answers, "appraise"), PRESETS["appraise"])
        table = " ".join(human_quality.SHOWN.as_table(report).split())
        assert "no hit takes less than 600 s per 100 items" in table
        assert "seconds:600" in human_quality.SHOWN.as_table(report)


@pytest.mark.parametrize("value", [0.0, 12.5])
def test_judgments_can_be_read_again(value: float, tmp_path: object) -> None:
    from pathlib import Path

    from weigh.read.judgments import read_judgments

    answers = (
        one("A\t\u2028", 1, value, seconds=0.0, at="2024-01-01T00:00:00+00:00", item="1", of="2"),
        one("B", 1, 7, rejected=True),
    )
    path = Path(str(tmp_path)) / "kept.jsonl"
    path.write_text(as_jsonl(answers), encoding="utf-8")
    assert read_judgments([str(path)]).judgments == answers
