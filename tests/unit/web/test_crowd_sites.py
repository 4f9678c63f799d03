"""Sites that send people: whoever comes twice is known again, and work is handed in there."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.web.campaign_files import blind_pair, write_lines
from unit.web.visiting import Page, Visitor
from weigh.web.app import make_app
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.plan import CollectPlan

SITE = "https://workersandbox.example"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    write_lines(tmp_path / "pairs.jsonl", [blind_pair()])
    return start_campaign(
        tmp_path, CollectPlan(per_item=9, completion_url="https://site.example/?c={code}")
    )


def visit(campaign: Campaign, query: str, embed: tuple[str, ...] = ()) -> tuple[Visitor, str]:
    """Come by the open link, begin, and answer what there is; return the last page."""
    visitor = Visitor(make_app(campaign, embed=embed), "https://judging.test")
    page = visitor.get(f"/enter/{campaign.access.link('open')}?{query}").text
    for form in Page(page).forms:
        visitor.post(form.action, form.fields)
        for _ in range(2):  # the instructions, and the pair, where it is left
            page = visitor.get("/work").text
            forms = [each for each in Page(page).forms if each.fields.get("csrf")]
            if forms:
                visitor.post(forms[0].action, forms[0].fields)
        page = visitor.get("/work").text
    return visitor, page


def test_whoever_comes_back_is_the_same_judge(campaign: Campaign) -> None:
    visit(campaign, "PROLIFIC_PID=5f3&STUDY_ID=1")
    visit(campaign, "PROLIFIC_PID=5f3&STUDY_ID=1")
    _, page = visit(campaign, "PROLIFIC_PID=6a1")
    judges = campaign.access.judges()
    assert [judge.external for judge in judges] == ["5f3", "6a1"]
    assert judges[1].name not in ("5f3", "6a1")
    assert "Thank you" in page


def test_the_last_page_leads_back_with_the_code(campaign: Campaign) -> None:
    _, page = visit(campaign, "PROLIFIC_PID=5f3")
    (judge,) = campaign.access.judges()
    assert f"https://site.example/?c={judge.code}" in page
    assert "externalSubmit" not in page


def test_an_external_question_is_handed_in_at_its_site(campaign: Campaign) -> None:
    query = f"workerId=A1&assignmentId=3ABC&hitId=3H&turkSubmitTo={SITE}"
    browser, page = visit(campaign, query, (SITE,))
    assert f'action="{SITE}/mturk/externalSubmit"' in page
    assert 'name="assignmentId" value="3ABC"' in page
    policy = browser.get("/work").headers["content-security-policy"]
    assert f"form-action 'self' {SITE}" in policy
    assert f"frame-ancestors {SITE}" in policy
    assert "x-frame-options" not in browser.get("/work").headers


def test_nothing_is_handed_in_elsewhere(campaign: Campaign) -> None:
    query = "workerId=A1&assignmentId=3ABC&turkSubmitTo=https://evil.example"
    browser, page = visit(campaign, query, (SITE,))
    assert "evil.example" not in page
    browser.http.cookies.set("weigh_assignment", "3ABC@https://evil.example")
    assert "evil.example" not in browser.get("/work").text


def test_a_preview_makes_no_judge(campaign: Campaign) -> None:
    _, page = visit(campaign, "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    assert "This is a preview" in page
    assert campaign.access.judges() == []
