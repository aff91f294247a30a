"""Progress while an answer is made: the real steps, never a word of the answer."""

from bot.replies.safe_text import cut, line
from bot.slack.blocks.elements import Block
from core.ports.reasoning import Progressed

PLAN = "Checking the policies"
TITLE = 150
STATUS = 100
LOADING = (
    "Reading the question",
    "Searching the policies",
    "Reading the sections",
    "Checking each claim against the policy text",
)
"""Lines that Slack shows in turn below the status; ten at most."""
BEFORE = "is checking the policies…"


def first_chunks(now: Progressed) -> list[Block]:
    """Return the first chunks of a stream."""
    return [{"type": "plan_update", "title": PLAN}, _task(now, "in_progress")]


def next_chunks(before: Progressed, now: Progressed) -> list[Block]:
    """Return the chunks for a step that follows another one, or goes on."""
    if before.stage == now.stage:
        return [_task(now, "in_progress")]
    return [_task(before, "complete"), _task(now, "in_progress")]


def last_chunks(before: Progressed, *, is_failed: bool = False) -> list[Block]:
    """Return the chunks that end a stream."""
    return [_task(before, "error" if is_failed else "complete")]


def status(now: Progressed) -> str:
    """Return the line beside the bot's name: "is searching 214 sections…"."""
    told = line(now.words)
    return cut(f"is {told[:1].lower()}{told[1:]}", STATUS - 1, "") + "…"


def _task(step: Progressed, state: str) -> Block:
    return {
        "type": "task_update",
        "id": step.stage,
        "title": line(step.words, limit=TITLE) or PLAN,
        "status": state,
    }
