"""A fake Teams, and our clients of it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession

from bot.teams.app.botbuilder_connector import BotbuilderTransport
from bot.teams.auth.credentials import token_for
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, RestTransport, Transport
from bot.teams.connector.http_client import ConnectorHttp, open_session
from bot.teams.protocol.conversations import NAME, Reference
from bot.teams.protocol.identity import ServiceUrls, TeamsIdentity
from bot.teams.setup import TeamsSetup, teams_setup
from core.config.settings import Settings
from core.domain.conversation import ConversationReference, Place
from tests.servers.teams import Conversation, FakeTeams, Message, Person, fake_teams

MAKERS: dict[str, Callable[[ConnectorHttp], Transport]] = {
    "botbuilder": BotbuilderTransport,
    "rest": RestTransport,
}


def on_loopback(url: str) -> bool:
    """Stand in for the list of hosts."""
    host = urlsplit(url).hostname or ""
    return host == "localhost" or ip_address(host).is_loopback


class InMemoryReferences:
    """What is kept of conversations, for one test."""

    def __init__(self) -> None:
        self.kept: dict[str, ConversationReference] = {}

    async def put(self, reference: ConversationReference, /) -> datetime:
        earlier = self.kept.get(reference.conversation)
        facts = {**(earlier.facts if earlier else {}), **reference.facts}
        self.kept[reference.conversation] = replace(reference, facts=facts)
        return datetime(2026, 11, 20, tzinfo=UTC)

    async def find(
        self, platform: str, tenant: str, conversation: str, /
    ) -> ConversationReference | None:
        assert platform == NAME
        found = self.kept.get(conversation)
        return found if found and found.tenant == tenant else None

    async def find_direct(
        self, platform: str, tenant: str, person: str, /
    ) -> ConversationReference | None:
        assert platform == NAME
        for one in self.kept.values():
            if (one.tenant, one.person) == (tenant, person):
                return one
        return None

    async def find_any(self, platform: str, tenant: str, /) -> ConversationReference | None:
        assert platform == NAME
        return next((one for one in self.kept.values() if one.tenant == tenant), None)

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        return 0 if self.kept.pop(conversation, None) is None else 1


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
    references: InMemoryReferences
    """Of all three."""
    home: TeamsIdentity
    """Who we are."""
    addresses: Addresses
    """Where conversations are."""

    def place(self, conversation: Conversation) -> Place:
        """Return where a reply to a question of Anna's goes."""
        is_channel = conversation.kind == "channel"
        return Place(
            platform=NAME,
            tenant=self.teams.tenant.id,
            channel=conversation.id,
            thread=self.question.id if is_channel else conversation.id,
            mode="direct" if conversation.kind == "personal" else "channel",
        )

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
    async with open_session() as session:
        yield session


def setup_of(teams: FakeTeams, **more: str) -> TeamsSetup:
    """Return the setup that a process has which this fake serves."""
    setup = teams_setup(Settings.from_environment(teams.environment | more))
    assert setup is not None
    return setup


@pytest.fixture(params=sorted(MAKERS))
def made(request: pytest.FixtureRequest) -> Callable[[ConnectorHttp], Transport]:
    """Each way to call Teams."""
    return MAKERS[request.param]


@pytest.fixture
def transport(
    teams: FakeTeams, session: ClientSession, made: Callable[[ConnectorHttp], Transport]
) -> Transport:
    """Each way to call Teams, with our secret."""
    return made(ConnectorHttp(session, token_for(setup_of(teams), session), on_loopback))


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
    chat, group = tenant.personal(anna), tenant.group_chat("lunch", anna, ben)
    references = InMemoryReferences()
    for one in (chat, group, room):
        reference = Reference(
            conversation=one.id,
            scope=one.kind,
            service_url=teams.service_url,
            tenant=tenant.id,
            bot=tenant.bot_id,
            person=anna.id if one is chat else None,
            kind="private" if one is room else None,
        ).stored()
        references.kept[one.id] = reference
    home = TeamsIdentity(
        app_id=tenant.app_id,
        tenants=frozenset({tenant.id}),
        service_urls=ServiceUrls(allows_loopback=True),
    )
    return Scene(
        teams=teams,
        transport=transport,
        anna=anna,
        ben=ben,
        chat=chat,
        group=group,
        room=room,
        question=question,
        references=references,
        home=home,
        addresses=Addresses(references, home, transport),
    )
