"""What tests of sources share: a store and what synchronises it, and sources that are scripted."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.sources import NOBODY, PostgresSources
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import DocumentError
from core.domain.officers import Officers
from core.domain.question import Scope
from core.ingest.publish import Ingestor
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import Clock
from core.sources.access import AccessSync
from core.sources.connector import (
    ChangePage,
    Connect,
    Connector,
    ItemReaders,
    ListingEnd,
    PolicySource,
    ReadersPage,
    SourceItem,
    SourceKind,
    Withdrawing,
)
from core.sources.sync import SourceSync
from tests.databases import corpus_store
from tests.reading import UnconfinedReader


def policy(title: str, limit: int = 50) -> str:
    """Return a policy with a limit."""
    return f"# {title}\n\n## 1 Limits\n\n1.1 Employees may spend up to EUR {limit} on this.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A store of sources, and what synchronises them."""

    store: PostgresSources
    sync: SourceSync
    access: AccessSync


def desk_on(
    engine: AsyncEngine,
    connect: Connect,
    *,
    officers: Officers = NOBODY,
    clock: Clock | None = None,
) -> Desk:
    """Compose the product's parts on a test's own database."""
    clock = clock or SystemClock()
    ledger = Ledger(clock=clock, ids=UuidSource(), unit="test")
    store = PostgresSources(engine, ledger=ledger, operator="console", officers=officers)
    sync = SourceSync(
        store=store,
        ingestor=Ingestor(
            reader=UnconfinedReader(),
            store=corpus_store(engine),
            embedder=None,
            extractor=RuleExtractor(),
            clock=clock,
        ),
        withdrawals=PostgresWithdrawals(engine, ledger=ledger, operator="console"),
        connect=connect,
        clock=clock,
    )
    return Desk(store=store, sync=sync, access=sync.access)


def source_of(folder: Path, **changed: object) -> PolicySource:
    """Return a source that is a folder."""
    source = PolicySource(
        name="house",
        kind=SourceKind.FOLDER,
        location={"folder": str(folder)},
        key_prefix=None,
        audience=None,
        withdrawing=Withdrawing.AUTOMATIC,
        every_s=3600,
    )
    return replace(source, **changed)  # pyright: ignore[reportArgumentType]


async def in_force(engine: AsyncEngine, *groups: str) -> dict[str, str]:
    """Return the policies in force that some groups may read, with their titles."""
    scope = Scope(as_of=SystemClock().now().date(), groups=frozenset({"everyone", *groups}))
    return {
        one.metadata.key: one.metadata.title for one in await corpus_store(engine).versions(scope)
    }


async def tags(engine: AsyncEngine) -> list[str]:
    """Return what was recorded of sources, in order."""
    async with engine.connect() as connection:
        found = await connection.scalars(
            text("SELECT tag FROM audit.record WHERE tag LIKE 'source:%' ORDER BY at, id")
        )
        return list(found)


async def an_hour_passes(engine: AsyncEngine) -> None:
    """Put all that is to come an hour nearer."""
    hour = "interval '1 hour'"
    async with engine.begin() as connection:
        await connection.execute(
            text(
                f"UPDATE citebound.sources SET due_at = due_at - {hour},"  # noqa: S608  # constants
                f" leased_until = leased_until - {hour}, access_due_at = access_due_at - {hour},"
                f" access_leased_until = access_leased_until - {hour}"
            )
        )


@dataclass(slots=True)
class ScriptedSource:
    """A source of Markdown files, by identity, with readers. See `Connector` and `SourceAccess`."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    """Documents by identity."""
    readers: dict[str, frozenset[str] | None] = field(
        default_factory=dict[str, frozenset[str] | None]
    )
    """Who may read each; what is missing can't be read."""
    listed: list[str] = field(default_factory=list[str])
    """Documents whose readers changed since the last listing of them; with no token, all."""
    is_whole: bool = False
    """Listings of readers say that they looked at all."""
    fetched: list[str] = field(default_factory=list[str])
    """Documents that were fetched, in order."""
    fails: Exception | None = None
    """Raised by each listing."""
    breaks: dict[str, Exception] = field(default_factory=dict[str, Exception])
    """Raised when a document is fetched."""
    access_fails: Exception | None = None
    """Raised by each listing of readers."""

    @property
    def access(self) -> "ScriptedAccess":
        """See `Connector.access`."""
        return ScriptedAccess(self)

    async def check(self) -> str:
        """See `Connector.check`."""
        if self.fails:
            raise self.fails
        return "scripted"

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`."""
        for one in sorted(self.texts):
            if self.fails:
                raise self.fails
            if cursor is not None and one < cursor:
                continue
            text_of = self.texts[one]
            item = SourceItem(item_id=one, path=f"{one}.md", version=str(hash(text_of)))
            yield ChangePage(items=(item,), cursor=f"{one}~")
        if self.fails:
            raise self.fails
        yield ListingEnd(token=None, is_whole=True)

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        if broken := self.breaks.get(item.item_id):
            raise broken
        self.fetched.append(item.item_id)
        if item.item_id not in self.texts:
            raise DocumentError("it was deleted")
        return self.texts[item.item_id].encode()

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        return item_id in self.texts


@dataclass(frozen=True, slots=True)
class ScriptedAccess:
    """See `SourceAccess`."""

    source: ScriptedSource

    async def changes(
        self, *, known: Sequence[str], since: str | None, cursor: str | None
    ) -> AsyncIterator[ReadersPage | ListingEnd]:
        """List what changed; without a token, all that is known."""
        if self.source.access_fails:
            raise self.source.access_fails
        listed = known if since is None else self.source.listed
        for one in listed:
            if one in self.source.readers:
                said = ItemReaders(item_id=one, groups=self.source.readers[one])
                yield ReadersPage(readers=(said,))
        yield ListingEnd(token="seen", is_whole=self.source.is_whole)  # noqa: S106  # no secret

    async def of(self, item: SourceItem, /) -> ItemReaders:
        """Return what the script says."""
        if item.item_id not in self.source.readers:
            raise DocumentError("its permissions can't be read")
        return ItemReaders(item_id=item.item_id, groups=self.source.readers[item.item_id])


def connecting_to(connector: Connector) -> Connect:
    """Return what connects to one connector, whatever the source."""

    @asynccontextmanager
    async def connect(_: PolicySource, /) -> AsyncGenerator[Connector]:
        yield connector

    return connect
