"""What Slack, Teams and the terminal do to cases: one desk, which knows none of them.

Officers are those of our list, whoever else reads their channel. Askers are those who asked. All
else is refused, and that is recorded.
"""

from core.agent.conversation.misconduct import is_report, speaks_of_somebody
from core.domain.case import Case, CaseState, Urgency
from core.domain.case_rules import (
    NOTE_LIMIT,
    REPLY_LIMIT,
    Account,
    CaseAction,
    CaseActionKind,
    CaseDone,
    CaseRefused,
    CaseResult,
    Officer,
    Opener,
    Opening,
    Refusal,
)
from core.domain.errors import UsageError
from core.domain.feedback import (
    COMMENT_LIMIT,
    Feedback,
    FeedbackKept,
    FeedbackRefused,
    Rating,
    Reason,
)
from core.domain.officers import Officers
from core.ports import CaseStore, FeedbackStore

UNSETTLED = frozenset({CaseState.OPEN, CaseState.CLAIMED})
"""States of a case that waits for an answer."""


class CaseService:
    """Opens cases and works on them. `key` is the identity of a click, the same if it is repeated.

    Each method answers with `CaseDone`, which shows the case as it now stands, or `CaseRefused`.
    """

    def __init__(self, *, cases: CaseStore, officers: Officers) -> None:
        """Take where cases are kept, and who works on them."""
        self._cases = cases
        self._officers = officers

    def is_officer(self, who: Account) -> bool:
        """Say whether somebody is on our list."""
        return self._officers.find(who) is not None

    def is_on_call(self, who: Account) -> bool:
        """Say whether somebody gets what must not stand in a channel."""
        return self._officers.find(who) in self._officers.on_call

    def officer_of(self, who: Account) -> Officer | None:
        """Return the officer behind an account; None: no officer."""
        return self._officers.find(who)

    def officer(self, login: str) -> Officer | None:
        """Return an officer by login, for the terminal; None: there is none."""
        return self._officers.by_login(login)

    async def open(
        self,
        answer_id: str,
        who: Account,
        *,
        key: str,
        note: str = "",
        urgency: Urgency = Urgency.WEEK,
        opener: Opener = Opener.ASKER,
        is_private: bool = False,
        is_anonymous: bool = False,
        permalink: str | None = None,
        asker_name: str | None = None,
    ) -> CaseResult:
        """Hand a question to Compliance, because the person who asked wishes it.

        Args:
            answer_id: what the asker got.
            who: who presses.
            key: identity of the click.
            note: what they should know; what is longer than the limit is cut.
            urgency: when it is needed.
            opener: `ASKER` if they were told that officers see the name, else `PIPELINE`.
            is_private: the reply is to come directly.
            is_anonymous: no name and no place for the officers; the reply comes directly.
            permalink: where it was asked, from the platform itself.
            asker_name: the name to be shown, from the platform itself.
        """
        told = _storable(note, limit=NOTE_LIMIT)
        return await self._cases.open(
            Opening(
                answer_id=answer_id,
                by=who,
                officer=self._officers.find(who),
                key=key,
                note=told,
                urgency=urgency,
                opener=opener,
                is_private=is_private,
                is_anonymous=is_anonymous,
                is_sensitive=is_report(told) or speaks_of_somebody(told),
                permalink=permalink,
                asker_name=asker_name,
            )
        )

    async def claim(
        self, case_id: str, who: Account | Officer, *, key: str, takes_over: bool = False
    ) -> CaseResult:
        """Let an officer have a case; another one's only if it is taken over on purpose."""
        return await self._do(CaseActionKind.CLAIM, case_id, who, key=key, takes_over=takes_over)

    async def answer(
        self,
        case_id: str,
        who: Account | Officer,
        *,
        key: str,
        text: str,
        is_private: bool = False,
    ) -> CaseResult:
        """Send an officer's words to the asker, and say at the earlier answer that they hold.

        Raises:
            UsageError: The text is empty or too long: nothing of it is cut.
        """
        told = _storable(text, limit=None)
        if not told.strip():
            raise UsageError("expected the text of an answer")
        if len(told) > REPLY_LIMIT:
            raise UsageError(
                f"an answer has at most {REPLY_LIMIT} characters, this one has {len(told)}"
            )
        return await self._do(
            CaseActionKind.ANSWER, case_id, who, key=key, text=told, is_private=is_private
        )

    async def begin_answer(self, case_id: str, who: Account | Officer, *, key: str) -> CaseResult:
        """Say whether somebody may answer a case, before they write: `CaseDone` if they may."""
        officer = self._known(who)
        if officer is None:
            return await self._do(CaseActionKind.ANSWER, case_id, who, key=key)
        case = await self._cases.find(case_id)
        if case is None:
            return CaseRefused(why=Refusal.UNKNOWN)
        if case.state is CaseState.CLAIMED and case.officer != officer.name:
            return CaseRefused(why=Refusal.CLAIMED, case=case)
        if case.state in UNSETTLED:
            return CaseDone(case=case, is_new=False)
        is_closed = case.state is CaseState.CLOSED
        return CaseRefused(why=Refusal.CLOSED if is_closed else Refusal.ANSWERED, case=case)

    async def close(self, case_id: str, who: Account | Officer, *, key: str) -> CaseResult:
        """Close a case, answered or not."""
        return await self._do(CaseActionKind.CLOSE, case_id, who, key=key)

    async def mark_wrong(
        self, case_id: str, who: Account | Officer, *, key: str, reason: str = ""
    ) -> CaseResult:
        """Record that the answer which the asker got is wrong."""
        told = _storable(reason, limit=NOTE_LIMIT)
        return await self._do(CaseActionKind.MARK_WRONG, case_id, who, key=key, text=told)

    async def accept(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Close a case because its asker says that the officer's answer does it."""
        return await self._do(CaseActionKind.ACCEPT, case_id, who, key=key)

    async def ask_again(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Give a case back to its officer because its asker says that the answer does not do."""
        return await self._do(CaseActionKind.ASK_AGAIN, case_id, who, key=key)

    async def about(self, answer_id: str, who: Account) -> Case | None:
        """Return the case of an answer, to those who might open it; None: there is none."""
        return await self._cases.about(answer_id, who)

    async def queue(self, who: Account | Officer) -> tuple[Case, ...] | CaseRefused:
        """Return the cases that wait for an officer, to officers."""
        if self._known(who) is None:
            return CaseRefused(why=Refusal.NOT_OFFICER)
        return await self._cases.listed(UNSETTLED)

    async def show(self, name: str, who: Account | Officer) -> Case | CaseRefused:
        """Return a case by id or number, to officers."""
        if self._known(who) is None:
            return CaseRefused(why=Refusal.NOT_OFFICER)
        return await self._cases.find(name) or CaseRefused(why=Refusal.UNKNOWN)

    async def mine(self, who: Account) -> tuple[Case, ...]:
        """Return the cases of a person that are not closed."""
        return await self._cases.of_asker(who)

    async def _do(
        self,
        kind: CaseActionKind,
        case_id: str,
        who: Account | Officer,
        *,
        key: str,
        text: str = "",
        is_private: bool = False,
        takes_over: bool = False,
    ) -> CaseResult:
        return await self._cases.act(
            CaseAction(
                kind=kind,
                case_id=case_id,
                by=who if isinstance(who, Account) else None,
                officer=self._known(who),
                key=key,
                text=text,
                is_private=is_private,
                takes_over=takes_over,
            )
        )

    def _known(self, who: Account | Officer) -> Officer | None:
        """Return the officer on our list; whoever comes with a name alone must be on it too."""
        if isinstance(who, Account):
            return self._officers.find(who)
        return self._officers.by_login(who.login)


class FeedbackService:
    """Takes judgements of answers; whether somebody may read one, the surface has checked."""

    def __init__(self, feedback: FeedbackStore, *, cases: CaseService) -> None:
        """Take where judgements are kept, and who knows of cases."""
        self._feedback = feedback
        self._cases = cases

    async def give(
        self,
        answer_id: str,
        who: Account,
        *,
        key: str,
        rating: Rating,
        reason: Reason | None = None,
        comment: str = "",
        message_id: str | None = None,
    ) -> FeedbackKept | FeedbackRefused:
        """Keep a thumb, or a report of a problem, which is a negative one with a reason."""
        return await self._feedback.give(
            Feedback(
                answer_id=answer_id,
                by=who,
                key=key,
                rating=rating,
                reason=reason,
                comment=_storable(comment, limit=COMMENT_LIMIT),
                platform_message_id=message_id,
            )
        )

    async def accept(
        self, answer_id: str, who: Account, *, key: str, message_id: str | None, is_asker: bool
    ) -> tuple[FeedbackKept | FeedbackRefused, Case | None]:
        """Keep that a closest passage answers; return with it the case of the asker's question."""
        kept = await self.give(
            answer_id, who, key=key, rating=Rating.POSITIVE, message_id=message_id
        )
        return kept, await self._cases.about(answer_id, who) if is_asker else None


def _storable(text: str, *, limit: int | None) -> str:
    """Return text as typed, but for what Postgres can't keep: NUL and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")[:limit]
