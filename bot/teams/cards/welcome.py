"""What somebody reads first: who this is, what to ask, what is recorded. The same for `help`."""

from bot.replies.notices import HOW_IT_WORKS
from bot.teams.cards.elements import Card, attached, card, rich, run, said
from core.domain.run import Json

NAME = "Compliance Assistant"
EXAMPLES = (
    "What is the limit for accepting a gift from a vendor?",
    "Can I take a paid side job?",
    "Do I need pre-clearance to buy shares?",
)
HOW = (
    "Each statement is checked against the policy text before you see it; “Show evidence” has the"
    " words around each quote.",
    "If the policies do not settle it, “Ask Compliance” hands your question to a person.",
    "Questions and answers are recorded, and Compliance can read the record.",
)
MENTION = (
    "Mention me with each question. In a channel whose team lets me read its messages, a reply in"
    " a thread of mine is enough."
)
"""True whether or not there is consent, which nobody tells us of."""
DIRECT = "Write your question here; only you see the reply."


def welcome(*, is_personal: bool, asker: str = "") -> Card:
    """Return the message.

    Args:
        is_personal: True in a chat with one person.
        asker: Teams' id of who is greeted, to whom questions are offered; empty in a channel.
    """
    lines = [DIRECT if is_personal else MENTION, *HOW]
    text = "\n".join([f"{NAME}: {HOW_IT_WORKS}", *lines])
    body = [
        said(NAME, weight="Bolder", size="Medium", style="heading"),
        said(HOW_IT_WORKS),
        *(rich(run(f"• {one}"), spacing="Small") for one in lines),
    ]
    made: Card = {"type": "message", "summary": text, "attachments": [attached(card(body))]}
    return made | ({"suggestedActions": suggested(EXAMPLES, asker)} if asker else {})


def welcome_text(*, is_personal: bool) -> Card:
    """Return the same without a card."""
    shown = welcome(is_personal=is_personal)
    return {"type": "message", "textFormat": "plain", "text": shown["summary"]}


def suggested(texts: tuple[str, ...], asker: str) -> Card:
    """Return texts that one press sends; three at most."""
    actions: list[Json] = [
        {"type": "imBack", "title": text, "value": text} for text in texts[:3] if text
    ]
    to: list[Json] = [asker] if asker else []
    return {"to": to, "actions": actions}
