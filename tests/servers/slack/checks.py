"""What must hold once the app has answered."""

from collections.abc import Iterable

from tests.servers.slack.journal import Journal
from tests.servers.slack.methods.streams import settle
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json
from tests.servers.slack.workspace import Workspace


class Checks:
    """Asserts over the workspace and the journal."""

    def __init__(self, workspace: Workspace, journal: Journal):
        self._workspace = workspace
        self._journal = journal

    def replies(self, question: Message) -> list[Message]:
        """Return what the app shows in a thread after a question and before the next one."""
        replies: list[Message] = []
        for message in self._workspace.thread(question.channel, question.root):
            if float(message.ts) <= float(question.ts):
                continue
            if message.app_id == self._workspace.app.id:
                replies.append(message)
            elif message.bot_id is None:
                break
        return replies

    def one_answer(self, question: Message) -> Message:
        """Return the only reply to a question; it is no open stream, and has text.

        Raises:
            AssertionError: There is none, or there are several.
        """
        replies = self.replies(question)
        told = [one.text[:60] for one in replies]
        assert len(replies) == 1, f"expected one reply, got {told}\n{self._journal.report()}"
        answer = replies[0]
        if answer.stream:
            settle(answer.stream, self._workspace.clock.now())
        assert not answer.is_streaming, "the reply is a stream that nobody ended"
        assert answer.text or answer.blocks, "the reply is empty"
        return answer

    def nothing_twice(self) -> dict[str, Message]:
        """Return what stands, by the outbox id in its metadata.

        Raises:
            AssertionError: An outbox row was posted more than once.
        """
        found: dict[str, Message] = {}
        for message in self.by_app():
            payload: Json = (message.metadata or {}).get("event_payload", {})
            outbox = payload.get("outbox")
            if outbox is not None:
                assert str(outbox) not in found, f"outbox {outbox} stands twice"
                found[str(outbox)] = message
        return found

    def no_answer(self, question: Message) -> None:
        """Assert that the app shows nothing in a question's thread."""
        replies = self.replies(question)
        assert not replies, f"expected no reply, got {[one.text[:60] for one in replies]}"

    def status_cleared(self, question: Message | None = None) -> None:
        """Assert that no status is left, in a thread or anywhere: the composer is free."""
        left = {
            place: status.text
            for place in self._workspace.statuses
            if (status := self._workspace.status(*place))
            and (question is None or place == (question.channel, question.root))
        }
        assert not left, f"status left: {left}"

    def no_open_streams(self) -> None:
        """Assert that every stream was ended by the app."""
        left = [
            one.ts
            for one in self._workspace.messages
            if one.stream and one.stream.state in {"open", "expired"} and not one.deleted
        ]
        assert not left, f"streams left open or to die: {left}"

    def nothing_outside(self, *questions: Message, direct: bool = False) -> None:
        """Assert that the app wrote in the threads of these questions only.

        `direct` allows direct messages, too.
        """
        threads = {(one.channel, one.root) for one in questions}
        outside = [
            (one.channel, one.thread_ts, one.text[:60])
            for one in self.by_app()
            if (one.channel, one.root) not in threads
            and not (direct and self._workspace.channels[one.channel].is_direct)
        ]
        assert not outside, f"written outside the thread: {outside}"

    def nothing_ephemeral(self) -> None:
        """Assert that nothing was shown to one person alone."""
        shown = [one.text[:60] for one in self._workspace.ephemerals if not one.deleted]
        assert not shown, f"shown to one person: {shown}"

    def by_app(self) -> list[Message]:
        """Return what the app wrote and did not delete."""
        app = self._workspace.app.id
        return [one for one in self._workspace.messages if one.app_id == app and not one.deleted]

    def seen_by(self, user: str) -> list[Ephemeral]:
        """Return what somebody alone sees."""
        return [one for one in self._workspace.ephemerals if one.user == user and not one.deleted]

    def nothing_refused(self, *, but: Iterable[str] = ()) -> None:
        """Assert that Slack took every call, but for these errors.

        A step may be drawn while the reply ends the stream: then it comes too late, and nobody
        misses it.
        """
        allowed = {"ok", "unfinished", *but}
        too_late = ("chat.appendStream", "message_not_in_streaming_state")
        calls = [(one.method, one.outcome) for one in self._journal.entries]
        refused = [one for one in calls if one[1] not in allowed and one != too_late]
        assert not refused, f"refused: {refused}"
