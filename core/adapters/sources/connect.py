"""Open the connector that a source needs, with the credentials that the environment gives."""

import asyncio
import importlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from core.adapters.sources.folder import FolderConnector
from core.adapters.sources.git import GitConnector
from core.config.settings import Settings, source_credential
from core.domain.errors import CredentialError
from core.service_access.refusals import Note, unnoted
from core.sources.connector import Connect, Connector, PolicySource, SourceKind

_SERVICES: Mapping[SourceKind, str] = {
    SourceKind.CONFLUENCE: "core.adapters.sources.confluence.opening",
    SourceKind.SHAREPOINT: "core.adapters.sources.sharepoint.connector",
    SourceKind.DRIVE: "core.adapters.sources.drive.opening",
}
"""Modules with a function `opened(source, settings)`; they are slow to load, so only when used."""


def checkout_of(settings: Settings, name: str) -> Path:
    """Return where the repository of a source is kept on this machine."""
    return settings.home.expanduser() / "sources" / name


def connecting(settings: Settings, *, note: Note = unnoted) -> Connect:
    """Return how sources are connected; checkouts are kept below the home of the settings.

    `note` is told whether a source took its credential.
    """

    @asynccontextmanager
    async def opened(source: PolicySource) -> AsyncGenerator[Connector]:
        where = source.location
        if source.kind is SourceKind.FOLDER:
            yield FolderConnector(Path(where["folder"]))
        elif source.kind is SourceKind.GIT:
            yield GitConnector(
                url=where["url"],
                branch=where["branch"],
                folder=where.get("folder", ""),
                checkout=checkout_of(settings, source.name),
                token=source_credential(source.name),
            )
        else:
            module = await asyncio.to_thread(importlib.import_module, _SERVICES[source.kind])
            async with module.opened(source, settings) as connector:
                yield connector

    @asynccontextmanager
    async def noted(source: PolicySource) -> AsyncGenerator[Connector]:
        try:
            async with opened(source) as connector:
                yield connector
        except CredentialError as error:
            note(f"source/{source.name}", error.cause)
            raise
        note(f"source/{source.name}", None)

    def connect(source: PolicySource, /) -> AbstractAsyncContextManager[Connector]:
        return noted(source)

    return connect
