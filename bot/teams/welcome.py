"""What somebody reads first: who this is, what to ask, what is recorded. The same for `help`."""

from bot.teams.elements import Card, attached, card, rich, run, said
from core.domain.run import Json

NAME = "Compliance Assistant"
WHAT = "Ask about company policy. Answers are AI-generated and quote the policy text they rest on."
EXAMPLES = (
    "What is the limit for accepting a gift from a vendor?",
    "Can I take a paid side job?",
    "Do I need pre-clearance to buy shares?",
)
HOW = (
    "Each statement is checked against the policy text before you see it; “Show evidence” has the"
    " words around each quote.",
    "If the policies do not settle it, “Ask Compliance” hands your question to a person.",
    "Questions and answers are recorded.",
)
MENTION = "Mention me to ask; in a thread of mine, mention me again for each further question."
NO_MENTION = "Mention me to ask; in a thread of mine, just reply."
DIRECT = "Write your question here; nobody else reads it."


def welcome(*, is_personal: bool, reads_threads: bool = False, asker: str = "") -> Card:
    """Return the message.

    Args:
        is_personal: True in a chat with one person.
        reads_threads: True if Teams sends us replies without a mention (by consent).
        asker: Teams' id of who is greeted, to whom questions are offered; empty in a channel.
    """
    how = DIRECT if is_personal else (NO_MENTION if reads_threads else MENTION)
    lines = [how, *HOW]
    text = "\n".join([f"{NAME}: {WHAT}", *lines])
    body = [
        said(NAME, weight="Bolder", size="Medium", style="heading"),
        said(WHAT),
        *(rich(run(f"• {one}"), spacing="Small") for one in lines),
    ]
    made: Card = {"type": "message", "summary": text, "attachments": [attached(card(body))]}
    return made | ({"suggestedActions": suggested(EXAMPLES, asker)} if asker else {})


def welcome_text(*, is_personal: bool, reads_threads: bool = False) -> Card:
    """Return the same without a card."""
    shown = welcome(is_personal=is_personal, reads_threads=reads_threads)
    return {"type": "message", "textFormat": "plain", "text": shown["summary"]}


def suggested(texts: tuple[str, ...], asker: str) -> Card:
    """Return texts that one press sends; three at most."""
    actions: list[Json] = [
        {"type": "imBack", "title": text, "value": text} for text in texts[:3] if text
    ]
    to: list[Json] = [asker] if asker else []
    return {"to": to, "actions": actions}
