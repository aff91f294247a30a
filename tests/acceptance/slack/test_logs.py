"""What is logged while a question is answered, every logger at its most talkative."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from bot.app.process import JsonLines, log_to_stderr
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


def test_the_command_lets_libraries_warn_and_no_more() -> None:
    """Their lines would be empty, and many."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in ("bot", "core")}
    try:
        log_to_stderr()
        assert root.level == logging.WARNING
        assert [type(one.formatter) for one in root.handlers] == [JsonLines]
        for library in ("slack_sdk", "slack_bolt", "aiohttp.access", "sqlalchemy.engine"):
            assert not logging.getLogger(library).isEnabledFor(logging.INFO)
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        for name, one in levels.items():
            logging.getLogger(name).setLevel(one)
