"""What the judge's pages say and where they lead, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="weigh[web] is not installed")

from unit.web.campaign_files import assessment, document, part, query, sheet, write_lines
from unit.web.visiting import Page, Visitor
from weigh import web
from weigh.report.pictures.picture import STYLE
from weigh.web.app import make_app
from weigh.web.campaigns import Campaign, judge_links, start_campaign
from weigh.web.kinds import MOST_QUESTIONS

STATIC = Path(web.__file__).parent / "static"


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    write_lines(tmp_path / "ratings.jsonl", [assessment(size=7)])  # after the labels
    write_lines(tmp_path / "hits.jsonl", [query(alternatives=2)])
    line = {"left": "Better.", "right": "Worse", "expected": "left"}
    labels = query() | {"expected": ["YES", "NOT SURE"], "feedback": "One & all"}
    rated = {"scale": "fluency", "text": "So so.", "expected": 40}
    write_lines(tmp_path / "training.jsonl", [line, labels, rated])
    (tmp_path / "instructions.txt").write_text("One.\r\nStill.\r\n \r\n\r\nTwo <b>.\r\n", "utf-8")
    made = start_campaign(tmp_path)
    made.access.add(["ann", "bob"])
    yield made
    made.database.close()


@pytest.fixture
def ann(campaign: Campaign) -> Visitor:
    return visitor(campaign, "ann")


def visitor(campaign: Campaign, name: str) -> Visitor:
    made = Visitor(make_app(campaign))
    [(_, token)] = judge_links(campaign, [name])
    made.enter(token)
    return made


def trained(judge: Visitor) -> None:
    """Come to the first real item."""
    for answers in ({"choice": "left"}, {"label_1": "YES", "label_2": "NOT SURE"}, {"score": "40"}):
        form = judge.item()
        judge.post(form.action, form.fields | answers)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2]).split())


def test_blank_lines_part_instructions(ann: Visitor) -> None:
    page = ann.get("/work/instructions").text
    told = re.findall(r'<p dir="auto">(.*?)</p>', page, re.DOTALL)
    assert told == ["One.\nStill.", "Two &lt;b&gt;."]


def test_feedback_names_answers_as_the_judge_saw_them(ann: Visitor) -> None:
    said = []
    for answers in ({"choice": "right"}, {"label_1": "YES", "label_2": "NO"}, {"score": "50"}):
        form = ann.item()
        to = ann.post(form.action, form.fields | answers).headers["location"]
        said.append(text_of(ann.get(to).text))
    assert "Not quite" in said[0]
    assert "Your answer: The second. Expected: The first." in said[0]
    assert "One &amp; all" in said[1]
    assert "Right. Your answer: Yes. Expected: Yes." in said[1]
    assert "Not as expected. Your answer: No. Expected: Not sure." in said[1]
    assert "Your answer: 50. Expected: 40." in said[2]


def test_what_was_answered_has_an_address(campaign: Campaign, ann: Visitor) -> None:
    trained(ann)
    first = ann.item()
    ann.post(first.action, first.fields)
    second = ann.item()
    address = f"/work/item/{first.fields['slot']}/{first.fields['item']}"
    place = {name: second.fields[name] for name in ("slot", "item")}
    assert ann.http.get("/work/back", params=place).headers["location"] == address
    assert ann.http.get("/work/back").headers["location"] == address
    again = Page(ann.get(address).text).form.fields
    assert again["revision"] == "1"
    # Nothing is behind the first, nothing answered at the second, and nobody else's is shown.
    behind = {name: first.fields[name] for name in ("slot", "item")}
    assert ann.http.get("/work/back", params=behind).headers["location"] == "/work"
    for path in (
        f"/work/item/{place['slot']}/{place['item']}",
        "/work/item/0/0",
        "/work/item/99999999999999999999/1",
        "/work/item/a/-1",
        "/work/feedback/99999999999999999999/1",
        "/work/feedback/x/y",
    ):
        assert ann.http.get(path).headers["location"] == "/work"
    assert visitor(campaign, "bob").http.get(address).headers["location"] == "/work"


def test_only_what_is_stored_is_said_to_be_saved(campaign: Campaign, ann: Visitor) -> None:
    trained(ann)
    form = ann.item()
    sent = form.fields | {"submission": "<a&b=c>"}
    number = next(each.id for each in campaign.access.judges() if each.name == "ann")

    def stored() -> int:
        return campaign.assignment.done_by(number).items - 3

    def refused(status: int) -> str:
        answer = ann.post(form.action, sent)
        assert answer.status_code == status
        assert "location" not in answer.headers
        assert stored() == 0
        return answer.text

    campaign.set_open(False)
    again = Page(refused(403)).form
    assert (again.action, again.fields) == (form.action, sent)
    campaign.set_open(True)
    campaign.access.set_state(number, "paused")
    assert Page(refused(403)).forms == []
    campaign.access.set_state(number, "active")
    # What a pause gave to others is not taken, though it may come back later.
    assert Page(refused(409)).forms == []
    sent |= ann.item().fields | {"submission": "<a&b=c>"}
    for _ in range(2):
        answer = ann.post(form.action, sent)
        assert answer.headers["location"] == "/work?saved=%3Ca%26b%3Dc%3E"
        assert stored() == 1


def test_training_is_not_answered_again(ann: Visitor) -> None:
    form = ann.item()
    ann.post(form.action, form.fields)
    address = f"/work/item/{form.fields['slot']}/{form.fields['item']}"
    assert ann.http.get(address).headers["location"] == "/work"
    assert 'data-key="u"' not in ann.get("/work").text


def test_progress_tells_the_time_that_is_left(ann: Visitor) -> None:
    trained(ann)
    form = ann.item()
    assert len(form.fields) == 9  # the labels come first
    ann.post(form.action, form.fields)
    for done in range(4, 7):
        page = ann.get("/work").text
        assert f"{done - 3} of 7" in page
        assert f"{done} done" in page
        assert ("min left here" in page) == (done >= 5)
        form = Page(page).form
        ann.post(form.action, form.fields)


def test_several_questions_are_asked_once_and_heard_each_time(ann: Visitor) -> None:
    trained(ann)
    page = ann.get("/work").text
    prompt = "Are the marked words a good translation of those marked in the source?"
    assert re.findall(r"<legend([^>]*)>(.*?)</legend>", page) == [
        (' class="unseen"', f"Translation 1: {prompt}"),
        (' class="unseen"', f"Translation 2: {prompt}"),
    ]
    assert page.count(f'aria-hidden="true">{prompt}<') == 1


def test_colours_are_those_of_the_pictures() -> None:
    def colours(style: str) -> list[dict[str, str]]:
        """Return the colours of each block that has some."""
        blocks = (re.findall(r"(--[\w]+): ?(#\w+)", each) for each in style.split("}"))
        return [dict(found) for found in blocks if found]

    light, dark = colours(STYLE)[:2]
    own = colours((STATIC / "style.css").read_text(encoding="utf-8"))
    assert [set(block) for block in own] == [set(own[0])] * 2
    for block, pictures in zip(own, (light, dark), strict=True):
        assert block == {name: pictures[name] for name in block}


def test_scripts_and_styles_ask_for_nothing_from_elsewhere() -> None:
    for name in ("judge.js", "marks.js", "style.css"):
        content = (STATIC / name).read_text(encoding="utf-8")
        assert not re.search(r"https?:|url\(|@import|innerHTML|eval\(", content)


# Marked words.


@pytest.fixture
def marking(tmp_path: Path) -> Iterator[Visitor]:
    """A judge before a text in which errors are marked, past training."""
    folder = tmp_path / "marks"
    write_lines(folder / "esa.jsonl", [sheet("esa", [part(1, "A\r\n🎉 <b>."), part(2, "Good.")])])
    lines = [
        {"scale": "mqm", "source": "Ja", "text": "No", "expected": [1, 2], "feedback": "It is yes."}
    ]
    write_lines(folder / "training.jsonl", lines)
    made = start_campaign(folder)
    made.access.add(["ann"])
    yield visitor(made, "ann")
    made.database.close()


def mark(start: int | None, end: int | None, category: str = "") -> str:
    return json.dumps([{"start": start, "end": end, "severity": "minor", "category": category}])


def past_training(judge: Visitor) -> str:
    form = judge.item()
    answered = judge.post(form.action, form.fields | {"spans": mark(0, 2, "Other")})
    return judge.get(answered.headers["location"]).text


def test_feedback_on_marks_counts_them(marking: Visitor) -> None:
    page = past_training(marking)
    assert "Right. Your answer: 1. Expected: 1 to 2 marked." in text_of(page)
    assert "data-fixed" in page


def test_the_page_has_as_many_characters_as_the_text(marking: Visitor) -> None:
    past_training(marking)
    marking.item()
    page = marking.get("/work").text
    assert '">A&#13;\n🎉 &lt;b&gt;.</p>' in page
    assert "This task needs JavaScript" in text_of(page)


def test_marks_are_checked_and_what_is_wrong_with_them_is_told(marking: Visitor) -> None:
    past_training(marking)
    form = marking.item()
    assert form.fields["spans"] == ""
    for given, said in (
        ("", "Marking errors needs JavaScript"),
        (mark(0, 10), "outside the text"),
        ('[{"start": 0, "end": 1, "severity": "<b>"}]', "how severe"),
        ("[" * 4000, "are not valid"),
        ('"><script>', "are not valid"),
    ):
        answer = marking.post(form.action, form.fields | {"spans": given, "score": "50"})
        assert answer.status_code == 422
        assert said in text_of(answer.text)
        assert "<script>" not in answer.text.partition("<main")[2]
        assert Page(answer.text).form.fields["spans"] == given
    answer = marking.post(form.action, form.fields | {"spans": mark(0, 8), "score": "50"})
    assert answer.status_code == 303
    # The same again is kept once; another one has to be sent again.
    sent = form.fields | {"spans": mark(0, 8), "score": "50"}
    assert marking.post(form.action, sent).status_code == 303
    other = sent | {"spans": mark(1, 2), "submission": "other"}
    conflict = marking.post(form.action, other)
    assert conflict.status_code == 409
    assert Page(conflict.text).form.fields["spans"] == mark(1, 2)


def test_the_longest_page_fits_into_a_form(tmp_path: Path) -> None:
    write_lines(tmp_path / "mqm.jsonl", [document("mqm", size=MOST_QUESTIONS)])
    campaign = start_campaign(tmp_path)
    campaign.access.add(["ann"])
    judge = visitor(campaign, "ann")
    form = judge.item()
    names = [name for name in form.fields if name.startswith("spans_")]
    assert len(names) == MOST_QUESTIONS
    full = json.dumps([json.loads(mark(None, None, "Other"))[0]] * 8)
    answer = judge.post(form.action, form.fields | dict.fromkeys(names, full))
    assert answer.status_code == 303
    campaign.database.close()
