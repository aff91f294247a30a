"""Stored replies as messages for Slack, in three shapes from the richest to plain text.

Each shape is complete by itself: `text` holds
the whole answer with its sources, for notifications and screen readers, and as the last shape.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.replies.answer import LEAF, event_line, question_of, reference
from bot.replies.buttons import ASK_IN_PRIVATE, SHOW, Chooser, chose_words, chosen_words
from bot.replies.case_texts import about_text, case_name
from bot.replies.context import RenderContext
from bot.replies.notices import (
    ASKED_ELSE,
    AUTOMATED,
    CONSOLE,
    OUTDATED,
    ask_privately,
    checkpoint_lines,
    sign_in_text,
    subject_lines,
    time_text,
)
from bot.replies.notices import notice_text as notice_words
from bot.replies.safe_text import line, width
from bot.slack.blocks.answer import answer_blocks
from bot.slack.blocks.cases import (
    affected_blocks,
    affected_text,
    case_blocks,
    case_text,
    news_blocks,
    news_text,
    officer_blocks,
    officer_text,
    reminder_blocks,
    reminder_text,
    superseded_blocks,
    superseded_text,
)
from bot.slack.blocks.elements import (
    Block,
    actions,
    mrkdwn,
    paragraph,
    person,
    preformatted,
    press_button,
    quotation,
    rich_text,
    section,
    small,
    with_id,
    words,
)
from bot.slack.blocks.mrkdwn import LIMIT, answer_text, escaped, link, mention
from bot.slack.blocks.plainer import plainer
from bot.slack.blocks.welcome import welcome_blocks, welcome_text
from core.domain.answer import Answer
from core.domain.delivery import Clarified, Notice, StoredReply
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

ASKED_MARK: Json = {"event_type": "question", "event_payload": {}}
"""Metadata of a question that we quote, which tells it apart from progress messages."""
_HAS_ASKED, _ASKED = Text(" asked:", " hat gefragt:"), Text("Asked:", "Gefragt:")
RICH, SIMPLE, TEXT_ONLY = range(3)
SHAPES = 3
"""See `core.ports.Poster.shapes`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackMessage:
    """One shape of a reply."""

    text: str
    """The whole reply as mrkdwn, at most 4,000 characters."""
    blocks: tuple[Block, ...] = ()
    """At most 50; none in the plainest shape."""
    metadata: Mapping[str, Json] | None = None
    """Ids by which a post is found again and held against the ledger; never text."""
    is_for_asker_alone: bool = False
    """True: to be shown to nobody else in a public place."""


def render(
    reply: StoredReply, shape: int, *, outbox_id: int | str, context: RenderContext
) -> SlackMessage:
    """Return a reply in one shape; beyond the last shape it is the last."""
    metadata = _metadata(reply, outbox_id)
    answer = reply.answer
    if answer is None:
        return _line(reply, shape, context, metadata)
    if answer.is_report and context.is_public:
        return _pointer(reply, answer, shape, metadata, context.language)
    if reply.asked is not None:
        inner = replace(reply, asked=None)
        question = reply.asked
        return share(inner, shape, question=question, outbox_id=outbox_id, context=context)
    last = reference(reply, has_file=context.has_file, language=context.language)
    text = answer_text(answer, context, reference=last)
    blocks = _shaped(answer_blocks(reply, answer, context), shape) if shape < TEXT_ONLY else ()
    return SlackMessage(
        text=text,
        blocks=blocks,
        metadata=metadata,
        is_for_asker_alone=context.is_public and answer.is_private,
    )


def share(
    reply: StoredReply, shape: int, *, question: str, outbox_id: int | str, context: RenderContext
) -> SlackMessage:
    """Return an answer for a channel in which it was not asked: who asked what comes first."""
    inner = render(reply, shape, outbox_id=outbox_id, context=context)
    asked = asked_blocks(question, context.asker, context.language)
    first = _shaped(asked, shape) if inner.blocks else ()
    text = f"{asked_text(question, context.asker, context.language)}\n{inner.text}"
    return SlackMessage(
        text=text if width(text) <= LIMIT else inner.text,
        blocks=(*first, *inner.blocks),
        metadata=inner.metadata,
        is_for_asker_alone=inner.is_for_asker_alone,
    )


def _line(
    reply: StoredReply, shape: int, context: RenderContext, metadata: Mapping[str, Json]
) -> SlackMessage:
    """Return a message that is not an answer: about a case, or a notice."""
    language = context.language
    if reply.case is not None:
        text, blocks = case_text(reply.case, context), case_blocks(reply.case, context)
    elif reply.affected is not None:
        affected = reply.affected
        text, blocks = affected_text(affected, context), affected_blocks(affected, context)
    elif reply.officer_reply is not None:
        said_by = reply.officer_reply
        last = event_line(reply, case_name(said_by.number, language))
        text = officer_text(said_by, context, last=last)
        blocks = officer_blocks(said_by, context, last=last)
    elif reply.superseded is not None:
        old, last = reply.superseded, event_line(reply, about_text(reply.superseded, language))
        text = superseded_text(old, context, last=last)
        blocks = superseded_blocks(old, context, last=last)
    elif reply.reminder is not None:
        due = reply.reminder
        text, blocks = reminder_text(due, context), reminder_blocks(due, context)
    elif reply.clarified is not None:
        done = reply.clarified
        text = clarified_text(done, context)
        blocks = [*clarified_blocks(done, context), small(reference(reply, language=language))]
    elif reply.news is not None:
        text = news_text(reply.news, context)
        blocks = news_blocks(reply.news, context, last=event_line(reply, AUTOMATED.of(language)))
    elif reply.notice is Notice.HOW_IT_WORKS:
        text, blocks = welcome_text(context), welcome_blocks(context)
    else:
        last = event_line(reply, AUTOMATED.of(language))
        text = notice_text(reply, language)
        shown = _shows_answer(reply, language)
        blocks = [*notice_blocks(reply, language), *shown, small(last)]
    return SlackMessage(text=text, blocks=_shaped(blocks, shape), metadata=metadata)


def _shaped(blocks: Sequence[Block], shape: int) -> tuple[Block, ...]:
    """Return the blocks of a message in a shape; in the simple one every button is kept."""
    if shape >= TEXT_ONLY:
        return ()
    return tuple(blocks if shape == RICH else plainer(blocks))


def _pointer(
    reply: StoredReply,
    answer: Answer,
    shape: int,
    metadata: Mapping[str, Json],
    language: Language,
) -> SlackMessage:
    """Ask to write directly, the asker alone: nothing here tells what the message was about."""
    told = ask_privately(answer, language)
    blocks = [rich_text(paragraph(words(told)))]
    if reply.answer_id:
        ask = press_button(ASK_IN_PRIVATE, reply.answer_id, language)
        blocks.append(actions(f"acts:{reply.answer_id}", ask))
    blocks.append(with_id(small(AUTOMATED.of(language)), "automated"))
    return SlackMessage(
        text=told,
        blocks=_shaped(blocks, shape),
        metadata=metadata,
        is_for_asker_alone=True,
    )


def _metadata(reply: StoredReply, outbox_id: int | str) -> Mapping[str, Json]:
    ids = {
        "outbox": str(outbox_id),
        "record": reply.record_id,
        "leaf": reply.leaf_hash[:LEAF] if reply.leaf_hash else None,
    }
    payload: Block = {key: value for key, value in ids.items() if value is not None}
    return {"event_type": "answer" if reply.answer else "notice", "event_payload": payload}


def notice_text(reply: StoredReply, language: Language) -> str:
    """Return the words of a notice as mrkdwn; its time is shown in the reader's own zone."""
    if reply.notice is None:
        return OUTDATED.of(language)
    if reply.notice is Notice.SIGN_IN:
        named = CONSOLE.of(language)
        return sign_in_text(reply.sign_in, language, link=lambda url: link(url, named))
    at = reply.ask_again_at
    told = f"<!date^{int(at.timestamp())}^{{time}}|{time_text(at, language)}>" if at else ""
    subject = "\n\u2022 ".join(map(escaped, subject_lines(reply.subject)))
    text = notice_words(reply.notice, language, platform="Slack", at=told, subject=subject)
    note = checkpoint_lines(reply)
    return f"{text}\n```\n{escaped(note)}\n```" if note else text


def notice_blocks(reply: StoredReply, language: Language) -> list[Block]:
    """Return the same as blocks; with a time, a link or a subject as mrkdwn, all of it inert."""
    note = checkpoint_lines(reply)
    if note and reply.notice is not None:
        told = notice_words(reply.notice, language, platform="Slack")
        return [section(told), rich_text(preformatted(words(note)))]
    text = notice_text(reply, language)
    is_plain = (
        reply.ask_again_at is None and reply.subject is None and reply.notice is not Notice.SIGN_IN
    )
    return [section(text) if is_plain else mrkdwn(text)]


def _shows_answer(reply: StoredReply, language: Language) -> list[Block]:
    """Return the button that opens an answer of which it can't be told whether it arrived."""
    if reply.notice is not Notice.MAYBE_ABOVE or not reply.answer_id:
        return []
    return [actions(f"acts:{reply.answer_id}", press_button(SHOW, reply.answer_id, language))]


def clarified_blocks(clarified: Clarified, context: RenderContext) -> list[Block]:
    """Return what replaces a question back once it is answered."""
    language = context.language
    asked = paragraph(words(line(question_of(clarified.asked), limit=2_500)))
    if not clarified.chosen:
        return [rich_text(asked), small(ASKED_ELSE.of(language))]
    chosen = line(chosen_words(clarified.chosen, language), limit=200)
    who = person(context.asker) if context.is_public else []
    before, after = (one.of(language) for one in chose_words(who=_who(context)))
    told = paragraph(who, words(before), words(chosen, bold=True), words(after))
    return [rich_text(asked, told)]


def clarified_text(clarified: Clarified, context: RenderContext) -> str:
    """Return the same as mrkdwn."""
    language = context.language
    asked = escaped(line(question_of(clarified.asked), limit=500))
    if not clarified.chosen:
        return f"{asked}\n{ASKED_ELSE.of(language)}"
    who = mention(context.asker) if context.is_public else ""
    before, after = (one.of(language) for one in chose_words(who=_who(context)))
    chosen = escaped(line(chosen_words(clarified.chosen, language), limit=200))
    return f"{asked}\n{who}{before}*{chosen}*{after}"


def _who(context: RenderContext) -> Chooser:
    """Return who is said to have chosen; a mention stands before the words."""
    if not context.is_public:
        return "you"
    return "named" if mention(context.asker) else "nobody"


def asked_blocks(question: str, asker: str, language: Language) -> list[Block]:
    """Return a question that somebody pressed or shares, as a quotation with who asked."""
    told = words(line(question, limit=1_500))
    who = person(asker)
    asked = words((_HAS_ASKED if who else _ASKED).of(language))
    return [rich_text(paragraph(who, asked), quotation(told))]


def asked_text(question: str, asker: str, language: Language) -> str:
    """Return the same as mrkdwn."""
    who = mention(asker)
    asked = f"{who}{(_HAS_ASKED if who else _ASKED).of(language)}"
    return f"{asked}\n> {escaped(line(question, limit=200))}"
