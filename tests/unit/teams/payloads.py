"""Every activity, card and dialog that we build, from any text: the same words in each place.

What checks a payload stands here too, so that no test can forget one of the checks.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from typing import Any

from jsonschema import Draft6Validator
from microsoft_teams.api import MessageActivityInput, TypingActivityInput

from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import Around
from bot.forms.forms import Form, question_about_form
from bot.replies.context import Library, RenderContext, Sensitivity, Shelf
from bot.teams.cards import dialogs, progress_blocks
from bot.teams.cards.answer import clarified_card, whole_card
from bot.teams.cards.evidence import evidence_card
from bot.teams.cards.render import SHAPES, render
from bot.teams.cards.welcome import welcome, welcome_text
from core.domain.case import CaseNews, CaseState, OfficerReply, SupersededAnswer
from core.domain.delivery import Clarified, Notice, StoredReply
from core.language.interface.texts import as_it_is
from core.language.languages import Language
from core.ports.reasoning import Progressed
from tests.unit.slack.payloads import (
    HOST,
    NOTHING,
    THREAD,
    affected,
    answered,
    answers,
    case,
    forms_of,
    starters_of,
    stored,
)
from tests.unit.teams.limits import card_rules, own_rules

Json = dict[str, Any]
INTERNAL = Sensitivity(
    name="Internal", description=as_it_is("Do not forward outside the company"), rank=1
)
LIBRARY = Library(
    shelves={
        "gifts": Shelf(
            url=f"https://{HOST}/gifts", file_name="gifts.md", owner="Legal", sensitivity=INTERNAL
        ),
        "speak": Shelf(owner="Ethics"),
    },
    hosts=frozenset({HOST}),
)
ASKER, ASKER_NAME = "29:1asker", "Example Asker"
SETTING = RenderContext(library=LIBRARY, asker=ASKER, asker_name=ASKER_NAME)
PUBLIC = replace(SETTING, is_public=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One thing that would be sent."""

    name: str
    activity: Json | None = None
    card: Json | None = None


def every(text: str) -> Iterator[Payload]:
    """Return everything that we would send with this text in it."""
    offers = replace(SETTING, may_share=True)
    for name, reply in replies(text):
        for shape in range(SHAPES):
            settings = (offers, PUBLIC, RenderContext()) if shape == 0 else (offers,)
            for setting in settings:
                made = render(reply, shape, context=setting).activity
                yield Payload(name=f"{name}, shape {shape}", activity=made)
        full = render(reply, 0, context=offers).activity
        if reply.answer is not None:
            shown = progress_blocks.streaming(full, sequence=2, stream_id="a-1")
            yield Payload(name=f"{name}, streaming", activity=shown)
            yield Payload(
                name=f"{name}, final", activity=progress_blocks.final(full, stream_id="a-1")
            )
    yield from _others(text)
    yield from _cards(text)


def replies(text: str) -> Iterator[tuple[str, StoredReply]]:
    """Return a reply of every kind."""
    for name, answer in answers(text):
        yield name, stored(answer)
    for notice in Notice:
        yield notice.value, stored(None, notice=notice)
    got = answered(text, many=9)
    for state in CaseState:
        for answer in (got, None):
            shown = replace(case(text, answer, state), asker_name=text)
            yield f"case {state}", replace(stored(None), case=shown)
        news = CaseNews(number=214, state=state, officer=text)
        yield f"news {state}", replace(stored(None), news=news)
    secret = replace(case(text, got), is_sensitive=True)
    yield "affected", replace(stored(None), affected=affected(text))
    yield "report", replace(stored(None), case=secret)
    told = officer(text)
    yield "officer", replace(stored(None), officer_reply=told)
    yield "officer elsewhere", replace(stored(None), officer_reply=replace(told, asker="29:2"))
    for is_elsewhere, number in product((False, True), (214, None)):
        old = SupersededAnswer(answer=got, officer=text, number=number, is_elsewhere=is_elsewhere)
        yield "superseded", replace(stored(None), superseded=old)


def officer(text: str) -> OfficerReply:
    return OfficerReply(
        case_id="case_214",
        number=214,
        officer=text,
        question=text,
        text=text,
        asker=ASKER,
        permalink=THREAD,
    )


def _others(text: str) -> Iterator[Payload]:
    step = Progressed(stage="plan", words=as_it_is(text))
    made = {
        "first step": progress_blocks.informative(step, sequence=1, stream_id=None),
        "next step": progress_blocks.informative(step, sequence=2, stream_id="a-1"),
        "no step": progress_blocks.informative(None, sequence=2, stream_id="a-1"),
        "typing": progress_blocks.typing(),
        "placeholder": progress_blocks.placeholder(),
        "welcome": welcome(replace(SETTING, starters=starters_of(text))),
        "welcome in a channel": welcome(replace(PUBLIC, starters=starters_of(text))),
        "welcome without questions": welcome(replace(SETTING, starters=NOTHING)),
        "welcome as text": welcome_text(replace(SETTING, starters=starters_of(text))),
    }
    for name, activity in made.items():
        yield Payload(name=name, activity=activity)


def _cards(text: str) -> Iterator[Payload]:
    around = {n: Around(before=text, after=text) for n in range(12)}
    made = {
        "chosen": clarified_card(
            Clarified(asked=answered(text), chosen=text), "Anna", Language.ENGLISH
        ),
        **{name: dialogs.form_card(form) for name, form in forms_of(text).items()},
        "ask about": dialogs.form_card(about(text)),
    }
    for many in (0, 3, 12):
        answer = answered(text, many=many)
        for page in (0, 1) if many else (0,):
            shown = evidence_card(
                EvidenceView(answer=answer, answer_id="ans_7f3", around=around, page=page), LIBRARY
            )
            made[f"evidence of {many}, page {page}"] = shown
    made |= {f"{name}, shown whole": whole_card(one, LIBRARY) for name, one in answers(text)}
    made |= {f"{name}, again": card for name, card in _typed(text)}
    for name, card in made.items():
        assert dialogs.opened(text, card)["task"]
        yield Payload(name=name, card=card)


def _typed(text: str) -> Iterator[tuple[str, Json]]:
    """Return the forms with what somebody typed, and a line that may hold a name."""
    names = ("note", "txt", "answer", "question", "where", "why", "dm")
    held: dict[str, str] = dict.fromkeys(names, text)
    typed = dialogs.Typed(values=held, wrong=text)
    for name, form in (forms_of(text) | {"ask about": about(text)}).items():
        yield name, dialogs.form_card(form, typed)


def about(text: str) -> Form:
    return question_about_form(text, title=as_it_is(text), message_id="1700000000000")


@cache
def schema() -> Draft6Validator:
    """Return the schema of cards, version 1.5."""
    found = files("adaptive_cards") / "schemas" / "schema-1.5.json"
    return Draft6Validator(json.loads(found.read_text()))


def faults(payload: Payload) -> list[str]:
    """Return what Microsoft's models, the schema of cards and our own rules find."""
    found = limits(payload)
    if payload.activity is not None:
        model = MessageActivityInput
        if payload.activity["type"] == "typing":
            model = TypingActivityInput
        model.model_validate(payload.activity)
    for card in cards_of(payload):
        bare = {key: value for key, value in card.items() if key != "msteams"}
        found += schema_faults(json.dumps(bare))
    return found


@lru_cache(maxsize=2_000)
def schema_faults(card: str) -> tuple[str, ...]:
    """Return where a card is none; the same card stands in several payloads."""
    return tuple(error.message[:300] for error in schema().iter_errors(json.loads(card)))


def limits(payload: Payload) -> list[str]:
    """Return what our own rules find."""
    found = list(own_rules(payload.activity)) if payload.activity is not None else []
    return found + [fault for card in cards_of(payload) for fault in card_rules(card)]


def cards_of(payload: Payload) -> Iterator[Json]:
    """Return each card of a payload, those that open from a citation among it."""
    if payload.card is not None:
        yield payload.card
    activity = payload.activity or {}
    yield from (one["content"] for one in activity.get("attachments", ()))
    for entity in activity.get("entities", ()):
        for one in entity.get("citation", ()):
            if "text" in one["appearance"]:
                yield json.loads(one["appearance"]["text"])


def pieces(value: Any) -> Iterator[Mapping[str, Any]]:
    """Return every object in a payload."""
    if isinstance(value, Mapping):
        yield value  # pyright: ignore[reportUnknownVariableType]
        for inner in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from pieces(inner)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from pieces(inner)
