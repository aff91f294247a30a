"""A question goes to Compliance, and the officer's answer to who asked; all of it in Teams."""

from collections.abc import AsyncIterator

import pytest

from core.cases.case_codes import code_in
from tests.acceptance import disputed
from tests.acceptance.teams.office import REPORT, Office, office, pressable
from tests.acceptance.teams.test_pressing import (
    ONLY_ASKER,
    QUESTION,
    dialog,
    fetch,
    id_of,
    shown,
    submit,
)
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.servers.teams.wire import Json
from tests.unit.teams.reading import words_of

ANSWER = "Up to EUR 35, and only with a note in the register."
OFFICERS_ONLY = "Only compliance officers can do this."


@pytest.fixture
async def bureau(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(teams, microsoft, policies_database) as running:
        yield running


@pytest.mark.parametrize("transport", ["botbuilder", "rest"])
async def test_from_the_question_to_the_officers_answer(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, transport: str
) -> None:
    """Form, card, claim, answer; the old answer superseded; all of it told, by either client."""
    async with office(teams, microsoft, policies_database, teams_transport=transport) as bureau:
        answer = await bureau.answered()
        told = await bureau.sent(answer, note="Deal with Acme, signing tomorrow", urgency="today")
        assert "Sent to Compliance as case 1. The reply comes in your thread" in told
        (card,) = bureau.cards()
        for words in (QUESTION, "Deal with Acme", "asked by anna", "Gifts and Hospitality Policy"):
            assert words in shown(card)
        assert "Case 1 · open · today" in shown(card)
        assert pressable(card) == [
            *("case_claim", "case_answer", "case_right", "case_partly"),
            *("case_wrong", "case_close", "open"),
        ]
        assert "Sent to Compliance (case 1). Expect an answer by" in " ".join(bureau.thread(answer))
        claimed = await bureau.execute(bureau.olga, card, "case_claim")
        assert "claimed by Olga O." in claimed.text
        assert "claimed by Olga O." in shown(card)
        assert "case_claim" not in pressable(card)
        assert "Olga O. has taken up your question" in bureau.thread(answer)[-1]
        form = await bureau.begin(bureau.olga, card)
        assert "Post" in form
        assert QUESTION in form
        told = await bureau.answer(bureau.olga, card, ANSWER)
        assert "is on its way to the asker's thread" in told
        reply = bureau.teams.tenant.by_bot()[-1]
        assert reply.root == answer.root
        for words in ("Answered by Compliance", "Olga O.", QUESTION, ANSWER):
            assert words in words_of(reply.text)
        assert "AIGenerated" not in shown(reply)
        assert pressable(reply) == ["case_accept", "case_reopen"]
        assert "Superseded by Compliance" in answer.text
        assert pressable(answer) == []
        assert "Case 1 · answered" in shown(card)
        assert [one for one in pressable(card) if one != "open"] == []
        assert await bureau.cases() == [(1, "answered", "olga")]
        assert await bureau.tags("case:%") == ["case:opened", "case:assigned", "case:answered"]
        teams.checks.nothing_refused()
        teams.checks.nothing_twice()


async def test_a_private_answer_comes_to_the_asker_alone(bureau: Office) -> None:
    """Wished by the asker, or by the officer; the thread hears only that one was given."""
    answer = await bureau.answered()
    told = await bureau.sent(answer, dm="true")
    assert "Only you will get the reply" in told
    (card,) = bureau.cards()
    assert "only the asker gets the reply" in shown(card)
    assert "in a direct message" in await bureau.answer(bureau.olga, card, ANSWER)
    assert ANSWER in words_of(bureau.own(bureau.anna)[-1].text)
    assert not [one for one in bureau.thread(answer) if ANSWER in one]
    second = await bureau.answered()
    await bureau.sent(second)
    card = bureau.cards()[-1]
    assert "in a direct message" in await bureau.answer(bureau.olga, card, "No.", dm="true")
    assert "No." in words_of(bureau.own(bureau.anna)[-1].text)


async def test_without_a_name_nobody_learns_who_asked(bureau: Office) -> None:
    """Neither name nor place on the card; the answer comes directly."""
    answer = await bureau.answered()
    assert "Only you will get the reply" in await bureau.sent(answer, anon="true")
    (card,) = bureau.cards()
    for hidden in ("anna", bureau.anna.id, bureau.anna.aad, bureau.room.id, "l/message"):
        assert hidden not in shown(card)
    await bureau.answer(bureau.olga, card, ANSWER)
    assert ANSWER in words_of(bureau.own(bureau.anna)[-1].text)
    assert not [one for one in bureau.thread(answer) if ANSWER in one]


async def test_the_asker_accepts_or_asks_again(bureau: Office) -> None:
    """The asker alone; again: the case is its officer's, and may be answered anew."""
    _, card = await bureau.opened()
    await bureau.answer(bureau.olga, card, "First.")
    reply = bureau.teams.tenant.by_bot()[-1]
    for verb in ("case_accept", "case_reopen"):
        refused = await bureau.execute(bureau.ben, reply, verb)
        assert refused.answer["value"] == ONLY_ASKER
    again = await bureau.execute(bureau.anna, reply, "case_reopen")
    assert "with Compliance again" in again.answer["value"]
    assert "case_answer" in pressable(card)
    await bureau.answer(bureau.olga, card, "Second.")
    second = bureau.teams.tenant.by_bot()[-1]
    assert "Second." in words_of(second.text)
    for _ in range(2):
        done = await bureau.execute(bureau.anna, second, "case_accept")
        assert "Case 1 is closed" in done.answer["value"]
    assert "Case 1 · closed" in shown(card)
    assert await bureau.tags("case:resolved") == ["case:resolved"]


@pytest.mark.parametrize(
    "verb", ["case_claim", "case_right", "case_partly", "case_wrong", "case_close", "case_refresh"]
)
async def test_only_officers_work_on_a_case(bureau: Office, verb: str) -> None:
    """Not who reads their channel, nor who asked: refused in private, and recorded."""
    _, card = await bureau.opened()
    for person in (bureau.ben, bureau.anna):
        told = await bureau.execute(person, card, verb)
        assert told.answer["value"] == OFFICERS_ONLY
    assert await bureau.cases() == [(1, "open", None)]
    assert "case_claim" in pressable(card)
    if verb != "case_refresh":
        assert await bureau.tags("case:refused") == ["case:refused"] * 2


async def test_only_officers_answer_a_case(bureau: Office) -> None:
    """Neither the form opens for others, nor is theirs taken, nor one about another case."""
    answer, card = await bureau.opened()
    assert OFFICERS_ONLY in await bureau.begin(bureau.ben, card)
    assert OFFICERS_ONLY in await bureau.answer(bureau.ben, card, "Anything goes.")
    data: Json = {"do": "case_answer_submit", "case": id_of(answer), "answer": "Yes."}
    told = await bureau.teams.people.invoke(bureau.olga, card, "task/submit", {"data": data})
    assert "There is no such case" in dialog(told)
    await bureau.served.quiet()
    assert await bureau.cases() == [(1, "open", None)]
    assert not [one for one in bureau.thread(answer) if "Anything goes" in one]


async def test_a_second_officer_is_told_who_has_it(bureau: Office) -> None:
    """Claiming, answering or closing what another officer has; a click sent twice counts once."""
    _, card = await bureau.opened()
    first = await bureau.execute(bureau.olga, card, "case_claim")
    await bureau.teams.sender.again(first)
    await bureau.served.quiet()
    assert await bureau.tags("case:assigned") == ["case:assigned"]
    for verb in ("case_claim", "case_close"):
        told = await bureau.execute(bureau.oskar, card, verb)
        assert "Olga O. has claimed case 1" in told.answer["value"]
    assert "Olga O. has claimed case 1" in await bureau.begin(bureau.oskar, card)
    assert "Olga O. has claimed case 1" in await bureau.answer(bureau.oskar, card, "Mine.")
    assert await bureau.cases() == [(1, "claimed", "olga")]


@pytest.mark.parametrize(
    ("verb", "words"),
    [("case_right", "right"), ("case_partly", "partly right"), ("case_wrong", "wrong")],
)
async def test_an_answer_is_judged_and_the_case_closed(
    bureau: Office, verb: str, words: str
) -> None:
    """Both show on the card; the asker hears that it was closed, and not what was found."""
    answer, card = await bureau.opened()
    await bureau.execute(bureau.oskar, card, verb)
    assert f"marked as {words}" in shown(card)
    assert verb not in pressable(card)
    await bureau.execute(bureau.oskar, card, "case_close")
    assert "Case 1 · closed" in shown(card)
    assert [one for one in pressable(card) if one != "open"] == []
    assert "closed case 1" in bureau.thread(answer)[-1]
    assert await bureau.tags("answer:reviewed") == ["answer:reviewed"]


async def test_a_card_stays_fresh_for_officers(bureau: Office) -> None:
    """By Teams' own ids of those on our list, whichever id the list has; for nobody else."""
    _, card = await bureau.opened()

    def refreshed() -> Json:
        (shown_card,) = card.cards
        told: Json = shown_card["refresh"]
        return told

    assert refreshed()["userIds"] == [bureau.olga.id, bureau.oskar.id]
    assert refreshed()["action"]["verb"] == "case_refresh"
    before = card.activity
    await bureau.execute(bureau.olga, card, "case_claim")
    assert refreshed()["userIds"] == [bureau.olga.id, bureau.oskar.id]
    card.activity = before
    told = await bureau.execute(bureau.oskar, card, "case_refresh")
    assert "claimed by Olga O." in told.text
    assert refreshed()["userIds"] == [bureau.olga.id, bureau.oskar.id]


async def test_a_report_reaches_the_officer_on_call_alone(bureau: Office) -> None:
    """Asked in a channel: a pointer to the asker, no name, and no channel ever shows it."""
    teams = bureau.teams
    said = await teams.people.mention(bureau.anna, bureau.room, REPORT)
    await bureau.served.quiet()
    (pointer,) = teams.checks.replies(said.message)
    assert pointer.only_for == bureau.anna.id
    assert "bribe" not in shown(pointer)
    assert await bureau.cases() == []
    for person in (bureau.ben, bureau.olga):
        refused = await fetch(teams, person, pointer, "escalate", id_of(pointer))
        assert "Only the person who asked" in dialog(refused)
        hidden = dialog(await fetch(teams, person, pointer, "show", id_of(pointer)))
        assert "You can't see this here" in hidden
    form = dialog(await fetch(teams, bureau.anna, pointer, "escalate", id_of(pointer)))
    assert "Your name isn't shown" in form
    assert "Input.Toggle" not in form
    await bureau.sent(pointer, note="He did it again.")
    assert bureau.cards() == []
    (card,) = bureau.cards(teams.tenant.personal(bureau.olga))
    assert "He did it again." in shown(card)
    assert "anna" not in shown(card)
    assert "posted to the asker alone" in await bureau.begin(bureau.olga, card)
    assert bureau.cards(teams.tenant.personal(bureau.oskar)) == []
    await bureau.answer(bureau.olga, card, "We take it up.")
    assert "We take it up." in words_of(bureau.own(bureau.anna)[-1].text)
    for place in (bureau.room, bureau.desk):
        told = [shown(one) for one in teams.tenant.by_bot() if one.conversation == place.id]
        assert not [one for one in told if "bribe" in one or "did it again" in one]


async def test_the_writer_of_a_report_comes_back_with_its_code(bureau: Office) -> None:
    """From Ben's account, in private and in a channel; nothing of Ben is kept."""
    teams = bureau.teams
    said = await teams.people.mention(bureau.anna, bureau.room, REPORT)
    await bureau.served.quiet()
    (pointer,) = teams.checks.replies(said.message)
    told = await bureau.sent(pointer)
    code = code_in(told)
    assert code is not None
    (card,) = bureau.cards(teams.tenant.personal(bureau.olga))
    await bureau.execute(bureau.olga, card, "case_acknowledge")
    await bureau.answer(bureau.olga, card, "Since when?", effect="tells")
    before = len(bureau.own(bureau.ben))
    await teams.people.say(
        bureau.ben,
        teams.tenant.personal(bureau.ben),
        f"{code.code} <at>all</at> https://evil.example",
    )
    await teams.people.mention(bureau.ben, bureau.room, code.code)
    await bureau.served.quiet()
    first, second = bureau.own(bureau.ben)[before:]
    assert "Since when?" in words_of(first.text)
    assert "receipt acknowledged" in words_of(first.text)
    assert "https://evil.example" not in shown(first)
    assert "A case code is a secret" in words_of(second.text)
    cards = bureau.cards(teams.tenant.personal(bureau.olga))
    assert any("Writer of the report" in shown(card) for card in cards)
    assert any("evil[.]example" in shown(card) for card in cards)
    assert "has written. The card shows it." in shown(cards[-1])
    rows = await bureau.served.rows(
        "SELECT person FROM citebound.inbox UNION SELECT person FROM citebound.outbox"
        " UNION SELECT actor FROM citebound.case_messages"
    )
    assert bureau.ben.id not in {row["person"] for row in rows}


async def test_what_only_a_person_can_answer_is_passed_on(
    bureau: Office, policies_database: str
) -> None:
    """By itself, without name and place; the asker may add both, once."""
    await disputed.publish(policies_database)
    answer = await bureau.answered(disputed.QUESTION)
    assert "Needs a person" in answer.text
    assert "sent it to Compliance as case 1" in words_of(answer.text)
    (card,) = bureau.cards()
    assert disputed.QUESTION in shown(card)
    assert "anna" not in shown(card)
    opened = await fetch(bureau.teams, bureau.anna, answer, "escalate", id_of(answer))
    assert "already with Compliance as case 1, without your name" in dialog(opened)
    told = await bureau.sent(answer, note="From Acme, at Easter")
    assert "Sent to Compliance as case 1" in told
    assert "From Acme" in shown(card)
    assert "asked by anna" in shown(card)
    again = await fetch(bureau.teams, bureau.anna, answer, "escalate", id_of(answer))
    assert "Case 1 is open" in dialog(again)


async def test_ask_compliance_is_the_askers(bureau: Office) -> None:
    """Others are refused, form and sending; an officer may take a question up, naming nobody."""
    answer = await bureau.answered()
    ours = id_of(answer)
    refused = await fetch(bureau.teams, bureau.ben, answer, "escalate", ours)
    assert "Only the person who asked can send this" in dialog(refused)
    forged = await submit(bureau.teams, bureau.ben, answer, "escalate_submit", ours, note="x")
    assert "Only the person who asked can send this" in dialog(forged)
    await bureau.served.quiet()
    assert await bureau.cases() == []
    await submit(bureau.teams, bureau.olga, answer, "escalate_submit", ours, note="Look at it.")
    await bureau.served.quiet()
    (card,) = bureau.cards()
    assert "asked by" not in shown(card)


async def test_a_form_sent_twice_opens_one_case(bureau: Office) -> None:
    """Sent again by Teams, and by the asker once more."""
    answer = await bureau.answered()
    ours = id_of(answer)
    first = await submit(bureau.teams, bureau.anna, answer, "escalate_submit", ours)
    again = await bureau.teams.sender.again(first)
    second = await submit(bureau.teams, bureau.anna, answer, "escalate_submit", ours)
    assert "Case 1" in dialog(again) or "case 1" in dialog(again)
    assert "already been sent to Compliance" in dialog(second) or "Case 1 is open" in dialog(second)
    await bureau.served.quiet()
    assert len(bureau.cards()) == 1
    assert await bureau.cases() == [(1, "open", None)]


async def test_a_channel_without_the_app_does_not_swallow_a_case(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Where we were taken away, the card goes to the officer on call, who never wrote to us."""
    async with office(teams, microsoft, policies_database) as bureau:
        bureau.desk.has_bot = False
        await bureau.sent(await bureau.answered())
        (card,) = bureau.cards(teams.tenant.personal(bureau.olga))
        await bureau.execute(bureau.olga, card, "case_claim")
        assert "claimed by Olga O." in shown(card)


async def test_forms_say_who_reads_what_comes_of_them(bureau: Office) -> None:
    """In a thread everybody does; in one's own chat one alone; shown again they say the same."""
    answer = await bureau.answered()
    form = dialog(await fetch(bureau.teams, bureau.anna, answer, "escalate", id_of(answer)))
    assert "will reply in this thread" in form
    assert form.count("Input.Toggle") == 2
    own = bureau.teams.tenant.personal(bureau.anna)
    said = await bureau.teams.people.say(bureau.anna, own, QUESTION)
    alone = await bureau.served.answer_to(said.message)
    form = dialog(await fetch(bureau.teams, bureau.anna, alone, "escalate", id_of(alone)))
    assert "will reply to you here" in form
    assert form.count("Input.Toggle") == 1
    more = {"seen": "alone", "note": "For Acme"}
    again = await submit(bureau.teams, bureau.ben, alone, "escalate_submit", id_of(alone), **more)
    assert "For Acme" in dialog(again)
    assert "will reply to you here" in dialog(again)
