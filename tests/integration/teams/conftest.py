"""A fake Teams, and our clients of it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, DummyCookieJar

from bot.teams.credentials import token_for
from bot.teams.exchange import Exchange
from bot.teams.post import BotbuilderTransport
from bot.teams.rest import RestTransport
from bot.teams.setup import TeamsSetup, teams_setup
from bot.teams.transport import Address, Transport
from core.config import Settings
from tests.servers.teams import Conversation, FakeTeams, Message, Person, fake_teams

MAKERS: dict[str, Callable[[Exchange], Transport]] = {
    "botbuilder": BotbuilderTransport,
    "rest": RestTransport,
}


def on_loopback(url: str) -> bool:
    """Stand in for the list of hosts."""
    host = urlsplit(url).hostname or ""
    return host == "localhost" or ip_address(host).is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Anna, who has a chat of her own, a group chat and a channel with others."""

    teams: FakeTeams
    transport: Transport
    anna: Person
    ben: Person
    chat: Conversation
    group: Conversation
    room: Conversation
    question: Message
    """Anna's, in the channel."""

    def at(self, conversation: Conversation, root: str | None = None) -> Address:
        """Return where a conversation is, or a thread of it."""
        held = f"{conversation.id};messageid={root}" if root else conversation.id
        return Address(service_url=self.teams.service_url, conversation=held)

    @property
    def thread(self) -> Address:
        """Where Anna asked in the channel."""
        return self.at(self.room, self.question.id)


@pytest.fixture
async def teams() -> AsyncIterator[FakeTeams]:
    """A fake Teams; a minute of its own waits lasts 0.1 s."""
    async with fake_teams() as teams:
        yield teams


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    """As the process has it."""
    async with ClientSession(cookie_jar=DummyCookieJar()) as session:
        yield session


def setup_of(teams: FakeTeams, **more: str) -> TeamsSetup:
    """Return the setup that a process has which this fake serves."""
    setup = teams_setup(Settings.from_environment(teams.environment | more))
    assert setup is not None
    return setup


@pytest.fixture(params=sorted(MAKERS))
def made(request: pytest.FixtureRequest) -> Callable[[Exchange], Transport]:
    """Each way to call Teams."""
    return MAKERS[request.param]


@pytest.fixture
def transport(
    teams: FakeTeams, session: ClientSession, made: Callable[[Exchange], Transport]
) -> Transport:
    """Each way to call Teams, with our secret."""
    return made(Exchange(session, token_for(setup_of(teams), session), on_loopback))


@pytest.fixture
def scene(teams: FakeTeams, transport: Transport) -> Scene:
    """See `Scene`."""
    tenant = teams.tenant
    anna, ben = tenant.person("anna"), tenant.person("ben")
    room = tenant.channel("general", anna, ben)
    question = Message(
        id=tenant.new_id(),
        conversation=room.id,
        root=None,
        activity={"type": "message", "text": "May I?"},
        by=anna.id,
    )
    question.root = question.id
    tenant.messages.append(question)
    return Scene(
        teams=teams,
        transport=transport,
        anna=anna,
        ben=ben,
        chat=tenant.personal(anna),
        group=tenant.group_chat("lunch", anna, ben),
        room=room,
        question=question,
    )
