"""Past answers that rest on what a policy no longer says: found, approved, given again."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol

from core.domain.affected import AffectedEdition
from core.domain.conversation import ContextMessage, Place
from core.domain.json_value import JsonObject
from core.language.interface.dates import long_day
from core.language.interface.texts import Text, spoken
from core.language.languages import Language

REPLACES = Text("This replaces my answer of ", "Das ersetzt meine Antwort vom ")
"""How the note begins that says so below the new answer."""
_CHANGED = Text("{day}: {what} changed since.", "{day}: {what} wurde inzwischen geändert.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One answer to be given again, leased."""

    answer_id: str
    """The answer."""
    record_id: str
    """What found it: `answer:affected`."""
    approved_by: str
    """Login of the officer who approved it."""
    question_id: str
    """Of the question asked anew; the same at each attempt, so that no model call is made twice."""
    conversation_id: str
    """Where it was asked."""
    place: Place
    """The same as people know it."""
    person: str
    """The platform's id of who asked."""
    asker: str
    """Their pseudonym."""
    text: str
    """As typed."""
    standalone: str
    """With what its thread added."""
    groups: frozenset[str]
    """Groups that its answer could rest on."""
    jurisdiction: str | None
    """See `Scope.jurisdiction`."""
    tags: frozenset[str]
    """See `Scope.tags`."""
    context: tuple[ContextMessage, ...]
    """What people wrote around it."""
    answered_on: date
    """When it was answered."""
    changed: tuple[str, ...]
    """What changed, as people say it ("Gifts Policy, 2.1")."""
    given: JsonObject
    """The answer as it was given, as `answer_json` writes it."""
    attempt: int
    """From 1."""
    is_direct: bool = False
    """True: what is said goes to the asker alone."""

    @property
    def language(self) -> Language:
        """In which the answer was given, and the new one is."""
        return spoken(str(self.given.get("language", "")))

    @property
    def note(self) -> str:
        """What is said below the new answer."""
        day, what = long_day(self.answered_on), "; ".join(self.changed)
        told = REPLACES + _CHANGED.format(day=day, what=what)
        return told.of(self.language)


class AffectedEditions(Protocol):
    """What editions made of past answers, for officers. Safe from many processes."""

    async def find(self, edition: int, /) -> AffectedEdition | None:
        """Return how an edition's affected answers stand; None: it affects none."""
        ...

    async def approve(
        self, *, officer: str, edition: int | None, policy: str | None, seen: int | None = None
    ) -> int:
        """Let the askers of affected answers be told, and return how many answers that are.

        Of what one edition, or one policy, or any changed; answers at the terminal have no thread.
        What was approved before is not counted again.

        Args:
            officer: login.
            edition: the edition; None: any.
            policy: key of a policy; None: any.
            seen: how many answers the officer knew the edition to affect; None: whatever it is.

        Raises:
            OvertakenError: There are more by now; none was approved.
        """
        ...

    async def update_cards(self) -> None:
        """Let the officers' channel show what has changed since its cards were last queued."""
        ...


class Corrections(Protocol):
    """Affected answers in a database. Safe from many processes."""

    async def claim(self) -> Correction | None:
        """Lease the next approved answer that is due; None: there is none."""
        ...

    async def confirm(self, correction: Correction, /) -> None:
        """Record that the answer is the same today.

        Raises:
            OvertakenError: It was decided meanwhile.
        """
        ...

    async def drop(self, correction: Correction, /) -> None:
        """Leave it: there is nobody to tell, or nothing to tell any more."""
        ...

    async def put_off(self, correction: Correction, /) -> None:
        """Try it again later; after the last attempt it is left as failed."""
        ...


class Comparisons(Protocol):
    """The comparison of past answers with the policies that hold."""

    async def compare(self, *, on_day: date) -> int:
        """Compare, unless that was done on this day; return how many were found affected."""
        ...
