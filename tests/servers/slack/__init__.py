"""A Slack of our own, for tests: the real SDKs talk to it over HTTP and WebSocket.

    async with fake_slack() as slack:                     # speed=600: a minute waits 0.1 s
        anna = slack.workspace.user("anna")               # is_restricted=True: a guest
        room = slack.workspace.channel("general", anna)   # is_ext_shared=True, kind="group", …
        client = AsyncWebClient(
            token=slack.workspace.bot_token, base_url=slack.api_url, retry_handlers=[]
        )
        slack.app_url = "http://127.0.0.1:1234/slack/events"       # none: the app uses sockets
        said = await slack.people.mention(anna, room, "May I?")    # both twins, signed, retried
        await slack.journal.wait_for("chat.postMessage")
        answer = slack.checks.one_answer(said.message)
        assert live_mentions(answer) == []                         # live_links, images
        await slack.presses.click(anna, answer, "evidence_open")   # views_of(anna), submit, …

- `workspace` is what there is; `people` write, edit, delete, join, stop, uninstall, and `presses`
  are what they press; each returns what was sent to the app and how it answered.
- `events` makes single events: `slack.people.deliver(slack.events.joined(…))`. `attacks` sends
  what Slack would not: forged, late, changed, replayed.
- `faults.next("chat.postMessage", processed_then_reset())` spoils the next call, `always` all,
  `without("chat.startStream", status=404)` takes a method away, `heal()` ends it. `limits` are on:
  `limits.post_burst`, `limits.on = False`. `workspace.narrow("reactions:write")` takes a scope.
- Time: `slack.clock.advance(60)` makes a minute pass at once; a wait of Slack's own (its retries)
  takes a `speed`-th of it and then moves the clock on. `sender.ack_timeout_s` is in our seconds.
- `journal` has every call with its outcome; `was_done` tells what the caller may not have heard.
- `checks` asserts: one answer, status cleared, nothing outside the thread, no stream left open.
- `sockets.disconnect()`, `.cut()`, `.ping()`, `.deaf = True` are what befalls Socket Mode.
- What Slack leaves open, or does now and then: `workspace.knobs`, `limits.cut_history`,
  `streams.QUIET_S`, `channel.takes_streams`, `channel.refuses = "restricted_action"`.
"""

from tests.servers.slack.delivery import Attempt, Delivery
from tests.servers.slack.markup import (
    Live,
    images,
    live,
    live_in_view,
    live_links,
    live_mentions,
    typed,
)
from tests.servers.slack.server import FakeSlack, fake_slack

__all__ = [
    "Attempt",
    "Delivery",
    "FakeSlack",
    "Live",
    "fake_slack",
    "images",
    "live",
    "live_in_view",
    "live_links",
    "live_mentions",
    "typed",
]
