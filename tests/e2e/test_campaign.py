"""From planned tasks over the judgment page's database to conclusions, without a file between.

Judges answer as through the page. What they say is noted beside it, by hand as it were, and written
to files: verbs must conclude the same from the database and from the files, to the last digit.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import campaigns
import weigh as package
from e2e.conftest import Run
from unit.web import campaign_files
from unit.web.campaign_files import pairs, part, sheet, versions, write_lines
from weigh.web.access import digest_of
from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan

About = Mapping[str, Any]
Notes = dict[tuple[str, int, int], tuple[About, dict[str, Any], float, str]]
"""What was said last, with how long it took, and when: by judge, slot and item."""


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    campaigns.close_all()


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
    @pytest.fixture
    def judges(self, weigh: Run, root: Path, tmp_path: Path) -> Judges:
        """Five judges: one does not look, one corrects, one is set aside, one erased, one stops."""
        systems = [root / "examples" / f"{name}.en" for name in ("good", "middling", "poor")]
        plan = ("--hits", "2", "-r", root / "examples" / "reference.en", "-o", "hits")
        done = weigh("human", "plan", *plan, "--pair", "de-en", *systems)
        assert done.returncode == 0, done.stderr
        means = {"good.en": 70, "middling.en": 55, "poor.en": 40}

        def say(name: str, about: About) -> dict[str, Any]:
            draw = random.Random(f"{name} {about['hit']} {about['number']}")
            mean = means.get(about["system"] or "", 90) - 35 * (about["kind"] == "bad")
            mean += 25 * (about["kind"] == "reference")
            if name == "zed":
                mean = 50
            return {"score": max(0, min(100, round(draw.gauss(mean, 12))))}

        campaign = campaigns.started(tmp_path / "hits", plan=CollectPlan(per_item=3))
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

    @pytest.fixture
    def noted(self, judges: Judges, tmp_path: Path) -> str:
        """A file of what the judges have said who count."""
        rows = [
            {"judge": judge, "value": said["score"], "seconds": seconds, "at": at}
            | {"item": about["number"]}
            | {name: about[name] for name in ("hit", "pair", "kind", "system", "segment", "scale")}
            | ({} if about["of"] is None else {"of": str(about["of"])})
            for (judge, _, _), (about, said, seconds, at) in judges.notes.items()
        ]
        assert len(rows) > 400
        return lines(tmp_path / "noted.jsonl", rows)

    def test_ranks_are_those_of_the_file(self, noted: str, weigh: Run) -> None:
        for quality in ("none", "crowd-alone"):
            rank = ("human", "rank", "--quality", quality)
            collected = document(weigh, *rank, "hits/campaign.db")
            assert collected == document(weigh, *rank, noted)
        assert weigh("human", "rank", "hits/campaign.db").stdout

    def test_exports_conclude_the_same(self, judges: Judges, weigh: Run) -> None:
        del judges
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

    def test_python_takes_the_database_too(
        self, judges: Judges, noted: str, tmp_path: Path
    ) -> None:
        del judges
        place = tmp_path / "hits" / "campaign.db"
        with pytest.warns(package.WeighWarning, match="fewer than 500 judgments"):
            collected = package.rank(str(place), quality="crowd-alone")
        assert [each.count for each in collected.omissions] == [30]
        with pytest.warns(package.WeighWarning):
            of_file = package.rank(str(tmp_path / noted), quality="crowd-alone")
        assert collected.to_text("tsv") == of_file.to_text("tsv")
        with pytest.warns(package.WeighWarning):
            assert package.rank(place, quality="crowd-alone") == collected
        assert len(package.read_judgments(place).judgments) == len(  # type: ignore[union-attr]
            package.read_judgments(str(tmp_path / noted)).judgments  # type: ignore[union-attr]
        )


class TestLabels:
    @pytest.fixture
    def judges(self, weigh: Run, root: Path, tmp_path: Path) -> Judges:
        rypt = root / "examples" / "rypt"
        text = (rypt / "candidates.nbest").read_text(encoding="utf-8")
        candidates = [line.split(" ||| ") for line in text.split("\n")[:-1]]
        for name, place in (("one", 0), ("two", 1)):
            chosen = [[each for each in candidates if each[0] == number][place] for number in "01"]
            (tmp_path / name).write_text("".join(f"{each[1]}\n" for each in chosen))
            links = "".join(f"{each[4].strip()}\n" for each in chosen)
            (tmp_path / f"{name}.align").write_text(links)
        done = weigh(
            *("rypt", "queries", "-s", rypt / "source.de", "--parses", rypt / "parses.mrg"),
            *("--nbest", rypt / "candidates.nbest", "-o", "queries"),
        )
        assert done.returncode == 0, done.stderr

        def say(name: str, about: About) -> dict[str, Any]:
            draw = random.Random(f"{name} {about['hit']}")
            said = {}
            for label, substring in about["substrings"].items():
                opinion = random.Random(substring).choice(("YES", "YES", "NO", "NOT SURE"))
                said[label] = opinion if draw.random() < 0.8 else draw.choice(("YES", "NO"))
            return said

        campaign = campaigns.started(tmp_path / "queries", plan=CollectPlan(per_item=3))
        judges = Judges(campaign, say)
        judges.work("anna")
        judges.work("bert")
        judges.correct("bert", 2, {"label_1": "NO", "label_2": "NO"} | self._rest(judges, "bert"))
        void = judges.work("vera", 3)
        campaign.access.set_state(void, "void")
        judges.forget("vera")
        return judges

    @staticmethod
    def _rest(judges: Judges, name: str) -> dict[str, Any]:
        """Return the answers that somebody gave to the item two before the last."""
        [known] = judges.campaign.access.add([name])
        work = judges.campaign.assignment.look_back(known.id)
        for _ in range(2):
            assert work is not None
            work = judges.campaign.assignment.look_back(known.id, work.slot, work.item)
        assert work is not None
        assert work.answers is not None
        return {key: "YES" for key in work.answers if key not in ("label_1", "label_2")}

    @pytest.fixture
    def noted(self, judges: Judges, tmp_path: Path) -> str:
        rows = [
            {"source": about["source"], "start": about["start"], "end": about["end"]}
            | {"substring": substring, "label": said[name], "judge": judge}
            | {"seconds": seconds / len(about["substrings"])}
            for (judge, _, _), (about, said, seconds, _) in judges.notes.items()
            for name, substring in about["substrings"].items()
        ]
        assert len(rows) > 20
        return lines(tmp_path / "noted.jsonl", rows)

    @pytest.mark.parametrize("verb", ["score", "infer", "explain"])
    def test_conclusions_are_those_of_the_file(
        self, verb: str, noted: str, weigh: Run, root: Path
    ) -> None:
        rypt = root / "examples" / "rypt"
        common = ("rypt", verb, "-s", rypt / "source.de", "--parses", rypt / "parses.mrg")
        more = ("--segment", "2") if verb == "explain" else ()
        files = ("--alignments", "{system}.align", "one", "two", *more)
        collected = document(weigh, *common, "--labels", "queries/campaign.db", *files)
        assert collected == document(weigh, *common, "--labels", noted, *files)
        done = weigh(*common, "--labels", "queries/campaign.db", *files)
        assert (
            "3 answers left out: campaign.db: of judges whose work was set aside"
        ) in done.stderr + done.stdout


class TestBlindPairs:
    @pytest.fixture
    def judges(self, weigh: Run, root: Path, tmp_path: Path) -> Judges:
        inputs = ("--nbest", root / "examples/nbest.txt", "-r", root / "examples/reference.en")
        making = ("validate", "preference", *inputs, "-m", "nist", "-m", "ter")
        done = weigh(*making, "--judges", "2", "-o", "pairs")
        assert done.returncode == 0, done.stderr

        def say(name: str, about: About) -> dict[str, Any]:
            draw = random.Random(f"{name} {about['pair']}")
            return {"choice": draw.choice(("left", "left", "right", "neither"))}

        judges = Judges(campaigns.started(tmp_path / "pairs"), say)
        judges.work("anna")
        judges.work("bert", 5)
        judges.correct("bert", 1, {"choice": "neither"})
        void = judges.work("vera", 2)
        judges.campaign.access.set_state(void, "void")
        judges.forget("vera")
        return judges

    @pytest.fixture
    def noted(self, judges: Judges, tmp_path: Path) -> str:
        rows = [
            {"pair": about["pair"], "judge": judge, "choice": said["choice"]}
            for (judge, _, _), (about, said, _, _) in judges.notes.items()
        ]
        return lines(tmp_path / "noted.jsonl", rows)

    def test_conclusions_are_those_of_the_file(self, noted: str, weigh: Run) -> None:
        count = ("validate", "preference", "--answers")
        collected = document(weigh, *count, "pairs/campaign.db")
        assert collected == document(weigh, *count, noted, "--key", "pairs/key.json")
        assert collected == document(weigh, *count, "pairs/campaign.db", "--key", "pairs/key.json")
        done = weigh(*count, "pairs/campaign.db")
        assert "2 answers: campaign.db: of judges whose work was set aside" in done.stdout

    def test_python_takes_the_database_too(self, judges: Judges, tmp_path: Path) -> None:
        del judges
        result = package.preference(None, tmp_path / "pairs" / "campaign.db")
        [votes] = result.preferences
        assert (votes.judges, [each.count for each in result.omissions]) == (2, [2])

    def test_a_key_must_fit(self, judges: Judges, weigh: Run, tmp_path: Path) -> None:
        del judges
        count = ("validate", "preference", "--answers", "pairs/campaign.db", "--key", "other.json")
        key = json.loads((tmp_path / "pairs" / "key.json").read_text())
        swapped = [{**each, "left": "b" if each["left"] == "a" else "a"} for each in key["pairs"]]
        (tmp_path / "other.json").write_text(json.dumps({**key, "pairs": swapped}))
        done = weigh(*count)
        assert (done.returncode, done.stdout) == (1, "")
        assert "keeps another key of the same pairs than the one that is given" in done.stderr
        others = [{**each, "pair": f"q{each['pair']}"} for each in key["pairs"]]
        (tmp_path / "other.json").write_text(json.dumps({**key, "pairs": others}))
        done = weigh(*count)
        assert (done.returncode, done.stdout) == (1, "")
        assert "which no key has" in done.stderr

    def test_a_campaign_without_its_key(
        self, judges: Judges, noted: str, weigh: Run, tmp_path: Path
    ) -> None:
        judges.campaign.database.close()
        (tmp_path / "pairs" / "key.json").rename(tmp_path / "key.json")
        campaign = campaigns.started(tmp_path / "pairs", str(tmp_path / "other.db"))
        campaigns.judge(campaign, "anna")
        count = ("validate", "preference", "--answers", "other.db")
        done = weigh(*count)
        assert done.returncode == 2
        assert "other.db: no key was beside the pairs; name its file with --key FILE" in done.stderr
        assert weigh(*count, "--key", "key.json").returncode == 0
        mixed = weigh("validate", "preference", "--answers", "pairs/campaign.db", noted)
        assert mixed.returncode == 2
        assert "no key given" in mixed.stderr


class TestCampaigns:
    @pytest.fixture
    def campaign(self, tmp_path: Path) -> Campaign:
        campaign = campaigns.demonstration(tmp_path / "demo")
        campaigns.judge(campaign, "anna", most=3)
        campaigns.judge(campaign, "<b>bert")
        return campaign

    def test_list(self, campaign: Campaign, weigh: Run, tmp_path: Path) -> None:
        del campaign
        campaigns.demonstration(tmp_path / "more", f"{tmp_path / 'demo' / 'campaign.db'}#second")
        done = weigh("campaign", "list", "demo/campaign.db", "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert found["database"] == "demo/campaign.db"
        first, second = found["campaigns"]
        assert (first["name"], first["items_done"], first["items"]) == ("demo", 3 + 15, 30)
        assert first["kinds"] == ["adequacy", "rypt", "preference"]
        assert (second["name"], second["judges"], second["items_done"]) == ("second", 0, 0)
        for form in ("table", "tsv", "markdown", "latex"):
            told = weigh("campaign", "list", "demo/campaign.db#demo", "--format", form)
            assert told.returncode == 0, told.stderr
            assert "demo" in told.stdout
            assert "second" not in told.stdout
        assert weigh("campaign", "list", "demo/campaign.db", "--html", "page.html").returncode == 0

    def test_close_and_reopen(self, campaign: Campaign, weigh: Run) -> None:
        [anna, _] = campaign.access.judges()
        done = weigh("campaign", "close", "demo/campaign.db")
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == "weigh: demo is closed; its answers stay\n"
        assert campaign.assignment.work_for(anna.id) == Ended("closed")
        assert "closed" in weigh("campaign", "list", "demo/campaign.db").stdout
        done = weigh("campaign", "close", "demo/campaign.db", "--reopen", "--quiet")
        assert (done.returncode, done.stderr) == (0, "")
        assert isinstance(campaign.assignment.work_for(anna.id), Work)

    def test_links(self, campaign: Campaign, weigh: Run, tmp_path: Path) -> None:
        def linked(*arguments: str) -> dict[str, str]:
            done = weigh("campaign", "links", "demo/campaign.db", *arguments)
            assert (done.returncode, done.stderr) == (0, "")
            return dict(line.split("\t") for line in done.stdout.split("\n")[:-1])

        def is_let_in(link: str) -> bool:
            token = link.rpartition("/")[2]
            return campaign.access.visitor(token, session=False) is not None

        first = linked()
        assert [*first] == ["organiser", "anna", "<b>bert"]
        assert all(link.startswith("http://127.0.0.1:8000/enter/") for link in first.values())
        assert all(map(is_let_in, first.values()))
        own = linked("--judge", "anna", "--revoke", "--url", "https://judge.example.org/")
        assert [*own] == ["anna"]
        assert own["anna"].startswith("https://judge.example.org/enter/")
        assert not is_let_in(first["anna"])
        assert is_let_in(first["<b>bert"])
        (tmp_path / "names").write_text("cleo\n\ndora\n")
        assert [*linked("--add", "names", "--open")] == ["cleo", "dora", "open"]
        assert [*linked("--add", "2")] == ["judge 5", "judge 6"]
        last = linked("--revoke")
        assert len(last) == 7
        assert not any(map(is_let_in, first.values()))
        with closing(sqlite3.connect(tmp_path / "demo" / "campaign.db")) as connection, connection:
            stored = str(connection.execute("SELECT * FROM campaign_tokens").fetchall())
        token = last["anna"].rpartition("/")[2]
        assert token not in stored
        assert digest_of(token) in stored

    def test_erase(self, campaign: Campaign, weigh: Run, tmp_path: Path) -> None:
        erase = ("campaign", "erase", "demo/campaign.db", "--judge", "<b>bert")
        done = weigh(*erase)
        assert (done.returncode, done.stdout) == (2, "")
        assert "16 answers of <b>bert would be gone for good; add --yes" in done.stderr
        done = weigh(*erase, "--yes")
        assert done.stderr == (
            "weigh: 16 answers, the name and the links of the judge are erased\n"
        )
        assert weigh(*erase, "--yes").returncode == 1
        campaign.database.close()
        for path in (tmp_path / "demo").glob("campaign.db*"):
            assert b"<b>bert" not in path.read_bytes()
        left = weigh("campaign", "export", "demo/campaign.db", "--what", "scores").stdout
        assert {json.loads(line)["judge"] for line in left.split("\n")[:-1]} == {"anna"}

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (("list",), 2, "no database given; name a file, such as DIR/campaign.db"),
            (("list", "no.db"), 1, "no.db: no such file; check the path"),
            (("list", "a.txt"), 1, "a.txt: file is not a database"),
            (("list", "demo/campaign.db", "b.db"), 2, "unexpected argument 'b.db'; give one"),
            (("close", "demo/campaign.db#pilot"), 1, "no campaign 'pilot'; "),
            (("export", "demo/campaign.db"), 2, "there are scores and labels and choices"),
            (("export", "demo/campaign.db", "--form", "xls"), 2, "unknown form 'xls'"),
            (("export", "demo/campaign.db", "-o", "a.xls"), 2, "unknown ending"),
            (("links", "demo/campaign.db", "--judge", "ana"), 1, "did you mean 'anna'?"),
            (("links", "demo/campaign.db", "--url", "x.org"), 2, "expected an address"),
            (("links", "demo/campaign.db", "--add", "twice"), 1, "'x' is there twice"),
            (("backup", "demo/campaign.db"), 2, "the file to copy it to"),
            (("backup", "demo/campaign.db", "a.txt"), 1, "a.txt: exists; name another file"),
            (("backup", "no.db", "b.db"), 1, "no.db: no such file; check the path"),
            (("backup", "demo/campaign.db#demo", "b.db"), 2, "leave that out"),
            (("backup", "postgresql://me:secret@x/y", "b.db"), 2, "with pg_dump"),
            (("backup", "demo/campaign.db", "no/b.db"), 1, "no/b.db: cannot be written"),
            (("erase", "demo/campaign.db"), 2, "no judge given; say who is to be erased"),
        ],
    )
    @pytest.mark.usefixtures("campaign")
    def test_what_is_refused(
        self, arguments: tuple[str, ...], code: int, words: str, weigh: Run, tmp_path: Path
    ) -> None:
        (tmp_path / "a.txt").write_text("no database, but long enough to look like one" * 50)
        (tmp_path / "twice").write_text("x\nx\n")
        done = weigh("campaign", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1

    @pytest.mark.usefixtures("campaign")
    def test_a_backup_holds_the_same_answers(self, weigh: Run, tmp_path: Path) -> None:
        done = weigh("campaign", "backup", "demo/campaign.db", "copy.db")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        exports = [
            weigh("campaign", "export", place, "--what", "scores").stdout
            for place in ("demo/campaign.db", "copy.db")
        ]
        assert exports[0] == exports[1] != ""
        before = (tmp_path / "copy.db").read_bytes()
        assert weigh("campaign", "backup", "demo/campaign.db", "copy.db").returncode == 1
        assert (tmp_path / "copy.db").read_bytes() == before

    @pytest.mark.usefixtures("campaign")
    def test_settings_in_a_folder_erase_and_open_nothing(self, weigh: Run, tmp_path: Path) -> None:
        for verb, setting in (
            ("erase", "yes = true"),
            ("links", "revoke = true"),
            ("links", "add = '9'"),
            ("close", "reopen = true"),
        ):
            (tmp_path / "weigh.toml").write_text(f'["campaign {verb}"]\n{setting}\n')
            done = weigh("campaign", "list", "demo/campaign.db")
            assert done.returncode != 0, setting


def marked_sheet(scale: str) -> dict[str, Any]:
    """Return a sheet of two systems, the last two texts damaged."""
    texts = [part(number, f"Text {number}.", system=f"s{number % 2}") for number in range(1, 5)]
    bad = [{**texts[at], "number": at + 5, "kind": "bad", "of": at + 1} for at in range(2)]
    return sheet(scale, [*texts, *bad])


@pytest.mark.parametrize("kind", ["esa", "mqm", "contrastive", "document", "pair"])
def test_databases_of_every_kind(weigh: Run, tmp_path: Path, kind: str) -> None:
    lines = {
        "contrastive": versions("esa"),
        "pair": pairs(9),
        "document": campaign_files.document("mqm"),
    }
    line = lines.get(kind) or marked_sheet(kind)
    for item in line["items"]:
        item["segment"] = str(item["number"])
        if kind == "document":
            item["system"] = f"s{item['number'] % 2}"
    write_lines(tmp_path / "tasks.jsonl", [line])
    campaign = campaigns.started(tmp_path, plan=CollectPlan(per_item=2))
    for name in ("ann", "bob"):
        campaigns.judge(campaign, name)
    for verb in ("rank", "agreement"):
        done = weigh("human", verb, "campaign.db")
        assert done.returncode == 0, done.stderr
    if any(item["kind"] == "bad" for item in line["items"]):
        tested = weigh("human", "quality", "campaign.db", "--payments", "pay.tsv")
        assert tested.returncode == 0, tested.stderr
        assert "judge 2" in tested.stdout
        assert "ann\t" in (tmp_path / "pay.tsv").read_text(encoding="utf-8")
    if kind == "pair":
        refused = weigh("human", "quality", "campaign.db", "-o", "kept.jsonl")
        assert "weigh human rank --quality" in refused.stderr
        assert refused.stderr.count("\n") == 1
    exported = weigh("campaign", "export", "campaign.db")
    (tmp_path / "answers.jsonl").write_text(exported.stdout, encoding="utf-8")
    assert weigh("human", "rank", "answers.jsonl").returncode == 0
