"""From planned tasks over the judgment page's database to conclusions, without a file between.

Judges answer as through the page. What they say is noted beside it, by hand as it were, and written
to files: verbs must conclude the same from the database and from the files, to the last digit.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import campaigns
import weigh as package
from e2e.conftest import Run
from e2e.in_process import run_inside
from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan

About = Mapping[str, Any]
Notes = dict[tuple[str, int, int], tuple[About, dict[str, Any], float, str]]
"""What was said last, with how long it took, and when: by judge, slot and item."""


@pytest.fixture(scope="class")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a campaign that all tests of a class read, and none changes."""
    yield tmp_path_factory.mktemp("campaign")
    campaigns.close_all()


@pytest.fixture
def weigh(folder: Path) -> Run:
    return partial(run_inside, cwd=folder)


class Judges:
    """Judges who answer by a rule, and whose answers are noted."""

    def __init__(self, campaign: Campaign, say: Callable[[str, About], dict[str, Any]]) -> None:
        self.campaign = campaign
        self.notes: Notes = {}
        self._say = say
        with campaign.database.reading() as connection:
            rows = connection.exec_driver_sql("SELECT id, about FROM campaign_items")
            self._about = {number: json.loads(about) for number, about in rows}

    def work(self, name: str, most: int = 10_000) -> int:
        """Let somebody answer what there is, or so many items."""
        [known] = self.campaign.access.add([name])
        for _ in range(most):
            work = self.campaign.assignment.work_for(known.id)
            if isinstance(work, Ended):
                break
            self._answer(name, known.id, work, self._say(name, self._about[work.item]), 7.5)
        return known.id

    def correct(self, name: str, back: int, answers: dict[str, Any]) -> None:
        """Let somebody change what he or she said, so many items before the last."""
        [known] = self.campaign.access.add([name])
        work = self.campaign.assignment.look_back(known.id)
        for _ in range(back):
            assert work is not None
            work = self.campaign.assignment.look_back(known.id, work.slot, work.item)
        assert work is not None
        self._answer(name, known.id, work, answers, 2.25)

    def _answer(
        self, name: str, number: int, work: Work, answers: dict[str, Any], seconds: float
    ) -> None:
        campaigns.answer(self.campaign, number, work, answers, seconds)
        key = name, work.slot, work.item
        before = self.notes[key][2] if key in self.notes else 0.0
        with self.campaign.database.reading() as connection:
            at = connection.exec_driver_sql("SELECT MAX(at) FROM campaign_answers").scalar()
        self.notes[key] = self._about[work.item], answers, before + seconds, str(at)

    def forget(self, name: str) -> None:
        """Take no notes of somebody any more."""
        self.notes = {key: each for key, each in self.notes.items() if key[0] != name}


def lines(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path.name


def document(weigh: Run, *arguments: str | Path) -> dict[str, Any]:
    """Return the document of a command, without what tells of the files."""
    done = weigh(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return {
        name: value
        for name, value in found.items()
        if name not in ("omissions", "remarks", "warnings", "signature", "labels")
    }


class TestDirectAssessment:
    @pytest.fixture(scope="class")
    @classmethod
    def judges(cls, root: Path, folder: Path) -> Judges:
        """Five judges: one does not look, one corrects, one is set aside, one erased, one stops."""
        systems = [root / "examples" / f"{name}.en" for name in ("good", "middling", "poor")]
        plan = ("--hits", "2", "-r", root / "examples" / "reference.en", "-o", "hits")
        done = run_inside("human", "plan", *plan, "--pair", "de-en", *systems, cwd=folder)
        assert done.returncode == 0, done.stderr
        means = {"good.en": 70, "middling.en": 55, "poor.en": 40}

        def say(name: str, about: About) -> dict[str, Any]:
            draw = random.Random(f"{name} {about['hit']} {about['number']}")
            mean = means.get(about["system"] or "", 90) - 35 * (about["kind"] == "bad")
            mean += 25 * (about["kind"] == "reference")
            if name == "zed":
                mean = 50
            return {"score": max(0, min(100, round(draw.gauss(mean, 12))))}

        campaign = campaigns.started(folder / "hits", plan=CollectPlan(per_item=3))
        judges = Judges(campaign, say)
        judges.work("=anna")
        judges.work("zed")
        for back in (3, 50, 120):
            judges.correct("=anna", back, {"score": 33})
        judges.correct("=anna", 50, {"score": 34})
        erased = judges.work("erik", 110)
        campaign.access.erase(erased)
        judges.forget("erik")
        void = judges.work("vera", 30)
        campaign.access.set_state(void, "void")
        judges.forget("vera")
        judges.work("cleo 李", 150)
        return judges

    @pytest.fixture(scope="class")
    @classmethod
    def noted(cls, judges: Judges, folder: Path) -> str:
        """A file of what the judges have said who count."""
        rows = [
            {"judge": judge, "value": said["score"], "seconds": seconds, "at": at}
            | {"item": about["number"]}
            | {name: about[name] for name in ("hit", "pair", "kind", "system", "segment", "scale")}
            | ({} if about["of"] is None else {"of": str(about["of"])})
            for (judge, _, _), (about, said, seconds, at) in judges.notes.items()
        ]
        assert len(rows) > 400
        return lines(folder / "noted.jsonl", rows)

    def test_ranks_are_those_of_the_file(self, noted: str, weigh: Run) -> None:
        for quality in ("none", "crowd-alone"):
            rank = ("human", "rank", "--quality", quality)
            collected = document(weigh, *rank, "hits/campaign.db")
            assert collected == document(weigh, *rank, noted)
        assert weigh("human", "rank", "hits/campaign.db").stdout

    @pytest.mark.usefixtures("judges")
    def test_exports_conclude_the_same(self, weigh: Run) -> None:
        rank = ("human", "rank", "--quality", "crowd-alone")
        collected = document(weigh, *rank, "hits/campaign.db")
        for form in ("jsonl", "tsv"):
            name = f"answers.{form}"
            done = weigh("campaign", "export", "hits/campaign.db", "--form", form, "-o", name)
            assert done.returncode == 0, done.stderr
            assert done.stderr.endswith(f"answers written to {name} as {form}\n")
            assert document(weigh, *rank, name) == collected, form
        told = weigh("campaign", "export", "hits/campaign.db", "--quiet")
        assert (told.returncode, told.stderr) == (0, "")
        again = weigh("campaign", "export", "hits/campaign.db", "-o", "answers.jsonl")
        assert again.returncode == 1
        assert "answers.jsonl: exists; add --force to overwrite it" in again.stderr

    def test_python_takes_the_database_too(self, noted: str, folder: Path) -> None:
        place = folder / "hits" / "campaign.db"
        with pytest.warns(package.WeighWarning, match="fewer than 500 judgments"):
            collected = package.rank(str(place), quality="crowd-alone")
        assert [each.count for each in collected.omissions] == [30]
        with pytest.warns(package.WeighWarning):
            of_file = package.rank(str(folder / noted), quality="crowd-alone")
        assert collected.to_text("tsv") == of_file.to_text("tsv")
        with pytest.warns(package.WeighWarning):
            assert package.rank(place, quality="crowd-alone") == collected
        assert len(package.read_judgments(place).judgments) == len(  # type: ignore[union-attr]
            package.read_judgments(str(folder / noted)).judgments  # type: ignore[union-attr]
        )


class TestBlindPairs:
    @pytest.fixture(scope="class")
    @classmethod
    def judges(cls, root: Path, folder: Path) -> Judges:
        inputs = ("--nbest", root / "examples/nbest.txt", "-r", root / "examples/reference.en")
        making = ("validate", "preference", *inputs, "-m", "nist", "-m", "ter")
        done = run_inside(*making, "--judges", "2", "-o", "pairs", cwd=folder)
        assert done.returncode == 0, done.stderr

        def say(name: str, about: About) -> dict[str, Any]:
            draw = random.Random(f"{name} {about['pair']}")
            return {"choice": draw.choice(("left", "left", "right", "neither"))}

        judges = Judges(campaigns.started(folder / "pairs"), say)
        judges.work("anna")
        judges.work("bert", 5)
        judges.correct("bert", 1, {"choice": "neither"})
        void = judges.work("vera", 2)
        judges.campaign.access.set_state(void, "void")
        judges.forget("vera")
        return judges

    @pytest.fixture(scope="class")
    @classmethod
    def noted(cls, judges: Judges, folder: Path) -> str:
        rows = [
            {"pair": about["pair"], "judge": judge, "choice": said["choice"]}
            for (judge, _, _), (about, said, _, _) in judges.notes.items()
        ]
        return lines(folder / "noted.jsonl", rows)

    def test_conclusions_are_those_of_the_file(self, noted: str, weigh: Run) -> None:
        count = ("validate", "preference", "--answers")
        collected = document(weigh, *count, "pairs/campaign.db")
        assert collected == document(weigh, *count, noted, "--key", "pairs/key.json")
        assert collected == document(weigh, *count, "pairs/campaign.db", "--key", "pairs/key.json")
        done = weigh(*count, "pairs/campaign.db")
        assert "2 answers: campaign.db: from judges whose work was set aside" in done.stdout

    @pytest.mark.usefixtures("judges")
    def test_python_takes_the_database_too(self, folder: Path) -> None:
        result = package.preference(None, folder / "pairs" / "campaign.db")
        [votes] = result.preferences
        assert (votes.judges, [each.count for each in result.omissions]) == (2, [2])

    @pytest.mark.usefixtures("judges")
    def test_a_key_must_fit(self, weigh: Run, folder: Path) -> None:
        count = ("validate", "preference", "--answers", "pairs/campaign.db", "--key", "other.json")
        key = json.loads((folder / "pairs" / "key.json").read_text())
        swapped = [{**each, "left": "b" if each["left"] == "a" else "a"} for each in key["pairs"]]
        (folder / "other.json").write_text(json.dumps({**key, "pairs": swapped}))
        done = weigh(*count)
        assert (done.returncode, done.stdout) == (1, "")
        assert "stores a different key of the same pairs" in done.stderr
        others = [{**each, "pair": f"q{each['pair']}"} for each in key["pairs"]]
        (folder / "other.json").write_text(json.dumps({**key, "pairs": others}))
        done = weigh(*count)
        assert (done.returncode, done.stdout) == (1, "")
        assert "which no key has" in done.stderr

    @pytest.mark.usefixtures("judges")
    def test_a_campaign_without_its_key(self, noted: str, weigh: Run, folder: Path) -> None:
        (folder / "keyless").mkdir()
        shutil.copy(folder / "pairs" / "pairs.jsonl", folder / "keyless")
        campaign = campaigns.started(folder / "keyless", str(folder / "other.db"))
        campaigns.judge(campaign, "anna")
        count = ("validate", "preference", "--answers", "other.db")
        done = weigh(*count)
        assert done.returncode == 2
        assert (
            "other.db: no key was stored with the pairs; name its file with --key FILE"
            in done.stderr
        )
        assert weigh(*count, "--key", "pairs/key.json").returncode == 0
        mixed = weigh("validate", "preference", "--answers", "pairs/campaign.db", noted)
        assert mixed.returncode == 2
        assert "no key given" in mixed.stderr


class TestCampaigns:
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def campaign(cls, folder: Path) -> None:
        campaign = campaigns.demonstration(folder / "demo")
        campaigns.judge(campaign, "anna", most=3)
        campaigns.judge(campaign, "<b>bert")

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (("list",), 2, "missing DATABASE"),
            (("list", "no.db"), 1, "no.db: no such file; check the path"),
            (("list", "a.txt"), 1, "a.txt: file is not a database"),
            (("list", "demo/campaign.db", "b.db"), 2, "unexpected argument 'b.db'"),
            (("close", "demo/campaign.db#pilot"), 1, "no campaign 'pilot'; "),
            (("export", "demo/campaign.db"), 2, "there are scores and labels and choices"),
            (("export", "demo/campaign.db", "--form", "xls"), 2, "unknown form 'xls'"),
            (("export", "demo/campaign.db", "-o", "a.xls"), 2, "unknown file type"),
            (("links", "demo/campaign.db", "--judge", "ana"), 1, "did you mean 'anna'?"),
            (("links", "demo/campaign.db", "--url", "x.org"), 2, "expected an address"),
            (("links", "demo/campaign.db", "--add", "twice"), 1, "'x' appears twice"),
            (("backup", "demo/campaign.db"), 2, "missing FILE"),
            (("backup", "demo/campaign.db", "a.txt"), 1, "a.txt: exists; name another file"),
            (("backup", "no.db", "b.db"), 1, "no.db: no such file; check the path"),
            (("backup", "demo/campaign.db#demo", "b.db"), 2, "leave out the name"),
            (("backup", "postgresql://me:secret@x/y", "b.db"), 2, "with pg_dump"),
            (("backup", "demo/campaign.db", "no/b.db"), 1, "no/b.db: cannot be written"),
            (("erase", "demo/campaign.db"), 2, "missing --judge"),
        ],
    )
    def test_what_is_refused(
        self, arguments: tuple[str, ...], code: int, words: str, weigh: Run, folder: Path
    ) -> None:
        (folder / "a.txt").write_text("no database, but long enough to look like one" * 50)
        (folder / "twice").write_text("x\nx\n")
        done = weigh("campaign", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1

    def test_a_backup_holds_the_same_answers(self, weigh: Run, folder: Path) -> None:
        done = weigh("campaign", "backup", "demo/campaign.db", "copy.db")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        exports = [
            weigh("campaign", "export", place, "--what", "scores").stdout
            for place in ("demo/campaign.db", "copy.db")
        ]
        assert exports[0] == exports[1] != ""
        before = (folder / "copy.db").read_bytes()
        assert weigh("campaign", "backup", "demo/campaign.db", "copy.db").returncode == 1
        assert (folder / "copy.db").read_bytes() == before

    def test_settings_in_a_folder_erase_and_open_nothing(self, weigh: Run, folder: Path) -> None:
        for verb, setting in (
            ("erase", "yes = true"),
            ("links", "revoke = true"),
            ("links", "add = '9'"),
            ("close", "reopen = true"),
        ):
            (folder / "weigh.toml").write_text(f'["campaign {verb}"]\n{setting}\n')
            done = weigh("campaign", "list", "demo/campaign.db")
            (folder / "weigh.toml").unlink()
            assert done.returncode != 0, setting
