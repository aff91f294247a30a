"""Nobody reads a policy that is not for them: asker x channel x policy, and what changes meanwhile.

The audience asks the fake Slack by the real SDK, the search runs in Postgres, and delivery decides
as it does before it posts. Who may read what is said here once more, from Slack's own words.

200 combinations in the ordinary run; 5,000 with `pytest -m nightly`.
"""

import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.audience_config import AudienceConfig, ChannelScope
from bot.delivery import withholding
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.outbound.audience import SlackAudience
from bot.slack.web.calls import Slack, client_for
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.agent.reply import compose
from core.domain.conversation import Place
from core.domain.delivery import Delivery, NoReaders, StoredReply, Withhold
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.domain.run import Clarification
from core.ports import SearchRequest
from tests.integration.search.conftest import Publish
from tests.integration.search.conftest import publish as publish  # noqa: PLC0414  # a fixture
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel

GROUPS = ("finance", "legal", "board")
POLICIES = {
    "all": frozenset({EVERYONE}),
    "finance": frozenset({"finance"}),
    "legal": frozenset({"legal"}),
    "board": frozenset({"board"}),
    "money": frozenset({"finance", "board"}),
}
"""Key -> for whom. All hold the words that are asked for."""
KINDS: tuple[dict[str, Any], ...] = (
    *({} for _ in range(9)),
    {"is_restricted": True},
    {"is_restricted": True, "is_ultra_restricted": True},
    {"is_stranger": True, "team_id": "T0OTHER"},
    {"is_stranger": True},
    {"team_id": "T0OTHER"},
    {"is_bot": True},
    {"deleted": True},
)
SHARED: tuple[dict[str, Any], ...] = (
    *({} for _ in range(5)),
    {"is_ext_shared": True},
    {"is_pending_ext_shared": True},
)
BOT = "U0BOT"
PASSERBY = User(id="U0PASSERBY", name="passerby", team_id="T0HOME")
"""An employee without groups, who may join a public channel at any moment."""
ELSEWHERE = User(id="U0ELSEWHERE", name="elsewhere", team_id="T0OTHER", is_stranger=True)
LATER_S = 60.0
"""From question to post: what was read for the one is too old for the other."""
ANSWER = compose.clarifying(Clarification(intent="general", question="Which?", slot="country"))
"""Something that holds content, as far as delivery can tell."""

Ask = Callable[[Scope], Awaitable[frozenset[str]]]


@pytest.fixture
async def ask(engine: AsyncEngine, publish: Publish) -> Ask:
    """Search for what every policy says, and return the keys of those that were found."""
    for key, audience in POLICIES.items():
        words = f"The {key} rule: whoever releases a payment records it."
        await publish(key, [("1", "Payments", words)], audience=audience, embedded=False)
    search = PostgresChunkSearch(engine, None)

    async def run(scope: Scope) -> frozenset[str]:
        found = await search.search(
            SearchRequest(text="release payment record", embedding=None, scope=scope, limit=8)
        )
        return frozenset(hit.chunk_id.partition("_chunk_")[0] for hit in found.hits)

    return run


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A workspace whose limits are not what is tested."""
    async with fake_slack(speed=600) as running:
        running.limits.on = False
        yield running


@dataclass(slots=True)
class Time:
    """The audience's clock: it passes when it is told."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One asker in one place."""

    asker: User
    channel: Channel
    scope: ChannelScope
    groups: dict[str, frozenset[str]]
    """Person -> groups."""

    def may_read(self, person: User, policy: str, *, is_direct: bool) -> bool:
        """Say whether somebody may read a policy there: plain employees, by their groups."""
        is_guest = person.is_restricted or person.is_ultra_restricted
        is_ours = person.team_id == "T0HOME" and not person.is_stranger
        if is_guest or not is_ours or person.deleted or person.is_bot:
            return False
        own = self.groups.get(person.id, frozenset()) | {EVERYONE}
        if not is_direct and self.channel.kind != "channel":
            own |= self.scope.audience
        return bool(own & POLICIES[policy])


class World:
    """Makes cases, lets them change, and judges what is shown."""

    def __init__(self, slack: FakeSlack, ask: Ask, seed: int, time: Time) -> None:
        self._slack, self._ask, self._time = slack, ask, time
        self._seed = seed
        self._random = random.Random(seed)  # noqa: S311  # no secret
        self._numbers = count()
        self.seen: Counter[str] = Counter()

    async def one(self) -> None:
        """Ask in one place, let something change, and post."""
        case = self._case()
        audience = self._audience(case)
        is_direct = case.channel.kind == "im"
        place = Place(
            platform="slack",
            tenant="T0HOME",
            channel=case.channel.id,
            thread="1",
            mode="direct" if is_direct else "thread",
        )
        readers = await audience.readers(place, case.asker.id, is_direct=is_direct)
        if isinstance(readers, NoReaders):
            self.seen["nobody"] += 1
            return
        scope = Scope(as_of=date(2026, 6, 1), groups=readers.groups | {EVERYONE})
        found = await self._ask(scope)
        self._judge(case, found, self._people(case), is_direct=is_direct)
        self._change(case)
        self._time.now_s += LATER_S
        reply = StoredReply(answer=ANSWER, groups=readers.groups | {EVERYONE})
        delivery = self._delivery(reply, place, case)
        again = await audience.when_posting().readers(place, case.asker.id, is_direct=is_direct)
        step = withholding(delivery, again)
        if step is None:
            self.seen["posted"] += 1
            self._judge(case, found, self._people(case), is_direct=is_direct)
            return
        self.seen["withheld"] += 1
        if isinstance(step, Withhold) and step.to_direct:
            told = replace(delivery, is_direct=True)
            own = await audience.when_posting().readers(place, case.asker.id, is_direct=True)
            if withholding(told, own) is None:
                self.seen["direct"] += 1
                self._judge(case, found, [case.asker], is_direct=True)

    def _judge(
        self, case: Case, found: frozenset[str], people: list[User], *, is_direct: bool
    ) -> None:
        leaks = [
            (person, key)
            for person in people
            for key in found
            if not person.is_bot and not case.may_read(person, key, is_direct=is_direct)
        ]
        assert not leaks, (self._seed, leaks, case)

    def _people(self, case: Case) -> list[User]:
        """Return who reads: of a public channel anybody, of a shared one another company, too.

        They need not be among the members that Slack lists.
        """
        ids = [one for one in case.channel.members if one != BOT]
        people = [self._slack.workspace.users[one] for one in ids]
        is_shared = case.channel.is_ext_shared or case.channel.is_pending_ext_shared
        people += [ELSEWHERE] if is_shared else []
        return [*people, PASSERBY] if case.channel.kind == "channel" else people

    def _case(self) -> Case:
        pick, number = self._random, next(self._numbers)
        members = [self._person() for _ in range(pick.randint(1, 4))]
        kind = pick.choice(("channel", "group", "mpim", "im"))
        if kind == "im":
            members = members[:1]
        flags: dict[str, Any] = {} if kind == "im" else pick.choice(SHARED)
        channel = self._slack.workspace.channel(f"n{number}", *members, kind=kind, **flags)
        audience = frozenset(pick.sample(GROUPS, pick.choice((0, 0, 0, 1))))
        groups = {
            one.id: frozenset[str](pick.sample(GROUPS, pick.randint(0, 3))) for one in members
        }
        scope = ChannelScope(audience=audience if kind != "im" else frozenset())
        return Case(asker=pick.choice(members), channel=channel, scope=scope, groups=groups)

    def _person(self) -> User:
        kind = self._random.choice(KINDS)
        return self._slack.workspace.user(f"p{next(self._numbers)}", **kind)

    def _change(self, case: Case) -> None:
        """Let the place change, or leave it."""
        what = self._random.choice(("nothing", "shared", "pending", "joined", "left", "opened"))
        if case.channel.kind == "im" or what == "nothing":
            return
        self.seen[what] += 1
        match what:
            case "shared":
                case.channel.is_ext_shared = True
            case "pending":
                case.channel.is_pending_ext_shared = True
            case "opened":
                case.channel.kind = "channel"
            case "joined":
                case.channel.members.append(self._person().id)
            case _:
                case.channel.members.remove(case.channel.members[0])

    def _audience(self, case: Case) -> SlackAudience:
        home = SlackIdentity(app_id="A0CITEBOUND", bot_user=BOT, teams=frozenset({"T0HOME"}))
        rights = AudienceConfig(
            groups={
                group: frozenset(one for one, held in case.groups.items() if group in held)
                for group in GROUPS
            },
            channels={case.channel.id: case.scope},
        )
        token = self._slack.workspace.bot_token
        return SlackAudience(Slack(client_for(token, api_url=self._slack.api_url)), home, rights)

    def _delivery(self, reply: StoredReply, place: Place, case: Case) -> Delivery:
        return Delivery(
            outbox_id=1,
            conversation_id="c",
            cause="message:1",
            reply=reply,
            place=place,
            person=case.asker.id,
            is_direct=False,
            shape=0,
            attempt=1,
            progress_id=None,
            is_doubtful=False,
            is_recorded_doubt=False,
            age_s=0.0,
            token="t",  # noqa: S106  # a lease
        )


async def _run(slack: FakeSlack, ask: Ask, times: int, seed: int) -> None:
    time = Time()
    world = World(slack, ask, seed, time)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("directory", "channels", "calls"):
            patch.setattr(f"bot.slack.web.{module}.monotonic", time)
        for _ in range(times):
            await world.one()
    for outcome in ("nobody", "posted", "withheld", "direct", "shared", "joined", "left", "opened"):
        assert world.seen[outcome] >= times // 100, world.seen


async def test_nothing_leaks(slack: FakeSlack, ask: Ask) -> None:
    """0 of 200; each way that it can end is among them."""
    await _run(slack, ask, 200, seed=20261122)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_nothing_leaks_ever(slack: FakeSlack, ask: Ask) -> None:
    """0 of 5,000."""
    await _run(slack, ask, 5_000, seed=random.SystemRandom().randrange(2**32))
