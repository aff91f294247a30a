"""What must hold once the bot has answered."""

from collections.abc import Iterable

from tests.servers.slack.journal import Journal
from tests.servers.teams.connector import FRESH_S
from tests.servers.teams.streams import Streams
from tests.servers.teams.tenant import Conversation, Message, Person, Tenant


class Checks:
    """Asserts over the tenant and the journal."""

    def __init__(self, tenant: Tenant, streams: Streams, journal: Journal):
        self._tenant = tenant
        self._streams = streams
        self._journal = journal

    def seen_by(self, person: Person, conversation: Conversation) -> list[Message]:
        """Return what somebody sees in a conversation; nothing if they are not in it."""
        if person not in conversation.members:
            return []
        return [
            one
            for one in self._tenant.messages
            if one.conversation == conversation.id
            and not one.deleted
            and one.only_for in {None, person.id}
            and not (one.only_for and self._age_s(one) > FRESH_S)
        ]

    def _age_s(self, message: Message) -> float:
        return self._tenant.clock.now() - int(message.id) / 1_000

    def replies(self, question: Message) -> list[Message]:
        """Return what the bot shows in a thread after a question and before the next one."""
        replies: list[Message] = []
        place = (question.conversation, question.root)
        at = self._tenant.messages.index(question)
        for one in self._tenant.messages[at + 1 :]:
            if (one.conversation, one.root) != place or one.deleted:
                continue
            if one.by != self._tenant.bot_id:
                break
            replies.append(one)
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
        assert answer.activity["type"] == "message", "the reply is a stream that nobody ended"
        assert answer.text or answer.cards, "the reply is empty"
        return answer

    def no_answer(self, question: Message) -> None:
        """Assert that the bot shows nothing after a question."""
        replies = self.replies(question)
        assert not replies, f"expected no reply, got {[one.text[:60] for one in replies]}"

    def nothing_outside(self, *questions: Message, personal: bool = False) -> None:
        """Assert that the bot wrote in the threads of these questions only.

        `personal` allows chats with one person, too.
        """
        threads = {(one.conversation, one.root) for one in questions}
        outside = [
            (one.conversation, one.root, one.text[:60])
            for one in self._tenant.by_bot()
            if (one.conversation, one.root) not in threads
            and not (personal and self._kind(one) == "personal")
        ]
        assert not outside, f"written outside the thread: {outside}"

    def nothing_twice(self) -> None:
        """Assert that no text of the bot stands twice in a thread."""
        seen: set[tuple[str, str | None, str]] = set()
        for one in self._tenant.by_bot():
            key = (one.conversation, one.root, one.text)
            assert key not in seen, f"stands twice: {key}"
            seen.add(key)

    def no_open_streams(self) -> None:
        """Assert that the bot ended every stream, or the person did."""
        left = [
            one.id
            for one in self._tenant.messages
            if one.stream
            and not one.deleted
            and one.activity["type"] == "typing"
            and one.stream.state != "canceled"
        ]
        assert not left, f"streams left open or to die: {left}"

    def typing_in(self, question: Message) -> int:
        """Return how often typing was shown where a question was asked."""
        place = question.conversation
        if question.root:
            place = f"{place};messageid={question.root}"
        return sum(one == place for one, _ in self._tenant.typing)

    def nothing_refused(self, *, but: Iterable[str] = ()) -> None:
        """Assert that Teams took every call, but for these errors."""
        allowed = {"ok", "unfinished", *but}
        refused = [
            (one.method, one.outcome) for one in self._journal.entries if one.outcome not in allowed
        ]
        assert not refused, f"refused: {refused}"

    def _kind(self, message: Message) -> str:
        return self._tenant.conversations[message.conversation].kind
