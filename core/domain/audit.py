"""The vocabulary of the record."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.answer import Outcome
from core.domain.json_value import Json


class Tag(StrEnum):
    """What a record is about, `subject:action`, past tense. `audit.tag` holds the same list."""

    MESSAGE_RECEIVED = "message:received"
    MESSAGE_IGNORED = "message:ignored"
    MESSAGE_EDITED = "message:edited"
    MESSAGE_DELETED = "message:deleted"
    QUESTION_ANSWERED = "question:answered"
    QUESTION_REFUSED = "question:refused"
    QUESTION_ESCALATED = "question:escalated"
    QUESTION_FAILED = "question:failed"
    CLARIFICATION_ASKED = "clarification:asked"
    CLARIFICATION_ANSWERED = "clarification:answered"
    CLARIFICATION_EXPIRED = "clarification:expired"
    ASSUMPTION_STATED = "assumption:stated"
    ASSUMPTION_REVOKED = "assumption:revoked"
    REPLY_POSTED = "reply:posted"
    REPLY_UPDATED = "reply:updated"
    REPLY_WITHHELD = "reply:withheld"
    REPLY_UNCERTAIN = "reply:uncertain"
    REPLY_ABANDONED = "reply:abandoned"
    REPLY_REMOVED = "reply:removed"
    FEEDBACK_GIVEN = "feedback:given"
    FEEDBACK_REFUSED = "feedback:refused"
    ANSWER_REVIEWED = "answer:reviewed"
    ANSWER_AFFECTED = "answer:affected"
    ANSWER_SUPERSEDED = "answer:superseded"
    ANSWER_CONFIRMED = "answer:confirmed"
    ANSWER_REPLAYED = "answer:replayed"
    CASE_OPENED = "case:opened"
    CASE_NOTED = "case:noted"
    CASE_ASSIGNED = "case:assigned"
    CASE_ACKNOWLEDGED = "case:acknowledged"
    CASE_MESSAGED = "case:messaged"
    CASE_ANSWERED = "case:answered"
    CASE_REMINDED = "case:reminded"
    CASE_OVERDUE = "case:overdue"
    CASE_ESCALATED = "case:escalated"
    CASE_RESOLVED = "case:resolved"
    CASE_REOPENED = "case:reopened"
    CASE_CLOSED = "case:closed"
    CASE_REFUSED = "case:refused"
    PRECEDENT_PROPOSED = "precedent:proposed"
    PRECEDENT_APPROVED = "precedent:approved"
    PRECEDENT_REFUSED = "precedent:refused"
    PRECEDENT_SUSPENDED = "precedent:suspended"
    PRECEDENT_WITHDRAWN = "precedent:withdrawn"
    PRECEDENT_EXPIRED = "precedent:expired"
    PRECEDENT_APPLIED = "precedent:applied"
    CORPUS_PUBLISHED = "corpus:published"
    CORPUS_CHANGED = "corpus:changed"
    POLICY_ADDED = "policy:added"
    POLICY_REVISED = "policy:revised"
    POLICY_WITHDRAWN = "policy:withdrawn"
    SOURCE_ADDED = "source:added"
    SOURCE_CHANGED = "source:changed"
    SOURCE_REMOVED = "source:removed"
    SOURCE_SYNCED = "source:synced"
    SOURCE_FAILED = "source:failed"
    SOURCE_RESTORED = "source:restored"
    ACCESS_CHANGED = "access:changed"
    ONTOLOGY_CORRECTED = "ontology:corrected"
    CONFLICT_FOUND = "conflict:found"
    CONFLICT_RESOLVED = "conflict:resolved"
    OFFICER_GRANTED = "officer:granted"
    OFFICER_REVOKED = "officer:revoked"
    OFFICER_SIGNED_IN = "officer:signed_in"
    QUERY_EXECUTED = "query:executed"
    RECORD_VIEWED = "record:viewed"
    CONTENT_ERASED = "content:erased"
    RETENTION_APPLIED = "retention:applied"
    HOLD_PLACED = "hold:placed"
    HOLD_RELEASED = "hold:released"
    ERASURE_REQUESTED = "erasure:requested"
    ERASURE_APPROVED = "erasure:approved"
    ERASURE_DENIED = "erasure:denied"
    UNMASK_REQUESTED = "unmask:requested"
    UNMASK_APPROVED = "unmask:approved"
    UNMASK_DENIED = "unmask:denied"
    IDENTITY_KEPT = "identity:kept"
    IDENTITY_UNMASKED = "identity:unmasked"
    SETTINGS_CHANGED = "settings:changed"
    CHANNEL_CONFIGURED = "channel:configured"
    SHADOW_COMPARED = "shadow:compared"
    CONSISTENCY_CHECKED = "consistency:checked"
    CONTRADICTION_FOUND = "contradiction:found"
    CALIBRATION_ACTIVATED = "calibration:activated"
    DRAFT_ACCEPTED = "draft:accepted"
    DRAFT_MENDED = "draft:mended"
    DRAFT_DROPPED = "draft:dropped"
    SERVICE_STARTED = "service:started"
    SERVICE_STOPPED = "service:stopped"
    SCHEMA_MIGRATED = "schema:migrated"
    WORKSPACE_CONNECTED = "workspace:connected"
    WORKSPACE_DISCONNECTED = "workspace:disconnected"
    BUNDLE_EXPORTED = "bundle:exported"
    LEDGER_VERIFIED = "ledger:verified"
    LEDGER_RESTORED = "ledger:restored"
    LEDGER_ANCHORED = "ledger:anchored"
    KEY_INTRODUCED = "key:introduced"
    KEY_RETIRED = "key:retired"


OUTCOME_TAGS: Mapping[Outcome, Tag] = {
    Outcome.ANSWERED: Tag.QUESTION_ANSWERED,
    Outcome.CLARIFICATION: Tag.CLARIFICATION_ASKED,
    Outcome.REFUSED: Tag.QUESTION_REFUSED,
    Outcome.ESCALATED: Tag.QUESTION_ESCALATED,
    Outcome.FAILED: Tag.QUESTION_FAILED,
    Outcome.IGNORED: Tag.MESSAGE_IGNORED,
}
"""Each question is closed by exactly one record, with the tag of its outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """One record as an officer reads it."""

    record_id: str
    """Identity of the record."""
    at: datetime
    """When it was written, UTC."""
    outcome: str
    """Value of `Outcome`; of a record that closes no message, its tag."""
    question: str | None
    """As asked; None once erased."""
    answer: Mapping[str, Json] | None
    """What was shown: text, claims, citations with their quotes; None once erased."""
    trace: Mapping[str, Json] | None
    """How it came about; None once erased."""
    document: Mapping[str, Json]
    """The canonical document."""
    leaf_hash: str
    """RFC 6962 leaf hash, hex."""
    problems: tuple[str, ...]
    """What does not agree with the stored hash, one line each; empty: intact."""
    restriction: str | None = None
    """What stands in place of texts that its reader may not read; None: nothing is withheld."""
    case: str | None = None
    """The case that its answer led to, with number and state ("3, claimed"); None: none."""

    @property
    def is_intact(self) -> bool:
        """True if the stored bytes, hashes and texts agree."""
        return not self.problems

    @property
    def closes_a_question(self) -> bool:
        """True if it holds a question with its reply; others tell of a message or a reply."""
        return self.outcome in set(Outcome) - {Outcome.IGNORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLine:
    """One record in a list."""

    record_id: str
    """Identity of the record."""
    at: datetime
    """When it was written, UTC."""
    outcome: str
    """Value of `Outcome`."""
    badge: str | None
    """As shown; None without an answer."""
    question: str | None
    """As asked; None once erased."""
