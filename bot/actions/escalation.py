"""Askers hand a question to Compliance, and say whether the officer's answer does."""

from dataclasses import dataclass
from typing import Protocol

from bot.actions.case_desk import CaseDesk
from bot.actions.outcomes import (
    EscalationForm,
    FieldError,
    Notice,
    OpenForm,
    Outcome,
    Say,
    SeenBy,
)
from bot.actions.press import Press
from bot.actions.reply_access import ReplyAccess, is_report
from bot.replies.case_texts import already_sent, case_stands, sent_words
from bot.replies.form_texts import ESCALATE_TITLE
from bot.replies.notices import NOT_READABLE, ONLY_ASKER, ONLY_ASKER_SENDS, OUTDATED
from core.domain.case import Urgency
from core.domain.case_rules import Account, CaseResult, Done, Opener, Refusal, Refused
from core.ports.shown import ShownReply

ACCEPTED = "Thank you. Case {number} is closed."
AGAIN = "Case {number} is with Compliance again."
WRITE_HERE = " Write in this thread what is still open."


@dataclass(frozen=True, slots=True, kw_only=True)
class AskerDetails:
    """What a platform tells of a question, for the officers' card."""

    permalink: str | None
    """Where it was asked; None if the platform tells none."""
    name: str | None
    """Who asked; None if the platform tells none."""


class Askers(Protocol):
    """Looks up what officers may read of a question, besides its words."""

    async def details(self, found: ShownReply, /) -> AskerDetails:
        """Return what the platform tells in time."""
        ...


class EscalationActions:
    """Takes what askers do to cases."""

    def __init__(
        self, access: ReplyAccess, desk: CaseDesk, askers: Askers, *, hears_threads: bool
    ) -> None:
        """Wire the actions.

        Args:
            access: finds the answer.
            desk: opens cases.
            askers: looks up what goes onto the officers' card.
            hears_threads: True: what is written in a thread reaches us without a mention.
        """
        self._access = access
        self._desk = desk
        self._askers = askers
        self._hears_threads = hears_threads

    async def open(self, press: Press) -> Outcome:
        """Open the form, to the asker or an officer; once the asker has sent it, say so."""
        found = await self._sendable(press)
        if isinstance(found, Say):
            return found
        known = await self._desk.about(press.target, _account(found, press))
        if known is not None and not known.may_be_added_to:
            return OpenForm(form=Notice(title=ESCALATE_TITLE, words=already_sent(known)))
        return OpenForm(
            form=EscalationForm(
                answer_id=press.target,
                seen_by=_seen_by(found),
                known=known.number if known else None,
            )
        )

    async def open_without_form(self, press: Press) -> Say:
        """Open the case at once, after `open`, where the platform shows no form.

        Officers are told no name then, since nobody could be told that they would be.
        """
        result = await self._desk.open(
            press.target, press.listed, key=press.key, opener=Opener.PIPELINE
        )
        return Say(words=_sent(result))

    async def submit(self, press: Press) -> Outcome:
        """Open the case of a form, and say so."""
        entered, found = press.entered, await self._sendable(press)
        if isinstance(found, Say):
            return FieldError(words=found.words)
        details = await self._askers.details(found)
        result = await self._desk.open(
            press.target,
            _account(found, press),
            key=press.key,
            note=entered.text,
            urgency=Urgency.TODAY if entered.urgency == Urgency.TODAY.value else Urgency.WEEK,
            is_private=entered.is_private or is_report(found) or found.is_whispered,
            is_anonymous=entered.is_anonymous,
            permalink=details.permalink,
            asker_name=details.name,
        )
        told = _sent(result)
        return FieldError(words=told) if isinstance(result, Refused) else Say(words=told)

    async def accept(self, press: Press) -> Outcome:
        """Close a case whose answer does."""
        result = await self._desk.accept(press.target, press.who, key=press.key)
        return Say(words=_settled(result, ACCEPTED))

    async def ask_again(self, press: Press) -> Outcome:
        """Give a case back to its officer."""
        result = await self._desk.ask_again(press.target, press.who, key=press.key)
        is_heard = self._hears_threads and press.room is not None
        return Say(words=_settled(result, AGAIN + WRITE_HERE if is_heard else AGAIN))

    async def _sendable(self, press: Press) -> ShownReply | Say:
        """Return the reply to its asker and to officers; one to a report to its asker alone."""
        found = await self._access.find(press)
        if found is None or press.is_outside:
            return Say(words=NOT_READABLE)
        may_help = not is_report(found) and self._desk.is_officer(press.listed)
        if found.person != press.who.person and not may_help:
            return Say(words=ONLY_ASKER_SENDS)
        return Say(words=OUTDATED) if found.is_removed else found


def _account(found: ShownReply, press: Press) -> Account:
    """Return who hands the question over: its asker as such, whether or not an officer, too."""
    return press.who if found.person == press.who.person else press.listed


def _seen_by(found: ShownReply) -> SeenBy:
    if is_report(found):
        return SeenBy.ASKER_UNNAMED
    is_alone = found.is_whispered or found.place.mode == "direct"
    return SeenBy.ASKER if is_alone else SeenBy.THREAD


def _sent(result: CaseResult) -> str:
    """Say what came of handing a question over."""
    match result:
        case Done():
            return sent_words(result.case) if result.is_new else already_sent(result.case)
        case Refused(why=Refusal.NOT_ASKER):
            return ONLY_ASKER_SENDS
        case Refused(why=Refusal.NO_CASE):
            return OUTDATED
        case Refused():
            return NOT_READABLE


def _settled(result: CaseResult, words: str) -> str:
    """Say what came of a press under an officer's answer; `words` are those of success."""
    if isinstance(result, Done):
        return words.format(number=result.case.number)
    if result.why is Refusal.NOT_ASKER:
        return ONLY_ASKER
    return NOT_READABLE if result.case is None else case_stands(result.case)
