"""Test questions in the console: accepted, mended, dropped, and stale once their clause changes."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.record.question_drafts import DraftDecision
from core.bootstrap import Service
from core.domain.errors import UsageError
from core.domain.question_draft import DraftState, KeptDraft
from core.ingest.prepare import Overrides
from evals.measuring.commands.questions import read_corpus, whole_scope
from evals.measuring.drafting.by_rules import Wanted, drafts_by_rules
from evals.measuring.drafting.export import line_of
from evals.measuring.questions import load_questions
from tests.integration.officer.conftest import NEXT
from tests.officer_console import GRACE, Console, Visitor

CASH = "Employees must not accept cash or vouchers in any amount."
LIMIT = "Employees may accept gifts with a value of up to EUR 50 per giver and calendar year."
LIST = "/officer/questions"


async def drafted(service: Service) -> list[KeptDraft]:
    """Draft questions of the console's policy, and return them as they are stored."""
    corpus = await read_corpus(service, await whole_scope(service))
    found = drafts_by_rules(corpus, Wanted())
    await service.question_drafts.add(found)
    return await service.question_drafts.listed(*DraftState)


async def mended(service: Service, one: KeptDraft, *, question: str) -> None:
    """Let an officer word a draft anew."""
    decision = DraftDecision(
        state=DraftState.DRAFT,
        question=question,
        difficulty=one.draft.difficulty,
        expected=one.draft.expected,
        revision=one.revision,
    )
    await service.question_drafts.decide(one.number, decision, officer=service.officers.all[0])


def about(drafts: list[KeptDraft], quote: str) -> KeptDraft:
    """Return the answerable draft that a sentence answers."""
    return next(
        one
        for one in drafts
        if [each.quote for each in one.draft.passages] == [quote]
        and one.draft.expected == "answered"
    )


async def stored(service: Service) -> str:
    """Return the policy's text as it is stored."""
    return (await service.question_drafts.texts(await whole_scope(service)))[0]


async def form_of(visitor: Visitor, one: KeptDraft, deed: str, **changed: str) -> dict[str, str]:
    """Return the form of a question's page as the browser would send it."""
    hidden = await visitor.fields(f"{LIST}/{one.number}")
    shown = {
        "question": one.draft.question,
        "difficulty": one.draft.difficulty,
        "expected": one.draft.expected,
    }
    return hidden | shown | {"deed": deed} | changed


async def test_an_officer_decides_on_each(
    console: Console, ada: Visitor, engine: AsyncEngine, tmp_path: Path
) -> None:
    """A draft is shown with its quote in context; what is accepted is exported and recorded."""
    drafts = await drafted(console.service)
    cash, limit = about(drafts, CASH), about(drafts, LIMIT)
    _, page = await ada.get(LIST)
    assert f'href="{LIST}/{cash.number}"' in page
    _, page = await ada.get(f"{LIST}/{cash.number}")
    assert f"<mark>{CASH}</mark>" in page

    status, _ = await ada.post(f"{LIST}/{cash.number}", await form_of(ada, cash, "accept"))
    assert status == 303
    assert ada.headers["Location"] != f"{LIST}/{cash.number}"
    mended = await form_of(
        ada, limit, "accept", question="How big may a <b>gift</b> be?", difficulty="hard"
    )
    assert (await ada.post(f"{LIST}/{limit.number}", mended))[0] == 303
    dropped = next(one for one in drafts if one.number not in {cash.number, limit.number})
    drop = await form_of(ada, dropped, "drop")
    assert (await ada.post(f"{LIST}/{dropped.number}", drop))[0] == 303

    accepted = await console.service.question_drafts.listed(DraftState.ACCEPTED)
    assert [one.number for one in accepted] == sorted([cash.number, limit.number])
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(line_of(one)) for one in accepted))
    questions = {one.id: one for one in load_questions(path)}
    exported = questions[f"q{limit.number}"]
    assert (exported.question, exported.difficulty) == ("How big may a <b>gift</b> be?", "hard")
    assert exported.review == "accepted"
    assert (await stored(console.service))[exported.spans[0].start : exported.spans[0].end] == LIMIT
    assert exported.gold == {("gifts", "2.1")}
    _, page = await ada.get(f"{LIST}?state=accepted")
    assert "How big may a &lt;b&gt;gift&lt;/b&gt; be?" in page

    async with engine.connect() as connection:
        rows = await connection.execute(
            text(
                "SELECT r.tag, r.actor, c.body FROM audit.record r"
                " LEFT JOIN audit.content c ON c.record_id = r.id"
                " WHERE r.tag LIKE 'draft:%' ORDER BY r.at, r.tag DESC"
            )
        )
        recorded = [tuple(row) for row in rows]
    assert recorded == [
        ("draft:accepted", "ada", None),
        ("draft:mended", "ada", "How big may a <b>gift</b> be?"),
        ("draft:accepted", "ada", None),
        ("draft:dropped", "ada", None),
    ]
    assert len(await drafted(console.service)) == len(drafts)


async def test_a_changed_clause_makes_its_question_stale(console: Console, ada: Visitor) -> None:
    """It is neither accepted nor exported; a question whose words stand elsewhere goes on."""
    service = console.service
    drafts = await drafted(service)
    for quote in (CASH, LIMIT):
        one = about(drafts, quote)
        assert (await ada.post(f"{LIST}/{one.number}", await form_of(ada, one, "accept")))[0] == 303
    moved = NEXT.replace("## 3 Cash", "## 3 More\n\n3.0 This was added.\n\n## 4 Cash")
    await service.ingestor.ingest(
        moved.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
    )
    accepted = await service.question_drafts.listed(DraftState.ACCEPTED)
    cash, limit = about(accepted, CASH), about(accepted, LIMIT)
    assert (cash.is_stale, limit.is_stale) == (False, True)
    passage = cash.draft.passages[0]
    assert (await stored(service))[passage.span.char_start : passage.span.char_end] == CASH
    assert passage.section == "4"
    _, page = await ada.get(f"{LIST}/{limit.number}")
    assert "Stale" in page
    assert 'value="accept"' not in page
    status, page = await ada.post(f"{LIST}/{limit.number}", await form_of(ada, limit, "accept"))
    assert status == 409
    assert "a clause that answers it has changed" in page
    drop = await form_of(ada, limit, "drop")
    assert (await ada.post(f"{LIST}/{limit.number}", drop))[0] == 303


async def test_two_officers_at_once_and_strangers(console: Console, ada: Visitor) -> None:
    """The second decision is asked again; nobody decides without signing in or without a token."""
    one = about(await drafted(console.service), CASH)
    path = f"{LIST}/{one.number}"
    grace = await console.signed_in(GRACE)
    first, second = await form_of(ada, one, "accept"), await form_of(grace, one, "drop")
    statuses = await asyncio.gather(  # noqa: TID251  # two browsers at once
        ada.post(path, first), grace.post(path, second)
    )
    assert sorted(status for status, _ in statuses) == [303, 409]
    assert any("somebody else has just decided on it" in page for _, page in statuses)

    assert (await console.visitor().get(LIST))[0] == 303
    assert (await ada.post(path, {**first, "csrf": "x"}))[0] == 403
    assert (await ada.post(path, first, Origin="https://elsewhere.example"))[0] == 403
    for wrong in (
        {"deed": "publish"},
        {"difficulty": "x"},
        {"expected": "x"},
        {"question": " "},
        {"question": "?" * 8_000},
        {"revision": "-1"},
        {"revision": "9" * 40},
    ):
        assert (await ada.post(path, await form_of(ada, one, "drop") | wrong))[0] == 400
    for number in ("0", "999999999", "9" * 40, "x", "1%00"):
        assert (await ada.get(f"{LIST}/{number}"))[0] in {400, 404}
    assert (await ada.get(f"{LIST}?state=secret"))[0] == 404


async def test_what_is_known_is_not_drafted_again(console: Console) -> None:
    """Another seed words it anew; two commands at once store it once."""
    service = console.service
    corpus = await read_corpus(service, await whole_scope(service))
    first = drafts_by_rules(corpus, Wanted(seed=1))
    assert drafts_by_rules(corpus, Wanted(seed=1)) == first
    store = service.question_drafts
    both = await asyncio.gather(store.add(first), store.add(first))  # noqa: TID251  # at once
    assert sorted(map(len, both)) == [0, len(first)]
    others = drafts_by_rules(corpus, Wanted(seed=7))
    assert {one.question for one in others} != {one.question for one in first}
    chosen = {"two_policies", "evidence_removed", "unanswerable"}
    known, again = ({one.key for one in of if one.kind not in chosen} for of in (first, others))
    assert known == again
    decision = DraftDecision(
        state=DraftState.DROPPED, question="?", difficulty="easy", expected="answered", revision=0
    )
    with pytest.raises(UsageError, match="there is no test question"):
        await store.decide(9_999, decision, officer=service.officers.all[0])
