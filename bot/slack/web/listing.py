"""A list of Slack's, read page by page, which goes on where it was left.

Slack gives out so many pages a minute. Whoever is put off loses nothing: the next one who needs the
list asks for the page that is missing, with its cursor.
"""

from collections.abc import Mapping
from time import monotonic

from bot.json_fields import maybe_object
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import Limited, Outcome, Refused, Slack, Told, Unclear
from core.domain.errors import BusyError, TransientError
from core.domain.run import Json

PAGE = 999
"""Entries asked for at a time; Slack gives fewer where it likes, and never 1,000 or more."""
LONGEST = 500
"""Pages: a cursor that never ends would be read for ever."""


class Listing:
    """One reading of a list. For one task at a time."""

    def __init__(self, slack: Slack, method: str, **given: str) -> None:
        """Take what is listed; nothing is called yet."""
        self._slack = slack
        self._method = method
        self._given = given
        self._cursor = ""
        self.begun_at = monotonic()
        """By a clock that never goes back, in seconds."""
        self.pages = 0
        """Pages that were read."""
        self.is_over = False
        """True once the last page was read; or it can't go on, and is to be begun anew."""

    async def page(self) -> Mapping[str, Json]:
        """Return the next page.

        Raises:
            BusyError: Slack asks to wait; the same page is to be asked for again.
            TransientError: It was not told; asked again, it may be.
        """
        asked = await self._slack.read(
            self._method, limit=str(PAGE), cursor=self._cursor, **self._given
        )
        self.is_over = isinstance(asked, Refused)
        body = body_of(asked)
        self.pages += 1
        self._cursor = maybe(maybe_object(body, "response_metadata"), "next_cursor")
        self.is_over = not self._cursor
        if self.pages >= LONGEST and not self.is_over:
            self.is_over = True
            raise TransientError(f"Slack's list of {self._method} does not end")
        return body


def body_of(outcome: Outcome) -> Mapping[str, Json]:
    """Return what Slack said.

    Raises:
        BusyError: It may be asked later.
        TransientError: It could not say.
    """
    match outcome:
        case Told():
            return outcome.body
        case Refused():
            raise TransientError(f"Slack does not say who reads: {outcome.code}")
        case Limited():
            words = "Slack asks us to wait before it says who reads"
            raise BusyError(words, after_s=outcome.after_s)
        case Unclear():
            raise TransientError("Slack could not be asked who reads")
