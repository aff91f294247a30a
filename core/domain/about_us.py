"""What people ask of the assistant itself, and what is true of it in this deployment."""

from dataclasses import dataclass
from enum import StrEnum


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
SURE = 0.55
"""How likely a message is to be about the assistant, from which on it is taken to be.

Of 4,943 messages about policies that the weights were not fitted on, 17 are as likely
(`evals.fit_about_us`); some of them do ask about it."""


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
