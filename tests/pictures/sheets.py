"""Every kind of reply on one sheet for each platform and theme, wide and narrow.

Replies are those that `citebound doctor` shows to the platforms, drawn by the product's renderers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import Around
from bot.replies.context import Library, RenderContext, Shelf
from bot.replies.samples import HIGH, QUESTION, sample_replies
from bot.slack.blocks.evidence import evidence_modal
from bot.slack.blocks.home_view import Home, OpenQuestion, home_view
from bot.slack.blocks.progress_blocks import LOADING, PLAN
from bot.slack.blocks.render import RICH
from bot.slack.blocks.render import render as in_slack
from bot.teams.cards.evidence import evidence_card
from bot.teams.cards.progress_blocks import informative
from bot.teams.cards.render import FULL
from bot.teams.cards.render import render as in_teams
from core.domain.case import Case
from core.domain.delivery import Notice
from core.language.languages import Language
from core.ports.reasoning import Progressed
from tests.pictures import slack, teams

HOST = "policies.example.com"
LIBRARY = Library(
    shelves={"gifts": Shelf(url=f"https://{HOST}/gifts", owner="Legal")}, hosts=frozenset({HOST})
)
AROUND = {
    1: Around(before="Gifts must never influence a decision. ", after=" Meals are treated alike."),
    2: Around(after=" The same holds for vouchers."),
}
EVIDENCE = EvidenceView(
    answer=HIGH,
    answer_id="ans_1",
    around=AROUND,
    record_id="01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44",
    leaf_hash="9f2c41d07be6a358",
)
ONCE = frozenset({"refusal, not sure", "question back, many options"})
"""Kinds that look like another one."""
NOTICES = frozenset({Notice.HOW_IT_WORKS, Notice.BUSY, Notice.REMOVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One reply on a sheet."""

    name: str
    html: str


def tiles(platform: str, language: Language) -> Iterator[Tile]:
    """Yield the replies of a platform."""
    is_slack = platform == "slack"
    yield from (_slack(language) if is_slack else _teams(language))


def _replies(language: Language) -> Iterator[tuple[str, Any, RenderContext]]:
    context = RenderContext(
        library=LIBRARY, asker="U0ANNA", asker_name="Anna", may_share=True, language=language
    )
    for name, reply in sample_replies(language):
        if name in ONCE or (reply.notice is not None and reply.notice not in NOTICES):
            continue
        yield name, reply, context
        if name == "report of misconduct":
            yield f"{name}, in a channel", reply, replace(context, is_public=True)


def _slack(language: Language) -> Iterator[Tile]:
    for name, reply, context in _replies(language):
        made = list(in_slack(reply, RICH, outbox_id=1, context=context).blocks)
        yield Tile(name=name, html=slack.blocks(made, is_open=False))
        if name == "answer, High":
            yield Tile(name=f"{name}, sources opened", html=slack.blocks(made))
    modal: Any = evidence_modal(replace(EVIDENCE, language=language), LIBRARY)
    yield Tile(name="evidence", html=slack.blocks(modal["blocks"]))
    steps = "".join(f"<li>{escape(step.of(language))}</li>" for step in LOADING)
    yield Tile(
        name="progress", html=f"<div class='plan'><b>{PLAN.of(language)}</b><ul>{steps}</ul></div>"
    )
    cases = tuple(
        reply.case for _, reply in sample_replies(language) if isinstance(reply.case, Case)
    )
    asked = OpenQuestion(title=QUESTION, state="waiting for Compliance (case 1)")
    home: Any = home_view(Home(questions=(asked,), edition=2, cases=cases[:2], language=language))
    yield Tile(name="Home of an officer", html=slack.blocks(home["blocks"]))


def _teams(language: Language) -> Iterator[Tile]:
    for name, reply, context in _replies(language):
        made = in_teams(reply, FULL, context=context).activity
        yield Tile(name=name, html=teams.message(made, is_open=False))
        if name == "answer, High":
            yield Tile(name=f"{name}, sources opened", html=teams.message(made))
    card = evidence_card(replace(EVIDENCE, language=language), LIBRARY)
    yield Tile(name="evidence", html=teams.message({"attachments": [{"content": card}]}))
    step = informative(
        Progressed(stage="plan", words=LOADING[1]), language, sequence=1, stream_id=None
    )
    yield Tile(name="progress", html=teams.message(step))


def sheet(platform: str, theme: str, language: Language = Language.ENGLISH) -> str:
    """Return the body of a sheet: each reply as wide as a desktop shows it, and as a phone."""
    shown = "".join(
        f"<section><h4>{escape(one.name)}</h4><div class='pair'>"
        + "".join(
            f"<div class='said {size}'><div class='bubble'>{one.html}</div></div>"
            for size in ("wide", "narrow")
        )
        + "</div></section>"
        for one in tiles(platform, language)
    )
    return f"<div id='picture' class='sheet {platform} {theme}'>{shown}</div>"
