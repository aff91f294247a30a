"""An operator's own server: each version of Postgres, each process by its own login and password.

Directly, and by way of PgBouncer in transaction mode.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.adapters.postgres.engine.database import MINIMUM_POSTGRES, engine_for
from tests.acceptance.cli.conftest import GIFTS
from tests.kills import balance, quiet
from tests.running import Ended, command
from tests.servers.pgbouncer import PROGRAM, pgbouncer
from tests.servers.postgres_versions import INSTALLED, LOGINS, PASSWORD, Server, postgres_of
from tests.servers.slack import FakeSlack
from tests.slack_processes import forks

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]

QUESTION = "May employees accept gifts, and up to what value?"
OFFICER = "ada"
SESSIONS = 4
"""Of the server, for each login."""


@pytest.fixture(params=sorted(one for one in INSTALLED if one >= MINIMUM_POSTGRES))
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server of a version, with an empty database."""
    with postgres_of(INSTALLED[request.param]) as running:
        yield running


@pytest.fixture(params=["direct", "pgbouncer"])
def urls(request: pytest.FixtureRequest, server: Server) -> Iterator[Mapping[str, str]]:
    """The URL of each login."""
    direct = {login: server.url(login) for login in LOGINS}
    if request.param == "direct":
        yield direct
        return
    if PROGRAM is None:
        pytest.skip("pgbouncer absent: install it to test what goes by way of it")
    passwords = dict.fromkeys(LOGINS, PASSWORD)
    with pgbouncer(direct["citebound_bot"], sessions=SESSIONS, passwords=passwords) as by_way:
        yield {login: by_way.replace("citebound_bot", login) for login in LOGINS}


async def test_each_process_works_by_its_login(
    server: Server, urls: Mapping[str, str], slack: FakeSlack, tmp_path: Path
) -> None:
    """From an empty database to an answer that an auditor proves and an officer reads."""

    async def citebound(login: str, *words: str, **settings: str) -> Ended:
        return await command(
            *words,
            home=tmp_path,
            DATABASE_URL=urls[login],
            CITEBOUND_MIGRATION_URL=urls["citebound"],
            CITEBOUND_LEDGER_ANCHORS=str(tmp_path / "anchor"),
            USER=OFFICER,
            LOGNAME=OFFICER,
            **settings,
        )

    migrated = await citebound("citebound", "migrate")
    assert (migrated.code, "The schema is at" in migrated.told) == (0, True), migrated
    policy = tmp_path / "gifts.md"
    policy.write_text(GIFTS)
    ingested = await citebound("citebound_bot", "ingest", str(policy))
    assert (ingested.code, "1 added" in ingested.told) == (0, True), ingested
    strictly = {"CITEBOUND_ENVIRONMENT": "production"}
    answered = await citebound("citebound_bot", "ask", QUESTION, **strictly)
    assert (answered.code, "EUR 50" in answered.told) == (0, True), answered
    await asked(slack, urls, server)
    sealed = await citebound("citebound_seal", "audit", "seal", "--once")
    assert sealed.code == 0, sealed
    verified = await citebound("citebound_check", "audit", "verify", "--json")
    assert (verified.code, json.loads(verified.told)["result"]) == (0, "intact"), verified
    everything = ("--unit", "*", "--audience", "*", "--no-login")
    granted = await citebound("citebound", "audit", "grant-officer", OFFICER, *everything)
    assert granted.code == 0, granted
    listed = await citebound("citebound_read", "audit", "list")
    assert (listed.code, "answered" in listed.told) == (0, True), listed
    refused = await citebound("citebound_bot", "audit", "list")
    assert refused.code == 3, refused
    assert "Traceback" not in refused.told


async def asked(slack: FakeSlack, urls: Mapping[str, str], server: Server) -> None:
    """Let people ask a process that serves; each is answered once."""
    tables = engine_for(server.url("postgres"), pooled=False)
    with forks() as serving:
        running = serving.start(slack, urls["citebound_bot"], migration_url=urls["citebound"])
        await running.ready(within_s=60.0)
        slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
        people = [slack.workspace.user(f"person{n}") for n in range(SESSIONS + 2)]
        said = [await slack.people.ask(one, QUESTION) for one in people]
        await quiet(tables, within_s=60.0)
        for one in said:
            assert "EUR 50" in str(slack.checks.one_answer(one.message).blocks)
        slack.checks.nothing_twice()
        counts = await balance(tables)
        assert counts["messages"] == counts["posted"] == len(people)
        running.signal(15)
        assert await running.ended() == 0
    await tables.dispose()
