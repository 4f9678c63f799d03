from __future__ import annotations

import json
import re

from unit.human.judgments import one
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


class TestAgreement:
    def test_what_data_cannot_tell_is_a_dash_and_null(self) -> None:
        result = agreement([Preference("A", "B", "1", judge="x")])
        assert re.search("Krippendorff's α of answers +–", str(result))
        assert json.loads(result.to_json())["agreement"][0]["alpha_nominal"] is None
