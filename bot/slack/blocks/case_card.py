"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Iterator

from bot.replies.badge import head_of
from bot.replies.case_texts import (
    CUT,
    HIDDEN,
    NOTE,
    QUESTION,
    REPLY,
    case_facts,
    case_title,
    opened_line,
)
from bot.replies.permalinks import is_permalink
from bot.replies.text import line, short
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    Block,
    actions,
    badge_words,
    button,
    collapsed,
    context,
    escaped,
    flowing,
    header,
    link,
    mention,
    mrkdwn,
    named,
    quoted,
    rich,
    said,
    section,
    words,
)
from bot.slack.blocks.render_context import Setting
from bot.slack.blocks.sources import source_blocks
from bot.slack.blocks.text_fallback import within
from core.domain.case import Case, CaseState


def case_blocks(case: Case, setting: Setting) -> list[Block]:
    """Return the card; as it stands, for whoever sees it last."""
    if _is_hidden(case, setting):
        return [header(case_title(case)), section(HIDDEN)]
    blocks = [
        header(case_title(case)),
        rich(*_asked(case)),
        mrkdwn("  ·  ".join(_about(case))),
    ]
    if case.answer is not None:
        sources = source_blocks(case.answer.citations, setting.library)
        told = short(case.answer.text, REPLY, setting.library.hosts, mark=CUT)
        body = rich(*flowing(told))
        got = collapsed("What the asker got", [body, *sources])
        blocks.append(named(got, f"case_src:{case.case_id}"))
    if case.state in {CaseState.OPEN, CaseState.CLAIMED}:
        blocks.append(actions(f"case:{case.case_id}", *_deeds(case)))
    return [*blocks, context(opened_line(case))]


def case_text(case: Case, setting: Setting) -> str:
    """Return the card as mrkdwn."""
    if _is_hidden(case, setting):
        return f"{case_title(case)}\n{HIDDEN}"
    asked = " ".join(within(case.question, QUESTION).split())
    told = [f"Answered: {within(case.told, 1_000)}"] if case.told else []
    return "\n".join([case_title(case), f"> {asked}", "  ·  ".join(_about(case)), *told])


def _is_hidden(case: Case, setting: Setting) -> bool:
    return case.is_sensitive and setting.is_public


def _asked(case: Case) -> Iterator[Block]:
    yield quoted(words(short(case.question, QUESTION)))
    if case.note:
        yield said(words("Note: ", bold=True), words(short(case.note, NOTE)))
    if case.told:
        yield said(words("Answered: ", bold=True), words(short(case.told, REPLY, mark=CUT)))


def _about(case: Case) -> Iterator[str]:
    """Return in mrkdwn what is known besides, all of it code's."""
    head = head_of(case.answer) if case.answer else None
    yield badge_words(head) if head else "No answer was given"
    asker = _asker(case)
    if asker:
        yield f"asked by {asker}"
    if case.permalink and is_permalink(case.permalink):
        yield link(case.permalink, "open the thread")
    yield from map(escaped, case_facts(case))


def _asker(case: Case) -> str:
    """Return who asked; somebody of another workspace or platform is not mentioned but named."""
    return mention(case.asker or "") or escaped(line(case.asker_name or "", limit=80))


def _deeds(case: Case) -> Iterator[Block]:
    if case.state is CaseState.OPEN:
        yield button(action_ids.CASE_CLAIM, "Claim", case.case_id, style="primary")
    yield button(action_ids.CASE_ANSWER, "Answer", case.case_id)
    if case.answer is not None and not case.is_wrong:
        yield button(action_ids.CASE_WRONG, "Mark answer wrong", case.case_id, style="danger")
    yield button(action_ids.CASE_CLOSE, "Close", case.case_id)
