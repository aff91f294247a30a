"""What the pictures show: the product answers between a fake Slack, a fake Teams and Postgres.

The sample policies are ingested, the questions are asked, a case is opened; nothing is made up
here. What the product posted is kept as it was sent.
"""

import json
import shutil
import tempfile
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.console.ingest.ingest_files import ingest_with_progress
from bot.console.views.terminal import open_terminal
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.folder_listing import find_sources
from core.ingest.prepare import NOTHING_GIVEN
from tests.both_products import Both, both
from tests.databases import logins
from tests.servers.slack import fake_slack
from tests.servers.teams import fake_teams
from tests.servers.teams.openid import openid
from tests.servers.teams.wire import Json

SAMPLES = Path(__file__).parents[2] / "samples" / "policies"
ANSWERED = "How quickly does the authority have to be told about a data breach?"
ASKED_BACK = "How much can I claim for meals on a trip?"
HANDED_OVER = "Can the company donate to a political party?"
NOTE = "The invitation is to a fundraising dinner, EUR 200 a seat."
ASKER, OFFICER = "Anna", "Olga"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One message of a person, and what the product posted."""

    name: str
    """Of the file, without its ending."""
    question: str
    """What was asked; empty above an officers' card."""
    posted: Json
    """Blocks of Slack, or an activity of Teams."""


@contextmanager
def database() -> Generator[str]:
    """Start a Postgres that is thrown away, and give its address."""
    home = Path(tempfile.mkdtemp(prefix="citebound-pictures-"))
    home.chmod(0o755)
    try:
        yield start_embedded(home, temporary=True)
    finally:
        stop_embedded(home)
        shutil.rmtree(home, ignore_errors=True)


async def pictures(url: str) -> list[Picture]:
    """Ask on both platforms, over an empty database, and return what stands there."""
    await ingest(url)
    async with running(url, "slack") as run:
        found = await _in_slack(run)
    async with running(url, "teams") as run:
        return [*found, *await _in_teams(run)]


async def ingest(url: str, policies: Sequence[Path] = (SAMPLES,)) -> None:
    """Ingest policies, by default those of the samples."""
    async with bootstrap(Settings(**logins(url))) as service:
        sources = find_sources(list(policies), given=NOTHING_GIVEN).sources
        await ingest_with_progress(open_terminal(), service.ingestor, sources, [], with_chunks=True)


@asynccontextmanager
async def running(url: str, desk: str) -> AsyncGenerator[Both]:
    """Run it with an officer and an officers' channel on one of the platforms."""
    async with (
        fake_slack(speed=600) as slack,
        fake_teams(speed=600) as teams,
        openid() as microsoft,
    ):
        olga = slack.workspace.user("olga")
        olga_there = teams.tenant.person("olga", aad="00000000-0000-4000-8000-000000000017")
        if desk == "slack":
            channel = slack.workspace.channel("compliance", olga, kind="group").id
            where = f"slack/{slack.workspace.team_id}/{channel}"
            account = f"slack/{slack.workspace.team_id}/{olga.id}"
        else:
            room = teams.tenant.channel("officers", olga_there, channel_type="private")
            where = f"teams/{teams.tenant.id}/{room.id}"
            account = f"teams/{teams.tenant.id}/{olga_there.aad}"
        officers: list[dict[str, Any]] = [
            {"login": "olga", "name": OFFICER, "accounts": [account], "on_call": True}
        ]
        async with both(slack, teams, microsoft, url, officers=officers, channel=where) as run:
            yield run


async def _in_slack(run: Both) -> list[Picture]:
    slack, found = run.slack, list[Picture]()
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("ask-compliance", anna)
    for name, question in (("answer", ANSWERED), ("question-back", ASKED_BACK), ("", HANDED_OVER)):
        said = await slack.people.mention(anna, room, question)
        await run.quiet()
        answer = slack.checks.one_answer(said.message)
        if name:
            blocks: Json = {"blocks": answer.blocks}
            found.append(Picture(name=f"slack-{name}", question=question, posted=blocks))
            continue
        await slack.presses.click(anna, answer, "escalate_open")
        await slack.until(lambda: bool(slack.presses.views_of(anna)), timeout_s=30)
        form = slack.presses.views_of(anna)[-1]
        await slack.presses.submit(anna, form, {"note": {"value": NOTE}})
        await run.quiet()
    (card,) = [one for one in slack.checks.by_app() if one.text.startswith("Case ")]
    return [*found, Picture(name="slack-case", question="", posted={"blocks": card.blocks})]


async def _in_teams(run: Both) -> list[Picture]:
    teams, found = run.teams, list[Picture]()
    anna = teams.tenant.person(ASKER)
    olga = next(one for one in teams.tenant.people.values() if one.name == "olga")
    desk = next(one for one in teams.tenant.conversations.values() if one.name == "officers")
    await teams.people.install(olga, desk)
    room = teams.tenant.channel("ask-compliance", anna)
    for name, question in (("answer", ANSWERED), ("question-back", ASKED_BACK), ("", HANDED_OVER)):
        said = await teams.people.mention(anna, room, question)
        await run.quiet()
        (answer,) = teams.checks.replies(said.message)
        if name:
            found.append(Picture(name=f"teams-{name}", question=question, posted=answer.activity))
            continue
        ours = json.dumps(answer.activity).split('"a": "')[1].split('"')[0]
        sent: Json = {"do": "escalate_submit", "a": ours, "note": NOTE}
        await teams.people.invoke(anna, answer, "task/submit", {"data": sent})
        await run.quiet()
    posted = [one for one in teams.tenant.by_bot() if one.conversation == desk.id and one.cards]
    return [*found, Picture(name="teams-case", question="", posted=posted[-1].activity)]
