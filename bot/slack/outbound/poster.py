"""Post a reply in its thread; one attempt, and nothing raised.

    stopStream, where progress is shown, and its text by update
        -> update of that message -> postMessage

Which shape is rendered the outbox says: a refused one is followed by a plainer one. Each post
carries its outbox id as metadata, by which `find` knows it again.

- A stream must be ended before its message can be changed.
- What rewrites an earlier post (a card, an answer that no longer holds) is an update, repeatable.
- A reply to a root that was deleted lands in the channel, and Slack says `ok`: it is taken back.
"""

import logging
from collections.abc import Callable, Mapping
from functools import partial

from bot.call_results import (
    CallResult,
    NotSent,
    RateLimited,
    Rejected,
    Succeeded,
    Uncertain,
    before_posting,
    found_by_updating,
    post_result,
)
from bot.json_fields import maybe_object
from bot.replies.context import RenderContext
from bot.slack.blocks.render import SHAPES, SlackMessage, render
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import ABSENT, LITERAL, Slack
from core.domain.answer import Outcome
from core.domain.case import CaseState
from core.domain.conversation import Place
from core.domain.delivery import (
    Ambiguous,
    ContentRefused,
    Delivery,
    FindResult,
    NotFound,
    Notice,
    Permanent,
    Posted,
    PostResult,
    RetryAfter,
    StoredReply,
)
from core.domain.json_value import Json
from core.failpoints import failpoint

OUR_FAULT = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "invalid_chunks",
        "invalid_arguments",
        "invalid_metadata_format",
        "metadata_too_large",
        "msg_too_long",
        "msg_blocks_too_many",
        "no_text",
        "too_many_attachments",
    }
)
"""Slack does not take what we made of it: a plainer shape may do."""
STREAM_OVER = frozenset(
    {
        ABSENT,
        "message_not_in_streaming_state",
        "stopped_by_user",
        "channel_type_not_supported",
        "method_deprecated",
        "missing_scope",
        "not_allowed_token_type",
        "streaming_mode_mismatch",
    }
)
"""The stream cannot be ended with the answer: its message is changed instead."""
NO_MESSAGE = frozenset(
    {"message_not_found", "cant_update_message", "edit_window_closed", "message_not_owned_by_app"}
)
"""There is nothing to change: a new one is posted."""
STILL_OPEN = "streaming_state_conflict"
THREAD_GONE, NO_THREAD = "thread_gone", "thread_not_found"
"""Our word, and Slack's."""
SEARCHED = "200"
PAGES = 10
SESSION_STATUS = "agents.sessions.setStatus"
ACTIVE, SUSPENDED, CLOSED = "active", "suspended", "closed"

ContextOf = Callable[[Delivery], RenderContext]
"""What a reply is rendered with."""

logger = logging.getLogger(__name__)


class SlackPoster:
    """See `core.ports.Poster`."""

    shapes = SHAPES

    def __init__(self, slack: Slack, *, context_of: ContextOf) -> None:
        self._slack = slack
        self._context_of = context_of

    async def post(self, delivery: Delivery, /) -> PostResult:
        """See `Poster.post`."""
        rendered = _rendered(delivery, self._context_of(delivery))
        if delivery.replaces is not None:
            result = await self._rewrite(delivery, delivery.replaces, rendered)
        elif delivery.is_direct:
            result = await self._directly(delivery, rendered)
        elif rendered.is_for_asker_alone:
            result = await self._to_asker(delivery, rendered)
        else:
            result = await self._in_thread(delivery, rendered)
        failpoint("F8")
        if isinstance(result, Posted):
            await self._update_session(delivery)
        return result

    async def _update_session(self, delivery: Delivery) -> None:
        """Say in the agent's tab what the asker may expect now; a failure fails nothing."""
        status, place = session_status(delivery.reply), delivery.place
        if status is not None and place.mode == "direct":
            await self._slack.write(
                SESSION_STATUS, channel_id=place.channel, thread_ts=place.thread, status=status
            )

    async def _in_thread(self, delivery: Delivery, rendered: SlackMessage) -> PostResult:
        if delivery.progress_id is not None:
            replaced = await self._replace(delivery.place, delivery.progress_id, rendered)
            if replaced is not None:
                return replaced
        channel, thread = delivery.place.channel, thread_of(delivery.place)
        sent = await self._send(channel, thread, rendered)
        if thread is None or not isinstance(sent, Succeeded):
            return _result(sent)
        return await self._checked(channel, sent.body)

    async def _replace(self, place: Place, ts: str, rendered: SlackMessage) -> PostResult | None:
        """Let the reply take the place of its progress; None: that message is gone."""
        channel = place.channel
        if rendered.blocks:
            ended = await self._slack.write(
                "chat.stopStream",
                channel=channel,
                ts=ts,
                blocks=list(rendered.blocks),
                metadata=_metadata(rendered),
            )
            if not (isinstance(ended, Rejected) and ended.code in STREAM_OVER | NO_MESSAGE):
                replaced = await self._replaced(place, ended)
                if isinstance(replaced, Posted):
                    await self._tell_in_words(channel, ts, rendered)
                return replaced
        else:
            await self._slack.write("chat.stopStream", channel=channel, ts=ts)
        updated = await self._update(channel, ts, rendered)
        if isinstance(updated, Rejected) and updated.code == STILL_OPEN:
            # Its end was refused for what it held; without anything it is not.
            await self._slack.write("chat.stopStream", channel=channel, ts=ts)
            updated = await self._update(channel, ts, rendered)
        if isinstance(updated, Rejected) and updated.code in NO_MESSAGE:
            return None
        return await self._replaced(place, updated)

    async def _tell_in_words(self, channel: str, ts: str, rendered: SlackMessage) -> None:
        """Give what was streamed its text: notifications and screen readers have no blocks.

        The reply stands already, so that a failure fails nothing.
        """
        told = await self._update(channel, ts, rendered)
        if not isinstance(told, Succeeded):
            logger.warning("a reply stands without its text, for Slack did not take that")

    async def _replaced(self, place: Place, outcome: CallResult) -> PostResult:
        """Take back what stands outside its thread: the stream began when the root was gone.

        Slack does not say that at the beginning of a stream, and at its end by what it leaves out
        alone: so the thread is looked for before anything is taken back.
        """
        thread = thread_of(place)
        message = maybe_object(outcome.body, "message") if isinstance(outcome, Succeeded) else {}
        if not isinstance(outcome, Succeeded) or thread is None:
            return _result(outcome)
        if not message or maybe(message, "thread_ts"):
            return _result(outcome)
        found = await self._slack.read(
            "conversations.replies", channel=place.channel, ts=thread, limit="1"
        )
        is_gone = isinstance(found, Rejected) and found.code == NO_THREAD
        return await self._checked(place.channel, outcome.body) if is_gone else _result(outcome)

    async def _update(self, channel: str, ts: str, rendered: SlackMessage) -> CallResult:
        return await self._slack.write(
            "chat.update",
            channel=channel,
            ts=ts,
            text=rendered.text,
            blocks=list(rendered.blocks),
            metadata=_metadata(rendered),
            **LITERAL,
        )

    async def _send(self, channel: str, thread: str | None, rendered: SlackMessage) -> CallResult:
        return await self._slack.post_message(
            channel,
            rendered.text,
            thread_ts=thread,
            blocks=rendered.blocks,
            metadata=_metadata(rendered),
        )

    async def _checked(self, channel: str, body: Mapping[str, Json]) -> PostResult:
        """Take back what landed outside its thread, for everybody to see."""
        ts, message = maybe(body, "ts"), maybe_object(body, "message")
        if not message or maybe(message, "thread_ts"):
            return Posted(remote_id=ts or None)
        logger.error("a reply landed outside its thread, whose root is gone: it is taken back")
        gone = await self._slack.write("chat.delete", channel=channel, ts=ts)
        if isinstance(gone, Succeeded) or (
            isinstance(gone, Rejected) and gone.code == "message_not_found"
        ):
            return Permanent(code=THREAD_GONE)
        return Ambiguous(code=THREAD_GONE)

    async def _directly(self, delivery: Delivery, rendered: SlackMessage) -> PostResult:
        channel = await self._slack.open_direct(delivery.person)
        if not isinstance(channel, str):
            return before_posting(_result(channel))
        return _result(await self._send(channel, None, rendered))

    async def _rewrite(self, delivery: Delivery, ts: str, rendered: SlackMessage) -> PostResult:
        """Let an earlier post say something else, as often as it takes."""
        channel = delivery.place.channel
        if delivery.is_direct:
            opened = await self._slack.open_direct(delivery.person)
            if not isinstance(opened, str):
                return before_posting(_result(opened))
            channel = opened
        return _result(await self._update(channel, ts, rendered))

    async def _to_asker(self, delivery: Delivery, rendered: SlackMessage) -> PostResult:
        """Show it to the asker alone; a progress message in its way goes."""
        channel = delivery.place.channel
        if delivery.progress_id is not None:
            ts = delivery.progress_id
            await self._slack.write("chat.stopStream", channel=channel, ts=ts)
            await self._slack.write("chat.delete", channel=channel, ts=ts)
        sent = await self._slack.post_ephemeral(
            channel,
            delivery.person,
            rendered.text,
            thread_ts=delivery.place.thread,
            blocks=rendered.blocks,
        )
        return Posted(remote_id=None) if isinstance(sent, Succeeded) else _result(sent)

    async def find(self, delivery: Delivery, /) -> FindResult:
        """See `Poster.find`."""
        rendered = _rendered(delivery, self._context_of(delivery))
        if delivery.replaces is not None:
            rewritten = await self._rewrite(delivery, delivery.replaces, rendered)
            return found_by_updating(rewritten, otherwise=NotFound())
        if rendered.is_for_asker_alone:
            # Nobody can look for it; to show one person the same twice harms nobody.
            return NotFound()
        if delivery.is_direct:
            channel = await self._slack.open_direct(delivery.person)
            if not isinstance(channel, str):
                return _not_searched(channel)
            direct = await self._search("conversations.history", delivery, channel=channel)
            return NotFound() if isinstance(direct, Permanent) else direct
        place, thread = delivery.place, thread_of(delivery.place)
        if thread is None:
            root = await self._search("conversations.history", delivery, channel=place.channel)
            return NotFound() if isinstance(root, Permanent) else root
        found = await self._search(
            "conversations.replies", delivery, channel=place.channel, ts=thread
        )
        return await self._stray(delivery) if isinstance(found, Permanent) else found

    async def _stray(self, delivery: Delivery) -> FindResult:
        """Look in the channel, where a reply lands whose root is gone, and must not stand."""
        channel = delivery.place.channel
        stray = await self._search("conversations.history", delivery, channel=channel)
        if isinstance(stray, Permanent):
            return NotFound()
        if not (isinstance(stray, Posted) and stray.remote_id):
            return stray
        gone = await self._slack.write("chat.delete", channel=channel, ts=stray.remote_id)
        return NotFound() if isinstance(gone, Succeeded | Rejected) else Ambiguous(code=THREAD_GONE)

    async def _search(
        self, method: str, delivery: Delivery, **where: str
    ) -> Posted | NotFound | RetryAfter | Ambiguous | Permanent:
        """Look for the outbox id; `Permanent` if there is no such place to look in."""
        cursor = ""
        for _ in range(PAGES):
            told = await self._slack.read(
                method, include_all_metadata="true", limit=SEARCHED, cursor=cursor, **where
            )
            if isinstance(told, Rejected):
                return Permanent(code=told.code)
            if not isinstance(told, Succeeded):
                return _not_searched(told)
            found = _marked(told.body, str(delivery.outbox_id))
            if found is not None:
                return Posted(remote_id=found)
            cursor = maybe(maybe_object(told.body, "response_metadata"), "next_cursor")
            if not cursor:
                break
        return NotFound()


def thread_of(place: Place) -> str | None:
    """Return the thread of a place; None: what is posted there begins one (an officers' card)."""
    seconds, _, micros = place.thread.partition(".")
    return place.thread if seconds.isdecimal() and micros.isdecimal() else None


def _rendered(delivery: Delivery, context: RenderContext) -> SlackMessage:
    return render(delivery.reply, delivery.shape, outbox_id=delivery.outbox_id, context=context)


def _metadata(rendered: SlackMessage) -> Json:
    return dict(rendered.metadata) if rendered.metadata else None


def _marked(body: Mapping[str, Json], outbox_id: str) -> str | None:
    """Return the `ts` of the message that carries an outbox id."""
    messages = body.get("messages")
    for one in messages if isinstance(messages, list) else ():
        if isinstance(one, Mapping):
            payload = maybe_object(maybe_object(one, "metadata"), "event_payload")
            if maybe(payload, "outbox") == outbox_id:
                return maybe(one, "ts")
    return None


def _result(result: CallResult) -> PostResult:
    return post_result(result, id_of=partial(maybe, key="ts"), rejected=_rejected)


def _rejected(rejected: Rejected) -> PostResult:
    if rejected.code in OUR_FAULT:
        logger.error("Slack does not take a shape of ours: %s", rejected.code)
        return ContentRefused(code=rejected.code)
    return Permanent(code=rejected.code)


def _not_searched(result: CallResult) -> RetryAfter | Ambiguous:
    """Return what a search that failed leaves open."""
    match result:
        case RateLimited():
            return RetryAfter(after_s=result.after_s)
        case Rejected():
            return Ambiguous(code=result.code)
        case Uncertain() | NotSent():
            return Ambiguous(code=result.why)
        case Succeeded():
            return Ambiguous(code="told")


def session_status(reply: StoredReply) -> str | None:
    """Return what the session of the agent's tab becomes with a reply; None: it stays as it is."""
    if reply.officer_reply is not None:
        return CLOSED
    if reply.news is not None:
        is_waiting = reply.news.state in {CaseState.OPEN, CaseState.CLAIMED}
        return SUSPENDED if is_waiting else ACTIVE
    if reply.answer is not None:
        is_clarification = reply.answer.outcome is Outcome.CLARIFICATION
        return SUSPENDED if is_clarification else ACTIVE
    return ACTIVE if reply.notice is Notice.STOPPED else None
