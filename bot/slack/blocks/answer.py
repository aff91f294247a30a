"""An answer in blocks: badge, words, sources, what can be done, reference.

The closest passage stands open among the words: whoever reads it says whether it answers.

A container that opens on a click holds the sources: sections alone, since Slack's pages and its
validator differ in what else it may hold. Slack refuses a message whose blocks hold more than some
13,000 characters, so quotes share a budget.
"""

from collections.abc import Iterable, Iterator

from bot.replies.answer import (
    NEAREST,
    NEAREST_SECTIONS,
    ShownPassage,
    badge_of,
    how_to_reply,
    numbered,
    passage_of,
    question_of,
    reference,
    remarks,
)
from bot.replies.buttons import (
    LISTED,
    REMOVE,
    WHICH_ONE,
    answer_buttons,
    choices,
    follow_ups,
)
from bot.replies.context import Library, RenderContext
from bot.replies.safe_text import cut, line, short, width
from bot.replies.sources import (
    SHOWN,
    TITLE,
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
    menu,
    mrkdwn,
    paragraph,
    person,
    plain,
    press_button,
    prose,
    quotation,
    rich_text,
    section,
    small,
    title_link,
    with_id,
    words,
)
from bot.slack.blocks.mrkdwn import badge_words, escaped, link
from core.domain.answer import Answer, Outcome, ShownCitation
from core.domain.delivery import StoredReply
from core.domain.json_value import Json
from core.domain.ontology import SectionRef

BODY = 4_000
"""Characters of the words of an answer; the pipeline makes at most half of it."""
BUTTONS = 20
"""Options of a clarification beyond this many are a list to choose from."""
_UP, _DOWN = "Mark this answer helpful", "Mark this answer not helpful"


def answer_blocks(reply: StoredReply, answer: Answer, context: RenderContext) -> list[Block]:
    """Return the blocks of an outcome."""
    ours, last = reply.answer_id or "", reference(reply, has_file=context.has_file)
    if answer.outcome is Outcome.CLARIFICATION:
        return _clarification(answer, ours, reference=last)
    head = badge_of(answer)
    blocks = [with_id(mrkdwn(badge_words(head)), f"badge:{ours}")] if head else []
    blocks.append(with_id(rich_text(*_body(answer, context)), f"body:{ours}"))
    if answer.quoted and not answer.is_closest:
        title = f"Sources ({len(answer.quoted)})"
        made = collapsed(title, source_blocks(answer.quoted, context.library))
        blocks.append(with_id(made, f"src:{ours}"))
    if ours:
        blocks += _offers(answer, ours, context)
    return [*blocks, small(last)]


def source_blocks(
    citations: tuple[ShownCitation, ...], library: Library, *, most: int = SHOWN
) -> list[Block]:
    """Return two sections for each source that is shown: where it stands, and its quotes."""
    found = shown_sources(citations, library, most=most)
    blocks = [block for source, quotes in found.sources for block in _source(source, quotes)]
    if found.more and blocks:
        last = blocks[-1]["text"]
        told = str(last.get("text") or "") if isinstance(last, dict) else ""
        blocks[-1] = section(f"{told}\n\n{found.more}")
    return blocks


def whole_blocks(answer: Answer, context: RenderContext) -> list[Block]:
    """Return all of an answer without anything to press, for a modal."""
    head = badge_of(answer)
    told = rich_text(*_body(answer, context))
    return [
        *([mrkdwn(badge_words(head))] if head else []),
        told,
        *source_blocks(answer.quoted, context.library),
    ]


def nearest_items(places: Iterable[SectionRef], library: Library) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield title_link(section_title(place), library.url(place))


def _clarification(answer: Answer, ours: str, *, reference: str) -> list[Block]:
    """Return the question, its options and how to reply."""
    has_buttons = bool(ours) and bool(answer.options)
    needs_list = bool(answer.options) and (
        not has_buttons or any(width(line(option)) > BUTTON for option in answer.options)
    )
    told = [paragraph(words(question_of(answer), bold=True))]
    if needs_list:
        told += [paragraph(words(numbered(answer.options)))]
    blocks = [with_id(rich_text(*told), f"ask:{ours}")]
    if has_buttons:
        blocks.append(actions(f"clr:{ours}", *_options(answer, ours)))
    return [*blocks, small(f"{how_to_reply(answer, has_buttons=has_buttons)} · {reference}")]


def _options(answer: Answer, ours: str) -> Iterator[Block]:
    """Return a button for each option; a list to choose from where there are too many."""
    if len(answer.options) <= BUTTONS:
        for choice, text in choices(answer, limit=BUTTON, most=BUTTONS):
            yield _numbered(action_ids.CLARIFY, choice, text, ours)
        return
    offered = choices(answer, limit=BUTTON, most=LISTED)
    listed = [(text, action_ids.value_of(ours, choice)) for choice, text in offered]
    yield menu(action_ids.CLARIFY, WHICH_ONE, listed)


def _body(answer: Answer, context: RenderContext) -> Iterator[Json]:
    mark, hosts = "… [shortened; “Show evidence” has every statement]", context.library.hosts
    passage = passage_of(answer, context.library)
    if passage is None:
        yield from prose(short(laid_out(answer), BODY, hosts, mark=mark))
    else:
        yield from _passage(passage, context.library)
        yield paragraph(words(short(passage.after, BODY, hosts)))
    if answer.nearest and not answer.quoted:
        yield paragraph(words(NEAREST_SECTIONS, bold=True))
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


def _source(source: Source, quotes: Iterable[ShownQuote]) -> Iterator[Block]:
    """Return where a source stands, as a link of ours, and its quotes, which nothing parses."""
    named, about = cut(source.title, 2 * TITLE), cut(source.about, TITLE)
    title = link(source.url, named) if source.url else f"*{escaped(named)}*"
    yield mrkdwn("\n".join(filter(None, [f"{numbers(source.quotes)} {title}", escaped(about)])))
    lines = list[str]()
    for quote in quotes:
        lines += [f"{quote.mark}“{quote.text}”"] if quote.text and not quote.rest else []
        lines += [f"{quote.mark}“{quote.text}"] if quote.text and quote.rest else []
        lines += [quote.rest] if quote.rest else []
    yield section("\n".join(lines))


def _title(source: Source) -> list[Json]:
    about = words(f" ({source.about})", italic=True) if source.about else []
    return [*title_link(source.title, source.url), *about]


def _offers(answer: Answer, ours: str, context: RenderContext) -> Iterator[Block]:
    buttons = list(answer_buttons(answer, may_share=context.may_share))
    if buttons:
        yield actions(f"acts:{ours}", *(press_button(one, ours) for one in buttons))
    asked = follow_ups(answer)
    if asked:
        offered = (_numbered(action_ids.FOLLOW_UP, n, text, ours) for n, text in enumerate(asked))
        yield actions(f"next:{ours}", *offered)
    if answer.outcome is Outcome.ANSWERED:
        yield _feedback_row(ours, context.asker)


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
        "text": plain(REMOVE.text),
        "value": answer_id,
        "accessibility_label": REMOVE.text,
        "visible_to_user_ids": [asker],
        "confirm": {
            "title": plain("Remove this answer?"),
            "text": plain("It disappears from the thread. Its record is kept."),
            "confirm": plain("Remove"),
            "deny": plain("Keep"),
        },
    }
