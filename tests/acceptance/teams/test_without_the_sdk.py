"""Teams over REST in a process that can't import Microsoft's archived SDK, from end to end."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from bot.teams.app.endpoint import PATH
from tests.acceptance.teams.test_pressing import QUESTION, dialog, fetch, id_of
from tests.databases import login_variables
from tests.ports import free_port
from tests.running import ROOT
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import Maker, OpenId, private_key
from tests.servers.teams.wire import Json
from tests.slack_processes import Running

ABSENT = """
import sys
from bot.__main__ import main

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"botbuilder", "botframework", "msal", "msrest"}:
            raise ModuleNotFoundError(f"{name} is absent")

sys.meta_path.insert(0, Absent())
main()
"""
"""Runs the command line without what may be absent."""


@asynccontextmanager
async def serving(
    teams: FakeTeams, microsoft: OpenId, database_url: str, transport: str
) -> AsyncGenerator[tuple[Process, Running]]:
    """Run `citebound serve` without the SDK."""
    port, operations_port = free_port(), free_port()
    environment = {
        "PATH": os.defpath,
        "HOME": os.environ.get("HOME", "/"),  # noqa: TID251  # where the models are
        "PYTHONPATH": str(ROOT),
        **login_variables(database_url),
        **teams.environment,
        "CITEBOUND_TEAMS_OPENID_URL": microsoft.url,
        "CITEBOUND_TEAMS_TRANSPORT": transport,
        "CITEBOUND_PORT": str(port),
        "CITEBOUND_OPERATIONS_PORT": str(operations_port),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ABSENT, "serve"), env=environment, stderr=PIPE, cwd=ROOT
    )
    teams.app_url = f"http://127.0.0.1:{port}{PATH}"
    teams.sender.sign = microsoft.maker(teams.tenant.app_id).headers
    try:
        yield (
            process,
            Running(pid=process.pid, port=port, operations_port=operations_port, forks=None),
        )
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def stating(**claims: Any) -> Callable[[Maker, Json], str]:
    """Return who makes tokens that state something else."""
    return lambda maker, activity: maker.token(maker.claims(activity["serviceUrl"], **claims))


def under_another_key(maker: Maker, activity: Json) -> str:
    return maker.token(maker.claims(activity["serviceUrl"]), key=private_key(99))


def unsigned(maker: Maker, activity: Json) -> str:
    return maker.token(maker.claims(activity["serviceUrl"]), key="", algorithm="none")


def under_the_public_key(maker: Maker, activity: Json) -> str:
    return maker.confused(maker.claims(activity["serviceUrl"]))


FORGED: dict[str, Callable[[Maker, Json], str]] = {
    "another key": under_another_key,
    "another audience": stating(aud="11111111-2222-4333-8444-555555555555"),
    "another issuer": stating(iss="https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"),
    "expired": stating(exp=1_700_000_000),
    "another service": stating(serviceurl="https://smba.trafficmanager.net/amer/"),
    "unsigned": unsigned,
    "HS256 under the public key": under_the_public_key,
}


async def test_a_question_is_answered_without_the_sdk(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """With its button; no forged token is believed, and what it brings is not kept."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    async with serving(teams, microsoft, policies_database, "rest") as (process, running):
        await running.ready()
        maker = microsoft.maker(teams.tenant.app_id)
        for name, forge in FORGED.items():
            teams.sender.sign = lambda activity, forge=forge: {
                "Authorization": f"Bearer {forge(maker, activity)}"
            }
            said = await teams.people.say(anna, own, QUESTION)
            assert said.delivery.status == 401, name
        teams.sender.sign = lambda _: {}
        assert (await teams.people.say(anna, own, QUESTION)).delivery.status == 401
        teams.sender.sign = maker.headers
        asked = await teams.people.say(anna, own, QUESTION)
        assert asked.delivery.status == 200
        await teams.until(lambda: any(one.cards for one in teams.tenant.by_bot()))
        answer = teams.checks.one_answer(asked.message)
        assert "Gifts and Hospitality Policy" in str(answer.activity)
        assert "Evidence" in dialog(await fetch(teams, anna, answer, "evidence", id_of(answer)))
        assert process.returncode is None


async def test_the_sdk_is_absent_there(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """With the other transport the same process can't start, so the test above shows something."""
    async with serving(teams, microsoft, policies_database, "botbuilder") as (process, _):
        _, told = await process.communicate()
    assert process.returncode != 0
    assert "ModuleNotFoundError" in told.decode()
