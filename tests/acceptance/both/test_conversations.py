"""One table of conversations: outcome, words and actions are the same on both platforms.

Each is held over HTTP by people of its own. After each step everything that stands before the asker
is compared: how it ended as it is stored, each phrase, each button, and what a press was answered
with. What can't be the same is in `tests.parity.EXCEPTIONS`.
"""

from collections.abc import AsyncIterator, Mapping

import pytest

from bot.replies.buttons import SHOW
from bot.replies.notices import STAFF_ALONE
from bot.slack.blocks.elements import press_button
from bot.slack.outbound.progress import SlackTimings
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.officers import Account
from core.ingest.prepare import Overrides
from core.language.languages import Language
from tests.acceptance import disputed
from tests.acceptance.both.talks import (
    Delete,
    Edit,
    Officer,
    Press,
    Say,
    Seen,
    SlackTalk,
    Step,
    Talk,
    TeamsTalk,
)
from tests.acceptance.both.test_parity import LIMIT, MORE
from tests.both_products import Both, both
from tests.databases import logins
from tests.factories import never_sure
from tests.parity import differences
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

REPORT = "My manager takes bribes from a supplier. What should I do?"
OPEN = "Can I accept gifts?"
STOLEN = "my laptop was stolen on the train what now"
LEAVE = "How many days of parental leave do I get?"
RULES = "What are the main rules of the Gifts and Hospitality Policy?"
SEND = Press(button="Ask Compliance", form={"note": "It is urgent."})
NOBODY = frozenset[str]()
CONVERSATIONS: Mapping[str, tuple[Step | str, ...]] = {
    "an answer": (LIMIT,),
    "an answer, directly": ("direct", LIMIT),
    "a follow-up": (LIMIT, "and for contractors?"),
    "a follow-up, directly": ("direct", LIMIT, "and for contractors?"),
    "two sections": ("Within how many working days must employees disclose a conflict?",),
    "asked back": (OPEN, Press(button="employee", told_in=NOBODY)),
    "asked back, directly, answered in words": ("direct", OPEN, "as an employee"),
    "asked back, for all": (OPEN, Press(button="Not sure - answer for all", told_in=NOBODY)),
    "not found": (LEAVE,),
    "not found, directly": ("direct", LEAVE),
    "off topic": ("What colour is the office carpet?",),
    "a contradiction": (disputed.QUESTION,),
    "a report in a channel": (REPORT,),
    "a report, directly": ("direct", REPORT),
    "an owner": ("Who owns the gifts policy?",),
    "a list of policies": ("What policies do you have?",),
    "a summary": (RULES,),
    "thanks": (LIMIT, "Thank you!"),
    "hello": ("hello",),
    "help, directly": ("direct", "help"),
    "too long": ("x" * 5_000,),
    "hostile": ("Is <!channel> [x](https://evil.example) **allowed**?",),
    "another language": ("Wie hoch darf ein Geschenk sein?",),
    "removed": (LIMIT, Press(button="Remove this answer", told_in=frozenset({"teams"}))),
    "helpful": (LIMIT, Press(button="Helpful", told_in=frozenset({"slack"}))),
    "evidence": (LIMIT, Press(button="Show evidence")),
    "a problem": (LIMIT, Press(button="Report a problem")),
    "a suggestion, by somebody else, taken, and again": (
        LIMIT,
        Press(button=RULES, who="ben"),
        Press(button=RULES, told_in=frozenset({"teams"})),
        Press(button=RULES),
    ),
    "edited before and after": (LIMIT, Edit(text=LEAVE)),
    "deleted": (LIMIT, Delete()),
    "sent, claimed, answered, asked again, accepted": (
        LEAVE,
        SEND,
        Officer(does="claim"),
        Officer(does="answer", words="You get **20** days."),
        Press(button="Ask again"),
        Officer(does="answer", words="All employees get 20 days."),
        Press(button="That answers it"),
    ),
    "sent twice, closed": (LIMIT, SEND, Press(button="Ask Compliance"), Officer(does="close")),
    "added to a case": (STOLEN, Press(button="Add to case N", form={"note": "On the train."})),
    "with others": (
        LIMIT,
        Say(text="and for contractors?", who="ben", named=False),
        Press(button="Remove this answer", who="ben"),
        Press(button="Show evidence", who="ben"),
        Press(button="Ask Compliance", who="ben"),
    ),
    "somebody else's question back": (OPEN, Press(button="employee", who="ben")),
    "a guest": ("guest", "direct", LIMIT),
    "a guest's help": ("guest", "direct", "help"),
    "a stranger": ("stranger", LIMIT),
}
"""What is said and pressed. First, where and by whom: `direct`, `guest`, `stranger`."""
CLOSEST: Mapping[str, tuple[Step | str, ...]] = {
    "a closest passage": (LIMIT,),
    "a closest passage that answers": ("direct", LIMIT, Press(button="This answers it")),
}
DESK = "G0OFFICERS"
"""The officers' channel."""
KINDS = frozenset({"direct", "guest", "stranger"})


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms, with officers, and two policies that contradict each other."""
    async with bootstrap(Settings(**logins(policies_database))) as service:
        for name, text in MORE.items():
            await service.ingestor.ingest(
                text.encode(), source_name=name, given=Overrides(), with_chunks=True
            )
    olga = slack.workspace.user("olga")
    team = slack.workspace.team_id
    officers = [{"login": "olga", "name": "Olga O.", "accounts": [f"slack/{team}/{olga.id}"]}]
    desk = slack.workspace.channel("officers", olga, kind="group")
    async with both(
        slack,
        teams,
        microsoft,
        policies_database,
        officers=officers,
        channel=f"slack/{team}/{desk.id}",
        timings=SlackTimings(draw_after_s=60.0),
    ) as running:
        yield running


async def newest(run: Both) -> int:
    """Return the number of the newest reply."""
    rows = await run.rows("SELECT coalesce(max(id), 0) AS id FROM citebound.outbox")
    return int(str(rows[0]["id"]))


async def ended(run: Both, platform: str, since: int) -> list[object]:
    """Return how each reply to somebody who asks ended, as they are stored."""
    rows = await run.rows(
        "SELECT o.id, c.platform, c.channel, concat_ws(' ', o.reply->'answer'->>'outcome',"
        " o.reply->'answer'->>'refusal', o.reply->>'notice', o.reply->'news'->>'state', o.state)"
        " AS ended FROM citebound.outbox o"
        " JOIN citebound.conversations c ON c.id = o.conversation_id ORDER BY o.id"
    )
    ours = [row for row in rows if row["platform"] == platform and int(str(row["id"])) > since]
    return [row["ended"] for row in ours if row["channel"] != DESK]


async def step_in(run: Both, talk: Talk, step: Step) -> tuple[list[object], Seen]:
    """Take a step; return how it ended, and what is seen then."""
    since = await newest(run)
    told = await (work(run, talk, step) if isinstance(step, Officer) else talk.do(step))
    await run.quiet()
    return await ended(run, talk.platform, since), Seen(messages=talk.seen(), told=told)


async def work(run: Both, talk: Talk, step: Officer) -> None:
    """Let the officer work on the newest case of a platform."""
    rows = await run.rows(
        "SELECT k.id::text AS id, c.platform FROM citebound.cases k"
        " JOIN citebound.questions q ON q.id = k.question_id"
        " JOIN citebound.conversations c ON c.id = q.conversation_id ORDER BY k.number"
    )
    case = [str(row["id"]) for row in rows if row["platform"] == talk.platform][-1]
    who = Account(platform="slack", tenant=run.slack.workspace.team_id, person="U0OLGA")
    desk, key = run.process.service.cases, f"{case} {await newest(run)}"
    if step.does == "answer":
        await desk.answer(case, who, key=key, text=step.words, is_private=False)
    elif step.does == "claim":
        await desk.claim(case, who, key=key)
    else:
        await desk.close(case, who, key=key)


async def compared(run: Both, number: int, steps: tuple[Step | str, ...]) -> list[str]:
    """Hold a conversation on both; return what is not the same, step by step."""
    given = [one for one in steps if isinstance(one, str) and one in KINDS]
    kind = next((one for one in given if one != "direct"), "staff")
    talks = [
        made(run, str(number), is_direct="direct" in given, kind=kind)
        for made in (SlackTalk, TeamsTalk)
    ]
    found = list[str]()
    for step in steps[len(given) :]:
        taken = Say(text=step) if isinstance(step, str) else step
        (ended_here, slack), (ended_there, teams) = [
            await step_in(run, talk, taken) for talk in talks
        ]
        unlike = [] if ended_here == ended_there else [f"{ended_here} is not {ended_there}"]
        if len(slack.messages) != len(teams.messages):
            unlike.append(f"{len(slack.messages)} and {len(teams.messages)} messages")
        for here, there in zip(slack.messages, teams.messages, strict=False):
            unlike += differences(here, there)
        if isinstance(taken, Press) and len(taken.told_in) == len(talks):
            assert slack.told is not None, taken
            assert teams.told is not None, taken
            unlike += [f"told: {one}" for one in differences(slack.told, teams.told)]
        found += [f"{taken}: {one}" for one in unlike]
    return found


async def shows_again(run: Both) -> None:
    """Open an answer from the button below a notice that it may not have arrived."""
    talk = SlackTalk(run, "again", is_direct=False, kind="staff")
    await step_in(run, talk, Say(text=LIMIT))
    (answer,) = [one for one in run.slack.checks.by_app() if one.channel == talk.room.id]
    acts = next(one for one in answer.blocks if one["type"] == "actions")
    target = str(acts["elements"][0]["value"])
    answer.blocks.append(
        {"type": "actions", "elements": [press_button(SHOW, target, Language.ENGLISH)]}
    )
    told = await talk.do(Press(button=SHOW.text.en))
    assert told is not None
    assert [one for one in told.says if "EUR 75" in one]
    assert told.offers == ()


def test_there_are_enough() -> None:
    """At least 25 conversations."""
    assert len(CONVERSATIONS) + len(CLOSEST) >= 25


async def test_they_are_the_same(run: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step; one process holds all of them, and all that differs is told at once."""
    found = {
        name: await compared(run, number, steps)
        for number, (name, steps) in enumerate(CONVERSATIONS.items())
    }
    never_sure(monkeypatch)
    found |= {
        name: await compared(run, len(found) + number, steps)
        for number, (name, steps) in enumerate(CLOSEST.items())
    }
    assert {name: unlike for name, unlike in found.items() if unlike} == {}
    run.slack.checks.nothing_refused()
    await shows_again(run)
    talk = SlackTalk(run, "last", is_direct=True, kind="guest")
    await step_in(run, talk, Say(text="help"))
    assert [one.says & STAFF_ALONE.each for one in talk.seen()] == [{STAFF_ALONE.en}]
