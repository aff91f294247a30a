"""What a press comes to, whichever platform it is from: who may, and what is shown."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.actions.answers import ClarificationActions, ReplyAccess
from bot.actions.cases import AskerDetails, EscalationActions, OfficerActions
from bot.actions.feedback import FeedbackActions
from bot.actions.press import (
    FieldError,
    OpenForm,
    Outcome,
    Press,
    Redraw,
    Say,
)
from bot.forms.forms import Entered, SeenBy, escalation_form, report_form
from bot.forms.reasons import REASONS
from bot.replies.notices import (
    EXPIRED,
    NOT_READABLE,
    ONLY_ASKER,
    ONLY_ASKER_SENDS,
    OUTDATED,
    THANKS_UP,
)
from core.cases.feedback import FeedbackService
from core.cases.service import CaseService
from core.domain.answer import Answer
from core.domain.answer import Outcome as Kind
from core.domain.case import Opener
from core.domain.conversation import Place
from core.domain.delivery import Clarified, NoReaders, Readers, StoredReply
from core.domain.errors import ContractError
from core.domain.feedback import Feedback, FeedbackKept, Reason
from core.domain.message import Accepted
from core.domain.officers import Account, Officer, Officers, SpeakUpContacts
from core.language.interface.texts import SPOKEN, Text
from core.ports.posted_answers import PostedAnswer
from tests.fakes import CountingIds, FixedClock
from tests.unit.cases.world import ASKER as ANNA
from tests.unit.cases.world import InMemoryCases
from tests.unit.slack import payloads

BEN, OLGA = (Account(platform="p", tenant="T", person=one) for one in ("ben", "olga"))
PLACE = Place(platform="p", tenant="T", channel="C1", thread="1", mode="thread")
ANSWERED = Answer(outcome=Kind.ANSWERED, text="Up to 50 EUR.", confidence=payloads.CALIBRATED)
BACK = replace(ANSWERED, outcome=Kind.CLARIFICATION, text="Where?", options=("US", "UK"))
REPORT = replace(ANSWERED, outcome=Kind.ESCALATED)
OFFICERS = Officers(all=(Officer(login="olga", name="Olga", accounts=(OLGA,)),))


def shown(answer: Answer) -> PostedAnswer:
    """Return a reply to Anna, in a channel."""
    reply = StoredReply(
        answer=answer, notice=None, question_id="q", answer_id="a1", record_id="r", leaf_hash="h"
    )
    return PostedAnswer(reply=reply, place=PLACE, person="una", question="?", is_followed=False)


def pressed(who: Account = ANNA, **more: Any) -> Press:
    """Return a press in that channel."""
    given: dict[str, Any] = {"room": "C1", "target": "a1", "key": "k1", "is_outside": False}
    return Press(who=who, listed=who, **(given | more))


class World:
    """One stored reply; everybody but Zoe is in its channel. Keeps what is stored."""

    def __init__(self, reply: PostedAnswer) -> None:
        self.reply = reply
        self.kept: list[Any] = []
        self.cases = InMemoryCases(reply.reply.answer or ANSWERED)

    async def find(self, _: str, /, **__: str) -> PostedAnswer | None:
        return self.reply

    async def audiences(self, _: Any, /) -> dict[Any, Any]:
        return {}

    async def readers(self, *_: Any, is_direct: bool) -> Readers | NoReaders:
        return Readers(groups=frozenset(), is_private=is_direct)

    async def granted(self, place: Place, person: str, /) -> frozenset[str] | None:
        return None if person == "zoe" or place.channel != "C1" else frozenset()

    async def give(self, feedback: Feedback) -> FeedbackKept:
        self.kept.append(feedback)
        return FeedbackKept(is_new=True)

    async def accept(self, message: Any) -> Accepted:
        self.kept.append(message)
        return Accepted(message_id=1, conversation_id="c1")

    async def details(self, found: PostedAnswer, /) -> AskerDetails:
        return AskerDetails(permalink=None, name=f"The name of {found.person}")

    @property
    def access(self) -> ReplyAccess:
        return ReplyAccess(cast("Any", self), cast("Any", self))

    @property
    def desk(self) -> CaseService:
        return CaseService(self.cases, officers=OFFICERS, clock=FixedClock(), ids=CountingIds())

    @property
    def feedback(self) -> FeedbackActions:
        return FeedbackActions(self.access, FeedbackService(cast("Any", self), cases=self.desk))

    @property
    def escalation(self) -> EscalationActions:
        return EscalationActions(
            self.access,
            self.desk,
            cast("Any", self),
            hears_threads=True,
            contacts=SpeakUpContacts(),
        )

    async def chosen(self, press: Press) -> Outcome:
        """Press an option."""
        actions = ClarificationActions(self.access, cast("Any", self), FixedClock())
        return await actions.choose(press, cast("Any", SimpleNamespace))


@pytest.mark.parametrize(
    ("press", "settled", "told"),
    [
        (pressed(), {}, THANKS_UP),
        (pressed(BEN), {}, THANKS_UP),
        (pressed(BEN, room=None), {}, THANKS_UP),
        (pressed(BEN, room="C2"), {}, NOT_READABLE),
        (pressed(BEN, room="C2"), {"shared_in": frozenset({"C2"})}, THANKS_UP),
        (pressed(BEN, is_outside=True), {}, NOT_READABLE),
        (pressed(replace(BEN, person="zoe"), room=None), {}, NOT_READABLE),
        (pressed(), {"is_removed": True}, OUTDATED),
        (pressed(), {"is_superseded": True}, OUTDATED),
    ],
)
async def test_a_thumb_is_of_who_may_read_where_it_stands(
    press: Press, settled: dict[str, Any], told: Text
) -> None:
    """Not of who left, nor of who presses it elsewhere, nor about what does not hold any more."""
    world = World(replace(shown(ANSWERED), **settled))
    assert await world.feedback.rate(replace(press, choice="up")) == Say(words=told)
    assert bool(world.kept) is (told == THANKS_UP)


async def test_a_thumb_that_points_down_is_asked_why() -> None:
    """It is kept first, so that nothing is lost of who closes the form."""
    world = World(shown(ANSWERED))
    outcome = await world.feedback.rate(pressed(choice="down"))
    assert isinstance(outcome, OpenForm)
    assert (outcome.form, len(world.kept)) == (report_form("a1"), 1)
    with pytest.raises(ContractError):
        await world.feedback.rate(pressed(choice="sideways"))


async def test_a_report_needs_a_reason() -> None:
    """One of ours, whatever a client sends."""
    world = World(shown(ANSWERED))
    outcome = await world.feedback.submit(pressed(entered=Entered(reason="forged", text="x")))
    assert (isinstance(outcome, FieldError) and outcome.field, world.kept) == ("why", [])
    assert isinstance(await world.feedback.submit(pressed(entered=Entered(reason="stale"))), Say)


async def test_something_else_has_to_be_described() -> None:
    """Of a report that names no reason nobody could tell what is wrong."""
    world = World(shown(ANSWERED))
    for text in ("", " \n"):
        outcome = await world.feedback.submit(pressed(entered=Entered(reason="other", text=text)))
        assert (isinstance(outcome, FieldError) and outcome.field, world.kept) == ("txt", [])
    told = pressed(entered=Entered(reason="other", text="The link asks me to sign in."))
    assert isinstance(await world.feedback.submit(told), Say)


def test_each_reason_is_one_that_is_kept() -> None:
    """Few enough to be read, and with room on Slack; older reports keep theirs."""
    assert len(REASONS) <= 7
    assert {value for value, _ in REASONS} == set(Reason) - {Reason.CITATION}
    assert all(len(words.of(language)) <= 75 for _, words in REASONS for language in SPOKEN)


@pytest.mark.parametrize(
    ("press", "more", "told"),
    [
        (pressed(choice="0", is_outside=True), {}, NOT_READABLE),
        (pressed(choice="0", room="C2"), {}, NOT_READABLE),
        (pressed(choice="0"), {"is_followed": True}, OUTDATED),
        (pressed(choice="0"), {"is_expired": True}, EXPIRED),
        (pressed(choice="2"), {}, OUTDATED),
        (pressed(choice="²"), {}, OUTDATED),
        (pressed(choice="\u0660"), {}, OUTDATED),
        (pressed(choice="-1"), {}, OUTDATED),
    ],
)
async def test_an_option_is_for_its_asker_and_once(
    press: Press, more: dict[str, Any], told: Text
) -> None:
    """And one of those that were stored."""
    world = World(replace(shown(BACK), **more))
    assert (await world.chosen(press), world.kept) == (Say(words=told), [])


@pytest.mark.parametrize(
    ("choice", "text", "option"), [("1", "UK", "UK"), ("all", "all", "all cases")]
)
async def test_an_option_is_kept_as_if_it_were_written(choice: str, text: str, option: str) -> None:
    """In the words of the table; its buttons go."""
    world = World(shown(BACK))
    outcome = await world.chosen(pressed(choice=choice))
    assert outcome == Redraw(now=Clarified(asked=BACK, chosen=option))
    kept = [(one.text, one.message_key, one.answers) for one in world.kept]
    assert kept == [(text, "p:T:clarify:a1", "a1")]


async def test_others_hear_whose_question_it_is() -> None:
    """And nothing is kept of what they pressed."""
    world = World(shown(BACK))
    outcome = await world.chosen(pressed(BEN, choice="0"))
    assert (outcome, world.kept) == (Say(words=ONLY_ASKER, whose="una"), [])


@pytest.mark.parametrize("answer", [ANSWERED, REPORT], ids=["answer", "report"])
async def test_a_question_is_handed_over_by_its_asker(answer: Answer) -> None:
    """Or by an officer, unless it is a report; what the form promises fits who reads the reply."""
    world, is_report = World(shown(answer)), answer is REPORT
    refused = Say(words=ONLY_ASKER_SENDS)
    assert await world.escalation.open(pressed(BEN)) == refused
    assert await world.escalation.submit(pressed(BEN)) == FieldError(words=refused.words)
    assert (await world.escalation.open(pressed(OLGA)) == refused) is is_report
    seen_by = SeenBy.ASKER_UNNAMED if is_report else SeenBy.THREAD
    form = escalation_form("a1", seen_by=seen_by)
    assert await world.escalation.open(pressed()) == OpenForm(form=form)
    assert world.cases.rows.cases == {}


async def test_a_question_is_handed_over_where_no_form_is_shown() -> None:
    """Without a name, since nobody was told that officers see it; and once."""
    world = World(shown(ANSWERED))
    outcome = await world.escalation.open(pressed())
    assert isinstance(outcome, OpenForm)
    assert outcome.without_form is not None
    await outcome.without_form()
    assert (world.cases.case.opener, world.cases.case.is_named) == (Opener.PIPELINE, False)
    known = await world.escalation.open(pressed())
    assert isinstance(known, OpenForm)
    assert known.without_form is None


@pytest.mark.parametrize(
    ("answer", "is_whispered", "is_private"),
    [(ANSWERED, False, False), (ANSWERED, True, True), (REPORT, False, True)],
)
async def test_a_reply_goes_where_the_question_was_seen(
    answer: Answer, is_whispered: bool, is_private: bool
) -> None:
    """To the asker alone if nobody else saw it, or if it was a report; the asker is named."""
    world = World(replace(shown(answer), is_whispered=is_whispered))
    await world.escalation.submit(pressed(entered=Entered(urgency="never")))
    case = world.cases.case
    assert (case.is_private, case.urgency.value) == (is_private, "week")
    assert (case.account, case.asker_name) == (ANNA, "The name of una")


@pytest.mark.parametrize(
    ("effect", "text", "is_sent"),
    [
        ("confirms", "", True),
        ("adds", " ", False),
        ("adds", "And ask.", True),
        ("replaces", "", False),
    ],
)
async def test_an_officer_confirms_without_a_word(effect: str, text: str, is_sent: bool) -> None:
    """Whoever adds or replaces something has to write it; what is confirmed stays as it is."""
    world = World(shown(ANSWERED))
    await world.escalation.submit(pressed())
    sent = replace(pressed(OLGA), target=world.cases.case.case_id)
    sent = replace(sent, entered=Entered(text=text, effect=effect))
    outcome = await OfficerActions(world.desk).submit(sent)
    assert isinstance(outcome, Say) is is_sent


async def test_an_officers_empty_answer_is_a_wrong_field() -> None:
    """Nothing is sent, and the form stays."""
    outcome = await OfficerActions(World(shown(ANSWERED)).desk).submit(pressed(OLGA))
    assert isinstance(outcome, FieldError)
    assert outcome.field == "answer"
