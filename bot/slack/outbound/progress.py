"""Show that somebody is at work: a status within a second, then the real steps.

What is shown is the status, a stream of tasks, or a line of text where this Slack has neither; what
it lacks is not tried again. The status is cleared at the end, whatever happened: while it stands,
nobody can write there. The `ts` of a stream is kept at once, so that the reply takes its place,
also after a crash. Nothing that fails here fails a run.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded, Uncertain
from bot.json_fields import maybe_object
from bot.progress_session import ProgressSession
from bot.replies.notices import CHECKING, STOPPED, WRITE_DIRECTLY
from bot.replies.safe_text import line
from bot.slack.blocks import progress_blocks
from bot.slack.blocks.elements import section
from bot.slack.inbound.payload import maybe
from bot.slack.outbound.timings import SlackTimings
from bot.slack.web.calls import Slack
from core.domain.errors import BusyError, OvertakenError
from core.domain.json_value import Json
from core.domain.message import Claimed
from core.language.interface.texts import LanguageKnown, in_english
from core.language.languages import Language
from core.ports import Kept, Progress, Progressed

SEEN = "eyes"
SESSION_TITLE = 200
MOST_AWAITED = 4_096
"""Messages of which it is remembered since when they wait."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Awaited:
    """A message of which it is not yet known who reads, over all attempts of this process."""

    point_at: float
    """When its asker is pointed to a direct message, by the loop's clock."""
    shown_at: float | None = None
    """When the status was set; None: not yet."""
    is_pointed: bool = False
    """True once the asker was."""


class SlackSurface:
    """See `core.ports.Surface`."""

    def __init__(
        self,
        slack: Slack,
        *,
        team: str,
        language_of: LanguageKnown = in_english,
        timings: SlackTimings | None = None,
    ) -> None:
        """`language_of` says in which language a person is spoken to, as far as that is known."""
        self._slack = slack
        self._team = team
        self._language_of = language_of
        self._timings = timings or SlackTimings()
        self._awaited: dict[int, _Awaited] = {}
        """By message: those of which it is not yet known who reads."""

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        language = self._language_of(claimed.person)
        return _Session(
            self._slack,
            claimed,
            kept,
            team=self._team,
            language=language,
            timings=self._timings,
        )

    @asynccontextmanager
    async def waking(self, claimed: Claimed) -> AsyncGenerator[None]:
        """See `Platform.waking`. What is said holds nothing that anybody may not read.

        Where Slack puts the look-up off, the status stands until the next attempt, and whoever
        would wait too long for that one is told at once.
        """
        now = asyncio.get_running_loop().time
        first = _Awaited(point_at=now() + self._timings.points_after_s)
        awaited = self._awaited.setdefault(claimed.message_id, first)
        if len(self._awaited) > MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        is_over, group = asyncio.Event(), asyncio.TaskGroup()
        await group.__aenter__()
        group.create_task(self._wake(claimed, awaited, is_over))
        is_put_off_by = None
        try:
            yield
            self._awaited.pop(claimed.message_id, None)
        except BusyError as error:
            is_put_off_by = error.after_s
            raise
        finally:
            is_over.set()
            await group.__aexit__(None, None, None)
            if is_put_off_by is not None:
                await self._show(claimed, awaited)
                if now() + is_put_off_by >= awaited.point_at:
                    await self._point(claimed, awaited)

    async def _wake(self, claimed: Claimed, awaited: _Awaited, is_over: asyncio.Event) -> None:
        now = asyncio.get_running_loop().time
        try:
            if not await _comes(is_over, self._timings.wakes_after_s):
                await self._show(claimed, awaited)
                if not await _comes(is_over, awaited.point_at - now()):
                    await self._point(claimed, awaited)
        except Exception as error:  # progress never fails a run
            logger.warning("it is not shown that somebody is at work: %s", type(error).__name__)

    async def _show(self, claimed: Claimed, awaited: _Awaited) -> None:
        """Set the status, if it does not stand."""
        now = asyncio.get_running_loop().time()
        if awaited.shown_at is None or now - awaited.shown_at >= self._timings.refreshed_every_s:
            awaited.shown_at = now
            language = self._language_of(claimed.person)
            before = progress_blocks.BEFORE.of(language)
            await _set_status(self._slack, claimed, before, language)

    async def _point(self, claimed: Claimed, awaited: _Awaited) -> None:
        """Tell the asker once, and alone, that a direct message is answered sooner."""
        place = claimed.place
        if place.mode != "direct" and not awaited.is_pointed:
            awaited.is_pointed = True
            told = WRITE_DIRECTLY.of(self._language_of(claimed.person))
            await self._slack.post_ephemeral(
                place.channel, claimed.person, told, thread_ts=place.thread
            )


async def _comes(event: asyncio.Event, within_s: float) -> bool:
    """Wait for an event; False if it does not come in time."""
    try:
        async with asyncio.timeout(max(0.0, within_s)):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _set_status(
    slack: Slack, claimed: Claimed, status: str, language: Language
) -> CallResult:
    """Set the status line of a thread; an empty one takes it away."""
    return await slack.write(
        "assistant.threads.setStatus",
        channel_id=claimed.place.channel,
        thread_ts=claimed.place.thread,
        status=status,
        loading_messages=[one.of(language) for one in progress_blocks.LOADING] if status else None,
    )


class _Session(ProgressSession):
    """The progress of one claimed message."""

    def __init__(
        self,
        slack: Slack,
        claimed: Claimed,
        kept: Kept,
        *,
        team: str,
        language: Language,
        timings: SlackTimings,
    ) -> None:
        super().__init__()
        self._language = language
        self._slack = slack
        self._claimed = claimed
        self._kept = kept
        self._timings = timings
        self._team = maybe(claimed.raw, "team") or team
        self._ts = claimed.progress_id
        self._step: Progressed | None = None
        self._has_streams = True
        self._has_status = True
        self._was_status_set = False
        self._is_drawing = False
        """True once tasks are shown: each further one is drawn as it comes."""

    async def steps(self) -> None:
        """See `ProgressSession.steps`."""
        now = asyncio.get_running_loop().time
        await self._begin()
        refresh_at = now() + self._timings.refreshed_every_s
        draw_at = now() + (self._timings.draw_after_s if self._has_status else 0)
        drawn_at = now()
        while not self.is_over:
            if now() >= refresh_at:
                await self._refresh()
                refresh_at = now() + self._timings.refreshed_every_s
            if now() >= draw_at:
                await self._draw_steps(self.taken())
                drawn_at = now()
                draw_at = drawn_at + self._timings.beats_every_s
            await self.stirred(min(refresh_at, draw_at) - now())
            if self.has_news and self._is_drawing:
                draw_at = min(draw_at, drawn_at + self._timings.drawn_every_s)
        if self._is_drawing:
            await self._finish(self.taken())

    async def clear(self) -> None:
        """See `ProgressSession.clear`: the status goes; a lost try is repeated."""
        if self._was_status_set:
            cleared = await _set_status(self._slack, self._claimed, "", self._language)
            if isinstance(cleared, Uncertain):
                await _set_status(self._slack, self._claimed, "", self._language)

    async def drop(self) -> None:
        """See `ProgressSession.drop`: the stream ends; a reply that stands already stays."""
        if self._ts is not None and self._has_streams and self._is_drawing:
            blocks: list[Json] = [section(STOPPED.of(self._language))]
            await self._slack.write("chat.stopStream", **self._message(self._ts), blocks=blocks)

    async def _begin(self) -> None:
        """Give the first sign of life; a thread's first message gets a reaction, too."""
        await self._refresh()
        if self._claimed.attempt > 1 and self._ts is None:
            await self._take_over()
        place, ts = self._claimed.place, maybe(self._claimed.raw, "ts")
        if place.mode == "direct":
            # While the session of the agent's tab is processing, Slack shows Stop.
            await self._slack.write(
                "agents.sessions.setStatus",
                channel_id=place.channel,
                thread_ts=place.thread,
                status="processing",
                title=line(self._claimed.text, limit=SESSION_TITLE) or None,
            )
        if place.mode == "channel" and ts == place.thread and self._claimed.attempt == 1:
            await self._slack.write("reactions.add", channel=place.channel, timestamp=ts, name=SEEN)

    async def _refresh(self) -> None:
        """Set the status (again): Slack lets it lapse."""
        if self._has_status:
            language = self._language
            status = progress_blocks.BEFORE.of(language)
            status = progress_blocks.status(self._step, language) if self._step else status
            told = await _set_status(self._slack, self._claimed, status, language)
            self._was_status_set = True
            self._has_status = not isinstance(told, Rejected)

    async def _draw_steps(self, steps: Sequence[Progressed]) -> None:
        """Show these steps; none: that the last one still goes on."""
        self._is_drawing = True
        if self._ts is None and self._claimed.follows_unposted:
            # It would stand above a reply that is still to come.
            if steps and self._has_status:
                await self._say(steps)
        elif self._has_streams and self._ts is None:
            await self._open(steps)
        elif self._has_streams:
            await self._append(steps)
        else:
            await self._say(steps)
        self._step = steps[-1] if steps else self._step

    async def _finish(self, steps: Sequence[Progressed]) -> None:
        """Show the last steps as done; the reply may have ended the stream before."""
        if self._has_streams and self._ts is not None:
            last = steps[-1] if steps else self._step
            more = list[Json](progress_blocks.last_chunks(last, self._language)) if last else []
            await self._append(steps, more=more)

    async def _open(self, steps: Sequence[Progressed]) -> None:
        now = steps[-1] if steps else self._step
        if now is None:
            now = Progressed(stage="plan", words=progress_blocks.LOADING[0])
        self._step = now
        place = self._claimed.place
        opened = await self._slack.write(
            "chat.startStream",
            channel=place.channel,
            thread_ts=place.thread,
            recipient_team_id=self._team,
            recipient_user_id=self._claimed.person,
            task_display_mode="plan",
            chunks=list(progress_blocks.first_chunks(now, self._language)),
        )
        if isinstance(opened, Succeeded):
            await self._keep(maybe(opened.body, "ts"))
            return
        lost = await self._unheard() if isinstance(opened, Uncertain) else ""
        self._has_streams = bool(lost) or isinstance(opened, RateLimited)
        if lost:
            await self._keep(lost)
        elif not self._has_streams:
            await self._say(steps)

    async def _take_over(self) -> None:
        """Go on with the stream of an attempt that died before it kept the id.

        While an earlier reply is not posted, the stream may be where that one is to go.
        """
        left = "" if self._claimed.follows_unposted else await self._unheard()
        if left:
            await self._keep(left)

    async def _unheard(self) -> str:
        """Return the stream that began although nobody told us: it is to be ended, not left open.

        It is a bot's message after the question, in its thread, without the metadata that all
        carry that we post. Should it be another app's, Slack refuses to change it, and the reply
        is posted.
        """
        place, asked = self._claimed.place, maybe(self._claimed.raw, "ts") or "0"
        told = await self._slack.read(
            "conversations.replies",
            channel=place.channel,
            ts=place.thread,
            oldest=asked,
            include_all_metadata="true",
        )
        messages = told.body.get("messages") if isinstance(told, Succeeded) else None
        unmarked = [
            maybe(one, "ts")
            for one in (messages if isinstance(messages, list) else ())
            if isinstance(one, Mapping)
            and maybe(one, "bot_id")
            and maybe(one, "ts") > max(asked, place.thread)
            and not maybe_object(one, "metadata")
        ]
        return unmarked[-1] if unmarked else ""

    async def _append(
        self, steps: Sequence[Progressed], *, more: Sequence[Json] | None = None
    ) -> None:
        before, chunks = self._step, list[Json]()
        repeated = [before] if before and more is None else []
        for now in steps or repeated:
            chunks += (
                progress_blocks.next_chunks(before, now, self._language)
                if before
                else progress_blocks.first_chunks(now, self._language)
            )
            before = now
        chunks += more or []
        if not chunks or self._ts is None:
            return
        told = await self._slack.write(
            "chat.appendStream", **self._message(self._ts), chunks=chunks
        )
        self._has_streams = not isinstance(told, Rejected)

    async def _say(self, steps: Sequence[Progressed]) -> None:
        """Say it in the status, or else in a line that the reply replaces."""
        if self._has_status and steps:
            self._step = steps[-1]
            await self._refresh()
        elif not self._has_status and self._ts is None:
            place = self._claimed.place
            told = CHECKING.of(self._language)
            posted = await self._slack.post_message(place.channel, told, thread_ts=place.thread)
            if isinstance(posted, Succeeded):
                await self._keep_line(posted.body)

    async def _keep_line(self, posted: Mapping[str, Json]) -> None:
        """Keep it, unless it landed outside the thread: then the thread's root is gone."""
        ts, message = maybe(posted, "ts"), maybe_object(posted, "message")
        if message and not maybe(message, "thread_ts"):
            await self._slack.write("chat.delete", **self._message(ts))
        else:
            await self._keep(ts)

    async def _keep(self, ts: str) -> None:
        try:
            await self._kept(ts)
        except OvertakenError:
            # The run was recorded before: its reply does not know this message.
            self._has_streams = False
            await self._slack.write("chat.stopStream", **self._message(ts))
            await self._slack.write("chat.delete", **self._message(ts))
            raise
        self._ts = ts

    def _message(self, ts: str) -> dict[str, Json]:
        return {"channel": self._claimed.place.channel, "ts": ts}
