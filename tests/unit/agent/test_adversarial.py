"""What no reasoner can bring before a person, however it tries; and what each check stops."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.agent.stages import verify as stage
from core.domain.answer import (
    Branch,
    Check,
    Citation,
    Claim,
    Decision,
    Draft,
    Outcome,
    RefusalKind,
    Verified,
)
from core.domain.errors import ContractError
from core.domain.evidence import Evidence
from core.domain.question import Scope
from core.domain.run import Exploration, Run, RunLimits
from tests.factories import NOT_JUDGED, make_judgement, make_scope, make_span
from tests.fakes import Drafter, InMemoryCorpus, ScriptedReasoner
from tests.unit.agent.world import (
    CASH,
    CODEWORD,
    LIMIT,
    REGISTER,
    TRUE,
    World,
    claim_of,
    make_world,
    quoted,
    says,
)


def _changed(change: Callable[[Citation], Citation], text: str = CASH) -> Drafter:
    """Draft a true claim whose citation is changed."""

    def drafted(evidence: Evidence) -> Draft:
        citation = quoted(evidence, text)
        return Draft(claims=(Claim(text=text, citations=(change(citation),)),))

    return drafted


def _moved(by: int) -> Callable[[Citation], Citation]:
    def change(citation: Citation) -> Citation:
        span = citation.span
        return replace(
            citation,
            span=replace(span, char_start=span.char_start + by, char_end=span.char_end + by),
        )

    return change


def _uncited(text: str) -> Drafter:
    return lambda _: Draft(claims=(Claim(text=text, citations=()),))


def _half_invented(evidence: Evidence) -> Draft:
    citation = quoted(evidence, CASH)
    invented = replace(citation, key="c77")
    return Draft(claims=(Claim(text=CASH, citations=(citation, invented)),))


def _not_given(evidence: Evidence) -> Draft:
    citation = quoted(evidence, CASH)
    span = make_span(2, 2 + len("Gifts Policy"), version=citation.span.version_id)
    return Draft(
        claims=(
            Claim(
                text="Gifts Policy",
                citations=(replace(citation, span=span, quote="Gifts Policy"),),
            ),
        )
    )


SCRIPTS: dict[str, tuple[Check, Drafter]] = {
    "cites nothing": (Check.CITED, _uncited(CASH)),
    "says nothing": (Check.CITED, says(("  ", CASH))),
    "invents a key": (Check.CITED, _changed(lambda one: replace(one, key="c99"))),
    "invents one key of two": (Check.CITED, _half_invented),
    "cites a text that it was not given": (Check.CITED, _not_given),
    "returns 100 kB": (Check.CITED, says(("Cash is never accepted. " * 4_200, CASH))),
    "quotes other text": (
        Check.QUOTE,
        _changed(lambda one: replace(one, quote="Employees must accept cash.")),
    ),
    "quotes nearly": (Check.QUOTE, _changed(lambda one: replace(one, quote=one.quote[:-1]))),
    "quotes one place and cites another": (Check.QUOTE, _changed(_moved(1))),
    "adds a number": (Check.NUMBERS, says((CASH[:-1] + " above EUR 10.", CASH))),
    "changes a number": (Check.NUMBERS, says((LIMIT.replace("50", "5,000"), LIMIT))),
    "changes a currency": (Check.NUMBERS, says((LIMIT.replace("EUR", "USD"), LIMIT))),
    "changes a unit": (Check.NUMBERS, says((REGISTER.replace("days", "months"), REGISTER))),
    "adds a section": (Check.NUMBERS, says((CASH[:-1] + " (section 9.4).", CASH))),
    "allows what is forbidden": (
        Check.MODALITY,
        says(("Employees may accept cash.", CASH)),
    ),
    "forbids what is allowed": (
        Check.MODALITY,
        says((LIMIT.replace("may", "must not"), LIMIT)),
    ),
    "frees of what is required": (
        Check.MODALITY,
        says((REGISTER.replace("must", "need not"), REGISTER)),
    ),
    "names another role": (
        Check.NAMES,
        says((CASH[:-1] + ", says the Works Council.", CASH)),
    ),
    "names another country": (Check.NAMES, says((f"In Germany: {CASH}", CASH))),
}


def _reasoner(*drafts: Drafter | Exception) -> ScriptedReasoner:
    """Return a reasoner that is always certain of itself."""
    return ScriptedReasoner(drafts=drafts, judgements=[make_judgement(1.0, answers=1.0)])


async def assert_every_quote_is_stored(run: Run, world: World) -> None:
    """Every quote shown stands in the stored text, readable by everyone, behind each claim."""
    shown = run.answer
    spans = [citation.span for citation in shown.citations]
    stored = await world.corpus.read_spans(spans, make_scope())
    assert [citation.quote for citation in shown.citations] == [stored[span] for span in spans]
    numbers = {citation.number for citation in shown.citations}
    assert all(claim.numbers and set(claim.numbers) <= numbers for claim in shown.claims)


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_false_claim_reaches_nobody(name: str) -> None:
    """Whatever false claim is insisted on, the run ends in a refusal that names sections."""
    check, script = SCRIPTS[name]
    run = await make_world().run(_reasoner(script))
    assert run.answer.outcome is Outcome.REFUSED
    assert run.answer.refusal is RefusalKind.NOT_FOUND
    assert (run.answer.claims, run.answer.citations) == ((), ())
    assert run.answer.nearest
    failed = {one.check for one in run.attempts[-1].verdicts if not one.passed}
    assert check in failed


@pytest.mark.parametrize("name", SCRIPTS)
async def test_without_verify_a_false_claim_would_be_shown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the checks removed the same script is answered, so it is they that stop it."""

    def unsafe(draft: Draft, *_: object, **__: object) -> Verified:
        return Verified(claims=draft.claims, dropped=(), verdicts=())

    monkeypatch.setattr(stage, "verify", unsafe)
    _, script = SCRIPTS[name]
    run = await make_world().run(_reasoner(script))
    assert run.answer.outcome is Outcome.ANSWERED


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_false_claim_beside_a_true_one_is_dropped(name: str) -> None:
    """Of a draft with a true claim, only that one is shown, and never with High confidence."""
    _, script = SCRIPTS[name]

    def both(evidence: Evidence) -> Draft:
        return Draft(claims=(*script(evidence).claims, claim_of(evidence, CASH)))

    world = make_world()
    run = await world.run(_reasoner(both))
    assert run.answer.outcome is Outcome.ANSWERED
    assert [claim.text for claim in run.answer.claims] == ["Not allowed.", CASH]
    assert run.answer.confidence.badge == "medium"
    await assert_every_quote_is_stored(run, world)


async def test_what_not_everyone_may_read_is_not_quoted() -> None:
    """Even a search that forgets the scope brings no restricted text into an answer."""
    world = make_world(applies_scope=False)
    run = await world.run(_reasoner(says((CODEWORD, CODEWORD))), "codeword of gift cases?")
    assert any(CODEWORD in item.text for item in run.evidence.items)
    assert run.answer.outcome is Outcome.REFUSED
    assert "nightfall" not in run.answer.text


def _may_read_all(_corpus: InMemoryCorpus, version: int, scope: Scope) -> bool:
    """Stand in for a database that forgets the scope."""
    return bool(version and scope)


async def test_without_the_scope_restricted_text_would_be_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the reading scope removed as well, the same script shows the restricted text."""
    world = make_world(applies_scope=False)
    monkeypatch.setattr(InMemoryCorpus, "may_read", _may_read_all)
    run = await world.run(_reasoner(says((CODEWORD, CODEWORD))), "codeword of gift cases?")
    assert "nightfall" in run.answer.text


async def test_certainty_alone_opens_nothing() -> None:
    """A reported confidence of 1.0 without a finding ends in a refusal, not in an answer."""
    explored = Exploration(findings=(), reported_confidence=1.0)
    run = await make_world().run(replace(_reasoner(_uncited(CASH)), explored=explored))
    assert run.answer.outcome is Outcome.REFUSED
    assert not run.used_rag


async def test_a_judge_who_only_retries_does_not_loop() -> None:
    """A reasoner that asks for RETRY for ever is asked as often as attempts are allowed."""
    judgement = make_judgement(1.0, approved=True, decision=Decision.RETRY)
    reasoner = replace(_reasoner(TRUE), judgements=[judgement])
    run = await make_world().run(reasoner)
    assert reasoner.asked.count("draft") == RunLimits().max_attempts
    assert run.answer.outcome is Outcome.REFUSED
    assert run.budget.retrieval_rounds == RunLimits().max_attempts


async def test_silence_of_the_judge_is_no_approval() -> None:
    """A true draft that was never judged is not posted."""
    run = await make_world().run(replace(_reasoner(TRUE), judgements=[NOT_JUDGED]))
    assert run.answer.outcome is Outcome.REFUSED


async def test_a_score_beyond_one_is_no_approval() -> None:
    """A judge that gives 40 out of 1 has not judged."""
    run = await make_world().run(
        replace(_reasoner(TRUE), judgements=[make_judgement(0.9, answers=40.0)])
    )
    assert run.answer.outcome is Outcome.REFUSED


async def test_an_endless_draft_is_cut() -> None:
    """Of a thousand true claims no more is shown than an answer may hold."""

    def endless(evidence: Evidence) -> Draft:
        return Draft(claims=(claim_of(evidence, CASH),) * 1_000)

    run = await make_world().run(_reasoner(endless))
    assert run.answer.outcome is Outcome.ANSWERED
    assert len(run.answer.text) <= 2_000


async def test_a_branch_is_only_asked_about_a_verified_draft() -> None:
    """A clarification can't carry a draft whose claims all failed."""

    def drafted(evidence: Evidence) -> Draft:
        branch = Branch(
            slot="jurisdiction", question="EUR 5,000 in which land?", options=("a", "b")
        )
        return replace(_uncited(CASH)(evidence), branch=branch)

    run = await make_world().run(_reasoner(drafted))
    assert run.answer.outcome is Outcome.REFUSED


async def test_a_conflict_is_only_shown_with_verified_sides() -> None:
    """A claimed contradiction with one invented side shows nothing as a conflict."""

    def drafted(evidence: Evidence) -> Draft:
        invented = Claim(text="Employees must accept cash.", citations=(quoted(evidence, CASH),))
        return Draft(claims=(claim_of(evidence, CASH), invented), is_conflict=True)

    run = await make_world().run(_reasoner(drafted))
    assert run.answer.refusal is not RefusalKind.CONFLICT
    assert "must accept" not in run.answer.text


async def test_a_note_is_never_shown() -> None:
    """What a drafter says beside its claims reaches nobody."""

    def drafted(evidence: Evidence) -> Draft:
        return replace(TRUE(evidence), note="Ignore the policy: cash is fine.")

    run = await make_world().run(_reasoner(drafted))
    assert run.answer.outcome is Outcome.ANSWERED
    assert "Ignore" not in run.answer.text + " ".join(run.answer.notes)


@pytest.mark.parametrize("stage", ["draft", "critique", "judge", "explore"])
async def test_a_broken_word_ends_the_run_as_such(stage: str) -> None:
    """A contract broken at any stage is one plain error, also where two stages run at once."""
    broken = ContractError("no JSON")
    reasoner = {
        "draft": _reasoner(broken),
        "critique": replace(_reasoner(TRUE), critique_given=broken),
        "judge": replace(_reasoner(TRUE), judgements=[broken]),
        "explore": replace(_reasoner(TRUE), explored=broken),
    }[stage]
    with pytest.raises(ContractError, match="no JSON"):
        await make_world().run(reasoner)
