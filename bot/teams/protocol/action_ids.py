"""What buttons, dialogs and their data are called; one place for who makes and who reads them.

The data of a button is `{"do": NAME, KEY: ID}`, of one with a choice `{..., "o": CHOICE}`; an
`Action.Execute` has the name as its verb instead. What an id stands for is looked up, and whoever
presses is checked, on our side.
"""

from collections.abc import Mapping

from bot.actions.press import PressTarget
from core.domain.errors import ContractError
from core.domain.json_value import Json

DO, CHOICE = "do", "o"
ANSWER_KEY, CLARIFICATION_KEY, CASE_KEY, MESSAGE_KEY = "a", "c", "case", "m"
EDITION_KEY, STARTER_KEY = "edition", "s"
"""Under which an id stands; one of them in each button."""

EVIDENCE, ESCALATE, REPORT, CASE_ANSWER = "evidence", "escalate", "report", "case_answer"
"""Open a dialog."""
SHOW = "show"
"""Opens a dialog with an answer of which it can't be told whether it stands above."""
EVIDENCE_PAGE = "evidence_page"
"""Turns the page of a dialog; the choice is the page, from 0."""
CLARIFY, FOLLOW_UP, REMOVE, ANSWERS = "clarify", "follow_up", "remove", "answers"
CASE_CLAIM, CASE_WRONG, CASE_CLOSE = "case_claim", "case_wrong", "case_close"
CASE_RIGHT, CASE_PARTLY = "case_right", "case_partly"
CASE_ACKNOWLEDGE = "case_acknowledge"
CASE_ACCEPT, CASE_AGAIN, CASE_REFRESH = "case_accept", "case_reopen", "case_refresh"
"""Verbs of `Action.Execute`; as a message of a client that does not know it, the same in `do`."""
TELL_ASKERS = "affected_approve"
"""The choice is how many answers the card showed."""
STARTER = "starter"
"""Asks a question to begin with, as the presser's own."""
ASK_ABOUT = "askAboutMessage"
"""The command of the message extension."""

OPENING = frozenset({EVIDENCE, ESCALATE, REPORT, CASE_ANSWER, SHOW})
EXECUTED = frozenset(
    {
        ANSWERS,
        CLARIFY,
        FOLLOW_UP,
        REMOVE,
        CASE_CLAIM,
        CASE_WRONG,
        CASE_PARTLY,
        CASE_RIGHT,
        CASE_ACKNOWLEDGE,
        CASE_CLOSE,
        CASE_ACCEPT,
        CASE_AGAIN,
        CASE_REFRESH,
        TELL_ASKERS,
        STARTER,
    }
)

SEEN = "seen"
"""Where in the data of a form `SeenBy` stands: the form is shown again as it was, and nothing but
its words follows from that."""

RECORD, PREFIX = "record", "leaf"
"""Beside the name of a card's first button: id and hash of the record, so that Teams holds them.
Nothing is read from them."""

LONGEST_ID = 200
_KEYS = (ANSWER_KEY, CLARIFICATION_KEY, CASE_KEY, MESSAGE_KEY, EDITION_KEY, STARTER_KEY)


def data_of(key: str, target: str, choice: str | int = "") -> dict[str, Json]:
    """Return the data of a button, without its name."""
    more: dict[str, Json] = {CHOICE: str(choice)} if choice != "" else {}
    return {key: target, **more}


def target_of(data: Mapping[str, Json]) -> PressTarget:
    """Read the data of a button.

    Raises:
        ContractError: It is none of ours.
    """
    found = [data[key] for key in _KEYS if key in data]
    choice = data.get(CHOICE, "")
    target = found[0] if len(found) == 1 else None
    if not isinstance(target, str) or not 0 < len(target) <= LONGEST_ID:
        raise ContractError("expected the id of one thing in the data of a button")
    if not isinstance(choice, str) or len(choice) > LONGEST_ID:
        raise ContractError("expected a choice in the data of a button")
    return PressTarget(id=target, choice=choice)
