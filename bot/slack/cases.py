"""Cases in blocks: the officers' card, the officer's answer, and the answer that it replaces."""

from collections.abc import Iterator
from datetime import datetime

from bot.replies.badge import head_of, officers_head
from bot.replies.text import line, short
from bot.slack import names
from bot.slack.elements import (
    Block,
    actions,
    badge_words,
    button,
    collapsed,
    context,
    escaped,
    header,
    link,
    mention,
    mrkdwn,
    named,
    quoted,
    rich,
    said,
    words,
)
from bot.slack.fallback import LIMIT, answer_text, within
from bot.slack.setting import Setting
from bot.slack.sources import source_blocks
from core.domain.answer import Answer
from core.domain.case import Case, CaseState, OfficerReply, Urgency
from core.domain.run import Json

QUESTION = 1_500
REPLY = 3_000
NOTE = 2_000
SLACK = ".slack.com"
_DUE = {Urgency.TODAY: "today", Urgency.WEEK: "this week"}
_SUPERSEDED = "Superseded by Compliance"


def case_blocks(case: Case, setting: Setting) -> list[Block]:
    """Return the officers' card; who asked and where only as far as the case says so."""
    blocks = [
        header(f"Case {case.number} · {case.state.value} · {_DUE[case.urgency]}"),
        rich(*_asked(case)),
        mrkdwn("  ·  ".join(_about(case))),
    ]
    if case.answer is not None:
        sources = source_blocks(case.answer.citations, setting.library)
        body = rich(said(_text(case.answer.text, setting)))
        got = collapsed("What the asker got", [body, *sources])
        blocks.append(named(got, f"case_src:{case.case_id}"))
    if case.state in {CaseState.OPEN, CaseState.CLAIMED}:
        blocks.append(actions(f"case:{case.case_id}", *_deeds(case)))
    reference = f" · Ref {line(case.record_id, limit=80)}" if case.record_id else ""
    return [*blocks, context(f"Opened {_when(case.opened_at)}{reference}")]


def case_text(case: Case) -> str:
    """Return the card as mrkdwn."""
    asked = within(case.question, QUESTION)
    lines = [f"*Case {case.number}* · {case.state.value} · {_DUE[case.urgency]}", f"> {asked}"]
    return "\n".join([*lines, "  ·  ".join(_about(case))])


def officer_blocks(reply: OfficerReply, setting: Setting) -> list[Block]:
    """Return a person's answer: name, question, words; no percentage, no label of a machine."""
    question = words(short(reply.question, QUESTION))
    return [
        mrkdwn(_officer_line(reply)),
        rich(quoted(question), said(_text(reply.text, setting, limit=REPLY))),
        actions(
            f"done:{reply.case_id}",
            button(names.CASE_ACCEPT, "That answers it", reply.case_id),
            button(names.CASE_AGAIN, "Ask again", reply.case_id),
        ),
        context(f"Case {reply.number}"),
    ]


def officer_text(reply: OfficerReply) -> str:
    """Return the same as mrkdwn."""
    asked = within(reply.question, 600)
    told = within(reply.text, REPLY - 500)
    return f"{_officer_line(reply)}\n> {' '.join(asked.split())}\n{told}\nCase {reply.number}"


def superseded_blocks(answer: Answer, officer: str, setting: Setting) -> list[Block]:
    """Return what replaces an answer that a person has answered anew: it stays to be read."""
    told = rich(said(_text(answer.text, setting)))
    sources = source_blocks(answer.citations, setting.library)
    return [
        mrkdwn(f":bust_in_silhouette: *{_SUPERSEDED}*{_by(officer)}"),
        collapsed("The earlier answer", [told, *sources]),
        context("The reply of Compliance in this thread holds instead."),
    ]


def superseded_text(answer: Answer, officer: str, setting: Setting) -> str:
    """Return the same as mrkdwn."""
    first = f"*{_SUPERSEDED}*{_by(officer)}\nThe earlier answer was:\n"
    earlier = answer_text(answer, setting, reference="No longer holds.")
    return first + earlier if len(first) + len(earlier) <= LIMIT else first.splitlines()[0]


def _asked(case: Case) -> Iterator[Block]:
    yield quoted(words(short(case.question, QUESTION)))
    if case.note:
        yield said(words("Note: ", bold=True), words(short(case.note, NOTE)))


def _about(case: Case) -> Iterator[str]:
    """Return in mrkdwn what is known besides, all of it code's."""
    head = head_of(case.answer) if case.answer else None
    yield badge_words(head) if head else "No answer was given"
    if case.asker and mention(case.asker):
        yield f"asked by {mention(case.asker)}"
    if case.permalink and is_permalink(case.permalink):
        yield link(case.permalink, "open the thread")
    if case.officer:
        claimed = f" on {_when(case.claimed_at)}" if case.claimed_at else ""
        yield f"claimed by {escaped(line(case.officer, limit=80))}{claimed}"


def is_permalink(url: str) -> bool:
    """Say whether an address leads into Slack: what `chat.getPermalink` told."""
    host, _, path = url.removeprefix("https://").partition("/")
    is_slack = host.endswith(SLACK) and host.replace("-", "").replace(".", "").isalnum()
    return url.startswith("https://") and is_slack and host.isascii() and path.isprintable()


def _deeds(case: Case) -> Iterator[Block]:
    if case.state is CaseState.OPEN:
        yield button(names.CASE_CLAIM, "Claim", case.case_id, style="primary")
    yield button(names.CASE_ANSWER, "Answer", case.case_id)
    if case.answer is not None:
        yield button(names.CASE_WRONG, "Mark answer wrong", case.case_id, style="danger")
    yield button(names.CASE_CLOSE, "Close", case.case_id)


def _officer_line(reply: OfficerReply) -> str:
    asker = mention(reply.asker or "")
    return badge_words(officers_head(reply.officer)) + (f"  ·  {asker}" if asker else "")


def _by(officer: str) -> str:
    return f"  ·  {escaped(line(officer, limit=80))}" if officer.strip() else ""


def _text(text: str, setting: Setting, *, limit: int = REPLY) -> list[Json]:
    return words(short(text, limit, setting.library.hosts, mark="… [shortened]"))


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
