"""What is seen while an answer is made: steps in a stream, typing elsewhere, never a draft.

Streams exist in personal chats alone: `informative` steps, the whole answer as `streaming` once,
then `final`, in this order. Their state stands in an entity and again in `channelData`, as clients
of different age read it (platforms, 3.8).
"""

from bot.replies.lines import CHECKING
from bot.replies.text import cut, line
from core.domain.run import Json
from core.ports.progress import Progressed

INFORMATIVE = 1_000
"""Characters of a step."""


def informative(
    step: Progressed | None, *, sequence: int, stream_id: str | None
) -> dict[str, Json]:
    """Return a step; the first one, without a stream's id, begins the stream."""
    text = f"{line(step.words)}…" if step and step.words.strip() else CHECKING
    return _part(cut(text, INFORMATIVE), "informative", sequence, stream_id)


def streaming(activity: dict[str, Json], *, sequence: int, stream_id: str) -> dict[str, Json]:
    """Return the whole text of a message, before its `final`."""
    made = _part(str(activity.get("text", "")), "streaming", sequence, stream_id)
    return made | {"textFormat": activity.get("textFormat", "markdown")}


def final(activity: dict[str, Json], *, stream_id: str) -> dict[str, Json]:
    """Return a message as the end of a stream, with all that belongs to it."""
    info: dict[str, Json] = {"streamType": "final", "streamId": stream_id}
    entities, data = activity.get("entities"), activity.get("channelData")
    known = list(entities) if isinstance(entities, list) else list[Json]()
    more = dict(data) if isinstance(data, dict) else dict[str, Json]()
    return activity | {
        "entities": [{"type": "streaminfo", **info}, *known],
        "channelData": {**more, **info},
    }


def typing() -> dict[str, Json]:
    """Return that somebody is at work; it shows for some seconds."""
    return {"type": "typing"}


def placeholder() -> dict[str, Json]:
    """Return the message that the answer takes the place of."""
    return {"type": "message", "textFormat": "plain", "text": CHECKING}


def _part(text: str, kind: str, sequence: int, stream_id: str | None) -> dict[str, Json]:
    info: dict[str, Json] = {"streamType": kind, "streamSequence": sequence}
    if stream_id is not None:
        info["streamId"] = stream_id
    return {
        "type": "typing",
        "text": text,
        "entities": [{"type": "streaminfo", **info}],
        "channelData": dict(info),
    }
