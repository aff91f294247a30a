"""The command itself, in a process of its own: what it logs, counts, and how it stops."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from tests.databases import login_variables
from tests.ports import free_port
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error, slow_answer, status
from tests.slack_processes import Running

ROOT = Path(__file__).parents[3]
QUESTION = "What is the limit for gifts that employees accept from business partners?"
CANARY = "Zanzibarquux"
KEYS = {"at", "level", "logger", "message", "error", "question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The process, once it is ready."""

    process: Process
    operations_port: int
    environment: dict[str, str]

    async def get(self, path: str) -> tuple[int, str]:
        """Ask it how it is."""
        url = f"http://127.0.0.1:{self.operations_port}/{path}"
        async with ClientSession() as session, session.get(url) as response:
            return response.status, await response.text()


@asynccontextmanager
async def command(
    slack: FakeSlack, database_url: str, *words: str, **settings: str
) -> AsyncGenerator[Serving]:
    """Run `citebound serve` until it ends, by itself or with the block."""
    port, operations_port = free_port(), free_port()
    environment = {
        "PATH": os.environ["PATH"],  # noqa: TID251  # of the test's own process
        "HOME": os.environ.get("HOME", "/"),  # noqa: TID251
        "PYTHONPATH": str(ROOT),
        **login_variables(database_url),
        "SLACK_BOT_TOKEN": slack.workspace.bot_token,
        "SLACK_SIGNING_SECRET": slack.workspace.app.signing_secret,
        "SLACK_API_URL": slack.api_url,
        "CITEBOUND_PORT": str(port),
        "CITEBOUND_OPERATIONS_PORT": str(operations_port),
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "serve", *words, env=environment, stderr=PIPE, cwd=ROOT
    )
    try:
        running = Running(pid=process.pid, port=port, operations_port=operations_port, forks=None)
        async with asyncio.TaskGroup() as group:
            becoming = group.create_task(running.ready())
            ended = group.create_task(process.wait())
            await asyncio.wait({becoming, ended}, return_when=asyncio.FIRST_COMPLETED)
            if process.returncode is not None:
                becoming.cancel()
            ended.cancel()
        assert process.returncode is None, (await process.communicate())[1].decode()
        slack.app_url = f"http://127.0.0.1:{port}/slack/events"
        yield Serving(process=process, operations_port=operations_port, environment=environment)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_worker_beside_it_tells_how_it_is(slack: FakeSlack, slack_database: str) -> None:
    """With the same settings: its port is taken, so it says which other one it has."""
    async with command(slack, slack_database) as serving:
        words = (sys.executable, "-m", "bot", "work")
        worker = await asyncio.create_subprocess_exec(
            *words, env=serving.environment, stderr=PIPE, cwd=ROOT
        )
        try:
            assert worker.stderr is not None
            async with asyncio.timeout(60.0):
                told = ""
                while not told.startswith("health and metrics on port "):
                    told = json.loads(await worker.stderr.readline())["message"]
            port = int(told.rpartition(" ")[2])
            assert port != serving.operations_port
            beside = Serving(process=worker, operations_port=port, environment=serving.environment)
            assert (await beside.get("livez"))[0] == 200
            async with asyncio.timeout(60.0):
                while (await beside.get("readyz")) != (200, "ready"):  # noqa: ASYNC110  # a process
                    await asyncio.sleep(0.05)
            assert "citebound_waiting_messages 0" in (await beside.get("metrics"))[1]
            worker.terminate()
            assert await worker.wait() == 0
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()


async def test_a_probe_says_whether_it_lives(slack: FakeSlack, slack_database: str) -> None:
    """For the health checks of containers: exit code 0, and 1 once it is gone."""

    async def probed(*words: str) -> tuple[int | None, str]:
        probe = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "probe", *words),
            env=serving.environment,
            stdout=PIPE,
            cwd=ROOT,
        )
        said, _ = await probe.communicate()
        return probe.returncode, said.decode().strip()

    async with command(slack, slack_database) as serving:
        assert await probed() == (0, "/livez 200")
        assert await probed("--ready") == (0, "ready 200")
    code, said = await probed()
    assert code == 1
    assert "does not answer" in said


async def test_told_to_stop_it_ends_what_it_has_begun(
    slack: FakeSlack, slack_database: str
) -> None:
    """Not ready, but it still stores what comes; the answer under way is posted; then exit 0."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    slack.faults.next("chat.postMessage", slow_answer(2.0))
    slack.faults.next("chat.stopStream", slow_answer(2.0))
    async with command(slack, slack_database) as serving:
        process = serving.process
        said = await slack.people.ask(anna, QUESTION)
        posting = ("chat.postMessage", "chat.stopStream")
        await slack.until(
            lambda: any(one.method in posting for one in slack.journal.entries), timeout_s=20.0
        )
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30.0):
            while (await serving.get("readyz"))[0] != 503:  # noqa: ASYNC110  # another process
                await asyncio.sleep(0.01)
        late = await slack.people.ask(ben, QUESTION)
        assert late.acknowledged
        async with asyncio.timeout(30.0):
            assert await process.wait() == 0
    slack.checks.one_answer(said.message)
    slack.checks.nothing_twice()
    engine = engine_for(slack_database, pooled=False)
    async with engine.connect() as connection:
        found = await connection.execute(text("SELECT person, state FROM citebound.inbox"))
        states = {row.person: row.state for row in found}
        leased = await connection.scalar(
            text("SELECT count(*) FROM citebound.inbox WHERE lease_until IS NOT NULL")
        )
    await engine.dispose()
    assert states[anna.id] == "done"
    assert ben.id in states
    assert leased == 0


async def test_it_counts_what_it_does(slack: FakeSlack, slack_database: str) -> None:
    """Requests, outcomes, posts and what waits; nobody's id, name or words among it."""
    anna = slack.workspace.user("anna")
    slack.faults.next("chat.postMessage", status(500))
    slack.faults.without("chat.startStream")
    async with command(slack, slack_database) as serving:
        said = await slack.people.ask(anna, f"{QUESTION} {CANARY}")
        await slack.until(lambda: bool(slack.checks.replies(said.message)), timeout_s=30.0)
        assert (await serving.get("livez"))[0] == 200
        async with asyncio.timeout(20.0):
            while 'result="posted"' not in (told := (await serving.get("metrics"))[1]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    lines = dict(line.rsplit(" ", 1) for line in told.splitlines() if not line.startswith("#"))
    acked = 'citebound_http_seconds_count{route="/slack/events",status="200"}'
    assert float(lines[acked]) >= 1
    assert lines['citebound_posts_total{platform="slack",result="ambiguous"}'] == "1.0"
    assert sum(float(v) for k, v in lines.items() if k.startswith("citebound_outcomes")) == 1
    assert "citebound_oldest_message_seconds" in lines
    for secret in (CANARY, anna.id, slack.workspace.team_id, said.message.channel):
        assert secret not in told


async def test_logs_hold_no_words_names_or_secrets(slack: FakeSlack, slack_database: str) -> None:
    """Whatever fails: forged requests, refused rows, Slack's errors. JSON lines of known keys."""
    engine = engine_for(slack_database, pooled=False)
    anna = slack.workspace.user(f"anna-{CANARY}")
    room = slack.workspace.channel(f"room-{CANARY}", anna)
    async with command(slack, slack_database) as serving:
        process = serving.process
        body = json.dumps({"type": "event_callback", "text": CANARY}).encode()
        await slack.sender.raw(body, {"Content-Type": "application/json"})
        await slack.sender.raw(body, slack.sender.sign(body) | {"Content-Type": "application/json"})
        slack.faults.next("chat.postMessage", error("invalid_blocks"), error(f"no_{CANARY}"))
        slack.faults.next("chat.stopStream", error(f"no_{CANARY}"))
        await slack.people.mention(anna, room, f"{QUESTION} {CANARY}")
        await asyncio.sleep(2.0)
        async with engine.begin() as connection:
            await connection.execute(
                text("ALTER TABLE citebound.inbox ADD CONSTRAINT x CHECK (text = '') NOT VALID")
            )
        await slack.people.ask(anna, f"{QUESTION} {CANARY} again")
        process.send_signal(signal.SIGTERM)
        _, logged = await process.communicate()
    await engine.dispose()
    lines = logged.decode().splitlines()
    assert lines
    assert all(set(json.loads(line)) <= KEYS for line in lines)
    assert any(json.loads(line)["level"] in {"error", "warning"} for line in lines)
    for secret in (
        CANARY,
        QUESTION[:20],
        slack.workspace.bot_token,
        slack.workspace.app.signing_secret,
        anna.id,
    ):
        assert secret not in logged.decode()
