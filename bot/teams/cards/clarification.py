"""A question back: a button for each value of the missing fact, or a list to choose from."""

from collections.abc import Iterator

from bot.replies.clarification import FOR_ALL, offers_all
from bot.replies.text import line
from bot.teams.cards.elements import TITLE, Card, card, execute, rich, run
from bot.teams.protocol import action_ids
from core.agent.conversation.understanding import ALL
from core.domain.answer import Answer
from core.domain.run import Json

BUTTONS = 5
"""Options beyond this many are a list: Teams shows six buttons at most."""
CHOICES = 60
CHOOSE = "Choose"


def clarification_card(answer: Answer, ours: str) -> Card | None:
    """Return the options; None: there are none, and a reply will do."""
    if not answer.options or not ours:
        return None
    if len(answer.options) <= BUTTONS:
        return card([], _buttons(answer, ours))
    data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours)
    return card([_list(answer)], [execute(action_ids.CLARIFY, CHOOSE, data)])


def chosen_card(option: str) -> Card:
    """Return what takes the place of the options once one was chosen."""
    chosen = run(line(option, limit=200), weight="Bolder")
    return card([rich(run("You chose "), chosen, run("."))])


def _buttons(answer: Answer, ours: str) -> Iterator[Card]:
    for choice, title in _choices(answer):
        data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours, choice)
        yield execute(action_ids.CLARIFY, title, data)


def _choices(answer: Answer) -> Iterator[tuple[str, str]]:
    for number, option in enumerate(answer.options[:CHOICES]):
        yield str(number), line(option, limit=TITLE) or f"Option {number + 1}"
    if offers_all(answer):
        yield ALL, FOR_ALL


def _list(answer: Answer) -> Card:
    choices: list[Json] = [{"title": title, "value": choice} for choice, title in _choices(answer)]
    return {
        "type": "Input.ChoiceSet",
        "id": action_ids.CHOICE,
        "label": "Which one?",
        "isRequired": True,
        "errorMessage": "Choose one",
        "choices": choices,
    }
