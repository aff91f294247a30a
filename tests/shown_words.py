"""The words that people see of a message, whatever its platform wraps them in.

Blank space is left out: it is not what two platforms must have in common.
"""

from collections.abc import Iterator
from typing import Any, cast

from tests.servers.slack.markup import unescaped, words_of_blocks
from tests.servers.slack.posts import Ephemeral
from tests.servers.slack.posts import Message as SlackMessage
from tests.servers.teams import Message as TeamsMessage
from tests.servers.teams.wire import Json
from tests.unit.teams.reading import words_of


def squeezed(text: str) -> str:
    """Return a text without blank space."""
    return "".join(text.split())


def slack_words(message: SlackMessage | Ephemeral) -> str:
    """Return the words of the blocks of a message, as a client draws them."""
    return "\n".join(words_of_blocks(message.blocks))


def in_slack(message: SlackMessage | Ephemeral) -> str:
    """Return the same without blank space."""
    return squeezed(slack_words(message))


def in_slack_text(message: SlackMessage | Ephemeral) -> str:
    """Return the words of a message where its blocks are not drawn."""
    return squeezed(unescaped(message.text))


def teams_words(message: TeamsMessage) -> str:
    """Return the words of text and cards of a message, as a client draws them."""
    is_plain = message.activity.get("textFormat") == "plain"
    text = message.text if is_plain else words_of(message.text)
    return "\n".join([text, *_of_card(message.cards)])


def in_teams(message: TeamsMessage) -> str:
    """Return the same without blank space."""
    return squeezed(teams_words(message))


def _of_card(value: Any) -> Iterator[str]:
    for one in _listed(value):
        kind = str(one.get("type"))
        if kind == "RichTextBlock":
            yield "".join(str(run["text"]) for run in one["inlines"])
        elif kind == "TextBlock":
            yield str(one["text"])
        elif kind.startswith("Action."):
            yield str(one.get("title") or "")
        else:
            for inner in one.values():
                yield from _of_card(inner)


def _listed(value: Any) -> list[Json]:
    """Return the objects of a list, or the object."""
    if isinstance(value, dict):
        return [cast("Json", value)]
    held: list[Any] = cast("list[Any]", value) if isinstance(value, list) else []
    return [one for one in held if isinstance(one, dict)]
