"""In which language people of a workspace are spoken to: that of their Slack client.

Slack tells it with who somebody is, and neither with messages nor with presses. So it is mostly
known when it is needed; else it is asked for, and not waited for long: a trigger lives 3 s.
"""

import asyncio
import math

from bot.slack.web.calls import LOOKED_UP_WITHIN_S
from bot.slack.web.directory import Directory
from core.domain.conversation import Place
from core.domain.errors import CiteboundError
from core.language.interface.texts import of_locale
from core.language.languages import Language


class SlackLanguages:
    """See `core.ports.messages.LanguageOf`. Safe from many tasks."""

    def __init__(self, directory: Directory, *, default: Language) -> None:
        self._directory = directory
        self._default = default

    def known(self, person: str) -> Language:
        """Return the language of somebody without asking Slack."""
        return of_locale(self._directory.locale_of(person), otherwise=self._default)

    async def of(self, person: str) -> Language:
        """Return the language of somebody; the deployment's if Slack does not tell in time."""
        if person and self._directory.locale_of(person) is None:
            try:
                async with asyncio.timeout(LOOKED_UP_WITHIN_S):
                    await self._directory.kind_of(person, kept_s=math.inf)
            except (CiteboundError, TimeoutError):
                return self._default
        return self.known(person)

    async def at(self, _: Place, person: str, __: str | None) -> Language:
        """See `core.ports.messages.LanguageOf`."""
        return await self.of(person)
