"""What people ask to be done about a case, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.domain.case import Case, Opener, ReviewVerdict, Urgency
from core.domain.officers import Account, Officer

NOTE_LIMIT = 2_000
"""Characters of a note."""
REPLY_LIMIT = 3_000
"""Characters of an officer's answer."""


class CaseActionKind(StrEnum):
    """What somebody wants to do to a case."""

    CLAIM = "claim"
    ANSWER = "answer"
    """Of a report: its writer gets feedback."""
    ACKNOWLEDGE = "acknowledge"
    """A report was received."""
    MESSAGE = "message"
    """A question or message to the writer of a report, before or after feedback."""
    CLOSE = "close"
    MARK_WRONG = "mark_wrong"
    """An officer: the answer that the asker got is wrong."""
    MARK_PARTLY = "mark_partly"
    """An officer: it holds, and leaves out what matters."""
    MARK_RIGHT = "mark_right"
    """An officer: it is right."""
    ACCEPT = "accept"
    """The asker: that answers it."""
    ASK_AGAIN = "ask_again"
    """The asker: it does not."""


ASKERS_OWN = frozenset({CaseActionKind.ACCEPT, CaseActionKind.ASK_AGAIN})
"""All others are for officers."""

SAID = frozenset({CaseActionKind.ANSWER, CaseActionKind.MESSAGE})
"""What is an officer's words to the asker."""
WRITES_BACK = SAID | {CaseActionKind.ACKNOWLEDGE}
"""What tells the writer of a report that it was received."""


class Refusal(StrEnum):
    """Why nothing was done."""

    UNKNOWN = "unknown"
    """There is no such answer or case here."""
    NOT_OFFICER = "not_officer"
    """Only officers may."""
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
    OTHER_UNIT = "other_unit"
    """The officer was granted other units than that of the case."""
    NOBODY_LEFT = "nobody_left"
    """It names all officers, or its asker wants it kept from all."""
    OWN_QUESTION = "own_question"
    """The officer asked it: another one answers."""
    NOTHING_TO_MARK = "nothing_to_mark"
    """The asker got no answer that could be wrong."""
    NO_REPORT = "no_report"
    """It is no report, whose writer could be written to besides an answer."""
    NO_FEEDBACK = "no_feedback"
    """It is a report whose writer has not had feedback."""
    NO_CASE = "no_case"
    """No case is opened for a question back, or for silence."""


VERDICTS = {
    CaseActionKind.MARK_WRONG: ReviewVerdict.WRONG,
    CaseActionKind.MARK_PARTLY: ReviewVerdict.PARTLY,
    CaseActionKind.MARK_RIGHT: ReviewVerdict.RIGHT,
}
"""What an officer finds of the answer by an action; others find nothing."""

AUTHORITY = frozenset({Refusal.UNKNOWN, Refusal.NOT_OFFICER, Refusal.NOT_ASKER, Refusal.OTHER_UNIT})
"""Refusals to people who may not see the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A request that Compliance takes a question up."""

    answer_id: str
    """What the asker got; it has one case at most."""
    by: Account
    """Who asks for it."""
    officer: Officer | None = None
    """The same person as an officer; None: not one of them."""
    key: str
    """Identity of the click: a repeated one changes nothing."""
    note: str = ""
    """What officers should know, as typed."""
    urgency: Urgency = Urgency.WEEK
    """When it is needed."""
    opener: Opener = Opener.ASKER
    """Whose idea it was."""
    is_private: bool = False
    """True: the reply is to come directly."""
    is_anonymous: bool = False
    """True: officers are shown neither name nor place, and the reply comes directly."""
    permalink: str | None = None
    """Where it was asked, from the platform itself; None if unknown."""
    asker_name: str | None = None
    """The asker's name, from the platform itself; None if unknown."""
    without: str = ""
    """Who must not hear of it, as the asker names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAction:
    """What somebody wants to do to a case."""

    kind: CaseActionKind
    """What."""
    case_id: str
    """Which case; from a client, so it may be no id at all."""
    by: Account
    """Who."""
    officer: Officer | None
    """The same person as an officer; None: not one of them."""
    key: str
    """Identity of the click: a repeated one changes nothing."""
    text: str = ""
    """The officer's answer, or why an answer is wrong; empty otherwise."""
    is_private: bool = False
    """True: this answer is to go to the asker alone."""
    confirms: bool = False
    """True: this answer leaves the one that the asker got as it is, which is right."""
    is_beyond: bool = False
    """True: the case is of a unit that the officer was not granted."""
    takes_over: bool = False
    """True: a claim holds even if another officer has claimed it."""
    is_sole_officer: bool = False
    """True: nobody else is on our list, so the officer may answer what they asked themselves."""

    @property
    def verdict(self) -> ReviewVerdict | None:
        """What the officer finds of the answer which the asker got; None: they don't say."""
        return ReviewVerdict.RIGHT if self.confirms else VERDICTS.get(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDone:
    """It is done, or was done before."""

    case: Case
    """The case as it stands now, as far as whoever acts may see it."""
    is_new: bool
    """False: nothing changed."""
    code: str = ""
    """With which the writer of a report comes back; empty: there is none, or it was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRefused:
    """Nothing was done, and that is recorded."""

    why: Refusal
    """Why."""
    case: Case | None = None
    """The case as it stands, to show it anew; None to somebody who may not see it."""


CaseResult: TypeAlias = CaseDone | CaseRefused
"""What came of an opening or an action."""
