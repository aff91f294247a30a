"""What people do to a case, who may, and what comes of it. Pure: one rule for every surface."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from core.domain.answer import Answer, Outcome
from core.domain.case import Case, CaseState, Urgency

NOTE_LIMIT = 2_000
"""Characters of a note."""
REPLY_LIMIT = 3_000
"""Characters of an officer's answer."""

PASSED_ON_AT_MOST = 5
"""Cases that the questions of one person open by themselves within the hours below."""
PASSED_ON_WITHIN_H = 24


class NoCase(StrEnum):
    """Why a question is not passed on by itself; its asker may send it all the same."""

    NOT_MEANT = "not_meant"
    """It is answered, or it may tell of somebody, or no officer would hear of it."""
    TOO_MANY = "too_many"
    """So many of this person's were passed on that nobody but the person passes on more."""


class Opener(StrEnum):
    """Whose idea a case was. A report is opened at the wish of its asker alone."""

    ASKER = "asker"
    """The asker sent it, and was told that officers see the name."""
    PIPELINE = "pipeline"
    """The answer needs a person, or the asker could not be told that officers see the name: neither
    name nor place is shown."""
    OFFICER = "officer"
    """An officer took a question up: neither name nor place is shown."""


class CaseActionKind(StrEnum):
    """What somebody wants to do to a case."""

    CLAIM = "claim"
    ANSWER = "answer"
    CLOSE = "close"
    MARK_WRONG = "mark_wrong"
    """An officer: the answer that the asker got is wrong."""
    ACCEPT = "accept"
    """The asker: that answers it."""
    ASK_AGAIN = "ask_again"
    """The asker: it does not."""


ASKERS_OWN = frozenset({CaseActionKind.ACCEPT, CaseActionKind.ASK_AGAIN})
"""All others are for officers."""


class Refusal(StrEnum):
    """Why nothing was done."""

    UNKNOWN = "unknown"
    """There is no such answer or case here."""
    NOT_OFFICER = "not_officer"
    """Only officers of our list may."""
    NOT_ASKER = "not_asker"
    """Only the person who asked may."""
    CLAIMED = "claimed"
    """Another officer has claimed it; `CaseRefused.case` says who."""
    ANSWERED = "answered"
    """It has been answered."""
    CLOSED = "closed"
    """It is closed."""
    NOT_ANSWERED = "not_answered"
    """There is no officer's answer to accept yet."""
    NOTHING_TO_MARK = "nothing_to_mark"
    """The asker got no answer that could be wrong."""
    NO_CASE = "no_case"
    """It is nothing that a case is opened for."""


AUTHORITY = frozenset({Refusal.UNKNOWN, Refusal.NOT_OFFICER, Refusal.NOT_ASKER})
"""Refusals to people who may not see the case."""


class Offer(StrEnum):
    """Whether a reply offers a case to its asker."""

    NONE = "none"
    """It asks back, or says nothing."""
    POSSIBLE = "possible"
    """There is an answer, and a way to a person beside it."""
    SUGGESTED = "suggested"
    """There is no answer: a person is the next step. Where the answer needs one there may be a case
    already, to which the asker may add (`Answer.needs_person`)."""


def offer_of(answer: Answer) -> Offer:
    """Say whether a reply offers a case."""
    match answer.outcome:
        case Outcome.ANSWERED:
            return Offer.POSSIBLE
        case Outcome.REFUSED | Outcome.ESCALATED | Outcome.FAILED:
            return Offer.SUGGESTED
        case Outcome.CLARIFICATION | Outcome.IGNORED:
            return Offer.NONE
        case _:
            assert_never(answer.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person as one platform knows them."""

    platform: str
    """See `Place.platform`."""
    tenant: str
    """See `Place.tenant`."""
    person: str
    """The platform's id."""

    def is_beside(self, other: "Account") -> bool:
        """Say whether somebody is in the same workspace."""
        return (self.platform, self.tenant) == (other.platform, other.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Officer:
    """Somebody who answers cases."""

    login: str
    """By which the record names them."""
    name: str
    """By which askers read of them."""
    accounts: tuple[Account, ...] = ()
    """Where they are met; none: at the terminal alone."""
    is_on_call: bool = False
    """True: gets what must not stand in a channel, or can't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A wish that Compliance takes a question up."""

    answer_id: str
    """What the asker got; there is one case for it at most."""
    by: Account
    """Who wishes it."""
    officer: Officer | None = None
    """Who that is among the officers; None: none of them."""
    key: str
    """Identity of the click: a repeated one changes nothing."""
    note: str = ""
    """What they should know, as typed."""
    urgency: Urgency = Urgency.WEEK
    """When it is needed."""
    opener: Opener = Opener.ASKER
    """Whose idea it was."""
    is_private: bool = False
    """True: the reply is to come directly."""
    is_anonymous: bool = False
    """True: officers are shown neither name nor place, and the reply comes directly."""
    is_sensitive: bool = False
    """True: the note tells of misconduct."""
    permalink: str | None = None
    """Where it was asked, as the platform told our code; None if unknown."""
    asker_name: str | None = None
    """The asker's name, as the platform told our code; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAction:
    """What somebody wants to do to a case."""

    kind: CaseActionKind
    """What."""
    case_id: str
    """To which."""
    by: Account | None
    """Who; None: an officer at the terminal."""
    officer: Officer | None
    """Who that is among the officers; None: none of them."""
    key: str
    """Identity of the click: a repeated one changes nothing."""
    text: str = ""
    """The officer's answer, or why an answer is wrong; empty otherwise."""
    is_private: bool = False
    """True: this answer is to go to the asker alone."""
    takes_over: bool = False
    """True: a claim holds even if another officer has claimed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a decision about a case rests on."""

    state: CaseState
    """How far it has come."""
    owner: str | None
    """Login of who has claimed it; None: nobody."""
    asker: Account
    """Who asked."""
    may_be_wrong: bool
    """True if the asker got an answer."""
    is_wrong: bool
    """True if it is marked already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a deed makes of a case."""

    state: CaseState
    """Its state from now on."""
    owner: Officer | None = None
    """Its officer from now on; None: as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDone:
    """It is so."""

    case: Case
    """The case as it stands now, as far as whoever acts may see it."""
    is_new: bool
    """False: it was so before, and nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRefused:
    """Nothing was done, and that is recorded."""

    why: Refusal
    """Why."""
    case: Case | None = None
    """The case as it stands, to show it anew; None to somebody who may not see it."""


CaseResult: TypeAlias = CaseDone | CaseRefused
"""What came of a deed."""


def judge(standing: Standing, deed: CaseAction) -> Change | Refusal | None:
    """Say what a deed makes of a case; None: it is so already."""
    if deed.kind in ASKERS_OWN:
        return _asker(standing, deed) if deed.by == standing.asker else Refusal.NOT_ASKER
    return Refusal.NOT_OFFICER if deed.officer is None else _officer(standing, deed, deed.officer)


def _asker(standing: Standing, deed: CaseAction) -> Change | Refusal | None:
    state, accepts = standing.state, deed.kind is CaseActionKind.ACCEPT
    match state:
        case CaseState.OPEN | CaseState.CLAIMED:
            return Refusal.NOT_ANSWERED if accepts else None
        case CaseState.ANSWERED:
            return Change(state=CaseState.CLOSED if accepts else CaseState.CLAIMED)
        case CaseState.CLOSED:
            return None if accepts else Refusal.CLOSED
        case _:
            assert_never(state)


def _officer(standing: Standing, deed: CaseAction, officer: Officer) -> Change | Refusal | None:
    if deed.kind is CaseActionKind.MARK_WRONG:
        if not standing.may_be_wrong:
            return Refusal.NOTHING_TO_MARK
        return None if standing.is_wrong else Change(state=standing.state)
    is_other = standing.owner not in {None, officer.login}
    if deed.kind is CaseActionKind.CLOSE:
        if standing.state is CaseState.CLOSED:
            return None
        if is_other and standing.state is CaseState.CLAIMED:
            return Refusal.CLAIMED
        return Change(state=CaseState.CLOSED)
    return _taken_up(standing, deed, officer, is_other=is_other)


def _taken_up(
    standing: Standing, deed: CaseAction, officer: Officer, *, is_other: bool
) -> Change | Refusal | None:
    """Judge a claim or an answer: both make the officer the owner."""
    claims = deed.kind is CaseActionKind.CLAIM
    match standing.state:
        case CaseState.CLOSED:
            return Refusal.CLOSED
        case CaseState.ANSWERED:
            return Refusal.ANSWERED
        case CaseState.CLAIMED if is_other and not (claims and deed.takes_over):
            return Refusal.CLAIMED
        case CaseState.CLAIMED if claims and not is_other:
            return None
        case CaseState.OPEN | CaseState.CLAIMED:
            state = CaseState.CLAIMED if claims else CaseState.ANSWERED
            return Change(state=state, owner=officer)
        case _:
            assert_never(standing.state)
