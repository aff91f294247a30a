"""What botbuilder loses on the wire, made whole: its own classes, with all their keys.

botbuilder's `Entity` sends `type` and silently drops the rest: citations, the label of AI, and the
state of a stream would vanish without an error (platforms, 3.4).
"""

from typing import Any, cast

from botbuilder.schema import Activity, Entity

from bot.teams.calls import Object
from core.domain.run import Json


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
