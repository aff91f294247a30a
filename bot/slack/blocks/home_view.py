"""The Home tab: ask, open questions, how it works, what changed; for officers the open cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from bot.replies import notices
from bot.replies.buttons import ANSWER, CLAIM
from bot.replies.safe_text import is_trusted, line, permalink_or_none
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    Block,
    actions,
    button,
    header,
    listed,
    press_button,
    rich,
    said,
    section,
    small,
    to_policy,
    words,
)
from core.domain.case import Case, CaseState
from core.domain.json_value import Json

LISTED = 10
"""Entries of each list; how many there are besides is said."""
REPORT = "a report, for the officer on call"
HOW = (
    "Mention me in a channel, write to me directly, or use /policy, whose answer you alone see.",
    *notices.HOW,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that somebody still has to answer."""

    title: str
    """The question in short."""
    state: str
    """In whose hands it is ("waiting for Compliance (case 214)"), or what was asked back."""
    permalink: str | None = None
    """Where it was asked; None if that can't be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """What the last edition did to a policy."""

    title: str
    """The policy."""
    what: str
    """`added`, `revised`, `withdrawn`."""
    url: str | None = None
    """Where it can be opened; None if nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What one person's Home shows."""

    waiting: tuple[OpenQuestion, ...] = ()
    """Questions back that this person has not answered; not shown if there are none."""
    questions: tuple[OpenQuestion, ...] = ()
    """This person's own that Compliance has."""
    changes: tuple[PolicyChange, ...] = ()
    """Of the last edition, as far as this person may read."""
    edition: int | None = None
    """The last edition; None before the first."""
    published_on: date | None = None
    """When it was published."""
    cases: tuple[Case, ...] | None = None
    """Open cases; None: this person is no officer."""
    sees_reports: bool = False
    """True: this person is on call, and is told what a report holds."""
    hosts: frozenset[str] = frozenset()
    """Where links to policies may lead."""


def home_view(home: Home) -> Block:
    """Return the view."""
    ask = button(action_ids.HOME_ASK, "Ask a question", "home", style="primary")
    blocks = [
        header(notices.NAME),
        section(notices.HOW_IT_WORKS),
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


def _list(title: str, items: Iterator[list[Json]], *, none: str = "") -> Iterator[Block]:
    entries = list(items)
    told = [said(words(title, bold=True))]
    told.append(listed(entries[:LISTED]) if entries else said(words(none)))
    if len(entries) > LISTED:
        told.append(said(words(f"and {len(entries) - LISTED} more", italic=True)))
    yield rich(*told)


def _question(asked: OpenQuestion) -> list[Json]:
    title = _linked(line(asked.title, limit=150), permalink_or_none(asked.permalink))
    return [*title, *words(f" - {line(asked.state, limit=100)}")]


def _queue(cases: tuple[Case, ...], *, sees_reports: bool) -> Iterator[Block]:
    """Return what waits for officers: each case with what may be done to it."""
    yield rich(said(words("Open cases", bold=True)))
    for case in cases[:LISTED]:
        is_hidden = case.is_sensitive and not sees_reports
        yield rich(said(_case(case, is_hidden=is_hidden)))
        if not is_hidden:
            offered = [CLAIM, ANSWER] if case.state is CaseState.OPEN else [ANSWER]
            buttons = (press_button(one, case.case_id) for one in offered)
            yield actions(f"case:{case.case_id}", *buttons)
    if not cases:
        yield rich(said(words("No case is open.")))
    if len(cases) > LISTED:
        yield rich(said(words(f"and {len(cases) - LISTED} more", italic=True)))


def _case(case: Case, *, is_hidden: bool) -> list[Json]:
    title = _linked(f"Case {case.number}", permalink_or_none(case.permalink))
    owner = f" by {line(case.officer, limit=80)}" if case.officer else ""
    due = f" · due {case.due_at:%Y-%m-%d}" if case.due_at else ""
    asked = REPORT if is_hidden else line(case.question, limit=200)
    return [*title, *words(f" · {case.state.value}{owner}{due} · {asked}")]


def _change(change: PolicyChange, hosts: frozenset[str]) -> list[Json]:
    is_ours = change.url is not None and is_trusted(change.url, hosts)
    title = to_policy(line(change.title, limit=150), change.url if is_ours else None)
    return [*title, *words(f" - {line(change.what, limit=50)}")]


def _linked(title: str, url: str | None) -> list[Json]:
    return words(title) if url is None else [{"type": "link", "url": url, "text": title}]


def _published(home: Home) -> str:
    if home.edition is None:
        return "No policies have been published yet."
    on = f" {home.published_on.isoformat()}" if home.published_on else ""
    return f"Policies last published{on} (edition {home.edition})"
