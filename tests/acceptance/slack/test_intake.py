"""What Slack sends is kept once, or sent again; what it did not send is refused."""

import json
import time

import pytest
from aiohttp import ClientSession
from sqlalchemy import text

from bot.app.process import Roles
from bot.replies.answer import UNREAD
from core.config.settings import Settings
from core.domain.errors import ConfigError
from tests.servers.slack import FakeSlack
from tests.slack_product import Product, product

QUESTION = "What is the limit for gifts that employees accept from business partners?"


async def test_the_url_is_verified(slack: FakeSlack, served: Product) -> None:
    """Slack asks for its challenge back, signed like all else."""
    body = json.dumps({"type": "url_verification", "challenge": "abc", "token": "t"}).encode()
    headers = slack.sender.sign(body) | {"Content-Type": "application/json"}
    attempt = await slack.sender.raw(body, headers)
    assert attempt.status == 200
    assert "abc" in attempt.text


async def test_without_a_database_slack_sends_again(slack: FakeSlack, slack_database: str) -> None:
    """Never a false 200; once it is back the retry is answered, once."""
    async with product(slack, slack_database, roles=Roles(works=False)) as served:
        anna = slack.workspace.user("anna")
        lock = "LOCK TABLE citebound.inbox IN ACCESS EXCLUSIVE MODE"
        async with served.engine.connect() as blocked:
            await blocked.execute(text(lock))
            message = slack.people.write(anna, slack.workspace.direct(anna), QUESTION)
            (event,) = slack.people.events_of(message)
            slack.sender.ack_timeout_s = 10.0
            first = await slack.people.deliver(event, retries=0)
            assert first[0].status == 503
            await blocked.rollback()
        again = await slack.sender.deliver(first[0].body)
        assert again.status == 200
        repeated = await slack.sender.deliver(first[0].body)
        assert repeated.status == 200
        assert await served.rows("SELECT text FROM citebound.inbox") == [{"text": QUESTION}]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"not json", 400),
        (b"[1]", 400),
        (b'{"event":' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
        (b"\xff\xfe", 400),
        (b"", 400),
        (b"{}" + b" " * 1024 * 1024, 413),
    ],
)
async def test_what_cannot_be_read_is_refused(
    slack: FakeSlack, served: Product, body: bytes, status: int
) -> None:
    """Signed, it is a 400; unsigned a 401, whatever it holds; too long a 413 either way."""
    kind = {"Content-Type": "application/json"}
    assert (await slack.sender.raw(body, slack.sender.sign(body) | kind)).status == status
    unsigned = await slack.sender.raw(body, kind)
    assert unsigned.status == (413 if status == 413 else 401)
    assert await served.rows("SELECT 1 FROM citebound.inbox") == []


async def test_a_body_just_below_the_limit_is_kept(slack: FakeSlack, served: Product) -> None:
    """One of a mebibyte is answered: it is too long to be a question. One byte more is a 413."""
    anna = slack.workspace.user("anna")
    message = slack.people.write(anna, slack.workspace.direct(anna), "MARK")
    (event,) = slack.people.events_of(message)
    empty = json.dumps(slack.events.envelope(event))
    room = 1024 * 1024 - len(empty)
    kind = {"Content-Type": "application/json"}
    body = empty.replace('"text": "MARK"', f'"text": "{"a" * (room + len("MARK"))}"', 1).encode()
    longer = body.replace(b"aa", b"aaa", 1)
    assert (len(body), len(longer)) == (1024 * 1024, 1024 * 1024 + 1)
    assert (await slack.sender.raw(longer, slack.sender.sign(longer) | kind)).status == 413
    assert await served.rows("SELECT 1 FROM citebound.inbox") == []
    assert (await slack.sender.raw(body, slack.sender.sign(body) | kind)).status == 200
    answer = await served.answer_to(message)
    assert "characters" in answer.text


async def test_only_slack_is_believed(slack: FakeSlack, slack_database: str) -> None:
    """Forged, changed, old and replayed requests; the previous secret holds while it is set."""
    previous = "p" * 32
    async with product(
        slack,
        slack_database,
        roles=Roles(works=False),
        slack_signing_secret_previous=previous,
    ):
        anna = slack.workspace.user("anna")
        message = slack.people.write(anna, slack.workspace.direct(anna), QUESTION)
        (event,) = slack.people.events_of(message)
        body = json.dumps(slack.events.envelope(event)).encode()
        kind = {"Content-Type": "application/json"}

        async def status(headers: dict[str, str], sent: bytes = body) -> int | None:
            return (await slack.sender.raw(sent, headers | kind)).status

        sign = slack.sender.sign
        assert await status(sign(body, secret="q" * 32)) == 401
        assert await status(sign(body), body.replace(b"limit", b"timil")) == 401
        assert await status(sign(body, timestamp=time.time() - 400)) == 401
        assert await status(sign(body) | {"X-Slack-Request-Timestamp": "abc"}) == 401
        assert await status({}) == 401
        assert await status(sign(body)) == 200
        assert await status(sign(body, secret=previous)) == 200


async def test_other_events_are_acknowledged_and_forgotten(
    slack: FakeSlack, served: Product
) -> None:
    """Joins, unfurled links, our own messages, other apps, unknown events: no row, or no reply."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    await slack.people.join(slack.workspace.user("ben"), room)
    said = await slack.people.say(anna, room, "see https://example.com/")
    assert (await slack.people.unfurl(said.message)).acknowledged
    unknown = await slack.people.deliver({"type": "team_join", "user": {"id": "U1"}})
    assert unknown[0].status == 200
    other = await slack.people.bot_says(room, f"<@{slack.workspace.app.bot_user}> {QUESTION}")
    assert other.acknowledged
    await served.quiet()
    assert slack.checks.by_app() == []
    assert await served.rows("SELECT DISTINCT outcome FROM citebound.inbox") == [
        {"outcome": "ignored"}
    ]


async def test_thanks_are_left_at_that(slack: FakeSlack, served: Product) -> None:
    """In a thread of ours, and where we are named."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    asked = await slack.people.mention(anna, room, QUESTION)
    await served.quiet()
    shown = slack.checks.by_app()
    await slack.people.say(anna, room, "great, thanks!", thread=asked.message)
    await slack.people.mention(anna, room, "thank you", thread=asked.message)
    await served.quiet()
    assert slack.checks.by_app() == shown
    assert len(shown) == 1


@pytest.mark.parametrize("words", ["help", "Help!", "Hello", "What can you do?"])
async def test_who_asks_for_help_is_told_how_it_works(
    slack: FakeSlack, served: Product, words: str
) -> None:
    """By mention or directly; it is no question."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    for said in (
        await slack.people.ask(anna, words),
        await slack.people.mention(anna, room, words),
    ):
        answer = await served.answer_to(said.message)
        assert "quotes the policy text" in answer.text
    assert await served.rows("SELECT 1 FROM citebound.questions") == []
    slack.checks.nothing_twice()


async def test_a_file_alone_is_not_read(slack: FakeSlack, served: Product) -> None:
    """And that is said, since somebody who sends one takes it to be read.

    A forwarded message is read, and alone asks nothing: it is asked back what of it.
    """
    anna = slack.workspace.user("anna")
    direct = slack.workspace.direct(anna)
    forwarded = {"is_share": True, "text": QUESTION, "fallback": QUESTION}
    for attached in ([forwarded], []):
        said = await slack.people.say(anna, direct, "", attachments=attached)
        answer = await served.answer_to(said.message)
        assert UNREAD.en not in answer.text
        assert "What would you like to know" in answer.text
    message = slack.people.write(anna, direct, "", subtype="file_share")
    (event,) = slack.people.events_of(message)
    await slack.people.deliver(event | {"files": [{"id": "F1", "name": "gift.pdf"}]})
    assert UNREAD.en in (await served.answer_to(message)).text


async def test_a_file_beside_a_question_is_not_read(slack: FakeSlack, served: Product) -> None:
    """The question is answered, and the reply says so; other replies do not."""
    anna = slack.workspace.user("anna")
    direct = slack.workspace.direct(anna)
    plain = await slack.people.ask(anna, QUESTION)
    assert UNREAD.en not in str((await served.answer_to(plain.message)).blocks)
    message = slack.people.write(anna, direct, QUESTION, subtype="file_share")
    (event,) = slack.people.events_of(message)
    await slack.people.deliver(event | {"files": [{"id": "F1", "name": "gift.pdf"}]})
    answer = await served.answer_to(message)
    assert "EUR 75" in str(answer.blocks)
    assert UNREAD.en in str(answer.blocks[-1])


async def test_an_edit_before_the_answer_counts(slack: FakeSlack, slack_database: str) -> None:
    """Afterwards the person is asked to ask again."""
    async with product(slack, slack_database, roles=Roles(works=False)) as waiting:
        anna = slack.workspace.user("anna")
        said = await slack.people.ask(anna, "What is the limit for giftz?")
        await slack.people.edit(said.message, QUESTION)
        assert {"text": QUESTION} in await waiting.rows("SELECT text FROM citebound.inbox")
    async with product(slack, slack_database) as served:
        await served.answer_to(said.message)
        await slack.people.edit(said.message, "What about hospitality?")
        await served.quiet()
        notice = slack.checks.replies(said.message)[-1]
        assert "ask again" in notice.text


async def test_edits_after_the_answer_are_told_of_once(slack: FakeSlack, served: Product) -> None:
    """Not at every letter that somebody corrects, nor where the words are those answered."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, QUESTION)
    await served.answer_to(said.message)
    named = said.message.text
    await slack.people.edit(said.message, f"{named}  ")
    await served.quiet()
    assert len(slack.checks.replies(said.message)) == 1
    for words in ("What about hospitality?", "What about hospitality, then?", QUESTION):
        await slack.people.edit(said.message, f"<@{slack.workspace.app.bot_user}> {words}")
        await served.quiet()
    told = [one.text for one in slack.checks.replies(said.message)]
    assert len(told) == 2
    assert "ask again" in told[-1]
    other = await slack.people.mention(anna, room, QUESTION, thread=said.message)
    await served.quiet()
    await slack.people.edit(other.message, "What about trips?")
    await served.quiet()
    told = [one.text for one in slack.checks.replies(other.message)]
    assert ["ask again" in one for one in told] == [False, True]


async def test_the_outside_is_not_told_how_it_is(
    slack: FakeSlack, slack_database: str, served: Product
) -> None:
    """Health and metrics stand on a port of their own, by default of the loopback alone."""
    assert Settings().operations_host == "127.0.0.1"
    async with ClientSession() as session:
        for path in ("livez", "readyz", "metrics"):
            for url, status in ((served.base_url, 404), (served.operations_url, 200)):
                async with session.get(f"{url}/{path}") as response:
                    assert (response.status, "Server" in response.headers) == (status, False)
        async with session.get(f"{served.operations_url}/slack/events") as response:
            assert response.status == 404


async def test_a_second_process_is_told_that_it_needs_a_port_of_its_own(
    slack: FakeSlack, slack_database: str, served: Product
) -> None:
    """Rather than serve with a health that nobody can ask for."""
    port = served.process.operations_port
    with pytest.raises(ConfigError, match="CITEBOUND_OPERATIONS_HOST and CITEBOUND_OPERATIONS_PO"):
        async with product(slack, slack_database, operations_port=port):
            pass


async def test_it_says_whether_it_is_ready(slack: FakeSlack, served: Product) -> None:
    """The database takes writes, and has the schema of this release."""
    async with ClientSession() as session:
        for path in ("livez", "readyz"):
            async with session.get(f"{served.operations_url}/{path}") as response:
                assert response.status == 200
        async with served.engine.begin() as connection:
            await connection.execute(
                text("UPDATE citebound.alembic_version SET version_num = '0001_corpus'")
            )
        async with session.get(f"{served.operations_url}/readyz") as response:
            assert response.status == 503
            assert "0001_corpus" in await response.text()


async def test_socket_mode_uses_the_same_intake(slack: FakeSlack, slack_database: str) -> None:
    """Two connections; no signing secret, no address."""
    async with product(
        slack,
        slack_database,
        slack_signing_secret=None,
        slack_app_token=slack.workspace.app_token,
    ) as served:
        await slack.until(lambda: len(slack.sockets.connections) == 2)
        said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
        assert said.acknowledged
        await served.answer_to(said.message)
