"""The rules of a stream (platforms, 3.8): personal chats only, in order, two minutes."""

from collections import deque
from dataclasses import dataclass, field

from tests.servers.slack.clock import Clock
from tests.servers.teams.tenant import Conversation, Message, Stream, Tenant
from tests.servers.teams.wire import Json, RefusedError, is_object, objects, refused

LASTS_S = 120.0
LONGEST_INFORMATIVE = 1_000
A_SECOND, AT_ONCE = 1.0, 3
"""About one request a second; a few at once pass."""
NOT_ALLOWED = "ContentStreamNotAllowed"
OUT_OF_ORDER = "ContentStreamSequenceOrderPreConditionFailed"


class DroppedError(Exception):
    """Teams answers 202 and does nothing: it came out of order."""


@dataclass(slots=True)
class Streams:
    """The streams of all chats."""

    tenant: Tenant
    clock: Clock
    _calls: dict[str, deque[float]] = field(default_factory=dict[str, "deque[float]"])

    def is_part(self, activity: Json) -> bool:
        """Say whether an activity is part of a stream."""
        return self.info(activity) is not None

    def info(self, activity: Json) -> Json | None:
        """Return the entity that says so."""
        for one in objects(activity.get("entities")):
            if one.get("type") == "streaminfo":
                return one
        return None

    def take(self, activity: Json, conversation: Conversation) -> tuple[int, Message]:
        """Take a part; return the status of the answer, and the message.

        Raises:
            RefusedError: It breaks a rule.
            DroppedError: It came too late.
        """
        info = self.info(activity) or {}
        if conversation.kind != "personal":
            raise refused(403, NOT_ALLOWED, "Content stream is not allowed")
        self._repeated(activity, info)
        self._paced(conversation.id)
        if not info.get("streamId"):
            return 201, self._begin(activity, info, conversation)
        message = self.tenant.find(str(info["streamId"]), conversation.id)
        if message is None or message.stream is None:
            raise refused(404, "ActivityNotFoundInConversation", "Unknown stream")
        self._alive(message.stream)
        if info.get("streamType") == "final":
            self._end(activity, info, message)
        else:
            self._go_on(activity, info, message)
        return 202, message

    def _repeated(self, activity: Json, info: Json) -> None:
        data = activity.get("channelData")
        told = {key: value for key, value in info.items() if key != "type"}
        if not is_object(data) or any(data.get(key) != value for key, value in told.items()):
            raise refused(400, "BadSyntax", "channelData does not repeat the stream's state")

    def _paced(self, conversation: str) -> None:
        calls, now = self._calls.setdefault(conversation, deque()), self.clock.now()
        while calls and now - calls[0] >= A_SECOND * AT_ONCE:
            calls.popleft()
        if len(calls) >= AT_ONCE:
            raise RefusedError(429, "TooManyRequests", "API calls quota exceeded", retry_after_s=1)
        calls.append(now)

    def _begin(self, activity: Json, info: Json, conversation: Conversation) -> Message:
        for one in self.tenant.messages:
            is_here = one.conversation == conversation.id and one.stream is not None
            if is_here and one.stream and self.state(one.stream) == "open":
                raise refused(403, NOT_ALLOWED, "Content stream is not allowed: one is open")
        if activity.get("type") != "typing" or info.get("streamSequence") != 1:
            raise refused(400, "BadSyntax", "A stream begins with a typing activity, sequence 1")
        stream = Stream(started_at=self.clock.now())
        message = Message(
            id=f"a-{self.tenant.new_id()}",
            conversation=conversation.id,
            root=None,
            activity=activity,
            by=self.tenant.bot_id,
            stream=stream,
        )
        self._go_on(activity, info, message)
        self.tenant.messages.append(message)
        return message

    def _go_on(self, activity: Json, info: Json, message: Message) -> None:
        stream, sequence, text = message.stream, info.get("streamSequence"), activity.get("text")
        assert stream is not None
        if activity.get("type") != "typing" or not isinstance(sequence, int):
            raise refused(400, "BadSyntax", "Expected a typing activity with a sequence number")
        if not isinstance(text, str) or not text:
            raise refused(400, "BadRequest", "Streaming activities should include text")
        if activity.get("attachments"):
            raise refused(400, "BadRequest", "Attachments only in the final message")
        if sequence <= stream.sequence:
            raise DroppedError
        if info.get("streamType") == "informative":
            if stream.text or len(text) > LONGEST_INFORMATIVE:
                raise refused(400, "BadRequest", "Informative: 1,000 characters, before the text")
            stream.informative.append(text)
        else:
            self._contains(stream, text)
            stream.text = text
        stream.sequence = sequence
        message.activity = activity

    def _end(self, activity: Json, info: Json, message: Message) -> None:
        assert message.stream is not None
        if activity.get("type") != "message" or "streamSequence" in info:
            raise refused(400, "BadSyntax", "The final message is a message, without a sequence")
        self._contains(message.stream, str(activity.get("text") or ""))
        message.history.append(message.activity)
        message.activity = activity
        message.stream.state = "done"

    def _contains(self, stream: Stream, text: str) -> None:
        if not text.startswith(stream.text):
            told = "Request streamed content should contain the previously streamed content."
            raise refused(403, NOT_ALLOWED, told)

    def _alive(self, stream: Stream) -> None:
        told = {
            "done": "Content stream is not allowed on an already completed streamed message.",
            "canceled": "Content stream was canceled by user.",
            "expired": "Content stream finished due to exceeded streaming time.",
        }.get(self.state(stream))
        if told is not None:
            raise refused(403, NOT_ALLOWED, told)

    def state(self, stream: Stream) -> str:
        """Return the state as of now."""
        if stream.state == "open" and self.clock.now() - stream.started_at > LASTS_S:
            stream.state = "expired"
        return stream.state
