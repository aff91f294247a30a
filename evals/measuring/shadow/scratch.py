"""A corpus to try: ingested into a database of its own, which nobody asks, and gone at the end.

It stands below `CITEBOUND_HOME`/eval, whatever `DATABASE_URL` says. A run that was killed leaves it
behind; the next one removes it first. One run at a time has it.
"""

import asyncio
import dataclasses
import shutil
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.console.ingest.ingest_files import Failed, prepared_again, read_all
from bot.console.stores import operator
from bot.console.views.terminal import Terminal
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.embedded_account import data_folder, server_account
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError
from core.domain.question import Scope
from core.ingest.compare import inherit
from core.ingest.folder_listing import SourceToIngest, find_sources, read_file
from core.ingest.prepare import NOTHING_GIVEN
from evals.measuring.run_files import locked


def scratch_home(settings: Settings) -> Path:
    """Return where the corpus that is tried stands."""
    return settings.home.expanduser() / "eval" / "shadow"


async def remove_leftover(settings: Settings) -> bool:
    """Remove what a killed run left behind, and say whether there was something.

    Raises:
        OccupiedError: Another run has it.
        ConfigError: It can't be removed.
    """
    home = scratch_home(settings)
    if not home.exists():
        return False
    with locked(home / "lock"):
        return await asyncio.to_thread(_cleared, home)


@asynccontextmanager
async def scratch_corpus(
    terminal: Terminal, settings: Settings, folder: Path, *, deployed: Service
) -> AsyncGenerator[Service]:
    """Lend a service over the policies of a folder, which takes the place of the whole corpus.

    What neither a document nor a manifest states of a policy (above all its audience) is that of
    the deployment, as it would be if the folder were ingested there.

    Raises:
        ConfigError: A policy can't be ingested.
        OccupiedError: Another run tries a corpus.
        UsageError: There is nothing to ingest.
    """
    sources = find_sources([folder], given=NOTHING_GIVEN).sources
    home = scratch_home(settings)
    own = dataclasses.replace(
        settings,
        database_url=None,
        migration_url=None,
        record_url=None,
        home=home,
        environment="development",
        migrate="always",
        pseudonym_key=None,
        identity_key=None,
    )
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(home / "lock"))
        await asyncio.to_thread(_cleared, home)
        await asyncio.to_thread(start_embedded, home, temporary=True)
        stack.push_async_callback(asyncio.to_thread, stop_embedded, home)
        with terminal.busy("Reading the new corpus") as notify:
            service = await stack.enter_async_context(
                bootstrap(
                    own,
                    reader=deployed.models.reader,
                    guard=deployed.models.guard,
                    keeps_calls=False,
                    operator=operator(),
                )
            )
            keys = await _ingested(service, sources, deployed=deployed, notify=notify)
        missing = [key for key in await _in_force(deployed) if key not in keys]
        if missing:
            terminal.remark_unwrapped(
                f"{folder} has no policy {', '.join(missing)}: what rests on it will not be"
                " answered. It takes the place of the whole corpus"
            )
        yield service


async def _ingested(
    service: Service,
    sources: Sequence[SourceToIngest],
    *,
    deployed: Service,
    notify: Callable[[str], None],
) -> frozenset[str]:
    """Ingest all files, and return the keys of their policies."""
    keys: set[str] = set()
    for read in await read_all(service.ingestor, sources, with_chunks=True):
        if isinstance(read, Failed):
            raise ConfigError(f"the new corpus can't be ingested: {read.reason}")
        path, given = read.source.path, read.source.given
        notify(f"Read {path.name}")
        try:
            data = await asyncio.to_thread(read_file, path)
            prepared = await prepared_again(service.ingestor, read, data, with_chunks=True)
            stored = await deployed.corpus.versions_of(prepared.metadata.key)
            metadata = inherit(prepared, stored, given=given)
            await service.ingestor.ingest(
                data,
                source_name=path.name,
                given=given,
                with_chunks=True,
                prepared=dataclasses.replace(prepared, metadata=metadata),
            )
        except ContractError as error:
            raise ConfigError(f"the new corpus can't be ingested: {path}: {error}") from error
        keys.add(prepared.metadata.key)
    return frozenset(keys)


async def _in_force(deployed: Service) -> list[str]:
    """Return the keys of the policies that the deployment answers from today."""
    edition = await deployed.corpus.current_edition()
    if edition is None:
        return []
    groups = await deployed.report.groups()
    scope = Scope(edition=edition, as_of=deployed.clock.today(), groups=groups)
    return sorted({one.metadata.key for one in await deployed.corpus.versions(scope)})


def _cleared(home: Path) -> bool:
    """Stop a server that was left behind, and remove its data, whole or half made."""
    data = data_folder(home, server_account())
    unfinished = data.with_name(f"{data.name}.new")
    is_there = data.exists() or unfinished.exists()
    if data.exists():
        start_embedded(home, temporary=True)
        stop_embedded(home)
    shutil.rmtree(unfinished, ignore_errors=True)
    return is_there
