"""A Slack to try the product with: one workspace, in which one person asks.

    python -m tests.servers.slack serve --app http://serve:8080/slack/events
    python -m tests.servers.slack ask --at http://slack:8090 "May I accept a gift?"

`deploy/compose.demo.yaml` runs both. It is a stand-in: nothing leaves the machine.
"""

import argparse
import asyncio
import signal
import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

from aiohttp import ClientSession, web

from tests.servers.slack.clock import Clock
from tests.servers.slack.markup import words_of_blocks
from tests.servers.slack.posts import Message
from tests.servers.slack.server import FakeSlack

PORT = 8090
DELIVERIES, DELIVERED_AGAIN_AFTER_S = 240, 0.5
"""So long the app may take to start; on a quiet machine it takes a tenth of that."""
ANSWERED_WITHIN_S = 120.0


async def serve(*, app_url: str, base_url: str) -> None:
    """Be a workspace until told to end."""
    slack = FakeSlack(Clock())
    slack.app_url, slack.base_url, slack.urls.base_url = app_url, base_url, base_url
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)

    async def ask(request: web.Request) -> web.Response:
        """Mention the app in the room, and return the words of its reply."""
        text = f"<@{slack.workspace.app.bot_user}> {await request.text()}"
        said = slack.people.write(anna, room, text)
        try:
            await deliver(slack, said)
            await slack.until(lambda: is_answered(slack, said), timeout_s=ANSWERED_WITHIN_S)
            blocks = slack.checks.one_answer(said).blocks
        except AssertionError as error:
            return web.Response(text=str(error), status=504)
        shown = [one for one in blocks if one["type"] not in {"actions", "context_actions"}]
        return web.Response(text="\n".join(words_of_blocks(shown)))

    application = slack.routes()
    application.router.add_post("/ask", ask)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "0.0.0.0", PORT).start()  # noqa: S104  # a container's own
    async with ClientSession() as session:
        slack.sender.session = session
        stopped = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
        await stopped.wait()
    await runner.cleanup()


async def deliver(slack: FakeSlack, question: Message) -> None:
    """Send a question until it is acknowledged: the app may be starting yet."""
    for _ in range(DELIVERIES):
        if (await slack.people.announce(question, retries=0)).acknowledged:
            return
        await asyncio.sleep(DELIVERED_AGAIN_AFTER_S)
    raise AssertionError("the app does not acknowledge")


def is_answered(slack: FakeSlack, question: Message) -> bool:
    """Say whether a reply stands that says something and that nobody is working on.

    A stream that was quiet for too long is over, and says nothing until the app notices.
    """
    replies = slack.checks.replies(question)
    is_busy = slack.workspace.status(question.channel, question.root) is not None
    is_said = all(one.text or one.blocks for one in replies)
    return (
        bool(replies) and is_said and not is_busy and not any(one.is_streaming for one in replies)
    )


def ask(question: str, *, at: str) -> int:
    """Ask in a workspace that runs elsewhere, print question and answer; 0 if there is one."""
    connection = HTTPConnection(urlsplit(at).netloc, timeout=3 * ANSWERED_WITHIN_S)
    for _ in range(DELIVERIES):
        try:
            connection.connect()
            break
        except OSError:
            time.sleep(DELIVERED_AGAIN_AFTER_S)  # noqa: TID251  # nothing else runs here
    connection.request("POST", "/ask", question.encode())
    response = connection.getresponse()
    sys.stdout.write(f"\n> {question}\n\n{response.read().decode()}\n")
    return 0 if response.status == 200 else 1


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.slack")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve")
    serving.add_argument("--app", required=True)
    serving.add_argument("--at", default=f"http://slack:{PORT}")
    asking = commands.add_parser("ask")
    asking.add_argument("--at", default=f"http://slack:{PORT}")
    asking.add_argument("question")
    given = parser.parse_args()
    if given.command == "ask":
        return ask(given.question, at=given.at)
    asyncio.run(serve(app_url=given.app, base_url=given.at))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
