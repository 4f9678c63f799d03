"""What a campaign exports our own readers read back; and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import campaigns
from reading import read_judgments
from weigh.errors import InputError, UsageError
from weigh.read.preferences import read_choices
from weigh.rypt.collection import LabelSource
from weigh.rypt.label_files import read_judgments as read_labels
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign, judge_of
from weigh.web.exports import ENDINGS, export_answers, form_of

NAMES = ("=cmd|' /C calc'!A0", '@née "李", b')


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    campaigns.close_all()


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """A campaign that two judges with hostile names have finished."""

    def spread(work: Work) -> dict[str, object]:
        said = campaigns.first_answers(work)
        if work.kind == "adequacy" and work.role == "work":
            said["score"] = 7 * work.place
        return said

    campaign = campaigns.demonstration(tmp_path / "demo")
    for name in NAMES:
        campaigns.judge(campaign, name, spread)
    return campaign


@pytest.fixture
def place(campaign: Campaign) -> str:
    return campaign.database.name


@pytest.mark.parametrize("form", ENDINGS)
def test_scores_are_read_back(form: str, place: str, tmp_path: Path) -> None:
    exported = export_answers(place, form, "scores")
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    kept = read_judgments([place]).judgments
    read = read_judgments([str(path)]).judgments
    assert (exported.answers, exported.omissions) == (20, ())
    assert read == kept


@pytest.mark.parametrize("form", ENDINGS)
def test_labels_are_read_back(form: str, place: str, tmp_path: Path) -> None:
    exported = export_answers(place, form, "labels")
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    read = list(read_labels(str(path)).batch.judgments)
    assert exported.answers == 4
    assert sorted(read) == sorted(LabelSource.read(place).judgments)


@pytest.mark.parametrize("form", ENDINGS)
def test_choices_are_read_back_and_known_again(form: str, place: str, tmp_path: Path) -> None:
    exported = export_answers(place, form, "choices")
    path = tmp_path / exported.name
    path.write_text(exported.text, encoding="utf-8", newline="")
    kept = read_choices([place]).choices
    assert read_choices([str(path)]).choices == kept
    both = read_choices([place, str(path)])
    assert (both.choices, [each.count for each in both.omissions]) == (kept, [6])


def test_it_must_be_said_what(place: str) -> None:
    with pytest.raises(
        UsageError, match="there are scores and labels and choices; choose one, as in --what scores"
    ):
        export_answers(place)


def test_names_of_files_are_harmless(tmp_path: Path) -> None:
    name = '../../etc/passwd\r\nX: "a.jsonl'
    campaign = campaigns.demonstration(tmp_path / "demo", f"{tmp_path / 'all.db'}#{name}")
    campaigns.judge(campaign, "ann")
    exported = export_answers(str(tmp_path / "all.db"), "jsonl", "scores")
    assert exported.name == "etc-passwd--X---a-jsonl-scores.jsonl"
    assert exported.media_type == "application/x-ndjson; charset=utf-8"


def test_answers_that_were_set_aside(campaign: Campaign, place: str) -> None:
    campaign.access.set_state(judge_of(campaign, NAMES[0]).id, "void")
    exported = export_answers(place, "jsonl", "scores")
    assert (exported.answers, [each.count for each in exported.omissions]) == (10, [10])


def test_what_is_refused(place: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown form 'xls'"):
        export_answers(place, "xls", "scores")
    with pytest.raises(UsageError, match="no answers are 'votes'"):
        export_answers(place, "jsonl", "votes")
    empty = campaigns.demonstration(tmp_path / "empty")
    with pytest.raises(InputError, match="nobody has answered yet"):
        export_answers(empty.database.name)


def test_endings() -> None:
    assert [form_of("a.jsonl"), form_of("a.b.TSV")] == ["jsonl", "tsv"]
    for name in ("answers.csv", "answers.json"):
        with pytest.raises(UsageError, match=r"unknown file type; name it \.jsonl or \.tsv"):
            form_of(name)
