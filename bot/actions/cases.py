"""What people do to cases: askers send a question to Compliance, officers work on it.

Officers are those of our list, whoever else reads their channel. A card is rewritten from what is
committed, by delivery: an officer who pressed is told only if nothing came of it.
"""

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from bot.actions.answers import ReplyAccess, is_report
from bot.actions.press import (
    FieldError,
    FormNotice,
    OpenForm,
    Outcome,
    Press,
    Redraw,
    Say,
)
from bot.forms.effects import ADDS, CONFIRMS, NEEDS_TEXT, TELLS, effects_of
from bot.forms.forms import (
    ANSWER,
    TITLES,
    WRITE_ANSWER,
    FormName,
    SeenBy,
    case_answer_form,
    escalation_form,
)
from bot.replies.case_texts import already_sent, case_stands, sent_words
from bot.replies.notices import (
    NOT_READABLE,
    OFFICERS_ONLY,
    ONLY_ASKER,
    ONLY_ASKER_SENDS,
    OTHER_UNIT,
    OUTDATED,
)
from bot.replies.report_texts import CODE
from core.cases.service import CaseService
from core.cases.written import typed
from core.domain.case import Opener, Urgency
from core.domain.case_actions import CaseActionKind, CaseDone, CaseRefused, CaseResult, Refusal
from core.domain.errors import UsageError
from core.domain.officers import Account, SpeakUpContacts
from core.language.interface.texts import Text, as_it_is
from core.ports.posted_answers import PostedAnswer

NO_CASE = Text("There is no such case.", "Diesen Fall gibt es nicht.")
NOBODY_LEFT = Text(
    "I have passed nothing on: everybody in Compliance whom I could tell is named in your report,"
    " or you asked me to keep it from them. Please turn to somebody outside Compliance, such as"
    " the speak-up line or the ombudsperson. What the policies say about it is in my reply to you.",
    "Ich habe nichts weitergegeben: Alle bei Compliance, denen ich es sagen könnte, nennen Sie in"
    " Ihrer Meldung, oder sie sollen nichts davon erfahren. Bitte wenden Sie sich an jemanden"
    " außerhalb von Compliance, etwa an die Hinweisgeberstelle oder die Ombudsperson. Was die"
    " Richtlinien dazu sagen, steht in meiner Antwort an Sie.",
)
_WAYS = Text(" You can turn to: {ways}.", " Sie erreichen: {ways}.")
OWN_QUESTION = Text(
    "You asked this question yourself, so another officer has to answer it.",
    "Diese Frage haben Sie selbst gestellt: Eine andere beauftragte Person muss sie beantworten.",
)
NO_FEEDBACK = Text(
    "The writer of this report has had no feedback yet. Please give it first: answer the case.",
    "Zu dieser Meldung gab es noch keine Rückmeldung. Bitte geben Sie sie zuerst: Beantworten Sie"
    " den Fall.",
)
NOTHING_TO_MARK = Text(
    "The asker got no answer that could be marked.",
    "Es gab keine Antwort, die falsch sein könnte.",
)
POSTED = Text(
    "Your answer to case {number} is on its way to the asker{where}. See the card.",
    "Ihre Antwort auf Fall {number} geht an die fragende Person{where}. Die Karte zeigt sie.",
)
TO_THEM_ALONE = Text(" alone, in a direct message", " allein, als Direktnachricht")
TO_THEIR_THREAD = Text("'s thread", " in ihren Thread")
ACCEPTED = Text("Thank you. Case {number} is closed.", "Danke. Fall {number} ist geschlossen.")
AGAIN = Text(
    "Case {number} is with Compliance again.", "Fall {number} liegt wieder bei Compliance."
)
WRITE_HERE = Text(
    " Reply in this thread with what is still unresolved.",
    " Schreiben Sie in diesen Thread, was noch offen ist.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskerDetails:
    """What a platform tells about a question, for the officers' card."""

    permalink: str | None
    """Where it was asked; None if the platform tells none."""
    name: str | None
    """Who asked; None if the platform tells none."""


class Askers(Protocol):
    """Looks up what officers may read of a question, besides its words."""

    async def details(self, found: PostedAnswer, /) -> AskerDetails:
        """Return what the platform tells in time."""
        ...


class EscalationActions:
    """What askers do: they send a question to Compliance, and say whether the answer is enough.

    `hears_threads` is True where what is written in a thread reaches us without a mention;
    `contacts` are named to whoever reports what nobody in Compliance may be told.
    """

    def __init__(
        self,
        access: ReplyAccess,
        desk: CaseService,
        askers: Askers,
        *,
        hears_threads: bool,
        contacts: SpeakUpContacts,
    ) -> None:
        self._contacts = contacts
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
            # A new code for whoever lost theirs, or never saw it.
            code = await self._desk.new_code(press.target, press.who) if known.is_sensitive else ""
            words = already_sent(known) + CODE.format(code=code) if code else already_sent(known)
            return OpenForm(form=FormNotice(title=TITLES[FormName.ESCALATION], words=words))
        return OpenForm(
            form=escalation_form(
                press.target,
                seen_by=_seen_by(found),
                known=known.number if known else None,
            ),
            without_form=partial(self._open_without_form, press) if known is None else None,
        )

    async def _open_without_form(self, press: Press) -> Say:
        """Open the case at once: it must not depend on a form that the platform does not show.

        Officers see no name then, since the asker could not be told that they would.
        """
        result = await self._desk.open(
            press.target, press.listed, key=press.key, opener=Opener.PIPELINE
        )
        return Say(words=self._sent(result))

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
            without=entered.without,
        )
        told = self._sent(result)
        return FieldError(words=told) if isinstance(result, CaseRefused) else Say(words=told)

    def _sent(self, result: CaseResult) -> Text:
        """Say what came of handing a question over."""
        match result:
            case CaseDone():
                sent = sent_words(result.case) if result.is_new else already_sent(result.case)
                return sent + CODE.format(code=result.code) if result.code else sent
            case CaseRefused(why=Refusal.NOT_ASKER):
                return ONLY_ASKER_SENDS
            case CaseRefused(why=Refusal.NO_CASE):
                return OUTDATED
            case CaseRefused(why=Refusal.NOBODY_LEFT):
                ways = as_it_is("; ".join(self._contacts.ways))
                return NOBODY_LEFT + _WAYS.format(ways=ways) if ways.en else NOBODY_LEFT
            case CaseRefused():
                return NOT_READABLE

    async def accept(self, press: Press) -> Outcome:
        """Close a case whose answer is enough."""
        result = await self._desk.accept(press.target, press.who, key=press.key)
        return Say(words=_settled(result, ACCEPTED))

    async def ask_again(self, press: Press) -> Outcome:
        """Return a case to its officer."""
        result = await self._desk.ask_again(press.target, press.who, key=press.key)
        is_heard = self._hears_threads and press.room is not None
        return Say(words=_settled(result, AGAIN + WRITE_HERE if is_heard else AGAIN))

    async def _sendable(self, press: Press) -> PostedAnswer | Say:
        """Return the reply to its asker and to officers; one to a report to its asker alone."""
        found = await self._access.find(press)
        if found is None or press.is_outside:
            return Say(words=NOT_READABLE)
        may_help = not is_report(found) and self._desk.is_officer(press.listed)
        if found.person != press.who.person and not may_help:
            return Say(words=ONLY_ASKER_SENDS)
        return Say(words=OUTDATED) if found.is_removed else found


def _account(found: PostedAnswer, press: Press) -> Account:
    """Return who hands the question over: its asker as such, whether or not an officer, too."""
    return press.who if found.person == press.who.person else press.listed


def _seen_by(found: PostedAnswer) -> SeenBy:
    if is_report(found):
        return SeenBy.ASKER_UNNAMED
    is_alone = found.is_whispered or found.place.mode == "direct"
    return SeenBy.ASKER if is_alone else SeenBy.THREAD


def _settled(result: CaseResult, words: Text) -> Text:
    """Say what came of a press under an officer's answer; `words` are those of success."""
    if isinstance(result, CaseDone):
        return words.format(number=result.case.number)
    if result.why is Refusal.NOT_ASKER:
        return ONLY_ASKER
    return NOT_READABLE if result.case is None else case_stands(result.case)


class OfficerActions:
    """What officers do to cases."""

    def __init__(self, desk: CaseService) -> None:
        self._desk = desk

    async def claim(self, press: Press) -> Outcome:
        """Let an officer have a case."""
        return _end(await self._desk.claim(press.target, press.listed, key=press.key))

    async def mark_wrong(self, press: Press) -> Outcome:
        """Record that the answer which the asker got is wrong."""
        return await self._judge(CaseActionKind.MARK_WRONG, press)

    async def mark_partly(self, press: Press) -> Outcome:
        """Record that it leaves out what matters."""
        return await self._judge(CaseActionKind.MARK_PARTLY, press)

    async def mark_right(self, press: Press) -> Outcome:
        """Record that it is right."""
        return await self._judge(CaseActionKind.MARK_RIGHT, press)

    async def _judge(self, kind: CaseActionKind, press: Press) -> Outcome:
        return _end(await self._desk.judge(kind, press.target, press.listed, key=press.key))

    async def acknowledge(self, press: Press) -> Outcome:
        """Tell the writer of a report that it was received."""
        return _end(await self._desk.acknowledge(press.target, press.listed, key=press.key))

    async def close(self, press: Press) -> Outcome:
        """Close a case."""
        return _end(await self._desk.close(press.target, press.listed, key=press.key))

    async def show(self, press: Press) -> Outcome:
        """Show the card as the case stands, to an officer who looks at it."""
        found = await self._desk.show(press.target, press.listed)
        return Say(words=_refused(found)) if isinstance(found, CaseRefused) else Redraw(now=found)

    async def begin_answer(self, press: Press) -> Outcome:
        """Open the form for an answer, if this officer may give one."""
        result = await self._desk.begin_answer(press.target, press.listed, key=press.key)
        if isinstance(result, CaseRefused):
            return Say(words=_refused(result))
        case = result.case
        form = case_answer_form(
            case.case_id,
            is_private=case.is_private,
            case=case,
            effects=effects_of(case),
        )
        return OpenForm(form=form)

    async def submit(self, press: Press) -> Outcome:
        """Send an officer's answer."""
        entered, is_private = press.entered, press.entered.is_private
        text = entered.text if entered.is_formed else typed(entered.text)
        confirms = entered.effect in {CONFIRMS, ADDS}
        if entered.effect in NEEDS_TEXT and not text.strip():
            return FieldError(words=WRITE_ANSWER, field=ANSWER)
        try:
            result = await self._desk.answer(
                press.target,
                press.listed,
                key=press.key,
                text=text,
                is_private=is_private,
                confirms=confirms,
                is_feedback=entered.effect != TELLS,
            )
        except UsageError as error:
            return FieldError(words=as_it_is(str(error)), field=ANSWER)
        if isinstance(result, CaseRefused):
            return FieldError(words=_refused(result))
        is_direct = result.case.is_private or is_private
        where = TO_THEM_ALONE if is_direct else TO_THEIR_THREAD
        return Say(words=POSTED.format(number=result.case.number, where=where))


def _end(result: CaseResult) -> Outcome:
    return (
        Say(words=_refused(result)) if isinstance(result, CaseRefused) else Redraw(now=result.case)
    )


def _refused(result: CaseRefused) -> Text:
    """Say why nothing came of an officer's press."""
    match result.why:
        case Refusal.NOT_OFFICER:
            return OFFICERS_ONLY
        case Refusal.NOTHING_TO_MARK:
            return NOTHING_TO_MARK
        case Refusal.OWN_QUESTION:
            return OWN_QUESTION
        case Refusal.NO_FEEDBACK:
            return NO_FEEDBACK
        case Refusal.OTHER_UNIT:
            return OTHER_UNIT
        case _:
            return NO_CASE if result.case is None else case_stands(result.case)
