"""What people write to each other in a thread of ours is not answered; what they ask us is."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from bot.intake import Overheard, heard, is_meant_for_us
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import parse as parse_slack
from bot.teams.inbound.parse import parse as parse_teams
from core.agent.conversation.speech import asks, is_aside, is_statement, speaks_to_others
from core.domain.conversation import Place
from core.domain.message import OVERHEARD, Ignored, InboundMessage, MessageKind, Speakers
from core.domain.officers import Officers
from core.domain.question import Assumption, Question, Scope, Turn
from tests.evals.bench_threads import MENTION, MISSED_AT_MOST, Labelled, figures, labelled
from tests.evals.bench_threads import speakers as speakers_before
from tests.unit.teams import activities
from tests.unit.teams.activities import ANNA, REPLY, mention

ANN, BEN, US = "U0ANN", "U0BEN", "U0BOT"
HOME = SlackIdentity(teams=frozenset({"T0HOME"}), app_id="A0CITEBOUND", bot_user=US)
AT = datetime(2026, 11, 20, tzinfo=UTC)
BOTH = pytest.mark.parametrize("platform", ["slack", "teams"])


@dataclass
class Known:
    """A conversation store in which each thread is ours."""

    said: Speakers
    is_ours: bool = True

    async def find(self, _: Place, /) -> str | None:
        return "c" if self.is_ours else None

    async def speakers(self, _: str, /) -> Speakers:
        return self.said

    async def history(self, _: str, /) -> tuple[Turn, ...]:
        return ()


def in_slack(one: Labelled) -> Overheard:
    """Return a message of a thread, as Slack sends it."""
    event = {
        "type": "message",
        "channel": "C0ROOM",
        "channel_type": "channel",
        "user": ANN if one.by == "asker" else BEN,
        "text": MENTION.sub("<@U0OTHER>", one.text),
        "ts": "1700.2",
        "thread_ts": "1700.1",
    }
    body = {
        "type": "event_callback",
        "event_id": "Ev1",
        "team_id": "T0HOME",
        "api_app_id": "A0CITEBOUND",
        "event": event,
    }
    found = parse_slack(body, HOME)
    assert isinstance(found, Overheard)
    return found


def in_teams(one: Labelled) -> Overheard:
    """Return the same, as Teams sends it."""
    named = [mention("29:1other", found["name"]) for found in MENTION.finditer(one.text)]
    activity = activities.message(
        MENTION.sub(r"<at>\g<name></at>", one.text), scope="channel", id=REPLY, entities=named
    )
    activity["from"] = {**activity["from"], "id": ANNA if one.by == "asker" else "29:1ben"}
    found = parse_teams(activity, activities.HOME)
    assert isinstance(found, Overheard)
    return found


PLATFORMS = {"slack": (in_slack, ANN), "teams": (in_teams, ANNA)}


async def kept(one: Labelled, platform: str, **more: bool) -> InboundMessage | Ignored | None:
    """Return what is kept of a message."""
    read, asker = PLATFORMS[platform]
    known = Known(said=replace(speakers_before(one, asker=asker), **more))
    return await heard(read(one), conversations=known, officers=Officers())


@BOTH
async def test_none_of_the_labelled_messages_is_answered_unasked(platform: str) -> None:
    """Nor is more than one of twenty follow-ups missed."""
    messages = labelled()
    found = figures(messages, [await kept(one, platform) is not None for one in messages])
    assert found.others >= 60
    assert found.follow_ups >= 60
    assert found.unasked == ()
    assert len(found.missed) * MISSED_AT_MOST <= found.follow_ups, found.missed


@BOTH
async def test_a_follow_up_of_somebody_else_is_not_answered(platform: str) -> None:
    """A colleague's question is for whoever asked, until it names us."""
    follow_up = Labelled(text="and for contractors?", answer=True, set=0)
    assert await kept(follow_up, platform) is not None
    assert await kept(replace(follow_up, by="colleague"), platform) is None


@BOTH
async def test_the_same_words_to_a_colleague_are_not_answered(platform: str) -> None:
    """Whom a message mentions, it is for."""
    asked = Labelled(text="who approves that?", answer=True, set=0)
    assert await kept(asked, platform) is not None
    assert await kept(replace(asked, text="{@Ben} who approves that?"), platform) is None


@BOTH
async def test_a_follow_up_says_that_it_does_not_name_us(platform: str) -> None:
    """So that no case is opened from it by itself."""
    found = await kept(Labelled(text="why?", answer=True, set=0), platform)
    assert isinstance(found, InboundMessage)
    assert found.raw[OVERHEARD] is True


@BOTH
async def test_a_question_of_ours_is_answered_in_any_words(platform: str) -> None:
    """By the person that it was put to, if it is open."""
    said = Labelled(text="germany", answer=True, asked_back=True, set=0)
    assert await kept(said, platform) is not None
    assert await kept(replace(said, asked_back=False), platform) is None
    assert await kept(replace(said, by="colleague"), platform) is None


@BOTH
async def test_after_an_officer_spoke_only_what_was_meant_for_us_is_recorded(platform: str) -> None:
    """Small talk leaves no trace; a question leaves its reason, and no word."""
    asked = Labelled(text="and for contractors?", answer=True, set=0)
    found = await kept(asked, platform, is_taken_over=True)
    assert isinstance(found, Ignored)
    talk = replace(asked, text="ok cool, good to know")
    assert await kept(talk, platform, is_taken_over=True) is None


async def test_a_thread_that_is_not_ours_is_not_read() -> None:
    """Nothing of it is kept."""
    one = Labelled(text="why?", answer=True, set=0)
    known = Known(said=speakers_before(one, asker=ANN), is_ours=False)
    assert await heard(in_slack(one), conversations=known, officers=Officers()) is None


def test_an_aside_answers_no_question_of_ours() -> None:
    """A delay, thanks, an emoji."""
    for text in ("one sec", "thanks!", "let me check", ":+1:", "👍", "ok", "brb", ""):
        assert is_aside(text), text
    for text in ("germany", "the second one", "a bottle of wine"):
        assert not is_aside(text), text


def question(text: str, *assumptions: Assumption) -> Question:
    """Return a question in a direct message."""
    return Question(
        question_id="q",
        conversation_id="c",
        place=Place(thread="t", mode="direct"),
        asker="a",
        text=text,
        standalone=text,
        scope=Scope(as_of=AT.date()),
        asked_at=AT,
        assumptions=assumptions,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes, will do after lunch", True),
        ("I sent it to Bob", True),
        ("thanks, will do", True),
        ("May I keep it?", False),
        ("gift limit", False),
        ("I'd like to know who approves it", False),
        ("i lost my laptop what now", False),
        ("a supplier left a watch on my desk, is that ok", False),
        ("I clicked on a strange link who do i tell", False),
        ("is laundry reimbursed on a two week trip", False),
        ("write me a script that renames files", False),
        ("a visitor left some papers here, can i make a copy of them", False),
    ],
)
def test_a_statement_asks_nothing(text: str, expected: bool) -> None:
    """A subject alone asks for what is said of it."""
    assert is_statement(question(text)) is expected


def test_the_answer_to_our_question_is_no_mere_statement() -> None:
    """It goes on with what was asked."""
    said = Assumption(slot="employment", value="contractor", source="asker")
    assert not is_statement(question("I am a contractor", said))


@pytest.mark.parametrize(
    "unit",
    ["ok ", "a", "a?", "hey ben, ", "@", "and for ", ", Ben", "you ", ":a", "(?", "what a ", " \n"],
)
def test_the_time_is_linear_in_the_message(unit: str) -> None:
    """Hostile messages of 8,000 characters take no longer than a few milliseconds."""
    text = (unit * 8_000)[:8_000]
    began_s = time.process_time()
    assert isinstance(asks(text) or speaks_to_others(text) or is_aside(text), bool)
    assert isinstance(is_statement(question(text)), bool)
    assert time.process_time() - began_s < 0.2


def test_only_messages_are_weighed() -> None:
    """What was changed or taken back concerns what we kept."""
    message = in_slack(Labelled(text="ok", answer=False, set=0)).message
    assert isinstance(message, InboundMessage)
    assert message.kind is MessageKind.MESSAGE
    said = speakers_before(Labelled(text="", answer=False, set=0), asker=ANN)
    assert not is_meant_for_us(message, said, names_others=False)
