"""Open the connector that a source needs, with the credentials that the environment gives."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from core.adapters.sources.folder import FolderConnector
from core.adapters.sources.git import GitConnector
from core.config.settings import source_credential, source_variable
from core.domain.errors import UsageError
from core.sources.connector import Connect, Connector, PolicySource, SourceKind

_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")
_SSH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s:]{1,500}")


def connecting(*, home: Path) -> Connect:
    """Return how sources are connected; checkouts are kept below `home`."""
    checkouts = home.expanduser() / "sources"

    @asynccontextmanager
    async def opened(source: PolicySource) -> AsyncGenerator[Connector]:
        where = source.location
        if source.kind is SourceKind.FOLDER:
            yield FolderConnector(Path(where["folder"]))
        else:
            yield GitConnector(
                url=where["url"],
                branch=where["branch"],
                folder=where.get("folder", ""),
                checkout=checkouts / source.name,
                token=source_credential(source.name),
            )

    def connect(source: PolicySource, /) -> AbstractAsyncContextManager[Connector]:
        return opened(source)

    return connect


def checked_location(kind: SourceKind, given: Mapping[str, str]) -> dict[str, str]:
    """Return where a source lies, checked.

    Raises:
        UsageError: It can't be one; the message says what is expected.
    """
    if kind is SourceKind.FOLDER:
        folder = Path(given["folder"]).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r}")
        return {"folder": str(folder)}
    url, branch, part = given["url"], given.get("branch") or "main", given.get("folder") or ""
    _check_address(url)
    if not _BRANCH.fullmatch(branch) or ".." in branch:
        raise UsageError(f"expected the name of a branch, got {branch!r}")
    if Path(part).is_absolute() or ".." in Path(part).parts:
        raise UsageError(f"expected a folder in the repository, got {part!r}")
    return {"url": url, "branch": branch, "folder": part}


def _check_address(url: str) -> None:
    if _SSH.fullmatch(url):
        return
    parts = urlsplit(url)
    if parts.scheme not in {"https", "ssh", "file"}:
        raise UsageError(f"expected an address like https://host/repository.git, got {url!r}")
    if parts.password or (parts.username and parts.scheme == "https"):
        raise UsageError(
            "an address with a name or password would be stored: leave them out, and set"
            f" {source_variable('name')}, with the name of the source for NAME"
        )
