"""Conversations in which our app is, so that it can write there first. Safe from many processes."""

from datetime import datetime
from typing import Protocol

from core.domain.reference import ConversationReference


class References(Protocol):
    """References, by conversation. What is stored was checked; whoever uses it checks it again."""

    async def put(self, reference: ConversationReference, /) -> datetime:
        """Keep a reference in place of the earlier one; return since when we know of it, UTC.

        A fact that it does not name stays as it was.
        """
        ...

    async def find(
        self, platform: str, tenant: str, conversation: str, /
    ) -> ConversationReference | None:
        """Return the reference of a conversation; None: we were never there, or are no more."""
        ...

    async def find_direct(
        self, platform: str, tenant: str, person: str, /
    ) -> ConversationReference | None:
        """Return the newest direct conversation with a person; None: there is none.

        Who is named by the directory is found, too, where the facts hold that id as `aad`.
        """
        ...

    async def find_any(self, platform: str, tenant: str, /) -> ConversationReference | None:
        """Return the conversation of a tenant that was told last; None: we are in none."""
        ...

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        """Forget a conversation, or all of a team with this id, and say how many there were."""
        ...
