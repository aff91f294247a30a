"""Facts about policies and names that bind the search, over policies that are really stored."""

from collections.abc import AsyncIterator
from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.answer import Badge, Outcome
from core.domain.audit import Tag
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from core.retrieval.retriever import Query
from tests.databases import UnrecordedReader, logins

TRAVEL = """# Travel Policy

## 1 Purpose

This policy sets out how trips are booked and paid.

## 2 Vouchers

Hotel vouchers may be used instead of a receipt within 10 days after the trip.

## 3 Trains

Contractors must book second class.
"""
NEWER = TRAVEL.replace("within 10 days", "within 5 days")
GIFTS = """# Gifts Policy

## 1 Purpose

This policy sets out which gifts may be accepted.

## 2 Vouchers

Employees must not accept vouchers from suppliers.
"""
PAY = """# Board Pay Policy

## 1 Purpose

This policy sets out what members of the board are paid.

## 2 Bonus

The bonus of a member of the board must not exceed EUR 90,000.
"""


@pytest.fixture
async def service(database_url: str) -> AsyncIterator[Service]:
    """The product without a reader and a language model, with three policies."""
    settings = Settings(**logins(database_url), reasoner="extractive")
    async with bootstrap(settings) as opened:
        for name, text, label, owner, audience in (
            ("travel.md", TRAVEL, "1.0", "Travel Desk", "everyone"),
            ("travel.md", NEWER, "2.0", "Head of Finance", "everyone"),
            ("gifts.md", GIFTS, "1.0", "Compliance", "everyone"),
            ("board-pay.md", PAY, "1.0", "Chair", "board"),
        ):
            given = Overrides(
                label=label,
                owner=owner,
                audience=frozenset({audience}),
                effective_from=date(2025, 1 if label == "1.0" else 6, 1),
            )
            await opened.ingestor.ingest(
                text.encode(), source_name=name, given=given, with_chunks=True
            )
        yield opened


async def _ask(service: Service, text: str, *, thread: str = "one", groups: str = "") -> Reply:
    return await service.answering.ask(
        AskRequest(text=text, place=Place(thread=thread), groups=frozenset(filter(None, [groups])))
    )


async def test_facts_are_answered_and_recorded(service: Service, engine: AsyncEngine) -> None:
    """Owner, version, change and file, in one thread; the record says that no reasoner answered."""
    owner = await _ask(service, "who owns the travel policy?")
    assert owner.answer.text == "\u201cTravel Policy\u201d is owned by the Head of Finance. [1]"
    assert owner.answer.confidence.badge is Badge.HIGH
    assert (owner.answer.citations[0].quote, owner.answer.citations[0].place.policy_key) == (
        "Travel Policy",
        "travel",
    )
    version = await _ask(service, "Which version is it and since when?")
    assert version.answer.text.startswith("Version 2.0 of \u201cTravel Policy\u201d")
    assert "since 1 June 2025" in version.answer.text
    changed = await _ask(service, "what changed in it?")
    assert "other words in \u201c2 Vouchers\u201d" in changed.answer.text
    assert "travel.md" in (await _ask(service, "Where can I read it?")).answer.text
    record = await UnrecordedReader(engine).show(owner.receipt.record_id)
    assert record is not None
    assert record.is_intact
    assert record.trace is not None
    assert record.trace["reasoner"] == "metadata/1"
    assert record.document["run"]["warnings"] == ["about_policies"]  # pyright: ignore
    assert record.document["tag"] == Tag.QUESTION_ANSWERED
    assert all(one["passed"] for one in record.document["verdicts"])  # pyright: ignore


async def test_a_policy_of_others_stays_unnamed(service: Service) -> None:
    """In an answer, in a list and among those that apply to somebody; its readers are told."""
    hidden = await _ask(service, "Who owns the board pay policy?")
    assert hidden.answer.outcome is Outcome.REFUSED
    assert "Chair" not in hidden.answer.text
    assert all("Board" not in one.quote for one in hidden.answer.citations)
    assert 'do not mention "board pay policy"' in " ".join(hidden.answer.notes) or (
        not hidden.answer.citations
    )
    listed = await _ask(service, "what policies do you have", thread="two")
    assert [line.split(" (")[0] for line in listed.answer.text.splitlines()[1:]] == [
        "\u2022 Gifts Policy",
        "\u2022 Travel Policy",
    ]
    told = await _ask(service, "Who owns the board pay policy?", thread="three", groups="board")
    assert "owned by Chair" in told.answer.text


async def test_whom_policies_apply_to_is_quoted(service: Service) -> None:
    applying = await _ask(service, "Which policies apply to contractors?")
    assert applying.answer.text.splitlines() == [
        "These policies name contractors:",
        "\u2022 Travel Policy (in a rule): Contractors must book second class. [1]",
    ]
    assert applying.answer.confidence.badge is Badge.MEDIUM
    unknown = await _ask(service, "Which policies apply to astronauts?", thread="two")
    assert unknown.run.reasoner != "metadata/1"


async def test_a_summary_quotes_one_policy(service: Service) -> None:
    summary = await _ask(service, "Summarise the gifts policy")
    assert summary.answer.text.splitlines()[1:] == [
        "\u2022 This policy sets out which gifts may be accepted. [1]",
        "\u2022 Employees must not accept vouchers from suppliers. [2]",
    ]


async def test_the_policy_that_is_named_is_searched(service: Service) -> None:
    """Two policies treat vouchers: each question is answered by the one that it names."""
    for name, says in (
        ("travel", "Hotel vouchers may be used"),
        ("gifts", "must not accept vouchers"),
    ):
        reply = await _ask(service, f"What does the {name} policy say about vouchers?", thread=name)
        assert reply.run.question.bound == {name}
        quotes = [one.quote for one in reply.answer.citations]
        assert any(says in quote for quote in quotes), reply.answer.text
        assert {one.place.policy_key for one in reply.answer.citations} == {name}


async def test_what_others_say_is_told_as_from_elsewhere(service: Service) -> None:
    """The policy that is named says nothing about it; one that does is quoted, with a note."""
    reply = await _ask(
        service, "May hotel vouchers be used instead of a receipt under the gifts policy?"
    )
    assert reply.run.question.bound == {"gifts"}
    found = {one.place.policy_key for one in reply.answer.citations}
    note = "I found nothing in \u201cGifts Policy\u201d that answers this."
    assert (note in reply.answer.notes) == ("gifts" not in found)


async def test_a_name_that_no_policy_has_binds_nothing(service: Service) -> None:
    reply = await _ask(service, "What does the pension policy say about vouchers?")
    assert (reply.run.question.bound, reply.run.question.named) == (frozenset(), ())


async def test_a_search_stays_within_the_policies_that_it_is_given(service: Service) -> None:
    """Within the scope even so: naming a policy of others opens it to nobody."""
    scope = (await _ask(service, "hello?")).run.question.scope
    for key, found in (("gifts", {"gifts"}), ("travel", {"travel"}), ("board-pay", set[str]())):
        result = await service.retriever.retrieve(
            Query(
                "vouchers, bonus of the board",
                scope,
                depth=9,
                neighbours=0,
                policies=frozenset({key}),
            )
        )
        assert {hit.place.policy_key for hit in result.result.hits} == found


async def test_a_whole_policy_can_be_read_in_its_scope(service: Service) -> None:
    """What a model is given to summarise: all of one policy, in text order; of others' nothing."""
    scope = (await _ask(service, "hello?")).run.question.scope
    chunks = await service.retriever.section("travel", None, scope)
    assert {one.place.policy_key for one in chunks} == {"travel"}
    assert [one.place.number for one in chunks if one.place.number] == ["1", "2", "3"]
    assert await service.retriever.section("board-pay", None, scope) == ()
