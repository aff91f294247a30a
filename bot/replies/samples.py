"""One reply of each kind, with words of our own: what `citebound doctor` shows to the platforms."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from core.agent.languages_wording import words_in
from core.agent.reply import compose
from core.agent.wording import IF_IT_DOES_NOT, REFUSALS, WITHOUT_MODEL
from core.domain.affected import AffectedEdition, ChangedClause, ClauseChange
from core.domain.answer import (
    Answer,
    Badge,
    Branch,
    Confidence,
    Outcome,
    RefusalKind,
    ShownCitation,
    ShownClaim,
)
from core.domain.case import Case, CaseNews, CaseState, OfficerReply, SupersededAnswer, Urgency
from core.domain.delivery import Notice, StoredReply
from core.domain.ontology import SectionRef
from core.language.interface.texts import Text
from core.language.languages import Language
from core.language.spans import Span, VersionId

QUESTION = "What may a gift be worth?"
_WHICH = Text("In which country do you work?", "In welchem Land arbeiten Sie?")
_AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_PLACE = SectionRef(
    policy_key="gifts",
    policy_title="Gifts Policy",
    version_label="2.0",
    jurisdiction=None,
    eid="s-4-2",
    number="4.2",
    title="Monetary limit",
    page=3,
)
_QUOTES = (
    "A gift may be worth EUR 35 at most.",
    "Cash is not accepted.",
    "Each gift is entered in the register.",
)
_CALIBRATED = Confidence(
    reported=None,
    calibrated=0.91,
    badge=Badge.HIGH,
    is_calibrated=True,
    features=(("passed", 1.0),),
)


def _citation(number: int) -> ShownCitation:
    return ShownCitation(
        number=number,
        key=f"c{number}",
        span=Span(version_id=VersionId(1), char_start=100 * number, char_end=100 * number + 40),
        quote=_QUOTES[number - 1],
        place=replace(_PLACE, number=f"4.{number}", eid=f"s-4-{number}"),
        effective_from="2026-01-01",
    )


HIGH = Answer(
    outcome=Outcome.ANSWERED,
    text=" ".join(f"{quote} [{n}]" for n, quote in enumerate(_QUOTES, start=1)),
    claims=tuple(ShownClaim(text=quote, numbers=(n,)) for n, quote in enumerate(_QUOTES, start=1)),
    citations=tuple(map(_citation, (1, 2, 3))),
    confidence=_CALIBRATED,
    nearest=(_PLACE,),
)


def _answers(language: Language) -> Iterator[tuple[str, Answer]]:
    yield "answer, High", HIGH
    medium = replace(_CALIBRATED, calibrated=0.66, badge=Badge.MEDIUM, features=(("passed", 0.5),))
    without = WITHOUT_MODEL.of(language)
    yield "answer, Medium", replace(HIGH, confidence=medium, notes=(without,))
    quoted = ShownClaim(text=f"“{_QUOTES[0]}”", numbers=(1,))
    yield (
        "closest passage",
        replace(
            HIGH,
            outcome=Outcome.REFUSED,
            refusal=RefusalKind.NOT_SURE,
            text="\n".join(
                (
                    REFUSALS[RefusalKind.NOT_SURE].of(language),
                    f"{quoted.text} [1]",
                    IF_IT_DOES_NOT.of(language),
                )
            ),
            claims=(quoted,),
            citations=(_citation(1),),
            confidence=replace(_CALIBRATED, badge=None),
        ),
    )
    branch = Branch(slot="country", question=_WHICH.of(language), options=("DE", "UK"))
    yield "question back", compose.clarifying(branch, language=language)
    many = tuple(f"Country {number}" for number in range(1, 31))
    yield (
        "question back, many options",
        compose.clarifying(replace(branch, options=many), language=language),
    )
    yield "refusal, not permitted", compose.not_permitted(language)
    for kind in (one for one in RefusalKind if one is not RefusalKind.NOT_PERMITTED):
        told = compose.refused(
            kind,
            nearest=(_PLACE,),
            confidence=compose.NO_CONFIDENCE,
            notes=(),
            language=language,
        )
        yield f"refusal, {kind.value.replace('_', ' ')}", told
    report = compose.report_in_public(words_in(language), language)
    yield "report of misconduct", replace(report, nearest=(_PLACE,))
    yield "failure", compose.failed(language)


def sample_replies(
    language: Language = Language.ENGLISH,
) -> Iterator[tuple[str, StoredReply]]:
    """Yield a name and a reply, for each kind of reply; quotes and names are English in each."""
    for name, answer in _answers(language):
        yield name, _stored(answer=answer)
    case = Case(
        case_id="case_1",
        number=1,
        state=CaseState.OPEN,
        urgency=Urgency.WEEK,
        question=QUESTION,
        opened_at=_AT,
        answer=HIGH,
        note="It is from a supplier.",
        record_id="01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44",
        due_at=_AT,
    )
    taken = replace(case, officer="Officer", claimed_at=_AT)
    for state, shown in (
        (CaseState.OPEN, case),
        (CaseState.CLAIMED, taken),
        (CaseState.ANSWERED, replace(taken, told="Yes, up to EUR 35.")),
        (CaseState.CLOSED, taken),
    ):
        yield f"case card, {state.value}", _stored(case=replace(shown, state=state))
        news = CaseNews(number=1, state=state, officer="Officer", urgency=Urgency.WEEK)
        yield f"news of a case, {state.value}", _stored(news=news)
    yield (
        "officer's answer",
        _stored(
            officer_reply=OfficerReply(
                case_id="case_1",
                number=1,
                officer="Officer",
                question=QUESTION,
                text="Yes, up to EUR 35.",
            )
        ),
    )
    old = SupersededAnswer(answer=HIGH, officer="Officer", number=1, is_elsewhere=False)
    yield "answer that an officer corrected", _stored(superseded=old)
    yield "answer that a change withdrew", _stored(superseded=replace(old, number=None))
    clause = ChangedClause(
        title="Gifts Policy",
        section="4.2 Monetary limit",
        old_version="1.0",
        new_version="2.0",
        change=ClauseChange.CHANGED,
        before=_QUOTES[0],
        after="A gift may be worth EUR 50 at most.",
        answers=2,
    )
    affected = AffectedEdition(
        edition=2,
        waiting=2,
        under_way=0,
        told=0,
        confirmed=0,
        dropped=0,
        failed=0,
        approved_by=(),
        approved_at=None,
        clauses=(clause,),
        clauses_left_out=0,
    )
    yield "answers that an edition affects", _stored(affected=affected)
    for notice in Notice:
        # The note of a checkpoint is made when it is sent.
        yield f"notice, {notice.value.replace('_', ' ')}", _stored(notice=notice)


def _stored(**what: object) -> StoredReply:
    reply = StoredReply(
        question_id="q1",
        answer_id="ans_1",
        record_id="01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44",
        leaf_hash="9f2c41d07be6a358" * 4,
    )
    return replace(reply, **what)  # pyright: ignore[reportArgumentType]
