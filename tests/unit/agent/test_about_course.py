"""Facts about policies, from the question to the answer, without a reasoner."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from core.agent.pipeline import Pipeline
from core.agent.policy_facts import answer as course
from core.agent.request import PipelineParts, Task
from core.agent.stages.verify import verify
from core.agent.wording import FROM_METADATA, PARTIAL, WHICH_POLICY
from core.domain.answer import BY_CODE, Badge, Check, Citation, Claim, Draft, Outcome
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.policy import ComingText, PolicyMetadata
from core.domain.policy_facts import (
    Applies,
    FactKind,
    PolicyExcerpt,
    PolicyFacts,
    SectionChanges,
    statements,
)
from core.domain.question import Assumption, Scope, Turn
from core.domain.run import Run, RunLimits
from core.language.spans import Span, VersionId
from core.ontology.tools.toolbox import OntologyToolbox
from core.retrieval.retriever import Retriever
from tests.factories import make_place, make_question, make_scope
from tests.fakes import (
    FixedClock,
    InMemoryCorpus,
    InMemoryOntology,
    InMemorySearch,
    Policy,
    ScriptedReasoner,
)

TRAVEL = Policy(
    key="travel",
    title="Travel Policy",
    text="# Travel Policy\n\n## 1 Purpose\nThis policy sets out how trips are booked.\n\n"
    "## 2 Trains\nIf it rains, staff may wait. Employees must book second class.\n\n"
    "## 3 Cars\nAbove this limit, cars must be booked. Employees must not rent sports cars.\n",
)
CARS = Policy(
    key="company-car", title="Company Car Policy", text="# Company Car Policy\n\nA car.\n"
)
POOL = Policy(key="pool", title="Pool Car Policy", text="# Pool Car Policy\n\nA car.\n")
BOARD = Policy(
    key="board",
    title="Board Pay Policy",
    text="# Board Pay Policy\n\nPay.\n",
    groups=frozenset({"board"}),
)
OWNERS = {"travel": "Head of Finance", "company-car": "Facilities", "pool": None, "board": "Chair"}


@dataclass
class InMemoryAbout:
    """Facts about the policies of a corpus; `later` is what a second reading finds instead."""

    corpus: InMemoryCorpus
    later: Mapping[str, str]
    read: int = 0

    async def facts(self, keys: Collection[str], scope: Scope, /) -> tuple[PolicyFacts, ...]:
        self.read += 1
        found = [one for one in await self.corpus.versions(scope) if one.metadata.key in keys]
        owners = OWNERS | (dict(self.later) if self.read > 1 else {})
        return tuple(
            make_facts(
                version=one.version_id,
                metadata=replace(one.metadata, owner=owners.get(one.metadata.key)),
            )
            for one in found
        )

    async def applying_to(self, role: str, scope: Scope, /) -> tuple[Applies, ...]:
        if role != "contractors":
            return ()
        return ()

    async def coming(self, spans: Sequence[Span], scope: Scope, /) -> list[ComingText]:
        return []

    async def excerpts(self, key: str, scope: Scope, /) -> tuple[PolicyExcerpt, ...]:
        number, policy = next(
            (number, one) for number, one in self.corpus.policies.items() if one.key == key
        )
        found: list[PolicyExcerpt] = []
        for part in policy.text.split("## ")[1:]:
            heading, body = part.split("\n", 1)
            start = policy.text.index(body)
            span = Span(version_id=VersionId(number), char_start=start, char_end=start + len(body))
            found.append(
                PolicyExcerpt(
                    number=heading[0], title=heading[2:], path=(heading,), span=span, text=body
                )
            )
        return tuple(found)


def nothing(_: Evidence) -> Draft:
    """Draft no claim."""
    return Draft(claims=())


def make_facts(
    *,
    version: int = 1,
    metadata: PolicyMetadata | None = None,
    before: str | None = None,
    changes: SectionChanges | None = None,
) -> PolicyFacts:
    known = metadata or PolicyMetadata(key="travel", title="Travel Policy", owner="Head of Finance")
    return PolicyFacts(
        version_id=VersionId(version),
        metadata=known,
        source_name=f"{known.key}.md",
        changed_on=date(2026, 3, 2),
        before=before,
        changes=changes,
        heading=Span(version_id=VersionId(version), char_start=2, char_end=2 + len(known.title)),
    )


async def ask(
    text: str,
    *history: Turn,
    groups: tuple[str, ...] = (),
    later: Mapping[str, str] | None = None,
    assumptions: tuple[Assumption, ...] = (),
    reasoner: ScriptedReasoner | None = None,
) -> Run:
    """Take a question to its outcome; the reasoner, if it is asked, has nothing to say."""
    corpus = InMemoryCorpus(TRAVEL, CARS, POOL, BOARD)
    scope = make_scope(*groups)
    knowledge = await InMemoryOntology(corpus).open(scope)
    parts = PipelineParts(
        reasoner=reasoner or ScriptedReasoner(drafts=[nothing] * 3),
        corpus=corpus,
        retriever=Retriever(InMemorySearch(corpus), None),
        clock=FixedClock(),
        limits=RunLimits(),
        about=InMemoryAbout(corpus=corpus, later=later or {}),
    )
    question = make_question(text, scope=scope, history=history, assumptions=assumptions)
    return await Pipeline(parts).run(
        Task(
            question=question,
            knowledge=knowledge,
            tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=5),
        )
    )


async def test_an_owner_is_told_and_recorded_as_read_from_metadata() -> None:
    """With High confidence, the heading cited, and no reasoner behind it."""
    run = await ask("Who owns the travel policy?")
    answer = run.answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "\u201cTravel Policy\u201d is owned by the Head of Finance. [1]"
    assert answer.citations[0].quote == "Travel Policy"
    assert (answer.confidence.badge, answer.notes) == (Badge.HIGH, (FROM_METADATA.en,))
    assert (run.reasoner, run.plan.intent, run.model_calls) == (
        course.REASONER,
        "about_policies",
        (),
    )
    assert [step.stage for step in run.steps] == ["plan", "verify", "decide"]
    assert run.warnings == ("about_policies",)
    assert run.versions == (VersionId(1),)
    assert all(verdict.passed for verdict in run.attempts[0].verdicts)


async def test_what_is_no_longer_stored_is_not_told() -> None:
    """The second reading differs from the first: the claim falls, and the ordinary way is gone."""
    run = await ask("Who owns the travel policy?", later={"travel": "Head of Travel"})
    assert run.answer.outcome is Outcome.REFUSED
    assert run.reasoner != course.REASONER


async def test_a_policy_of_others_is_not_named() -> None:
    """Neither by its name nor in a list; who may read it is told."""
    assert (await ask("Who owns the board pay policy?")).reasoner != course.REASONER
    assert "Board" not in (await ask("What policies do you have?")).answer.text
    told = await ask("Who owns the board pay policy?", groups=("board",))
    assert "owned by Chair" in told.answer.text
    listed = await ask("What policies do you have?", groups=("board",))
    assert "\u2022 Board Pay Policy [1]" in listed.answer.text


async def test_which_of_two_policies_is_asked_for() -> None:
    """With their titles; the one that is chosen is told, and all are where all are wanted."""
    question = "Who owns the car policy?"
    run = await ask(question)
    assert (run.answer.outcome, run.answer.slot) == (Outcome.CLARIFICATION, "policy")
    assert run.answer.text == WHICH_POLICY.en
    assert run.answer.options == ("Company Car Policy", "Pool Car Policy")
    turn = Turn(
        question=question,
        outcome="clarification",
        answer=WHICH_POLICY.en,
        slot="policy",
        options=run.answer.options,
    )
    chosen = Assumption(slot="policy", value="Company Car Policy", source="asker")
    told = await ask("Company Car Policy", turn, assumptions=(chosen,))
    assert told.answer.text == "\u201cCompany Car Policy\u201d is owned by Facilities. [1]"


async def test_what_is_not_stored_goes_the_ordinary_way() -> None:
    """The text of the policy may say it; of several facts those that are stored are told."""
    assert (await ask("Who owns the pool car policy?")).reasoner != course.REASONER
    both = await ask("Who owns the pool car policy and where can I find it?")
    assert both.answer.notes == (PARTIAL.en, FROM_METADATA.en)
    assert "comes from the file pool.md" in both.answer.text


async def test_it_is_the_policy_of_the_last_answer() -> None:
    turn = Turn(question="May I fly?", outcome="answered", answer="No.", policies=("travel",))
    assert "Head of Finance" in (await ask("Who owns it?", turn)).answer.text
    assert (await ask("Who owns it?")).reasoner != course.REASONER


async def test_a_summary_quotes_the_purpose_and_first_rules() -> None:
    """As what it is, with Medium confidence; of each chapter a rule without a condition first."""
    run = await ask("Summarise the travel policy")
    assert run.answer.text == (
        "Main rules of \u201cTravel Policy\u201d: one quote from each of 2 of the 2 chapters with"
        " rules.\n"
        "\u2022 This policy sets out how trips are booked. [1]\n"
        "\u2022 Employees must book second class. [2]\n"
        "\u2022 Employees must not rent sports cars. [3]"
    )
    assert run.answer.confidence.badge is Badge.MEDIUM
    quotes = {one.quote for one in run.answer.citations}
    assert all(quote in TRAVEL.text for quote in quotes)


async def test_a_model_summarises_in_its_own_words() -> None:
    """Facts are read for it, too; a summary it writes itself, on the ordinary way."""
    model = ScriptedReasoner(drafts=[nothing] * 3, is_model=True)
    assert (await ask("Summarise the travel policy", reasoner=model)).reasoner == model.name
    told = await ask("Who owns the travel policy?", reasoner=model)
    assert told.reasoner == course.REASONER


HEADING = Span(version_id=VersionId(1), char_start=2, char_end=15)
ITEM = EvidenceItem(
    key="c1",
    kind="metadata",
    span=HEADING,
    text="Travel Policy",
    place=make_place("Travel Policy"),
    relevance=None,
)
SAID = "\u201cTravel Policy\u201d is owned by the Head of Finance."


def _failed(text: str, metadata: Mapping[Span, Collection[str]] | None) -> set[Check]:
    cited = Citation(key="c1", span=HEADING, quote="Travel Policy")
    found = verify(
        Draft(claims=(Claim(text=text, citations=(cited,)),)),
        Evidence(items=(ITEM,)),
        stored={HEADING: "Travel Policy"},
        role_names=(),
        metadata=metadata,
    )
    return {one.check for one in found.verdicts if not one.passed}


@pytest.mark.parametrize(
    "text",
    [
        SAID.replace("Finance", "Sales"),
        SAID.replace("owned", "not owned"),
        f"{SAID} It is approved.",
        SAID.lower(),
        "Travel Policy",
        "",
    ],
)
def test_a_statement_about_a_policy_passes_word_for_word_or_not_at_all(text: str) -> None:
    """Even what the heading itself bears out: a claim of metadata has no other ground."""
    known = {HEADING: frozenset({SAID})}
    assert _failed(SAID, known) == set()
    assert set(BY_CODE) - {Check.CITED, Check.QUOTE} <= _failed(text, known)


def test_no_statement_passes_where_nothing_is_known() -> None:
    for nothing in (None, {}, {HEADING: ()}, {replace(HEADING, char_end=9): {SAID}}):
        assert Check.SUPPORT in _failed(SAID, nothing)


def test_statements_say_what_is_stored() -> None:
    """Each by its kind; nothing is said of what is not there."""
    metadata = PolicyMetadata(
        key="gifts",
        title="Gifts  \nPolicy",
        label="Version 2.0",
        owner="Compliance",
        jurisdiction="DE",
        effective_from=date(2025, 7, 1),
        effective_until=date(2027, 1, 1),
    )
    changes = SectionChanges(
        added=("4 Wine",), changed=("Gifts Policy", "2 Cash"), removed=tuple("abcdefghijk")
    )
    said = statements(make_facts(metadata=metadata, before="1.0", changes=changes))
    assert said[FactKind.OWNER] == ("\u201cGifts Policy\u201d is owned by Compliance.",)
    assert said[FactKind.VERSION] == (
        "Version 2.0 of \u201cGifts Policy\u201d has been in force since 1 July 2025 and holds"
        " until 31 December 2026.",
    )
    assert said[FactKind.LISTING] == ("Gifts Policy (version 2.0, Germany)",)
    assert "published here on 2 March 2026, in place of version 1.0." in said[FactKind.CHANGE][1]
    differs = said[FactKind.CHANGE][2]
    assert "it has other words in its opening lines and \u201c2 Cash\u201d" in differs
    assert "new in it is \u201c4 Wine\u201d" in differs
    assert differs.endswith("and 3 more.")
    bare = statements(make_facts(metadata=PolicyMetadata(key="a", title="A")))
    assert FactKind.OWNER not in bare
    assert FactKind.VERSION not in bare
    assert "no earlier version here" in bare[FactKind.CHANGE][0]
    same = SectionChanges(added=(), changed=(), removed=())
    unchanged = statements(make_facts(before="1", changes=same))[FactKind.CHANGE][-1]
    assert unchanged.endswith("no section of it has other words.")
