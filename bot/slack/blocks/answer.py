"""An answer in blocks: badge, words, sources, what can be done, reference.

The closest passage stands open among the words: whoever reads it says whether it answers.

Two shapes: the rich one has a container that opens on a click and feedback buttons, the simple one
only what every client knows.
"""

from collections.abc import Iterator

from bot.replies.badge import head_of
from bot.replies.closest import ANSWERS_IT, ANSWERS_IT_LABEL, passage_of
from bot.replies.follow_ups import follow_ups
from bot.replies.footer import NEAREST, reference, remarks
from bot.replies.form_texts import asks_compliance
from bot.replies.text import line, short
from bot.slack.blocks import action_ids
from bot.slack.blocks.clarification import clarification_blocks
from bot.slack.blocks.elements import (
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
    rich,
    said,
    words,
)
from bot.slack.blocks.feedback import feedback_block, feedback_buttons
from bot.slack.blocks.render_context import Setting
from bot.slack.blocks.sources import nearest_items, passage_elements, source_blocks, source_list
from core.domain.answer import Answer, Outcome
from core.domain.delivery import StoredReply
from core.domain.run import Json

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
