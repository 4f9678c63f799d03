"""Labels of a campaign are used by naming its database, like those of a store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import campaigns
from weigh.errors import InputError, UsageError
from weigh.read.text import file_label
from weigh.rypt.collection import (
    LabelSource,
    export_labels,
    merge_labels,
    open_store,
    read_labels,
    remarks_on_labels,
    summarize_labels,
)
from weigh.rypt.label_files import read_judgments
from weigh.rypt.labels import Entry, EntryJudgment, Label
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign

Fresh = Callable[[], str]
SOURCE = "Die Fähre legt um acht ab , wenn sich der Nebel bis dahin gelichtet hat ."


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    campaigns.close_all()


@pytest.fixture
def place(fresh: Fresh) -> str:
    return fresh()


@pytest.fixture
def campaign(place: str, tmp_path: Path) -> Campaign:
    return campaigns.demonstration(tmp_path / "demo", place)


def doubting(work: Work) -> dict[str, object]:
    """Say NO to the first, NOT SURE of the second and YES to the third."""
    said = campaigns.first_answers(work)
    if work.kind != "rypt":
        return said
    return dict(zip(said, ("NO", "NOT SURE", "YES"), strict=False))


def test_all_fields(campaign: Campaign, place: str) -> None:
    campaigns.judge(campaign, "ann", doubting)
    labels = list(LabelSource.read(place).judgments)
    assert [label.at for label in labels] == sorted(label.at for label in labels)
    assert [label._replace(at="") for label in labels] == [
        EntryJudgment(Entry(SOURCE, start, end, text), Label(said), "ann", "", seconds, origin)
        for start, end, text, said, seconds, origin in (
            (0, 2, "The boat", "NO", 1.0, "hit-00001"),
            (0, 2, "The ferry", "NOT SURE", 1.0, "hit-00001"),
            (0, 2, "They", "YES", 1.0, "hit-00001"),
            (9, 11, "the mist", "NO", 1.5, "hit-00002"),
            (9, 11, "the fog", "NOT SURE", 1.5, "hit-00002"),
        )
    ]


def test_labels_together(campaign: Campaign, place: str) -> None:
    campaigns.judge(campaign, "ann", doubting)
    campaigns.judge(campaign, "bea")
    labels = read_labels(place, [SOURCE, "a sentence without labels"])
    assert labels == {
        SOURCE: {
            (0, 2, "The boat"): Label.NOT_SURE,
            (0, 2, "The ferry"): Label.NOT_SURE,
            (0, 2, "They"): Label.YES,
            (9, 11, "the mist"): Label.NOT_SURE,
            (9, 11, "the fog"): Label.NOT_SURE,
        }
    }
    assert set(read_labels(place, aggregate="any-yes")[SOURCE].values()) == {Label.YES}
    shown = summarize_labels(place).labels
    assert (shown.labels, shown.judges, shown.entries, shown.sources) == (10, 2, 5, 1)
    assert shown.store == file_label(campaign.database.name)


def test_a_correction(campaign: Campaign, place: str) -> None:
    [ann] = campaign.access.add(["ann"])
    screens = 0
    while screens < 2:
        work = campaign.assignment.work_for(ann.id)
        assert isinstance(work, Work)
        campaigns.answer(campaign, ann.id, work, doubting(work))
        screens += (work.role, work.kind) == ("work", "rypt")
    campaigns.correct(campaign, ann.id, {"label_1": "YES", "label_2": "YES"})
    labels = list(LabelSource.read(place).judgments)
    assert [(label.label, label.seconds) for label in labels[3:]] == [(Label.YES, 2.0)] * 2
    assert labels[0].label == Label.NO


def test_judges_whose_work_was_set_aside(campaign: Campaign, place: str) -> None:
    campaigns.judge(campaign, "ann", doubting)
    bea = campaigns.judge(campaign, "bea")
    campaign.access.set_state(bea, "void")
    source = LabelSource.read(place)
    assert {label.judge for label in source.judgments} == {"ann"}
    name = file_label(campaign.database.name)
    said = f"2 answers left out: {name}: from judges whose work was set aside"
    assert remarks_on_labels(place) == (said,)
    campaign.access.set_state(bea, "active")
    assert remarks_on_labels(place) == ()


def test_what_is_exported_is_read_back(campaign: Campaign, place: str, tmp_path: Path) -> None:
    campaigns.judge(campaign, "=ann", doubting)
    path = tmp_path / "out.jsonl"
    path.write_text("".join(f"{line}\n" for line in export_labels(place)), encoding="utf-8")
    assert list(read_judgments(str(path)).batch.judgments) == list(
        LabelSource.read(place).judgments
    )


def test_labels_are_merged_into_a_store_once(campaign: Campaign, place: str, fresh: Fresh) -> None:
    campaigns.judge(campaign, "ann", doubting)
    store = fresh()
    assert merge_labels(store, [place]).added.new == 5
    bea = campaigns.judge(campaign, "bea")
    again = merge_labels(store, [place]).added
    assert (again.new, again.known) == (5, 5)
    assert read_labels(store) == read_labels(place)
    campaign.access.set_state(bea, "void")
    assert len(merge_labels(store, [place]).remarks) == 1


def test_files_are_imported_and_not_merged(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"labels\.tsv is the name of a file of labels"):
        merge_labels(str(tmp_path / "a.db"), ["labels.tsv"])


class TestStoreAndCampaignInOneDatabase:
    @pytest.fixture
    def both(self, place: str, tmp_path: Path) -> Campaign:
        """A store with one label, in whose database a campaign is begun."""
        open_store(place, create=True).add(
            [EntryJudgment(Entry("ein Haus", 0, 2, "a house"), Label.YES, "old")]
        )
        return campaigns.demonstration(tmp_path / "demo", place)

    def test_labels_of_both_are_taken(self, both: Campaign, place: str) -> None:
        assert read_labels(place).keys() == {"ein Haus"}  # nobody has labelled here yet
        campaigns.judge(both, "ann", doubting)
        assert read_labels(place).keys() == {"ein Haus", SOURCE}
        source = LabelSource.read(place)
        assert source.name.endswith("(labels of the store and of a campaign)")
        assert {label.judge for label in source.judgments} == {"old", "ann"}
        [house] = LabelSource.read(place, ["ein Haus"]).judgments
        assert house.judge == "old"

    def test_a_campaign_that_is_named_is_taken_alone(self, both: Campaign, place: str) -> None:
        campaigns.judge(both, "ann", doubting)
        assert read_labels(f"{place}#demo").keys() == {SOURCE}

    def test_campaigns_without_labels_play_no_part(self, place: str, tmp_path: Path) -> None:
        open_store(place, create=True).add(
            [EntryJudgment(Entry("ein Haus", 0, 2, "a house"), Label.YES, "old")]
        )
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            line = {"pair": "q1", "left": "one", "right": "other"}
            (tmp_path / name / "pairs.jsonl").write_text(json.dumps(line) + "\n")
            campaigns.started(tmp_path / name, place)
        assert read_labels(place).keys() == {"ein Haus"}
        assert remarks_on_labels(place) == ()


@pytest.mark.usefixtures("campaign")
def test_no_labels_in_a_campaign(place: str) -> None:
    with pytest.raises(InputError, match="no answers of rypt: nobody has answered yet"):
        read_labels(place)


def test_the_same_words_twice_on_a_screen(place: str, tmp_path: Path) -> None:
    from unit.web.campaign_files import query, write_lines

    asked = query(alternatives=3)
    for number, alternative in enumerate(asked["alternatives"]):
        alternative["substring"] = "w0" if number < 2 else "w2"
    write_lines(tmp_path / "tasks" / "hits.jsonl", [asked])
    campaign = campaigns.started(tmp_path / "tasks", place)
    campaigns.judge(campaign, "ann", lambda _: {"label_1": "YES", "label_2": "NO", "label_3": "NO"})
    labels = {
        label.entry.substring: (label.label, label.seconds)
        for label in LabelSource.read(place).judgments
    }
    assert labels == {"w0": (Label.NOT_SURE, 2.0), "w2": (Label.NO, 1.0)}
