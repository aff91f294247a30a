"""Who does what when something is pressed, sent or called.

A table of handlers by name; each commits what it changes and returns what its invoke is answered
with. What nobody handles is answered in the form that its client expects, so that nobody sees an
error for a button of an older release.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from bot.intake import NotForUs
from bot.teams.cards.dialogs import FORMS, again
from bot.teams.inbound.interaction import Kind, TeamsInteraction
from bot.teams.protocol.action_ids import CASE_REFRESH
from core.domain.errors import ContractError, TransientError
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What an invoke is answered with."""

    status: int = 200
    """Of HTTP: 200, 501 where we do not know the invoke, 503 where nothing was changed."""
    body: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Sent as it is, `{}` included."""


Handler = Callable[[TeamsInteraction], Awaitable[Mapping[str, Json]]]
"""Does one thing and returns the body of the answer, `{}` for a `press`; raises `TransientError`
only if nothing was changed."""

ANSWER_WITHIN_S: Mapping[Kind, float] = {
    "execute": 9.0,
    "fetch": 4.5,
    "submit": 4.5,
    "ask": 4.5,
    "ask_submit": 4.5,
    "feedback": 9.0,
    "feedback_form": 4.5,
    "press": 9.0,
}
"""The service gives up after 10 to 15 s, clients after 5 s on dialogs and extensions."""
OUTDATED = Text(
    "This is no longer available. Please ask again.",
    "Das ist nicht mehr verfügbar. Bitte fragen Sie noch einmal.",
)
FAILED = Text(
    "That did not work. Please try again.",
    "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
)
OK, UNKNOWN, UNAVAILABLE = 200, 501, 503

logger = logging.getLogger(__name__)


class TeamsDispatcher:
    """Finds the handler of an interaction. Safe from many tasks."""

    def __init__(
        self,
        *handlers: Mapping[str, Handler],
        language_of: Callable[[str | None], Language] | None = None,
    ) -> None:
        """`language_of` says which language a client's locale stands for; None: English."""
        self._language_of = language_of
        self._handlers: dict[str, Handler] = {}
        for table in handlers:
            self._handlers.update(table)

    def add(self, name: str, handler: Handler) -> None:
        """Let a handler take what has this name."""
        self._handlers[name] = handler

    async def take(self, found: TeamsInteraction | NotForUs) -> Response:
        """Hand an interaction to whoever handles it.

        What nobody foresaw is raised for a `press` alone, which Teams then sends again; whoever
        waits for the response to an invoke is told that it failed.
        """
        if isinstance(found, NotForUs):
            logger.info("an invoke is not for us: %s", found.reason)
            return Response(status=UNKNOWN)
        found = self.spoken(found)
        handler = self._handlers.get(found.name)
        if handler is None:
            logger.info("nobody handles %s %r", found.kind, found.name)
            return said(found, OUTDATED)
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S[found.kind]):
                return Response(body=await handler(found))
        except ContractError as error:
            logger.warning("%s %r can't be read: %s", found.kind, found.name, error)
            return said(found, OUTDATED)
        except (TransientError, TimeoutError):
            logger.exception("%s %r failed", found.kind, found.name)
            # Where somebody pressed, the client would show an error of its own, and try no more.
            is_pressed = found.kind == "execute" and found.name != CASE_REFRESH
            return _failed(
                found, said(found, FAILED) if is_pressed else Response(status=UNAVAILABLE)
            )
        except Exception:
            if found.kind == "press":
                raise
            logger.exception("%s %r failed", found.kind, found.name)
            return _failed(found, said(found, FAILED))

    def spoken(self, found: TeamsInteraction) -> TeamsInteraction:
        """Return an interaction with the language in which its person is spoken to."""
        if self._language_of is None:
            return found
        return replace(found, language=self._language_of(found.locale))


def _failed(found: TeamsInteraction, otherwise: Response) -> Response:
    """Return a form that comes back as it was filled in; what is no form is answered otherwise."""
    form = again(found, FAILED) if found.kind in FORMS else None
    return otherwise if form is None else Response(body=form)


def said(found: TeamsInteraction, words: Text) -> Response:
    """Return the answer that shows a line of text, in the form that fits what was done."""
    text = words.of(found.language)
    match found.kind:
        case "press" | "feedback":
            return Response()
        case "execute":
            shown: dict[str, Json] = {
                "statusCode": OK,
                "type": "application/vnd.microsoft.activity.message",
                "value": text,
            }
            return Response(body=shown)
        case _:
            return Response(body={"task": {"type": "message", "value": text}})
