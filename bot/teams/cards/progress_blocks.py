"""Progress while an answer is made: steps in a stream, typing elsewhere, never a draft.

Streams exist in personal chats alone: `informative` steps, the whole answer as `streaming` once,
then `final`, in this order.
"""

from bot.replies.notices import CHECKING, IN_THREAD
from bot.replies.safe_text import line
from bot.teams.cards.elements import Card
from bot.teams.cards.markdown import escaped
from core.domain.json_value import Json
from core.language.languages import Language
from core.ports.reasoning import Progressed

FIRST = 1
"""Sequence of the first activity of a stream; only `final` has none."""
STEP = 150
"""Characters of a step; Teams takes 1,000, and escapes need room."""


def informative(
    step: Progressed | None,
    language: Language = Language.ENGLISH,
    *,
    sequence: int,
    stream_id: str | None,
) -> Card:
    """Return a step; one without a stream's id begins the stream."""
    told = escaped(line(step.words.of(language), limit=STEP)) if step else ""
    text = f"{told}…" if told else CHECKING.of(language)
    return _streamed("typing", text, "informative", sequence, stream_id)


def streaming(activity: Card, *, sequence: int, stream_id: str) -> Card:
    """Return the whole text of a message, before its `final`."""
    made = _streamed("typing", str(activity.get("text", "")), "streaming", sequence, stream_id)
    return made | {"textFormat": activity.get("textFormat", "markdown")}


def final(activity: Card, *, stream_id: str) -> Card:
    """Return a message as the end of a stream, with all that belongs to it."""
    info: Card = {"streamType": "final", "streamId": stream_id}
    entities, data = activity.get("entities"), activity.get("channelData")
    known = list(entities) if isinstance(entities, list) else list[Json]()
    more = dict(data) if isinstance(data, dict) else Card()
    return activity | {
        "entities": [{"type": "streaminfo", **info}, *known],
        "channelData": {**info, **more},
    }


def typing() -> Card:
    """Return a typing indicator, which shows for some seconds."""
    return {"type": "typing"}


def placeholder(language: Language = Language.ENGLISH) -> Card:
    """Return the message that the answer will replace.

    It is true as well where a process was killed before it kept the id, and it stands for ever.
    """
    return {"type": "message", "textFormat": "plain", "text": IN_THREAD.of(language)}


def _streamed(kind: str, text: str, stream: str, sequence: int, stream_id: str | None) -> Card:
    info: Card = {"streamType": stream, "streamSequence": sequence}
    if stream_id is not None:
        info["streamId"] = stream_id
    return {
        "type": kind,
        "text": text,
        "entities": [{"type": "streaminfo", **info}],
        "channelData": dict(info),
    }
