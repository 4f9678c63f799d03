from __future__ import annotations

import json
import re
from dataclasses import replace

from unit.human.judgments import one
from unit.report.made.human import of_agreement, of_plan
from weigh.human.agreement import agreement
from weigh.human.quality import QualityResult, quality
from weigh.read.answers import Judgments, Omission
from weigh.types import Preference

OMISSION = Omission("file: missing answers (row 3)", 2)


def judged() -> QualityResult:
    answers = []
    for judge, gap in (("good", 30), ("po|or", 0)):
        for n in range(10):
            answers.append(one("A", n, 60 + n % 4, judge))
            answers.append(one("A", n, 60 + n % 3 - gap, judge, "bad"))
    return quality(Judgments(tuple(answers), (OMISSION,), ("a remark",)))


class TestQuality:
    def test_all_that_can_be_said_of_a_judge_fits_a_terminal(self) -> None:
        kinds = [("bad", 90.0), ("system", 80.0), ("reference", 70.0)]
        answers = [
            replace(one("A", n, value, "A1B2C3D4E5F6G7", kind), item=f"{20 * at + n}")
            for at, (kind, value) in enumerate(kinds)
            for n in range(20)
        ]
        answers = [replace(each, seconds=1.0, rejected=True) for each in answers]
        result = quality(answers, "appraise")
        [verdict] = result.judges
        text = str(result)
        assert max(map(len, text.split("\n"))) <= 100
        assert len(verdict.reasons) == 3
        assert len(verdict.flags) == 5
        rows = [line.split("  ") for line in text.split("\n") if line.endswith("A1B2C3D4E5F6G7")]
        assert [row[0] for row in rows] == [
            *verdict.reasons,
            *(f"[{flag}]" for flag in verdict.flags),
        ]

    def test_long_lists_of_judges_are_continued(self) -> None:
        names = [f"judge-{n:02}" for n in range(30)]
        answers = [
            one("A", n, 60 + n % 4, name, kind)
            for name in names
            for n in range(12)
            for kind in ("system", "bad")
        ]
        text = str(quality(answers)).partition("Reasons\n")[2]
        assert max(map(len, text.split("\n"))) <= 100
        assert re.search(r"^fails the test +30  judge-00, ", text, re.MULTILINE)
        named = re.findall(r"judge-\d\d", text)
        assert named[:30] == names

    def test_json(self) -> None:
        result = judged()
        made = json.loads(result.to_json())
        assert made["command"] == "human quality"
        assert [(e["judge"], e["kept"]) for e in made["judges"]] == [
            ("good", True),
            ("po|or", False),
        ]
        assert [e["p_value"] for e in made["judges"]] == [each.p_value for each in result.judges]
        assert made["steps"][-1]["judges"] == 1
        assert made["omissions"][0]["count"] == 2

    def test_tsv(self) -> None:
        header, good, poor = judged().to_text("tsv").split("\n")
        assert header.split("\t")[:3] == ["judge", "kept", "p_value"]
        assert good.split("\t")[:2] == ["good", "true"]
        assert poor.split("\t")[:2] == ["po|or", "false"]

    def test_markdown_and_latex(self) -> None:
        assert r"po\|or" in judged().to_text("markdown")
        assert judged().to_text("latex").count(r"\begin{table}") == 3

    def test_a_page_has_reasons_in_the_rows_of_judges(self) -> None:
        result = judged()
        assert "Reasons" not in result.to_html()
        assert re.search(
            r"<tr>(?:(?!</tr>).)*po\|or(?:(?!</tr>).)*fails the test", result.to_html()
        )
        assert "1 of 2 judges are kept, with 20 of 40 judgments." in result.to_html()


class TestAgreement:
    def test_what_can_be_said_of_a_scale_is(self) -> None:
        scores, cut, preferred = (str(of_agreement(seed)) for seed in (0, 1, 2))
        for text, said in ((scores, False), (cut, True), (preferred, True)):
            assert ("Fleiss' κ" in text) == said
        assert "Krippendorff's α of answers" in preferred
        assert "α of scores" not in preferred
        assert "α of answers" not in cut
        assert "categories:5|weights:none" in cut
        assert "Two runs" in cut

    def test_tsv_has_a_row_per_measure(self) -> None:
        header, *rows = (line.split("\t") for line in of_agreement(2).to_text("tsv").split("\n"))
        assert header == ["pair", "scale", "measure", "value"]
        measures = {row[2]: row[3] for row in rows}
        assert list(measures)[:4] == ["judges", "judged", "judged_by_several", "alpha_nominal"]
        assert float(measures["alpha_nominal"]) == of_agreement(2).agreement[0].alpha_nominal
        assert "alpha_interval" not in measures

    def test_what_data_cannot_tell_is_a_dash_and_null(self) -> None:
        result = agreement([Preference("A", "B", "1", judge="x")])
        assert re.search("Krippendorff's α of answers +–", str(result))
        assert json.loads(result.to_json())["agreement"][0]["alpha_nominal"] is None


class TestPlan:
    def test_tsv_is_the_plan(self) -> None:
        header, row = of_plan(1).to_text("tsv").split("\n")
        record = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        assert record["hits_per_scale"] == str(of_plan(1).plan.hits_per_scale)
        assert record["adjust"] == "none"
