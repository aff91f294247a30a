"""What a surface asks of the pipeline, and what it gets back to show."""

from dataclasses import dataclass
from datetime import date

from core.domain.answer import Answer
from core.domain.context import ContextMessage
from core.domain.place import Place
from core.domain.policy import EVERYONE
from core.domain.run import Run
from core.ports import RecordReceipt

MAX_QUESTION = 8_000
"""Characters of a question (`reliability.md`, back-pressure)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """One message to answer."""

    text: str
    """As typed."""
    place: Place
    """Where it was asked."""
    asker: str = "console"
    """Pseudonym of the asker."""
    groups: frozenset[str] = frozenset({EVERYONE})
    """Groups that every reader belongs to; `everyone` is always added."""
    jurisdiction: str | None = None
    """ISO 3166 code, if the conversation has one."""
    tags: frozenset[str] = frozenset()
    """Scope of the conversation."""
    as_of: date | None = None
    """The day whose rules count; None: today."""
    edition: int | None = None
    """State of the corpus; None: the current one."""
    use_rag: bool = True
    """False: graph only."""
    context: tuple[ContextMessage, ...] = ()
    """What people wrote around it, as far as the asker can see it."""
    is_unread: bool = False
    """See `Surroundings.is_unread`."""
    is_addressed: bool = True
    """See `Question.is_addressed`."""
    question_id: str | None = None
    """UUIDv7 that a repeated attempt has again, so that no model call is made twice; None: a new
    one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What to show, already recorded."""

    answer: Answer
    """The outcome."""
    run: Run
    """How it came about."""
    receipt: RecordReceipt
    """Its record."""
    conversation_id: str
    """The conversation, for the next question."""
