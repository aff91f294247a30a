"""Every payload that we build, from any text: the same words in each place that takes foreign ones.

What checks a payload stands here too, so that no test can forget one of the checks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import product
from typing import Any, Literal, cast

import pytest
from slack_sdk.models.blocks import Block as SdkBlock
from slack_sdk.models.messages.chunk import Chunk
from slack_sdk.models.views import View
from slackblocks import _surfaces

from bot.forms import forms
from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import Around
from bot.forms.forms import Form, SeenBy
from bot.replies import case_texts, safe_text
from bot.replies.context import Library, RenderContext, Shelf
from bot.slack.blocks import cases, home_view, modals, progress_blocks
from bot.slack.blocks import render as rendering
from bot.slack.blocks.evidence import evidence_modal, loading_modal
from bot.slack.blocks.home_view import Home, OpenQuestion, PolicyChange
from bot.slack.blocks.home_view import home_view as view_of_home
from bot.slack.blocks.modals import message_modal
from bot.slack.blocks.render import RICH, SHAPES, SlackMessage, render, share
from core.agent.reply import compose
from core.agent.wording import IF_IT_DOES_NOT, MODEL_UNAVAILABLE, REFUSALS
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
from core.domain.case import (
    Case,
    CaseNews,
    CaseState,
    OfficerReply,
    ReviewVerdict,
    SupersededAnswer,
    Urgency,
)
from core.domain.delivery import Clarified, Notice, StoredReply
from core.domain.ontology import SectionRef
from core.language.interface.texts import as_it_is
from core.language.spans import Span, VersionId
from core.ports.reasoning import Progressed
from core.ports.starters import Starter, StarterSet
from tests.factories import NOW, public_report
from tests.servers.slack.blocks import blocks_faults, chunk_faults, view_faults
from tests.servers.slack.wire import Json
from tests.unit.slack.limits import IN_MESSAGE, IN_VIEW, own_rules

_defanged_once = lru_cache(20_000)(safe_text._broken)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(autouse=True)
def defanged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defang each text once for all payloads that show it, in modules that import this."""
    monkeypatch.setattr(safe_text, "_broken", _defanged_once)


Surface = Literal["message", "modal", "home", "chunks"]
HOST = "policies.example.com"
LIBRARY = Library(
    shelves={"gifts": Shelf(url=f"https://{HOST}/gifts", file_name="gifts.md", owner="Legal")},
    hosts=frozenset({HOST}),
)
ASKER = "U0ASKER"
THREAD = "https://acme.slack.com/archives/C0/p1700000000000100"
SETTING = RenderContext(library=LIBRARY, asker=ASKER)
CALIBRATED = Confidence(
    reported=0.97,
    calibrated=0.919,
    badge=Badge.HIGH,
    is_calibrated=True,
    features=(("passed", 1.0),),
)
FOREIGN = "speak"
"""Key of a policy without an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One thing that would be sent."""

    name: str
    surface: Surface
    blocks: Sequence[Json] = ()
    text: str = ""
    view: Json | None = None


NOTHING = StarterSet(edition=None, starters=())
"""Before anything was published."""


def starters_of(text: str) -> StarterSet:
    """Return as many questions to begin with as are offered, each of these words."""
    made = (Starter(starter_id=f"s{number}", topic=text, question=text) for number in range(4))
    return StarterSet(edition=1, starters=tuple(made))


def place(text: str, *, policy: str = "gifts") -> SectionRef:
    return SectionRef(
        policy_key=policy,
        policy_title=text,
        version_label=text,
        jurisdiction=text[:2],
        eid=text,
        number=text,
        title=text,
        page=3,
    )


def citation(number: int, quote: str, where: SectionRef) -> ShownCitation:
    return ShownCitation(
        number=number,
        key=f"c{number}",
        span=Span(version_id=VersionId(1), char_start=number, char_end=number + 1),
        quote=quote,
        place=where,
        effective_from="2026-03-01",
    )


def answered(text: str, *, many: int = 3) -> Answer:
    """Return an answer with `many` claims, each with a quote of its own."""
    places = (place(text), place(text, policy=FOREIGN), replace(place(text), number=None))
    return Answer(
        outcome=Outcome.ANSWERED,
        text="\n".join(f"{text} [{number}]" for number in range(1, many + 1)),
        claims=tuple(ShownClaim(text=text, numbers=(n,)) for n in range(1, many + 1)),
        citations=tuple(citation(n, text, places[n % 3]) for n in range(1, many + 1)),
        confidence=CALIBRATED,
        assumptions=(text,),
        notes=(text, MODEL_UNAVAILABLE.en),
        nearest=tuple(place(title) for title in (text, f"{text[:60]}?", "Why?")),
    )


def closest(text: str, *, many: int = 1) -> Answer:
    """Return a closest passage, quoted from `many` stretches of one section."""
    numbers = tuple(range(1, many + 1))
    marks = "".join(f"[{number}]" for number in numbers)
    above = REFUSALS[RefusalKind.NOT_SURE].en
    return Answer(
        outcome=Outcome.REFUSED,
        refusal=RefusalKind.NOT_SURE,
        text=f"{above}\n“{text}” {marks}\n{IF_IT_DOES_NOT.en}",
        claims=(ShownClaim(text=f"“{text}”", numbers=numbers),),
        citations=tuple(citation(number, text, place(text)) for number in numbers),
        confidence=replace(CALIBRATED, calibrated=0.31, badge=None),
        nearest=(place(text, policy=FOREIGN),),
        notes=(MODEL_UNAVAILABLE.en,),
    )


def answers(text: str) -> Iterator[tuple[str, Answer]]:
    """Return an answer of every outcome."""
    near = [place(text), place(text, policy=FOREIGN)]
    bare = compose.NO_CONFIDENCE
    yield "answered", answered(text)
    yield "answered with many sources", answered(text, many=12)
    low = replace(CALIBRATED, badge=Badge.MEDIUM, is_calibrated=False, features=(("passed", 0.5),))
    yield "partial", replace(answered(text), confidence=low)
    branch = Branch(slot="s", question=text, options=(text, "US", text))
    yield "closest", closest(text)
    yield "closest, of two quotes", closest(text, many=2)
    yield "clarification", compose.clarifying(branch)
    yield "many options", compose.clarifying(replace(branch, options=(text,) * 60))
    yield "greeting", replace(compose.greeting(), text=text)
    for kind in RefusalKind:
        told = compose.refused(kind, nearest=near, confidence=bare, notes=(text,))
        yield f"refused {kind}", replace(told, text=text)
    yield "escalated", replace(public_report(), nearest=near, text=text)
    yield "failed", replace(compose.failed(), text=text)


def stored(answer: Answer | None, *, notice: Notice | None = None) -> StoredReply:
    return StoredReply(
        answer=answer,
        notice=notice,
        question_id="q1",
        answer_id="ans_7f3" if answer else None,
        record_id="01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44",
        leaf_hash="9f2c41d07be6a358" * 4,
    )


def case(text: str, answer: Answer | None, state: CaseState = CaseState.CLAIMED) -> Case:
    return Case(
        case_id="case_214",
        number=214,
        state=state,
        urgency=Urgency.WEEK,
        question=text,
        opened_at=NOW,
        answer=answer,
        note=text,
        asker=ASKER,
        permalink=THREAD,
        record_id="01983f31-02b7-7c15-8a0e-90c5d1e6f207",
        officer=text,
        claimed_at=NOW,
        due_at=NOW,
        is_private=True,
        is_wrong=True,
        verdict=ReviewVerdict.WRONG,
        told=text,
    )


def affected(text: str) -> AffectedEdition:
    """Return an edition that affects answers; all of its words are the text."""
    clause = ChangedClause(
        title=text,
        section=text,
        old_version=text,
        new_version=text,
        change=ClauseChange.CHANGED,
        before=text,
        after=text,
        answers=3,
    )
    return AffectedEdition(
        edition=7,
        waiting=3,
        under_way=1,
        told=2,
        confirmed=1,
        dropped=1,
        failed=1,
        approved_by=(text, text),
        approved_at=datetime(2026, 11, 22, 14, 5, tzinfo=UTC),
        clauses=(clause,) * 5,
        clauses_left_out=9,
    )


def every(text: str) -> Iterator[Payload]:
    """Return everything that we would send with this text in it."""
    yield from _replies(text)
    yield from _cases(text)
    yield from _lines(text)
    yield from _views(text)
    yield from _chunks(text)


def _message(name: str, shown: SlackMessage) -> Payload:
    return Payload(name=name, surface="message", blocks=shown.blocks, text=shown.text)


def _replies(text: str) -> Iterator[Payload]:
    offers = replace(SETTING, may_share=True)
    public = replace(SETTING, is_public=True)
    for name, answer in answers(text):
        for shape in range(SHAPES):
            for setting in (offers, public, RenderContext()) if shape == RICH else (offers,):
                shown = render(stored(answer), shape, outbox_id=17, context=setting)
                yield _message(f"{name}, shape {shape}", shown)
            if not name.startswith("answered"):
                continue
            shown = share(stored(answer), shape, question=text, outbox_id=17, context=public)
            yield _message(f"{name} shared, shape {shape}", shown)
    offers = replace(SETTING, starters=starters_of(text))
    for notice in Notice:
        for shape in range(SHAPES):
            shown = render(stored(None, notice=notice), shape, outbox_id=17, context=offers)
            yield _message(f"{notice}, shape {shape}", shown)


def _cases(text: str) -> Iterator[Payload]:
    answer = answered(text, many=9)
    for state in CaseState:
        for got in (answer, None):
            shown = case(text, got, state)
            blocks = cases.case_blocks(shown, SETTING)
            told = cases.case_text(shown, SETTING)
            yield Payload(name=f"case {state}", surface="message", blocks=blocks, text=told)
    reply = OfficerReply(
        case_id="case_214",
        number=214,
        officer=text,
        question=text,
        text=text,
        asker=ASKER,
        permalink=THREAD,
    )
    changed = affected(text)
    blocks, told = cases.affected_blocks(changed, SETTING), cases.affected_text(changed, SETTING)
    yield Payload(name="affected", surface="message", blocks=blocks, text=told)
    blocks = cases.officer_blocks(reply, SETTING, last="Case 1")
    told = cases.officer_text(reply, SETTING, last="Case 1")
    yield Payload(name="officer", surface="message", blocks=blocks, text=told)
    for is_elsewhere, number in product((False, True), (214, None)):
        old = SupersededAnswer(
            answer=answer, officer=text, number=number, is_elsewhere=is_elsewhere
        )
        blocks = cases.superseded_blocks(old, SETTING, last="Case 1")
        told = cases.superseded_text(old, SETTING, last="Case 1")
        yield Payload(name="superseded", surface="message", blocks=blocks, text=told)
    for state in CaseState:
        news = CaseNews(number=214, state=state, officer=text)
        blocks = cases.news_blocks(news, SETTING, last="Case 1")
        told = cases.news_text(news, SETTING)
        yield Payload(name=f"news {state}", surface="message", blocks=blocks, text=told)


def _lines(text: str) -> Iterator[Payload]:
    back = replace(answered(text), outcome=Outcome.CLARIFICATION, options=(text,))
    for chosen in (text, ""):
        done = Clarified(asked=back, chosen=chosen)
        for context in (SETTING, replace(SETTING, is_public=True)):
            blocks = rendering.clarified_blocks(done, context)
            told = rendering.clarified_text(done, context)
            yield Payload(name="clarified", surface="message", blocks=blocks, text=told)
    again_at = datetime(2026, 11, 22, 14, 5, tzinfo=UTC)
    for notice in (Notice.REMOVED, Notice.TOO_MANY, Notice.TOO_MANY_OF_YOURS):
        reply = StoredReply(
            notice=notice, ask_again_at=None if notice is Notice.REMOVED else again_at
        )
        language = SETTING.language
        blocks = rendering.notice_blocks(reply, language)
        told = rendering.notice_text(reply, language)
        yield Payload(name=f"notice {notice}", surface="message", blocks=blocks, text=told)


def _views(text: str) -> Iterator[Payload]:
    around = {n: Around(before=text, after=text) for n in range(12)}
    shown = {"loading": loading_modal("ans_7f3")}
    for many in (0, 3, 12):
        answer = answered(text, many=many)
        for page in (0, 1) if many else (0,):
            view = evidence_modal(
                EvidenceView(answer=answer, answer_id="ans_7f3", around=around, page=page), LIBRARY
            )
            shown[f"evidence of {many}, page {page}"] = view
    shown |= {
        **{name: modals.form_modal(form) for name, form in forms_of(text).items()},
        "ask": modals.form_modal(forms.question_form(as_it_is("Ask a policy question"))),
        "ask about": modals.question_about_modal(text, channel="C1", ts="1.1", thread_ts=None),
        "sent": modals.message_modal(
            forms.TITLES[forms.FormName.ESCALATION], case_texts.already_sent(case(text, None))
        ),
        "reported": message_modal(forms.TITLES[forms.FormName.REPORT], forms.REPORTED),
        "message": modals.message_modal(as_it_is(text), as_it_is(text)),
    }
    for name, view in shown.items():
        yield Payload(name=name, surface="modal", blocks=blocks_of(view), view=view)
    empty, full = Home(), _home(text)
    for name, home in (("empty home", empty), ("home", full)):
        view = view_of_home(home)
        yield Payload(name=name, surface="home", blocks=blocks_of(view), view=view)


def forms_of(text: str) -> dict[str, Form]:
    """Return a form of every kind about an answer or a case."""
    shown = case(text, None)
    return {
        "escalate": forms.escalation_form("ans_7f3", seen_by=SeenBy.THREAD),
        "escalate a report": forms.escalation_form("ans_7f3", seen_by=SeenBy.ASKER_UNNAMED),
        "escalate directly": forms.escalation_form("ans_7f3", seen_by=SeenBy.ASKER),
        "add to a case": forms.escalation_form("ans_7f3", seen_by=SeenBy.THREAD, known=1_214),
        "report": forms.report_form("ans_7f3"),
        "case answer": forms.case_answer_form("case_214", is_private=True, case=shown),
        "case answer in public": forms.case_answer_form("case_214", is_private=False, case=shown),
    }


def _home(text: str) -> Home:
    return Home(
        starters=starters_of(text),
        waiting=(OpenQuestion(title=text, state=text, permalink=THREAD),) * 12,
        questions=(OpenQuestion(title=text, state=text, permalink=THREAD),) * 12,
        changes=(PolicyChange(title=text, what=text, url=f"https://{HOST}/gifts"),) * 12,
        edition=41,
        published_on=date(2026, 11, 2),
        cases=tuple(
            replace(case(text, None), case_id=f"case_{n}") for n in range(home_view.LISTED + 2)
        ),
        hosts=frozenset({HOST}),
    )


def _chunks(text: str) -> Iterator[Payload]:
    one, other = (
        Progressed(stage="plan", words=as_it_is(text)),
        Progressed(stage="draft", words=as_it_is(text)),
    )
    chunks = [
        *progress_blocks.first_chunks(one),
        *progress_blocks.next_chunks(one, other),
        *progress_blocks.next_chunks(other, other),
        *progress_blocks.last_chunks(other),
        *progress_blocks.last_chunks(other, is_failed=True),
    ]
    yield Payload(
        name="progress", surface="chunks", blocks=chunks, text=progress_blocks.status(one)
    )


def blocks_of(view: Mapping[str, Any]) -> list[Json]:
    return cast("list[Json]", view["blocks"])


def faults(payload: Payload) -> list[str]:
    """Return what the SDK, slackblocks, the fake Slack and our own rules find."""
    blocks = list(payload.blocks)
    if payload.surface == "chunks":
        for one in blocks:
            parsed = Chunk.parse(one)
            assert parsed is not None
            parsed.to_dict()
        return chunk_faults(blocks)
    found = list(own_rules(blocks, IN_MESSAGE if payload.surface == "message" else IN_VIEW))
    for block in SdkBlock.parse_all([dict(one) for one in blocks]):
        block.to_dict()
    _surfaces.validate_surface_blocks(blocks, payload.surface)
    if payload.view is not None and payload.surface != "message":
        View(**payload.view).to_dict()
        return found + view_faults(payload.view, payload.surface)
    return found + (blocks_faults(blocks, "message") if blocks else [])
