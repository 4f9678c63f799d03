"""The answers of a campaign as files for other programs; our own readers read them back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from weigh.errors import UsageError, did_you_mean
from weigh.read.answers import Holding, Omission, RankedScreen
from weigh.read.campaign_tables import (
    CHOSEN,
    COMPARED,
    LABELLED,
    SCORED,
    CollectedCampaign,
    read_campaign,
)
from weigh.wording import number_text

ENDINGS = {"jsonl": ".jsonl", "tsv": ".tsv"}
"""The ending of a file by its form."""
_MEDIA = {"jsonl": "application/x-ndjson", "tsv": "text/tab-separated-values"}


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
        """Media type."""
        return f"{_MEDIA[self.form]}; charset=utf-8"


def form_of(name: str) -> str:
    """The form of a file by the ending of its name."""
    for form, ending in ENDINGS.items():
        if name.lower().endswith(ending):
            return form
    raise UsageError(
        f"{name}: unknown file type; name it {' or '.join(ENDINGS.values())}, or say the form "
        f"with --form {'|'.join(ENDINGS)}"
    )


def export_answers(location: str, form: str = "jsonl", what: str | None = None) -> Exported:
    """Return the answers of a campaign that count, in a form.

    Where there are answers of several kinds, `what` says which: scores, labels, choices (of blind
    pairs with a key) or preferences (of pairs of systems).
    """
    if form not in ENDINGS:
        raise UsageError(f"unknown form {form!r}; {did_you_mean(form, ENDINGS)}")
    if what is not None and what not in WHAT:
        raise UsageError(f"no answers are {what!r}; {did_you_mean(what, WHAT)}")
    campaign = read_campaign(location, () if what is None else WHAT[what].kinds)
    what = what or _what(campaign)
    kinds, write = WHAT[what]
    held = [part for answer in campaign.require(kinds) for part in answer.parts]
    omissions = campaign.omissions(kinds)
    if kinds == COMPARED:  # of which controls are no preferences
        held = [part for part in held if part.about["kind"] != "bad"]
        omissions = _preferred(campaign).omissions
    # Of the name only what no file system and no header can misread.
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in campaign.name)
    name = f"{stem.strip('-') or 'campaign'}-{what}{ENDINGS[form]}"
    return Exported(write(campaign, form), len(held), what, form, name, omissions)


def _what(campaign: CollectedCampaign) -> str:
    """Kind of a campaign's answers, if there is only one."""
    answered = [what for what, (kinds, _) in WHAT.items() if campaign.of_kind(*kinds)]
    if len(answered) > 1:
        raise UsageError(
            f"{campaign.place}: there are {' and '.join(answered)}; choose one, as in --what "
            f"{answered[0]}"
        )
    if answered:
        return answered[0]
    kinds_of = campaign.settings.get("kinds", ())
    return next((what for what, (kinds, _) in WHAT.items() if set(kinds) & set(kinds_of)), "scores")


def _scores(campaign: CollectedCampaign, form: str) -> str:
    from weigh.human.judgments import WRITERS
    from weigh.read.answers import distinct_judgments
    from weigh.read.judgments import collected_judgments

    return WRITERS[form](distinct_judgments([collected_judgments(campaign)]).judgments)


def _labels(campaign: CollectedCampaign, form: str) -> str:
    from weigh.rypt.collection import collected_labels
    from weigh.rypt.label_files import WRITERS

    return "".join(f"{line}\n" for line in WRITERS[form](collected_labels(campaign).judgments))


def _choices(campaign: CollectedCampaign, form: str) -> str:
    from weigh.read.preferences import OWN_COLUMNS, collected_choices

    rows = (
        (
            *(choice.pair, choice.judge, choice.answer, choice.at),
            "" if choice.seconds is None else number_text(choice.seconds),
            choice.assignment,
        )
        for choice in collected_choices(campaign)
    )
    return _written(form, (*OWN_COLUMNS, "at", "seconds", "assignment"), rows)


def _preferred(campaign: CollectedCampaign) -> Holding[RankedScreen]:
    from weigh.read.judgments import collected_preferences

    return collected_preferences(campaign)


_ARENA = ("segment", "judge", "model_a", "model_b", "winner", "assignment", "at")


def _preferences(campaign: CollectedCampaign, form: str) -> str:
    """Return choices as chat arenas have them: the system on the left is the first model."""
    rows = []
    for answer in campaign.require(COMPARED):
        about, choice = answer.about, answer.answers["choice"]
        if about["kind"] == "bad":
            continue
        first, second = str(about["left_system"]), str(about["right_system"])
        winner = {"left": first, "right": second, "neither": "tie"}[choice]
        work = f"{campaign.name}/{answer.slot}/{about['number']}"
        rows.append((str(about["segment"]), answer.judge, first, second, winner, work, answer.at))
    return _written(form, _ARENA, rows)


def _written(form: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table as TSV, or as JSON lines without empty cells."""
    if form == "tsv":
        from weigh.read.cells import tsv_text

        return tsv_text([columns, *rows])
    import json

    filled = ({name: cell for name, cell in zip(columns, row, strict=True) if cell} for row in rows)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in filled)


class _What(NamedTuple):
    """Kinds of tasks whose answers go into one file, and the function that writes it."""

    kinds: Sequence[str]
    write: Callable[[CollectedCampaign, str], str]


WHAT: Mapping[str, _What] = {
    "scores": _What(SCORED, _scores),
    "labels": _What(LABELLED, _labels),
    "choices": _What(CHOSEN, _choices),
    "preferences": _What(COMPARED, _preferences),
}
"""What answers may be."""
