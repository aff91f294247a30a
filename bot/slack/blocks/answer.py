"""An answer in blocks: badge, words, sources, what can be done, reference.

The closest passage stands open among the words: whoever reads it says whether it answers.

Two shapes: the rich one has a container that opens on a click and feedback buttons, the simple one
only what every client knows. Slack refuses a message whose blocks hold more than some 13,000
characters, so quotes share a budget.
"""

from collections.abc import Iterable, Iterator

from bot.replies.answer import (
    NEAREST,
    ShownPassage,
    badge_of,
    how_to_reply,
    numbered,
    passage_of,
    question_of,
    reference,
    remarks,
)
from bot.replies.buttons import answer_buttons, choices, follow_ups
from bot.replies.context import Library, RenderContext
from bot.replies.safe_text import line, short, width
from bot.replies.sources import (
    QuoteBudget,
    ShownQuote,
    Source,
    numbers,
    section_title,
    shown_sources,
)
from bot.replies.statements import laid_out
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    BUTTON,
    ID,
    Block,
    actions,
    bullet_list,
    button,
    collapsed,
    mrkdwn,
    paragraph,
    person,
    plain,
    press_button,
    prose,
    quotation,
    rich_text,
    small,
    title_link,
    with_id,
    words,
)
from bot.slack.blocks.mrkdwn import badge_words
from core.domain.answer import Answer, Outcome, ShownCitation
from core.domain.delivery import StoredReply
from core.domain.json_value import Json
from core.domain.ontology import SectionRef

BODY = 4_000
"""Characters of the words of an answer; the pipeline makes at most half of it."""
BUTTONS = 20
"""Options of a clarification beyond this many are numbered instead."""
_UP, _DOWN = "Mark this answer helpful", "Mark this answer not helpful"


def answer_blocks(
    reply: StoredReply, answer: Answer, context: RenderContext, *, is_rich: bool
) -> list[Block]:
    """Return the blocks of an outcome."""
    ours, last = reply.answer_id or "", reference(reply, has_file=context.has_file)
    if answer.outcome is Outcome.CLARIFICATION:
        return _clarification(answer, ours, reference=last, is_rich=is_rich)
    head = badge_of(answer)
    blocks = [with_id(mrkdwn(badge_words(head)), f"badge:{ours}")] if head else []
    blocks.append(with_id(rich_text(*_body(answer, context)), f"body:{ours}"))
    if answer.citations and not answer.is_closest:
        blocks.append(with_id(_sources(answer, context, is_rich=is_rich), f"src:{ours}"))
    if ours:
        blocks += _offers(answer, ours, context, is_rich=is_rich)
    return [*blocks, small(last)]


def source_blocks(citations: tuple[ShownCitation, ...], library: Library) -> list[Block]:
    """Return a block for each source that is shown, and one that says what is not; at most 6."""
    found = shown_sources(citations, library)
    blocks = [rich_text(*_source(source, quotes)) for source, quotes in found.sources]
    more = [rich_text(paragraph(words(found.more, italic=True)))] if found.more else []
    return [*blocks, *more]


def nearest_items(places: Iterable[SectionRef], library: Library) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield title_link(section_title(place), library.url(place))


def _clarification(answer: Answer, ours: str, *, reference: str, is_rich: bool) -> list[Block]:
    """Return the question, its options and how to reply."""
    has_buttons = is_rich and bool(ours) and 0 < len(answer.options) <= BUTTONS
    needs_list = bool(answer.options) and (
        not has_buttons or any(width(line(option)) > BUTTON for option in answer.options)
    )
    told = [paragraph(words(question_of(answer), bold=True))]
    if needs_list:
        told += [paragraph(words(numbered(answer.options)))]
    blocks = [with_id(rich_text(*told), f"ask:{ours}")]
    if has_buttons:
        offered = choices(answer, limit=BUTTON, most=BUTTONS)
        buttons = (_numbered(action_ids.CLARIFY, one, text, ours) for one, text in offered)
        blocks.append(actions(f"clr:{ours}", *buttons))
    return [*blocks, small(f"{how_to_reply(answer, has_buttons=has_buttons)} · {reference}")]


def _body(answer: Answer, context: RenderContext) -> Iterator[Json]:
    mark, hosts = "… [shortened; “Show evidence” has every statement]", context.library.hosts
    passage = passage_of(answer, context.library)
    if passage is None:
        yield from prose(short(laid_out(answer), BODY, hosts, mark=mark))
    else:
        yield from _passage(passage, context.library)
        yield paragraph(words(short(passage.after, BODY, hosts)))
    if answer.nearest and not answer.citations:
        yield paragraph(words("Nearest sections", bold=True))
        yield bullet_list(nearest_items(answer.nearest[:NEAREST], context.library))
    for strong, rest in remarks(answer):
        yield paragraph(words(strong, bold=True), words(rest, italic=not strong))


def _passage(passage: ShownPassage, library: Library) -> Iterator[Block]:
    """Return where the closest passage stands, and its words."""
    yield paragraph(_title(passage.source))
    taken = QuoteBudget().take(passage.quotation, library.hosts)
    yield quotation(words(f"{taken.text} {passage.marks}"))
    if taken.rest:
        yield paragraph(words(taken.rest, italic=True))


def _sources(answer: Answer, context: RenderContext, *, is_rich: bool) -> Block:
    made = source_blocks(answer.citations, context.library)
    if is_rich:
        return collapsed(f"Sources ({len(answer.citations)})", made)
    elements = (block["elements"] for block in made)
    return rich_text(*(part for some in elements if isinstance(some, list) for part in some))


def _source(source: Source, quotes: Iterable[ShownQuote]) -> Iterator[Block]:
    yield paragraph(words(f"{numbers(source.quotes)} "), _title(source))
    for quote in quotes:
        mark = words(quote.mark, bold=True)
        if quote.text:
            yield quotation(mark, words(quote.text))
        if quote.rest:
            yield paragraph(mark, words(quote.rest, italic=True))


def _title(source: Source) -> list[Json]:
    about = words(f"  {source.about}", italic=True) if source.about else []
    return [*title_link(source.title, source.url), *about]


def _offers(answer: Answer, ours: str, context: RenderContext, *, is_rich: bool) -> Iterator[Block]:
    buttons = list(answer_buttons(answer, may_share=context.may_share))
    if buttons:
        yield actions(f"acts:{ours}", *(press_button(one, ours) for one in buttons))
    asked = follow_ups(answer)
    if asked:
        offered = (_numbered(action_ids.FOLLOW_UP, n, text, ours) for n, text in enumerate(asked))
        yield actions(f"next:{ours}", *offered)
    if answer.outcome is Outcome.ANSWERED:
        yield _feedback_row(ours, context.asker) if is_rich else _feedback_buttons(ours)


def _numbered(action_id: str, choice: str | int, text: str, ours: str) -> Block:
    return button(f"{action_id}:{choice}", text, action_ids.value_of(ours, choice))


def _feedback_row(answer_id: str, asker: str) -> Block:
    """Return thumbs, and for a known asker the button that removes the answer."""
    thumbs: Block = {
        "type": "feedback_buttons",
        "action_id": action_ids.FEEDBACK,
        "positive_button": _thumb(answer_id, "up", "Helpful", _UP),
        "negative_button": _thumb(answer_id, "down", "Not helpful", _DOWN),
    }
    elements: list[Json] = [thumbs, *([_remove(answer_id, asker)] if person(asker) else [])]
    return {"type": "context_actions", "block_id": f"fb:{answer_id}"[:ID], "elements": elements}


def _feedback_buttons(answer_id: str) -> Block:
    """Return the thumbs as two plain buttons, for clients without feedback buttons."""
    up = action_ids.value_of(answer_id, "up")
    down = action_ids.value_of(answer_id, "down")
    return actions(
        f"fb:{answer_id}",
        button(f"{action_ids.FEEDBACK}:up", "Helpful", up, label=_UP),
        button(f"{action_ids.FEEDBACK}:down", "Not helpful", down, label=_DOWN),
    )


def _thumb(answer_id: str, choice: str, text: str, label: str) -> Block:
    return {
        "text": plain(text),
        "value": action_ids.value_of(answer_id, choice),
        "accessibility_label": label,
    }


def _remove(answer_id: str, asker: str) -> Block:
    return {
        "type": "icon_button",
        "action_id": action_ids.REMOVE,
        "icon": "trash",
        "text": plain("Remove"),
        "value": answer_id,
        "accessibility_label": "Remove this answer",
        "visible_to_user_ids": [asker],
        "confirm": {
            "title": plain("Remove this answer?"),
            "text": plain("It disappears from the thread. Its record is kept."),
            "confirm": plain("Remove"),
            "deny": plain("Keep"),
        },
    }
