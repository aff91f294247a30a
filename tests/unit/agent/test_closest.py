"""The closest passage: a quotation, of one section, and nothing that anybody added to it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agent.conversation.understanding import understand
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.reply.prose import closest_passage
from core.agent.wording import IF_IT_DOES_NOT, REFUSALS
from core.confidence.calibration import DEFAULT
from core.domain.answer import Citation, Claim, Decision, Outcome, RefusalKind
from core.domain.ontology import SectionRef
from core.domain.question import Turn
from core.domain.run import Plan
from core.language.spans import Span, VersionId
from tests.factories import make_judgement, make_place
from tests.fakes import ScriptedReasoner
from tests.unit.agent.world import CASH, LIMIT, REGISTER, TRUE, make_world, says

SHOWER = make_place("Showers", number="3")
ELSEWHERE = make_place("Bicycles", number="4")
LEAD_IN = "The following can't be claimed:"


def quote(text: str, start: int) -> Citation:
    """Quote a text that stands at `start`."""
    span = Span(version_id=VersionId(1), char_start=start, char_end=start + len(text))
    return Citation(key="c1", span=span, quote=text)


def claim(*citations: Citation, text: str = "Whatever was claimed.") -> Claim:
    """Claim something, in words that nobody may read."""
    return Claim(text=text, citations=citations)


def passage(*claims: Claim, away: Sequence[Citation] = ()) -> Claim:
    """Return the closest passage; all quotes but those `away` stand in one section."""
    places: dict[Span, SectionRef] = {one.span: SHOWER for some in claims for one in some.citations}
    places |= {one.span: ELSEWHERE for one in away}
    return closest_passage(claims, places)


def test_it_says_what_is_quoted_and_not_what_was_claimed() -> None:
    """The words of a model stay unread."""
    shown = passage(claim(quote("Showers may be used\nfrom 6 to 9.", 10)))
    assert shown.text == "“Showers may be used from 6 to 9.”"
    assert [one.quote for one in shown.citations] == ["Showers may be used\nfrom 6 to 9."]


def test_a_list_item_stands_under_its_lead_in_once() -> None:
    """Two items of one list are one quotation, in the order of the policy."""
    lead_in = quote(LEAD_IN, 0)
    first, second = quote("- towels;", 32), quote("• soap.", 60)
    shown = passage(claim(lead_in, second), claim(lead_in, first))
    assert shown.text == f"“{LEAD_IN} towels; … soap.”"
    assert shown.citations == (lead_in, first, second)


def test_numbers_and_joints_of_a_list_are_not_quoted() -> None:
    """What a list is marked with is no part of what it says."""
    lead_in, item = quote("a. Others who may join:", 0), quote("ii. spouses, and/or", 40)
    assert passage(claim(lead_in, item)).text == "“Others who may join: … spouses”"
    heading, other = quote("5.4. Personal costs", 0), quote("- Spa visits.", 20)
    assert passage(claim(heading, other)).text == "“Personal costs: Spa visits.”"


def test_a_table_row_reads_under_its_header() -> None:
    """As a sentence, without bars; the stored rows are what is cited."""
    header, one, other = quote("City | Night", 0), quote("Bonn | 90", 13), quote("Kiel | 80", 23)
    shown = passage(claim(header, one), claim(header, other))
    assert shown.text == "“Bonn: night 90. Kiel: night 80”"
    assert shown.citations == (header, one, other)


def test_what_stands_within_another_quote_is_not_quoted_twice() -> None:
    """A sentence, and a part of it that was cited on its own."""
    whole, part = quote("Showers are free. Towels are not.", 0), quote("Towels are not.", 18)
    assert passage(claim(part), claim(whole)).citations == (whole,)


def test_two_claims_of_one_section_are_enough() -> None:
    """What rests on another section, and what comes third, is left out."""
    away = quote("Bicycles stand outside.", 500)
    quotes = [quote(f"Rule {number}.", 50 * number) for number in range(3)]
    shown = passage(claim(quotes[0]), claim(away), claim(quotes[1]), claim(quotes[2]), away=[away])
    assert [one.quote for one in shown.citations] == ["Rule 0.", "Rule 1."]
    assert shown.text == "“Rule 0. … Rule 1.”"


def doubted(probability: float = 0.5) -> ScriptedReasoner:
    """Draft what is true, with a probability of answering."""
    given = make_judgement(0.5, answers=probability)
    return ScriptedReasoner(drafts=[says((CASH, CASH), (LIMIT, LIMIT))], judgements=[given])


async def test_a_run_that_is_not_sure_shows_it() -> None:
    """Refused, with quote and place; its numbers are kept and no badge is shown."""
    answer = (await make_world().run(doubted())).answer
    assert (answer.outcome, answer.refusal) == (Outcome.REFUSED, RefusalKind.NOT_SURE)
    assert answer.is_closest
    assert answer.text == (
        f"{REFUSALS[RefusalKind.NOT_SURE].en}\n“{CASH} {LIMIT}” [1][2]\n{IF_IT_DOES_NOT.en}"
    )
    assert [one.quote for one in answer.citations] == [CASH, LIMIT]
    assert {one.place.number for one in answer.citations} == {"1"}
    assert answer.confidence.badge is None
    assert answer.confidence.calibrated is not None
    assert DEFAULT.closest_from <= answer.confidence.calibrated < 0.5
    assert dict(answer.confidence.features)["answers"] == 0.5
    assert ("gifts", "1") not in {(one.policy_key, one.number) for one in answer.nearest}
    assert not answer.needs_person


async def test_it_is_stored_and_read_as_what_it_is() -> None:
    """From its JSON the same answer comes back, for every surface that draws it later."""
    answer = (await make_world().run(doubted())).answer
    stored = answer_json(answer)
    assert (stored["outcome"], stored["refusal"]) == ("refused", "not_sure")
    again = answer_of(stored)
    assert again.is_closest
    assert (again.text, again.claims) == (answer.text, answer.claims)


@pytest.mark.parametrize(
    ("text", "relevance", "kind"),
    [
        ("Will it rain tomorrow?", 0.05, RefusalKind.OUT_OF_SCOPE),
        ("May I accept cash as a gift?", 0.2, RefusalKind.NOT_FOUND),
    ],
    ids=["off topic", "nothing relevant"],
)
async def test_where_no_passage_is_shown(
    text: str, relevance: float, kind: RefusalKind | None
) -> None:
    """Not off topic, and not where nothing relevant was found."""
    answer = (await make_world(relevance=relevance).run(doubted(), text)).answer
    assert (answer.refusal, answer.claims, answer.citations) == (kind, (), ())


async def test_a_report_that_the_reasoner_recognises_shows_none() -> None:
    """It is told how to report, whatever else the policies hold."""
    reasoner = replace(doubted(), planned=Plan(intent="report"))
    answer = (await make_world().run(reasoner)).answer
    assert answer.is_report
    assert {one.place.policy_key for one in answer.citations} == {"speak-up"}


async def test_a_better_retry_is_the_answer() -> None:
    """The passage is what is left if another attempt brings nothing surer."""
    given = [make_judgement(0.5, answers=0.5), make_judgement(0.9, answers=0.9)]
    reasoner = ScriptedReasoner(
        drafts=[TRUE, says((REGISTER, REGISTER))], judgements=given, is_model=False
    )
    run = await make_world().run(reasoner)
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.FINAL]
    assert run.answer.outcome is Outcome.ANSWERED


def test_a_follow_up_goes_on_with_the_question_of_a_closest_passage() -> None:
    """What was quoted is what the asker has read: "and for contractors?" asks about the same."""
    turn = Turn(
        question="May employees accept cash?",
        outcome="refused",
        answer=f"“{CASH}” [1]",
        refusal="not_sure",
    )
    meant = understand("and for contractors?", [turn]).standalone
    assert "accept cash" in meant
    assert "contractors" in meant


def test_what_a_claim_cites_elsewhere_is_left_out() -> None:
    """A claim that rests on two sections is quoted from the one of the first alone."""
    away, here = quote("Bicycles stand outside.", 500), quote("Showers are free.", 0)
    assert passage(claim(away, here), away=[away]).citations == (here,)


def test_a_sentence_before_a_table_is_no_header() -> None:
    """Only rows are read under a row; what introduces the table stays as it is."""
    said, header = quote("Prices of a night:", 0), quote("City | Night", 19)
    row, after = quote("Bonn | 90", 32), quote("Breakfast is extra.", 42)
    shown = passage(claim(said, header, row), claim(after))
    assert shown.text == "“Prices of a night: Bonn: night 90 Breakfast is extra.”"


@pytest.mark.parametrize(("gap", "between"), [(0, " "), (2, " "), (3, " … ")])
def test_a_gap_is_marked_where_words_are_left_out(gap: int, between: str) -> None:
    """White space between two sentences is no gap."""
    first = quote("Showers are free.", 0)
    second = quote("Towels are not.", len("Showers are free.") + gap)
    assert passage(claim(first, second)).text == (f"“Showers are free.{between}Towels are not.”")
