"""Calls of Slack's Web API: one call, a list read page by page, links to messages.

The only place that reads the SDK's exceptions. Nothing is repeated here: Slack has no key by which
it would know a second post for the first, so whoever calls decides. No argument and no answer is
logged.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from time import monotonic
from typing import Any, cast

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded, Uncertain
from bot.json_fields import maybe_object
from bot.replies.safe_text import is_permalink
from bot.slack.blocks.plainer import plainer_view
from bot.slack.inbound.payload import maybe
from core.domain.errors import BusyError, TransientError
from core.domain.json_value import Json

TIMEOUT_S = 10
REST_S = 30.0
"""After a 429 that does not say how long."""
TOO_MANY, NOT_THERE, BROKEN = 429, 404, 500
LIMITING = frozenset({"ratelimited", "rate_limited"})
DOUBTFUL = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
ABSENT = "unknown_method"
"""This Slack does not have the method (or something between us and it says so)."""
NOT_INSTALLED = "not_installed"
"""Our own word: the app has no token there any more, and Slack was not asked."""
DISCONNECTED = frozenset({"invalid_auth", "token_revoked", "account_inactive"})
"""The token is dead, and whatever is called next will be refused, too."""

REFUSED_VIEW = frozenset({"invalid_blocks", "invalid_arguments", "invalid_blocks_format"})
"""Slack does not take what we made of a view: a plainer one may do."""
LITERAL = {"parse": "none", "link_names": False}
"""Arguments with which a text is shown as it is written."""

logger = logging.getLogger(__name__)

for _name in ("slack_sdk", "slack_bolt"):
    logging.getLogger(_name).setLevel(logging.WARNING)  # below, they log whole bodies


TokenNow = Callable[[], Awaitable[str | None]]
"""Returns the token to call with; None: there is none any more. Raises `TransientError`."""
OnDead = Callable[[str, str], Awaitable[None]]
"""Is told a token that Slack no longer takes, and Slack's word for why."""
OnTaken = Callable[[], None]
"""Is told that Slack took the token of a call."""


PAGE = 999
"""Entries asked for at a time; Slack gives fewer where it likes, and never 1,000 or more."""
LONGEST = 500
"""Pages: a cursor that never ends would be read for ever."""
LOOKED_UP_WITHIN_S = 1.0
"""Of the 3 s that Slack waits for what it sent: a link is no reason to fail."""


@dataclass(frozen=True, slots=True)
class Slack:
    """Calls the Web API of one workspace. Safe from many tasks."""

    client: AsyncWebClient
    """Calls, with its own token."""
    _: KW_ONLY
    token: TokenNow | None = None
    """Looks up the token of each call instead, so that no exchanged or revoked one is used."""
    on_dead: OnDead | None = None
    """Hears of a token that Slack no longer takes."""
    on_taken: OnTaken | None = None
    """Hears of each call that Slack did."""

    async def write(self, method: str, **given: Json) -> CallResult:
        """Call a method that changes something; arguments that are None are left out."""
        return await self._call(method, json={k: v for k, v in given.items() if v is not None})

    async def show(self, method: str, view: dict[str, Json], **given: Json) -> CallResult:
        """Show a modal or Home; if Slack does not take it, in the simplest blocks."""
        shown = await self.write(method, view=view, **given)
        if isinstance(shown, Rejected) and shown.code in REFUSED_VIEW:
            logger.error("Slack does not take a view of ours: %s", shown.code)
            return await self.write(method, view=plainer_view(view), **given)
        return shown

    async def read(self, method: str, **given: str) -> CallResult:
        """Call a method that reads; these take no JSON."""
        return await self._call(method, data=given)

    async def post_message(
        self,
        channel: str,
        text: str,
        *,
        thread_ts: str | None = None,
        blocks: Sequence[Json] | None = None,
        metadata: Json = None,
    ) -> CallResult:
        """Post a message that is shown as written: no link unfurls, no name becomes a mention."""
        return await self.write(
            "chat.postMessage",
            channel=channel,
            thread_ts=thread_ts,
            text=text,
            blocks=list(blocks) if blocks else None,
            metadata=metadata,
            unfurl_links=False,
            unfurl_media=False,
            **LITERAL,
        )

    async def post_ephemeral(
        self,
        channel: str,
        person: str,
        text: str,
        *,
        thread_ts: str | None = None,
        blocks: Sequence[Json] | None = None,
    ) -> CallResult:
        """Show a message to one person in a channel."""
        return await self.write(
            "chat.postEphemeral",
            channel=channel,
            user=person,
            thread_ts=thread_ts,
            text=text,
            blocks=list(blocks) if blocks else None,
            **LITERAL,
        )

    async def open_direct(self, person: str) -> str | CallResult:
        """Return the direct conversation with somebody; or why there is none."""
        opened = await self.write("conversations.open", users=person)
        if not isinstance(opened, Succeeded):
            return opened
        return maybe(maybe_object(opened.body, "channel"), "id")

    async def _call(self, method: str, **arguments: Any) -> CallResult:
        if self.token is None:
            return await self._asked(method, **arguments)
        try:
            token = await self.token()
        except TransientError:
            return RateLimited(after_s=REST_S)
        if token is None:
            return Rejected(code=NOT_INSTALLED)
        headers = {"Authorization": f"Bearer {token}"}
        outcome = await self._asked(method, headers=headers, **arguments)
        refusal = outcome.code if isinstance(outcome, Rejected) else ""
        if refusal in DISCONNECTED and self.on_dead is not None:
            await self.on_dead(token, refusal)
        if isinstance(outcome, Succeeded) and self.on_taken is not None:
            self.on_taken()
        return outcome

    async def _asked(self, method: str, **arguments: Any) -> CallResult:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await self.client.api_call(method, **arguments)
        except SlackApiError as error:
            return _refusal(error)
        except (ClientError, OSError, TimeoutError, SlackClientError, ValueError) as error:
            return Uncertain(why=type(error).__name__)
        if not isinstance(answer.data, dict):
            return Uncertain(why="no_json")
        headers = cast("dict[str, str]", answer.headers)
        return Succeeded(body=cast("dict[str, Json]", answer.data), scopes=_scopes(headers))


def client_for(token: str | None, *, api_url: str | None = None) -> AsyncWebClient:
    """Return a client without the SDK's own retries: they would post twice."""
    more: dict[str, Any] = {"base_url": api_url} if api_url else {}
    return AsyncWebClient(token=token, timeout=TIMEOUT_S, retry_handlers=[], **more)


def _refusal(error: SlackApiError) -> CallResult:
    answer: Any = error.response
    status: int = getattr(answer, "status_code", 0) or getattr(answer, "status", 0)
    body: Any = getattr(answer, "data", None)
    if status == TOO_MANY:
        return RateLimited(after_s=_rest(answer.headers))
    if status == NOT_THERE:
        return Rejected(code=ABSENT)
    told = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    code = str(told.get("error") or "")
    if status >= BROKEN or not code or code in DOUBTFUL:
        return Uncertain(why=code or str(status))
    if code in LIMITING:
        return RateLimited(after_s=REST_S)
    return Rejected(code=code, message=_why(told), needed_scope=str(told.get("needed", "")))


def _why(told: Mapping[str, Any]) -> str:
    """Return where and why a payload is refused, as `blocks.validate` says it; may be empty."""
    errors = told.get("errors")
    listed = cast("list[Any]", errors) if isinstance(errors, list) else []
    named = cast("dict[str, Any]", listed[0]) if listed and isinstance(listed[0], dict) else {}
    return f"{named.get('pointer') or ''} {named.get('message') or ''}".strip()[:200]


def _scopes(headers: Mapping[str, str]) -> tuple[str, ...]:
    told = {key.lower(): value for key, value in headers.items()}.get("x-oauth-scopes", "")
    return tuple(one.strip() for one in told.split(",") if one.strip())


def _rest(headers: Mapping[str, str]) -> float:
    told = {key.lower(): value for key, value in headers.items()}.get("retry-after", "")
    return float(told) if told.isascii() and told.isdecimal() else REST_S


class PagedList:
    """One reading of a list. For one task at a time."""

    def __init__(self, slack: Slack, method: str, **given: str) -> None:
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
        self.is_over = isinstance(asked, Rejected)
        body = body_of(asked)
        self.pages += 1
        self._cursor = maybe(maybe_object(body, "response_metadata"), "next_cursor")
        self.is_over = not self._cursor
        if self.pages >= LONGEST and not self.is_over:
            self.is_over = True
            raise TransientError(f"Slack's list of {self._method} does not end")
        return body


def body_of(outcome: CallResult) -> Mapping[str, Json]:
    """Return what Slack said.

    Raises:
        BusyError: It may be asked later.
        TransientError: It could not say.
    """
    match outcome:
        case Succeeded():
            return outcome.body
        case Rejected():
            raise TransientError(f"Slack does not say who reads: {outcome.code}")
        case RateLimited():
            words = "Slack asks us to wait before it says who reads"
            raise BusyError(words, after_s=outcome.after_s)
        case _:
            raise TransientError("Slack could not be asked who reads")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRef:
    """A message in Slack."""

    channel: str
    """Where it stands."""
    ts: str
    """The message."""


async def link_to(slack: Slack, spot: MessageRef) -> str | None:
    """Return a link to a message; None if Slack tells none in time."""
    (found,) = await links_to(slack, [spot])
    return found


async def links_to(slack: Slack, spots: Sequence[MessageRef | None]) -> list[str | None]:
    """Return a link to each, of all that Slack tells in time; none to what is nowhere."""
    found: list[str | None] = [None] * len(spots)

    async def look(number: int, spot: MessageRef) -> None:
        told = await slack.read("chat.getPermalink", channel=spot.channel, message_ts=spot.ts)
        url = maybe(told.body, "permalink") if isinstance(told, Succeeded) else ""
        found[number] = url if is_permalink(url) else None

    try:
        async with asyncio.timeout(LOOKED_UP_WITHIN_S), asyncio.TaskGroup() as group:
            for number, spot in enumerate(spots):
                if spot is not None:
                    group.create_task(look(number, spot))
    except TimeoutError:
        pass
    return found
