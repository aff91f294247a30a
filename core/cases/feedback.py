"""What people think of answers: thumbs and reports, kept with their record."""

from core.cases.rules import storable
from core.cases.service import CaseService
from core.domain.case import Case
from core.domain.feedback import (
    COMMENT_LIMIT,
    Feedback,
    FeedbackKept,
    FeedbackRefused,
    Rating,
    Reason,
)
from core.domain.officers import Account
from core.ports import FeedbackStore


class FeedbackService:
    """Takes judgements of answers; whether somebody may read one, the surface has checked."""

    def __init__(self, feedback: FeedbackStore, *, cases: CaseService) -> None:
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
                comment=storable(comment, limit=COMMENT_LIMIT),
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
