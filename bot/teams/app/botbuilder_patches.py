"""What botbuilder loses on the wire, made whole: its own classes, with all their keys.

- `Entity` sends `type` and silently drops the rest: citations, the label of AI, and the state of a
  stream would vanish without an error (platforms, 3.4).
- The stock answer to an invoke is serialised twice, and fails: `RawBody` is any JSON object.
- The stock handler knows no feedback, and reads each payload once more: `Bot` asks our table.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from botbuilder.core import InvokeResponse, TurnContext
from botbuilder.core.teams import TeamsActivityHandler
from botbuilder.schema import Activity, Entity
from msrest.serialization import Model

from bot.teams.actions.dispatch import Response
from bot.teams.connector.http_client import Object
from core.domain.json_value import Json

Answering = Callable[[], Awaitable[Response]]
"""Answers one invoke, which it knows."""


class RawEntity(Entity):
    """An entity that keeps every key."""

    _attribute_map = {  # noqa: RUF012  # msrest reads it from the class
        "additional_properties": {"key": "", "type": "{object}"},
        "type": {"key": "type", "type": "str"},
    }

    def __init__(self, **data: Json) -> None:
        """Take the entity as it is to be sent."""
        super().__init__(type=cast("str", data.get("type")))
        self.additional_properties: dict[str, Any] = {
            key: value for key, value in data.items() if key != "type"
        }


def to_activity(message: Object) -> Activity:
    """Return an activity that is sent as it is written here."""
    rest = {key: value for key, value in message.items() if key != "entities"}
    activity = cast("Activity", Activity().deserialize(rest))
    entities = message.get("entities")
    told = entities if isinstance(entities, list) else []
    activity.entities = [RawEntity(**one) for one in told if isinstance(one, dict)]
    return activity


class RawBody(Model):
    """Any JSON object as the body of an answer; `RawBody({})` is sent as `{}`."""

    _attribute_map = {  # noqa: RUF012  # see `RawEntity`
        "additional_properties": {"key": "", "type": "{object}"}
    }

    def __init__(self, data: Mapping[str, Json]) -> None:
        """Take the object."""
        super().__init__()
        self.additional_properties: dict[str, Any] = dict(data)


class Bot(TeamsActivityHandler):
    """Answers one invoke, whatever its name, by what is given."""

    def __init__(self, answer: Answering) -> None:
        """Take what answers it; it raises nothing that it can name."""
        super().__init__()
        self._answer = answer

    async def on_invoke_activity(self, turn_context: TurnContext) -> InvokeResponse:
        """Answer; the stock dispatch reads the payload once more, and fails on our names."""
        del turn_context  # all that counts of it was read before
        response = await self._answer()
        return InvokeResponse(status=response.status, body=RawBody(response.body))
