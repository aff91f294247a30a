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
    SOURCES,
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
from bot.replies.sections import TITLE, section_title
from bot.replies.sources import SHOWN, QuoteBudget, ShownQuote, Source, numbers, shown_sources
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
from core.language.interface.texts import Text
from core.language.languages import Language

BODY = 4_000
"""Characters of the words of an answer; the pipeline makes at most half of it."""
BUTTONS = 20
"""Options of a clarification beyond this many are a list to choose from."""
_HELPFUL, _NOT_HELPFUL = Text("Helpful", "Hilfreich"), Text("Not helpful", "Nicht hilfreich")
_UP = Text("Mark this answer helpful", "Diese Antwort als hilfreich bewerten")
_DOWN = Text("Mark this answer not helpful", "Diese Antwort als nicht hilfreich bewerten")
_REMOVE = Text("Remove", "Entfernen")
_KEEP = Text("Keep", "Behalten")
_REMOVE_THIS = Text("Remove this answer?", "Antwort entfernen?")
_DISAPPEARS = Text(
    "It will be removed from the thread; its record is kept.",
    "Sie verschwindet aus dem Thread. Ihr Protokoll bleibt erhalten.",
)
_SHORTENED = Text(
    "… [shortened; “Show evidence” has every statement]",
    "… [gekürzt; „Belege anzeigen“ zeigt alle Aussagen]",
)


def answer_blocks(reply: StoredReply, answer: Answer, context: RenderContext) -> list[Block]:
    """Return the blocks of an outcome."""
    ours, language = reply.answer_id or "", context.language
    last = reference(reply, has_file=context.has_file, language=language)
    if answer.outcome is Outcome.CLARIFICATION:
        return _clarification(answer, ours, reference=last, language=language)
    head = badge_of(answer, language)
    blocks = [with_id(mrkdwn(badge_words(head)), f"badge:{ours}")] if head else []
    blocks.append(with_id(rich_text(*_body(answer, context)), f"body:{ours}"))
    if answer.quoted and not answer.is_closest:
        title = SOURCES.format(count=len(answer.quoted)).of(language)
        listed = source_blocks(answer.quoted, context.library, language)
        made = collapsed(title, listed)
        blocks.append(with_id(made, f"src:{ours}"))
    if ours:
        blocks += _offers(answer, ours, context)
    return [*blocks, small(last)]


def source_blocks(
    citations: tuple[ShownCitation, ...],
    library: Library,
    language: Language,
    *,
    most: int = SHOWN,
) -> list[Block]:
    """Return two sections for each source that is shown: where it stands, and its quotes."""
    found = shown_sources(citations, library, most=most, language=language)
    blocks = [block for source, quotes in found.sources for block in _source(source, quotes)]
    if found.more and blocks:
        last = blocks[-1]["text"]
        told = str(last.get("text") or "") if isinstance(last, dict) else ""
        blocks[-1] = section(f"{told}\n\n{found.more}")
    return blocks


def whole_blocks(answer: Answer, context: RenderContext) -> list[Block]:
    """Return all of an answer without anything to press, for a modal."""
    head = badge_of(answer, context.language)
    told = rich_text(*_body(answer, context))
    return [
        *([mrkdwn(badge_words(head))] if head else []),
        told,
        *source_blocks(answer.quoted, context.library, context.language),
    ]


def nearest_items(
    places: Iterable[SectionRef], library: Library, language: Language
) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield title_link(section_title(place, language), library.url(place))


def _clarification(answer: Answer, ours: str, *, reference: str, language: Language) -> list[Block]:
    """Return the question, its options and how to reply."""
    has_buttons = bool(ours) and bool(answer.options)
    needs_list = bool(answer.options) and (
        not has_buttons or any(width(line(option)) > BUTTON for option in answer.options)
    )
    told = [paragraph(words(question_of(answer), bold=True))]
    if needs_list:
        told += [paragraph(words(numbered(answer.options, language)))]
    blocks = [with_id(rich_text(*told), f"ask:{ours}")]
    if has_buttons:
        blocks.append(actions(f"clr:{ours}", *_options(answer, ours, language)))
    how = how_to_reply(answer, has_buttons=has_buttons, language=language)
    return [*blocks, small(f"{how} · {reference}")]


def _options(answer: Answer, ours: str, language: Language) -> Iterator[Block]:
    """Return a button for each option; a list to choose from where there are too many."""
    if len(answer.options) <= BUTTONS:
        for choice, text in choices(answer, limit=BUTTON, most=BUTTONS, language=language):
            yield _numbered(action_ids.CLARIFY, choice, text, ours)
        return
    offered = choices(answer, limit=BUTTON, most=LISTED, language=language)
    listed = [(text, action_ids.value_of(ours, choice)) for choice, text in offered]
    yield menu(action_ids.CLARIFY, WHICH_ONE.of(language), listed)


def _body(answer: Answer, context: RenderContext) -> Iterator[Json]:
    language, hosts = context.language, context.library.hosts
    mark = _SHORTENED.of(language)
    passage = passage_of(answer, context.library, language)
    if passage is None:
        yield from prose(short(laid_out(answer), BODY, hosts, mark=mark))
    else:
        yield from _passage(passage, context.library, language)
        yield paragraph(words(short(passage.after, BODY, hosts)))
    if answer.nearest and not answer.quoted:
        yield paragraph(words(NEAREST_SECTIONS.of(language), bold=True))
        yield bullet_list(nearest_items(answer.nearest[:NEAREST], context.library, language))
    for strong, rest in remarks(answer, language):
        yield paragraph(words(strong, bold=True), words(rest, italic=not strong))


def _passage(passage: ShownPassage, library: Library, language: Language) -> Iterator[Block]:
    """Return where the closest passage stands, and its words."""
    yield paragraph(_title(passage.source))
    taken = QuoteBudget(language=language).take(passage.quotation, library.hosts)
    yield quotation(words(f"{taken.text} {passage.marks}"))
    if taken.rest:
        yield paragraph(words(taken.rest, italic=True))


def _source(source: Source, quotes: Iterable[ShownQuote]) -> Iterator[Block]:
    """Return where a source stands, as a link of ours, and its quotes, which nothing parses."""
    named = cut(source.section, 2 * TITLE)
    title = link(source.url, named) if source.url else escaped(named)
    policy = f"*{escaped(cut(source.policy, 2 * TITLE))}*\n" if source.is_first else ""
    yield mrkdwn(f"{policy}{numbers(source.quotes)} {title}")
    lines = list[str]()
    for quote in quotes:
        lines += [f"{quote.mark}“{quote.text}”"] if quote.text and not quote.rest else []
        lines += [f"{quote.mark}“{quote.text}"] if quote.text and quote.rest else []
        lines += [quote.rest] if quote.rest else []
    yield section("\n".join([*lines, cut(source.about, TITLE)]))


def _title(source: Source) -> list[Json]:
    about = words(f" ({source.about})", italic=True) if source.about else []
    return [*title_link(source.title, source.url), *about]


def _offers(answer: Answer, ours: str, context: RenderContext) -> Iterator[Block]:
    buttons = list(answer_buttons(answer, may_share=context.may_share))
    if buttons:
        yield actions(
            f"acts:{ours}", *(press_button(one, ours, context.language) for one in buttons)
        )
    asked = follow_ups(answer)
    if asked:
        offered = (_numbered(action_ids.FOLLOW_UP, n, text, ours) for n, text in enumerate(asked))
        yield actions(f"next:{ours}", *offered)
    if answer.outcome is Outcome.ANSWERED:
        yield _feedback_row(ours, context.asker, context.language)


def _numbered(action_id: str, choice: str | int, text: str, ours: str) -> Block:
    return button(f"{action_id}:{choice}", text, action_ids.value_of(ours, choice))


def _feedback_row(answer_id: str, asker: str, language: Language) -> Block:
    """Return thumbs, and for a known asker the button that removes the answer."""
    thumbs: Block = {
        "type": "feedback_buttons",
        "action_id": action_ids.FEEDBACK,
        "positive_button": _thumb(answer_id, "up", _HELPFUL.of(language), _UP.of(language)),
        "negative_button": _thumb(answer_id, "down", _NOT_HELPFUL.of(language), _DOWN.of(language)),
    }
    removing = [_remove(answer_id, asker, language)] if person(asker) else []
    elements: list[Json] = [thumbs, *removing]
    return {"type": "context_actions", "block_id": f"fb:{answer_id}"[:ID], "elements": elements}


def _thumb(answer_id: str, choice: str, text: str, label: str) -> Block:
    return {
        "text": plain(text),
        "value": action_ids.value_of(answer_id, choice),
        "accessibility_label": label,
    }


def _remove(answer_id: str, asker: str, language: Language) -> Block:
    remove = plain(_REMOVE.of(language))
    return {
        "type": "icon_button",
        "action_id": action_ids.REMOVE,
        "icon": "trash",
        "text": plain(REMOVE.text.of(language)),
        "value": answer_id,
        "accessibility_label": REMOVE.text.of(language),
        "visible_to_user_ids": [asker],
        "confirm": {
            "title": plain(_REMOVE_THIS.of(language)),
            "text": plain(_DISAPPEARS.of(language)),
            "confirm": remove,
            "deny": plain(_KEEP.of(language)),
        },
    }
