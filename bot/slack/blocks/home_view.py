"""The Home tab: ask, open questions, how it works, policy changes; for officers the open cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from bot.replies import notices
from bot.replies.buttons import ANSWER, CLAIM
from bot.replies.safe_text import is_trusted, line, permalink_or_none
from bot.replies.welcome import BEGIN, offer_of
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    Block,
    actions,
    bullet_list,
    button,
    header,
    paragraph,
    press_button,
    rich_text,
    section,
    small,
    title_link,
    words,
)
from bot.slack.blocks.welcome import starter_buttons
from core.domain.case import Case, CaseState
from core.domain.json_value import Json
from core.ports.starters import StarterSet

LISTED = 10
"""Entries of each list; how many there are besides is said."""
REPORT = "a report, for the officer on call"
HOW = (
    "Mention me in a channel, write to me directly, or use /policy, whose answer you alone see.",
    *notices.HOW,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that is still open."""

    title: str
    """The question, shortened."""
    state: str
    """Who has it ("waiting for Compliance (case 214)"), or what was asked back."""
    permalink: str | None = None
    """Where it was asked; None if that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """A change to a policy in the last edition."""

    title: str
    """The policy."""
    what: str
    """`added`, `revised`, `withdrawn`."""
    url: str | None = None
    """Where it can be opened; None if nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The contents of one person's Home."""

    name: str = notices.NAME
    """What the app is called."""
    starters: StarterSet | None = None
    """Questions to begin with; None: not known."""
    waiting: tuple[OpenQuestion, ...] = ()
    """Clarifications that this person has not answered; not shown if there are none."""
    questions: tuple[OpenQuestion, ...] = ()
    """This person's questions that Compliance has."""
    changes: tuple[PolicyChange, ...] = ()
    """Of the last edition, as far as this person may read."""
    edition: int | None = None
    """The last edition; None before the first."""
    published_on: date | None = None
    """When it was published."""
    cases: tuple[Case, ...] | None = None
    """Open cases; None: this person is no officer."""
    sees_reports: bool = False
    """True: this person is on call and may read reports."""
    hosts: frozenset[str] = frozenset()
    """Where links to policies may lead."""
    may_ask: bool = True
    """False: a guest who may not, or somebody who can't be told apart; nothing is offered."""


def home_view(home: Home) -> Block:
    """Return the Home view."""
    if not home.may_ask:
        return {"type": "home", "blocks": [header(home.name), section(notices.STAFF_ALONE)]}
    ask = button(action_ids.HOME_ASK, "Ask a question", "home", style="primary")
    blocks = [
        header(home.name),
        section(notices.HOW_IT_WORKS),
        *_begin(home.starters),
        actions("ask", ask),
        {"type": "divider"},
    ]
    if home.cases is not None:
        blocks += _queue(home.cases, sees_reports=home.sees_reports)
    if home.waiting:
        blocks += _list("Waiting for you", map(_question, home.waiting))
    blocks += _list("Your open questions", map(_question, home.questions), none="Nothing is open.")
    changes = (_change(change, home.hosts) for change in home.changes)
    blocks += _list("Latest policy changes", changes, none="Nothing changed.")
    blocks += _list("How it works", map(words, HOW))
    return {"type": "home", "blocks": [*blocks, small(_published(home))]}


def _begin(found: StarterSet | None) -> Iterator[Block]:
    """Yield the questions to begin with, or what is said in their place."""
    if found is not None and found.starters:
        yield section(BEGIN)
        yield starter_buttons(found.starters)
    else:
        yield section(offer_of(found))


def _list(title: str, items: Iterator[list[Json]], *, none: str = "") -> Iterator[Block]:
    entries = list(items)
    told = [paragraph(words(title, bold=True))]
    told.append(bullet_list(entries[:LISTED]) if entries else paragraph(words(none)))
    if len(entries) > LISTED:
        told.append(paragraph(words(f"and {len(entries) - LISTED} more", italic=True)))
    yield rich_text(*told)


def _question(asked: OpenQuestion) -> list[Json]:
    title = _linked(line(asked.title, limit=150), permalink_or_none(asked.permalink))
    return [*title, *words(f" - {line(asked.state, limit=100)}")]


def _queue(cases: tuple[Case, ...], *, sees_reports: bool) -> Iterator[Block]:
    """Yield the officers' queue: each case with its buttons."""
    yield rich_text(paragraph(words("Open cases", bold=True)))
    for case in cases[:LISTED]:
        is_hidden = case.is_sensitive and not sees_reports
        yield rich_text(paragraph(_case(case, is_hidden=is_hidden)))
        if not is_hidden:
            offered = [CLAIM, ANSWER] if case.state is CaseState.OPEN else [ANSWER]
            buttons = (press_button(one, case.case_id) for one in offered)
            yield actions(f"case:{case.case_id}", *buttons)
    if not cases:
        yield rich_text(paragraph(words("No case is open.")))
    if len(cases) > LISTED:
        yield rich_text(paragraph(words(f"and {len(cases) - LISTED} more", italic=True)))


def _case(case: Case, *, is_hidden: bool) -> list[Json]:
    title = _linked(f"Case {case.number}", permalink_or_none(case.permalink))
    owner = f" by {line(case.officer, limit=80)}" if case.officer else ""
    due = f" · due {case.due_at:%Y-%m-%d}" if case.due_at else ""
    asked = REPORT if is_hidden else line(case.question, limit=200)
    return [*title, *words(f" · {case.state.value}{owner}{due} · {asked}")]


def _change(change: PolicyChange, hosts: frozenset[str]) -> list[Json]:
    is_ours = change.url is not None and is_trusted(change.url, hosts)
    title = title_link(line(change.title, limit=150), change.url if is_ours else None)
    return [*title, *words(f" - {line(change.what, limit=50)}")]


def _linked(title: str, url: str | None) -> list[Json]:
    return words(title) if url is None else [{"type": "link", "url": url, "text": title}]


def _published(home: Home) -> str:
    if home.edition is None:
        return "No policies have been published yet."
    on = f" {home.published_on.isoformat()}" if home.published_on else ""
    return f"Policies last published{on} (edition {home.edition})"
