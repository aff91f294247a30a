"""The document of a record that closes no run: what happened to a message or a reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from core.audit.canonical import Commitment, instant
from core.audit.recorder import FORMAT, RELEASE
from core.domain.audit import Tag
from core.domain.run import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened."""

    tag: Tag
    """What."""
    actor: str
    """Pseudonym of the asker, or the name of a part of the system."""
    actor_kind: str
    """`asker`, `officer`, `operator` or `system`."""
    conversation: str | None
    """The conversation; None: it happened in none."""
    seq: int | None
    """Its number within the conversation; None without one."""
    subject: str | None
    """The question or answer it is about; None if there is none."""
    cause: str | None
    """The record it follows from; None if there is none."""
    trace_id: str | None
    """The question of the run it belongs to; None if there is none."""
    says: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Further fields by the tag: no personal text."""


def event_document(
    event: Event, *, record_id: str, at: datetime, unit: str, commitments: Sequence[Commitment]
) -> dict[str, Json]:
    """Return the document. Absent is null."""
    return {
        **event.says,
        "v": FORMAT,
        "id": record_id,
        "tag": event.tag.value,
        "at": instant(at),
        "unit": unit,
        "actor": {"kind": event.actor_kind, "ref": event.actor},
        "conversation": event.conversation,
        "seq": event.seq,
        "subject": event.subject,
        "cause": event.cause,
        "release": RELEASE,
        "trace_id": event.trace_id,
        "content": {commitment.field: commitment.digest() for commitment in commitments},
    }
