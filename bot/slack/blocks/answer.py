"""An answer in blocks: badge, words, sources, what can be done, reference.

The closest passage stands open among the words: whoever reads it says whether it answers.

Two shapes: the rich one has a container that opens on a click and feedback buttons, the simple one
only what every client knows.
"""

from collections.abc import Iterable, Iterator

from bot.replies.answer import (
    ANSWERS_IT,
    ANSWERS_IT_LABEL,
    FOR_ALL,
    NEAREST,
    ShownPassage,
    asks_compliance,
    follow_ups,
    head_of,
    how_to_reply,
    numbered,
    offers_all,
    passage_of,
    question_of,
    reference,
    remarks,
)
from bot.replies.context import Library
from bot.replies.safe_text import line, short, width
from bot.replies.sources import (
    SHOWN,
    Room,
    Source,
    missing,
    more_sources,
    numbers,
    section_title,
    sources,
)
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    BUTTON,
    ID,
    Block,
    actions,
    badge_words,
    button,
    collapsed,
    context,
    flowing,
    listed,
    mrkdwn,
    named,
    person,
    plain,
    quoted,
    rich,
    said,
    to_policy,
    words,
)
from bot.slack.blocks.render_context import Setting
from core.domain.answer import Answer, Outcome, ShownCitation
from core.domain.delivery import StoredReply
from core.domain.json_value import Json
from core.domain.ontology import SectionRef
from core.domain.question import ALL


def source_blocks(citations: tuple[ShownCitation, ...], library: Library) -> list[Block]:
    """Return a block for each source that is shown, and one that says what is not; at most 6."""
    room = Room()
    found = list(sources(citations, library))
    blocks = [rich(*_source(source, library, room)) for source in found[:SHOWN]]
    return [
        *blocks,
        *(
            [rich(said(words(more_sources(found[SHOWN:]), italic=True)))]
            if len(found) > SHOWN
            else []
        ),
    ]


def source_list(citations: tuple[ShownCitation, ...], library: Library) -> Block:
    """Return the same in one block."""
    elements = (block["elements"] for block in source_blocks(citations, library))
    return rich(*(part for some in elements if isinstance(some, list) for part in some))


def passage_elements(passage: ShownPassage, library: Library) -> Iterator[Block]:
    """Return where the closest passage stands, and its words."""
    yield said(_title(passage.source))
    taken = Room().take(passage.quotation, library.hosts)
    yield quoted(words(f"{taken.text} {passage.marks}"))
    if not taken.is_whole:
        yield said(words(missing(taken.text, passage.quotation), italic=True))


def nearest_items(places: Iterable[SectionRef], library: Library) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield to_policy(section_title(place), library.url(place))


def _source(source: Source, library: Library, room: Room) -> Iterator[Block]:
    yield said(words(f"{numbers(source.quotes)} "), _title(source))
    several = len(source.quotes) > 1
    for quote in source.quotes:
        taken = room.take(quote.quote, library.hosts)
        mark = words(f"[{quote.number}] ", bold=True) if several else []
        if taken.text:
            yield quoted(mark, words(taken.text))
        if not taken.is_whole:
            yield said(mark, words(missing(taken.text, quote.quote), italic=True))


def _title(source: Source) -> list[Json]:
    about = words(f"  {source.about}", italic=True) if source.about else []
    return [*to_policy(source.title, source.url), *about]


_UP, _DOWN = "Mark this answer helpful", "Mark this answer not helpful"


def feedback_block(answer_id: str, asker: str) -> Block:
    """Return the row; only the asker, if known, sees "Remove"."""
    elements = [_thumbs(answer_id), *([_remove(answer_id, asker)] if person(asker) else [])]
    return {"type": "context_actions", "block_id": f"fb:{answer_id}"[:ID], "elements": elements}


def feedback_buttons(answer_id: str) -> Block:
    """Return the thumbs as two plain buttons, where Slack has no row for them."""
    up = action_ids.value_of(answer_id, "up")
    down = action_ids.value_of(answer_id, "down")
    return actions(
        f"fb:{answer_id}",
        button(f"{action_ids.FEEDBACK}:up", "Helpful", up, label=_UP),
        button(f"{action_ids.FEEDBACK}:down", "Not helpful", down, label=_DOWN),
    )


def _thumbs(answer_id: str) -> Block:
    return {
        "type": "feedback_buttons",
        "action_id": action_ids.FEEDBACK,
        "positive_button": _thumb(answer_id, "up", "Helpful", _UP),
        "negative_button": _thumb(answer_id, "down", "Not helpful", _DOWN),
    }


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


BUTTONS = 20
"""Options beyond this many are numbered instead."""


def clarification_blocks(
    answer: Answer, ours: str, *, reference: str, is_rich: bool
) -> list[Block]:
    """Return the question, its options and that a reply will do."""
    has_buttons = is_rich and bool(ours) and 0 < len(answer.options) <= BUTTONS
    needs_list = bool(answer.options) and (
        not has_buttons or any(width(line(option)) > BUTTON for option in answer.options)
    )
    told = [said(words(question_of(answer), bold=True))]
    if needs_list:
        told += [said(words(numbered(answer.options)))]
    blocks = [named(rich(*told), f"ask:{ours}")]
    if has_buttons:
        blocks.append(actions(f"clr:{ours}", *_option_buttons(answer, ours)))
    return [*blocks, context(f"{how_to_reply(answer, has_buttons=has_buttons)} · {reference}")]


def _option_buttons(answer: Answer, ours: str) -> Iterator[Block]:
    for number, option in enumerate(answer.options):
        value = action_ids.value_of(ours, number)
        yield button(f"{action_ids.CLARIFY}:{number}", line(option, limit=BUTTON), value)
    if offers_all(answer):
        yield button(
            f"{action_ids.CLARIFY}:{ALL}",
            FOR_ALL,
            action_ids.value_of(ours, ALL),
        )


BODY = 4_000
"""Characters of the words of an answer; the pipeline makes at most half of it."""


def answer_blocks(
    reply: StoredReply, answer: Answer, setting: Setting, *, is_rich: bool
) -> list[Block]:
    """Return the blocks of an outcome."""
    ours, last = reply.answer_id or "", reference(reply, has_file=setting.has_file)
    if answer.outcome is Outcome.CLARIFICATION:
        return clarification_blocks(answer, ours, reference=last, is_rich=is_rich)
    blocks = [*_head(answer, ours), named(rich(*_body(answer, setting)), f"body:{ours}")]
    if answer.citations and not answer.is_closest:
        blocks.append(_sources(answer, ours, setting, is_rich=is_rich))
    if ours:
        blocks += _offers(answer, ours, setting, is_rich=is_rich)
    return [*blocks, context(last)]


def _head(answer: Answer, ours: str) -> Iterator[Block]:
    head = head_of(answer)
    if head is not None:
        yield named(mrkdwn(badge_words(head)), f"badge:{ours}")


def _body(answer: Answer, setting: Setting) -> Iterator[Json]:
    mark, hosts = "… [shortened; “Show evidence” has every statement]", setting.library.hosts
    passage = passage_of(answer, setting.library)
    if passage is None:
        yield from flowing(short(answer.text, BODY, hosts, mark=mark))
    else:
        yield from passage_elements(passage, setting.library)
        yield said(words(short(passage.after, BODY, hosts)))
    if answer.nearest and not answer.citations:
        yield said(words("Nearest sections", bold=True))
        yield listed(nearest_items(answer.nearest[:NEAREST], setting.library))
    for strong, rest in remarks(answer):
        yield said(words(strong, bold=True), words(rest, italic=not strong))


def _sources(answer: Answer, ours: str, setting: Setting, *, is_rich: bool) -> Block:
    if is_rich:
        title = f"Sources ({len(answer.citations)})"
        children = source_blocks(answer.citations, setting.library)
        return named(collapsed(title, children), f"src:{ours}")
    return named(source_list(answer.citations, setting.library), f"src:{ours}")


def _offers(answer: Answer, ours: str, setting: Setting, *, is_rich: bool) -> Iterator[Block]:
    yield actions(f"acts:{ours}", *_buttons(answer, ours, setting))
    asked = follow_ups(answer)
    if asked:
        yield actions(
            f"next:{ours}",
            *(
                button(
                    f"{action_ids.FOLLOW_UP}:{number}",
                    line(text),
                    action_ids.value_of(ours, number),
                )
                for number, text in enumerate(asked)
            ),
        )
    if answer.outcome is Outcome.ANSWERED:
        yield feedback_block(ours, setting.asker) if is_rich else feedback_buttons(ours)


def _buttons(answer: Answer, ours: str, setting: Setting) -> Iterator[Block]:
    evidence = button(action_ids.EVIDENCE, "Show evidence", ours)
    is_answered = answer.outcome is Outcome.ANSWERED
    if answer.is_closest:
        yield button(action_ids.ANSWERS, ANSWERS_IT, ours, label=ANSWERS_IT_LABEL)
        yield _ask_compliance(answer, ours)
        yield evidence
        return
    if answer.citations:
        yield evidence
    yield _ask_compliance(
        answer, ours, style=None if is_answered or answer.case_number else "primary"
    )
    if is_answered:
        yield button(action_ids.REPORT, "Report a problem", ours)
    if setting.may_share and is_answered:
        yield button(
            action_ids.SHARE,
            "Share in channel",
            ours,
            label="Show this answer to the whole channel",
        )


def _ask_compliance(answer: Answer, ours: str, *, style: str | None = None) -> Block:
    label = "Hand this question to a compliance officer"
    return button(action_ids.ESCALATE, asks_compliance(answer), ours, style=style, label=label)
