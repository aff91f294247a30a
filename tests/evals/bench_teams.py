"""Teams' figures: how soon it is told, how soon somebody reads an answer, and what kills cost.

    python -m tests.evals.bench_teams ack   [--rate 200] [--seconds 20]
    python -m tests.evals.bench_teams first [--questions 40]
    python -m tests.evals.bench_teams burst [--questions 150] [--seconds 5]
    python -m tests.evals.bench_teams kills [--questions 200] [--kills 10]

Each runs the code of `citebound serve` in processes of its own, with the token check, Microsoft's
SDK, an embedded Postgres with its default durability (fsync on) and the extractive reasoner:
nothing is replaced but Teams and Microsoft's keys, which are local servers in this process, on the
same cores. Arrivals do not wait for answers.

`first` asks in channels and in people's own chats by turns. `kills` ends one of two processes by
SIGKILL at random moments, starts it again, and then goes through what people see: each question has
one answer, in the order of its thread. Nobody can look for what was posted in Teams: of a post
whose answer was lost a line says, once, that it may be above; these are counted apart.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.evals.platform_bench import (
    ACK_FOR_S,
    PEOPLE,
    QUESTIONS,
    READY_WITHIN_S,
    UNLIMITED,
    WARMING,
    Request,
    Tables,
    arguments,
    busy,
    end,
    measure_ack,
    measure_burst,
    measure_kills,
    postgres,
    publish,
    single_questions,
    spread,
)
from tests.servers.slack.journal import Entry
from tests.servers.teams import Conversation, FakeTeams, Message, Person, fake_teams
from tests.servers.teams.openid import OpenId, openid
from tests.servers.teams.people import Said
from tests.slack_processes import Forks, Running, forks
from tests.teams_processes import start

WRITING = ("post", "reply", "update", "create")
MAYBE = "Your answer may be above"
REDELIVERED_AFTER_S = 1.0
_ANSWERS = (
    "SELECT o.remote_id, o.state, i.id AS message, i.conversation_id::text AS thread, i.dedupe_key"
    " FROM citebound.inbox i LEFT JOIN citebound.outbox o ON o.cause = 'message:' || i.id"
    "  AND o.reply->>'notice' IS DISTINCT FROM 'maybe_above'"
    " WHERE i.kind = 'message' ORDER BY i.id"
)
_POSTS = (
    "SELECT o.remote_id, extract(epoch FROM o.queued_at)::float AS queued_at,"
    " extract(epoch FROM o.settled_at)::float AS settled_at"
    " FROM citebound.inbox i JOIN citebound.outbox o ON o.cause = 'message:' || i.id"
    " WHERE i.kind = 'message' AND o.state = 'posted'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a measure works with."""

    teams: FakeTeams
    microsoft: OpenId
    serving: Forks
    url: str
    tables: Tables

    async def start(self, port: int = 0, **more: Any) -> Running:
        """Start one process, and wait until it is ready."""
        running = start(
            self.serving, self.teams, self.microsoft, self.url, port=port, **UNLIMITED, **more
        )
        await running.ready(within_s=READY_WITHIN_S)
        return running

    def point_to(self, running: Running) -> None:
        """Let Teams send to a process."""
        self.teams.app_url = f"http://127.0.0.1:{running.port}/api/messages"

    def people(self) -> list[tuple[Person, Conversation]]:
        """Return people, each with a chat or a channel, by turns."""
        tenant = self.teams.tenant
        found: list[tuple[Person, Conversation]] = []
        for n in range(PEOPLE):
            person = tenant.person(f"person{n}")
            own = n % 2 == 1
            found.append(
                (person, tenant.personal(person) if own else tenant.channel(f"room{n}", person))
            )
        return found

    async def ask(
        self, person: Person, place: Conversation, question: str, thread: Message | None = None
    ) -> Said:
        """Ask where somebody is; what is not acknowledged is delivered again."""
        people = self.teams.people
        if place.kind == "personal":
            said = await people.say(person, place, question)
        else:
            said = await people.mention(person, place, question, thread=thread)
        while not said.delivery.acknowledged:
            await asyncio.sleep(REDELIVERED_AFTER_S)
            said = Said(message=said.message, delivery=await self.teams.sender.again(said.delivery))
        return said


@asynccontextmanager
async def world(serving: Forks, url: str) -> AsyncGenerator[World]:
    """Publish the sample policies, and open a Teams."""
    await publish(url)
    tables = Tables(url)
    async with fake_teams(speed=1.0) as teams, openid() as microsoft:
        teams.limits.on = False
        teams.sender.sign = microsoft.maker(teams.tenant.app_id).headers
        yield World(teams=teams, microsoft=microsoft, serving=serving, url=url, tables=tables)
    await tables.engine.dispose()


async def acknowledge(here: World, *, rate: float, seconds: float) -> None:
    """Send signed activities at a steady rate, each a message of its own.

    They come under one token, as the service sends until a token ends.
    """
    running = await here.start(roles={"works": False})
    here.point_to(running)
    teams, places = here.teams, here.people()
    signed = teams.sender.sign({"serviceUrl": teams.service_url})
    requests: list[Request] = []
    for n in range(int(rate * seconds) + WARMING):
        person, place = places[n % PEOPLE]
        activity = teams.people.written(person, place, f"{n} {QUESTIONS[0]}")
        body = json.dumps(activity, ensure_ascii=False).encode()
        headers = signed | {"Content-Type": "application/json; charset=utf-8"}
        requests.append(Request(body=body, headers=headers))
    await measure_ack(requests, url=teams.app_url, rate=rate, tables=here.tables)
    await end(running)


async def measure_first(here: World, *, questions: int) -> None:
    """Ask one question after the other: from the activity to a sign of life, and to the answer.

    They are those of the samples that stand alone, no two alike.
    """
    asked = single_questions()
    questions = min(questions, len(asked) - 4)
    running = await here.start()
    here.point_to(running)
    teams, before = here.teams, busy()
    signs_ms: dict[str, list[float]] = {"channel": [], "personal": []}
    posts_ms: dict[str, list[float]] = {"channel": [], "personal": []}
    for n, (person, place) in zip(range(questions + 4), 10 * here.people(), strict=False):
        seen = len(teams.journal.entries)
        asked_at = teams.clock.now()
        await here.ask(person, place, asked[n])

        def written(seen: int = seen) -> list[Entry]:
            entries = teams.journal.entries[seen:]
            return [one for one in entries if one.method in WRITING and one.was_done]

        await teams.until(lambda written=written: bool(shown(written())), timeout_s=30.0)
        await here.tables.quiet(within_s=60.0)
        if n >= 4:
            signs_ms[place.kind].append((written()[0].at - asked_at) * 1e3)
            posts_ms[place.kind].append((shown(written())[0].at - asked_at) * 1e3)
    for kind, took_ms in posts_ms.items():
        print(
            f"{kind}: from the activity to a sign of life: {spread(signs_ms[kind])}; to the answer:"
            f" {spread(took_ms)}; {len(took_ms)} questions; before: {before}"
        )
    await end(running)


def shown(entries: Sequence[Entry]) -> list[Entry]:
    """Return the calls that show an answer: a message, or the part of a stream that holds it."""
    return [
        one
        for one in entries
        if one.args.get("type") == "message"
        or (one.args.get("channelData") or {}).get("streamType") == "streaming"
    ]


async def burst(here: World, given: argparse.Namespace) -> None:
    """Let everybody ask at once, in channels and in people's own chats by turns."""
    asked, places = single_questions(), here.people()

    async def ask(n: int) -> None:
        person, place = places[n % PEOPLE]
        await here.ask(person, place, asked[n % len(asked)])

    await measure_burst(here, ask, given)
    print(await shown_in_parts(here))


async def shown_in_parts(here: World) -> str:
    """Say how long answers waited to be posted, by where.

    In a person's own chat an answer ends a stream, of which Teams takes about one part a second
    (Microsoft's page "Stream bot messages"): at first its text shows, then its sources and buttons.
    """
    first: dict[str, float] = {}
    for one in shown(here.teams.journal.entries):
        if one.was_done:
            data: dict[str, Any] = one.args.get("channelData") or {}
            first.setdefault(str(data.get("streamId") or one.result.get("id")), one.at)
    streams = {one.id for one in here.teams.tenant.by_bot() if one.stream is not None}
    text_ms: dict[bool, list[float]] = {True: [], False: []}
    end_ms: dict[bool, list[float]] = {True: [], False: []}
    for row in await here.tables.rows(_POSTS):
        is_own = row["remote_id"] in streams
        text_ms[is_own].append((first[row["remote_id"]] - row["queued_at"]) * 1e3)
        end_ms[is_own].append((row["settled_at"] - row["queued_at"]) * 1e3)
    refused = sum(one.outcome == "429" for one in here.teams.journal.entries)
    return (
        f"from the record, in channels: to the post: {spread(end_ms[False])}; in people's own"
        f" chats, as streams: to the text: {spread(text_ms[True])}, to its end:"
        f" {spread(end_ms[True])}; {refused} calls refused as too soon"
    )


async def kills(here: World, given: argparse.Namespace) -> None:
    """Ask while processes are killed, and look at what people see."""
    places = here.people()

    async def ask(n: int) -> int:
        person, place = places[n % PEOPLE]
        first = await here.ask(person, place, QUESTIONS[n % len(QUESTIONS)])
        again = await here.ask(person, place, "and for contractors?", first.message)
        return first.delivery.acknowledged + again.delivery.acknowledged

    await measure_kills(here, ask, lambda: verdict(here), given)


async def verdict(here: World) -> str:
    """Compare what was stored with what people see."""
    rows = await here.tables.rows(_ANSWERS)
    standing = {
        one.id: one for one in here.teams.tenant.by_bot() if one.activity["type"] != "typing"
    }
    places = {key: n for n, key in enumerate(standing)}
    lines = [one for one in standing.values() if one.text.startswith(MAYBE)]
    known = {str(row["remote_id"]) for row in rows if row["remote_id"]}
    unknown = [one for key, one in standing.items() if key not in known and one not in lines]
    uncertain = [row for row in rows if row["state"] == "uncertain"]
    lost = sum(
        row["state"] != "uncertain" and str(row["remote_id"]) not in standing for row in rows
    )
    messages = {row["message"] for row in rows}
    twice = len(rows) - len(messages) + max(0, len(unknown) - len(uncertain))
    inversions, latest = 0, dict[str, int]()
    for row in rows:
        if str(row["remote_id"]) in standing:
            at = places[str(row["remote_id"])]
            inversions += at < latest.get(row["thread"], 0)
            latest[row["thread"]] = max(at, latest.get(row["thread"], 0))
    open_streams = sum(one.activity["type"] == "typing" for one in here.teams.tenant.by_bot())
    failed = await here.tables.count("SELECT count(*) FROM citebound.inbox WHERE state = 'dead'")
    return (
        f"{len(messages)} stored, {lost} lost, {twice} answered twice, {inversions} out of order,"
        f" {len(uncertain)} that may have been posted ({len(unknown)} of them were; {len(lines)}"
        f" lines say so), {failed} given up with an apology, {open_streams} streams left open"
    )


async def run(serving: Forks, url: str, given: argparse.Namespace) -> None:
    """Measure what was asked for."""
    async with world(serving, url) as here:
        match given.what:
            case "ack":
                await acknowledge(here, rate=given.rate, seconds=given.seconds or ACK_FOR_S)
            case "first":
                await measure_first(here, questions=given.questions or 40)
            case "burst":
                await burst(here, given)
            case _:
                await kills(here, given)


def main() -> None:
    """Read the words and measure."""
    given = arguments(__doc__)
    with forks() as serving, postgres() as url:
        asyncio.run(run(serving, url, given))


if __name__ == "__main__":
    main()
