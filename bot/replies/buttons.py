"""The buttons of a reply: which ones, in which order, with which words.

Platforms draw them and give them their ids. All of it follows from what is stored, so that a button
pressed later still means what it said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from bot.replies.safe_text import line
from core.agent.policy_facts.question_forms import asks_for_summary
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer, Outcome, RefusalKind
from core.domain.case import Case, CaseReminder, CaseState
from core.domain.question import ALL

FOR_ALL = "Not sure - answer for all"
SUGGESTED = 2
ABOUT = "metadata"
"""Feature of an answer about a policy itself, which suggests nothing more of the kind."""
LONGEST = 75
"""Characters: what a button shows whole."""


class Act(StrEnum):
    """What a button does."""

    EVIDENCE = "evidence"
    ESCALATE = "escalate"
    REPORT = "report"
    ANSWERS = "answers"
    SHARE = "share"
    REMOVE = "remove"
    SHOW = "show"
    CASE_CLAIM = "case_claim"
    CASE_ANSWER = "case_answer"
    CASE_WRONG = "case_wrong"
    CASE_PARTLY = "case_partly"
    CASE_RIGHT = "case_right"
    CASE_CLOSE = "case_close"
    CASE_ACCEPT = "case_accept"
    CASE_AGAIN = "case_reopen"
    TELL_ASKERS = "affected_approve"


class Emphasis(Enum):
    """How a button stands out."""

    MAIN = auto()
    DANGER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button, to be drawn."""

    act: Act
    text: str
    label: str = ""
    """What a screen reader says, where a platform has that; empty: the text."""
    emphasis: Emphasis | None = None


ANSWERS_IT = Button(
    act=Act.ANSWERS,
    text="This answers it",
    label="Say that this passage answers the question for you",
)
SHARE = Button(
    act=Act.SHARE, text="Share in channel", label="Show this answer to the whole channel"
)
REMOVE = Button(act=Act.REMOVE, text="Remove this answer")
SHOW = Button(act=Act.SHOW, text="Show answer")
ASK_IN_PRIVATE = Button(act=Act.ESCALATE, text="Ask Compliance in private")
CLAIM = Button(act=Act.CASE_CLAIM, text="Claim", emphasis=Emphasis.MAIN)
ANSWER = Button(act=Act.CASE_ANSWER, text="Answer")
MARK_RIGHT = Button(act=Act.CASE_RIGHT, text="Answer is right")
MARK_PARTLY = Button(act=Act.CASE_PARTLY, text="Partly right")
MARK_WRONG = Button(act=Act.CASE_WRONG, text="Mark answer wrong", emphasis=Emphasis.DANGER)
CLOSE = Button(act=Act.CASE_CLOSE, text="Close")
TELL_ASKERS = Button(
    act=Act.TELL_ASKERS,
    text="Tell the askers",
    label="Answer these questions anew, and tell those who asked where the answer is another one",
    emphasis=Emphasis.MAIN,
)
ACCEPT = Button(act=Act.CASE_ACCEPT, text="That answers it")
ASK_AGAIN = Button(act=Act.CASE_AGAIN, text="Ask again")


def answer_buttons(answer: Answer, *, may_share: bool) -> Iterator[Button]:
    """Yield the buttons of an answer, except those that rate and remove it.

    Where somebody reads who may not ask there are none: they could use none of them.
    """
    if answer.refusal is RefusalKind.NOT_PERMITTED:
        return
    evidence = Button(act=Act.EVIDENCE, text="Show evidence")
    is_answered = answer.outcome is Outcome.ANSWERED
    if answer.is_closest:
        yield from (ANSWERS_IT, _ask_compliance(answer), evidence)
        return
    if answer.citations:
        yield evidence
    yield _ask_compliance(answer, is_main=not is_answered and answer.case_number is None)
    if is_answered:
        yield Button(act=Act.REPORT, text="Report a problem")
    if is_answered and may_share:
        yield SHARE


def _ask_compliance(answer: Answer, *, is_main: bool = False) -> Button:
    number = answer.case_number
    return Button(
        act=Act.ESCALATE,
        text="Ask Compliance" if number is None else f"Add to case {number}",
        label="Hand this question to a compliance officer",
        emphasis=Emphasis.MAIN if is_main else None,
    )


def case_buttons(case: Case) -> Iterator[Button]:
    """Yield an officer's buttons; none once the case is answered or closed."""
    if case.state not in {CaseState.OPEN, CaseState.CLAIMED}:
        return
    if case.state is CaseState.OPEN:
        yield CLAIM
    yield ANSWER
    if case.answer is not None and case.answer.outcome is Outcome.ANSWERED and not case.verdict:
        yield from (MARK_RIGHT, MARK_PARTLY, MARK_WRONG)
    yield CLOSE


def reminder_buttons(reminder: CaseReminder) -> tuple[Button, ...]:
    """Return an officer's buttons below a reminder; none once the case is answered or closed."""
    if reminder.state is CaseState.OPEN:
        return CLAIM, ANSWER
    return (ANSWER,) if reminder.state is CaseState.CLAIMED else ()


def offers_all(answer: Answer) -> bool:
    """Say whether a clarification may be answered for every case at once."""
    return bool(answer.options) and answer.text.endswith(ALL_OPTION)


LISTED = 60
"""Options that a list to choose from holds."""
WHICH_ONE = "Which one?"
"""Above such a list."""


def choices(answer: Answer, *, limit: int, most: int) -> Iterator[tuple[str, str]]:
    """Yield the options of a clarification: value, and words within a limit."""
    for number, option in enumerate(answer.options[:most]):
        yield str(number), line(option, limit=limit) or f"Option {number + 1}"
    if offers_all(answer):
        yield ALL, FOR_ALL


_SUMMARIES = ("What are the main rules of the {policy}?", "Summarise the {policy}")


def follow_ups(answer: Answer) -> tuple[str, ...]:
    """Suggest what to ask next: the main rules of each policy quoted.

    Only what is known to be answered: code reads the question as one that is answered from what is
    stored of that policy. Of policies of one title in several countries none is suggested.
    """
    is_about = any(name == ABOUT for name, _ in answer.confidence.features)
    if answer.outcome is not Outcome.ANSWERED or is_about:
        return ()
    quoted = dict.fromkeys(one.place for one in answer.citations if not one.place.jurisdiction)
    asked = dict.fromkeys(_summary(line(place.policy_title)) for place in quoted)
    return tuple(one for one in asked if one)[:SUGGESTED]


def _summary(policy: str) -> str:
    """Return a question for the main rules of a policy; empty: none is understood, or too long."""
    titled = policy.removeprefix("The ")
    for form in _SUMMARIES:
        asked = form.format(policy=titled)
        if titled and len(asked) <= LONGEST and asks_for_summary(asked):
            return asked
    return ""
