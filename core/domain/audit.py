"""The vocabulary of the record."""

from enum import StrEnum


class Tag(StrEnum):
    """What a record is about, `subject:action`, past tense. `audit.tag` holds the same list."""

    MESSAGE_RECEIVED = "message:received"
    MESSAGE_IGNORED = "message:ignored"
    QUESTION_ANSWERED = "question:answered"
    QUESTION_REFUSED = "question:refused"
    QUESTION_ESCALATED = "question:escalated"
    QUESTION_FAILED = "question:failed"
    CLARIFICATION_ASKED = "clarification:asked"
    FEEDBACK_GIVEN = "feedback:given"
    CORPUS_PUBLISHED = "corpus:published"
    POLICY_ADDED = "policy:added"
    POLICY_REVISED = "policy:revised"
    RECORD_VIEWED = "record:viewed"
