"""The reasoner without a model: what it plans, quotes, asks and leaves."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agent.extractive.ranking import SURE
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.stages.explore import explore
from core.agent.stages.verify import verify
from core.agent.wording import NO_SURE_ANSWER_TO, WITHOUT_MODEL
from core.domain.answer import Decision, Draft, Judgement, NotJudged, Outcome, RefusalKind
from core.domain.errors import ContractError
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.question import ALL, Assumption, Question
from core.domain.run import Clarification, Plan, RunLimits
from core.language.conditions import conditions_in
from core.ontology.tools.toolbox import OntologyToolbox
from tests.factories import (
    NOTHING_KNOWN,
    make_evidence,
    make_item,
    make_place,
    make_question,
    make_scope,
    stored_text,
)
from tests.fakes import InMemoryCorpus, InMemoryOntology, NoTools, Policy, ScriptedReader
from tests.unit.agent.world import CASH, GIFTS, make_world

GERMAN = make_item(
    "Employees may accept gifts worth up to EUR 35.",
    place=make_place("Gift limit", policy="gifts-de", jurisdiction="DE"),
)
BRITISH = make_item(
    "Employees may accept gifts worth up to GBP 50.",
    key="c2",
    version=2,
    place=make_place("Gift limit", policy="gifts-gb", jurisdiction="GB"),
)
SEVEN = make_item(
    "Invoices must be kept for 7 years.", place=make_place("Retention", policy="records")
)
TEN = make_item(
    "Invoices must be kept for 10 years.",
    key="c2",
    version=2,
    place=make_place("Retention", policy="finance"),
)
STAFF = make_item(
    "Employees may work from home on 3 days a week.",
    place=make_place("Home office for employees", path=("Remote work", "1 Employees")),
)
FREELANCE = make_item(
    "Contractors may work from home on 1 day a week.",
    key="c2",
    start=100,
    place=make_place(
        "Home office for contractors", number="2", path=("Remote work", "2 Contractors")
    ),
)
HOTELS = make_item(
    "City | Limit\nLondon | GBP 190\nRome | EUR 160\n",
    place=make_place("Hotel limits", policy="travel"),
)


async def planned(question: Question) -> Plan:
    plan = await ExtractiveReasoner().plan(question, NOTHING_KNOWN)
    assert isinstance(plan, Plan)
    return plan


async def drafted(text: str, *items: EvidenceItem, jurisdiction: str | None = None) -> Draft:
    return await _drafted(
        make_question(text, scope=make_scope(jurisdiction=jurisdiction)), Evidence(items=items)
    )


async def _drafted(question: Question, evidence: Evidence) -> Draft:
    found = await ExtractiveReasoner().draft(question, await planned(question), evidence)
    spans = stored_text(evidence, found)
    checked = verify(found, evidence, stored=spans, role_names=())
    assert checked.dropped == (), checked.verdicts
    return found


def said(draft: Draft) -> list[str]:
    return [claim.text for claim in draft.claims]


@pytest.mark.parametrize(
    "text",
    [
        "How should this be handled?",
        "What about it?",
        "Is that ok?",
        "Who has to approve this one?",
        "???",
        "Hello!",
    ],
)
async def test_a_question_without_a_subject_is_asked_back(text: str) -> None:
    """Where nothing says what is meant, the subject is asked for."""
    plan = await ExtractiveReasoner().plan(make_question(text), NOTHING_KNOWN)
    assert isinstance(plan, Clarification)
    assert plan.slot == "referent"
    assert plan.question.strip()


async def test_a_sum_is_not_asked_back() -> None:
    """A question of nothing but figures names no subject that could be asked for."""
    plan = await ExtractiveReasoner().plan(make_question("What's 17% of 2,340?"), NOTHING_KNOWN)
    assert isinstance(plan, Plan)


async def test_a_country_is_a_subject() -> None:
    """ "Can I work from Spain?" asks about Spain: there is nothing to ask back."""
    await planned(make_question("Can I work from Spain?"))


@pytest.mark.parametrize(
    "text",
    [
        "asdf",
        "jkhgf fgh",
        "12345",
        "https://example.org/a/b",
        '{"level": "info", "msg": "gift job finished", "pod": "billing"}',
        "2026-03-01 12:00:03 ERROR worker-3 lost gift-db after 3000 ms\n  at Pool.get(Pool.java:2)",
        "Traceback (most recent call last):\n  in <module>\nKeyError: gift",
    ],
)
async def test_what_says_nothing_is_asked_back(text: str) -> None:
    """Keys hit at random and a pasted log are no question, whatever words are among them."""
    knowledge = await InMemoryOntology(InMemoryCorpus(GIFTS)).open(make_scope())
    assert isinstance(
        await ExtractiveReasoner().plan(make_question(text), knowledge), Clarification
    )
    asked = await ExtractiveReasoner().plan(make_question(f"What is {text}?"), knowledge)
    assert isinstance(asked, Plan)


@pytest.mark.parametrize(
    "text",
    [
        "gift limit",
        "register of gifts, EUR 50",
        "cash",
        "translate bonjour for me",
        "COVID-19 and gifts",
        "is paternity leave unpaid",
        "sorry, meant for contractors",
    ],
)
async def test_a_subject_alone_is_asked_about(text: str) -> None:
    """Without a verb and a question mark too, if the policies have a word of it."""
    knowledge = await InMemoryOntology(InMemoryCorpus(GIFTS)).open(make_scope())
    assert isinstance(await ExtractiveReasoner().plan(make_question(text), knowledge), Plan)


async def test_a_plan_names_its_tools() -> None:
    """A comparison compares two subjects, a definition is resolved."""
    compared = await planned(make_question("What is the difference between gifts and bribes?"))
    assert compared.intent == "comparison"
    assert compared.tools[0] == "compare"
    assert compared.subjects == ("gifts", "bribes")
    defined = await planned(make_question("What does hospitality mean?"))
    assert (defined.intent, defined.tools[0]) == ("definition", "resolve_definition")


async def test_a_report_is_planned_as_one() -> None:
    """A report of misconduct is not planned as a question."""
    plan = await planned(make_question("My manager takes bribes. I saw it. What should I do?"))
    assert plan.intent == "report"


async def test_the_answering_sentence_is_quoted() -> None:
    """The claim is the stored sentence, word for word."""
    item = make_item(f"Offices open at nine. {CASH} Plants are watered.")
    draft = await drafted("May I accept cash?", item)
    assert said(draft) == [CASH]
    assert [citation.quote for claim in draft.claims for citation in claim.citations] == [CASH]


async def test_a_table_row_is_said_with_its_header() -> None:
    """Each cell is named by its column, and header and row are both cited."""
    draft = await drafted("What is the hotel limit in London?", HOTELS)
    assert said(draft) == ["London: limit GBP 190."]
    quotes = [citation.quote for citation in draft.claims[0].citations]
    assert quotes == ["City | Limit", "London | GBP 190"]


async def test_a_list_is_quoted_with_its_lead_in() -> None:
    """An item of a list is cited together with the sentence that introduces it."""
    item = make_item(
        "The following gifts are forbidden:\n- cash;\n- gift vouchers;\n- loans.\n",
        place=make_place("Forbidden gifts"),
    )
    draft = await drafted("Which gifts are forbidden?", item)
    forbidden = "The following gifts are forbidden:"
    wanted = {f"{forbidden} {one}." for one in ("cash", "gift vouchers", "loans")}
    assert wanted <= set(said(draft))
    for claim in draft.claims:
        if claim.text.startswith("-"):
            assert claim.citations[0].quote == "The following gifts are forbidden:"


async def test_rules_that_differ_by_country_are_asked_about() -> None:
    """Where each country has a limit of its own, the country is asked for."""
    draft = await drafted("How much may a gift be worth?", GERMAN, BRITISH)
    assert draft.branch is not None
    assert draft.branch.slot == "jurisdiction"
    assert draft.branch.options == ("Germany", "United Kingdom")
    assert not draft.is_conflict


@pytest.mark.parametrize(
    ("text", "scope", "amount"),
    [
        ("How much may a gift be worth in Germany?", None, "EUR 35"),
        ("How much may a gift be worth in London?", None, "GBP 50"),
        ("How much may a gift be worth?", "GB", "GBP 50"),
        ("How much may a gift be worth in Germany?", "GB", "EUR 35"),
    ],
)
async def test_a_stated_country_is_not_asked_for(text: str, scope: str | None, amount: str) -> None:
    """The country of the question, or else of the conversation, chooses the rule."""
    draft = await drafted(text, GERMAN, BRITISH, jurisdiction=scope)
    assert draft.branch is None
    assert len(draft.claims) == 1
    assert amount in draft.claims[0].text


async def test_a_reply_chooses_the_rule() -> None:
    """An assumption counts as said."""
    told = Assumption(slot="jurisdiction", value="United Kingdom", source="asker")
    question = make_question("How much may a gift be worth?", assumptions=(told,))
    draft = await _drafted(question, Evidence(items=(GERMAN, BRITISH)))
    assert (said(draft), draft.branch) == ([BRITISH.text], None)


async def test_all_cases_are_listed_if_asked_for() -> None:
    """ "All" quotes each rule and asks nothing."""
    told = Assumption(slot="jurisdiction", value=ALL, source="asker")
    question = make_question("How much may a gift be worth?", assumptions=(told,))
    draft = await _drafted(question, Evidence(items=(GERMAN, BRITISH)))
    assert (set(said(draft)), draft.branch) == ({GERMAN.text, BRITISH.text}, None)


async def test_a_comparison_quotes_both_sides() -> None:
    """A comparison asks nothing back and quotes each side."""
    draft = await drafted(
        "What is the difference between gifts in Germany and the UK?", GERMAN, BRITISH
    )
    assert (set(said(draft)), draft.branch) == ({GERMAN.text, BRITISH.text}, None)


async def test_each_side_of_a_comparison_is_asked_for_by_itself() -> None:
    """A rule says what holds, not how it differs from another one."""
    for text, sides in (
        (
            "What's the difference between the gift limits in Germany and in the UK?",
            ("Germany", "United Kingdom"),
        ),
        ("Compare the hotel limit with the train fare", ("the hotel limit", "the train fare")),
        ("Do gift limits differ for employees and contractors?", ("employee", "contractor")),
    ):
        question, reader = make_question(text), ScriptedReader({GERMAN.text: 5.0})
        reasoner = ExtractiveReasoner(reader)
        await reasoner.draft(question, await planned(question), Evidence(items=(GERMAN, BRITISH)))
        asked = list(dict.fromkeys(one for one, _ in reader.asked))
        assert len(asked) == len(sides)
        for one, other in (sides, sides[::-1]):
            assert any(one in said and other not in said for said in asked)
        assert not any("differ" in said or "ompare" in said or " vs" in said for said in asked)


async def test_one_side_of_a_comparison_is_no_answer() -> None:
    """However sure the one is: what is compared is answered by both or not at all."""
    question = make_question("Compare the gift limit in Germany with the one in the UK")
    reasoner = ExtractiveReasoner(ScriptedReader({GERMAN.text: 9.0, BRITISH.text: -6.0}))
    plan, evidence = await planned(question), Evidence(items=(GERMAN, BRITISH))
    draft = await reasoner.draft(question, plan, evidence)
    judged = await reasoner.judge(question, plan, evidence, draft)
    assert isinstance(judged, Judgement)
    assert (draft.left_open, judged.relevance < SURE) == ((), True)


TWICE = "How long must invoices be kept? Who approves the parking of lorries?"


class KeepingReader(ScriptedReader):
    """Finds what answers the first of the two, by the score that it is given."""

    def __init__(self, score: float) -> None:
        super().__init__({SEVEN.text: score})

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """See `Reader.scores`."""
        if question.startswith("How long"):
            return await super().scores(question, texts)
        return [-5.0 if BRITISH.text in text else -6.0 for text in texts]


async def test_the_sure_part_of_a_double_question_is_answered() -> None:
    """What may not answer the other part is left out, and the part is named."""
    run = await make_world(
        Policy(key="records", title="Records", text=f"# Records\n\n## 1 Keeping\n{SEVEN.text}\n"),
        GIFTS,
    ).run(ExtractiveReasoner(KeepingReader(9.0)), TWICE)
    assert run.answer.outcome is Outcome.ANSWERED
    assert [one.quote for one in run.answer.citations] == [SEVEN.text]
    named = NO_SURE_ANSWER_TO.en.format(asked="\u201cWho approves the parking of lorries\u201d")
    assert named in run.answer.notes


async def test_a_double_question_of_which_nothing_is_sure_is_drafted_whole() -> None:
    """The closest passage is chosen among all that may answer."""
    question = make_question(TWICE)
    reasoner = ExtractiveReasoner(KeepingReader(-5.0))
    draft = await reasoner.draft(
        question, await planned(question), Evidence(items=(SEVEN, BRITISH))
    )
    assert draft.left_open == ()
    assert {SEVEN.text, BRITISH.text} <= set(said(draft))


async def test_who_is_asked_about_counts_more_than_what_is_given() -> None:
    """A rule about public officials speaks of no wine; the limit for others has its price."""
    text = "Can I give a bottle of wine worth EUR 40 to a public official in Germany?"
    question = replace(make_question(text), conditions=conditions_in(text))
    officials = make_item(
        "Staff must not give any gift to a public official.",
        key="c2",
        version=2,
        place=make_place("Public officials"),
    )
    reader = ScriptedReader({officials.text: 1.0, GERMAN.text: 3.0})
    reasoner = ExtractiveReasoner(reader)
    draft = await reasoner.draft(
        question, await planned(question), Evidence(items=(GERMAN, officials))
    )
    assert said(draft)[0] == officials.text
    assert {one for one, _ in reader.asked} == {
        "Can I give anything to a public official in Germany?"
    }
    text = "Can I offer lunch to a public official?"
    question, reader = (
        replace(make_question(text), conditions=conditions_in(text)),
        ScriptedReader(),
    )
    await ExtractiveReasoner(reader).draft(
        question, await planned(question), Evidence(items=(officials,))
    )
    assert {one for one, _ in reader.asked} == {text}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "A shop gave me a gift card. OK to keep it?",
            "A shop gave me a gift card (cash equivalent). OK to keep it?",
        ),
        ("Can I keep two gift cards?", "Can I keep two gift cards (cash equivalent)?"),
        ("Is a gift card a cash equivalent?", "Is a gift card a cash equivalent?"),
        ("May I put a card on a gift?", "May I put a card on a gift?"),
        ("Can I keep a gift?", "Can I keep a gift?"),
    ],
)
async def test_what_a_definition_names_is_read_by_the_defined_term(text: str, read: str) -> None:
    """No reader knows what counts as cash for a company; its policy says so."""
    policy = Policy(
        key="gifts",
        title="Gifts Policy",
        text='# Gifts Policy\n\n## 1 Terms\n"Cash equivalent" means gift cards and vouchers.\n',
    )
    knowledge = await InMemoryOntology(InMemoryCorpus(policy)).open(make_scope())
    question, reader = make_question(text), ScriptedReader()
    reasoner = ExtractiveReasoner(reader)
    plan = await reasoner.plan(question, knowledge)
    assert isinstance(plan, Plan)
    await reasoner.draft(question, plan, Evidence(items=(GERMAN,)))
    assert {one for one, _ in reader.asked} == {read}


async def test_rules_that_differ_by_employment_are_asked_about() -> None:
    """Where employees and contractors have rules of their own, which of them is asked for."""
    draft = await drafted("How many days may I work from home?", STAFF, FREELANCE)
    assert draft.branch is not None
    assert (draft.branch.slot, draft.branch.options) == ("employment", ("contractor", "employee"))


async def test_a_stated_employment_is_not_asked_for() -> None:
    """Contractors get the rule for contractors."""
    draft = await drafted("How many days may a contractor work from home?", STAFF, FREELANCE)
    assert (said(draft), draft.branch) == ([FREELANCE.text], None)


async def test_policies_that_contradict_each_other_are_a_conflict() -> None:
    """Two policies with another figure for the same thing are both quoted, as a conflict."""
    draft = await drafted("How long must invoices be kept?", SEVEN, TEN)
    assert draft.is_conflict
    assert said(draft) == [SEVEN.text, TEN.text]


@pytest.mark.parametrize(
    "other",
    [
        make_item("Invoices must be kept for seven years.", key="c2", version=2, place=TEN.place),
        replace(TEN, place=replace(TEN.place, policy_key="records")),
        replace(TEN, place=replace(TEN.place, jurisdiction="DE")),
        make_item("Visitors must be met within 10 minutes.", key="c2", version=2, place=TEN.place),
    ],
    ids=["same figure", "same policy", "another country", "another thing"],
)
async def test_what_is_no_contradiction_is_no_conflict(other: EvidenceItem) -> None:
    """The same figure, one policy, another country or another thing contradict nothing."""
    assert not (await drafted("How long must invoices be kept?", SEVEN, other)).is_conflict


async def test_what_is_not_covered_is_not_approved() -> None:
    """A question that no sentence concerns is judged so."""
    question = make_question("May I bring my dog to the office?")
    plan, evidence = await planned(question), Evidence(items=(SEVEN, BRITISH))
    reasoner = ExtractiveReasoner()
    draft = await reasoner.draft(question, plan, evidence)
    judged = await reasoner.judge(question, plan, evidence, draft)
    assert isinstance(judged, NotJudged) or not judged.approved
    assert draft.missing


async def test_a_covering_draft_is_approved() -> None:
    """The judge measures in [0, 1] and approves a sentence that answers."""
    question = make_question("How long must invoices be kept?")
    plan, evidence = await planned(question), Evidence(items=(SEVEN,))
    reasoner = ExtractiveReasoner()
    judged = await reasoner.judge(
        question, plan, evidence, await reasoner.draft(question, plan, evidence)
    )
    assert isinstance(judged, Judgement)
    assert (judged.approved, judged.decision) == (True, Decision.FINAL)
    assert all(0 <= value <= 1 for _, value in judged.measures)


async def test_nothing_is_not_judged() -> None:
    """Without a claim there is nothing to judge."""
    question = make_question("How long must invoices be kept?")
    judged = await ExtractiveReasoner().judge(
        question, await planned(question), Evidence(items=(SEVEN,)), Draft(claims=())
    )
    assert isinstance(judged, NotJudged)


async def test_a_left_out_exception_is_named_by_the_critic() -> None:
    """The critic names what the cited section excepts and the draft does not quote."""
    evidence = make_evidence(f"{CASH} This does not apply to refunds.")
    question = make_question("May I accept cash?")
    claims = [claim for claim in (await _drafted(question, evidence)).claims if claim.text == CASH]
    found = await ExtractiveReasoner().critique(question, evidence, Draft(claims=tuple(claims)))
    assert found.refine
    assert "does not apply to refunds" in found.issues[0]


class BrokenReader:
    """Its weights can't be run."""

    name = "broken"

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """See `Reader.scores`."""
        raise ContractError("the local model failed: no such input")


async def test_without_its_reader_it_goes_on_by_words(caplog: pytest.LogCaptureFixture) -> None:
    """Weights that can't be run fail no question: it is told once, and words decide."""
    question = make_question("How long must invoices be kept?")
    evidence = Evidence(items=(HOTELS, SEVEN))
    plan = await planned(question)
    broken, plain = ExtractiveReasoner(BrokenReader()), ExtractiveReasoner()
    for _ in range(2):
        assert await broken.draft(question, plan, evidence) == await plain.draft(
            question, plan, evidence
        )
    assert caplog.text.count("answers are found without a reader from now on") == 1
    assert "no such input" in caplog.text


async def test_the_same_question_has_the_same_answer() -> None:
    """Plan, findings, draft, critique and judgement are the same each time."""
    corpus = InMemoryCorpus(GIFTS)
    knowledge = await InMemoryOntology(corpus).open(make_scope())
    question = make_question("Within how many days must a gift be entered in the register?")

    async def everything() -> tuple[object, ...]:
        reasoner = ExtractiveReasoner()
        plan = await reasoner.plan(question, knowledge)
        assert isinstance(plan, Plan)
        toolbox = OntologyToolbox(knowledge.lookup, max_calls=12)
        found = await explore(reasoner, question, plan, knowledge=knowledge, toolbox=toolbox)
        evidence = make_evidence(*(finding.text for finding in found.findings))
        draft = await reasoner.draft(question, plan, evidence)
        return (
            plan,
            found,
            draft,
            await reasoner.critique(question, evidence, draft),
            await reasoner.judge(question, plan, evidence, draft),
        )

    assert await everything() == await everything()


async def test_findings_are_facts_of_the_ontology() -> None:
    """Exploring reports stored sentences, the nearest first, and a number in [0, 1]."""
    knowledge = await InMemoryOntology(InMemoryCorpus(GIFTS)).open(make_scope())
    question = make_question("May I accept cash?")
    reasoner = ExtractiveReasoner()
    plan = await reasoner.plan(question, knowledge)
    assert isinstance(plan, Plan)
    found = await explore(reasoner, question, plan, knowledge=knowledge, toolbox=NoTools())
    assert found.findings[0].text == CASH
    assert found.reported_confidence is not None


async def test_facts_alone_are_never_sure() -> None:
    """They were compared with ten facts, and not with all that the policies say."""
    knowledge = await InMemoryOntology(InMemoryCorpus(GIFTS)).open(make_scope())
    question = make_question("Must employees not accept cash?")
    reasoner = ExtractiveReasoner(ScriptedReader({CASH: 12.0}))
    plan = await reasoner.plan(question, knowledge)
    assert isinstance(plan, Plan)
    found = await explore(reasoner, question, plan, knowledge=knowledge, toolbox=NoTools())
    assert 0.5 < (found.reported_confidence or 0.0) < RunLimits().gate_threshold


async def test_what_a_reader_finds_to_answer_is_relevant() -> None:
    """Relevance by words was fitted on questions in the policies' own language."""
    world = make_world(GIFTS, relevance=0.1)
    asked = "Do employees accept banknotes?"
    read = await world.run(ExtractiveReasoner(ScriptedReader({CASH: 12.0})), asked)
    assert read.answer.outcome is Outcome.ANSWERED
    unread = await world.run(ExtractiveReasoner(), asked)
    assert unread.answer.outcome is Outcome.REFUSED


@pytest.mark.parametrize("use_rag", [True, False])
async def test_a_question_is_answered_without_a_model(*, use_rag: bool) -> None:
    """The whole path, with chunks and from the graph alone, ends in a stored sentence."""
    run = await make_world(GIFTS).run(
        ExtractiveReasoner(), "Must employees not accept cash?", use_rag=use_rag
    )
    if run.answer.outcome is Outcome.ANSWERED:
        assert CASH in {citation.quote for citation in run.answer.citations}
    assert run.answer.outcome in {Outcome.ANSWERED, Outcome.REFUSED}


async def test_what_the_policies_do_not_say_is_refused_without_a_model() -> None:
    """A question about something else is never answered from the nearest sentence."""
    for text in ("How many parking spaces are there?", "Who won the world cup?"):
        run = await make_world(GIFTS).run(ExtractiveReasoner(), text)
        assert run.answer.outcome is Outcome.REFUSED
        assert run.answer.claims == ()


async def test_a_contradiction_elsewhere_is_not_shown() -> None:
    """Policies that contradict each other about something else are not quoted as a conflict."""
    world = make_world(
        Policy(key="a", title="A Policy", text=f"# A\n\n## 1 Retention\n{SEVEN.text}\n"),
        Policy(key="b", title="B Policy", text=f"# B\n\n## 1 Retention\n{TEN.text}\n"),
    )
    asked = await world.run(ExtractiveReasoner(), "How long must invoices be kept?")
    assert asked.answer.refusal is RefusalKind.CONFLICT
    assert asked.answer.notes == (WITHOUT_MODEL.en,)
    other = await world.run(ExtractiveReasoner(), "May I bring my dog to the office?")
    assert other.answer.outcome is Outcome.REFUSED
    assert other.answer.refusal is not RefusalKind.CONFLICT
    assert other.answer.claims == ()


async def test_a_piece_of_a_sentence_is_not_quoted() -> None:
    """The other half may take back what it says."""
    torn = "Employees may be asked to work overtime or perform\n\nnothing of the kind on a Sunday."
    item = make_item(
        f"{torn}\n\nOvertime is paid.", place=make_place("Overtime", policy="working-time")
    )
    quoted = " ".join(said(await drafted("May employees be asked to work overtime?", item)))
    assert "perform" not in quoted
    assert "Sunday" not in quoted


async def test_the_footnote_of_a_sentence_is_quoted_with_it() -> None:
    """The exception is part of the rule, wherever it was printed."""
    rule = "Employees may accept gifts worth up to EUR 35 from any supplier of the company."
    note = "Footnote 1: Public officials are under a law of their own."
    filler = "The register of all of them is kept by the Compliance Officer for ten years. " * 5
    item = make_item(
        f"{rule}\n\n{note}\n\n{filler}", place=make_place("Gift limit", policy="gifts")
    )
    quoted = said(await drafted("What gifts may employees accept?", item))
    assert quoted[:2] == [rule, note]
