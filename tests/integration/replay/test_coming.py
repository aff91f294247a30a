"""What an answer says of the text that it cites: what replaces it soon, and which it is."""

from datetime import timedelta
from typing import Any

import pytest

from core.adapters.local.embedder import LocalEmbedder
from core.bootstrap import Service
from core.language.languages import Language
from tests.integration.replay.conftest import GIFTS, LIMIT, LOWER, Ask, Publish, recorded
from tests.integration.replay.test_days import place


async def test_what_changes_soon_is_said(
    service: Service, ask: Ask, publish: Publish, database_url: str, local_embedder: LocalEmbedder
) -> None:
    """Beside a quote that will have other words, and no other; a replay on another day says it."""
    begins = service.clock.today() + timedelta(days=3)
    await publish(LOWER, effective_from=begins, label="2.0")
    reply = await ask(LIMIT)
    (note,) = [one for one in reply.answer.notes if "it will be" in one]
    assert f"From {begins:%A}, {begins.day} {begins:%B} {begins.year}, it will be: \u201c" in note
    assert "up to EUR 30" in note
    assert "version 2.0" in note
    quote = note.partition("\u201c")[2].partition("\u201d")[0].removesuffix("\u2026")
    assert quote in " ".join(LOWER.split())
    cash = await ask("May employees accept cash?", thread="b")
    assert cash.answer.citations
    assert not [one for one in cash.answer.notes if "it will be" in one]
    german = await ask(LIMIT, thread="c", language=Language.GERMAN)
    assert [one for one in german.answer.notes if one.startswith("Ab ")]
    question = await recorded(service, reply.receipt.record_id)
    later = service.clock.now() + timedelta(days=2)
    async with place(database_url, local_embedder, "UTC", later) as then:
        assert (await then.replayer.replay(question)).difference is None


@pytest.mark.parametrize(
    ("days", "audience", "about"),
    [(31, None, 0), (3, frozenset({"board"}), 0), (3, None, 1)],
)
async def test_what_changes_later_or_for_others_is_not(  # noqa: PLR0917
    service: Service, ask: Ask, publish: Publish, days: int, audience: Any, about: int
) -> None:
    """Nor is it of an answer that was asked for another day."""
    today = service.clock.today()
    await publish(LOWER, effective_from=today + timedelta(days=days), audience=audience)
    reply = await ask(LIMIT, as_of=today + timedelta(days=about))
    assert reply.answer.citations
    assert not [one for one in reply.answer.notes if "EUR 30" in one]


ROWS = (
    "# Hotels\n\n## 1 Limits\n\n| City | Limit per night |\n|---|---|\n"
    "| Paris | EUR 180 |\n| Rome | EUR 90 |\n"
)


async def test_a_row_that_changes_soon(service: Service, ask: Ask, publish: Publish) -> None:
    """The row of the same name is quoted, and not the whole table."""
    await publish(ROWS, "hotels.md")
    begins = service.clock.today() + timedelta(days=2)
    await publish(ROWS.replace("EUR 180", "EUR 200"), "hotels.md", effective_from=begins)
    reply = await ask("What is the hotel limit per night in Paris?")
    assert reply.answer.citations
    assert [one for one in reply.answer.notes if "\u201cParis | EUR 200\u201d" in one]
    other = await ask("What is the hotel limit per night in Rome?", thread="b")
    assert other.answer.citations
    assert not [one for one in other.answer.notes if "it will be" in one]


async def test_the_next_version_may_leave_a_quote_to_a_later_one(
    service: Service, ask: Ask, publish: Publish
) -> None:
    """The first that changes it is named, and no other."""
    today = service.clock.today()
    for days, text in ((2, GIFTS.replace("cash or", "cash, coins or")), (4, LOWER), (6, GIFTS)):
        await publish(text, effective_from=today + timedelta(days=days), label=f"{days}.0")
    (note,) = [one for one in (await ask(LIMIT)).answer.notes if "it will be" in one]
    assert "version 4.0" in note


async def test_a_quote_that_ends_soon(service: Service, ask: Ask, publish: Publish) -> None:
    """Where nothing stands in its place, that is said."""
    begins = service.clock.today() + timedelta(days=30)
    await publish(
        GIFTS[: GIFTS.index("## 2")] + GIFTS[GIFTS.index("## 3") :], effective_from=begins
    )
    reply = await ask(LIMIT)
    assert [one for one in reply.answer.notes if "no longer says this" in one]


async def test_one_label_for_two_texts(ask: Ask, publish: Publish, service: Service) -> None:
    """An answer says which of them it cites, until the label is another one."""
    await publish(GIFTS, label="1.1")
    assert not [one for one in (await ask(LIMIT)).answer.notes if "1.1" in one]
    await publish(LOWER, label="1.1")
    (note,) = [one for one in (await ask(LIMIT, thread="b")).answer.notes if "1.1" in one]
    today = service.clock.today()
    assert f"published here on {today.day} {today:%B} {today.year}" in note
    await publish(LOWER + "\n", label="1.2")
    assert not [one for one in (await ask(LIMIT, thread="c")).answer.notes if "1.1" in one]
