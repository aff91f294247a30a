"""Stored replies as messages for Teams, in five shapes from the richest to plain text.

A text always holds the whole answer; where its sources stand in a card, the next shape says them in
the text. First the entities go, then what older clients do not know of the card, whose buttons
stay, then the card.
"""

from dataclasses import dataclass, replace
from functools import partial

from bot.json_fields import maybe_object
from bot.replies.answer import LEAF, event_line, question_of, reference
from bot.replies.buttons import (
    ASK_IN_PRIVATE,
    SHOW,
    chose_words,
    chosen_words,
    follow_ups,
)
from bot.replies.case_texts import about_text, case_name, news_text, reminder_text
from bot.replies.context import RenderContext
from bot.replies.notices import (
    ASKED_ELSE,
    AUTOMATED,
    CONSOLE,
    OUTDATED,
    ask_privately,
    checkpoint_lines,
    day_text,
    notice_text,
    sign_in_text,
    subject_lines,
    time_text,
)
from bot.replies.safe_text import line
from bot.replies.text_reply import PlainText
from bot.teams.cards import cases
from bot.teams.cards.answer import (
    answer_card,
    bare_entity,
    chooser,
    clarification_card,
    clarified_card,
    root_entity,
)
from bot.teams.cards.elements import (
    MESSAGE_BYTES,
    Card,
    attached,
    card,
    paragraph,
    press_button,
    size,
    with_data,
)
from bot.teams.cards.markdown import in_markdown, link, without_markup
from bot.teams.cards.plainer import plainer
from bot.teams.cards.welcome import welcome, welcome_text
from bot.teams.cards.written import written_message
from bot.teams.protocol import action_ids
from bot.teams.protocol.payload import objects, words
from core.domain.answer import Answer, Outcome
from core.domain.case import SupersededAnswer
from core.domain.delivery import Clarified, Notice, StoredReply
from core.domain.json_value import Json

SUGGESTED = 3
"""Suggestions that Teams shows at most."""
FULL, WITHOUT_ENTITIES, SIMPLE_CARD, WITHOUT_CARD, TEXT_ONLY = range(5)
SHAPES = 5
"""See `core.ports.Poster.shapes`."""
PLATFORM = "Teams"
SUGGESTION = 80
"""Characters of a suggestion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsMessage:
    """One shape of a reply."""

    activity: Card
    """A message, complete but for who sends it and where."""
    is_for_asker_alone: bool = False
    """True: to be shown to nobody else in a public place."""


def render(reply: StoredReply, shape: int, *, context: RenderContext) -> TeamsMessage:
    """Return a reply in one shape; beyond the last shape it is the last."""
    made = _rendered(reply, shape, context)
    return replace(made, activity=simple(made.activity)) if shape == SIMPLE_CARD else made


def simple(activity: Card) -> Card:
    """Return a message whose cards are plain ones."""
    cards = activity.get("attachments")
    if not isinstance(cards, list):
        return activity
    held = (one.get("content") for one in cards if isinstance(one, dict))
    return activity | {
        "attachments": [attached(plainer(one)) for one in held if isinstance(one, dict)]
    }


def in_one_card(activity: Card) -> Card:
    """Return a message with its text in its card; one without either stays as it is.

    For the Agents Playground, which shows text and card as two messages, and refuses an update that
    would make two. In Teams the text stands apart, where it can have citations that open.
    """
    text, cards = words(activity, "text"), objects(activity, "attachments")
    if not (text and cards):
        return activity
    made = maybe_object(cards[0], "content")
    parts = [paragraph(part) for part in text.split("\n\n")]
    last = max(1, len(parts) - 1)  # the reference line
    whole = {**made, "body": [*parts[:last], *objects(made, "body"), *parts[last:]]}
    rest = {key: told for key, told in activity.items() if key not in {"text", "textFormat"}}
    # Whoever is mentioned is mentioned in the text.
    entities = [one for one in objects(activity, "entities") if one["type"] != "mention"]
    return rest | {"summary": text, "entities": entities, "attachments": [attached(whole)]}


def _rendered(reply: StoredReply, shape: int, context: RenderContext) -> TeamsMessage:
    answer = reply.answer
    if reply.notice is Notice.HOW_IT_WORKS:
        greet = welcome_text if shape >= WITHOUT_CARD else welcome
        return TeamsMessage(activity=greet(context))
    if reply.notice is Notice.SIGN_IN:
        return TeamsMessage(activity=_sign_in(reply, shape, context))
    if answer is None:
        return TeamsMessage(activity=_line(reply, shape, context))
    if answer.is_report and context.is_public:
        return TeamsMessage(
            activity=_pointer(reply, answer, shape, context), is_for_asker_alone=True
        )
    is_asked_back = answer.outcome is Outcome.CLARIFICATION
    drawn = (_clarification if is_asked_back else _answer)(reply, answer, shape, context)
    is_alone = context.is_public and answer.is_private
    return TeamsMessage(activity=drawn, is_for_asker_alone=is_alone)


def last_line(reply: StoredReply, context: RenderContext, *, is_carded: bool) -> str:
    """Return the reference line.

    The beginning of the record's hash stands there only where no button of a card carries it.
    """
    told = reference(reply, has_file=context.has_file, language=context.language)
    return _proven(reply, told, is_carded=is_carded)


def _event_line(reply: StoredReply, first: str, *, is_carded: bool) -> str:
    told = event_line(reply, first)
    return told if told == first else _proven(reply, told, is_carded=is_carded)


def _proven(reply: StoredReply, told: str, *, is_carded: bool) -> str:
    leaf = line(reply.leaf_hash[:LEAF]) if reply.leaf_hash and not is_carded else ""
    return f"{told} · {leaf}" if leaf else told


def _attached(made: Card, reply: StoredReply) -> list[Json]:
    """Return a card as the attachment of a message, with the record in its first button."""
    if not (reply.record_id and reply.leaf_hash):
        return [attached(made)]
    proof: Card = {
        action_ids.RECORD: line(reply.record_id),
        action_ids.PREFIX: line(reply.leaf_hash[:LEAF]),
    }
    return [attached(with_data(made, proof))]


def _answer(reply: StoredReply, answer: Answer, shape: int, context: RenderContext) -> Card:
    ours = reply.answer_id or ""
    shown = answer_card(answer, ours, context) if shape < WITHOUT_CARD else None
    offered, is_carded = _offered(answer, context), bool(ours) and shown is not None
    is_offered = (offered and shape < TEXT_ONLY) or (context.is_public and is_carded)
    text = _writer(shape, context).answer(
        answer,
        reference=last_line(reply, context, is_carded=is_carded),
        follow_ups=() if is_offered else follow_ups(answer),
        with_sources=shape > FULL,
    )
    made = _message(text, shape)
    if shape < TEXT_ONLY and offered:
        made["suggestedActions"] = suggested(offered, context.asker)
    if shape < WITHOUT_CARD:
        made |= {"attachments": _attached(shown, reply)} if shown else {}
        if ours and answer.outcome is Outcome.ANSWERED:
            made["channelData"] = {"feedbackLoop": {"type": "default"}}
    return _with_entity(made, answer, context) if shape == FULL else made


def _with_entity(made: Card, answer: Answer, context: RenderContext) -> Card:
    """Return a message with what is cited, as much as fits."""
    for with_cards in (True, False):
        entity = root_entity(
            answer, context.library, with_cards=with_cards, language=context.language
        )
        whole = made | {"entities": [entity]}
        if size(whole) <= MESSAGE_BYTES:
            return whole
    return made | {"entities": [bare_entity(answer)]}


def _clarification(reply: StoredReply, answer: Answer, shape: int, context: RenderContext) -> Card:
    ours, language = reply.answer_id or "", context.language
    shown = clarification_card(answer, ours, language) if shape < WITHOUT_CARD else None
    text = _writer(shape, context).clarification(
        answer,
        reference=last_line(reply, context, is_carded=shown is not None),
        with_options=shown is None,
    )
    made = _message(text, shape)
    if shown is not None:
        made["attachments"] = _attached(shown, reply)
    elif shape < TEXT_ONLY and len(answer.options) <= SUGGESTED and _is_asker_alone(context):
        choices = _short(answer.options)
        made |= {"suggestedActions": suggested(choices, context.asker)} if choices else {}
    return made


def _clarified(reply: StoredReply, done: Clarified, shape: int, context: RenderContext) -> Card:
    """Return what replaces a question back once it is answered, for everybody."""
    writer = _writer(shape, context)
    language = context.language
    who = line(context.asker_name, limit=80) if context.is_public else None
    told = [writer.markup.strong(writer.within(question_of(done.asked), 1_000))]
    if shape >= WITHOUT_CARD:
        before, after = (one.of(language) for one in chose_words(who=chooser(who)))
        chosen = line(chosen_words(done.chosen, language), limit=200)
        chose = f"{who or ''}{before}{chosen}{after}"
        told.append(writer.within(chose if done.chosen else ASKED_ELSE.of(language), 400))
    reference = last_line(reply, context, is_carded=shape < WITHOUT_CARD)
    last = writer.markup.small(writer.markup.literal(reference))
    made = _message("\n\n".join([*told, last]), shape)
    if shape < WITHOUT_CARD:
        made["attachments"] = _attached(clarified_card(done, who, language), reply)
    return made


def _pointer(reply: StoredReply, answer: Answer, shape: int, context: RenderContext) -> Card:
    """Ask to write directly, the asker alone: nothing here tells what the message was about."""
    writer = _writer(shape, context)
    language = context.language
    last = writer.markup.small(writer.markup.literal(AUTOMATED.of(language)))
    is_carded = shape < WITHOUT_CARD and bool(reply.answer_id)
    text = "\n\n".join((ask_privately(answer, language), last))
    made = _message(text, shape)
    if is_carded:
        data = action_ids.data_of(action_ids.ANSWER_KEY, reply.answer_id or "")
        asked = press_button(ASK_IN_PRIVATE, data, language)
        made["attachments"] = [attached(card([], [asked]))]
    return made


def _line(reply: StoredReply, shape: int, context: RenderContext) -> Card:
    """Return a message that is not an answer: about a case, or a notice."""
    writer = _writer(shape, context)
    if reply.case is not None or reply.affected is not None or reply.reminder is not None:
        return _officers_card(reply, shape, context)
    if reply.officer_reply is not None:
        return _officer(reply, shape, context, writer)
    if reply.superseded is not None:
        return _superseded(reply, reply.superseded, shape, context)
    if reply.clarified is not None:
        return _clarified(reply, reply.clarified, shape, context)
    told, note = writer.markup.literal(_told(reply, context)), checkpoint_lines(reply)
    if note:
        told += f"\n\n{note}" if shape >= TEXT_ONLY else f"\n\n```\n{note}\n```"
    last = writer.markup.small(_event_line(reply, AUTOMATED.of(context.language), is_carded=False))
    made = _message(f"{told}\n\n{last}", shape)
    if reply.notice is Notice.MAYBE_ABOVE and reply.answer_id and shape < WITHOUT_CARD:
        data = action_ids.data_of(action_ids.ANSWER_KEY, reply.answer_id)
        made["attachments"] = [attached(card([], [press_button(SHOW, data, context.language)]))]
    return made


def _superseded(
    reply: StoredReply, old: SupersededAnswer, shape: int, context: RenderContext
) -> Card:
    about = about_text(old, context.language)
    writer, last = _writer(shape, context), _event_line(reply, about, is_carded=False)
    if shape >= WITHOUT_CARD:
        return _message(cases.superseded_with_answer(old, writer, last=last), shape)
    shown = attached(cases.superseded_card(old, context))
    return _message(cases.superseded_text(old, writer, last=last), shape) | {"attachments": [shown]}


def _officers_card(reply: StoredReply, shape: int, context: RenderContext) -> Card:
    """Return the card of a case, that it is due, or of an edition that affects past answers."""
    language = context.language
    if reply.case is not None:
        text, shown = cases.case_text(reply.case, context), cases.case_card(reply.case, context)
    elif reply.reminder is not None:
        due = day_text(reply.reminder.due_at, language, context.zone)
        text = reminder_text(reply.reminder, language, due=due)
        shown = cases.reminder_card(reply.reminder, language)
    else:
        assert reply.affected is not None  # noqa: S101
        affected = reply.affected
        text, shown = (
            cases.affected_text(affected, language),
            cases.affected_card(affected, context),
        )
    if shape >= WITHOUT_CARD:
        return _message(text, TEXT_ONLY)
    return {"type": "message", "summary": text, "attachments": [attached(shown)]}


def _sign_in(reply: StoredReply, shape: int, context: RenderContext) -> Card:
    """Return a notice about signing in: words of ours, and in Markdown a link."""
    is_plain, language = shape >= TEXT_ONLY, context.language
    named, small = CONSOLE.of(language), _writer(shape, context).markup.small
    linked = str if is_plain else partial(link, label=named)
    told = sign_in_text(reply.sign_in, language, link=linked)
    last = _event_line(reply, AUTOMATED.of(language), is_carded=False)
    return _message(f"{told}\n\n{small(last)}", shape)


def _told(reply: StoredReply, context: RenderContext) -> str:
    language, zone, again = context.language, context.zone, reply.ask_again_at
    if reply.news is not None:
        due = reply.news.due_at
        return news_text(reply.news, language, due=day_text(due, language, zone) if due else "")
    if reply.notice is None:
        return OUTDATED.of(language)
    at = time_text(again, language, zone) if again else ""
    subject = "\n\n\u2022 ".join(subject_lines(reply.subject))
    return notice_text(reply.notice, language, platform=PLATFORM, at=at, subject=subject)


def _officer(reply: StoredReply, shape: int, context: RenderContext, writer: PlainText) -> Card:
    told = reply.officer_reply
    assert told is not None  # noqa: S101
    mention = cases.mention_of(told, context) if shape == FULL else None
    named = case_name(told.number, context.language)
    last = _event_line(reply, named, is_carded=shape < WITHOUT_CARD)
    # Only the richest shape has entities, without which nobody may be mentioned.
    people = context if shape == FULL else replace(context, tenant="", people={})
    written = written_message(told.text, people) if shape < TEXT_ONLY else None
    text = cases.officer_text(
        told, writer, last=last, mention=mention, written=written.text if written else ""
    )
    made = _message(text, shape)
    mentions = [*([mention] if mention else []), *(written.mentions if written else ())]
    if mentions:
        made["entities"] = list[Json](mentions)
    if shape < WITHOUT_CARD:
        made["attachments"] = _attached(cases.officer_card(told, context.language), reply)
    return made


def _message(text: str, shape: int) -> Card:
    written = "plain" if shape >= TEXT_ONLY else "markdown"
    return {"type": "message", "textFormat": written, "text": text}


def _writer(shape: int, context: RenderContext) -> PlainText:
    return without_markup(context) if shape >= TEXT_ONLY else in_markdown(context)


def _offered(answer: Answer, context: RenderContext) -> tuple[str, ...]:
    """Return suggested questions; Teams shows them only in a chat with one person."""
    is_answered = answer.outcome is Outcome.ANSWERED
    return _short(follow_ups(answer)) if is_answered and _is_asker_alone(context) else ()


def _is_asker_alone(context: RenderContext) -> bool:
    return bool(context.asker) and not context.is_public


def _short(texts: tuple[str, ...]) -> tuple[str, ...]:
    shown = (line(text, limit=SUGGESTION) for text in texts[:SUGGESTED])
    return tuple(text for text in shown if text)


def suggested(texts: tuple[str, ...], asker: str) -> Card:
    """Return suggestions that one press sends; three at most."""
    actions: list[Json] = [
        {"type": "imBack", "title": text, "value": text} for text in texts[:SUGGESTED] if text
    ]
    to: list[Json] = [asker] if asker else []
    return {"to": to, "actions": actions}
