"""What is drawn of one run: status, stream of tasks, or a line of text where Slack has neither.

A stream's `ts` is kept at once, so that the reply takes its place, also after a crash. If the run
was recorded first, its reply does not know the stream: it goes.
"""

from collections.abc import Mapping, Sequence

from bot.json_fields import maybe_object
from bot.replies.notices import CHECKING, STOPPED
from bot.slack.blocks import progress_blocks
from bot.slack.blocks.elements import section
from bot.slack.inbound.payload import maybe
from bot.slack.outbound import agent_sessions
from bot.slack.web.calls import Limited, Outcome, Refused, Slack, Told, Unclear
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.domain.run import Json
from core.ports import Kept, Progressed

SEEN = "eyes"


class Pen:
    """Draws for one claimed message; one call at a time."""

    def __init__(self, slack: Slack, claimed: Claimed, kept: Kept, *, team: str) -> None:
        """Take the message, and who keeps the id of what shows its progress."""
        self._slack = slack
        self._claimed = claimed
        self._kept = kept
        self._team = maybe(claimed.raw, "team") or team
        self._ts = claimed.progress_id
        self._step: Progressed | None = None
        self._streams = True
        self._was_set = False
        self.has_status = True
        """False: this Slack shows no status here."""
        self.is_drawing = False
        """True once tasks are shown: each further one is drawn as it comes."""

    async def begin(self) -> None:
        """Give the first sign of life; a thread's first message gets a mark of its own."""
        await self.refresh()
        if self._claimed.attempt > 1 and self._ts is None:
            await self._take_over()
        await agent_sessions.begin(self._slack, self._claimed.place, title=self._claimed.text)
        place, ts = self._claimed.place, maybe(self._claimed.raw, "ts")
        if place.mode == "channel" and ts == place.thread and self._claimed.attempt == 1:
            await self._slack.write("reactions.add", channel=place.channel, timestamp=ts, name=SEEN)

    async def refresh(self) -> None:
        """Set the status (again): Slack lets it lapse."""
        if not self.has_status:
            return
        told = await self._status(
            progress_blocks.status(self._step) if self._step else progress_blocks.BEFORE
        )
        self._was_set = True
        self.has_status = not isinstance(told, Refused)

    async def draw(self, steps: Sequence[Progressed]) -> None:
        """Show these steps; none: that the last one still goes on."""
        self.is_drawing = True
        if self._ts is None and self._claimed.follows_unposted:
            # It would stand above a reply that is still to come.
            if steps and self.has_status:
                await self._say(steps)
        elif self._streams and self._ts is None:
            await self._open(steps)
        elif self._streams:
            await self._append(steps)
        else:
            await self._say(steps)
        self._step = steps[-1] if steps else self._step

    async def finish(self, steps: Sequence[Progressed]) -> None:
        """Show the last steps as done; the reply may have ended the stream before."""
        if self._streams and self._ts is not None:
            last = steps[-1] if steps else self._step
            more = list[Json](progress_blocks.last_chunks(last)) if last else []
            await self._append(steps, more=more)

    async def clear(self) -> None:
        """Take the status away: while it stands, nobody can write there. A lost try is repeated."""
        if self._was_set and isinstance(await self._status(""), Unclear):
            await self._status("")

    async def drop(self) -> None:
        """Say of a stream that nobody goes on with it; a reply that stands already stays."""
        if self._ts is not None and self._streams and self.is_drawing:
            blocks: list[Json] = [section(STOPPED)]
            await self._slack.write("chat.stopStream", **self._message(self._ts), blocks=blocks)

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
            chunks=list(progress_blocks.first_chunks(now)),
        )
        if isinstance(opened, Told):
            await self._keep(maybe(opened.body, "ts"))
            return
        lost = await self._unheard() if isinstance(opened, Unclear) else ""
        self._streams = bool(lost) or isinstance(opened, Limited)
        if lost:
            await self._keep(lost)
        elif not self._streams:
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

        It is a bot's message after the question, in its thread, without the mark that all carry
        that we post. Should it be another app's, Slack refuses to change it, and the reply is
        posted.
        """
        place, asked = self._claimed.place, maybe(self._claimed.raw, "ts") or "0"
        told = await self._slack.read(
            "conversations.replies",
            channel=place.channel,
            ts=place.thread,
            oldest=asked,
            include_all_metadata="true",
        )
        messages = told.body.get("messages") if isinstance(told, Told) else None
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
                progress_blocks.next_chunks(before, now)
                if before
                else progress_blocks.first_chunks(now)
            )
            before = now
        chunks += more or []
        if not chunks or self._ts is None:
            return
        told = await self._slack.write(
            "chat.appendStream", **self._message(self._ts), chunks=chunks
        )
        self._streams = not isinstance(told, Refused)

    async def _say(self, steps: Sequence[Progressed]) -> None:
        """Say it in the status, or else in a line that the reply replaces."""
        if self.has_status and steps:
            self._step = steps[-1]
            await self.refresh()
        elif not self.has_status and self._ts is None:
            place = self._claimed.place
            posted = await self._slack.write(
                "chat.postMessage",
                channel=place.channel,
                thread_ts=place.thread,
                text=CHECKING,
                unfurl_links=False,
                unfurl_media=False,
            )
            if isinstance(posted, Told):
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
            self._streams = False
            await self._slack.write("chat.stopStream", **self._message(ts))
            await self._slack.write("chat.delete", **self._message(ts))
            raise
        self._ts = ts

    async def _status(self, status: str) -> Outcome:
        place = self._claimed.place
        loading: list[Json] | None = list(progress_blocks.LOADING) if status else None
        return await self._slack.write(
            "assistant.threads.setStatus",
            channel_id=place.channel,
            thread_ts=place.thread,
            status=status,
            loading_messages=loading,
        )

    def _message(self, ts: str) -> dict[str, Json]:
        return {"channel": self._claimed.place.channel, "ts": ts}
