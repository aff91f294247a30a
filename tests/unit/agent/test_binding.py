"""Verified claims are held to who asks, and to the conditions under which they ask."""

from dataclasses import replace

import pytest

from core.agent.applicability import (
    ApplicableClaims,
    applicable_claims,
    groups_named,
    people_concerned,
    query_of,
    with_notes,
)
from core.agent.conversation.small_talk import SmallTalk
from core.agent.conversation.understanding import understand
from core.agent.reply.compose import small_talk_reply
from core.agent.request import AskRequest, Reply
from core.agent.service import Answering
from core.agent.wording import WITHOUT_MODEL
from core.domain.answer import Badge, Outcome, RefusalKind, Verified
from core.domain.conversation import Place
from core.domain.question import Assumption, Question, Turn
from core.domain.run import RunLimits
from core.language.conditions import conditions_in
from core.retrieval.retriever import Retriever
from tests.factories import make_evidence, make_judgement, make_question
from tests.fakes import (
    CountingIds,
    FixedClock,
    InMemoryConversations,
    InMemoryCorpus,
    InMemoryLog,
    InMemoryOntology,
    InMemorySearch,
    Policy,
    ScriptedReasoner,
)
from tests.unit.agent.world import claim_of, says

SUPPLIERS = "Employees may accept gifts from suppliers worth up to EUR 50."
OFFICIALS = "Nothing may be offered to or accepted from government officials."
CONTRACTORS = "Contractors must not accept any gift."
POLICY = Policy(
    key="gifts",
    title="Gifts Policy",
    text=f"# Gifts Policy\n\n## 1 Gifts\n{SUPPLIERS} {OFFICIALS} {CONTRACTORS}\n",
)
ASKED = Turn(
    question="May I accept a gift from a supplier?", outcome="answered", answer=f"{SUPPLIERS} [1]"
)


async def ask(text: str, quoted: str, *turns: Turn, claim: str = "") -> Reply:
    """Ask in a thread, with a reasoner that quotes what it is told to, and a judge that agrees."""
    corpus = InMemoryCorpus(POLICY)
    answering = Answering(
        reasoner=ScriptedReasoner(
            drafts=[says((claim or quoted, quoted))] * 3, judgements=[make_judgement()] * 3
        ),
        corpus=corpus,
        ontology=InMemoryOntology(corpus),
        conversations=InMemoryConversations(turns={"known": turns}),
        retriever=Retriever(InMemorySearch(corpus), None),
        log=InMemoryLog(),
        clock=FixedClock(),
        ids=CountingIds(),
        limits=RunLimits(),
    )
    return await answering.ask(AskRequest(text=text, place=Place(thread="known")))


def said_of(reply: Reply) -> tuple[str, ...]:
    return tuple(note for note in reply.answer.notes if note != WITHOUT_MODEL.en)


async def test_an_answer_is_not_repeated_under_another_condition() -> None:
    """The rule for suppliers is no answer for an official, and the reply says why."""
    reply = await ask("what if it is from a public official?", SUPPLIERS, ASKED)
    answer = reply.answer
    assert reply.run.question.standalone == "May I accept a gift from a public official?"
    assert (answer.outcome, answer.refusal) == (Outcome.REFUSED, RefusalKind.NOT_SURE)
    assert answer.is_closest
    assert said_of(reply) == ('The passages that I found do not mention "public official".',)


async def test_a_rule_that_speaks_of_the_condition_answers() -> None:
    """Whatever word the policy has for it; and the search looks for these words."""
    reply = await ask("what if it is from a public official?", OFFICIALS, ASKED)
    assert (reply.answer.outcome, said_of(reply)) == (Outcome.ANSWERED, ())
    assert reply.answer.confidence.badge is Badge.HIGH


async def test_a_first_question_says_what_nothing_quoted_mentions() -> None:
    """A general rule shown for an official is not sure, and says that it does not mention one."""
    reply = await ask("Can I give wine to a public official in Germany?", SUPPLIERS)
    answer = reply.answer
    assert (answer.outcome, answer.confidence.badge) == (Outcome.ANSWERED, Badge.MEDIUM)
    assert said_of(reply) == ('The passages that I found do not mention "public official".',)


def test_an_item_of_another_thing_is_not_quoted_beside_the_one_asked_about() -> None:
    """Of a list or a table only what tells of the new thing is shown, if anything does."""
    header, lading, data = "Record | Kept", "Bills of lading | 6 years", "Tachograph data | 2 years"
    evidence = make_evidence(header, lading, data)
    rows = tuple(
        replace(one, citations=(claim_of(evidence, header).citations[0], *one.citations))
        for one in (claim_of(evidence, lading), claim_of(evidence, data))
    )
    turn = Turn(question="how long are bills of lading kept", outcome="answered", answer="6 years")
    meant = understand("and tachograph data?", [turn])
    question = replace(make_question(meant.standalone), conditions=meant.conditions)
    verified = Verified(claims=rows, dropped=(), verdicts=())
    assert applicable_claims(question, verified, evidence).verified.claims == rows[1:]
    alone = replace(verified, claims=rows[:1])
    bound = applicable_claims(question, alone, evidence)
    assert (bound.verified.claims, bound.is_beside) == (rows[:1], True)


async def test_a_new_place_is_missed_only_where_another_one_is_named() -> None:
    """What holds everywhere holds there; what holds in Germany is no answer for France."""
    reply = await ask("and in France?", SUPPLIERS, ASKED)
    assert (reply.answer.outcome, said_of(reply)) == (Outcome.ANSWERED, ())


async def test_a_rule_for_a_group_is_asked_for_before_it_is_told() -> None:
    """Whoever may be no contractor is asked; the choices are the group and the rest."""
    answer = (await ask("Can I accept a gift from a vendor?", CONTRACTORS)).answer
    assert (answer.outcome, answer.slot) == (Outcome.CLARIFICATION, "employment")
    assert answer.options == ("contractor", "employee")
    assert "only to contractors" in answer.text


async def test_a_rule_for_a_group_is_told_by_its_name() -> None:
    """Where no more may be asked, it stands under the group, never as a bare yes or no."""
    turns = [
        Turn(question="Can I?", outcome="clarification", answer="?", slot="jurisdiction"),
        Turn(question="Can I?", outcome="clarification", answer="?", slot="referent"),
    ]
    told = f"No. {CONTRACTORS}"
    answer = (
        await ask("Can I accept a gift from a vendor?", CONTRACTORS, *turns, claim=told)
    ).answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.claims[0].text == f"For contractors: {CONTRACTORS}"
    assert answer.confidence.badge is Badge.MEDIUM


@pytest.mark.parametrize(
    "text",
    [
        "Can I as a contractor accept a gift?",
        "I'm a freelancer. Can I accept a gift?",
        "Can contractors accept gifts?",
        "Who must not accept any gift?",
    ],
)
async def test_whoever_names_their_group_is_told_its_rule(text: str) -> None:
    """Nobody is asked what they have said, nor where the question asks for somebody."""
    answer = (await ask(text, CONTRACTORS)).answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.claims[-1].text == CONTRACTORS


async def test_an_employee_is_not_told_the_rule_of_contractors() -> None:
    """Who answered that they are an employee gets nothing that is for contractors alone."""
    asked = Turn(
        question="Can I accept a gift from a vendor?",
        outcome="clarification",
        answer="?",
        slot="employment",
        options=("contractor", "employee"),
    )
    refused = (await ask("employee", CONTRACTORS, asked)).answer
    assert (refused.outcome, refused.claims) == (Outcome.REFUSED, ())
    everybody = (await ask("all", CONTRACTORS, asked)).answer
    assert [one.text for one in everybody.claims] == [f"For contractors: {CONTRACTORS}"]
    told = (await ask("contractor", CONTRACTORS, asked)).answer
    assert [one.text for one in told.claims] == ["Not allowed.", CONTRACTORS]


def bound(question: Question, *texts: str) -> ApplicableClaims:
    evidence = make_evidence(*texts)
    claims = tuple(claim_of(evidence, text) for text in texts)
    return applicable_claims(question, Verified(claims=claims, dropped=(), verdicts=()), evidence)


def test_what_holds_for_all_comes_first() -> None:
    """The rule for a group follows the one for everybody, under its name; nothing is asked."""
    found = bound(make_question("Can I accept a gift?"), CONTRACTORS, SUPPLIERS)
    assert [one.text for one in found.verified.claims] == [
        SUPPLIERS,
        f"For contractors: {CONTRACTORS}",
    ]
    assert (found.branch, found.is_limited) == (None, True)


def test_managers_are_named_and_not_asked_for() -> None:
    """Only what one is by contract is worth a question back."""
    found = bound(make_question("May I book a flight?"), "Managers may book a flight at once.")
    assert [one.text for one in found.verified.claims] == [
        "For managers: Managers may book a flight at once."
    ]
    assert found.branch is None


def test_the_groups_of_an_asker_are_those_named_or_told() -> None:
    """A rule for another group ranks behind one that is for everybody."""
    question = make_question("Can I accept a gift?")
    assert "contractor" not in groups_named(question)
    known = Assumption(slot="employment", value="contractor", source="asker")
    assert "contractor" in groups_named(replace(question, assumptions=(known,)))


def test_a_question_is_bound_to_whom_it_names() -> None:
    """The ranking and the search look for every word that policies have for them."""
    text = "Can I give a bottle of wine worth EUR 40 to a public official in Germany?"
    question = replace(make_question(text), conditions=conditions_in(text))
    assert people_concerned(question) == {"public official"}
    assert people_concerned(make_question("May I take wine?")) == frozenset()
    assert "government official" in query_of(question)
    assert query_of(make_question("May I take wine?")) == "May I take wine?"


def test_only_answers_and_refusals_have_notes() -> None:
    """A question back has no place for them."""
    answer = small_talk_reply(SmallTalk.GREETING)
    assert with_notes(answer, ("x",)) == answer


async def test_small_talk_costs_nothing() -> None:
    """A greeting is answered in fixed words, without a search, and what follows stands alone."""
    reply = await ask("hello there", SUPPLIERS)
    assert reply.answer.outcome is Outcome.CLARIFICATION
    assert (reply.answer.slot, reply.run.attempts) == ("question", ())
    assert reply.answer.text.startswith("Hello.")


async def test_greetings_use_up_no_question_back() -> None:
    """Two of them, and still the group may be asked for."""
    hello = Turn(question="hi", outcome="clarification", answer="Hello.", slot="question")
    answer = (await ask("Can I accept a gift from a vendor?", CONTRACTORS, hello, hello)).answer
    assert (answer.outcome, answer.slot) == (Outcome.CLARIFICATION, "employment")


async def test_thanks_in_between_change_nothing() -> None:
    """A follow-up goes on with the question before the thanks."""
    thanks = Turn(question="thx!", outcome="clarification", answer="Welcome.", slot="question")
    reply = await ask("and for contractors?", CONTRACTORS, ASKED, thanks)
    assert reply.run.question.standalone == "May contractors accept a gift from a supplier?"
    assert reply.answer.outcome is Outcome.ANSWERED


def test_a_conversation_keeps_what_it_was_told() -> None:
    """Germany, told once, holds until the asker says otherwise; nobody else's does."""
    history: list[Turn] = []

    def said(text: str, asker: str = "p-1", outcome: str = "answered") -> dict[str, str]:
        found = understand(text, history, asker=asker)
        history.append(
            Turn(
                question=found.standalone,
                outcome=outcome,
                answer="",
                slot="jurisdiction" if outcome == "clarification" else None,
                asker=asker,
                assumptions=found.assumptions,
            )
        )
        return {one.slot: one.value for one in found.assumptions}

    assert said("What is the gift limit?", outcome="clarification") == {}
    assert said("thanks!") == {}
    assert said("Germany") == {"jurisdiction": "Germany"}
    assert said("thanks!") == {"jurisdiction": "Germany"}
    assert said("Can I claim a taxi?") == {"jurisdiction": "Germany"}
    assert said("and for contractors?") == {"jurisdiction": "Germany"}
    assert said("What is the meal limit?", asker="p-2") == {}
    assert said("What is the gift limit in the UK?") == {}
    assert said("Can I work from Spain?") == {"jurisdiction": "Germany"}
    assert said("actually I'm in France") == {"jurisdiction": "France"}
    assert said("How many days of leave do I have?") == {"jurisdiction": "France"}
    assert said("and in general?") == {"jurisdiction": "all"}
    assert said("What is the hotel limit?") == {}
