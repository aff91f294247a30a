"""What is logged while a question is answered, every logger at its most talkative."""

import asyncio
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator

import pytest
from aiohttp import ClientConnectorError, ClientSession, web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from bot.app.logs import JsonLines, log_to_stderr
from bot.traces import traced
from core.adapters.postgres.engine.database import engine_for
from tests.acceptance.slack.office import QUESTION, office, shown, typed
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error, lost, processed_then_reset
from tests.servers.slack.workspace import View

CANARY = "Zanzibarquux"
NOTE = f"My note is about {CANARY}notes"


@pytest.fixture
def everything() -> Iterator[io.StringIO]:
    """All that any logger says, as the command writes it."""
    told, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(told)
    handler.setFormatter(JsonLines())
    loggers = [root, *(logging.getLogger(name) for name in logging.root.manager.loggerDict)]
    before = [(one, one.level, one.disabled) for one in loggers]
    root.addHandler(handler)
    for one in loggers:
        one.setLevel(logging.DEBUG)
    yield told
    root.removeHandler(handler)
    for one, level, is_disabled in before:
        one.setLevel(level)
        one.disabled = is_disabled


def quotes_in(view: View) -> list[str]:
    """Return the beginnings of what is quoted from the policies."""
    elements = [one for block in view.content["blocks"] for one in block.get("elements", [])]
    quoted = [one for one in elements if one.get("type") == "rich_text_quote"]
    return [part["text"][:40] for one in quoted for part in one["elements"] if "style" in part]


async def go_through(slack: FakeSlack, database_url: str) -> list[str]:
    """Ask, press, hand over and answer, with faults on the way; return what must not be logged."""
    async with office(slack, database_url) as bureau:
        slack.faults.next("assistant.threads.setStatus", lost())
        slack.faults.next("chat.startStream", error(f"no_{CANARY}"))
        slack.faults.next("chat.postMessage", processed_then_reset())
        answer = await bureau.answered(f"{QUESTION} {CANARY}")
        view = await bureau.form(bureau.ben, answer, "evidence_open")
        await slack.until(lambda: "Loading" not in shown(view), timeout_s=15)
        quotes = quotes_in(view)
        assert quotes
        await bureau.sent(answer, note=typed(NOTE))
        (card,) = bureau.cards()
        form = await bureau.form(bureau.olga, card, "case_answer")
        await slack.presses.submit(bureau.olga, form, {"answer": typed(f"No, {CANARY}.")})
        await slack.presses.command(bureau.anna, bureau.room, f"may I give {CANARY}?")
        await slack.sender.raw(f"{{{CANARY}".encode(), {"Content-Type": "application/json"})
        await bureau.served.quiet()
        workspace = slack.workspace
        return [
            CANARY,
            QUESTION[:30],
            *quotes,
            workspace.bot_token,
            workspace.app.signing_secret,
            bureau.anna.id,
            bureau.room.id,
        ]


async def test_nothing_private_is_logged_by_anybody(
    slack: FakeSlack, slack_database: str, everything: io.StringIO
) -> None:
    """No word, quote, person, place or secret; of a library the name and the level alone."""
    secrets = await go_through(slack, slack_database)
    lines = [json.loads(line) for line in everything.getvalue().splitlines()]
    assert {one["logger"].partition(".")[0] for one in lines} > {"bot"}
    assert "debug" in {one["level"] for one in lines}
    for secret in secrets:
        assert secret not in everything.getvalue()


async def test_the_libraries_would_say_it(
    slack: FakeSlack, slack_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What the formatter keeps back is there: their own words hold what was asked."""
    caplog.set_level(logging.DEBUG)
    for name in ("slack_sdk", "slack_bolt"):
        caplog.set_level(logging.DEBUG, logger=name)
    await go_through(slack, slack_database)
    assert CANARY in caplog.text


async def broken_insert(database_url: str) -> IntegrityError:
    """Return what the database says of a row that is there: its DETAIL holds the row."""
    row = text("INSERT INTO citebound.channel_paces VALUES ('p', 't', :channel, now())")
    engine = engine_for(database_url, pooled=False)
    async with engine.connect() as connection:
        await connection.execute(row, {"channel": CANARY})
        with pytest.raises(IntegrityError) as refused:
            await connection.execute(row, {"channel": CANARY})
    await engine.dispose()
    assert CANARY in str(refused.value)
    return refused.value


def error_of(library: str, everything: io.StringIO) -> dict[str, str]:
    """Return its newest error."""
    lines = map(json.loads, everything.getvalue().splitlines())
    return [one for one in lines if one["logger"] == library and one["level"] == "error"][-1]


async def test_errors_of_libraries_are_kept_without_what_they_hold(
    slack_database: str, everything: io.StringIO
) -> None:
    """The words of their code, the type, the place and the causes; no row, address or token."""
    # asyncio, of a task that nobody awaits, with a row in the error of the database
    refused = await broken_insert(slack_database)
    loop = asyncio.get_running_loop()
    loop.default_exception_handler({"message": f"it broke on {CANARY}", "exception": refused})
    found = error_of("asyncio", everything)
    assert "IntegrityError at " in found["error"]
    assert ", caused by UniqueViolation at " in found["error"]

    # Slack's, of a server that is not there
    client = AsyncWebClient(token=f"xoxb-{CANARY}", base_url=f"http://127.0.0.1:1/{CANARY}/")
    with pytest.raises(ClientConnectorError):
        await client.chat_postMessage(channel=CANARY, text=CANARY)
    lines = map(json.loads, everything.getvalue().splitlines())
    told = {one["message"] for one in lines if one["logger"].startswith("slack_sdk")}
    assert "A retry handler found: …" in told

    # aiohttp's, of a handler that raises
    async def breaks(_: web.Request) -> web.StreamResponse:
        raise ValueError(CANARY)

    served = web.Application()
    served.router.add_get("/", breaks)
    async with TestServer(served) as server, ClientSession() as session:
        url = server.make_url("/").with_query({"text": CANARY})
        assert (await session.get(url)).status == 500
    found = error_of("aiohttp.server", everything)
    assert found["message"].startswith("Error handling request")
    assert found["error"].startswith("ValueError at test_logs.py:")

    assert CANARY not in everything.getvalue()


def test_an_error_that_ends_the_process_is_logged_as_others(
    everything: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's own report would print what it holds."""
    root, warned = logging.getLogger(), warnings.showwarning
    before, level = root.handlers[:], root.level
    monkeypatch.setattr(sys, "excepthook", print)
    try:
        log_to_stderr()
        root.handlers[:] = before
        error = ExceptionGroup("two", [ValueError(CANARY), OSError(CANARY)])
        sys.excepthook(type(error), error, None)
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        logging.captureWarnings(capture=False)
        assert warnings.showwarning is warned
    told = json.loads(everything.getvalue().splitlines()[-1])
    assert told["level"] == "critical"
    assert told["error"] == "ExceptionGroup at nowhere, caused by ValueError at nowhere"


def test_a_line_names_its_question(everything: io.StringIO) -> None:
    """So that what several processes say of one question can be read together."""
    question_id = "01890000-0000-7000-8000-000000000001"
    with traced(question_id, "answer"):
        logging.getLogger("bot.worker").warning("it waits")
    logging.getLogger("bot.worker").warning("it goes on")
    inside, after = map(json.loads, everything.getvalue().splitlines()[-2:])
    assert inside["question"] == question_id
    assert "question" not in after


def test_the_command_lets_libraries_warn_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their lines would be many, and say little."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    levels = {name: logging.getLogger(name).level for name in ("bot", "core")}
    try:
        log_to_stderr()
        assert root.level == logging.WARNING
        assert [type(one.formatter) for one in root.handlers] == [JsonLines]
        for library in ("slack_sdk", "slack_bolt", "aiohttp.access", "sqlalchemy.engine"):
            assert not logging.getLogger(library).isEnabledFor(logging.INFO)
    finally:
        logging.captureWarnings(capture=False)
        root.handlers[:] = before
        root.setLevel(level)
        for name, one in levels.items():
            logging.getLogger(name).setLevel(one)
