"""In which language people of a tenant are spoken to: that of their Teams client.

It comes with each activity of theirs; of a personal chat the last one is kept.
"""

from bot.teams.protocol.conversations import NAME
from bot.teams.protocol.payload import maybe
from core.domain.conversation import Place
from core.domain.errors import TransientError
from core.language.interface.texts import of_locale
from core.language.languages import Language
from core.ports.messages import ConversationReferences


class TeamsLanguages:
    """See `core.ports.messages.LanguageOf`. Safe from many tasks."""

    def __init__(self, references: ConversationReferences, *, default: Language) -> None:
        self._references = references
        self._default = default

    def told(self, locale: str | None) -> Language:
        """Return the language of a locale that came with what somebody did."""
        return of_locale(locale, otherwise=self._default)

    async def at(self, place: Place, person: str, locale: str | None) -> Language:
        """See `core.ports.messages.LanguageOf`."""
        return self.told(locale or await self._kept(place.tenant, person))

    async def _kept(self, tenant: str, person: str) -> str | None:
        if not person:
            return None
        try:
            own = await self._references.find_direct(NAME, tenant, person)
        except TransientError:
            return None
        return None if own is None else maybe(own.facts, "locale")
