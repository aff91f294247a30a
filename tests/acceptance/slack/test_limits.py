"""Over a limit: one line that says so, and the answer when its turn comes."""

import asyncio
import re

from aiohttp import ClientSession
from sqlalchemy import text

from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message
from tests.slack_product import Product, product
from tests.turns import let_turns_come

QUESTIONS = (
    "What is the limit for gifts that employees accept from business partners?",
    "Who approves gifts above the limit?",
    "When must a conflict of interest be disclosed?",
)


async def told(served: Product, slack: FakeSlack, question: Message, *, times: int) -> list[str]:
    """Wait for so many replies to a question, and return them."""
    await slack.until(lambda: len(slack.checks.replies(question)) == times, timeout_s=15)
    return [one.text for one in slack.checks.replies(question)]


async def test_too_many_questions_wait_for_their_turn(
    slack: FakeSlack, slack_database: str
) -> None:
    """The third of one person that is taken is kept; another person is answered meanwhile."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    async with product(slack, slack_database, questions_per_asker=2) as served:
        said = [await slack.people.mention(anna, room, one) for one in QUESTIONS]
        asked = [one.message for one in said]
        other = await slack.people.mention(ben, room, QUESTIONS[2])
        (answer,) = await told(served, slack, other.message, times=1)
        assert "has to wait" not in answer
        first = [(one, (await told(served, slack, one, times=1))[0]) for one in asked]
        ((kept, busy),) = ((one, line) for one, line in first if "has to wait" in line)
        assert "That was several questions in a short time" in busy
        assert await served.rows("SELECT state, attempt FROM citebound.inbox WHERE is_told") == [
            {"state": "received", "attempt": 0}
        ]
        slack.checks.status_cleared()
        await let_turns_come(served.engine)
        _, answer = await told(served, slack, kept, times=2)
        assert "has to wait" not in answer
        await served.quiet()
        slack.checks.nothing_twice()
        slack.checks.nothing_outside(*asked, other.message)
        slack.checks.status_cleared()


async def test_over_what_may_wait_a_question_is_not_taken(
    slack: FakeSlack, slack_database: str
) -> None:
    """Its asker is told when to ask again, in their own time zone; a report is answered at once."""
    anna = slack.workspace.user("anna")
    async with product(slack, slack_database, questions_per_asker=1, waiting_per_asker=1) as served:
        await slack.people.ask(anna, QUESTIONS[0])
        await served.quiet()
        await slack.people.ask(anna, QUESTIONS[1])
        refused = await slack.people.ask(anna, QUESTIONS[2])
        (line,) = await told(served, slack, refused.message, times=1)
        assert re.search(r"you can ask again at <!date\^\d+\^\{time\}\|\d\d:\d\d UTC>\.", line)
        again = await slack.people.ask(anna, QUESTIONS[2])
        report = await slack.people.ask(anna, "My manager takes cash from hauliers.")
        posted = (
            "SELECT 1 FROM citebound.outbox o JOIN citebound.inbox i"
            " ON o.cause = 'message:' || i.id WHERE i.outcome = 'escalated' AND o.state = 'posted'"
        )
        async with asyncio.timeout(60):
            while not await served.rows(posted):  # noqa: ASYNC110  # the database says so
                await asyncio.sleep(0.05)
        assert len(slack.checks.replies(report.message)) == 1
        assert slack.checks.replies(again.message) == []
        slack.checks.status_cleared()
        slack.checks.nothing_twice()


async def test_the_buttons_of_an_answer_that_waited_work(
    slack: FakeSlack, slack_database: str
) -> None:
    """They are found by the answer, not by the line before it."""
    anna = slack.workspace.user("anna")
    async with product(slack, slack_database, questions_per_asker=1) as served:
        first = await slack.people.ask(anna, QUESTIONS[1])
        await told(served, slack, first.message, times=1)
        second = await slack.people.ask(anna, QUESTIONS[0])
        await told(served, slack, second.message, times=1)
        await let_turns_come(served.engine)
        await told(served, slack, second.message, times=2)
        await served.quiet()
        answer = slack.checks.replies(second.message)[1]
        await slack.presses.click(anna, answer, "evidence_open")
        await slack.until(lambda: bool(slack.presses.views_of(anna)), timeout_s=15)
        async with served.engine.connect() as connection:
            told_of = await connection.scalar(
                text("SELECT count(*) FROM citebound.outbox WHERE cause LIKE 'wait:%'")
            )
        assert told_of == 1


async def test_what_slack_leaves_out_is_counted(slack: FakeSlack, slack_database: str) -> None:
    """Above 30,000 events in an hour Slack says so, and is not asked to say it again."""
    async with product(slack, slack_database) as served:
        told = await slack.sender.deliver(slack.events.rate_limited())
        assert [one.status for one in told.attempts] == [200]
        async with (
            ClientSession() as session,
            session.get(f"{served.operations_url}/metrics") as metrics,
        ):
            assert 'citebound_unheard_minutes{platform="slack"} 1' in await metrics.text()
