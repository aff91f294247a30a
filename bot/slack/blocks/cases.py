"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Iterator

from bot.replies.answer import head_of, officers_head
from bot.replies.notices import (
    AUTOMATED,
    CUT,
    HIDDEN,
    NOTE,
    QUESTION,
    REPLY,
    SUPERSEDED,
    case_facts,
    case_title,
    instead_text,
    opened_line,
)
from bot.replies.notices import news_text as news_words
from bot.replies.safe_text import is_permalink, line, short, width
from bot.slack.blocks import action_ids
from bot.slack.blocks.answer import source_blocks
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
from bot.slack.blocks.mrkdwn import LIMIT, answer_text, within
from bot.slack.blocks.render_context import Setting
from core.domain.case import Case, CaseNews, CaseState, OfficerReply, Superseded


def officer_blocks(reply: OfficerReply, setting: Setting) -> list[Block]:
    """Return a person's answer: name, question, words; no percentage, no label of a machine."""
    question = words(short(reply.question, QUESTION))
    told = words(short(reply.text, REPLY, setting.library.hosts, mark=CUT))
    accept = button(action_ids.CASE_ACCEPT, "That answers it", reply.case_id)
    again = button(action_ids.CASE_AGAIN, "Ask again", reply.case_id)
    return [
        mrkdwn(_officer_line(reply)),
        rich(quoted(question), said(told)),
        *([mrkdwn(where)] if (where := _where(reply)) else []),
        actions(f"done:{reply.case_id}", accept, again),
        context(f"Case {reply.number}"),
    ]


def officer_text(reply: OfficerReply) -> str:
    """Return the same as mrkdwn."""
    asked = " ".join(within(reply.question, 400).split())
    told = within(reply.text, REPLY - 500)
    lines = [_officer_line(reply), f"> {asked}", told, _where(reply), f"Case {reply.number}"]
    return "\n".join(one for one in lines if one)


def superseded_blocks(old: Superseded, setting: Setting) -> list[Block]:
    """Return what replaces an answer that a person has answered anew: it stays to be read."""
    told = short(old.answer.text, REPLY, setting.library.hosts, mark=CUT)
    sources = source_blocks(old.answer.citations, setting.library)
    return [
        mrkdwn(_superseded_line(old)),
        collapsed("The earlier answer", [rich(*flowing(told)), *sources]),
        context(f"{instead_text(old)} · Case {old.number}"),
    ]


def superseded_text(old: Superseded, setting: Setting) -> str:
    """Return the same as mrkdwn."""
    first = f"{_superseded_line(old)}\n{instead_text(old)}"
    earlier = answer_text(old.answer, setting, reference=f"Case {old.number}")
    whole = f"{first}\nThe earlier answer was:\n{earlier}"
    return whole if width(whole) <= LIMIT else first


def news_blocks(news: CaseNews) -> list[Block]:
    """Return a line for the asker."""
    return [section(news_words(news)), context(AUTOMATED)]


def news_text(news: CaseNews) -> str:
    """Return the same as mrkdwn."""
    return escaped(news_words(news))


def _officer_line(reply: OfficerReply) -> str:
    asker = mention(reply.asker or "")
    return badge_words(officers_head(reply.officer)) + (f"  ·  {asker}" if asker else "")


def _where(reply: OfficerReply) -> str:
    """Return a link to where it was asked; nothing if that is unknown."""
    is_known = reply.permalink is not None and is_permalink(reply.permalink)
    return link(reply.permalink, "Where you asked") if is_known and reply.permalink else ""


def _superseded_line(old: Superseded) -> str:
    by = f"  ·  {escaped(line(old.officer, limit=80))}" if old.officer.strip() else ""
    return f":bust_in_silhouette: *{SUPERSEDED}*{by}"


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
