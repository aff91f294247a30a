"""The Home tab: ask, open questions, how it works, policy changes; for officers the open cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, tzinfo

from bot.replies import notices
from bot.replies.buttons import ANSWER, CLAIM
from bot.replies.case_texts import STATES, case_name
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
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language
from core.ports.starters import StarterSet
from core.time_zones import day_in

LISTED = 10
"""Entries of each list; how many there are besides is said."""
REPORT = Text("a report, for the officer on call", "ein Hinweis, für die diensthabende Person")
HOW = (
    Text(
        "Mention me in a channel, message me directly, or use /policy for an answer that only"
        " you can see.",
        "Erwähnen Sie mich in einem Channel, schreiben Sie mir direkt, oder nutzen Sie /policy:"
        " Diese Antwort sehen nur Sie.",
    ),
    *notices.HOW,
)
_ASK = Text("Ask a question", "Frage stellen")
WAITING = Text("Waiting for you", "Wartet auf Sie")
_YOURS = Text("Your open questions", "Ihre offenen Fragen")
_NOTHING_OPEN = Text("Nothing is open.", "Nichts ist offen.")
_CHANGES = Text("Latest policy changes", "Letzte Änderungen der Richtlinien")
_NO_CHANGES = Text("Nothing changed.", "Nichts hat sich geändert.")
_HOW_IT_WORKS = Text("How it works", "So funktioniert es")
AND_MORE = Text("and {count} more", "und {count} weitere")
_OPEN_CASES = Text("Open cases", "Offene Fälle")
_NO_CASE = Text("There are no open cases.", "Kein Fall ist offen.")
_BY = Text(" by {who}", " von {who}")
_DUE = Text(" · due {day}", " · fällig {day}")
_NEVER = Text(
    "No policies have been published yet.", "Es sind noch keine Richtlinien veröffentlicht."
)
_PUBLISHED = Text(
    "Policies last published{on} (edition {edition})",
    "Richtlinien zuletzt veröffentlicht{on} (Ausgabe {edition})",
)
_ON = Text(" {day}", " am {day}")


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
    language: Language = Language.ENGLISH
    """In which this person is spoken to."""
    zone: tzinfo = UTC
    """In which days are told."""
    hosts: frozenset[str] = frozenset()
    """Where links to policies may lead."""
    may_ask: bool = True
    """False: a guest who may not, or somebody who can't be told apart; nothing is offered."""


def home_view(home: Home) -> Block:
    """Return the Home view."""
    if not home.may_ask:
        alone = section(notices.STAFF_ALONE.of(home.language))
        return {"type": "home", "blocks": [header(home.name), alone]}
    language = home.language
    ask = button(action_ids.HOME_ASK, _ASK.of(language), "home", style="primary")
    blocks = [
        header(home.name),
        section(notices.HOW_IT_WORKS.of(language)),
        *_begin(home.starters, language),
        actions("ask", ask),
        {"type": "divider"},
    ]
    if home.cases is not None:
        blocks += _queue(home.cases, home)
    if home.waiting:
        blocks += _list(WAITING, map(_question, home.waiting), language)
    blocks += _list(_YOURS, map(_question, home.questions), language, none=_NOTHING_OPEN)
    changes = (_change(change, home.hosts) for change in home.changes)
    blocks += _list(_CHANGES, changes, language, none=_NO_CHANGES)
    blocks += _list(_HOW_IT_WORKS, (words(one.of(language)) for one in HOW), language)
    return {"type": "home", "blocks": [*blocks, small(_published(home))]}


def _begin(found: StarterSet | None, language: Language) -> Iterator[Block]:
    """Yield the questions to begin with, or what is said in their place."""
    if found is not None and found.starters:
        yield section(BEGIN.of(language))
        yield starter_buttons(found.starters, language)
    else:
        yield section(offer_of(found).of(language))


def _list(
    title: Text, items: Iterator[list[Json]], language: Language, *, none: Text | None = None
) -> Iterator[Block]:
    entries = list(items)
    told = [paragraph(words(title.of(language), bold=True))]
    empty = paragraph(words(none.of(language) if none else ""))
    told.append(bullet_list(entries[:LISTED]) if entries else empty)
    if len(entries) > LISTED:
        told.append(_more(len(entries) - LISTED, language))
    yield rich_text(*told)


def _more(count: int, language: Language) -> Block:
    return paragraph(words(AND_MORE.format(count=count).of(language), italic=True))


def _question(asked: OpenQuestion) -> list[Json]:
    title = _linked(line(asked.title, limit=150), permalink_or_none(asked.permalink))
    return [*title, *words(f" - {line(asked.state, limit=100)}")]


def _queue(cases: tuple[Case, ...], home: Home) -> Iterator[Block]:
    """Yield the officers' queue: each case with its buttons."""
    language = home.language
    yield rich_text(paragraph(words(_OPEN_CASES.of(language), bold=True)))
    for case in cases[:LISTED]:
        is_hidden = case.is_sensitive and not home.sees_reports
        yield rich_text(paragraph(_case(case, language, zone=home.zone, is_hidden=is_hidden)))
        if not is_hidden:
            offered = [CLAIM, ANSWER] if case.state is CaseState.OPEN else [ANSWER]
            buttons = (press_button(one, case.case_id, language) for one in offered)
            yield actions(f"case:{case.case_id}", *buttons)
    if not cases:
        yield rich_text(paragraph(words(_NO_CASE.of(language))))
    if len(cases) > LISTED:
        yield rich_text(_more(len(cases) - LISTED, language))


def _case(case: Case, language: Language, *, zone: tzinfo, is_hidden: bool) -> list[Json]:
    title = _linked(case_name(case.number, language), permalink_or_none(case.permalink))
    owner = _BY.format(who=line(case.officer, limit=80)).of(language) if case.officer else ""
    due = _DUE.format(day=f"{day_in(case.due_at, zone)}").of(language) if case.due_at else ""
    asked = REPORT.of(language) if is_hidden else line(case.question, limit=200)
    return [*title, *words(f" · {STATES[case.state].of(language)}{owner}{due} · {asked}")]


def _change(change: PolicyChange, hosts: frozenset[str]) -> list[Json]:
    is_ours = change.url is not None and is_trusted(change.url, hosts)
    title = title_link(line(change.title, limit=150), change.url if is_ours else None)
    return [*title, *words(f" - {line(change.what, limit=50)}")]


def _linked(title: str, url: str | None) -> list[Json]:
    return words(title) if url is None else [{"type": "link", "url": url, "text": title}]


def _published(home: Home) -> str:
    if home.edition is None:
        return _NEVER.of(home.language)
    on = _ON.format(day=home.published_on.isoformat()) if home.published_on else as_it_is("")
    return _PUBLISHED.format(on=on, edition=home.edition).of(home.language)
