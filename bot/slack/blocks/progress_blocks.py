"""Progress while an answer is made: the real steps, never a word of the answer."""

from bot.replies.safe_text import cut, line
from bot.slack.blocks.elements import Block
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.reasoning import Progressed

PLAN = Text("Checking the policies", "Richtlinien werden geprüft")
TITLE = 150
STATUS = 100
LOADING = (
    Text("Reading the question", "Frage wird gelesen"),
    Text("Searching the policies", "Richtlinien werden durchsucht"),
    Text("Reading the sections", "Abschnitte werden gelesen"),
    Text(
        "Checking each claim against the policy text",
        "Jede Aussage wird am Wortlaut der Richtlinien geprüft",
    ),
)
"""Lines that Slack shows in turn below the status; ten at most."""
BEFORE = Text("is checking the policies…", "prüft die Richtlinien…")
"""Stands after the app's name."""


def first_chunks(now: Progressed, language: Language = Language.ENGLISH) -> list[Block]:
    """Return the first chunks of a stream."""
    plan: Block = {"type": "plan_update", "title": PLAN.of(language)}
    return [plan, _task(now, "in_progress", language)]


def next_chunks(
    before: Progressed, now: Progressed, language: Language = Language.ENGLISH
) -> list[Block]:
    """Return the chunks for a step that follows another one, or goes on."""
    if before.stage == now.stage:
        return [_task(now, "in_progress", language)]
    return [_task(before, "complete", language), _task(now, "in_progress", language)]


def last_chunks(
    before: Progressed, language: Language = Language.ENGLISH, *, is_failed: bool = False
) -> list[Block]:
    """Return the chunks that end a stream."""
    return [_task(before, "error" if is_failed else "complete", language)]


def status(now: Progressed, language: Language = Language.ENGLISH) -> str:
    """Return the line beside the bot's name: "is searching 214 sections…"."""
    told = line(now.words.of(language))
    if language is Language.ENGLISH:
        told = f"is {told[:1].lower()}{told[1:]}"
    return cut(told, STATUS - 1, "") + "…"


def _task(step: Progressed, state: str, language: Language) -> Block:
    return {
        "type": "task_update",
        "id": step.stage,
        "title": line(step.words.of(language), limit=TITLE) or PLAN.of(language),
        "status": state,
    }
