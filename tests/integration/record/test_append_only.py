"""The record can be added to and not changed; what is changed all the same is named."""

import json
from collections.abc import Callable, Coroutine
from os import urandom
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import DBAPIError

from core.adapters import system
from core.agent.request import Reply
from core.bootstrap import Service
from core.domain.delivery import REFERENCE
from core.domain.errors import UsageError
from tests.databases import UnrecordedReader

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
Change = Callable[..., Coroutine[Any, Any, None]]

ANSWERED = "May employees accept gifts, and up to what value?"
FORBIDDEN = (
    ("record", "UPDATE audit.record SET xid = '1'"),
    ("record", "DELETE FROM audit.record"),
    ("record", "TRUNCATE audit.record CASCADE"),
    ("citation", "UPDATE audit.citation SET section = '9'"),
    ("citation", "DELETE FROM audit.citation"),
    ("citation", "TRUNCATE audit.citation"),
    ("content", "UPDATE audit.content SET body = 'x'"),
    ("content", "DELETE FROM audit.content"),
    ("content", "TRUNCATE audit.content"),
)
DEFENCELESS = tuple(
    f"DROP TRIGGER {trigger} ON audit.{table}"
    for table in ("record", "citation", "content", "leaf")
    for trigger in ("refuse_change", "refuse_truncate")
)
TEXTS = ("question", "thread", "answer", "answer_json", "assumptions", "trace", "place")


@pytest.mark.parametrize(("table", "statement"), FORBIDDEN)
async def test_a_change_is_refused_even_to_a_superuser(
    ask: Ask, rows: Rows, change: Change, table: str, statement: str
) -> None:
    """UPDATE, DELETE and TRUNCATE fail; without the triggers the same statements work."""
    await ask(ANSWERED)
    (role,) = await rows("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    assert role["rolsuper"]
    before = await rows(f"SELECT * FROM audit.{table}")  # noqa: S608  # constants
    with pytest.raises(DBAPIError, match="append-only"):
        await change(statement)
    assert await rows(f"SELECT * FROM audit.{table}") == before  # noqa: S608
    await change(*DEFENCELESS)
    if statement == "DELETE FROM audit.record":
        await change("DELETE FROM audit.citation", "DELETE FROM audit.content")
    await change(statement)
    assert await rows(f"SELECT * FROM audit.{table}") != before  # noqa: S608


async def test_a_generated_column_can_not_be_set(ask: Ask, change: Change) -> None:
    """What an officer sees of a record follows from its bytes, even without triggers."""
    await ask(ANSWERED)
    await change(*DEFENCELESS)
    with pytest.raises(DBAPIError, match="can only be updated to DEFAULT"):
        await change("UPDATE audit.record SET outcome = 'refused'")


async def test_a_record_is_found_as_people_name_it(ask: Ask, records: UnrecordedReader) -> None:
    """By the reference below its reply, by the older one, and by as much as is unambiguous."""
    ids = [(await ask(ANSWERED)).receipt.record_id for _ in range(3)]
    for own in ids:
        reference = own[-REFERENCE:]
        for typed in (own, reference, f" Ref {reference.upper()}", own[:-1]):
            view = await records.show(typed)
            assert view is not None, typed
            assert view.record_id == own
        assert await records.show(own[-REFERENCE + 1 :]) is None
        with pytest.raises(UsageError) as several:  # three began so within a minute
            await records.show(own[:REFERENCE])
        assert all(each in str(several.value) for each in ids)


async def test_a_conversation_goes_on_from_a_record(ask: Ask, service: Service) -> None:
    """By the reference below any of its replies, by a whole id, or by its own name."""
    ids = [(await ask(ANSWERED, "anna")).receipt.record_id for _ in range(2)]
    reference = (await ask(ANSWERED, "0badcafe")).receipt.record_id[-REFERENCE:]
    thread_named, unknown = service.conversations.thread_named, str(UUID(int=7))
    for own in ids:
        for typed in (own, own[-REFERENCE:], f"Ref {own[-REFERENCE:].upper()}"):
            assert await thread_named(typed) == "anna"
    assert await thread_named(reference) == "0badcafe"
    for itself in ("anna", "ben", "0badcafe", "ca", unknown, "%", "it's"):
        assert await thread_named(itself) == itself
    with pytest.raises(UsageError, match="no answer at the terminal has"):
        await thread_named("0badcaff")


async def test_a_reference_that_fits_two_records_names_both(
    ask: Ask, service: Service, records: UnrecordedReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is taken for the one that was meant."""

    def token_bytes(count: int) -> bytes:
        return urandom(count - 4) + b"\xab\xcd" * 2

    monkeypatch.setattr(system, "token_bytes", token_bytes)
    ids = [(await ask(ANSWERED, thread)).receipt.record_id for thread in ("anna", "ben")]
    assert {own[-REFERENCE:] for own in ids} == {"abcdabcd"}
    for look_up in (records.show, service.conversations.thread_named):
        with pytest.raises(UsageError) as several:
            await look_up("abcdabcd")
        assert all(own in str(several.value) for own in ids)
    assert await service.conversations.thread_named(ids[1]) == "ben"


async def test_an_intact_record_has_no_problems(ask: Ask, records: UnrecordedReader) -> None:
    """What was just written is found, checked and shown."""
    reply = await ask(ANSWERED)
    view = await records.show(reply.receipt.record_id)
    assert view is not None
    assert (view.is_intact, view.problems) == (True, ())
    assert (view.question, view.outcome) == (ANSWERED, "answered")
    assert view.answer is not None
    assert view.answer["answer"] == reply.answer.text
    assert view.leaf_hash == reply.receipt.leaf_hash.hex()


@pytest.mark.parametrize("field", TEXTS)
async def test_a_changed_text_is_named(
    ask: Ask, change: Change, records: UnrecordedReader, field: str
) -> None:
    """The commitment does not fit; restored, it does."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    await change(*DEFENCELESS)
    altered = "UPDATE audit.content SET body = {} WHERE field = :field"
    await change(altered.format("body || ' '"), field=field)
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == (f"the text of {field!r} is not the one that was recorded",)
    await change(altered.format("left(body, -1)"), field=field)
    view = await records.show(record_id)
    assert view is not None
    assert view.is_intact


async def test_a_missing_text_is_named(ask: Ask, change: Change, records: UnrecordedReader) -> None:
    """A deleted text leaves its commitment behind."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    await change(*DEFENCELESS, "DELETE FROM audit.content WHERE field = 'answer'")
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == ("the text of 'answer' is missing",)


async def test_an_added_text_is_named(ask: Ask, change: Change, records: UnrecordedReader) -> None:
    """A text that the record does not promise is none of it."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    await change(
        "INSERT INTO audit.content (record_id, field, salt, body)"
        " SELECT id, 'apology', sha256('x'), 'sorry' FROM audit.record"
    )
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == ("the text of 'apology' is not the one that was recorded",)


async def test_changed_bytes_are_refused_or_named(
    ask: Ask, change: Change, records: UnrecordedReader
) -> None:
    """The check on the leaf refuses them; without it, the reader names them."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    forge = (
        "UPDATE audit.record SET canonical ="
        " convert_to(replace(convert_from(canonical, 'UTF8'), '\"berlin\"', '\"munich\"'), 'UTF8')"
    )
    await change(*DEFENCELESS)
    with pytest.raises(DBAPIError, match="record_leaf_check"):
        await change(forge)
    await change("ALTER TABLE audit.record DROP CONSTRAINT record_leaf_check", forge)
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == ("the record's bytes do not hash to its leaf",)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("outcome", "'refused'"),
        ("doc", 'doc || \'{"unit": "munich"}\''),
        ("at", "at - interval '1 day'"),
        ("actor", "'p-18'"),
        ("badge", "'low'"),
        ("calibrated", "0.5"),
        ("unit", "'munich'"),
    ],
)
async def test_a_column_cut_off_from_the_bytes_is_named(
    ask: Ask, change: Change, records: UnrecordedReader, column: str, value: str
) -> None:
    """A superuser may drop a generated column's expression, but not unnoticed."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    await change(
        *DEFENCELESS,
        f"ALTER TABLE audit.record ALTER {column} DROP EXPRESSION",
        f"UPDATE audit.record SET {column} = {value}",  # noqa: S608  # constants
    )
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == ("the record's columns are not those of its bytes",)


@pytest.mark.parametrize(
    "falsify",
    ["UPDATE audit.citation SET section = '9.9'", "DELETE FROM audit.citation"],
    ids=["changed", "deleted"],
)
async def test_citations_cut_off_from_the_bytes_are_named(
    ask: Ask, change: Change, records: UnrecordedReader, falsify: str
) -> None:
    """The rows that views count are those of the hashed bytes."""
    record_id = (await ask(ANSWERED)).receipt.record_id
    await change(*DEFENCELESS, falsify)
    view = await records.show(record_id)
    assert view is not None
    assert view.problems == ("the record's citations are not those of its bytes",)


async def test_a_unique_beginning_of_an_id_is_enough(
    ask: Ask, records: UnrecordedReader, rows: Rows
) -> None:
    """Shortest unique prefix, either case; ambiguous ones are refused, others find nothing."""
    ids = [(await ask(ANSWERED)).receipt.record_id for _ in range(3)]
    known = [str(row["id"]) for row in await rows("SELECT id FROM audit.record")]
    for record_id in ids:
        length = next(
            n for n in range(1, 37) if sum(each.startswith(record_id[:n]) for each in known) == 1
        )
        for given in (record_id[:length], record_id.upper()):
            view = await records.show(given)
            assert view is not None
            assert view.record_id == record_id
        with pytest.raises(UsageError, match="fits several records"):
            await records.show(record_id[: length - 1])
    for pattern in ("", "%", "_", "01_", f"{ids[0][:-1]}_", f"{ids[0]}%", "' OR true --", "é"):
        assert await records.show(pattern) is None


async def test_records_are_listed_newest_first(ask: Ask, records: UnrecordedReader) -> None:
    """All, or those of one outcome."""
    questions = (ANSWERED, "How many days of parental leave do I get?", ANSWERED)
    ids = [(await ask(question)).receipt.record_id for question in questions]
    assert [line.record_id for line in await records.list()] == ids[::-1]
    assert [line.record_id for line in await records.list(limit=1)] == ids[2:]
    refused = await records.list(outcome="refused")
    assert [(line.record_id, line.question) for line in refused] == [(ids[1], questions[1])]


async def test_a_question_with_markup_is_kept_as_it_is(ask: Ask, records: UnrecordedReader) -> None:
    """Any Unicode comes back and keeps its hash."""
    question = "May employees accept gifts 🎁 <b>\"über\"</b> \\u0041 'OR' 1=1; -- ?"
    view = await records.show((await ask(question)).receipt.record_id)
    assert view is not None
    assert (view.question, view.is_intact) == (question, True)
    assert json.dumps(view.document)
