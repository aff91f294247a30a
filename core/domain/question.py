"""What was asked, by whom it will be read, and against which state of the corpus."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from core.domain.conversation import ContextMessage, Place
from core.domain.policy import EVERYONE
from core.language.conditions import Condition
from core.language.languages import Language

UNASKED_SLOT = "question"
"""`Turn.slot` where nothing had been asked yet: what comes next stands alone."""
ABOUT_US_SLOT = "assistant"
"""`Turn.slot` where something was asked about us: what comes next goes on with what was before."""
NOTHING_ASKED = frozenset({UNASKED_SLOT, ABOUT_US_SLOT})
"""Slots of what is no question back, although it ends as one."""
JURISDICTION = "jurisdiction"
"""Slot of the country where the asker works."""
EMPLOYMENT = "employment"
"""Slot of the group of people to which the asker belongs."""
ALL = "all"
"""The value of an assumption that asks for every branch."""


class SelfTopic(StrEnum):
    """What a message asks of the assistant itself, in the order in which it is answered."""

    IDENTITY = "identity"
    """Whether it is a machine, which one, and who runs it."""
    CAPABILITIES = "capabilities"
    STORAGE = "storage"
    """What is recorded, for how long, and how it is erased."""
    READERS = "readers"
    """Who may read what is asked."""
    ANONYMITY = "anonymity"
    """Whether who asked is known."""
    RELIABILITY = "reliability"
    """How far to trust its answers."""
    SPEAK_UP = "speak_up"
    """How to report misconduct: the policies answer that."""


PRIVATE = frozenset({SelfTopic.STORAGE, SelfTopic.READERS, SelfTopic.ANONYMITY, SelfTopic.SPEAK_UP})
"""Who asks this is answered alone, also where others read."""
SURE = 0.95
"""How likely a message is to be about the assistant, from which on it is taken to be.

Of 3,205 messages about policies that nothing was fitted on (`evals.fit_about_us`), three are."""
UNANSWERED = 0.85
"""The same where rules find no answer in the policies: seven more are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What its replies about itself say of a deployment."""

    model: str = ""
    """Who runs the language model that is asked ("Anthropic"); empty: none is."""
    embedder: str = ""
    """Who else gets the words of questions, to search by them; empty: nobody."""
    is_sealed: bool = False
    """True: two officers together can find out who a pseudonym stands for."""
    is_traced: bool = False
    """True: traces hold what was asked and answered."""
    own_text: str = ""
    """What the operator adds to what is said of data; empty: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an answer may rest on. Every query applies it in SQL."""

    as_of: date
    """The day whose rules count: versions in force on it."""
    is_other_day: bool = False
    """True if it was not the day of asking: the answer tells of the past or of what is to come."""
    edition: int | None = None
    """State of the corpus; None: the current one."""
    groups: frozenset[str] = frozenset({EVERYONE})
    """Audience groups that *every* reader of the conversation belongs to."""
    jurisdiction: str | None = None
    """ISO 3166 code: its policies and the group-wide ones; None: all jurisdictions."""
    tags: frozenset[str] = frozenset()
    """Only policies with one of these tags; empty: all policies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A fact stated for this answer and printed with it ("Assumes: Germany")."""

    slot: str
    """What was missing (`jurisdiction`, `employment`)."""
    value: str
    """What the asker said."""
    source: str
    """Who said it: `asker`, `button`, `scope`; `thread`: the asker, in an earlier message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An earlier question of the same conversation and how it ended."""

    question: str
    """The question as it was understood (standing alone)."""
    outcome: str
    """Value of `Outcome`."""
    answer: str
    """What was shown: the answer, the clarification's question, or the refusal."""
    slot: str | None = None
    """The missing fact, if the turn ended in a clarification."""
    options: tuple[str, ...] = ()
    """The options it offered."""
    groups: frozenset[str] = frozenset({EVERYONE})
    """Groups whose policies the answer could rest on."""
    refusal: str | None = None
    """Value of `RefusalKind`; None if it ended otherwise."""
    context: tuple[ContextMessage, ...] = ()
    """What people wrote around the question."""
    asker: str = ""
    """Pseudonym of who asked; empty where nobody was told apart."""
    assumptions: tuple[Assumption, ...] = ()
    """Facts that held for it; see `Question.assumptions`."""
    policies: tuple[str, ...] = ()
    """Keys of the policies that the answer cites, in order of its citations."""
    answer_id: str = ""
    """The stored answer; empty where nothing was stored."""

    @property
    def was_report(self) -> bool:
        """True if it told of misconduct; see `Answer.is_report`."""
        return self.outcome == "escalated" and self.refusal is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A message as understood in its thread."""

    question_id: str
    """UUIDv7."""
    conversation_id: str
    """The thread it belongs to."""
    place: Place
    """Where that thread is."""
    asker: str
    """Pseudonym of the asker."""
    text: str
    """As typed, at most 8,000 characters, invisible characters removed."""
    standalone: str
    """The same with what the thread adds ("May I accept gifts? For contractors?"), and before it
    what it points at; equal to `text` without a thread."""
    scope: Scope
    """What the answer may rest on."""
    asked_at: datetime
    """Aware, UTC."""
    history: tuple[Turn, ...] = ()
    """Earlier turns of the conversation, oldest first."""
    assumptions: tuple[Assumption, ...] = field(default_factory=tuple)
    """Facts stated so far: with this message, or by the same asker earlier, and not changed."""
    conditions: tuple[Condition, ...] = ()
    """What it binds its answer to: of whom, with whom, where, and of what amount."""
    context: tuple[ContextMessage, ...] = ()
    """What people wrote around it, as far as the asker can see it: material."""
    referent: str = ""
    """Words of the context with which `standalone` begins; empty if it points at nothing there."""
    is_addressed: bool = True
    """False: a follow-up in a thread of ours that does not name us. It opens no case by itself."""

    bound: frozenset[str] = frozenset()
    """Keys of the policies that are searched first, as it names them, a company or a country of
    theirs; empty: it is bound to none."""
    named: tuple[str, ...] = ()
    """Titles of the policies that it names, or of the company that it names."""
    wants_summary: bool = False
    """True if it asks for a summary of what it is bound to, and for nothing else."""
    language: Language = Language.ENGLISH
    """In which language the product's own words of the reply are: that of the asker's client, where
    the interface speaks it. What is quoted stays in its own."""
    searched: str = ""
    """`standalone` with its spelling corrected, for the search alone; empty: nothing to correct."""

    @property
    def search_text(self) -> str:
        """What is searched and compared with texts: `standalone` with its spelling corrected."""
        return self.searched or self.standalone

    @property
    def asked_back(self) -> int:
        """Questions back that came last, one after the other; small talk is none."""
        count = 0
        for turn in reversed(self.history):
            if turn.outcome != "clarification":
                break
            count += turn.slot not in NOTHING_ASKED
        return count

    @property
    def own(self) -> str:
        """`standalone` without what others wrote: what is stored and shown as the question."""
        return self.standalone.removeprefix(self.referent).lstrip()
