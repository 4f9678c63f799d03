"""The answers of a campaign as files for other programs; our own readers read them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from weigh.errors import UsageError, did_you_mean
from weigh.read.answers import Holding, Omission, Screen
from weigh.read.campaign_tables import (
    CHOSEN,
    COMPARED,
    LABELLED,
    SCORED,
    CollectedCampaign,
    marked_texts,
    read_campaign,
    split_location,
)

ENDINGS = {
    "jsonl": ".jsonl",
    "tsv": ".tsv",
    "mturk": ".csv",
    "appraise": ".csv",
    "pearmut": ".json",
}
"""The forms, and how their files end."""
_BY_ENDING = {".jsonl": "jsonl", ".tsv": "tsv", ".csv": "mturk", ".json": "pearmut"}
_MEDIA = {
    ".jsonl": "application/x-ndjson",
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
    ".json": "application/json",
}


class Exported(NamedTuple):
    """A file: its text, how many answers it holds, and what was left out.

    `what` is what they are: scores, labels, choices or preferences. `name` is what the file may be
    called.
    """

    text: str
    answers: int
    what: str
    form: str
    name: str
    omissions: tuple[Omission, ...] = ()

    @property
    def media_type(self) -> str:
        """What a browser is told that it is."""
        return f"{_MEDIA[ENDINGS[self.form]]}; charset=utf-8"


def form_of(name: str) -> str:
    """Return the form that a file's name tells by its ending; a .csv is taken for MTurk's."""
    ending = next((each for each in _BY_ENDING if name.lower().endswith(each)), None)
    if ending is None:
        raise UsageError(
            f"{name}: unknown ending; name it {', '.join(_BY_ENDING)}, or say the form with "
            f"--form {'|'.join(ENDINGS)}"
        )
    return _BY_ENDING[ending]


def export_answers(location: str, form: str = "jsonl", what: str | None = None) -> Exported:
    """Return the answers of a campaign that count, in a form.

    Where there are answers of several kinds, `what` says which: scores, labels, choices (of blind
    pairs with a key) or preferences (of pairs of systems). All can be `jsonl` and `tsv`, all but
    preferences `mturk`, and scores also `appraise` and `pearmut`.
    """
    if form not in ENDINGS:
        raise UsageError(f"unknown form {form!r}; {did_you_mean(form, ENDINGS)}")
    if what is not None and what not in WHAT:
        raise UsageError(f"no answers are {what!r}; {did_you_mean(what, WHAT)}")
    campaign = read_campaign(location, () if what is None else WHAT[what].kinds)
    what = what or _what(campaign)
    kinds, write, forms = WHAT[what]
    if form not in forms:
        raise UsageError(f"{what} have no form {form!r}; give one of {', '.join(forms)}")
    held = [part for answer in campaign.needed(kinds) for part in answer.parts]
    omissions = campaign.omissions(kinds)
    if kinds == COMPARED:  # of which controls are no preferences
        held = [part for part in held if part.about["kind"] != "bad"]
        omissions = _preferred(campaign).omissions
    # Of the name only what no file system and no header can misread.
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in campaign.name)
    maker = f"-{form}" if form in ("mturk", "appraise", "pearmut") else ""
    name = f"{stem.strip('-') or 'campaign'}-{what}{maker}{ENDINGS[form]}"
    place = f"{split_location(location)[0]}#{campaign.name}"
    return Exported(write(campaign, form, place), len(held), what, form, name, omissions)


def _what(campaign: CollectedCampaign) -> str:
    """Return what the answers of a campaign are, where they are of one kind alone."""
    found = [what for what, (kinds, _, _) in WHAT.items() if campaign.of_kind(*kinds)]
    if len(found) > 1:
        raise UsageError(
            f"{campaign.place}: there are {' and '.join(found)}; say which with --what {found[0]}"
        )
    if found:
        return found[0]
    asked = campaign.settings.get("kinds", ())
    return next((what for what, (kinds, _, _) in WHAT.items() if set(kinds) & set(asked)), "scores")


def _scores(campaign: CollectedCampaign, form: str, place: str) -> str:
    from weigh.human.answer_files import WRITERS
    from weigh.read.answers import judged_once
    from weigh.read.judgments import collected_judgments

    judgments = judged_once([collected_judgments(campaign)]).judgments
    if form not in ("appraise", "pearmut") or all(each.spans is None for each in judgments):
        return WRITERS[form](judgments)
    return WRITERS[form](judgments, marked_texts(place))


def _labels(campaign: CollectedCampaign, form: str, _: str) -> str:
    from weigh.rypt.collection import collected_labels
    from weigh.rypt.label_files import WRITERS

    return "".join(f"{line}\n" for line in WRITERS[form](collected_labels(campaign).judgments))


def _choices(campaign: CollectedCampaign, form: str, _: str) -> str:
    from weigh.read.preferences import collected_choices
    from weigh.validate.choices import WRITERS

    return WRITERS[form](collected_choices(campaign), None)


def _preferred(campaign: CollectedCampaign) -> Holding[Screen]:
    from weigh.read.judgments import collected_preferences

    return collected_preferences(campaign)


_ARENA = ("segment", "judge", "model_a", "model_b", "winner", "assignment", "at")


def _preferences(campaign: CollectedCampaign, form: str, _: str) -> str:
    """Return choices as chat arenas have them: the system on the left is the first model."""
    from weigh.read.cells import tsv_text

    rows = []
    for answer in campaign.needed(COMPARED):
        about, choice = answer.about, answer.answers["choice"]
        if about["kind"] == "bad":
            continue
        left, right = str(about["left_system"]), str(about["right_system"])
        winner = {"left": left, "right": right, "neither": "tie"}[choice]
        work = f"{campaign.name}/{answer.slot}/{about['number']}"
        rows.append((str(about["segment"]), answer.judge, left, right, winner, work, answer.at))
    if form == "tsv":
        return tsv_text([_ARENA, *rows])
    import json

    lines = (dict(zip(_ARENA, row, strict=True)) for row in rows)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


class _What(NamedTuple):
    """Kinds of tasks whose answers go into one file, what writes it, and the forms that it has.

    What writes it is told the campaign, the form, and where the campaign is.
    """

    kinds: Sequence[str]
    write: Callable[[CollectedCampaign, str, str], str]
    forms: Sequence[str]


WHAT: Mapping[str, _What] = {
    "scores": _What(SCORED, _scores, tuple(ENDINGS)),
    "labels": _What(LABELLED, _labels, ("jsonl", "tsv", "mturk")),
    "choices": _What(CHOSEN, _choices, ("jsonl", "tsv", "mturk")),
    "preferences": _What(COMPARED, _preferences, ("jsonl", "tsv")),
}
"""What answers may be."""
