"""Who does what when something is pressed, sent or called.

A table of handlers by name; each commits what it changes and then acknowledges. What nobody
handles is acknowledged, so that nobody sees a warning sign for a button of an older release.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from bot.slack.blocks.action_ids import family
from bot.slack.inbound.interaction import SlackInteraction
from core.domain.errors import ContractError, TransientError
from core.language.languages import Language

Ack = Callable[..., Awaitable[Any]]
"""Answers Slack, within 3 s: with nothing, a text, or what a view becomes."""
Handler = Callable[[SlackInteraction, Ack], Awaitable[None]]
"""Does one thing; raises `TransientError` only before it has acknowledged."""

logger = logging.getLogger(__name__)


class SlackDispatcher:
    """Finds the handler of an interaction."""

    def __init__(
        self,
        *handlers: Mapping[str, Handler],
        language_of: Callable[[str], Awaitable[Language]] | None = None,
    ) -> None:
        """`language_of` says in which language a person is spoken to; None: in English."""
        self._language_of = language_of
        self._handlers: dict[str, Handler] = {}
        for table in handlers:
            self._handlers.update(table)

    def add(self, name: str, handler: Handler) -> None:
        """Let a handler take what has this name."""
        self._handlers[name] = handler

    async def take(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Hand an interaction to whoever handles it.

        Raises:
            TransientError: Nothing was changed; the person sees Slack's own warning and may press
                again.
        """
        handler = self._handlers.get(family(interaction.name))
        if handler is None:
            logger.info("nobody handles %s %r", interaction.kind, interaction.name)
            await ack()
            return
        if self._language_of is not None:
            language = await self._language_of(interaction.person)
            interaction = replace(interaction, language=language)
        try:
            await handler(interaction, ack)
        except ContractError as error:
            logger.warning("%s %r can't be read: %s", interaction.kind, interaction.name, error)
            await ack()
        except TransientError:
            logger.exception("%s %r failed", interaction.kind, interaction.name)
            raise
