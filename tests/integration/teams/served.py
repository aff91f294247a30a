"""The real endpoint on a port, between Microsoft's keys and whoever keeps what comes in."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from aiohttp import ClientSession, web
from yarl import URL

from bot.intake import Intake
from bot.teams.actions.dispatch import TeamsDispatcher
from bot.teams.app.botbuilder_adapter import BotbuilderAdapter
from bot.teams.app.endpoint import LONGEST_BODY, PATH, TeamsEndpoint
from bot.teams.app.event_intake import TeamsEventIntake
from bot.teams.auth.signing_keys import SigningKeys, signing_keys
from bot.teams.auth.token_verifier import InboundVerifier, Verifier
from bot.teams.inbound.interaction import TeamsInteraction
from bot.teams.protocol.conversations import Reference
from bot.teams.protocol.identity import TeamsIdentity
from core.domain.conversation import ConversationReference, Place
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.message import Accepted, Ignored, InboundMessage, Seen, Speakers
from core.domain.officers import Officers
from tests.servers.teams.openid import Maker, OpenId, openid
from tests.unit.teams.activities import APP, HOME, SERVICE_URL, Activity


@dataclass(slots=True)
class Kept:
    """What came in; stands for the database."""

    messages: list[InboundMessage | Ignored] = field(default_factory=list[InboundMessage | Ignored])
    references: list[ConversationReference] = field(default_factory=list[ConversationReference])
    forgotten: list[str] = field(default_factory=list[str])
    changed: list[Reference] = field(default_factory=list[Reference])
    pressed: list[TeamsInteraction] = field(default_factory=list[TeamsInteraction])
    ours: set[Place] = field(default_factory=set[Place])
    since: datetime = datetime(2026, 11, 20, 9, tzinfo=UTC)
    """When we came to know of a conversation."""
    asker: str = ""
    """Who asked last in a thread of ours."""
    is_away: bool = False
    answer: Any = None
    """What handlers return; an exception is raised."""

    async def put(self, what: Any, /) -> Any:
        """See `Inbox.put` and `ConversationReferences.put`."""
        if self.is_away:
            raise TransientError
        if isinstance(what, ConversationReference):
            self.references.append(what)
            return self.since
        if isinstance(self.answer, Exception):
            raise self.answer
        seen = any(one.dedupe_key == what.dedupe_key for one in self.messages)
        if seen:
            return Seen(reason="repeated")
        self.messages.append(what)
        return Accepted(message_id=len(self.messages), conversation_id="c1")

    async def find(self, *place: Any) -> Any:
        """See `ConversationStore.find`."""
        return "c1" if place[0] in self.ours else None

    async def speakers(self, _: str, /) -> Speakers:
        """See `ConversationStore.speakers`."""
        return Speakers(first="", asker=self.asker, is_asked_back=False, is_taken_over=False)

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        """See `ConversationReferences.forget`."""
        del platform, tenant
        self.forgotten.append(conversation)
        return 1

    async def press(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """See `Handler`."""
        self.pressed.append(interaction)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The endpoint, and who talks to it."""

    url: str
    session: ClientSession
    openid: OpenId
    maker: Maker
    keys: SigningKeys
    kept: Kept
    endpoint: TeamsEndpoint
    presses: TeamsDispatcher

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> int:
        """Send bytes; return the status."""
        return (await self.posted(body, headers))[0]

    async def posted(
        self, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Send bytes; return status and text."""
        given = {"Content-Type": "application/json"} | dict(headers or {})
        url = URL(self.url)
        async with self.session.post(url, data=BytesIO(body), headers=given) as answer:
            return answer.status, await answer.text()

    def signed(self, activity: Activity | None = None, **claims: Any) -> dict[str, str]:
        """Return the header of a good token, but for some claims."""
        url = (activity or {}).get("serviceUrl", SERVICE_URL)
        token = self.maker.token(self.maker.claims(url, **claims))
        return {"Authorization": f"Bearer {token}"}


def keeper_of(kept: Kept, presses: TeamsDispatcher, home: TeamsIdentity) -> TeamsEventIntake:
    """Return the real keeper, before what stands for the database."""
    stands: Any = kept
    return TeamsEventIntake(
        Intake(stands),
        stands,
        stands,
        home,
        officers=Officers(),
        presses=presses,
        forget=kept.changed.append,
    )


@asynccontextmanager
async def listening(endpoint: TeamsEndpoint) -> AsyncGenerator[str]:
    """Serve the endpoint; return its address."""
    application = web.Application(client_max_size=LONGEST_BODY)
    application.router.add_post(PATH, endpoint.take)
    runner = web.AppRunner(application, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port: int = runner.addresses[0][1]
        yield f"http://127.0.0.1:{port}{PATH}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serving(
    home: TeamsIdentity = HOME, verifier: Verifier | None = None
) -> AsyncGenerator[Served]:
    """Serve, with keys that are warm."""
    kept, presses = Kept(), TeamsDispatcher()
    for name in ("evidence", "clarify", "feedback", "askAboutMessage"):
        presses.add(name, kept.press)
    keeper = keeper_of(kept, presses, home)
    async with openid() as server, signing_keys(server.url) as keys, ClientSession() as session:
        believed = verifier or InboundVerifier(keys, home)
        adapter = BotbuilderAdapter(home)
        endpoint = TeamsEndpoint(believed, keeper, presses, identity=home, adapter=adapter)
        async with listening(endpoint) as url:
            yield Served(
                url=url,
                session=session,
                openid=server,
                maker=server.maker(APP),
                keys=keys,
                kept=kept,
                endpoint=endpoint,
                presses=presses,
            )
