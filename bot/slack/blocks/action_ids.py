"""The ids of buttons and views, and the values that buttons carry.

Renderers write them and handlers read them.

A value is `<id>` or `<id>|<choice>`: what it stands for is looked up by its id, and whoever presses
is checked, on our side.
"""

from collections.abc import Mapping

from bot.actions.press import PressTarget
from bot.forms.forms import FormName
from bot.replies.buttons import Act
from core.domain.errors import ContractError

CLARIFY, FOLLOW_UP, STARTER = "clarify", "follow_up", "starter"
"""Followed by `:` and the number of the option, from 0; of a clarification also `:all`."""
EVIDENCE_PAGE = "evidence_page"
"""Followed by `:` and the page to turn to, from 0."""
EVIDENCE, OPEN_POLICY = "evidence_open", "open_policy"
ESCALATE, REPORT = "escalate_open", "report_open"
ANSWERS = "closest_answers"
FEEDBACK, REMOVE, SHARE = "answer_feedback", "answer_remove", "share"
SHOW = "answer_show"
"""Opens an answer of which it can't be told whether it stands above."""
CASE_CLAIM, CASE_ANSWER, CASE_WRONG = "case_claim", "case_answer", "case_wrong"
CASE_PARTLY, CASE_RIGHT = "case_partly", "case_right"
CASE_ACKNOWLEDGE = "case_acknowledge"
CASE_CLOSE, CASE_ACCEPT, CASE_AGAIN = "case_close", "case_accept", "case_reopen"
TELL_ASKERS = "affected_approve"
OPEN_CONSOLE = "console_open"
HOME_ASK = "home_ask"
NAMES: Mapping[Act, str] = {
    Act.EVIDENCE: EVIDENCE,
    Act.ESCALATE: ESCALATE,
    Act.REPORT: REPORT,
    Act.ANSWERS: ANSWERS,
    Act.SHARE: SHARE,
    Act.SHOW: SHOW,
    Act.REMOVE: REMOVE,
    Act.CASE_CLAIM: CASE_CLAIM,
    Act.CASE_ANSWER: CASE_ANSWER,
    Act.CASE_WRONG: CASE_WRONG,
    Act.CASE_PARTLY: CASE_PARTLY,
    Act.CASE_RIGHT: CASE_RIGHT,
    Act.CASE_ACKNOWLEDGE: CASE_ACKNOWLEDGE,
    Act.CASE_CLOSE: CASE_CLOSE,
    Act.CASE_ACCEPT: CASE_ACCEPT,
    Act.CASE_AGAIN: CASE_AGAIN,
    Act.TELL_ASKERS: TELL_ASKERS,
}
"""Of the buttons that replies share."""

VIEW_EVIDENCE, VIEW_DONE = "evidence", "done"
"""Views with nothing to send; the others are called by `FormName`."""
ASK_ABOUT, ASK_GLOBAL = "ask_about_message", "ask_global"
"""Shortcuts, on a message and anywhere."""

NUMBERED = frozenset({CLARIFY, FOLLOW_UP, STARTER, EVIDENCE_PAGE, FEEDBACK})
LONGEST_ID = 100


def name_of(act: Act | FormName) -> str:
    """Return the id of a button that replies share; a form is called by its own name."""
    return NAMES[act] if isinstance(act, Act) else act


def value_of(target: str, choice: str | int = "") -> str:
    """Return the value of a button."""
    return f"{target}|{choice}" if choice != "" else target


def target_of(value: str) -> PressTarget:
    """Read the value of a button.

    Raises:
        ContractError: It is none of ours.
    """
    target, _, choice = value.partition("|")
    if not target or len(target) > LONGEST_ID or len(choice) > LONGEST_ID:
        raise ContractError("expected the id of something in the value of a button")
    return PressTarget(id=target, choice=choice)


def family(name: str) -> str:
    """Return what a button does: `clarify` for `clarify:2`."""
    head, colon, _ = name.partition(":")
    return head if colon and head in NUMBERED else name
